"""One row of an image list: which fields hold what, and whether it can be used by itself."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Final, NamedTuple

from tfrecordcli.boxes import MARK, box_text, image_text
from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected, Told
from tfrecordcli.schema import IMAGE_TARGET, Feature
from tfrecordcli.sources.box_columns import (
    BoxColumns,
    box_of_automl,
    box_parser,
    is_automl,
    is_retinanet,
    plain_box,
)
from tfrecordcli.sources.csv_columns import ONE_CLASS, CsvShape, looks_like_image
from tfrecordcli.sources.reading import PLAIN, Reading
from tfrecordcli.split_words import DISCARD, UNASSIGNED, parse_split, split_spellings, suggest_split
from tfrecordcli.storage.uris import check_uri


class Row(NamedTuple):
    """One row as the source has it, checked by itself but not against other rows.

    A tuple, because every row of a source becomes one: it is made in half the time of a frozen dataclass.

    Attributes:
      line: physical line in the source where the row starts, from 1.
      split: train, validation, test, ``discard``, ``""`` when the row leaves it to the dealer, or
        None when it names no known split.
      image_uri: as written, outer blanks removed; empty when the row names none.
      labels: label names in the row's order, without doubles.
      problem: why the row cannot be used, or None.
      extras: fields of the features that come from further columns; none of a row that cannot be used.
      boxes: the field of `tfrecordcli.boxes`, with one box or none; empty when the list has no boxes.
    """

    line: int
    split: str | None
    image_uri: str
    labels: tuple[str, ...]
    problem: Rejected | None = None
    extras: tuple[str, ...] = ()
    boxes: str = ""

    @property
    def told_uri(self) -> str:
        """The image for people; empty where there is none."""
        return "" if self.image_uri.startswith(ROW) else self.image_uri


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is not valid CSV: its text, and why."""

    text: str
    problem: Rejected


# Key of a feature that is no part of a record: what keeps rows in one split; begins its keys for the dealer.
GROUP: Final = "group\x1f"
# Begins what stands for the image of a row that has none: a digest of the row, by which it is dealt.
ROW: Final = "row\x1f"
# Characters of a wrong split that a message shows.
_LONGEST_WORD = 100

RowParser = Callable[[int, list[str] | Malformed], Row]
_Parsed = tuple[str, str, list[str]]  # split field, image_uri, label fields
_Parse = Callable[[list[str], CsvShape], _Parsed]


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
        return partial(_with_extras, shape, features, reading, parse_rest)
    if shape.boxes is not None:
        return _with_boxes(shape, shape.boxes, reading, attributes)
    parse = _parse_by_header if shape.header else _parse_by_position
    if not reading.is_plain:
        parse = partial(_understood, parse, reading)
    if shape.is_table:
        return _of_table(shape, partial(_to_row, shape, parse))
    if is_listing:
        return partial(_to_listed_row, shape, parse)
    if not shape.header:
        return partial(_to_row_by_position, shape, parse, name)
    any_row = partial(_to_row, shape, parse)
    is_plain = reading.is_plain and shape.split is not None and len(shape.labels) == 1 and not shape.surplus
    return _plain(shape, any_row) if is_plain else any_row


def _to_row_by_position(
    shape: CsvShape, parse: _Parse, name: str, line: int, fields: list[str] | Malformed
) -> Row:
    try:
        return _to_row(shape, parse, line, fields)
    except InputError as error:
        raise InputError(f"{name}: line {line}: {error.message}", error.hint) from None


def _plain(shape: CsvShape, any_row: RowParser) -> RowParser:
    """``any_row`` with a short way for rows that leave nothing to decide, as nearly all do."""
    width = len(shape.header)
    split_column, image, (label_column,) = shape.split, shape.image, shape.labels
    assert split_column is not None
    assert image is not None
    splits = split_spellings()

    def to_row(line: int, fields: list[str] | Malformed) -> Row:
        if isinstance(fields, list) and len(fields) == width:
            uri, label = fields[image].strip(), fields[label_column].strip()
            split = splits.get(fields[split_column])
            # Printable text has no control characters, a URI without a colon no scheme.
            if split and uri and label and ":" not in uri and uri.isprintable() and label.isprintable():
                return Row(line, split, uri, (label,))
        return any_row(line, fields)

    return to_row


