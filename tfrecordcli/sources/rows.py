"""Rows of an image list, parsed: what their fields say, and whether each can be used by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b

from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected, Told
from tfrecordcli.schema import IMAGE_FILENAME, IMAGE_TARGET, Feature
from tfrecordcli.sources.box_rows import parser_of_boxes
from tfrecordcli.sources.boxes.columns import BoxColumns
from tfrecordcli.sources.boxes.fields import has_unread
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.key_columns import form_wanted
from tfrecordcli.sources.reading import PLAIN, Reading
from tfrecordcli.sources.reported import Report, report_of
from tfrecordcli.sources.row import LONGEST_WORD, ROW, Malformed, Row, RowParser, problem_of
from tfrecordcli.sources.row_fields import (
    Parsed,
    field_at,
    parse_by_header,
    parse_by_position,
    without_padding,
)
from tfrecordcli.split_words import DISCARD

_OF_BOXES = ("bad_box", "bad_value", "control_character")  # codes that rows with a box may have for it

_Parse = Callable[[list[str], CsvShape], Parsed]


def row_parser(
    shape: CsvShape,
    name: str = "",
    is_listing: bool = False,
    features: Sequence[Feature] = (),
    reading: Reading = PLAIN,
    attributes: Sequence[str] = (),
) -> RowParser:
    """A function from (line, fields as written) to the row, for files of this shape.

    It raises InputError for a row that shows the whole file to be of another kind.

    Args:
      name: of the file, for that error.
      is_listing: whether images are files that were found: one whose path has outer blanks, which no list
        can hold, is rejected and not taken for another.
      features: that come from further columns.
      reading: how the words of a row are understood.
      attributes: of boxes, in whose order rows tell them.
    """
    if shape.problem is not None:
        own = replace(shape, problem=None)
        parse_rest = row_parser(own, name, is_listing, features, reading, attributes)
        return partial(_with_told_problem, shape.problem, parse_rest)
    if features:
        parse_rest = row_parser(shape, name, is_listing, (), reading, attributes)
        parse_all = partial(_with_extras, shape, features, reading, parse_rest)
        report = report_of(shape.header)
        return parse_all if report is None else partial(_with_values_apart, report, features, parse_all)
    if shape.boxes is not None:
        parse = parser_of_boxes(shape, shape.boxes, reading, attributes)
        report = report_of(shape.header)
        return parse if report is None else partial(_with_reason_told, report, shape.boxes, parse)
    words_of_row: _Parse = parse_by_header if shape.header else parse_by_position
    if not reading.is_plain:
        words_of_row = partial(_understood, words_of_row, reading)
    if shape.is_table:
        return _of_table(shape, partial(_to_row, shape, words_of_row))
    if is_listing:
        return partial(_to_listed_row, shape, words_of_row)
    if not shape.header:
        return partial(_to_row_by_position, shape, words_of_row, name)
    return partial(_to_row, shape, words_of_row)


def _to_row_by_position(
    shape: CsvShape, parse: _Parse, name: str, line: int, fields: list[str] | Malformed
) -> Row:
    try:
        return _to_row(shape, parse, line, fields)
    except InputError as error:
        raise InputError(f"{name}: line {line}: {error.message}", error.hint) from None


def _of_table(shape: CsvShape, parse: RowParser) -> RowParser:
    """A parser of rows without images.

    In the place of the image stands a digest of what the row says in its columns, whatever their order, but
    for its split, so that equal rows are assigned to one split, and adding others moves none.
    """
    names = sorted((name, i) for i, name in enumerate(shape.header) if name and not name.startswith("tfrec_"))
    columns = [i for _, i in names if i != shape.split]

    def to_row(line: int, fields: list[str] | Malformed) -> Row:
        row = parse(line, fields)
        if row.problem is not None or isinstance(fields, Malformed):
            return row
        content = "\x1f".join(field_at(fields, column).strip() for column in columns)
        return row._replace(image_uri=ROW + blake2b(content.encode(), digest_size=8).hexdigest())

    return to_row


def _understood(parse: _Parse, reading: Reading, fields: list[str], shape: CsvShape) -> Parsed:
    word, uri, names = parse(fields, shape)
    word, uri = reading.split(word), reading.paths.apply(uri)
    try:
        return word, uri, reading.labels(names)
    except Rejected as problem:
        raise _WithoutLabels(shape.parse_split(word), uri, problem) from None


class _WithoutLabels(Exception):
    """A row whose labels cannot be understood: its split and image, and why."""

    def __init__(self, split: str | None, uri: str, problem: Rejected) -> None:
        super().__init__(problem.reason)
        self.row = (split, uri, (), problem)


def _to_row(shape: CsvShape, parse: _Parse, line: int, fields: list[str] | Malformed) -> Row:
    if isinstance(fields, Malformed):
        return Row(line, None, "", (), fields.problem)
    fields = list(map(str.strip, fields))
    try:
        word, uri, names = parse(fields if fields[-1] else without_padding(fields), shape)
    except Rejected as problem:
        return Row(line, None, "", (), problem)
    except _WithoutLabels as error:
        return Row(line, *error.row)
    labels = tuple(names)
    if len(labels) != 1 or not labels[0]:
        labels = tuple(dict.fromkeys(filter(None, labels)))
    split = shape.parse_split(word)
    return Row(line, split, uri, labels, problem_of(word, split, "-" if shape.is_table else uri, labels))


def _to_listed_row(shape: CsvShape, parse: _Parse, line: int, fields: list[str] | Malformed) -> Row:
    row = _to_row(shape, parse, line, fields)
    assert shape.image is not None
    assert not isinstance(fields, Malformed)
    path = fields[shape.image]
    if row.image_uri == path:
        return row
    return row._replace(image_uri=path, problem=Rejected("outer_blanks"))


def _with_told_problem(column: int, parse: RowParser, line: int, fields: list[str] | Malformed) -> Row:
    """A row of a list of tfrec's own, whose problem was found when the list was written."""
    row = parse(line, fields)
    told = "" if isinstance(fields, Malformed) else field_at(fields, column)
    if not told:
        return row
    code, reason, *no_label = json.loads(told)
    return row._replace(problem=Told(code, reason), labels=() if no_label else row.labels)


