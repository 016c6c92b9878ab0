"""One label file of YOLO's kind: a class and a box, or an outline, a line.

The reading is that of Ultralytics (`verify_image_label` in ultralytics/data/utils.py), which most people
train with: its tolerance for values a little outside the image, and its outlines, which become boxes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.listed import ListedBox

MOST_BYTES: Final = 8 << 20
_LOWEST, _HIGHEST = -0.01, 1.01
_CLASS: Final = re.compile(r"[0-9]{1,9}(?:\.0*)?")
_BOX_FIELDS: Final = 5
_POINTS_OF_4: Final = 9
_Corners = tuple[float, float, float, float]


class Labels(NamedTuple):
    """What one file says.

    Attributes:
      boxes: with corners as fractions, neither sorted nor clipped.
      outlines: how many of them were outlines.
      quadrangles: how many of those have four points, as an oriented box has.
    """

    boxes: tuple[ListedBox, ...]
    outlines: int
    quadrangles: int


class OtherKind(Exception):
    """The file shows its dataset to be of a kind that is not read; the argument says which, and where."""


def parse_labels(data: bytes, names: Mapping[int, str]) -> Labels:
    """The boxes of an image.

    When any line has more than 6 fields, all lines of the file are outlines, as Ultralytics has it.

    Args:
      data: the whole file, `MOST_BYTES` at most; an empty one says that the image shows nothing.
      names: by the number of the class.

    Raises:
      Rejected: ``bad_annotation`` or ``bad_box``, naming the line: the image cannot be used.
      OtherKind: results of a prediction, or oriented boxes of DOTA.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeError as error:
        raise Rejected("bad_annotation", detail="it is not UTF-8") from error
    lines = [(line, fields) for line, said in enumerate(text.splitlines(), 1) if (fields := said.split())]
    has_outlines = any(len(fields) > _BOX_FIELDS + 1 for _, fields in lines)
    boxes = []
    quadrangles = 0
    for line, fields in lines:
        _need_kind(line, fields, has_outlines)
        label = _label(line, fields[0], names)
        values = [_value(line, field) for field in fields[1:]]
        corners = _around(line, values) if has_outlines else _upright(line, values)
        quadrangles += len(fields) == _POINTS_OF_4
        boxes.append(ListedBox(label, corners, line))
    return Labels(tuple(boxes), len(boxes) if has_outlines else 0, quadrangles)


def _need_kind(line: int, fields: list[str], has_outlines: bool) -> None:
    """Refuses lines that are of no box."""
    count = len(fields)
    if count == _BOX_FIELDS + 1 and not has_outlines and all(map(NUMBER.fullmatch, fields)):
        raise OtherKind(f"line {line} has a sixth number, as results of a prediction have")
    is_dota = count in (9, 10) and not NUMBER.fullmatch(fields[8])
    if is_dota and all(map(NUMBER.fullmatch, fields[:8])):
        raise OtherKind(f"line {line} is an oriented box of DOTA")
    if count == 1 and "," in fields[0]:
        raise Rejected("bad_annotation", detail=f"line {line}: commas stand between its numbers, not blanks")
    if count < _BOX_FIELDS or (has_outlines and count % 2 == 0):
        detail = f"line {line}: {count} fields are neither a box (class, x, y, width, height) nor an outline"
        raise Rejected("bad_annotation", detail=detail)


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


def _upright(line: int, values: list[float]) -> _Corners:
    """Corners of a box given by its centre, width and height; all of them fractions."""
    for value in values:
        if not _LOWEST <= value <= _HIGHEST:
            what = f"in line {line} holds {value:g}, and its numbers are fractions from 0 to 1"
            raise Rejected("bad_box", what=what)
    x, y, width, height = values
    half_width, half_height = max(width, 0.0) / 2, max(height, 0.0) / 2
    return x - half_width, y - half_height, x + half_width, y + half_height


def _around(line: int, values: list[float]) -> _Corners:
    """Corners of the box around an outline."""
    xs, ys = values[::2], values[1::2]
    corners = min(xs), min(ys), max(xs), max(ys)
    for value in corners:
        if not _LOWEST <= value <= _HIGHEST:
            what = f"around the outline in line {line} reaches {value:g}, beyond the fractions 0 to 1"
            raise Rejected("bad_box", what=what)
    return corners
