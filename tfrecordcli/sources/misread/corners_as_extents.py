"""Boxes that fit as x, y, width, height, and are two corners by how their numbers go together."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import StatisticsError, correlation, fmean
from typing import Final

from tfrecordcli.sources.boxes.fit import Numbers
from tfrecordcli.sources.boxes.form import boxes_with_sizes, extents_in

_SOME: Final = 5
# The farther from the edge an object begins, the farther its far corner is, and the less room its size has.
# Of 12 boxes of sides from a tenth to nine tenths, drawn 2,000 times each, 85 in 100 lists of corners are
# above this; of extents that are all in order as corners, which they seldom are, 4 in 100, of close-ups none.
_TOGETHER: Final = 0.1
_DOUBT: Final = (
    "boxes are taken for x, y, width, height, as in COCO, and may be xmin, ymin, xmax, ymax: as these all "
    "are in order, and the third and fourth are the larger the larger the first and second; "
    "--box-format xyxy takes them so, --box-format xywh as they are, without this warning"
)


def told_corners_of_extents(unit: str, images: Sequence[tuple[str, str]], root: str) -> list[str]:
    """That boxes which are taken for x, y, width, height may be corners, if so.

    Args:
      unit, images, root: as of `tfrecordcli.sources.boxes.form.forms_that_fit`.
    """
    boxes = [box for _, text in images for box in extents_in(text)]
    if len(boxes) < _SOME or not all(a < c and b < d for a, b, c, d in boxes):
        return []
    # In large images everything is large: of their sides boxes are parts.
    sized = boxes_with_sizes("xywh", unit, images, root)
    parts = [(a / width, b / height, c / width, d / height) for (a, b, c, d), (width, height) in sized]
    return [_DOUBT] if len(parts) >= _SOME and _correlation(parts) > _TOGETHER else []


def _correlation(boxes: Sequence[Numbers]) -> float:
    """The mean of those of first and third numbers of boxes, and of second and fourth: -1 to 1."""
    columns = list(zip(*boxes, strict=True))
    try:
        return fmean(correlation(near, far) for near, far in zip(columns[:2], columns[2:], strict=True))
    except StatisticsError:  # all are alike, or too near
        return 0.0
