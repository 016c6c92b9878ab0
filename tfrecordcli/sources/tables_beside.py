"""A small table beside a list in one sheet, such as counts of its labels, behind a column without a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import typed_column
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.column_words import listed
from tfrecordcli.sources.csv_shape import detect_shape
from tfrecordcli.sources.further_columns import ALL
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.units import plural

_LOOKED_AT: Final = 1_000  # rows
_FEWEST: Final = 2  # rows of such a table
_SHARE: Final = 1 / 4  # of all rows, at most


def need_one_table(
    header: Sequence[str], rows: Iterable[list[str]], options: ReadOptions, name: str, delimiter: str
) -> None:
    """Refuses a list with a table beside it of which a column would be taken for one of the list.

    Args:
      header: first row of a list.
      rows: those below it, without blanks around their fields.
      options: with all columns that the user named.
      name, delimiter: of the list.

    Raises:
      InputError: with the command that keeps the list.
    """
    end = next((number for number, each in enumerate(header) if number and not each), 0)
    if not end or not _named_in(options) <= {*header[:end]}:
        return
    beside = _rows_beside(list(islice(rows, _LOOKED_AT)), end)
    if not beside or not _tell_something_each(beside, _mixed_with(header, end, options, delimiter)):
        return
    code = f"w.writerows(f[:{end}] for f in r if any(f[:{end}]))"
    names = listed([each for each in header[end:] if each])
    raise InputError(
        "two tables stand side by side: behind a column without a name, "
        f"{names} have values in the first {plural(len(beside), 'row')} only",
        f"keep the left one, {made_by('', rows_by(code, delimiter), name)}; "
        "where all of it is one list, give that column a name",
    )


def _named_in(options: ReadOptions) -> set[str]:
    """The columns that the user named."""
    further = () if options.features == ALL else options.features
    named = [*(name for _, name in options.columns), *(typed_column(each)[0] for each in further)]
    return {*named, *filter(None, [options.split_by])}


def _rows_beside(table: Sequence[list[str]], end: int) -> Sequence[list[str]]:
    """The few rows at the head with values behind an empty column; none where others have some, too.

    Args:
      end: number of the column.
    """
    is_filled = [any(row[end + 1 :]) for row in table]
    count = sum(is_filled)
    is_head = all(is_filled[:count]) and _FEWEST <= count <= len(table) * _SHARE
    return (
        table[:count] if is_head and not any(field for row in table for field in row[end : end + 1]) else ()
    )


def _tell_something_each(rows: Sequence[list[str]], columns: Sequence[int]) -> bool:
    """Whether each of these columns has another text in each row, as columns of small tables have."""
    texts = [[row[number] for row in rows if number < len(row)] for number in columns]
    return bool(columns) and all(len({*some}) == len(rows) for some in texts)


def _mixed_with(header: Sequence[str], end: int, options: ReadOptions, delimiter: str) -> Sequence[int]:
    """The columns behind this one that are read with the list before it, or because of which it is not."""
    try:
        shape = detect_shape(header, delimiter, options)
    except InputError as error:
        return () if _problem(header[:end], options, delimiter) == error.message else (end + 1,)
    if shape.is_table:
        return (end + 1,) if len(header) > end + 2 and not options.features else ()
    labels = [number for number in shape.labels if number > end]
    # Below a list of boxes, or where rows may lack their labels, they are those of the first rows.
    may_lack = shape.boxes is not None or options.unlabelled != "error"
    return labels if not may_lack or len(labels) < len(shape.labels) else ()


def _problem(header: Sequence[str], options: ReadOptions, delimiter: str) -> str:
    """Why no list can have this header; empty where one can."""
    try:
        detect_shape(header, delimiter, options)
    except InputError as error:
        return error.message
    return ""
