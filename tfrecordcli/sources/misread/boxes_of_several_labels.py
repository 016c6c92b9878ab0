"""Boxes with several labels, where each has one: refused, with what makes a row of each label."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.boxes.fields import is_no_box
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.label_fields import is_list, is_yes, items_of, parts_of, places_of
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.sample import Sample
from tfrecordcli.units import plural, some_of

_SLIPS: Final = 1  # boxes with several labels that are no more than that
_RARE: Final = 50  # and of as many boxes, one is none


def need_one_label_a_box(sample: Sample, rows: RowFile) -> None:
    """Refuses boxes of which many have several labels: in several columns, or in a field.

    A field has several as a list in text or parted by `--label-separator`.

    Raises:
      InputError: with the command that makes a row of each label, all with the same box.
    """
    shape, options = sample.shape, rows.options
    if shape.boxes is None or not shape.labels or not shape.header or rows.is_own:
        return
    boxes = rows_with_boxes(sample)
    if len(shape.labels) > 1:
        labels = [_of_columns(fields, shape.labels, shape.header, options) for fields in boxes]
    else:
        labels = [] if options.one_hot else _labels([fields[shape.labels[0]] for fields in boxes], options)
    several = [each for each in labels if len(each) > 1]
    if len(several) <= _SLIPS or _RARE * len(several) < len(boxes):
        return
    names = [shape.header[i] for i in shape.labels]
    change = (
        _in_columns(names, shape.header, options)
        if len(names) > 1
        else _in_a_field(sample, names[0], options)
    )
    command = (
        changed(rows.name, shape.delimiter, change, "one-label", modules="ast, pandas as pd")
        if change
        else ""
    )
    where = f"{'columns' if len(names) > 1 else 'column'} {some_of(names)}"
    where += f", as {', '.join(several[0])}"
    raise InputError(
        f"{plural(len(several), 'box', 'boxes')} of the first {len(boxes)} have several labels in {where}, "
        "and a box has one",
        f"a row for each label, all with the same box: {command or 'write one label a row'}",
    )


def rows_with_boxes(sample: Sample) -> list[Sequence[str]]:
    """The rows of a list of boxes that have one, and all fields of labels."""
    shape = sample.shape
    corners = shape.boxes.corners if shape.boxes else ()
    last = max((*shape.labels, *corners), default=0)
    return [
        fields
        for fields in sample.table
        if last < len(fields) and not all(is_no_box(fields[column]) for column in corners)
    ]


def _of_columns(
    fields: Sequence[str], columns: Sequence[int], header: Sequence[str], options: ReadOptions
) -> list[str]:
    """The labels of a row: of columns of words, or the names of columns of flags."""
    if options.one_hot:
        return [header[i] for i in columns if is_yes(fields[i])]
    return [fields[i] for i in columns if fields[i]]


def _in_columns(names: Sequence[str], header: Sequence[str], options: ReadOptions) -> str:
    """Python that makes one column of labels of several; empty where another column is called so."""
    if "label" in header and "label" not in names:
        return ""
    columns = ", ".join(map(literal, names))
    row = '[k for k in c if r[k].strip().lower() in ("1", "1.0", "true", "yes")]'
    row = row if options.one_hot else "[v for v in map(str.strip, r) if v]"
    make = f"v = [{row} for _, r in t[c].iterrows()]"
    return f'c = [{columns}]; {make}; t = t.drop(columns=c); t["label"] = v; t.explode("label")'


def _in_a_field(sample: Sample, name: str, options: ReadOptions) -> str:
    """Python that parts the labels of a column; empty where none is known."""
    (label,) = sample.shape.labels
    parting = _parting([fields[label] for fields in sample.table if label < len(fields)], options)
    return f"c = {literal(name)}; t[c] = {parting}; t.explode(c)" if parting else ""


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
