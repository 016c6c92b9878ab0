"""A CSV file of rows: streamed, every field text, each row with its line number.

The standard csv module reads it. pandas would take the first row of a headerless file for a header,
turn the label `NA` into nothing and `007` into 7, and stop at ragged rows.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import islice, starmap
from typing import Final, TextIO

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.options import ReadOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import IMAGE_TARGET, Feature
from tfrecordcli.sources.box_columns import BoxFormat, find_box_columns
from tfrecordcli.sources.box_sides import SEVERAL, boxes_side_by_side
from tfrecordcli.sources.box_words import WHOLE_IMAGES, column_of_several
from tfrecordcli.sources.boxes_in_columns import parted_columns
from tfrecordcli.sources.boxes_in_text import (
    is_json_of_boxes,
    parted,
    parted_strings,
    parted_texts,
)
from tfrecordcli.sources.column_words import looks_like_image, names_a_file
from tfrecordcli.sources.csv_shape import CsvShape, detect_delimiter, detect_shape, is_no_header
from tfrecordcli.sources.made_list import as_commas, made_by
from tfrecordcli.sources.other_files import need_a_list
from tfrecordcli.sources.plain_rows import Block, block_parser, blocks_of
from tfrecordcli.sources.proposals import boxes_columns, column_of, propose_columns
from tfrecordcli.sources.reading import PLAIN, Reading
from tfrecordcli.sources.row import Malformed, Row, RowParser
from tfrecordcli.sources.row_fields import without_padding
from tfrecordcli.sources.rows import row_parser
from tfrecordcli.sources.text_encoding import OtherMark, encoding_by_mark, is_utf, not_text, open_text
from tfrecordcli.sources.text_lines import MAX_ROW, Lines, TooLong

# (line, fields), or why a row has none; closing it closes the file.
_Records = Generator[tuple[int, list[str] | Malformed], None, None]
# A field longer than this is not a path or a label but a quote that was never closed.
_MAX_FIELD = 131_072
_TELL_EVERY: Final = 10_000
_SAMPLE: Final = 1_000  # rows that are looked at for what columns may hold
_JSON_ARRAY = re.compile(r'\s*\[\s*(?:$|[{\["])')
_QUOTE_HINT = "close the quote, or double it when it belongs to the text"


@dataclass(frozen=True, slots=True)
class RowFile:
    """A CSV file on disk whose rows can be read again and again.

    Attributes:
      path: of the file.
      name: as messages call it.
      options: how it is read.
      is_own: whether tfrec wrote it, so that its quotes are as they are meant.
      is_listing: whether its images are files that were found, whose names are taken as they are.
      features: that come from further columns.
      reading: how the words of its rows are understood.
      attributes: of boxes, in the order in which rows tell them.
      is_spooled: whether tfrec wrote it from a list of another form; its lines mean nothing to people.
      assumed_form: of the boxes of that list, where neither it nor the user says which.
    """

    path: str
    name: str
    options: ReadOptions
    is_own: bool = False
    is_listing: bool = False
    features: tuple[Feature, ...] = ()
    reading: Reading = PLAIN
    attributes: tuple[str, ...] = ()
    is_spooled: bool = False
    assumed_form: BoxFormat | None = None

    @property
    def tells_lines(self) -> bool:
        """Whether people find a row by the number of its line."""
        return not (self.is_listing or self.is_spooled)

    def read(self, on_bytes: Callable[[int], None] | None = None) -> tuple[CsvShape, Iterator[Row]]:
        """The file's shape, and its rows in order (lazily; blank lines left out).

        Args:
          on_bytes: told now and then how much of the file was read.

        Raises:
          InputError: not text in the given encoding, no usable header, a quote never closed.
        """
        shape, records = self.read_records(on_bytes)
        return shape, starmap(self.parser(shape), records)

    def read_blocks(self, on_bytes: Callable[[int], None] | None = None) -> tuple[CsvShape, Iterator[Block]]:
        """The same, rows in blocks, which takes a fraction of the time."""
        shape, records = self.read_records(on_bytes)
        parse_block = block_parser(shape, self.is_listing, self.features, self.reading)
        return shape, blocks_of(records, self.parser(shape), parse_block)

    def parser(self, shape: CsvShape) -> RowParser:
        """A function from a record of `read_records`, line and fields, to its row."""
        return row_parser(shape, self.name, self.is_listing, self.features, self.reading, self.attributes)

    def read_records(self, on_bytes: Callable[[int], None] | None = None) -> tuple[CsvShape, _Records]:
        """The file's shape and its data records as (line, fields), fields as written."""
        shape = self.shape()
        return shape, self._records(shape.delimiter, shape, on_bytes)

    def shape(self) -> CsvShape:
        """The file's shape, from its first row.

        Raises:
          InputError: as `read`.
        """
        if not self.is_own:
            self._need_a_list()
        with self._open() as stream:
            first_line = self._first_line(stream)
        if first_line.lstrip().startswith("{"):
            kind = "JSON Lines" if first_line.rstrip().endswith("}") else "JSON"
            raise InputError(f"{self.name}: this looks like {kind}", "convert it to CSV first")
        if _JSON_ARRAY.match(first_line):
            raise InputError(f"{self.name}: this looks like a JSON array", "convert it to CSV first")
        delimiter = self.options.delimiter or detect_delimiter(first_line)
        with closing(self._records(delimiter)) as records:
            first = next(records, None)
        if first is None:
            raise InputError(f"{self.name}: there is no row in it", "is it the right file?")
        line, fields = first
        if isinstance(fields, Malformed):
            raise InputError(f"{self.name}: line {line}: {fields.problem.reason}")
        return self._shape([field.strip() for field in fields], delimiter)

    def _need_a_list(self) -> None:
        try:
            need_a_list(self.path, self.name)
        except OSError as error:
            raise self._cannot_be_read() from error

    def _cannot_be_read(self) -> InputError:
        return InputError(f"{self.name}: the file cannot be read", "check the path")

    def _first_line(self, stream: TextIO) -> str:
        """The first line that is not blank; empty when there is none."""
        lines = Lines(stream)
        number = 1
        try:
            for line in lines:
                if line.strip():
                    return line
                number += 1
                lines.row = number
        except UnicodeError:
            raise self._not_text() from None
        except TooLong:
            raise self._too_long(number) from None
        return ""

    def _shape(self, first: list[str], delimiter: str) -> CsvShape:
        first = without_padding(first)
        try:
            options = replace(self.options, columns=self._columns())
            shape = detect_shape(first, delimiter, options, self.features)
        except InputError as error:
            proposal = self._proposal(first, delimiter) if error.message.startswith("no ") else ""
            several = column_of_several(first)
            if several and several in error.message:
                proposal = f"{parted_strings(self.name, several)}; {WHOLE_IMAGES}"
            if SEVERAL in error.message or (
                error.message.startswith("no label") and boxes_side_by_side(first)
            ):
                proposal = parted_columns(first, self.name, delimiter)
            if proposal and error.message.startswith("no image"):
                proposal += "; --task tabular takes rows without images"
            proposal = proposal or self._header_for(first, delimiter)
            raise InputError(f"{self.name}: {error.message}", proposal or error.hint) from None
        if any(feature.key == IMAGE_TARGET for feature in self.features):
            shape = replace(shape, labels=())
        if delimiter != "," and self.options.delimiter is None:
            named = {"\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}[delimiter]
            shape = replace(shape, notes=(f"fields are separated by {named}", *shape.notes))
        encoding = self.options.encoding
        if not is_utf(encoding) and encoding_by_mark(self.path) == "utf-8":
            note = f"the file begins with the mark of UTF-8 but is read as {encoding}, as --encoding says"
            shape = replace(shape, notes=(note, *shape.notes))
        return shape

    def _columns(self) -> tuple[tuple[str, str], ...]:
        """(purpose, column name) pairs that the user gave."""
        return (*self.options.columns, *(("label", name) for name in self.options.one_hot))

    def _header_for(self, first: list[str], delimiter: str) -> str:
        """The command that writes a header above rows of words and numbers; empty where the first is none."""
        are_values = len(first) > 1 and is_no_header(first) and not all(map(WRITTEN_NUMBER.fullmatch, first))
        if not are_values or any(map(names_a_file, first)):
            return ""
        names = ("image", "label", *(f"column_{i}" for i in range(3, len(first) + 1)))
        command = made_by(",".join(names), as_commas(delimiter), self.name)
        return f"has it no header? {command}, with the names that are true"

    def _proposal(self, header: list[str], delimiter: str) -> str:
        """Options that name the columns of a list whose header does not; empty when it has no such header."""
        if any(map(names_a_file, header)) or is_no_header(header):
            return ""
        with closing(self._records(delimiter)) as records:
            table = [
                [field.strip() for field in fields]
                for _, fields in islice(records, 1, _SAMPLE)
                if not isinstance(fields, Malformed)
            ]
        boxes = boxes_columns(table, range(len(header)))
        if boxes:
            image = next(number for number in (*range(len(header)), 0) if number not in boxes)
            what = f"column {header[boxes[0]]} holds classes and boxes as text, which is not read"
            return f"{what}: {parted_texts(table[0][boxes[0]], self.name, header, image, boxes[0])}"
        for number, name in enumerate(header):
            field = next(filter(is_json_of_boxes, column_of(table, number)), "")
            if field:
                return (
                    f"column {name} holds boxes as JSON, which is not read: {parted(name, field, self.name)}"
                )
        options = propose_columns(_without_sides(header), table, self._columns())
        columns = {name: column_of(table, number) for number, name in enumerate(header)}
        images = [name for name, fields in columns.items() if fields and all(map(looks_like_image, fields))]
        one = f"; a record holds one image, of {', '.join(images)}" if len(images) > 1 else ""
        return (
            f"name the columns, as in {options} (--unlabelled keep: none is a label){one}" if options else ""
        )

    def _open(self) -> TextIO:
        try:
            return open_text(self.path, self.options.encoding)
        except OtherMark as error:
            what = f"the file begins with the mark of {error.encoding}, not of {self.options.encoding}"
            raise InputError(f"{self.name}: {what}", f"use --encoding {error.encoding}") from None
        except OSError as error:
            raise self._cannot_be_read() from error

    def _records(
        self,
        delimiter: str,
        shape: CsvShape | None = None,
        on_bytes: Callable[[int], None] | None = None,
    ) -> _Records:
        """(line, fields) of each row that is not blank, after the header that ``shape`` may have."""
        csv.field_size_limit(_MAX_FIELD)
        # Blanks before a quote are not part of a field: `a.jpg, "x, y"` has two.
        skip_blanks = delimiter != " " and not self.is_listing
        skip = 1 if shape is not None and shape.header else 0
        first = self._first_of_headers(shape)
        with self._open() as stream:
            lines = Lines(stream)
            reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=skip_blanks)
            line = 1
            while True:
                try:
                    for fields in reader:
                        end = reader.line_num
                        if end > line and not self.is_own and _is_swallowing(fields, shape, delimiter):
                            raise self._swallowed(line, end)
                        # Nearly every row begins with a character that is none of the many blanks of Unicode.
                        is_text = self.is_listing or (fields and "!" <= fields[0] < "\x7f")
                        if is_text or any(map(str.strip, fields)):
                            if skip:
                                skip -= 1
                            elif first is not None and fields[0] == first and _is_header(fields, shape):
                                text = lines.text(end).rstrip("\r\n")
                                yield line, Malformed(text, Rejected("repeated_header"))
                            else:
                                yield line, fields
                        lines.row = line = end + 1
                        if not line % _TELL_EVERY and on_bytes:
                            on_bytes(stream.buffer.tell())
                    return
                except csv.Error as error:
                    problem = self._malformed(line, reader.line_num, str(error))
                    text = lines.text(reader.line_num)
                except UnicodeError:
                    raise self._not_text() from None
                except TooLong:
                    raise self._too_long(line) from None
                yield line, Malformed(text.rstrip("\r\n"), problem)
                lines.row = line = reader.line_num + 1

    def _first_of_headers(self, shape: CsvShape | None) -> str | None:
        """The first field of a row that is the header again; None: none could be told from other rows.

        What an image is called tells, and a column of numbers: of a table of words any row may be `yes,no`.
        """
        if shape is None or not shape.header or self.is_own:
            return None
        if shape.image is not None:
            return shape.header[0]
        with self._open() as stream, suppress(csv.Error, UnicodeError, TooLong):  # told where rows are read
            reader = csv.reader(Lines(stream), delimiter=shape.delimiter, skipinitialspace=True)
            table = [list(map(str.strip, fields)) for fields in islice(reader, _SAMPLE)]
            for number, name in enumerate(shape.header):
                others = set(column_of(table, number)) - {name, *self.options.na}
                if others and all(map(WRITTEN_NUMBER.fullmatch, others)):
                    return shape.header[0]
        return None

    def _swallowed(self, line: int, end: int) -> InputError:
        """A quote that runs on would make one row of many, and lose the others without a word."""
        return InputError(
            f"{self.name}: line {line}: a quote that opens here is closed only in line {end}", _QUOTE_HINT
        )

    def _malformed(self, line: int, end: int, message: str) -> Rejected:
        """Translates csv's words; an error that swallows other lines stops the reading."""
        hint = _QUOTE_HINT
        if "unexpected end" in message:
            raise InputError(f"{self.name}: line {line}: a quote that opens here is never closed", hint)
        if "field limit" in message:
            most = f"{_MAX_FIELD:,} characters"
            what = f"a field has more than {most}; is a quote that opens here never closed?"
            raise InputError(f"{self.name}: line {line}: {what}", hint)
        if end > line:
            raise self._swallowed(line, end)
        return Rejected("malformed_row", detail="text follows a closing quote")

    def _too_long(self, line: int) -> InputError:
        return InputError(
            f"{self.name}: line {line}: the row is longer than {MAX_ROW:,} characters",
            "is this an image list?",
        )

    def _not_text(self) -> InputError:
        """Bytes of another encoding: names their place."""
        return not_text(self.path, self.name, self.options.encoding)


