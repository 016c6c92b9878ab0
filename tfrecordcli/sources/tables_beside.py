"""A small table beside a list in one sheet, such as counts of its labels, behind a column without a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.column_words import listed
from tfrecordcli.sources.csv_shape import detect_shape
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.units import plural

_LOOKED_AT: Final = 1_000  # rows


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
    count = _rows_beside(list(islice(rows, _LOOKED_AT)), end) if end else 0
    if not count or not _is_mixed(header, end, options, delimiter):
        return
    code = f"w.writerows(f[:{end}] for f in r if any(f[:{end}]))"
    names = listed([each for each in header[end:] if each])
    raise InputError(
        "two tables stand side by side: behind a column without a name, "
        f"{names} have values in the first {plural(count, 'row')} only",
        f"keep the left one, {made_by('', rows_by(code, delimiter), name)}; "
        "where all of it is one list, give that column a name",
    )


def _rows_beside(table: Sequence[list[str]], end: int) -> int:
    """How many rows at the head have values behind an empty column; 0: others have some, too, or all have.

    Args:
      end: number of the column.
    """
    is_filled = [any(row[end + 1 :]) for row in table]
    count = sum(is_filled)
    is_head = all(is_filled[:count]) and count < len(table)
    return count if is_head and not any(field for row in table for field in row[end : end + 1]) else 0


def _is_mixed(header: Sequence[str], end: int, options: ReadOptions, delimiter: str) -> bool:
    """Whether what is read of a list has to do with columns behind this one, or nothing can be read so."""
    try:
        shape = detect_shape(header, delimiter, options)
    except InputError:
        return True
    if shape.is_table:
        return not options.features
    sides = shape.boxes.used if shape.boxes else ()
    used = {shape.split, shape.image, *shape.labels, *sides}
    return any(number is not None and number > end for number in used)
