"""The label map: which id each label name has, the same in every file of a dataset."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import MAX_LABEL_ID

_CANONICAL_ID = re.compile(r"0|[1-9][0-9]{0,18}")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_AUTOML_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")


def has_control_characters(text: str) -> bool:
    """Whether text holds C0, C1 or line-separator characters, which names and paths must not."""
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
    """

    kind: Literal["name", "id"]
    ids: dict[str, int]
    source: str = ""

    def id_of(self, name: str) -> int:
        """The id of a label.

        Raises:
          Rejected: ``unknown_label`` or ``bad_label_id``.
        """
        label_id = self.ids.get(name)
        if label_id is not None:
            return label_id
        if self.kind == "id" and not is_canonical_id(name):
            raise Rejected("bad_label_id", value=repr(name))
        raise Rejected("unknown_label", value=repr(name), labels_file=self.source or "the label map")

    def text(self) -> str:
        """Content of labels.txt: one name a line in id order."""
        return "".join(f"{name}\n" for name in self.ids)


def build_label_map(names: Iterable[str], label_type: str) -> LabelMap:
    """The map of all labels of a source: ids stay as they are, names are numbered sorted.

    Args:
      names: distinct labels.
      label_type: ``auto`` takes them for ids when every one is a canonical id; ``id`` leaves out
        those that are none (their rows are rejected); ``name`` numbers them all.
    """
    names = list(names)
    if label_type == "id" or (label_type == "auto" and names and all(map(is_canonical_id, names))):
        return LabelMap("id", {str(i): i for i in sorted(int(n) for n in names if is_canonical_id(n))})
    return LabelMap("name", {name: number for number, name in enumerate(sorted(names))})


def read_labels_file(path: str, label_type: str) -> LabelMap:
    """A fixed vocabulary: one name a line, id = line from 0.

    With ``label_type`` ``id`` the lines are the ids themselves, as in the labels.txt of a dataset whose
    labels were ids.

    Raises:
      UsageError: the file cannot be read.
      InputError: it is empty, not UTF-8, or holds a blank, doubled or unprintable name.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8", "save the file as UTF-8") from error
    except (OSError, ValueError) as error:  # a ValueError is a path that no file can have
        raise UsageError(f"--labels {path}: the file cannot be read", "check the path") from error
    names = [line.strip() for line in text.rstrip().split("\n")] if text.strip() else []
    if not names:
        raise InputError(f"{path}: no label in it", "write one label name a line")
    seen: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        if not name or has_control_characters(name):
            raise InputError(f"{path}: line {number}: a label name must not be empty or unprintable")
        if name in seen:
            raise InputError(f"{path}: line {number}: {name!r} is in line {seen[name]} already")
        seen[name] = number
    if label_type == "id":
        bad = next((name for name in names if not is_canonical_id(name)), None)
        if bad is not None:
            raise InputError(f"{path}: line {seen[bad]}: {bad!r} is not an id", "use --label-type name")
        return LabelMap("id", {name: int(name) for name in sorted(names, key=int)}, path)
    return LabelMap("name", {name: number for number, name in enumerate(names)}, path)


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
    folded: dict[str, str] = {}
    alike = []
    for name in labels.ids:
        other = folded.setdefault(" ".join(name.casefold().split()), name)
        if other != name:
            alike.append(f"{other!r} and {name!r}")
    if alike:
        warnings.append(f"labels that look alike are kept apart: {_first(alike)}")
    if labels.kind == "name" and not mixed:
        odd = [repr(name) for name in labels.ids if not _AUTOML_NAME.fullmatch(name)]
        if odd:
            warnings.append(f"AutoML would refuse these label names, tfrec keeps them: {_first(odd)}")
    elif labels.kind == "id" and labels.ids and max(labels.ids.values()) != len(labels.ids) - 1:
        top = max(labels.ids.values())
        warnings.append(
            f"label ids have gaps: {len(labels.ids):,} ids, the highest is {top}; "
            "a classifier needs highest + 1 outputs (--label-type name numbers them from 0)"
        )
    return warnings


def _mixed_with_numbers(labels: LabelMap) -> str:
    """Of numbers that became names because of a few labels that are no ids."""
    others = [name for name in labels.ids if not is_canonical_id(name)]
    if not others or 2 * len(others) > len(labels.ids):
        return ""
    return (
        f"labels are numbers but for {_first(list(map(repr, others)))}, so all are taken for names and "
        "numbered anew; --label-type id keeps the numbers and rejects the other rows"
    )


def _first(items: list[str], most: int = 3) -> str:
    more = f" and {len(items) - most:,} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more
