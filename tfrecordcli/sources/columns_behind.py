"""Columns without a name behind the last that has one: further labels, or an index, a remark, a note."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import FURTHER_LABEL
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.units import plural

_SHARE: Final = 1 / 2  # of what stands there, which names of labels are at least


def with_columns_behind(shape: CsvShape, rows: Iterable[list[str]], name: str) -> CsvShape:
    """The shape of a list whose header goes on behind its last name, so that there are columns without one.

    Args:
      shape: of a list whose last column with a name holds labels.
      rows: the first ones, without blanks around their fields.
      name: of the list.

    Returns:
      The same; where nothing stands in those columns yet, one by which what does later rejects its row.

    Raises:
      InputError: what stands there may be anything.
    """
    width, table = len(shape.header), list(rows)
    behind = [field for row in table for field in row[width:] if field]
    if not behind:
        return replace(shape, is_open_ended=False)
    labels = {row[column] for row in table for column in shape.labels if column < len(row)}
    if sum(field in labels for field in behind) >= _SHARE * len(behind):
        return shape
    raise InputError(
        f"column {width + 1} has no name, and {plural(_filled(table, width), 'row')} have values there, "
        f"such as {behind[0]}",
        f"where they are no labels, leave them out: {_leaving_out(width, shape.delimiter, name)}; "
        f"where they are, give each of their columns a name: {FURTHER_LABEL}2, {FURTHER_LABEL}3 and so on",
    )


def _filled(table: Sequence[list[str]], width: int) -> int:
    return sum(any(row[width:]) for row in table)


def _leaving_out(width: int, delimiter: str, name: str) -> str:
    return made_by("", rows_by(f"w.writerows(f[:{width}] for f in r)", delimiter), name)
