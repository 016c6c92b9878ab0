"""Columns of width and height beside corners that are those of the boxes, and not of their images."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.boxes.words import PAGE_WORDS, as_word
from tfrecordcli.sources.csv_shape import CsvShape

_PIXEL: Final = 1.0  # by which corners may be counted in or out
_SOME: Final = 2  # boxes that end beyond such an image


def with_sizes_of_images(shape: CsvShape, rows: Iterable[Sequence[str]]) -> CsvShape:
    """The shape without columns of sizes that are of boxes, or do not hold all, and with a note of them.

    Args:
      rows: fields of the first.
    """
    boxes = shape.boxes
    if boxes is None or boxes.size is None or len(boxes.corners) != 4:
        return shape
    columns, names = (*boxes.corners, *boxes.size), [shape.header[column] for column in boxes.size]
    pair = " and ".join(names)
    if as_word(names[0]) in PAGE_WORDS["width"]:
        is_theirs = _hold_all(columns, boxes.form, rows)
        note = "are taken for the size in whose units boxes are" if is_theirs else "hold not all boxes"
    elif boxes.form == "xyxy" and _are_of_boxes(columns, rows):
        is_theirs, note = False, "are those of the boxes in every row"
    else:
        return shape
    size = boxes.size if is_theirs else None
    note = f"{pair} {note}" + ("" if is_theirs else ", and are not used")
    return replace(shape, boxes=replace(boxes, size=size), notes=(*shape.notes, note))


def _hold_all(columns: Sequence[int], form: str, rows: Iterable[Sequence[str]]) -> bool:
    """Whether all boxes end within the sizes beside them, as far as they tell.

    Args:
      columns: as of `_are_of_boxes`, or of the form.
    """
    for fields in rows:
        texts = [fields[column] for column in columns if column < len(fields)]
        if len(texts) < len(columns) or not all(map(WRITTEN_NUMBER.fullmatch, texts)):
            continue
        x, y, *far, width, height = map(float, texts)
        part = {"xywh": 1.0, "center_xywh": 0.5}.get(form)
        right, bottom = far if part is None else (x + part * far[0], y + part * far[1])
        if form == "yxyx":
            right, bottom = bottom, right
        if right > width + _PIXEL or bottom > height + _PIXEL:
            return False
    return True


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
