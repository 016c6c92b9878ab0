"""Columns of numbers that have a unit, a currency or marks of thousands in all rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tfrecordcli.number_notation import Notation, notation_of
from tfrecordcli.sources.proposals.table import KeptTable, Table, column_of


def notations(table: Table, columns: Iterable[int]) -> Mapping[int, Notation]:
    """How the numbers of a column are written, of each in which all are in one way that is not plain."""
    told = {i: notation_of(column_of(table, i)) for i in columns}
    return {i: notation for i, notation in told.items() if notation is not None}


def in_plain_numbers(table: Table, written: Mapping[int, Notation]) -> Table:
    """The same rows, with plain numbers in such columns."""
    if not written:
        return table
    return KeptTable([_plain(row, written) for row in table])


def _plain(row: Sequence[str], written: Mapping[int, Notation]) -> list[str]:
    return [written[i].plain(field) if i in written else field for i, field in enumerate(row)]
