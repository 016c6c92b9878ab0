"""Boxes with several labels, where each has one: refused, with what makes a row of each label."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.given_options import given_words
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.boxes.fields import is_no_box
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.label_fields import is_list, is_yes, items_of, parts_of, places_of
from tfrecordcli.sources.pandas_commands import beside, changed, literal
from tfrecordcli.sources.sample import Sample, later_rows
from tfrecordcli.units import plural, some_of

_SLIPS: Final = 1  # boxes with several labels in columns that are no more than that
_RARE: Final = 50  # and of as many boxes, one is none
# Options that say of the list what the command leaves as it is.
_KEPT: Final = ("task", "image_root", "box_format", "box_unit")


def need_one_label_a_box(sample: Sample, rows: RowFile) -> None:
    """Refuses boxes that have several labels: many of them in several columns, or any in a field.

    A field has several as a list in text or parted by `--label-separator`, wherever in the list.

    Raises:
      InputError: with the command that makes a row of each label, all with the same box.
    """
    shape = sample.shape
    if shape.boxes is None or not shape.labels or not shape.header or rows.is_own:
        return
    names = [shape.header[i] for i in shape.labels]
    found = _several_in_columns(sample, rows) if len(names) > 1 else _several_in_a_field(sample, rows)
    if not found:
        return
    are_columns = len(names) > 1
    change = (
        _in_columns(names, shape.header, rows.options)
        if are_columns
        else _in_a_field(sample, names[0], rows.options)
    )
    hint = _written(change, rows, shape.delimiter, are_columns=are_columns) or "write one label a row"
    where = f"{'columns' if are_columns else 'column'} {some_of(names)}"
    raise InputError(
        f"{found[0]} several labels in {where}, as {', '.join(found[1])}, and a box has one",
        f"a row for each label, all with the same box: {hint}",
    )


def _several_in_columns(sample: Sample, rows: RowFile) -> tuple[str, list[str]] | None:
    """How many of the first boxes have several labels, with those of one; None: that may be slips."""
    shape = sample.shape
    boxes = [*rows_with_boxes(shape, sample.table)]
    labels = [_of_columns(fields, shape.labels, shape.header, rows.options) for fields in boxes]
    several = [each for each in labels if len(each) > 1]
    if len(several) <= _SLIPS or _RARE * len(several) < len(boxes):
        return None
    return f"{plural(len(several), 'box', 'boxes')} of the first {len(boxes)} have", several[0]


def _several_in_a_field(sample: Sample, rows: RowFile) -> tuple[str, list[str]] | None:
    """The same of labels in one column, of which none is a slip; what comes later is asked only then."""
    shape, column = sample.shape, sample.shape.labels[0]
    boxes = [fields[column] for fields in rows_with_boxes(shape, sample.table)]
    if rows.options.one_hot or not (labels := _labels(boxes, rows.options)):
        return None
    several = [each for each in labels if len(each) > 1]
    if several:
        have = "has" if len(several) == 1 else "have"
        return f"{plural(len(several), 'box', 'boxes')} of the first {len(boxes)} {have}", several[0]
    for fields in rows_with_boxes(shape, later_rows(rows)):
        later = _labels([fields[column]], rows.options)
        if later and len(later[0]) > 1:
            return f"a box behind the first {len(boxes)} has", later[0]
    return None


def _written(change: str, rows: RowFile, delimiter: str, *, are_columns: bool) -> str:
    """The command with this change, and what comes next; empty where there is none.

    Args:
      are_columns: whether several columns of labels become one.
    """
    made = changed(rows.name, delimiter, change, "one-label", modules="ast, pandas as pd") if change else ""
    if not made or rows.options.is_part:
        return made
    options = rows.options
    if are_columns:
        others = tuple(pair for pair in options.columns if pair[0] != "label")
        options = replace(options, columns=others)
    words = given_words(options, ("columns", *_KEPT))
    target = as_path(beside(rows.name, "one-label"))
    return f"{made}; then: {command_line(['tfrec', 'convert', target, 'OUTPUT_DIR', *words])}"


def rows_with_boxes(shape: CsvShape, table: Iterable[Sequence[str]]) -> Iterator[Sequence[str]]:
    """The rows of a list of boxes that have one, and all fields of labels."""
    corners = shape.boxes.corners if shape.boxes else ()
    last = max((*shape.labels, *corners), default=0)
    for fields in table:
        if last < len(fields) and not all(is_no_box(fields[column]) for column in corners):
            yield fields


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
    if all(
        is_list(field) and parts_of(field[1:-1], ",") == items_of(field) for field in filter(None, fields)
    ):
        return 't[c].map(lambda s: [v.strip() for v in s.strip()[1:-1].split(",") if v.strip()])'
    return ""


def _is_python(field: str) -> bool:
    try:
        return list(map(str, ast.literal_eval(field))) == items_of(field)
    except (ValueError, SyntaxError, TypeError):
        return False
