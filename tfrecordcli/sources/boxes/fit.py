"""Whether boxes fit into their images, where their four numbers are taken for one form or another."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from tfrecordcli.sources.boxes.columns import BoxFormat

Numbers = tuple[float, float, float, float]
Size = tuple[float, float]  # width and height, in the unit of the boxes

# Of true extents a few reach beyond their image, and so many of any boxes say something.
SHARE_BEYOND: Final = 0.25
SOME_BEYOND: Final = 3
# Boxes with an area that tell something, and how exact an area is.
_SOME_AREAS: Final = 3
_ROUNDED: Final = 1e-6


def are_corners(boxes: Iterable[tuple[Numbers, Size]]) -> bool:
    """Whether boxes that are taken for x, y, width, height are xmin, ymin, xmax, ymax.

    As extents a quarter of them reach beyond their images; as corners all fit. The first that does not, as
    nearly any list of true extents has one soon, ends the search.

    Args:
      boxes: each with the size of its image, as stored or as Exif turns it: lists have either.
    """
    known = beyond = 0
    for (a, b, c, d), size in boxes:
        if not (a < c and b < d and fits(c, d, size)):
            return False
        known += 1
        beyond += not fits(a + c, b + d, size)
    return beyond > SHARE_BEYOND * known


def are_extents(boxes: Iterable[tuple[Numbers, Size]]) -> bool:
    """Whether boxes that are taken for corners all fit into their images as x, y, width, height.

    Args:
      boxes: as of `are_corners`.
    """
    is_any = False
    for (a, b, c, d), size in boxes:
        if not (c > 0 and d > 0 and fits(a + c, b + d, size)):
            return False
        is_any = True
    return is_any


def are_vertical_first(boxes: Iterable[tuple[Numbers, Size]]) -> bool:
    """Whether all boxes fit into their images, as these are stored, as ymin, xmin, ymax, xmax."""
    return all(
        a < c and b < d and c <= reach(size[1]) and d <= reach(size[0]) for (a, b, c, d), size in boxes
    )


def are_centers(boxes: Iterable[tuple[Numbers, Size]]) -> bool:
    """Whether all boxes fit into their images as centre, width and height.

    Args:
      boxes: as of `are_corners`.
    """
    return all(
        c > 0
        and d > 0
        and min(a - c / 2, b - d / 2) >= min(size) - reach(min(size))
        and fits(a + c / 2, b + d / 2, size)
        for (a, b, c, d), size in boxes
    )


def are_no_extents_but_centers(boxes: Iterable[tuple[Numbers, Size]]) -> bool:
    """Whether boxes that are taken for x, y, width, height reach beyond their images, and fit as centres.

    Three do at least: one or two may be drawn so. The first that is no centre ends the search.

    Args:
      boxes: as of `are_corners`.
    """
    known = beyond = 0
    for (a, b, c, d), size in boxes:
        if not are_centers([((a, b, c, d), size)]):
            return False
        known += 1
        beyond += not fits(a + c, b + d, size)
    return beyond >= SOME_BEYOND and beyond > SHARE_BEYOND * known


def forms_of_corners(boxes: Iterable[tuple[Numbers, Size]]) -> list[BoxFormat]:
    """What boxes can be that fit as corners.

    Args:
      boxes: as of `are_corners`, which they are.
    """
    return ["xyxy", "yxyx"] if are_vertical_first(boxes) else ["xyxy"]


def have_areas_of_corners(boxes: Iterable[tuple[Numbers, float]]) -> bool:
    """Whether boxes that are taken for x, y, width, height have the areas that they have as two corners.

    Some different ones have: one box tells no more where it comes again, and one at the origin tells nothing.

    Args:
      boxes: each with its area as listed; the first that has another ends the search.
    """
    telling: set[Numbers] = set()
    for (a, b, c, d), area in boxes:
        if not (a < c and b < d and math.isclose(area, (c - a) * (d - b), rel_tol=_ROUNDED)):
            return False
        if len(telling) < _SOME_AREAS and not math.isclose(area, c * d, rel_tol=_ROUNDED):
            telling.add((a, b, c, d))
    return len(telling) >= _SOME_AREAS


def overhang(center: Numbers, size: Size) -> float:
    """By which part of a side a box reaches beyond its image, stored or turned, whichever is less."""
    a, b, c, d = center
    return min(
        max((c / 2 - a) / width, (d / 2 - b) / height, (a + c / 2) / width - 1, (b + d / 2) / height - 1)
        for width, height in (size, size[::-1])
    )


def fits(right: float, bottom: float, size: Size) -> bool:
    """Whether a box ends within its image, stored or turned."""
    width, height = map(reach, size)
    return (right <= width and bottom <= height) or (right <= height and bottom <= width)


def reach(side: float) -> float:
    """How far a box may reach: a pixel or 1 % more than the image has, of fractions 1 %."""
    return side + (max(1.0, side / 100) if side > 1 else side / 100)
