"""The first rows of a list, by which it is told what its columns hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import dropwhile, islice
from typing import Final

from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.row import Malformed
from tfrecordcli.sources.row_fields import within, words_of

MOST_ROWS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Sample:
    """The first rows of a list.

    Attributes:
      table: their fields, outer blanks removed.
      words: (split word, image, label fields) of those that have them.
      lines: the line in which the first of them begins, and the one in which the next row does.
    """

    shape: CsvShape
    table: Sequence[Sequence[str]]
    words: Sequence[tuple[str, str, list[str]]]
    lines: tuple[int, int]

    def fields(self, column: int) -> list[str]:
        """The fields of a column."""
        return [fields[column] for fields in self.table if column < len(fields)]

    def parts(self, columns: Iterable[str]) -> list[list[str]]:
        """The fields of each row in columns of these names, of rows that are long enough."""
        numbers = list(map(self.shape.header.index, columns))
        return [[fields[i] for i in numbers] for fields in self.table if max(numbers) < len(fields)]

    def unread(self, is_wanted: Callable[[str], bool]) -> dict[str, list[str]]:
        """Fields of columns that no part of a record is made of, by their names, of those that are wanted."""
        shape = self.shape
        used = {shape.split, shape.image, *shape.labels, *shape.further}
        used.update(shape.boxes.used if shape.boxes else ())
        return {
            name: self.fields(i) for i, name in enumerate(shape.header) if i not in used and is_wanted(name)
        }


def later_rows(rows: RowFile) -> Iterator[list[str]]:
    """The fields of the rows behind those of the sample, as it has them."""
    shape, records = rows.read_records()
    with closing(records):
        yield from _table(shape, (fields for _, fields in islice(records, MOST_ROWS, None)))


def _table(shape: CsvShape, records: Iterable[list[str] | Malformed]) -> Iterator[list[str]]:
    for record in records:
        if not isinstance(record, Malformed):
            fields = [field.strip() for field in record]
            yield within(fields, len(shape.header)) if shape.header else fields


def sample_of(rows: RowFile) -> Sample:
    """The first 1,000 rows.

    Raises:
      InputError: the list cannot be read.
    """
    shape, records = rows.read_records()
    with closing(records):
        read = list(dropwhile(lambda record: isinstance(record[1], Malformed), islice(records, MOST_ROWS)))
    lines = [line for line, _ in read[:2]] or [1]
    table = list(_table(shape, (fields for _, fields in read)))
    words = []
    for fields in table:
        try:
            word, uri, names = words_of(shape, fields)
        except Rejected:
            continue  # told with the other rejects
        if shape.delimiter == " " and not shape.header:
            names = [name for name in names if name]  # of several blanks each parts fields
        words.append((word, uri, names))
    return Sample(shape, table, words, (lines[0], lines[-1]))
