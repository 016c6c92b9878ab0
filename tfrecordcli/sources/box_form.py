"""Whether the four numbers of boxes are what their list says: two corners, or a corner with width and height.

Nothing in a number tells; the sizes of the images do. `[30, 20, 70, 36]` lies within 80 x 40 pixels as two
corners, and reaches beyond them as corner and extent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from tfrecordcli.boxes import MARK, parts_of, texts_of_box
from tfrecordcli.errors import InputError
from tfrecordcli.sources.box_columns import BoxFormat
from tfrecordcli.sources.box_unit import LOOKED_AT, listed_size, size_of_image

Numbers = tuple[float, float, float, float]
Size = tuple[float, float]  # width and height, in the unit of the boxes

# Of true extents a few reach beyond their image, of true corners a few are listed in another order; only of
# many boxes a few of those are enough.
_SHARE_BEYOND: Final = 0.25
_SHARE_TURNED: Final = 0.1
_SOME_TURNED: Final = 2
_MANY: Final = 20
_SHARE_OF_FEW: Final = 0.5
# Boxes with an area that tell something, and how exact an area is.
_SOME_AREAS: Final = 3
_ROUNDED: Final = 1e-6
# What the numbers of parts of a thousand reach, and how many of their boxes say something.
_THOUSAND: Final = 1000
_MANY_THOUSANDTHS: Final = 900
_SOME_BEYOND: Final = 3
_EXTENTS, _CORNERS = "x, y, width, height", "xmin, ymin, xmax, ymax"
_WAY_OUT: Final = "--box-format xyxy takes them so, --box-format xywh as they are"


def are_corners(boxes: Iterable[tuple[Numbers, Size]]) -> bool:
    """Whether boxes that are taken for x, y, width, height are xmin, ymin, xmax, ymax.

    As extents a quarter of them reach beyond their images; as corners all fit. The first that does not, as
    nearly any list of true extents has one soon, ends the search.

    Args:
      boxes: each with the size of its image, as stored or as Exif turns it: lists have either.
    """
    known = beyond = 0
    for (a, b, c, d), size in boxes:
        if not (a < c and b < d and _fits(c, d, size)):
            return False
        known += 1
        beyond += not _fits(a + c, b + d, size)
    return beyond > _SHARE_BEYOND * known


def are_extents(boxes: Iterable[tuple[Numbers, Size]]) -> bool:
    """Whether boxes that are taken for corners all fit into their images as x, y, width, height.

    Args:
      boxes: as of `are_corners`.
    """
    is_any = False
    for (a, b, c, d), size in boxes:
        if not (c > 0 and d > 0 and _fits(a + c, b + d, size)):
            return False
        is_any = True
    return is_any


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


def need_form(form: BoxFormat, unit: str, images: Sequence[tuple[str, str]], root: str) -> None:
    """Refuses boxes that fit into their images only as what the list does not call them.

    Args:
      form: for which they are taken; corners in any order are told by their numbers alone.
      unit: --box-unit.
      images: (path or URL, what `tfrecordcli.boxes` has of it and its boxes) of the first rows.
      root: absolute folder or URL that relative paths are relative to.

    Raises:
      InputError: with the options that settle it.
    """
    if form not in ("xywh", "xyxy"):
        return
    by_image, texts = _grouped(images, form)
    numbers = [each for some in by_image.values() for each in some]
    if not (_may_be_corners if form == "xywh" else _may_be_extents)(numbers):
        return
    side = _side(unit, numbers)
    sizes = ((uri, (side, side)) for uri in by_image) if side else _sizes(texts, root)
    is_other = are_corners if form == "xywh" else are_extents
    if is_other((box, size) for uri, size in sizes for box in by_image[uri]):
        raise other_form(form)


def are_thousandths(images: Sequence[tuple[str, str]], root: str) -> bool:
    """Whether boxes are whole numbers up to 1000 of which most end beyond their images, as models tell them.

    Args:
      images, root: as of `need_form`.
    """
    by_image, texts = _grouped(images, "xyxy")
    numbers = [number for some in by_image.values() for each in some for number in each]
    if any(number % 1 for number in numbers) or not _MANY_THOUSANDTHS <= max(numbers, default=0) <= _THOUSAND:
        return False
    sizes = _sizes(texts, root)
    beyond = [not _fits(max(a, c), max(b, d), size) for uri, size in sizes for a, b, c, d in by_image[uri]]
    return len(beyond) >= _SOME_BEYOND and 2 * sum(beyond) > len(beyond)


def _grouped(
    images: Sequence[tuple[str, str]], form: BoxFormat
) -> tuple[dict[str, list[Numbers]], dict[str, str]]:
    """The boxes of each image in one form, and the first text of each."""
    by_image: dict[str, list[Numbers]] = {}
    texts: dict[str, str] = {}
    for uri, text in images:
        by_image.setdefault(uri, []).extend(_numbers(text, form))
        texts.setdefault(uri, text)
    return by_image, texts


def other_form(form: BoxFormat) -> InputError:
    """What is said of boxes in the other form than this one."""
    if form == "xywh":
        return InputError(
            f"many boxes reach beyond their image as {_EXTENTS}; all fit as {_CORNERS}", _WAY_OUT
        )
    what = f"many boxes end before they begin as {_CORNERS}; all fit as {_EXTENTS}"
    return InputError(what, "--box-format xywh takes them so, --box-format xyxy as they are")


def other_areas() -> InputError:
    """What is said of boxes whose areas are those of corners."""
    return InputError(f"areas of boxes are theirs as {_CORNERS}, and not as {_EXTENTS}", _WAY_OUT)


def _may_be_corners(numbers: Sequence[Numbers]) -> bool:
    return bool(numbers) and all(a < c and b < d for a, b, c, d in numbers)


def _may_be_extents(numbers: Sequence[Numbers]) -> bool:
    turned = sum(c < a or d < b for a, b, c, d in numbers)
    share = _SHARE_TURNED if len(numbers) >= _MANY else _SHARE_OF_FEW
    return turned >= _SOME_TURNED and turned > share * len(numbers)


def _numbers(text: str, form: BoxFormat) -> Iterator[Numbers]:
    """The boxes of a field, which has them as corners, as their list has them."""
    for box in parts_of(text)[1] if MARK in text[1:] else ():
        corners, _ = texts_of_box(box)
        if len(corners) == 4:
            a, b, c, d = map(float, corners)
            yield (a, b, c - a, d - b) if form == "xywh" else (a, b, c, d)


def _side(unit: str, numbers: Sequence[Numbers]) -> float:
    """Of every image, where boxes are parts of it; 0: pixels."""
    if unit in ("fractions", "percent"):
        return 1.0 if unit == "fractions" else 100.0
    are_fractions = unit == "auto" and max(map(max, numbers)) <= _reach(1.0)
    return 1.0 if are_fractions and any(value % 1 for each in numbers for value in each) else 0.0


def _sizes(texts: dict[str, str], root: str) -> Iterator[tuple[str, Size]]:
    """(path or URL, size in pixels) of images of which it is listed, or that can be read."""
    unlisted = []
    for uri, text in texts.items():
        size = listed_size(text)
        if size is None:
            unlisted.append((uri, text))
        elif min(size) > 1:
            yield uri, size
    for uri, text in islice(unlisted, LOOKED_AT):
        size = size_of_image((uri, text), root)
        if size is not None:
            yield uri, size


def _fits(right: float, bottom: float, size: Size) -> bool:
    """Whether a box ends within its image, stored or turned."""
    width, height = map(_reach, size)
    return (right <= width and bottom <= height) or (right <= height and bottom <= width)


def _reach(side: float) -> float:
    """How far a box may reach: a pixel or 1 % more than the image has, of fractions 1 %."""
    return side + (max(1.0, side / 100) if side > 1 else side / 100)
