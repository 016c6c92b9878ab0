"""Whether boxes fit into their images, where their four numbers are taken for one form or another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tfrecordcli.sources.boxes.columns import BoxFormat

Numbers = tuple[float, float, float, float]
Size = tuple[float, float]  # width and height, in the unit of the boxes


class FixedSize(tuple[int, int]):
    """Width and height of an image file that no EXIF turns: its boxes were drawn in no other frame."""

    __slots__ = ()


# Of true extents a few reach beyond their image, and so many of any boxes say something.
SHARE_BEYOND: Final = 0.25
SOME_BEYOND: Final = 3
# So many of extents that a turned image would hold.
_SOME_OUTSIDE: Final = 5
# Boxes with an area that tell something, and how exact an area is.
_SOME_AREAS: Final = 3
_ROUNDED: Final = 1e-6
# Of any list a few boxes are slips: one in twenty, and one of eight that are looked at. So many more than
# these end the search, as nearly any list that is something else has soon.
_SHARE_ODD: Final = 0.05
_LEAST_WITH_ONE: Final = 8
_SURELY_TOO_MANY: Final = 20


def nearly_all(answers: Iterable[bool]) -> bool:
    """Whether all boxes but a few are something, by the answer of each; a few are slips in any list."""
    known = odd = 0
    for is_so in answers:
        known += 1
        odd += not is_so
        if odd > _SURELY_TOO_MANY + _SHARE_ODD * known:
            return False
    return odd <= max(known >= _LEAST_WITH_ONE, _SHARE_ODD * known)


def are_in_order(boxes: Iterable[Sequence[float]]) -> bool:
    """Whether all boxes end where they begin or behind, and one behind in both directions, as corners do."""
    is_any = False
    for a, b, c, d in boxes:
        if a > c or b > d:
            return False
        is_any |= a < c and b < d
    return is_any


def are_corners(boxes: Iterable[tuple[Numbers, Size]]) -> bool:
    """Whether boxes that are taken for x, y, width, height are xmin, ymin, xmax, ymax.

    As extents a quarter of them reach beyond their images; as corners nearly all fit, and some have an area.
    Where a turned image could hold those extents, no EXIF turns it, and a few more than of others do.

    Args:
      boxes: each with the size of its image, as stored or as Exif turns it: lists have either.
    """
    known = beyond = outside = 0

    def fit() -> Iterator[bool]:
        nonlocal known, beyond, outside
        for (a, b, c, d), size in boxes:
            known += a < c and b < d
            beyond += a < c and b < d and not fits(a + c, b + d, size)
            outside += a < c and b < d and not _ends_within(a + c, b + d, size)
            yield a <= c and b <= d and fits(c, d, size)

    if not nearly_all(fit()):
        return False
    return beyond > SHARE_BEYOND * known or (outside >= _SOME_OUTSIDE and outside > SHARE_BEYOND * known)


def are_extents(boxes: Iterable[tuple[Numbers, Size]]) -> bool:
    """Whether boxes that are taken for corners nearly all fit into their images as x, y, width, height.

    Args:
      boxes: as of `are_corners`.
    """
    is_any = False

    def fit() -> Iterator[bool]:
        nonlocal is_any
        for (a, b, c, d), size in boxes:
            is_any |= c > 0 and d > 0
            yield c >= 0 and d >= 0 and fits(a + c, b + d, size)

    return nearly_all(fit()) and is_any


def are_swapped(boxes: Sequence[tuple[Numbers, Size]]) -> bool:
    """Whether some corners end before they begin, half at most, and each in both directions.

    They were drawn from their far corner: extents, or both x first, would do so in one direction as well.

    Args:
      boxes: as of `are_corners`, taken for corners.
    """
    turned = [(c < a, d < b) for (a, b, c, d), _ in boxes if c < a or d < b]
    return 2 * len(turned) <= len(boxes) and all(map(all, turned))


def are_vertical_first(boxes: Iterable[tuple[Numbers, Size]]) -> bool:
    """Whether nearly all boxes fit into their images, as these are stored, as ymin, xmin, ymax, xmax."""
    return nearly_all(
        a <= c and b <= d and c <= reach(size[1]) and d <= reach(size[0]) for (a, b, c, d), size in boxes
    )


def are_centers(boxes: Iterable[tuple[Numbers, Size]]) -> bool:
    """Whether all boxes fit into their images as centre, width and height.

    Args:
      boxes: as of `are_corners`.
    """
    return all(
        c >= 0
        and d >= 0
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
      boxes: each with its area as listed.
    """
    telling: set[Numbers] = set()

    def are_theirs() -> Iterator[bool]:
        for (a, b, c, d), area in boxes:
            is_theirs = a <= c and b <= d and math.isclose(area, (c - a) * (d - b), rel_tol=_ROUNDED)
            yield is_theirs
            if is_theirs and len(telling) < _SOME_AREAS and not math.isclose(area, c * d, rel_tol=_ROUNDED):
                telling.add((a, b, c, d))

    return nearly_all(are_theirs()) and len(telling) >= _SOME_AREAS


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


def _ends_within(right: float, bottom: float, size: Size) -> bool:
    """Whether a box ends within its image, which may be turned only where EXIF may do so."""
    if isinstance(size, FixedSize):
        return right <= reach(size[0]) and bottom <= reach(size[1])
    return fits(right, bottom, size)


def reach(side: float) -> float:
    """How far a box may reach: a pixel or 1 % more than the image has, of fractions 1 %."""
    return side + (max(1.0, side / 100) if side > 1 else side / 100)
