"""Boxes as a list has them become boxes on the stored image: sorted, clipped, turned as the image was.

A box is four fractions of the image's width and height, from its top left corner: 0 and 1 are its edges, so
pixels are divided by the size, plainly (Object Detection API, dataset_tools/create_coco_tf_record.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tfrecordcli.boxes import BoxText, ImageBoxes, Unit
from tfrecordcli.images.checked_image import CheckedImage, Transform
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected

Corners = tuple[float, float, float, float]

# How far a box may lie outside the image without a word in the summary: rounding. In fractions of a side,
# and in pixels.
_ROUNDING: Final = 0.01
_ROUNDING_PIXELS: Final = 1.0
# Sizes whose ratio differs by less are of one picture at two resolutions.
_SAME_SHAPE: Final = 0.02

# What the width and the height of an image are in units that are not its pixels.
_WHOLE: Final[Mapping[Unit, tuple[int, int]]] = {"fractions": (1, 1), "percent": (100, 100)}

_TURNS: Final[Mapping[int, Callable[[float, float, float, float], Corners]]] = {
    1: lambda x0, y0, x1, y1: (x0, y0, x1, y1),
    2: lambda x0, y0, x1, y1: (1 - x1, y0, 1 - x0, y1),
    3: lambda x0, y0, x1, y1: (1 - x1, 1 - y1, 1 - x0, 1 - y0),
    4: lambda x0, y0, x1, y1: (x0, 1 - y1, x1, 1 - y0),
    5: lambda x0, y0, x1, y1: (y0, x0, y1, x1),
    6: lambda x0, y0, x1, y1: (1 - y1, x0, 1 - y0, x1),
    7: lambda x0, y0, x1, y1: (1 - y1, 1 - x1, 1 - y0, 1 - x0),
    8: lambda x0, y0, x1, y1: (y0, 1 - x1, y1, 1 - x0),
}
_INVERSE: Final = {6: 8, 8: 6}
_QUARTER_TURNS: Final = frozenset({5, 6, 7, 8})


class PlacedBox(NamedTuple):
    """A box on the stored image.

    Attributes:
      corners: (xmin, ymin, xmax, ymax), each in [0, 1], xmin < xmax, ymin < ymax.
      area: pixels of the stored image that the object covers.
      listed: what the list says of it.
      number: its place among the boxes of the image in the list, from 0.
    """

    corners: Corners
    area: float
    listed: BoxText
    number: int


@dataclass(slots=True)
class PlacedBoxes:
    """All boxes of one image.

    Attributes:
      boxes: those that are stored.
      left_out: (number, reason) of the others.
      notes: keys of `NOTES`, each once.
      counts: boxes by what was done to them: ``clipped``, ``swapped``.
    """

    boxes: list[PlacedBox] = field(default_factory=list)
    left_out: list[tuple[int, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def turn_corners(corners: Corners, orientation: int) -> Corners:
    """Where a box on the stored pixels is once they are turned as EXIF says (CIPA DC-008, orientation)."""
    return _TURNS[orientation](*corners)


def place_boxes(listed: ImageBoxes, unit: Unit, image: CheckedImage, options: ImageOptions) -> PlacedBoxes:
    """The boxes of an image on the image as it is stored.

    Args:
      listed: what the list says.
      unit: of the list, for images that name none of their own.
      image: what the gate made of the file.

    Raises:
      Rejected: ``other_size``; ``box_outside``; ``bad_box`` where none may lie outside or be left out.
    """
    transform = image.transform or Transform(image.width, image.height)
    placed = PlacedBoxes()
    unit = listed.unit or unit
    is_upright = _is_upright(listed, unit, transform, options, placed)
    across = transform.orientation in _QUARTER_TURNS and is_upright
    shown = (transform.height, transform.width) if across else (transform.width, transform.height)
    size = _size_of_list(listed, shown, transform.orientation in _QUARTER_TURNS, placed)
    orientation = _turn_of_boxes(transform, is_upright)
    scale = image.width * image.height / (size[0] * size[1])
    for number, box in enumerate(listed.boxes):
        corners = _fractions(box.corners, _WHOLE.get(unit, size))
        clipped = _clipped(corners, shown, options, placed.counts)
        if clipped[0] == clipped[2] or clipped[1] == clipped[3]:
            if options.boxes == "strict":
                raise Rejected("bad_box", what="has no width or height (--boxes clip leaves it out)")
            placed.left_out.append((number, "no_extent"))
            continue
        turned = turn_corners(clipped, orientation)
        area = box.attributes.get("area")
        of_box = (turned[2] - turned[0]) * (turned[3] - turned[1]) * image.width * image.height
        placed.boxes.append(
            PlacedBox(turned, of_box if not isinstance(area, float) else area * scale, box, number)
        )
    return placed


def _is_upright(
    listed: ImageBoxes, unit: Unit, transform: Transform, options: ImageOptions, placed: PlacedBoxes
) -> bool:
    """Whether the boxes were drawn on the photo as EXIF turns it, and not on its stored pixels."""
    if transform.orientation == 1 or not listed.boxes:
        return True
    if options.box_frame != "auto":
        return options.box_frame == "upright"
    if listed.is_stored:
        return False
    declared = (listed.width, listed.height)
    stored, upright = (transform.width, transform.height), (transform.height, transform.width)
    if transform.orientation in _QUARTER_TURNS and stored != upright and declared in (stored, upright):
        # Some tools tell the size of the stored pixels and draw on the upright photo.
        is_upright = declared == upright or (not _fit(listed, unit, stored) and _fit(listed, unit, upright))
        placed.notes.append("box_frame_upright" if is_upright else "box_frame_stored")
        return is_upright
    placed.notes.append("box_frame_guessed")
    return True


def _fit(listed: ImageBoxes, unit: Unit, size: tuple[int, int]) -> bool:
    width, height = _WHOLE.get(unit, size)
    return all(
        max(box.corners[0], box.corners[2]) <= width + _ROUNDING_PIXELS
        and max(box.corners[1], box.corners[3]) <= height + _ROUNDING_PIXELS
        for box in listed.boxes
    )


def _size_of_list(
    listed: ImageBoxes, shown: tuple[int, int], may_be_turned: bool, placed: PlacedBoxes
) -> tuple[int, int]:
    """The size in pixels that the boxes of the list are relative to.

    Args:
      shown: of the image in the frame of the boxes.
      may_be_turned: whether the list may tell that of the other frame.

    Raises:
      Rejected: ``other_size``: the list tells another one, of another shape.
    """
    width, height = listed.width, listed.height
    if width is None or height is None or not listed.boxes or (width, height) == shown:
        return shown
    if may_be_turned and (height, width) == shown:
        return shown
    if abs(width * shown[1] / (height * shown[0]) - 1) > _SAME_SHAPE:
        raise Rejected("other_size", listed=f"{width} x {height}", found=f"{shown[0]} x {shown[1]}")
    placed.notes.append("boxes_of_another_size")
    return width, height


def _turn_of_boxes(transform: Transform, is_upright: bool) -> int:
    """The turn that takes boxes from where they were drawn to the image as it is stored now."""
    if is_upright == transform.is_turned or transform.orientation == 1:
        return 1
    turn = transform.orientation
    return turn if transform.is_turned else _INVERSE.get(turn, turn)


def _fractions(corners: Corners, size: tuple[int, int]) -> Corners:
    width, height = size
    return corners[0] / width, corners[1] / height, corners[2] / width, corners[3] / height


def _clipped(
    corners: Corners, shown: tuple[int, int], options: ImageOptions, counts: Counter[str]
) -> Corners:
    """The part of a box that lies on the image, its corners sorted.

    Raises:
      Rejected: ``box_outside``: no part does; ``bad_box``: some does not, and that was not to be.
    """
    xmin, xmax = sorted((corners[0], corners[2]))
    ymin, ymax = sorted((corners[1], corners[3]))
    counts["swapped"] += (xmin, ymin) != corners[:2]
    is_outside = xmin >= 1 or ymin >= 1 or xmax <= 0 or ymax <= 0
    if is_outside and xmin < xmax and ymin < ymax:
        told = ", ".join(f"{value:.4g}" for value in (xmin, ymin, xmax, ymax))
        raise Rejected("box_outside", detail=f"{told} as fractions of its size")
    beyond = max(_beyond(xmin, xmax, shown[0]), _beyond(ymin, ymax, shown[1]))
    if beyond > 0:
        if options.boxes == "strict":
            what = f"reaches beyond the image by {beyond:.1%} of its side (--boxes clip clips it)"
            raise Rejected("bad_box", what=what)
        counts["clipped"] += 1
    return _within(xmin), _within(ymin), _within(xmax), _within(ymax)


def _within(value: float) -> float:
    """The nearest place on the image: of a box without an extent, both ends may be beyond the same side."""
    return min(max(value, 0.0), 1.0)


def _beyond(low: float, high: float, side: int) -> float:
    """How far a box reaches beyond one side of the image, as a fraction of it; 0 where it is rounding."""
    most = max(-low, high - 1)
    return most if most > max(_ROUNDING, _ROUNDING_PIXELS / side) else 0.0
