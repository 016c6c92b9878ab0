"""Boxes with several labels in a field, where each has one: refused, with what makes a row of each label."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.boxes.fields import is_no_box
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.label_fields import is_list, items_of, parts_of, places_of
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.sample import Sample
from tfrecordcli.units import plural

_SLIPS: Final = 1  # boxes with several labels that are no more than that
_RARE: Final = 50  # and of as many boxes, one is none


def need_one_label_a_box(sample: Sample, rows: RowFile) -> None:
    """Refuses boxes of which many have several labels, as a list in text or parted by `--label-separator`.

    Raises:
      InputError: with the command that makes a row of each label, all with the same box.
    """
    shape, options = sample.shape, rows.options
    if shape.boxes is None or len(shape.labels) != 1 or not shape.header or options.one_hot:
        return
    (label,) = shape.labels
    boxes = [
        fields
        for fields in sample.table
        if max(label, *shape.boxes.corners) < len(fields)
        and not all(is_no_box(fields[column]) for column in shape.boxes.corners)
    ]
    labels = _labels([fields[label] for fields in boxes], options)
    several = [fields[label] for fields, each in zip(boxes, labels, strict=False) if len(each) > 1]
    if len(several) <= _SLIPS or _RARE * len(several) < len(boxes):
        return
    name = shape.header[label]
    parting = _parting([fields[label] for fields in sample.table if label < len(fields)], options)
    change = f"c = {literal(name)}; t[c] = {parting}; t.explode(c)"
    command = (
        changed(rows.name, shape.delimiter, change, "one-label", modules="ast, pandas as pd")
        if parting
        else ""
    )
    raise InputError(
        f"{plural(len(several), 'box', 'boxes')} of the first {len(boxes)} have several labels in column "
        f"{name}, as {several[0]}, and a box has one",
        f"a row for each label, all with the same box: {command or 'write one label a row'}",
    )


def _labels(fields: Sequence[str], options: ReadOptions) -> list[list[str]]:
    """The labels of each field; empty: a field is one label, or a list is a row of 0 and 1."""
    if options.label_separator:
        return [parts_of(field, options.label_separator) for field in fields]
    if options.label_separator is not None or not all(map(is_list, filter(None, fields))):
        return []
    lists = [items_of(field) for field in fields]
    return [] if places_of(lists) else lists


def _parting(fields: Sequence[str], options: ReadOptions) -> str:
    """Python that makes a list of each field of column ``c``; empty where none is known."""
    if options.label_separator:
        separator = literal(options.label_separator)
        return f"t[c].map(lambda s: [v.strip() for v in s.split({separator}) if v.strip()])"
    if all(map(_is_python, filter(None, fields))):
        return 't[c].map(lambda s: ast.literal_eval(s.strip() or "[]"))'
    return ""


def _is_python(field: str) -> bool:
    try:
        return list(map(str, ast.literal_eval(field))) == items_of(field)
    except (ValueError, SyntaxError, TypeError):
        return False