def _of_table(shape: CsvShape, parse: RowParser) -> RowParser:
    """A parser of rows without images.

    In the place of the image stands a digest of what the row says in its columns, whatever their order, but
    for its split, so that equal rows are dealt to one split, and adding others moves none.
    """
    names = sorted((name, i) for i, name in enumerate(shape.header) if name and not name.startswith("tfrec_"))
    columns = [i for _, i in names if i != shape.split]

    def to_row(line: int, fields: list[str] | Malformed) -> Row:
        row = parse(line, fields)
        if row.problem is not None or isinstance(fields, Malformed):
            return row
        content = "\x1f".join(_field(fields, column).strip() for column in columns)
        return row._replace(image_uri=ROW + blake2b(content.encode(), digest_size=8).hexdigest())

    return to_row


def without_padding(fields: list[str]) -> list[str]:
    """Without the empty fields that spreadsheets leave at the end of a row."""
    if fields[-1]:
        return fields
    end = len(fields)
    while end > 1 and not fields[end - 1]:
        end -= 1
    return fields[:end]


def words_of(shape: CsvShape, fields: list[str]) -> _Parsed:
    """The split word, image and label fields of a row as they are written, outer blanks removed.

    Raises:
      Rejected: ``field_count``.
      InputError: the row shows the list to be of another kind.
    """
    fields = list(map(str.strip, fields))
    if shape.boxes is not None:
        word, uri, labels, _ = (_box_by_header if shape.header else _box_by_position)(fields, shape)
        return word, uri, list(labels)
    fields = without_padding(fields)
    return (_parse_by_header if shape.header else _parse_by_position)(fields, shape)


def _understood(parse: _Parse, reading: Reading, fields: list[str], shape: CsvShape) -> _Parsed:
    word, uri, names = parse(fields, shape)
    word, uri = reading.split(word), reading.paths.apply(uri)
    try:
        return word, uri, reading.labels(names)
    except Rejected as problem:
        raise _WithoutLabels(word, uri, problem) from None


class _WithoutLabels(Exception):
    """A row whose labels cannot be understood: its split word and image, and why."""

    def __init__(self, word: str, uri: str, problem: Rejected) -> None:
        super().__init__(problem.reason)
        self.row = (parse_split(word), uri, (), problem)


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
    split = parse_split(word)
    return Row(line, split, uri, labels, _problem_of(word, split, "-" if shape.is_table else uri, labels))


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
    told = "" if isinstance(fields, Malformed) else _field(fields, column)
    return row._replace(problem=Told(*json.loads(told))) if told else row


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
    texts = ["" if column is None else _field(fields, column).strip() for column in columns]
    extras = tuple(reading.value(each.column, text) for each, text in zip(features, texts, strict=True))
    if reading.skips_without_target and not all(
        text for each, text in zip(features, extras, strict=True) if each.key == IMAGE_TARGET
    ):
        return row._replace(split=DISCARD)
    problems = filter(None, map(_problem_of_value, features, extras))
    return row._replace(extras=extras, problem=next(problems, None))


# What radiologists write in place of a label, as in VinBigData's chest X-rays.
_NOTHING: Final = re.compile(r"no[ _-]?findings?", re.IGNORECASE)


def _with_boxes(shape: CsvShape, boxes: BoxColumns, reading: Reading, attributes: Sequence[str]) -> RowParser:
    """A parser of rows that have a box, or none when their image shows nothing."""
    if shape.header:
        parse_box = box_parser(boxes, attributes)
    else:
        parse_box = box_parser(replace(boxes, corners=(0, 1, 2, 3)), attributes)
    split_fields = _box_by_header if shape.header else _box_by_position

    def to_row(line: int, fields: list[str] | Malformed) -> Row:
        if isinstance(fields, Malformed):
            return Row(line, None, "", (), fields.problem)
        try:
            word, uri, labels, numbers = split_fields(list(map(str.strip, fields)), shape)
        except Rejected as bad:
            return Row(line, None, "", (), bad)
        word, uri = reading.split(word), reading.paths.apply(uri)
        split = parse_split(word)
        problem = _problem_of(word, split, uri, labels)
        try:
            if not reading.is_plain:
                labels = tuple(reading.labels(list(labels)))
            text = parse_box(line, numbers)
            has_box = MARK in text[1:]
            problem = problem or _problem_of_box(labels, has_box)
        except Rejected as bad:
            return Row(line, split, uri, labels, problem or bad, (), image_text() + box_text(line, ()))
        return Row(line, split, uri, labels if has_box else (), problem, (), text)

    return _plain_boxes(shape, boxes, to_row) if reading.is_plain and not boxes.attributes else to_row