def _without_sides(header: list[str]) -> list[str]:
    """The names of columns, but for those of boxes: a `y` among these is no label."""
    with suppress(InputError):
        boxes = find_box_columns(header)
        taken = boxes.used if boxes else ()
        return ["" if number in taken else name for number, name in enumerate(header)]
    return header


def _is_swallowing(fields: list[str], shape: CsvShape | None, delimiter: str) -> bool:
    """Whether a row over several lines is so because of a quote that was not closed.

    No field that is used holds a line break. In other columns (notes, say) they may be meant, unless what
    comes after one is a row of this list.
    """
    if shape is None or not shape.header:
        return True
    used = {shape.split, shape.image, *shape.labels, *shape.further}
    for column, field in enumerate(fields):
        if "\n" not in field and "\r" not in field:
            continue
        if column in used or column >= len(shape.header):
            return True
        if any(_is_row(line.split(delimiter), shape) for line in field.splitlines()[1:]):
            return True
    return False


def _is_header(fields: list[str], shape: CsvShape | None) -> bool:
    """Whether a row holds the names of all columns: two at least, of which the first was seen to be there."""
    return shape is not None and len(fields) > 1 and tuple(map(str.strip, fields)) == shape.header


def _is_row(fields: list[str], shape: CsvShape) -> bool:
    if shape.image is None:
        return len(fields) == len(shape.header)
    return len(fields) == len(shape.header) and looks_like_image(fields[shape.image].strip())
