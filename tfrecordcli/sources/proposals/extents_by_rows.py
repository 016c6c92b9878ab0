"""Four columns of a box that begins at a row and a column of its image: `row,col,height,width`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from tfrecordcli.sources.boxes.fit import fits, nearly_all
from tfrecordcli.sources.boxes.four_columns import Box, have_extent, tell_places, told_boxes
from tfrecordcli.sources.boxes.unit import sizes_of
from tfrecordcli.sources.proposals.sides_by_words import are_neighbours, four_called

_BEGINS: Final = (
    ("row", "col"), ("row", "column"), ("r", "c"), ("minrow", "mincol"), ("rowmin", "colmin"),
    ("startrow", "startcol"), ("rowstart", "colstart"), ("toprow", "leftcol"), ("row0", "col0"),
    ("row1", "col1"),
)  # fmt: skip
_SIZES: Final = (("height", "width"), ("h", "w"))
_CALLED: Final = ("y", "x", "h", "w")


def extents_by_rows(
    columns: Mapping[str, Sequence[str]], images: Sequence[str], root: str
) -> Iterator[dict[str, str]]:
    """Columns that hold boxes so -> what they are to be called.

    Row and column are a plant's place in a field as well, beside its own height and width, or a cell of a
    plate beside the size of its image. Boxes lie within their images, where these can be read; they are
    several in an image, or stand side by side in whole pixels or fractions.

    Args:
      columns: names of those that may be such -> the field of each row.
      images: of the rows.
      root: that they are relative to.
    """
    for begin, size in product(_BEGINS, _SIZES):
        names, boxes = four_called(columns, (*begin, *size), have_extent)
        if not tell_places(boxes):
            continue
        of_images = _by_image(images, [columns[name] for name in names])
        sizes = {uri: size for (uri, _), size in sizes_of(((uri, "") for uri in of_images), root)}
        known = [(box, size) for uri, size in sizes.items() for box in of_images[uri]]
        are_several = any(_differ(some) for some in of_images.values())
        are_beside = are_neighbours(sorted(names, key=[*columns].index), columns)
        is_likely = are_beside and _are_pixels_or_fractions(boxes) and (bool(known) or _differ(boxes))
        if (are_several or is_likely) and _lie_within(known):
            yield dict(zip(names, _CALLED, strict=True))


def _differ(boxes: Sequence[Box]) -> bool:
    """Whether there are several sizes."""
    return len({box[2:] for box in boxes}) > 1


def _by_image(images: Sequence[str], fields: Sequence[Sequence[str]]) -> Mapping[str, Sequence[Box]]:
    found: defaultdict[str, list[Box]] = defaultdict(list)
    for image, *row in zip(images, *fields, strict=False):
        found[image] += filter(None, told_boxes([[field] for field in row]))
    return found


def _are_pixels_or_fractions(boxes: Sequence[Box]) -> bool:
    numbers = [number for box in boxes for number in box]
    return max(numbers) <= 1 or all(number == int(number) for number in numbers)


def _lie_within(boxes: Sequence[tuple[Box, tuple[int, int]]]) -> bool:
    """Whether nearly all end within their images, whose own sizes are not what they tell."""
    are_whole = bool(boxes) and all(
        (width, height) in (size, size[::-1]) for (_, _, height, width), size in boxes
    )
    return not are_whole and nearly_all(
        fits(left + width, top + height, size) for (top, left, height, width), size in boxes
    )