def _plain_boxes(shape: CsvShape, boxes: BoxColumns, any_row: RowParser) -> RowParser:
    """``any_row`` with a short way for rows that leave nothing to decide, as nearly all do."""
    if len(boxes.corners) != 4 or boxes.form != "xyxy" or len(shape.labels) != 1 or shape.image is None:
        return any_row
    width, image, (label_column,) = len(shape.header), shape.image, shape.labels
    columns = (*(boxes.size or ()), *boxes.corners)
    splits = split_spellings()
    extremes = boxes.extremes

    def to_row(line: int, fields: list[str] | Malformed) -> Row:
        if isinstance(fields, list) and len(fields) == width:
            uri, label = fields[image], fields[label_column]
            split = UNASSIGNED if shape.split is None else splits.get(fields[shape.split])
            if split is not None and uri and label and ":" not in uri and f"{uri}{label}".isprintable():
                is_bare = " " not in (uri[0], uri[-1], label[0], label[-1])
                box = plain_box(line, [fields[column] for column in columns], extremes) if is_bare else ""
                if box:
                    return Row(line, split, uri, (label,), None, (), box)
        return any_row(line, fields)

    return to_row


def _box_by_header(fields: list[str], shape: CsvShape) -> tuple[str, str, tuple[str, ...], Sequence[str]]:
    fields = without_padding(fields) if len(fields) > len(shape.header) else fields
    word, uri, names = _parse_by_header(fields, shape)
    if len(fields) < len(shape.header):
        fields = fields + [""] * (len(shape.header) - len(fields))
    if not shape.labels:
        assert shape.boxes is not None
        names = [ONE_CLASS] if any(fields[column] for column in shape.boxes.corners) else []
    return word, uri, tuple(filter(None, names)), fields


def _problem_of_box(labels: tuple[str, ...], has_box: bool) -> Rejected | None:
    if has_box and not labels:
        return Rejected("bad_box", what="has no label")
    if labels and not has_box and _NOTHING.fullmatch(labels[0]) is None:
        what = (
            f"of {labels[0][:_LONGEST_WORD]!r} has no corners (when the image shows nothing, no label either)"
        )
        return Rejected("bad_box", what=what)
    return None


def _box_by_position(fields: list[str], shape: CsvShape) -> tuple[str, str, tuple[str, ...], Sequence[str]]:
    """(split field, image, label, texts of four corners) of a row without a header."""
    if shape.is_retinanet:
        if len(fields) > 6:
            raise Rejected("field_count", found=len(fields), expected=6)
        path, *rest = [*fields, *[""] * (6 - len(fields))]
        return UNASSIGNED, path, tuple(filter(None, rest[4:])), rest[:4]
    bare = without_padding(fields)
    split, uri, names = _positions(bare)
    labels, box = tuple(filter(None, names[:1])), names[1:]
    if not any(box):
        return split, uri, labels, ("", "", "", "")
    corners = box_of_automl(box) if len(box) <= 8 else None
    if corners is None:
        raise Rejected("bad_box", what=f"has {len(box)} fields after the label, not 8")
    return split, uri, labels, corners


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
        what = f"is {text[:_LONGEST_WORD]!r}, not {kind}"
        return Rejected("bad_value", column=feature.column, what=what)
    return None


