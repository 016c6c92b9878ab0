"""The boxes of an image as one field of text: in buckets and task files, from the list to its shard.

The field holds them as the list has them, in its unit, because what is needed to place a box (the size of
the image, how EXIF turns it) is known only where the image is read. No text of a list can hold the marks that
part it, as control characters are rejected.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import zip_longest
from typing import Final, Literal

from tfrecordcli.schema import ATTRIBUTES, Feature

Unit = Literal["pixels", "fractions", "percent"]

MARK: Final = "\x1e"  # begins the field, and each box in it
BETWEEN: Final = "\x1f"
# Of an image's boxes; a capital says that they are on its stored pixels, however EXIF turns these.
_UNITS: Final[Mapping[str, Unit | None]] = {
    "p": "pixels",
    "f": "fractions",
    "c": "percent",
    "P": "pixels",
    "F": "fractions",
    "C": "percent",
    "": None,
}

# Number of the area among the attributes of a box: every schema of boxes has it.
_AREA: Final = list(ATTRIBUTES).index("area")
# Values of the kind that an attribute has, by its text.
_PARSERS: Final = {name: Feature(name, kind).parse for name, kind in ATTRIBUTES.items()}


@dataclass(frozen=True, slots=True)
class BoxText:
    """One box as its list has it.

    Attributes:
      place: line or number of its row in the list.
      corners: (xmin, ymin, xmax, ymax), finite, in the unit of the list, in no order.
      attributes: by a name of `ATTRIBUTES`; only what the list says.
    """

    place: int
    corners: tuple[float, float, float, float]
    attributes: Mapping[str, bytes | int | float]


@dataclass(frozen=True, slots=True)
class ImageBoxes:
    """What a list says of one image and the boxes in it.

    Attributes:
      width, height: pixels of the image, as listed; None: the list does not say, or 0.
      unit: of the corners; None: that of the whole list.
      is_stored: whether the list says that they were drawn on the stored pixels, before EXIF turns them.
      source_id: number that the list gives the image.
      boxes: in the order of the list.
    """

    width: int | None
    height: int | None
    unit: Unit | None
    is_stored: bool
    source_id: int | None
    boxes: tuple[BoxText, ...]


@dataclass(slots=True)
class BoxCounts:
    """Boxes of a list by what became of them, each in one of the first five.

    Attributes:
      stored: in records.
      left_out: of images that are kept.
      merged: equal to another one of the same image.
      rejected, discarded: of images that were.
      clipped: stored ones that reached beyond their image.
      swapped: stored ones whose corners were listed in another order.
      most: stored in one record.
    """

    stored: int = 0
    left_out: int = 0
    merged: int = 0
    rejected: int = 0
    discarded: int = 0
    clipped: int = 0
    swapped: int = 0
    most: int = 0

    @property
    def listed(self) -> int:
        """All of them."""
        return self.stored + self.left_out + self.merged + self.rejected + self.discarded

    def add(self, other: BoxCounts) -> None:
        """Takes in others."""
        for each in fields(BoxCounts):
            both = getattr(self, each.name), getattr(other, each.name)
            setattr(self, each.name, max(both) if each.name == "most" else sum(both))


def image_text(width: str = "", height: str = "", unit: str = "", source_id: str = "") -> str:
    """The part of the field that tells of the image; those of its boxes follow.

    Args:
      unit: ``p``, ``f``, ``c`` or "", in capitals for boxes on the stored pixels.
    """
    return f"{MARK}{width}{BETWEEN}{height}{BETWEEN}{unit}{BETWEEN}{source_id}"


def letter_of(unit: str) -> str:
    """The letter of a unit as the field has it, a capital where its word begins with one."""
    return {"percent": "c", "Percent": "C"}.get(unit, unit[:1])


def box_text(place: int, corners: Iterable[str], attributes: Iterable[str] = ()) -> str:
    """The part of the field that tells of one box.

    Args:
      corners: texts of four numbers.
      attributes: texts in the order of a schema's `attributes`; empty: the list does not say.
    """
    return MARK + BETWEEN.join((str(place), *corners, *attributes))


def parts_of(field: str) -> tuple[str, list[str]]:
    """(what is told of the image, what of each box)."""
    _, image, *boxes = field.split(MARK)
    return image, boxes


def has_boxes(field: str) -> bool:
    """Whether the field of an image has a box in it, and does not only tell of the image, or nothing."""
    return MARK in field[1:]


@lru_cache(maxsize=1)  # the boxes of an image stand one behind the other
def texts_of_image(image: str) -> tuple[str, str, str, str]:
    """(width, height, unit, number) that the part of the field tells of an image; "": nothing.

    The unit begins with a capital where boxes are on the stored pixels.
    """
    width, height, unit, source_id = image.split(BETWEEN)
    word = _UNITS[unit] or ""
    return width, height, word.capitalize() if unit.isupper() else word, source_id


def texts_of_box(box: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(four corners, attributes) that the part of a box tells; no corners of one that could not be read."""
    _, *texts = box.split(BETWEEN)
    return tuple(texts[:4]), tuple(texts[4:])


def joined(image: str, boxes: Iterable[str]) -> str:
    """The field of these parts."""
    return MARK + MARK.join((image, *boxes))


def corners_of(box: str) -> tuple[float, ...]:
    """(xmin, ymin, xmax, ymax) that the part of a box tells, sorted; equal for boxes that cover the same."""
    texts, _ = texts_of_box(box)
    x, y = sorted(map(float, texts[::2])), sorted(map(float, texts[1::2]))
    return (*x[:1], *y[:1], *x[1:], *y[1:])


def merged_box(first: str, second: str) -> str | None:
    """The part of two equal boxes as one: place and corners of the first, attributes that either tells.

    Of areas the first counts: outlines of one object, which they are taken from, are never drawn alike.

    Returns:
      None: they tell other values of another attribute.
    """
    corners, told = texts_of_box(first)
    values = []
    for number, (one, other) in enumerate(zip_longest(told, texts_of_box(second)[1], fillvalue="")):
        if one and other and one != other and number != _AREA:
            return None
        values.append(one or other)
    return box_text(_place(first), corners, values).removeprefix(MARK)


def places_of(field: str) -> list[int]:
    """The places of the boxes of a field, in its order."""
    return [_place(box) for box in parts_of(field)[1]]


def _place(box: str) -> int:
    return int(box.partition(BETWEEN)[0])


def parse_boxes(field: str, attributes: tuple[str, ...]) -> ImageBoxes:
    """The boxes of a field.

    Raises:
      ValueError: it is none.
    """
    image, boxes = parts_of(field)
    width, height, unit, source_id = image.split(BETWEEN)
    return ImageBoxes(
        _size(width),
        _size(height),
        _UNITS[unit],
        unit.isupper(),
        int(source_id) if source_id else None,
        tuple(_parse_box(box, attributes) for box in boxes),
    )


def _size(text: str) -> int | None:
    """Pixels; lists have 640.0 too, and 0 where they do not know."""
    size = float(text) if text else 0.0
    return int(size) if math.isfinite(size) and size >= 1 else None


def _parse_box(text: str, attributes: tuple[str, ...]) -> BoxText:
    place, xmin, ymin, xmax, ymax, *values = text.split(BETWEEN)
    told = dict(zip(attributes, values, strict=False))
    return BoxText(
        int(place),
        (float(xmin), float(ymin), float(xmax), float(ymax)),
        {name: _PARSERS[name](value) for name, value in told.items() if value},
    )
