"""The numbers that each row has in four columns that may be those of a box."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.boxes.fields import stand_for_none

Box = tuple[float, ...]
# The only comma of a number, which may stand for its point: that is told once columns are read.
_COMMA: Final = re.compile(r"(?<=[0-9]),(?=[0-9]+$)")


def told_boxes(columns: Sequence[Sequence[str]]) -> list[Box]:
    """The four numbers of each row that tells some, and not that there is no box; of some below 0 none."""
    texts = ([_COMMA.sub(".", field) for field in row] for row in zip(*columns, strict=False))
    rows = [[*map(NUMBER.fullmatch, row)] for row in texts if not stand_for_none(row)]
    whole = [tuple(float(match[0]) for match in row if match) for row in rows if any(row)]
    return [box if len(box) == len(columns) and min(box) >= 0 else () for box in whole]


def tell_places(boxes: Sequence[Box]) -> bool:
    """Whether boxes are no flags, and not the one frame of a sheet, which is the same in each row."""
    is_one = len(boxes) > 1 and len({*boxes}) == 1
    return not is_one and any(number not in (0, 1) for box in boxes for number in box)


def are_corners(box: Box) -> bool:
    """Whether four numbers are xmin, ymin, xmax, ymax of a box with an area."""
    left, top, right, bottom = box
    return left < right and top < bottom


def have_extent(box: Box) -> bool:
    """Whether the last two numbers are a width and a height."""
    return min(box[2:]) > 0
