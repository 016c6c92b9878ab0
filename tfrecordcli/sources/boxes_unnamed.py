"""Rows of one image that may be objects in it: four columns of numbers whose names do not tell of boxes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.sources.boxes.fit import are_in_order
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import with_names
from tfrecordcli.sources.sample import Sample, sample_of
from tfrecordcli.sources.text_encoding import is_utf_8

_SIDES: Final = 4
_LONGEST_SIDE: Final = 50_000.0  # pixels; beyond are ids and codes of goods
_ANSWERS: Final = frozenset(map(float, range(10)))  # such as ratings


def unnamed_boxes(rows: RowFile) -> str:
    """That rows of an image may be its boxes, with the command that names them; empty where nothing tells."""
    if rows.is_listing or rows.is_spooled or not is_utf_8(rows.options.encoding):
        return ""
    sample = sample_of(rows)
    names = _four_of_numbers(sample, rows) if sample.shape.image is not None and sample.shape.header else []
    if not names:
        return ""
    boxes = [list(map(float, row)) for row in sample.parts(names)]
    are_corners = are_in_order(boxes)
    if not are_corners and not all(w and h for *_, w, h in boxes):
        return ""  # nothing in an image has no extent
    if all(number in _ANSWERS for box in boxes for number in box):
        return ""
    sides = ("xmin", "ymin", "xmax", "ymax") if are_corners else ("x", "y", "w", "h")
    command = with_names(dict(zip(names, sides, strict=True)), rows.name, sample.shape.delimiter)
    called = f"call them {', '.join(sides)} as they are, and convert that: {command}" if command else ""
    return called and f"columns {', '.join(names)} may be boxes of objects: if they are, {called}"


def _four_of_numbers(sample: Sample, rows: RowFile) -> list[str]:
    """The names of four columns side by side that hold other numbers in rows of one image; no fifth does."""
    header, image = sample.shape.header, sample.shape.header[sample.shape.image or 0]
    labels = [header[i] for i in sample.shape.labels]
    unread = sample.unread(lambda name: bool(name) and not is_asked_for(name, rows.options.features))
    are_sides = {name: _may_be_sides(fields) for name, fields in unread.items()}
    told = [
        name
        for name, is_one in are_sides.items()
        if is_one and not (_is_of(sample, labels, name) or _is_of(sample, [image], name))
    ]
    runs = [list(run) for is_side, run in groupby(header, told.__contains__) if is_side]
    longest = max(runs, key=len, default=[])
    if len(longest) != _SIDES or sum(len(run) == _SIDES for run in runs) > 1:
        return []
    boxes = list(map(tuple, sample.parts([image, *longest])))
    return longest if len({*boxes}) == len(boxes) else []


def _may_be_sides(fields: Sequence[str]) -> bool:
    return bool(fields) and all(
        NUMBER.fullmatch(field) and 0 <= float(field) <= _LONGEST_SIDE for field in fields
    )


def _is_of(sample: Sample, keys: Sequence[str], name: str) -> bool:
    """Whether a column says one thing for each label, as numbers of goods do, or for each image."""
    met: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for *key, field in sample.parts([*keys, name]):
        met[tuple(key)].add(field)
    return all(len(words) == 1 for words in met.values())
