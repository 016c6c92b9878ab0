"""Rows of an image list: streamed from CSV, every field text, each with its line number.

The standard csv module reads them. pandas would take the first row of a headerless file for a
header, turn the label `NA` into nothing and `007` into 7, and stop at ragged rows.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TextIO, TypeVar

from tfrecordcli.dataset.csv_shape import CsvShape, detect_delimiter, detect_shape, looks_like_image
from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.dataset.splits import DISCARD, UNASSIGNED, parse_split, suggest_split
from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.uris import scheme_of

_T = TypeVar("_T")
# (line, fields), or why a row has none; closing it closes the file.
_Records = Generator[tuple[int, list[str] | Rejected], None, None]

# A field longer than this is not a path or a label but a quote that was never closed.
_MAX_FIELD = 131_072


@dataclass(frozen=True, slots=True)
class Row:
    """One row as the source has it, checked by itself but not against other rows.

    Attributes:
      line: physical line in the source where the row starts, from 1.
      split: train, validation, test, ``discard``, ``""`` when the row leaves it to the dealer, or
        None when it names no known split.
      image_uri: as written, outer blanks removed; empty when the row names none.
      labels: label names in the row's order, without doubles.
      problem: why the row cannot be used, or None.
    """

    line: int
    split: str | None
    image_uri: str
    labels: tuple[str, ...]
    problem: Rejected | None = None


@dataclass(frozen=True, slots=True)
class RowFile:
    """A CSV file on disk whose rows can be read again and again.

    Attributes:
      path: of the file.
      name: as messages call it.
      options: how it is read.
    """

    path: str
    name: str
    options: ReadOptions

    def read(self) -> tuple[CsvShape, Iterator[Row]]:
        """The file's shape, and its rows in order (lazily; blank lines left out).

        Raises:
          InputError: not text in the given encoding, no usable header, a quote never closed.
        """
        shape, records = self.read_records()
        return shape, self._to_rows(records, shape)

    def _to_rows(self, records: _Records, shape: CsvShape) -> Iterator[Row]:
        parse = _parse_by_header if shape.header else _parse_by_position
        with closing(records):
            for line, fields in records:
                try:
                    yield _to_row(line, fields, shape, parse)
                except InputError as error:
                    raise InputError(f"{self.name}: line {line}: {error.message}", error.hint) from None

    def read_records(self) -> tuple[CsvShape, _Records]:
        """The file's shape and its data records as (line, fields), fields as written."""
        with self._open() as stream:
            first_line = self._guard(stream, _skip_blank_lines, stream)
        if first_line.lstrip().startswith("{"):
            raise InputError(f"{self.name}: this looks like JSON Lines", "convert it to CSV first")
        delimiter = self.options.delimiter or detect_delimiter(first_line)
        with closing(self._records(delimiter)) as records:
            first = next(records, None)
        if first is None:
            raise InputError(f"{self.name}: there is no row in it", "is it the right file?")
        line, fields = first
        if isinstance(fields, Rejected):
            raise InputError(f"{self.name}: line {line}: {fields.reason}")
        shape = self._shape([field.strip() for field in fields], delimiter)
        return shape, self._records(delimiter, skip=1 if shape.header else 0)

    def _shape(self, first: list[str], delimiter: str) -> CsvShape:
        try:
            need_label = self.options.unlabelled == "error"
            shape = detect_shape(without_padding(first), delimiter, self.options.columns, need_label)
        except InputError as error:
            raise InputError(f"{self.name}: {error.message}", error.hint) from None
        if delimiter != "," and self.options.delimiter is None:
            named = {"\t": "tabs", ";": "semicolons", "|": "bars"}[delimiter]
            shape = replace(shape, notes=(f"fields are separated by {named}", *shape.notes))
        return shape

    def _open(self) -> TextIO:
        encoding = self.options.encoding
        if codecs.lookup(encoding).name == "utf-8":
            encoding = "utf-8-sig"  # a BOM, when there is one, is not part of the first field
        try:
            return open(self.path, encoding=encoding, newline="")
        except OSError as error:
            raise InputError(f"{self.name}: the file cannot be read", "check the path") from error

    def _records(self, delimiter: str, skip: int = 0) -> _Records:
        """(line, fields) of each row that is not blank, after the first ``skip`` ones."""
        csv.field_size_limit(_MAX_FIELD)
        # Blanks before a quote are not part of a field: `a.jpg, "x, y"` has two.
        skip_blanks = delimiter != " "
        with self._open() as stream:
            reader = csv.reader(stream, delimiter=delimiter, strict=True, skipinitialspace=skip_blanks)
            while True:
                line = reader.line_num + 1
                try:
                    fields = self._guard(stream, next, reader, None)
                except csv.Error as error:
                    yield line, self._malformed(line, str(error))
                    continue
                if fields is None:
                    return
                if not any(map(str.strip, fields)):
                    continue
                if skip:
                    skip -= 1
                else:
                    yield line, fields

    def _malformed(self, line: int, message: str) -> Rejected:
        """Translates csv's words; trouble that swallows the rest of the file stops the reading."""
        hint = "close the quote, or double it when it belongs to the text"
        if "unexpected end" in message:
            raise InputError(f"{self.name}: line {line}: a quote that opens here is never closed", hint)
        if "field limit" in message:
            most = f"{_MAX_FIELD:,} characters"
            what = f"a field has more than {most}; is a quote that opens here never closed?"
            raise InputError(f"{self.name}: line {line}: {what}", hint)
        return Rejected("malformed_row", detail="text follows a closing quote")

    def _guard(self, stream: TextIO, read: Callable[..., _T], *args: object) -> _T:
        """Calls ``read``; bytes of another encoding become an error that names their place."""
        try:
            return read(*args)
        except UnicodeError:
            where = _find_bad_byte(self.path, stream.encoding)
        guess = _encoding_by_mark(self.path) or "cp1252"
        raise InputError(
            f"{self.name}: {where} is not {self.options.encoding}",
            f"save the file as UTF-8 or name its encoding, as in --encoding {guess}",
        )


