"""Boxes as four numbers in one text that are taken for x, y, width, height in pixels, and may be percents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.fit import are_in_order
from tfrecordcli.sources.boxes.form import extents_in
from tfrecordcli.sources.boxes.unit import LIKE_PERCENTS, MOST_PERCENT, SIDE, SOME_BOXES, sizes_of


def need_no_percents_of_corners(images: Sequence[tuple[str, str]], root: str) -> None:
    """Refuses numbers up to 100 of which each box ends behind its begin as two corners, in far larger images.

    Extents in pixels would all have to be wider and higher than they are away from the edges.

    Args:
      images: (path or URL, what `tfrecordcli.boxes` has of it and its boxes) of the first rows.
      root: absolute folder or URL that relative paths are relative to.

    Raises:
      InputError: with the options for either.
    """
    boxes = [box for _, text in images for box in extents_in(text)]
    if len(boxes) < SOME_BOXES or not LIKE_PERCENTS <= max(map(max, boxes)) <= MOST_PERCENT:
        return
    if not are_in_order(boxes) or _least_side(images, root) < SIDE:
        return
    raise InputError(
        f"no number of a box is above {max(map(max, boxes)):g}, and all are in order as two corners: it is "
        "not certain whether these are corners in percent, or x, y, width, height in pixels",
        "say which: --box-format xyxy --box-unit percent or --box-format xywh --box-unit pixels",
    )


def _least_side(images: Iterable[tuple[str, str]], root: str) -> int:
    """The shortest side of the images that are looked at; 0: none can be read."""
    return min((min(size) for _, size in sizes_of(images, root)), default=0)
