"""The label map: which id each label name has, the same in every file of a dataset."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, starmap
from typing import Literal

from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import MAX_LABEL_ID
from tfrecordcli.storage.store_path import place_of

_CANONICAL_ID = re.compile(r"0|[1-9][0-9]{0,18}")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_AUTOML_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")
# Characters of a label that a message shows.
_LONGEST_SHOWN = 100


def has_control_characters(text: str) -> bool:
    """Whether text holds C0, C1, line separators or a byte order mark, which names and paths must not."""
    # Most text is printable, which is told faster; a soft hyphen or an odd space is neither.
    return not text.isprintable() and _CONTROL.search(text) is not None


def is_canonical_id(text: str) -> bool:
    """Whether text is an id as a program prints it: 0 to 2**63-1, no sign, no leading zero."""
    return _CANONICAL_ID.fullmatch(text) is not None and int(text) <= MAX_LABEL_ID


@dataclass(frozen=True, slots=True)
class LabelMap:
    """Names and their ids.

    Attributes:
      kind: ``name``: names numbered from 0; ``id``: the names are the ids themselves.
      ids: name -> id, in id order.
      source: the file that fixed them; empty when they were collected.
      added: names that were not in that file.
    """

    kind: Literal["name", "id"]
    ids: dict[str, int]
    source: str = ""
    added: tuple[str, ...] = ()

    def id_of(self, name: str) -> int:
        """The id of a label.

        Raises:
          Rejected: ``unknown_label`` or ``bad_label_id``.
        """
        label_id = self.ids.get(name)
        if label_id is not None:
            return label_id
        if self.kind == "id" and not is_canonical_id(name):
            raise Rejected("bad_label_id", value=quoted(name))
        raise Rejected("unknown_label", value=quoted(name), labels_file=self.source or "the label map")

    def text(self) -> str:
        """Content of labels.txt: one name a line in id order."""
        return "\n".join([*self.ids, ""])


def build_label_map(names: Iterable[str], label_type: str) -> LabelMap:
    """The map of all labels of a source: ids stay as they are, names are numbered sorted.

    Args:
      names: distinct labels.
      label_type: ``auto`` takes them for ids when every one is a canonical id; ``id`` leaves out
        those that are none (their rows are rejected); ``name`` numbers them all.
    """
    names = sorted(names)
    if label_type == "id" or (label_type == "auto" and names and all(map(is_canonical_id, names))):
        return LabelMap("id", {str(i): i for i in sorted(int(n) for n in names if is_canonical_id(n))})
    return LabelMap("name", {name: number for number, name in enumerate(names)})


def extended(labels: LabelMap, names: Iterable[str]) -> LabelMap:
    """A map with those names that it lacks: ids stay as they are, names are numbered after it, sorted.

    No id of the map changes. Names that are no ids are left out of a map of ids, and their rows rejected.
    """
    names = sorted(name for name in names if name not in labels.ids)
    if labels.kind == "id":
        names = sorted(filter(is_canonical_id, names), key=int)
        ids = labels.ids | {name: int(name) for name in names}
        ids = dict(sorted(ids.items(), key=lambda item: item[1]))
    else:
        ids = labels.ids | {name: number for number, name in enumerate(names, len(labels.ids))}
    return LabelMap(labels.kind, ids, labels.source, tuple(names))


def read_labels_file(path: str, label_type: str) -> LabelMap:
    """A fixed vocabulary: one name a line, id = line from 0.

    With ``label_type`` ``id`` the lines are the ids themselves, as in the labels.txt of a dataset whose
    labels were ids.

    Raises:
      UsageError: the file cannot be read.
      StoreError, OutageError: a store that it is on is in the way.
      InputError: it is empty, not UTF-8, or holds a blank, doubled or unprintable name.
    """
    try:
        text = place_of(path).read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8", "save the file as UTF-8") from error
    except (OSError, ValueError) as error:  # a ValueError is a path that no file can have
        raise UsageError(f"--labels {path}: the file cannot be read", "check the path") from error
    names = [line.strip() for line in text.rstrip().split("\n")] if text.strip() else []
    if not names:
        raise InputError(f"{path}: no label in it", "write one label name a line")
    ids: dict[str, int] = {}
    for number, name in enumerate(names):
        if not name or has_control_characters(name):
            raise InputError(f"{path}: line {number + 1}: a label name must not be empty or unprintable")
        if name in ids:
            line = ids[name] + 1
            raise InputError(f"{path}: line {number + 1}: {quoted(name)} is in line {line} already")
        ids[name] = number
    if label_type == "id":
        bad = next((name for name in names if not is_canonical_id(name)), None)
        if bad is not None:
            where = f"{path}: line {ids[bad] + 1}"
            raise InputError(f"{where}: {quoted(bad)} is not an id", "use --label-type name")
        return LabelMap("id", {name: int(name) for name in sorted(names, key=int)}, path)
    return LabelMap("name", ids, path)


def label_warnings(labels: LabelMap, label_type: str) -> list[str]:
    """What a person should know about these labels before training on them.

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
    """Both names; where they look the same, by the characters that they are made of."""
    show = ascii if _composed(one) == _composed(other) else quoted
    return f"{show(one)} and {show(other)}" + (" (Unicode normalization)" if show is ascii else "")


def quoted(name: str) -> str:
    """A name between quotes, with its escapes written out; a very long one is cut."""
    return repr(name if len(name) <= _LONGEST_SHOWN else name[: _LONGEST_SHOWN - 1] + "…")


def _first(items: Iterable[str], most: int = 3) -> str:
    """The first few of any number of items, and how many more there are; empty when there is none."""
    rest = iter(items)
    shown = list(islice(rest, most))
    more = sum(1 for _ in rest)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
