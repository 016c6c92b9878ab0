"""The boxes of a block of rows, column by column: as `tfrecordcli.sources.box_fields` reads each."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from operator import add
from typing import Final

from tfrecordcli.boxes import BETWEEN, MARK, image_text
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.box_columns import BoxColumns
from tfrecordcli.sources.box_fields import size_text

_Numbers = Sequence[Sequence[float]]

# A line each, without zeros before them, of so few digits that a float holds each number.
_WHOLE_NUMBERS: Final = re.compile(r"(?:0|[1-9][0-9]{0,8})(?:\n(?:0|[1-9][0-9]{0,8}))*+")
_FOUR: Final = r"[\s,;]+".join([f"({NUMBER.pattern})"] * 4)
_FOUR_NUMBERS: Final = re.compile(rf"[\[(]?\s*{_FOUR}\s*[\])]?", re.ASCII)
# Of texts of these alone, float() takes just those that `NUMBER` does.
_OF_NUMBERS: Final = frozenset("0123456789.+-eE")


def corner_columns(boxes: BoxColumns, fields: Sequence[Sequence[str]]) -> Sequence[Sequence[str]] | None:
    """The texts of the four numbers of all rows below a header; None: some field is not four numbers.

    Args:
      fields: of the rows, column by column.
    """
    columns = [fields[column] for column in boxes.corners]
    if len(columns) == 4:
        return columns
    groups = [match.groups() for match in map(_FOUR_NUMBERS.fullmatch, columns[0]) if match]
    return list(zip(*groups, strict=True)) if len(groups) == len(columns[0]) else None


def plain_boxes(
    lines: Sequence[int],
    boxes: BoxColumns,
    corners: Sequence[Sequence[str]],
    sizes: Sequence[Sequence[str]] = (),
) -> list[str] | None:
    """Fields of boxes as `box_parser` makes them of rows without attributes; None: one takes a closer look.

    Args:
      lines: of the rows.
      boxes: what the numbers are; its extremes take them in.
      corners: texts of four numbers in the order of its form, column by column.
      sizes: texts of width and height of the images, or none.
    """
    told = list(zip(*sizes, strict=True)) or [()] * len(lines)
    images = {size: image_text(*(size_text(text.strip()) for text in size)) for size in set(told)}
    if boxes.form == "xyxy" and all(map(_are_whole, corners)):
        met = list(map(int, set().union(*corners)))
        boxes.extremes.take_whole(len(lines), min(met), max(met))
        return [
            f"{images[size]}{MARK}{line}{BETWEEN}{x0}.0{BETWEEN}{y0}.0{BETWEEN}{x1}.0{BETWEEN}{y1}.0"
            for line, size, x0, y0, x1, y1 in zip(lines, told, *corners, strict=True)
        ]
    numbers = _floats(corners)
    placed = numbers and _in_form(numbers, boxes.form)
    if not placed:
        return None
    boxes.extremes.take_all(placed)
    return [
        f"{images[size]}{MARK}{line}{BETWEEN}{x0!r}{BETWEEN}{y0!r}{BETWEEN}{x1!r}{BETWEEN}{y1!r}"
        for line, size, x0, y0, x1, y1 in zip(lines, told, *placed, strict=True)
    ]


def _are_whole(texts: Sequence[str]) -> bool:
    """Whether each, with `.0` behind it, is what Python calls the float of this text."""
    text = "\n".join(texts)
    return text.count("\n") < len(texts) and _WHOLE_NUMBERS.fullmatch(text) is not None


def _floats(columns: Sequence[Sequence[str]]) -> _Numbers | None:
    """The numbers; None: some text is none."""
    if not all(_OF_NUMBERS.issuperset("".join(texts)) for texts in columns):
        return None
    try:
        numbers = [list(map(float, texts)) for texts in columns]
    except ValueError:
        return None
    return numbers if all(all(map(math.isfinite, some)) for some in numbers) else None


def _in_form(numbers: _Numbers, form: str) -> _Numbers | None:
    """As `corners_in_form`, all at once; None: a width or height is negative."""
    a, b, c, d = numbers
    if form == "yxyx":
        return b, a, d, c
    if form == "xyxy":
        return numbers
    if min(*c, *d) < 0:
        return None
    if form == "xywh":
        return a, b, list(map(add, a, c)), list(map(add, b, d))
    sides = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for x, y, w, h in zip(*numbers, strict=True)]
    return list(zip(*sides, strict=True))
