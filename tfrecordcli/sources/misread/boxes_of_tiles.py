"""Boxes of tiles in pixels of the image that the tiles were cut from: told of, with what moves them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.columns import BoxColumns
from tfrecordcli.sources.boxes.fields import corners_in_form
from tfrecordcli.sources.boxes.words import as_word
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import changed_by_axis
from tfrecordcli.sources.sample import Sample

_PART: Final = "(?:tile|crop|patch|chip|window|slice|sub)"
_BEGIN: Final = "(?:off(?:set)?|start|origin|pos|min|[01])?"
_ACROSS: Final = re.compile(rf"{_PART}(?:{_BEGIN}x|x{_BEGIN}|left)|offsetx|xoff(?:set)?")
_DOWN: Final = re.compile(rf"{_PART}(?:{_BEGIN}y|y{_BEGIN}|top)|offsety|yoff(?:set)?")
_SOME: Final = 2  # tiles elsewhere than at the origin that tell something
_LEAST: Final = 16  # pixels between tiles; numbers of tiles have less between them


def told_tiles(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That no box begins before its tile does, as boxes do that are in pixels of the whole image.

    Of boxes in pixels of their tiles some do, in any list of more than a few rows.
    """
    boxes, header = sample.shape.boxes, sample.shape.header
    if boxes is None or len(boxes.corners) != 4 or not header or rows.is_own:
        return
    unread = [*sample.unread(lambda name: not is_asked_for(name, rows.options.features))]
    begins = [[name for name in unread if each.fullmatch(as_word(name))] for each in (_ACROSS, _DOWN)]
    if any(len(names) != 1 for names in begins):
        return
    columns = [header.index(names[0]) for names in begins]
    found = list(_boxes(sample.table, boxes, columns))
    moved = {begin for begin, _ in found if any(begin)}
    are_pixels = len(moved) >= _SOME and min(filter(None, chain(*moved))) >= _LEAST
    if are_pixels and all(x <= left and y <= top for (x, y), (left, top) in found):
        names = [header[column] for column in columns]
        command = _moved(sample, rows, boxes, names)
        yield (
            f"no box begins before {' and '.join(names)} do, so boxes may be in pixels of the image that the "
            f"tiles were cut from, and are stored as pixels of the tiles: if so, subtract them"
            f"{': ' * bool(command)}{command}"
        )


def _boxes(
    table: Sequence[Sequence[str]], boxes: BoxColumns, columns: Sequence[int]
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """(where its tile begins, where it begins) of each box."""
    for fields in table:
        if len(fields) <= max(*columns, *boxes.corners):
            continue
        texts = [fields[column] for column in (*columns, *boxes.corners)]
        if all(map(NUMBER.fullmatch, texts)):
            x, y, *numbers = map(float, texts)
            with suppress(Rejected):  # told with the other rejects
                a, b, c, d = corners_in_form(numbers, boxes.form)
                yield (x, y), (min(a, c), min(b, d))


def _moved(sample: Sample, rows: RowFile, boxes: BoxColumns, begins: Sequence[str]) -> str:
    """The command that makes them pixels of their tiles."""
    names = [sample.shape.header[column] for column in boxes.corners]
    moved = names if boxes.form in ("xyxy", "yxyx") else names[:2]
    by_axis = [*begins][::-1] if boxes.form == "yxyx" else begins
    return changed_by_axis(rows.name, sample.shape.delimiter, moved, by_axis, "-", "in-tiles")
