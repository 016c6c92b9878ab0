"""Columns of yes and no, one for each label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.sources.label_fields import is_flag, is_yes, tick_of
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.proposals.table import Table, column_of

_UNSURE: Final = frozenset(("-1", "-1.0"))
# So many columns are findings where none is sure: of these so many hold 0 and 1 as well.
_FINDINGS: Final = 3
_UNSURE_FINDINGS: Final = 2


def flag_columns(table: Table, free: Iterable[int]) -> list[int]:
    """Columns that hold 0 and 1 and nothing else."""
    columns = {i: column_of(table, i) for i in free}
    return [i for i, fields in columns.items() if fields and all(map(is_flag, fields))]


def finding_columns(table: Table, free: Sequence[int]) -> list[int]:
    """Columns of 0 and 1, and beside these such with -1 as well, which stands for unsure in CheXpert.

    Left out they would be missed silently; rows with -1.0 are rejected, and counted. Three columns are such
    also where -1 stands in all of them.
    """
    flags = flag_columns(table, free)
    columns = {i: {*column_of(table, i)} - _UNSURE for i in free}
    found = [i for i in free if i in flags or (columns[i] and all(map(is_flag, columns[i])))]
    are_unsure = len(found) >= _FINDINGS and len(unsure_columns(table, found)) >= _UNSURE_FINDINGS
    return found if flags or are_unsure else []


def unsure_columns(table: Table, flags: Iterable[int]) -> list[int]:
    """Those of columns of 0 and 1 that hold -1 as well; beside 1 alone -1 is no, as CelebA has it."""
    fields = {i: {*column_of(table, i)} for i in flags}
    are_beside = (i for i, each in fields.items() if each & _UNSURE and any(map(is_yes, each)))
    return [i for i in are_beside if any(not is_yes(field) for field in fields[i] - _UNSURE)]


def settled(names: Sequence[str], name: str, delimiter: str) -> str:
    """A hint with the command that writes 0 for -1 in some columns.

    Args:
      names: of these columns.
      name, delimiter: of the list.
    """
    columns = ", ".join(map(literal, names))
    change = f'c, v = [{columns}], "0"; t[c] = t[c].replace(["-1", "-1.0"], v); t'
    command = changed(name, delimiter, change, "settled")
    if not command:
        return "write 0 or 1 for it"
    return f'write 0 for it (with v as "1": 1): {command}, and convert that with --unlabelled keep'


def ticked_columns(table: Table, free: Iterable[int]) -> list[int]:
    """Columns whose fields are ticks or blank, the same tick in all of them."""
    ticks = {i: tick_of(column_of(table, i)) for i in free}
    chosen = [i for i, tick in ticks.items() if tick]
    return chosen if len({ticks[i] for i in chosen}) == 1 else []


def are_one_of(table: Table, columns: Sequence[int]) -> bool:
    """Whether each row has a 1 in exactly one of these columns, and each of these in some row."""
    ones = [[i for i in columns if i < len(row) and is_yes(row[i])] for row in table]
    return bool(ones) and all(len(each) == 1 for each in ones) and {each[0] for each in ones} == set(columns)
