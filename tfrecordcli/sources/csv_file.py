"""A CSV file of rows: streamed, every field text, each row with its line number.

The standard csv module reads it. pandas would take the first row of a headerless file for a header,
turn the label `NA` into nothing and `007` into 7, and stop at ragged rows.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, starmap
from typing import Final, TextIO

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import IMAGE_TARGET, Feature
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.column_words import are_names_above, names_a_file
from tfrecordcli.sources.columns_behind import with_columns_behind
from tfrecordcli.sources.csv_shape import CsvShape, detect_delimiter, detect_shape
from tfrecordcli.sources.header_apart import need_one_delimiter
from tfrecordcli.sources.numpy_values import has_numpy_values, without_types
from tfrecordcli.sources.other_files import kind_of_json, need_a_list
from tfrecordcli.sources.plain_rows import Block, block_parser, blocks_of
from tfrecordcli.sources.proposals.unread import Unread, given_columns
from tfrecordcli.sources.reading import PLAIN, Reading
from tfrecordcli.sources.repeated_header import header_in, tells_headers
from tfrecordcli.sources.reported import report_of
from tfrecordcli.sources.row import Malformed, Row, RowParser
from tfrecordcli.sources.row_fields import within, without_padding
from tfrecordcli.sources.row_names import ROW_NAMES, have_row_names, naming_row_names, need_named_index
from tfrecordcli.sources.rows import row_parser
from tfrecordcli.sources.sizes_of_boxes import with_sizes_of_images
from tfrecordcli.sources.tables_beside import need_one_table
from tfrecordcli.sources.text_encoding import OtherMark, encoding_by_mark, is_utf, not_text, open_text
from tfrecordcli.sources.text_lines import MAX_ROW, Lines, TooLong
from tfrecordcli.sources.title_lines import LOOKED_AT, above_a_table, below_a_title
from tfrecordcli.sources.unclosed_quotes import MAX_FIELD, is_swallowing, malformed, swallowed

# (line, fields), or why a row has none; closing it closes the file.
_Records = Generator[tuple[int, list[str] | Malformed], None, None]
_TELL_EVERY: Final = 10_000
_SAMPLE: Final = 1_000  # rows that are looked at for what columns may hold
_QUOTED_BY_BLANKS: Final = re.compile(r'"[^"]*"(?: +"[^"]*")+')
_BLANKS_HINT: Final = "where blanks stand between its fields: --delimiter ' '"


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
      has_own_words: whether that list has people's own words for splits, which `--split-map` renames.
      assumed_form: of the boxes of that list, where neither it nor the user says which.
      calls_xy: whether that list calls the place of boxes x and y alone, which may be their centres.
      form_of_origin: of the boxes of that list, as the user says.
      columns_of_origin: that the user named of that list.
      group_of_origin: key of that list that tells what several of its images come from.
      encoding_of_origin: of that list.
      has_names: whether its first row names columns for certain.
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
    has_own_words: bool = False
    assumed_form: BoxFormat | None = None
    calls_xy: bool = False
    form_of_origin: BoxFormat | None = None
    columns_of_origin: tuple[tuple[str, str], ...] = ()
    group_of_origin: str = ""
    encoding_of_origin: str = "utf-8"
    has_names: bool = False

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
        try:
            if not self.is_own:
                need_a_list(self.path, self.name)
        except OSError as error:
            raise self._cannot_be_read() from error
        with self._open() as stream:
            first_line = self._first_line(stream)
        if kind := kind_of_json(first_line):
            raise InputError(f"{self.name}: this looks like {kind}", "convert it to CSV first")
        delimiter = self.options.delimiter or detect_delimiter(first_line)
        with closing(self._records(delimiter)) as records:
            first = next(records, None)
        if first is None:
            raise InputError(f"{self.name}: there is no row in it", "is it the right file?")
        line, fields = first
        if isinstance(fields, Malformed):
            hint = _BLANKS_HINT if _QUOTED_BY_BLANKS.fullmatch(first_line.strip()) else ""
            raise InputError(f"{self.name}: line {line}: {fields.problem.reason}", hint)
        return self._shape([field.strip() for field in fields], delimiter)

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
        width, first = len(first), without_padding(first)
        if self.options.task == "tabular" and not self.is_own and (title := self._title(above_a_table)):
            raise InputError(f"{self.name}: the first line is one field, and rows below have several", title)
        rows = partial(self._rows_below, delimiter, first)
        try:
            options = replace(self.options, columns=given_columns(self.options))
            if not self.is_own:
                need_named_index(first, rows(), self.options, self.name, delimiter)
                need_one_table(first, rows(), options, self.name, delimiter)
                need_one_delimiter(first, rows(), self.name, delimiter)
            is_named = self.has_names or (not self.is_own and are_names_above(first, islice(rows(), _SAMPLE)))
            shape = detect_shape(first, delimiter, options, self.features, is_named=is_named)
            # A slash may be that of a title, as of a year.
            if not (self.is_own or shape.header or names_a_file(first[0])) and len(first) == 1:
                self._need_no_title()
            if not self.is_own:
                shape = with_sizes_of_images(shape, islice(rows(), _SAMPLE))
                if width > len(first) and shape.open_ended:
                    shape = with_columns_behind(shape, islice(rows(), _SAMPLE), self.name)
        except InputError as error:
            if have_row_names(first, list(islice(rows(), _SAMPLE))):
                hint = naming_row_names(delimiter, self.name)
                raise InputError(f"{self.name}: {ROW_NAMES}", hint) from None
            from tfrecordcli.sources.proposals.columns_unnamed import way_out

            unread = Unread(self.name, self.options, first, delimiter, rows)
            title = self._title(below_a_title)
            raise InputError(f"{self.name}: {error.message}", title or way_out(error, unread)) from None
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

    def _need_no_title(self) -> None:
        if self._title(below_a_title):
            raise InputError("the first line is one field, and those below have several")

    def _title(self, find: Callable[[list[str], str], str]) -> str:
        """How to leave out what stands above the rows, as ``find`` has it of the first lines; else empty."""
        with self._open() as stream, suppress(csv.Error, UnicodeError, TooLong):  # told where rows are read
            return find(list(islice(Lines(stream), LOOKED_AT)), self.name)
        return ""

    def _rows_below(self, delimiter: str, header: Sequence[str]) -> Iterator[list[str]]:
        """The rows below a header, which names no columns that are known, outer blanks removed."""
        with closing(self._records(delimiter, CsvShape(delimiter, tuple(header)))) as records:
            for _, fields in records:
                if not isinstance(fields, Malformed):
                    yield within([field.strip() for field in fields], len(header))

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
        csv.field_size_limit(MAX_FIELD)
        # Blanks before a quote are not part of a field: `a.jpg, "x, y"` has two.
        skip_blanks = delimiter != " " and not self.is_listing
        skip = 1 if shape is not None and shape.header else 0
        report = report_of(shape.header) if shape is not None and not self.is_own else None
        header = shape.header if shape is not None and (report or self._tells_headers(shape)) else ()
        # Fields of a row with a header behind it; of each row of a report, which has columns for them.
        joined = len(header) if report else 2 * len(header) - 1
        header_again = report.header_in if report else partial(header_in, header=header)
        with self._open() as stream:
            lines = Lines(stream)
            reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=skip_blanks)
            has_types = not self.is_listing and has_numpy_values(self.path, self.options.encoding, delimiter)
            plain = partial(map, without_types) if has_types else iter
            line = 1
            while True:
                try:
                    for fields in plain(reader):
                        end = reader.line_num
                        if end > line and not self.is_own and is_swallowing(fields, shape, delimiter):
                            raise swallowed(self.name, line, end, delimiter)
                        # Nearly every row begins with a character that is none of the many blanks of Unicode.
                        is_text = self.is_listing or (fields and "!" <= fields[0] < "\x7f")
                        if is_text or any(map(str.strip, fields)):
                            if skip:
                                skip -= 1
                            elif header and (
                                (len(fields) == joined or fields[0].strip() == header[0])
                                and (code := header_again(fields))
                            ):
                                yield line, Malformed(Rejected(code), parsed=tuple(fields))
                            else:
                                yield line, fields
                        lines.row = line = end + 1
                        if not line % _TELL_EVERY and on_bytes:
                            on_bytes(stream.buffer.tell())
                    return
                except csv.Error as error:
                    problem = malformed(self.name, line, reader.line_num, delimiter, str(error))
                    text = lines.text(reader.line_num)
                except UnicodeError:
                    raise self._not_text() from None
                except TooLong:
                    raise self._too_long(line) from None
                yield line, Malformed(problem, text.rstrip("\r\n"))
                lines.row = line = reader.line_num + 1

    def _tells_headers(self, shape: CsvShape) -> bool:
        """Whether a row that equals the header is no row."""
        if not shape.header or self.is_own:
            return False
        if shape.image is not None:
            return True
        with self._open() as stream, suppress(csv.Error, UnicodeError, TooLong):  # told where rows are read
            reader = csv.reader(Lines(stream), delimiter=shape.delimiter, skipinitialspace=True)
            table = [list(map(str.strip, fields)) for fields in islice(reader, _SAMPLE)]
            options = self.options
            asked = options.features or options.split_by is not None
            is_known = bool(shape.labels or given_columns(self.options) or shape.split is not None or asked)
            return tells_headers(table, shape, self.options.na, is_known)
        return False

    def _too_long(self, line: int) -> InputError:
        return InputError(
            f"{self.name}: line {line}: the row is longer than {MAX_ROW:,} characters",
            "is this an image list?",
        )

    def _not_text(self) -> InputError:
        """Bytes of another encoding: names their place."""
        return not_text(self.path, self.name, self.options.encoding)