def _problem_of(word: str, split: str | None, uri: str, labels: tuple[str, ...]) -> Rejected | None:
    if split is None:
        return Rejected(
            "unknown_split", value=repr(word[:_LONGEST_WORD]), suggestion=suggest_split(word[:_LONGEST_WORD])
        )
    if not uri:
        return Rejected("no_image_uri")
    if has_control_characters(uri):
        return Rejected("control_character", field="image_uri")
    if ":" in uri:
        try:
            check_uri(uri)
        except Rejected as problem:
            return problem
    if split != DISCARD:
        for label in labels:
            if has_control_characters(label):
                return Rejected("control_character", field="label")
    return None


def _parse_by_header(fields: list[str], shape: CsvShape) -> _Parsed:
    width = len(shape.header)
    if len(fields) > width and not shape.open_ended:
        raise Rejected("field_count", found=len(fields), expected=width)
    if shape.surplus and any(_field(fields, column) for column in shape.surplus):
        columns = sum(not name.startswith("tfrec_") for name in shape.header)
        filled = sum(bool(_field(fields, column)) for column in shape.surplus)
        raise Rejected("field_count", found=columns + filled, expected=columns)
    if len(fields) < width:
        fields = fields + [""] * (width - len(fields))
    names = [fields[column] for column in shape.labels]
    if len(fields) > width:
        names += fields[width:]
    word = UNASSIGNED if shape.split is None else fields[shape.split]
    return word, "" if shape.image is None else fields[shape.image], names


def _field(fields: list[str], column: int) -> str:
    return fields[column] if column < len(fields) else ""


def _parse_by_position(fields: list[str], shape: CsvShape) -> _Parsed:
    """``[SET,]URI[,LABEL…]``; a row with a box shows the whole list to be one of boxes."""
    split, uri, names = _positions(fields)
    if is_automl(names) or is_retinanet([uri, *names]):
        raise InputError(
            "this row has a box, but the first row of the list has none",
            "--task detection reads boxes; --task classification takes the numbers for labels",
        )
    return split, uri, names


def _positions(fields: list[str]) -> _Parsed:
    """A row may leave SET out altogether (Vertex AI's samples do)."""
    first = fields[0]
    if parse_split(first) is not None and len(fields) > 1:
        split, uri, names = first, fields[1], fields[2:]
    elif looks_like_image(first):
        split, uri, names = UNASSIGNED, first, fields[1:]
    else:
        split, uri, names = first, fields[1] if len(fields) > 1 else "", fields[2:]
    return split, uri, names


# What the fields of a box are called where its list has no header.
CORNER_COLUMNS: Final = ("xmin", "ymin", "xmax", "ymax")


def fields_by_position(fields: list[str], shape: CsvShape) -> list[str]:
    """A headerless row with its split field in place, also where the row leaves it out."""
    stripped = [field.strip() for field in fields]
    if shape.boxes is None:
        split, uri, names = _positions(without_padding(stripped))
        return [split, uri, *names]
    try:
        split, uri, labels, corners = _box_by_position(stripped, shape)
    except Rejected:  # whose fields are no box: they are for a person to look at
        split, uri, names = _positions(without_padding(stripped))
        return [split, uri, *names]
    return [split, uri, *(labels or ("",)), *corners]


def as_written(shape: CsvShape, fields: list[str] | Malformed) -> _Parsed:
    """The split word, image and label fields of a row that cannot be used, as far as they can be told."""
    if isinstance(fields, Malformed):
        fields = next(csv.reader([fields.text], delimiter=shape.delimiter, quoting=csv.QUOTE_NONE), [])
    if shape.header:
        columns = (shape.split, shape.image)
        word, uri = ("" if column is None else _field(fields, column).strip() for column in columns)
        return word, uri, [_field(fields, column).strip() for column in shape.labels]
    word, uri, *labels = fields_by_position(fields, shape) if fields else ("", "")
    return word, uri, labels[:1] if shape.boxes is not None else labels


def corners_as_written(shape: CsvShape, fields: list[str] | Malformed) -> list[str] | None:
    """The corners of a box that cannot be used; None where the list has them in another form."""
    boxes = shape.boxes
    if isinstance(fields, Malformed) or boxes is None or boxes.form != "xyxy" or len(boxes.corners) != 4:
        return None
    return [_field(fields, column).strip() for column in boxes.corners] if shape.header else None
