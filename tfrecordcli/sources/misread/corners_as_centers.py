"""Boxes in label files of YOLO that fit as centres there, and are corners by where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.fit import Numbers
from tfrecordcli.sources.boxes.form import boxes_with_sizes

# Of so many boxes it is certain, of so many it is worth a word.
_MANY: Final = 30
_SOME: Final = 5
# How far from the middle of their images objects are on average, as a part of a side.
_NEAR: Final = 0.05
# Far ends of corners differ as near ends do, and sizes differ less; of centres sizes differ as much at least.
# In 4,000 draws of 30 boxes each, none of logos, faces of all sizes in the upper left or close-ups is below
# the first; of the second, those faces alone.
_CERTAIN: Final = 0.4
_DOUBTED: Final = 0.85
_WAY: Final = "--box-format xyxy takes them so, --box-format center_xywh as they are"
_DOUBT: Final = (
    "boxes are taken for centre x, centre y, width, height, as in YOLO, and may be xmin, ymin, xmax, ymax: "
    f"as these all are in order {{where}}; {_WAY}, without this warning"
)


def told_corners(unit: str, images: Sequence[tuple[str, str]], root: str) -> list[str]:
    """That boxes which are taken for centres may be corners, if so.

    The order alone says nothing: centres of objects that fill their images are all less than the sizes.

    Args:
      unit, images, root: as of `tfrecordcli.sources.boxes.form.need_form`.

    Raises:
      InputError: they are corners for certain; with the option that takes them so.
    """
    sized = boxes_with_sizes("center_xywh", unit, images, root)
    boxes = [box for box, size in sized if size == (1.0, 1.0)]
    if len(boxes) != len(sized) or len(boxes) < _SOME or not all(a < c and b < d for a, b, c, d in boxes):
        return []
    spread = spread_of_sizes(boxes)
    if len(boxes) >= _MANY and spread <= _CERTAIN:
        raise InputError(
            "as centre x, centre y, width, height boxes are the wider the farther right they lie, and the "
            "taller the farther down; as xmin, ymin, xmax, ymax all are in order",
            _WAY,
        )
    if are_corners_in_the_middle(boxes):
        return [_DOUBT.format(where="and lie in the middle of their images")]
    return [_DOUBT.format(where="and of like sizes")] if spread <= _DOUBTED else []


def spread_of_sizes(boxes: Sequence[Numbers]) -> float:
    """How much the sizes differ that boxes have as corners, as a part of how much their near corners do.

    Of both directions the one in which it is more; infinite where all begin at one place.
    """
    columns = list(zip(*boxes, strict=True))
    spreads = []
    for near, far in zip(columns[:2], columns[2:], strict=True):
        places = pstdev(near)
        sizes = pstdev(end - begin for begin, end in zip(near, far, strict=True))
        spreads.append(sizes / places if places else float("inf"))
    return max(spreads)


def are_corners_in_the_middle(boxes: Sequence[Numbers]) -> bool:
    """Whether boxes, in order as corners, lie in the middle on average as these only."""
    columns = list(zip(*boxes, strict=True))
    sides = [(fmean(columns[first]), fmean(columns[first + 2])) for first in (0, 1)]
    return all(0.5 - low > _NEAR and abs((low + high) / 2 - 0.5) <= _NEAR for low, high in sides)
