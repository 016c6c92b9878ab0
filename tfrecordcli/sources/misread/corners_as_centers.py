"""Boxes in label files of YOLO that fit as centres there, and are corners by where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final

from tfrecordcli.sources.boxes.fit import Numbers
from tfrecordcli.sources.boxes.form import boxes_with_sizes

_SOME: Final = 30
# How far from the middle of their images objects are on average, as a part of a side.
_NEAR: Final = 0.05
_DOUBT: Final = (
    "boxes are taken for centre x, centre y, width, height, as in YOLO, and may be xmin, ymin, xmax, ymax: "
    "as these all are in order and lie in the middle of their images; --box-format xyxy takes them so, "
    "--box-format center_xywh as they are, without this warning"
)


def told_corners(unit: str, images: Sequence[tuple[str, str]], root: str) -> list[str]:
    """That boxes which are taken for centres may be corners, if so.

    Args:
      unit, images, root: as of `tfrecordcli.sources.boxes.form.need_form`.
    """
    sized = boxes_with_sizes("center_xywh", unit, images, root)
    boxes = [box for box, size in sized if size == (1.0, 1.0)]
    return [_DOUBT] if boxes and len(boxes) == len(sized) and are_corners_in_the_middle(boxes) else []


def are_corners_in_the_middle(boxes: Sequence[Numbers]) -> bool:
    """Whether all boxes, and many, are in order as corners, and only as these lie in the middle on average.

    The order alone says nothing: centres of objects that fill their images are all less than the sizes.
    """
    if len(boxes) < _SOME or not all(a < c and b < d for a, b, c, d in boxes):
        return False
    columns = list(zip(*boxes, strict=True))
    sides = [(fmean(columns[first]), fmean(columns[first + 2])) for first in (0, 1)]
    return all(0.5 - low > _NEAR and abs((low + high) / 2 - 0.5) <= _NEAR for low, high in sides)
