"""One label file of YOLO's kind: a class and a box, or an outline, a line.

The reading is that of Ultralytics (`verify_image_label` in ultralytics/data/utils.py), which most people
train with: its tolerance for values a little outside the image, and its outlines, which become boxes. Only
where it takes the four numbers of a box among outlines for two points, they stay centre, width and height.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.reasons import Rejected
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.fields import corners_in_form
from tfrecordcli.sources.listed import ListedBox

MOST_BYTES: Final = 8 << 20
_LOWEST, _HIGHEST = -0.01, 1.01
_CLASS: Final = re.compile(r"[0-9]{1,9}(?:\.0*)?")
_TRACK: Final = re.compile("[0-9]{1,9}")  # no share, as a confidence is
_BOX_FIELDS: Final = 5
_POINTS_OF_4: Final = 9
_Corners = tuple[float, float, float, float]


class Labels(NamedTuple):
    """What one file says.

    Attributes:
      boxes: with corners as fractions, neither sorted nor clipped.
      outlines: how many of them were outlines.
      quadrangles: how many of those have four points, as an oriented box has.
      among_outlines: how many were boxes in a file that has outlines too.
      problem: why the first that cannot be read cannot, naming its line: the image cannot be used.
    """

    boxes: tuple[ListedBox, ...]
    outlines: int
    quadrangles: int
    among_outlines: int
    problem: Rejected | None = None


class OtherKind(Exception):
    """The file shows its dataset to be of a kind that is not read; the argument says which, and where.

    Attributes:
      has_tracks: whether the line may have the number of a track behind its box.
    """

    def __init__(self, what: str, *, has_tracks: bool = False) -> None:
        super().__init__(what)
        self.has_tracks = has_tracks


def parse_labels(data: bytes, names: Mapping[int, str], form: BoxFormat = "center_xywh") -> Labels:
    """The boxes of an image.

    Lines of more than 6 fields are outlines. Two points are none: four numbers are a box also beside these.

    Args:
      data: the whole file, `MOST_BYTES` at most; an empty one says that the image shows nothing.
      names: by the number of the class.
      form: of the four numbers of a box.

    Raises:
      OtherKind: results of a prediction, or oriented boxes of DOTA.
    """
    problem = None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeError:
        text = data.decode("utf-8-sig", "replace")
        problem = Rejected("bad_annotation", detail="it is not UTF-8")
    lines = [(line, fields) for line, said in enumerate(text.splitlines(), 1) if (fields := said.split())]
    has_outlines = any(len(fields) > _BOX_FIELDS + 1 for _, fields in lines)
    boxes = []
    counts = Counter(len(fields) for _, fields in lines)
    for line, fields in lines:
        box, why = _box(line, fields, names, form, has_outlines)
        boxes.append(box)
        problem = problem or why
    among = counts[_BOX_FIELDS] if has_outlines else 0
    outlines = len(boxes) - among if has_outlines else 0
    return Labels(tuple(boxes), outlines, counts[_POINTS_OF_4], among, problem)


def _box(
    line: int, fields: list[str], names: Mapping[int, str], form: BoxFormat, has_outlines: bool
) -> tuple[ListedBox, Rejected | None]:
    """(box of a line, why it cannot be used).

    Raises:
      OtherKind: the line is of no box.
    """
    label, problem = "", None
    try:
        _need_kind(line, fields, has_outlines)
        label = _label(line, fields[0], names)
    except Rejected as found:
        problem = found
    try:
        values = [_value(line, field) for field in fields[1:]]
        if len(values) < _BOX_FIELDS - 1:
            raise problem or Rejected("bad_box", what=f"in line {line} lacks numbers")
        corners = _around(line, values) if len(fields) > _BOX_FIELDS else _upright(line, values, form)
        if has_outlines and len(fields) == _BOX_FIELDS:
            _need_inside(line, values, corners)
    except Rejected as found:
        box = ListedBox(label, (math.nan,) * 4, line, written=(" ".join(fields[bool(label) :]),))
        return box, problem or found
    return ListedBox(label, corners, line), problem


def _need_kind(line: int, fields: list[str], has_outlines: bool) -> None:
    """Refuses lines that are of no box."""
    count = len(fields)
    if count == _BOX_FIELDS + 1 and not has_outlines and all(map(NUMBER.fullmatch, fields)):
        if _TRACK.fullmatch(fields[-1]):
            what = f"line {line} has a sixth number, {fields[-1]}, as of a track or a prediction"
            raise OtherKind(what, has_tracks=True)
        raise OtherKind(f"line {line} has a sixth number, as results of a prediction have")
    is_dota = count in (9, 10) and not NUMBER.fullmatch(fields[8])
    if is_dota and all(map(NUMBER.fullmatch, fields[:8])):
        raise OtherKind(f"line {line} is an oriented box of DOTA")
    if count == 1 and "," in fields[0]:
        raise Rejected("bad_annotation", detail=f"line {line}: commas stand between its numbers, not blanks")
    if count < _BOX_FIELDS or (has_outlines and count % 2 == 0):
        detail = f"line {line}: {count} fields are neither a box (class, x, y, width, height) nor an outline"
        raise Rejected("bad_annotation", detail=detail)


def without_tracks(folder: str) -> str:
    """The command that takes whole numbers behind boxes out of label files, and keeps copies of these."""
    boxes = r"s/^([0-9]+([[:blank:]]+[-+.0-9eE]+){4})[[:blank:]]+[0-9]+[[:space:]]*$/\1/"
    words = ["find", as_path(folder), "-name", "*.txt", "-exec", "sed", "-E", "-i.tracks", boxes, "{}", "+"]
    return command_line(words)


def may_be_percents(data: bytes) -> bool:
    """Whether all lines of a file are boxes in 100 by 100, by centre and size, and no fractions."""
    lines = [fields for line in data.decode("utf-8-sig", "replace").splitlines() if (fields := line.split())]
    if not all(len(fields) == _BOX_FIELDS and all(map(NUMBER.fullmatch, fields)) for fields in lines):
        return False
    boxes = [[*map(float, fields[1:])] for fields in lines]
    corners = [n for x, y, w, h in boxes for n in (x - w / 2, y - h / 2, x + w / 2, y + h / 2, w, h)]
    is_inside = all(100 * _LOWEST <= number <= 100 * _HIGHEST for number in corners)
    return is_inside and any(max(box) > _HIGHEST for box in boxes)


def as_fractions(folder: str) -> str:
    """The command that divides the numbers of boxes in label files by 100, and keeps copies of these."""
    divided = (
        r'{sub("\\r$", "")} NF == 5 && $1 $2 $3 $4 $5 ~ /^[-+.0-9eE]+$/ '
        r'{printf "%s %.9g %.9g %.9g %.9g\n", $1, $2 / 100, $3 / 100, $4 / 100, $5 / 100; next} {print}'
    )
    each = (
        'for f; do [ -e "$f.percent" ] || { cp "$f" "$f.percent" && '
        f'awk \'{divided}\' "$f.percent" > "$f"; }}; done'
    )
    return command_line(
        ["find", as_path(folder), "-name", "*.txt", "-exec", "sh", "-c", each, "sh", "{}", "+"]
    )


def _label(line: int, field: str, names: Mapping[int, str]) -> str:
    if not _CLASS.fullmatch(field):
        raise Rejected("bad_annotation", detail=f"line {line}: {field[:40]!r} is no number of a class")
    number = int(float(field))
    if number not in names:
        detail = f"line {line}: class {number} has no name (there are those of {min(names)} to {max(names)})"
        raise Rejected("bad_annotation", detail=detail)
    return names[number]


def _value(line: int, field: str) -> float:
    value = float(field) if NUMBER.fullmatch(field) else math.nan
    if not math.isfinite(value):
        raise Rejected("bad_box", what=f"in line {line} has {field[:40]!r} for a number")
    return value


def _upright(line: int, values: list[float], form: BoxFormat) -> _Corners:
    """Corners of a box whose numbers are all fractions."""
    for value in values:
        if not _LOWEST <= value <= _HIGHEST:
            what = f"in line {line} holds {value:g}, and its numbers are fractions from 0 to 1"
            raise Rejected("bad_box", what=what)
    x, y, width, height = values
    if form != "center_xywh":
        return corners_in_form((x, y, width, height), form)
    half_width, half_height = max(width, 0.0) / 2, max(height, 0.0) / 2
    return x - half_width, y - half_height, x + half_width, y + half_height


def _need_inside(line: int, values: list[float], corners: _Corners) -> None:
    """Refuses four numbers beside outlines that are no box in the image, and two corners of one."""
    x, y, right, bottom = values
    if x < right and y < bottom and not all(_LOWEST <= value <= _HIGHEST for value in corners):
        what = (
            f"in line {line}, beside outlines, reaches beyond the image by centre, width and height: its "
            "four numbers may be two corners"
        )
        raise Rejected("bad_box", what=what)


def _around(line: int, values: list[float]) -> _Corners:
    """Corners of the box around an outline."""
    xs, ys = values[::2], values[1::2]
    corners = min(xs), min(ys), max(xs), max(ys)
    for value in corners:
        if not _LOWEST <= value <= _HIGHEST:
            what = f"around the outline in line {line} reaches {value:g}, beyond the fractions 0 to 1"
            raise Rejected("bad_box", what=what)
    return corners
