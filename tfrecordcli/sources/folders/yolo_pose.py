"""Label files of YOLO's kind that have key points behind each box, which would be taken for outlines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, YAML
from tfrecordcli.sources.folders.tree import Tree, joined
from tfrecordcli.sources.folders.yolo_names import is_names_file
from tfrecordcli.storage.uris import is_remote

_LOOKED_AT: Final = 200  # lines
_FEWEST: Final = 3  # lines that show something where no description does
_FEWEST_POINTS: Final = 2
_BOX_FIELDS: Final = 5
_SHAPE: Final = re.compile(rb"^kpt_shape:\s*[\[(]\s*([0-9]{1,3})\s*,\s*([23])\s*[\])]", re.MULTILINE)
_FLAG: Final = re.compile(r"[012](?:[.]0*)?")  # hidden, guessed, seen


def need_no_pose(tree: Tree, described: str) -> None:
    """Refuses boxes with key points: as a description in there or above says, or by the flag of each point.

    Args:
      described: path of the description in there that says so; empty: there is none.

    Raises:
      InputError: with the command that leaves the boxes.
    """
    if described and any(len(fields) > _BOX_FIELDS + 1 for fields in _lines(tree)):
        raise _pose(tree, joined(tree.root, described))
    if described or is_remote(tree.root):
        return
    lines = [*islice(_lines(tree), _LOOKED_AT)]
    counts = {len(fields) for fields in lines}
    if len(counts) != 1 or min(counts) <= _BOX_FIELDS + 1:
        return
    above = _described_above(tree.root, counts.pop())
    if above or (len(lines) >= _FEWEST and all(map(_has_flags, lines))):
        raise _pose(tree, above)


def _pose(tree: Tree, described: str) -> InputError:
    """The refusal of such labels.

    Args:
      described: the file that says what they are, as messages call it; empty: there is none.
    """
    why = f" ({described} has kpt_shape)" if described else ""
    what = f"{tree.root}: its labels have key points behind each box{why}, which are not read"
    if is_remote(tree.root):
        return InputError(what, "export boxes without them")
    numbers = r"[[:blank:]]+[-+.0-9eE]+"
    boxes = rf"s/^([0-9]+({numbers}){{4}})({numbers})+[[:space:]]*$/\1/"
    words = ["find", as_path(tree.root), "-name", "*.txt", "-exec", "sed", "-E", "-i.pose", boxes, "{}", "+"]
    return InputError(what, f"to take the boxes alone, which keeps copies: {command_line(words)}")


def _described_above(root: str, count: int) -> str:
    """A description beside the folder by whose shape of points lines have so many fields; or empty."""
    above = os.path.dirname(os.path.abspath(root))
    beside = Tree(above)
    for name in sorted(os.listdir(above)):
        shape = _SHAPE.search(beside.head(name, HEAD_BYTES)) if name.lower().endswith(YAML) else None
        if shape is not None and _BOX_FIELDS + int(shape[1]) * int(shape[2]) == count:
            return os.path.join(above, name)
    return ""


def _has_flags(fields: list[str]) -> bool:
    """Whether every third number behind a box is the flag of a point."""
    behind = fields[_BOX_FIELDS:]
    return (
        len(behind) % 3 == 0
        and len(behind) >= 3 * _FEWEST_POINTS
        and all(map(_FLAG.fullmatch, behind[2::3]))
        and not all(map(_FLAG.fullmatch, behind))
    )


def _lines(tree: Tree) -> Iterator[list[str]]:
    """The lines of the label files that are numbers."""
    for folder, entries in tree.walk():
        for name in entries.files:
            if name.lower().endswith(".txt") and not is_names_file(name):
                head = tree.head(joined(folder, name), HEAD_BYTES)
                lines = head.decode("utf-8", "replace").splitlines()
                for line in lines[:-1] if len(head) == HEAD_BYTES else lines:
                    fields = line.split()
                    if fields and all(map(NUMBER.fullmatch, fields)):
                        yield fields
