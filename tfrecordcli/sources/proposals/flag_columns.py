"""Columns of yes and no, one for each label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.sources.label_fields import is_flag, is_yes, tick_of
from tfrecordcli.sources.proposals.table import Table, column_of

_UNSURE: Final = frozenset(("-1", "-1.0"))


def flag_columns(table: Table, free: Iterable[int]) -> list[int]:
    """Columns that hold 0 and 1 and nothing else."""
    columns = {i: column_of(table, i) for i in free}
    return [i for i, fields in columns.items() if fields and all(map(is_flag, fields))]


def finding_columns(table: Table, free: Sequence[int]) -> list[int]:
    """Columns of 0 and 1, and beside these such with -1 as well, which stands for unsure in CheXpert.

    Left out they would be missed silently; rows with -1 are rejected, and counted.
    """
    flags = flag_columns(table, free)
    columns = {i: {*column_of(table, i)} - _UNSURE for i in free if flags}
    return [i for i in free if i in flags or (columns.get(i) and all(map(is_flag, columns[i])))]


def ticked_columns(table: Table, free: Iterable[int]) -> list[int]:
    """Columns whose fields are ticks or blank, the same tick in all of them."""
    ticks = {i: tick_of(column_of(table, i)) for i in free}
    chosen = [i for i, tick in ticks.items() if tick]
    return chosen if len({ticks[i] for i in chosen}) == 1 else []


def are_one_of(table: Table, columns: Sequence[int]) -> bool:
    """Whether each row has a 1 in exactly one of these columns, and each of these in some row."""
    ones = [[i for i in columns if i < len(row) and is_yes(row[i])] for row in table]
    return bool(ones) and all(len(each) == 1 for each in ones) and {each[0] for each in ones} == set(columns)
