"""Label files of YOLO's kind that have key points behind each box, which would be taken for outlines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
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
_MANY: Final = 10  # lines that show it of points without flags
_FEWEST_POINTS: Final = 2
_BOX_FIELDS: Final = 5
_SHAPE: Final = re.compile(rb"^kpt_shape:\s*[\[(]\s*([0-9]{1,3})\s*,\s*([23])\s*[\])]", re.MULTILINE)
_PATH: Final = re.compile(rb"^path:[ \t]*['\"]?([^'\"#\r\n]+)", re.MULTILINE)
_FLAG: Final = re.compile(r"[012](?:[.]0*)?")  # hidden, guessed, seen
_SLACK: Final = 0.01  # of the image, by which a box may leave it
_REACH: Final = 0.75  # of a side, from the centre: half is in the box
_NEARLY: Final = 0.9
_MOST: Final = 2 / 3
# Part of the extent of three corners: more than a rectangle's fourth stands out, however it is turned.
_ASIDE: Final = 0.55


def need_no_pose(tree: Tree, described: str, *, has_points: bool) -> None:
    """Refuses boxes with key points: as a description in there or above says, or by what lines hold.

    These tell by the flag of each point, and without any description also by the places of points.

    Args:
      described: path of the description in there; empty: there is none.
      has_points: whether it says so.

    Raises:
      InputError: with the command that leaves the boxes.
    """
    if has_points and any(len(fields) > _BOX_FIELDS + 1 for fields in _lines(tree)):
        raise _pose(tree, joined(tree.root, described))
    if has_points or is_remote(tree.root):
        return
    lines = [*islice(_lines(tree), _LOOKED_AT)]
    counts = {len(fields) for fields in lines}
    if len(counts) != 1 or min(counts) <= _BOX_FIELDS + 1:
        return
    above = _described_above(tree.root, lines)
    if above or (len(lines) >= _FEWEST and _are_flagged(lines)):
        raise _pose(tree, above)
    if not described and _are_pairs(lines):
        error = _pose(tree, "")
        hint = f"{error.hint}; where they are outlines, say so by a data.yaml in there with nc and names"
        raise InputError(error.message, hint)


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


def _described_above(root: str, lines: Sequence[list[str]]) -> str:
    """A description beside the folder by whose shape of points lines have so many fields; or empty.

    One of another folder, by its path, tells of this one only where that is not there, as after a renaming,
    and the points lie about their boxes.
    """
    above = os.path.dirname(os.path.abspath(root))
    beside, names = Tree(above), list[str]()
    with suppress(OSError):  # it may be entered, and not listed
        names = sorted(os.listdir(above))
    for name in names:
        head = beside.head(name, HEAD_BYTES) if name.lower().endswith(YAML) else b""
        shape = _SHAPE.search(head)
        if shape is None or _BOX_FIELDS + int(shape[1]) * int(shape[2]) != len(lines[0]):
            continue
        other = _other_folder(head, os.path.abspath(root))
        if not other or (not os.path.isdir(os.path.join(above, other)) and _lie_near(lines, int(shape[2]))):
            return os.path.join(above, name)
    return ""


def _other_folder(head: bytes, root: str) -> str:
    """The name of the folder that a description is of; empty: it may be of the one at root, or above."""
    path = _PATH.search(head)
    name = re.split(r"[/\\]", path[1].decode("utf-8", "replace").strip().rstrip("/\\"))[-1] if path else ""
    return "" if name in (".", "..", *root.split(os.sep)[-2:]) else name


def _are_flagged(lines: Sequence[list[str]]) -> bool:
    """Whether every third number behind a box is the flag of a point.

    An outline may have 0 and 1 there, too, of points at the edge of the image, but never 2.
    """
    flags = [flag for fields in lines for flag in fields[_BOX_FIELDS + 2 :: 3]]
    count = len(lines[0]) - _BOX_FIELDS
    if count % 3 or count < 3 * _FEWEST_POINTS or not all(map(_FLAG.fullmatch, flags)):
        return False
    return any(flag.startswith("2") for flag in flags) or _lie_near(lines, 3)


def _are_pairs(lines: Sequence[list[str]]) -> bool:
    """Whether two numbers behind a box are a point each, and most lines are none of outlines."""
    count = len(lines[0]) - _BOX_FIELDS
    if count % 2 or count < 2 * _FEWEST_POINTS or not _lie_near(lines, 2):
        return False
    told = [_is_no_outline(box, points) for box, points in map(_box_and_points, lines) if points[1:]]
    return len(told) >= _MANY and sum(told) >= _MOST * len(told)


def _box_and_points(fields: list[str]) -> tuple[list[float], list[tuple[float, float]]]:
    """The numbers of a box, and the pairs of numbers behind it that are given."""
    numbers = list(map(float, fields[1:]))
    box, behind = numbers[: _BOX_FIELDS - 1], numbers[_BOX_FIELDS - 1 :]
    return box, [point for point in zip(behind[::2], behind[1::2], strict=True) if any(point)]


def _is_no_outline(box: Sequence[float], points: Sequence[tuple[float, float]]) -> bool:
    """Whether the numbers of a box can hardly be the first two points of an outline that goes on with these.

    The second would stand far out of all the others, or the first in their midst, which has just that extent.
    """
    (x, y, width, height), (across, down) = box, zip(*points, strict=True)
    sides = (x, width, min(across), max(across)), (y, height, min(down), max(down))
    reach = _ASIDE * max(max(middle, last) - min(middle, first) for middle, _, first, last in sides)
    is_apart = not all(
        min(middle, first) - reach <= side <= max(middle, last) + reach for middle, side, first, last in sides
    )
    is_amid = all(
        abs(2 * middle - first - last) <= (last - first) / 2 and side / 3 <= last - first <= 1.1 * side
        for middle, side, first, last in sides
    )
    return is_apart or is_amid


def _lie_near(lines: Sequence[list[str]], size: int) -> bool:
    """Whether nearly all points that are given lie in or near their box, and this in the image.

    Args:
      size: how many numbers a point has.
    """
    near = [each for fields in lines for each in _near(fields, size)]
    return bool(near) and sum(near) >= _NEARLY * len(near)


def _near(fields: list[str], size: int) -> Iterator[bool]:
    x, y, width, height, *behind = map(float, fields[1:])
    is_box = all(
        side > 0 and abs(middle - 0.5) + side / 2 <= 0.5 + _SLACK
        for middle, side in ((x, width), (y, height))
    )
    for across, down in zip(behind[::size], behind[1::size], strict=False):
        if (across, down) != (0, 0):
            yield is_box and abs(across - x) <= _REACH * width and abs(down - y) <= _REACH * height


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
