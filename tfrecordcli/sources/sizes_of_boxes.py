"""Columns of width and height beside corners that are those of the boxes, and not of their images."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.csv_shape import CsvShape

_PIXEL: Final = 1.0  # by which corners may be counted in or out
_SOME: Final = 2  # boxes that end beyond such an image


def with_sizes_of_images(shape: CsvShape, rows: Iterable[Sequence[str]]) -> CsvShape:
    """The shape without columns of sizes that are those of boxes, and with a note of them.

    Args:
      rows: fields of the first.
    """
    boxes = shape.boxes
    if boxes is None or boxes.size is None or boxes.form != "xyxy" or len(boxes.corners) != 4:
        return shape
    if not _are_of_boxes((*boxes.corners, *boxes.size), rows):
        return shape
    names = " and ".join(shape.header[column] for column in boxes.size)
    note = f"{names} are those of the boxes in every row, and are not used"
    return replace(shape, boxes=replace(boxes, size=None), notes=(*shape.notes, note))


def _are_of_boxes(columns: Sequence[int], rows: Iterable[Sequence[str]]) -> bool:
    """Whether the sizes are those of the boxes in every row, and some boxes would end beyond such an image.

    Args:
      columns: of xmin, ymin, xmax, ymax, width, height.
      rows: without numbers there they tell nothing; the first that differs ends the search.
    """
    beyond = 0
    for fields in rows:
        texts = [fields[column] for column in columns if column < len(fields)]
        if len(texts) < len(columns) or not all(map(WRITTEN_NUMBER.fullmatch, texts)):
            continue
        left, top, right, bottom, width, height = map(float, texts)
        if abs(right - left - width) > _PIXEL or abs(bottom - top - height) > _PIXEL:
            return False
        beyond += max(left, top) > 2 * _PIXEL
    return beyond >= _SOME