def _with_extras(
    shape: CsvShape,
    features: Sequence[Feature],
    reading: Reading,
    parse: RowParser,
    line: int,
    fields: list[str] | Malformed,
) -> Row:
    row = parse(line, fields)
    if row.problem is not None or isinstance(fields, Malformed):
        return row
    columns = shape.further
    texts = ["" if column is None else field_at(fields, column).strip() for column in columns]
    extras = tuple(reading.value(each.column, text) for each, text in zip(features, texts, strict=True))
    extras = tuple(
        row.image_uri if each.key == IMAGE_FILENAME and not text else text
        for each, text in zip(features, extras, strict=True)
    )
    if reading.skips_without_target and not all(
        text for each, text in zip(features, extras, strict=True) if each.key == IMAGE_TARGET
    ):
        return row._replace(split=DISCARD)
    problems = filter(None, map(_problem_of_value, features, extras))
    return row._replace(extras=extras, problem=next(problems, None))


def _with_values_apart(
    report: Report, features: Sequence[Feature], parse: RowParser, line: int, fields: list[str] | Malformed
) -> Row:
    """A row of a rejects.csv in which no field of several values is the JSON that was to be mended."""
    row = parse(line, fields)
    if row.problem is not None or isinstance(fields, Malformed):
        return row
    for each, text in zip(features, row.extras, strict=False):  # a discarded row has none
        if each.separator and report.has_json(fields, str(each.column), text):
            what = f"is a list in JSON still ({form_wanted(each.separator)}, without brackets and quotes)"
            return row._replace(problem=Rejected("bad_value", column=each.column, what=what))
    return row


def _with_reason_told(
    report: Report, boxes: BoxColumns, parse: RowParser, line: int, fields: list[str] | Malformed
) -> Row:
    """A row of a rejects.csv with a box that nobody mended: why it cannot be used is what was told before."""
    row = parse(line, fields)
    if row.problem is None or row.problem.code not in _OF_BOXES or isinstance(fields, Malformed):
        return row
    told = report.told(fields)
    has_no_name = not row.labels and told is not None and told.code == "bad_annotation"
    is_it = has_no_name or has_unread(boxes, fields)
    return row._replace(problem=told or row.problem) if is_it else row


def _problem_of_value(feature: Feature, text: str) -> Rejected | None:
    if has_control_characters(text):
        return Rejected("control_character", field=feature.column)
    if not text:
        what = "is empty"
        return Rejected("bad_value", column=feature.column, what=what) if feature.required else None
    try:
        if not feature.values_of(text) and feature.required:
            return Rejected("bad_value", column=feature.column, what="is empty")
    except ValueError:
        kind = {"int64": "a whole number", "float": "a number"}[feature.kind]
        what = f"is {text[:LONGEST_WORD]!r}, not {kind}"
        return Rejected("bad_value", column=feature.column, what=what)
    return None