def _skip_blank_lines(stream: TextIO) -> str:
    for line in stream:
        if line.strip():
            return line
    return ""


def _encoding_by_mark(path: str) -> str:
    """utf-16 when the file begins with its byte order mark; empty when nothing can be told."""
    with open(path, "rb") as raw:
        return "utf-16" if raw.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else ""


def _find_bad_byte(path: str, encoding: str) -> str:
    """`line 7, byte 1234` of the first byte that the encoding does not know."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), translate=True)
    line, step = 1, 1 << 16
    with open(path, "rb") as raw:
        while True:
            state = decoder.getstate()
            data = raw.read(step)
            try:
                line += decoder.decode(data, final=not data).count("\n")
            except UnicodeError as error:
                if step == 1:
                    # An error counts from what the decoder held back of the bytes before.
                    back = len(error.object) - error.start if isinstance(error, UnicodeDecodeError) else 0
                    return f"line {line}, byte {raw.tell() - back}"
                step = 1
                decoder.setstate(state)
                raw.seek(-len(data), os.SEEK_CUR)
            else:
                if not data:
                    return "the text"


def without_padding(fields: list[str]) -> list[str]:
    """Without the empty fields that spreadsheets leave at the end of a row."""
    if fields[-1]:
        return fields
    end = len(fields)
    while end > 1 and not fields[end - 1]:
        end -= 1
    return fields[:end]


_Parsed = tuple[str, str, list[str]]  # split field, image_uri, label fields


def _to_row(
    line: int, fields: list[str] | Rejected, shape: CsvShape, parse: Callable[[list[str], CsvShape], _Parsed]
) -> Row:
    if isinstance(fields, Rejected):
        return Row(line, None, "", (), fields)
    try:
        word, uri, names = parse(without_padding([field.strip() for field in fields]), shape)
    except Rejected as problem:
        return Row(line, None, "", (), problem)
    labels = tuple(filter(None, names))
    if len(labels) > 1:
        labels = tuple(dict.fromkeys(labels))
    split = parse_split(word)
    return Row(line, split, uri, labels, _problem_of(word, split, uri, labels))


def _problem_of(word: str, split: str | None, uri: str, labels: tuple[str, ...]) -> Rejected | None:
    if split is None:
        return Rejected("unknown_split", value=repr(word), suggestion=suggest_split(word))
    if not uri:
        return Rejected("no_image_uri")
    if has_control_characters(uri):
        return Rejected("control_character", field="image_uri")
    scheme = scheme_of(uri) if ":" in uri else ""
    if scheme not in ("", "file"):
        return Rejected("unsupported_scheme", scheme=scheme)
    if split != DISCARD and any(map(has_control_characters, labels)):
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
    names = [_field(fields, column) for column in shape.labels]
    if len(fields) > width:
        names += fields[width:]
    split = UNASSIGNED if shape.split is None else _field(fields, shape.split)
    return split, _field(fields, shape.image), names


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
