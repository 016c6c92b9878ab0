"""Boxes that nearly fit as x, y, width, height, and are two corners by how their numbers go together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from statistics import StatisticsError, correlation, fmean
from typing import Final

from tfrecordcli.sources.boxes.fit import SOME_BEYOND, Numbers, Size, fits, forms_of_corners, nearly_all
from tfrecordcli.sources.boxes.form import boxes_with_sizes, extents_in, other_form
from tfrecordcli.sources.boxes.unit import LOOKED_AT, listed_size

_SOME: Final = 5
_MOST_IMAGES: Final = 32
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

    Raises:
      InputError: some reach beyond their images, and as corners they fit.
    """
    boxes = [box for _, text in images for box in extents_in(text)]
    if len(boxes) < _SOME or not all(a < c and b < d for a, b, c, d in boxes):
        return []
    # In large images everything is large: of their sides boxes are parts.
    sized = boxes_with_sizes("xywh", unit, images, root)
    parts = [(a / width, b / height, c / width, d / height) for (a, b, c, d), (width, height) in sized]
    if len(parts) < _SOME or _correlation(parts) <= _TOGETHER:
        return []
    sized += _in_later_images(unit, images, root)
    if _settled(sized):
        raise other_form("xywh", forms_of_corners(sized))
    return [_DOUBT]


def _in_later_images(
    unit: str, images: Sequence[tuple[str, str]], root: str
) -> Iterator[tuple[Numbers, Size]]:
    """Boxes with the sizes of further images than the few that every list is asked for."""
    unlisted = dict.fromkeys(uri for uri, text in images if listed_size(text) is None)
    later = islice(unlisted, LOOKED_AT, _MOST_IMAGES)
    while some := {*islice(later, LOOKED_AT)}:
        yield from boxes_with_sizes("xywh", unit, [each for each in images if each[0] in some], root)


def _settled(boxes: Sequence[tuple[Numbers, Size]]) -> bool:
    """Whether boxes that are in order as corners, and go together so, fit as these, and not as extents."""
    as_extents = [fits(a + c, b + d, size) for (a, b, c, d), size in boxes]
    if nearly_all(as_extents) or as_extents.count(False) < SOME_BEYOND:
        return False
    return nearly_all(fits(c, d, size) for (_, _, c, d), size in boxes)


def _correlation(boxes: Sequence[Numbers]) -> float:
    """The mean of those of first and third numbers of boxes, and of second and fourth: -1 to 1."""
    columns = list(zip(*boxes, strict=True))
    try:
        return fmean(correlation(near, far) for near, far in zip(columns[:2], columns[2:], strict=True))
    except StatisticsError:  # all are alike, or too near
        return 0.0
