"""What a person should know about the labels of a dataset before training on them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, starmap

from tfrecordcli.dataset.labels import LabelMap, is_canonical_id, quoted

_AUTOML_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")


def label_warnings(labels: LabelMap, label_type: str) -> list[str]:
    """The warnings about a label map, one line each.

    Args:
      labels: the map.
      label_type: that was asked for: ``auto``, ``name`` or ``id``.
    """
    warnings = []
    is_guess = label_type == "auto" and labels.kind == "name" and not labels.source
    mixed = _mixed_with_numbers(labels) if is_guess else ""
    if mixed:
        warnings.append(mixed)
    if labels.added:
        warnings.append(f"labels that are not in {labels.source}: {_first(map(quoted, labels.added))}")
    alike = _first(starmap(_told_apart, _alike(labels.ids)))
    if alike:
        warnings.append(f"labels that look alike are kept apart: {alike}")
    if labels.kind == "name" and not mixed:
        odd = _first(quoted(name) for name in labels.ids if not _AUTOML_NAME.fullmatch(name))
        if odd:
            warnings.append(f"AutoML would refuse these label names, tfrec keeps them: {odd}")
    elif labels.kind == "id" and labels.ids and max(labels.ids.values()) != len(labels.ids) - 1:
        top = max(labels.ids.values())
        warnings.append(
            f"label ids have gaps: {len(labels.ids):,} ids, the highest is {top}; "
            "a classifier needs highest + 1 outputs (--label-type name numbers them from 0)"
        )
    return warnings


def _mixed_with_numbers(labels: LabelMap) -> str:
    """Of numbers that became names because of a few labels that are no ids."""
    others = sum(not is_canonical_id(name) for name in labels.ids)
    if not others or 2 * others > len(labels.ids):
        return ""
    shown = _first(quoted(name) for name in labels.ids if not is_canonical_id(name))
    return (
        f"labels are numbers but for {shown}, so all are taken for names and "
        "numbered anew; --label-type id keeps the numbers and rejects the other rows"
    )


def _alike(names: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Pairs of names that differ in case, blanks or the composing of letters only, in the order of the map.

    Names that are written as they are compared cost no memory: of a million labels most are.
    """
    first: dict[str, str] = {}
    for name, place in names.items():
        folded = " ".join(_composed(name).casefold().split())
        if folded == name:
            other = first.get(name, name)
        elif names.get(folded, place) < place:
            other = first.setdefault(folded, folded)
        else:
            other = first.setdefault(folded, name)
        if other != name:
            yield other, name


def _composed(name: str) -> str:
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _told_apart(one: str, other: str) -> str:
    """Both names; letters that are put together from several characters are told by these."""
    if _composed(one) == one and _composed(other) == other:
        return f"{quoted(one)} and {quoted(other)}"
    return f"{one!a} and {other!a} (Unicode normalization)"


def _first(items: Iterable[str], most: int = 3) -> str:
    """The first few of any number of items, and how many more there are; empty when there is none."""
    rest = iter(items)
    shown = list(islice(rest, most))
    more = sum(1 for _ in rest)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
