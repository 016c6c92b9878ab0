"""A header that comes again among the rows of a list, as where files were joined."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.proposals.table import column_of


def tells_headers(table: Sequence[list[str]], shape: CsvShape, na: Collection[str], is_known: bool) -> bool:
    """Whether a row that equals the header can be told from a row of values, in a table of no images.

    Numbers in a column tell, and where the name of one is known, words of the header that are no values.
    Of other tables of words the first row may be one of values, and any row `yes,no`.

    Args:
      table: first rows, without blanks around their fields.
      na: words for no value.
      is_known: whether the name of a column is one that is known, or was given.
    """
    others = [fields for fields in table if tuple(fields) != shape.header]
    for number, name in enumerate(shape.header):
        values = set(column_of(others, number))
        others_than_name = values - {name, *na}
        if others_than_name and all(map(WRITTEN_NUMBER.fullmatch, others_than_name)):
            return True
        if is_known and name not in values:
            return True
    return False


def header_in(fields: list[str], header: tuple[str, ...]) -> str:
    """The code of why a row is none: it is the header, or has it behind it; empty where it is a row.

    The header stands at the end of a row where a file before it ended without a line break.
    """
    if len(header) < 2:
        return ""
    words = tuple(map(str.strip, fields))
    if words == header:
        return "repeated_header"
    last, *others = words[len(header) - 1 :] or ("",)
    is_behind = tuple(others) == header[1:] and last.endswith(header[0]) and last != header[0]
    return "header_behind" if is_behind else ""
