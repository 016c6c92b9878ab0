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
from tfrecordcli.storage.store_path import place_of, why_not_read

_CANONICAL_ID = re.compile(r"0|[1-9][0-9]{0,18}")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
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
        place = place_of(path)
        # What a pipe gives can be read once only, and some devices have no end.
        if isinstance(place, Path) and place.exists() and not place.is_file():
            raise UsageError(f"--labels {path}: not a regular file", "save the labels in a file first")
        text = place.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8", "save the file as UTF-8") from error
    except (OSError, ValueError) as error:  # a ValueError is a path that no file can have
        what, cure = why_not_read(path, error)
        raise UsageError(f"--labels {path}: {what}", cure) from error
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


def quoted(name: str) -> str:
    """A name between quotes, with its escapes written out; a very long one is cut."""
    return repr(name if len(name) <= _LONGEST_SHOWN else name[: _LONGEST_SHOWN - 1] + "…")
