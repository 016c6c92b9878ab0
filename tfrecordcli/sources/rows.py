"""One row of an image list: which fields hold what, and whether it can be used by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import Feature
from tfrecordcli.sources.csv_columns import CsvShape, looks_like_image
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
    """

    line: int
    split: str | None
    image_uri: str
    labels: tuple[str, ...]
    problem: Rejected | None = None
    extras: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is not valid CSV: its text, and why."""

    text: str
    problem: Rejected


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
) -> RowParser:
    """A function from (line, fields as written) to the row, for files of this shape.

    It raises InputError for a row that shows the whole file to be of another kind.

    Args:
      name: of the file, for that error.
      is_listing: whether images are files that were found: one whose path has outer blanks, which no list
        can hold, is rejected and not taken for another.
      features: that come from further columns.
      reading: how the words of a row are understood.
    """
    if features:
        return partial(_with_extras, shape, features, row_parser(shape, name, is_listing, (), reading))
    parse = _parse_by_header if shape.header else _parse_by_position
    if not reading.is_plain:
        parse = partial(_understood, parse, reading)
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
    fields = without_padding(list(map(str.strip, fields)))
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
    return Row(line, split, uri, labels, _problem_of(word, split, uri, labels))


def _to_listed_row(shape: CsvShape, parse: _Parse, line: int, fields: list[str] | Malformed) -> Row:
    row = _to_row(shape, parse, line, fields)
    assert shape.image is not None
    assert not isinstance(fields, Malformed)
    path = fields[shape.image]
    if row.image_uri == path:
        return row
    return row._replace(image_uri=path, problem=Rejected("outer_blanks"))


def _with_extras(
    shape: CsvShape, features: Sequence[Feature], parse: RowParser, line: int, fields: list[str] | Malformed
) -> Row:
    row = parse(line, fields)
    if row.problem is not None or isinstance(fields, Malformed):
        return row
    columns = shape.further
    extras = tuple("" if column is None else _field(fields, column).strip() for column in columns)
    problems = filter(None, map(_problem_of_value, features, extras))
    return row._replace(extras=extras, problem=next(problems, None))


def _problem_of_value(feature: Feature, text: str) -> Rejected | None:
    if has_control_characters(text):
        return Rejected("control_character", field=feature.column)
    if not text:
        what = "is empty"
        return Rejected("bad_value", column=feature.column, what=what) if feature.required else None
    try:
        feature.parse(text)
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
    assert shape.image is not None
    if len(fields) < width:
        fields = fields + [""] * (width - len(fields))
    names = [fields[column] for column in shape.labels]
    if len(fields) > width:
        names += fields[width:]
    return UNASSIGNED if shape.split is None else fields[shape.split], fields[shape.image], names


def _field(fields: list[str], column: int) -> str:
    return fields[column] if column < len(fields) else ""


def _parse_by_position(fields: list[str], shape: CsvShape) -> _Parsed:
    """``[SET,]URI[,LABEL…]``: a row may leave SET out altogether (Vertex AI's samples do)."""
    first = fields[0]
    if parse_split(first) is not None and len(fields) > 1:
        split, uri, names = first, fields[1], fields[2:]
    elif looks_like_image(first):
        split, uri, names = UNASSIGNED, first, fields[1:]
    else:
        split, uri, names = first, fields[1] if len(fields) > 1 else "", fields[2:]
    if _is_box(names):
        raise InputError(
            "this is an object-detection list (eight numbers follow the label), which is not read yet",
            "convert only reads classification lists so far",
        )
    return split, uri, names


def fields_by_position(fields: list[str]) -> list[str]:
    """A headerless row with its split field in place, also where the row leaves it out."""
    stripped = without_padding([field.strip() for field in fields])
    split, uri, names = _parse_by_position(stripped, CsvShape(","))
    return [split, uri, *names]


def _is_box(names: list[str]) -> bool:
    """Whether the fields after the URI are a label and a box: ``x,y,,,x,y,,`` or ``x,y,x,y,x,y,x,y``.

    Trailing blanks are gone already. Nine numbers without a point are labels of a list whose labels
    are numbers.
    """
    box = names[1:]
    if len(box) == 6 and not (box[2] or box[3]):
        return all(map(_is_number, box[:2] + box[4:]))
    if len(box) != 8 or not all(map(_is_number, box)):
        return False
    return not _is_number(names[0]) or any("." in field for field in box)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
