"""Columns of numbers that may be to be predicted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.sources.proposals.label_names import is_no_label
from tfrecordcli.sources.proposals.label_weights import weight_columns
from tfrecordcli.sources.proposals.measured import (
    are_apart,
    are_dates,
    are_decimal,
    are_many_numbers,
    are_numbered,
    are_whole,
    count_rows,
    plain_numbers,
)
from tfrecordcli.sources.proposals.number_names import (
    is_age,
    is_certainty,
    is_counted,
    is_id,
    is_measured,
    is_of_kinds,
    is_of_others,
    is_opinion,
    is_place_or_time,
    is_size,
    is_steered,
    is_valued,
)
from tfrecordcli.sources.proposals.table import Columns
from tfrecordcli.sources.proposals.way import Rank, Way

# Fewer different numbers than this are classes.
_FEWEST: Final = 5
_MANY_GRADES: Final = 10


def target_ways(columns: Columns, task: str) -> list[Way]:
    """Columns of numbers: those that are called like what is predicted, then those with a point.

    Without the task, weights of labels are left out, and sizes of files and numbers of rows.

    Args:
      columns: that may be it.
      task: that was asked for.
    """
    if task not in ("auto", "regression"):
        return []
    others = [name for name in columns.names if is_opinion(name) or is_of_others(name)]
    shares = {i: fields for i, fields in columns.fields.items() if columns.names[i] not in others}
    weights = [] if task == "regression" else weight_columns(shares)
    told = {i: _rank(columns, i, task) for i in columns.fields if i not in weights}
    ranks = {i: rank for i, rank in told.items() if rank is not None}

    def order(i: int) -> int:
        if is_counted(columns.names[i]):
            return 0
        return 1 if are_decimal(columns.fields[i]) else 2

    return [Way("target", (i,), ranks[i]) for i in sorted(ranks, key=order)]


def are_many(columns: Columns, way: Way) -> bool:
    """Whether there are so many numbers that they are no classes mostly."""
    return _are_many(columns.fields[way.columns[0]])


def _rank(columns: Columns, number: int, task: str) -> Rank | None:
    """How unlikely a column is one of numbers to predict; None: it is none."""
    name, fields = columns.names[number], columns.fields[number]
    numbers = plain_numbers(fields)
    if is_steered(name) and len({*numbers}) > 1:
        return Rank.SURELY
    if is_of_others(name):
        return Rank.LAST if are_many_numbers(fields) else None
    is_whole = bool(numbers) and are_whole(numbers)
    rank = None
    if are_dates(fields):
        rank = None
    elif is_place_or_time(name) and are_many_numbers(fields):
        rank = None if is_whole and is_no_label(name) else Rank.LAST
    elif is_place_or_time(name) or is_id(name) or (is_whole and is_size(name, columns.names)):
        rank = None
    elif _are_many(fields):
        rank = _rank_of_many(name, fields)
    elif numbers:
        rank = _rank_of_few(name, numbers)
    return Rank.LAST if rank is None and task == "regression" and are_many_numbers(fields) else rank


def _are_many(fields: Sequence[str]) -> bool:
    return are_many_numbers(fields) and (not are_whole(fields) or are_apart(fields))


def _rank_of_many(name: str, fields: Sequence[str]) -> Rank | None:
    if is_opinion(name):
        return Rank.SURELY
    if is_valued(name):
        return Rank.CALLED
    if is_age(name) or is_certainty(name):
        return Rank.AGED
    return None if are_whole(fields) and count_rows(fields) else Rank.NUMBERS


def _rank_of_few(name: str, fields: Sequence[str]) -> Rank | None:
    kinds = len({*fields})
    if kinds < _FEWEST or kinds > 0.9 * len(fields) or (is_of_kinds(name) and are_whole(fields)):
        return None
    if is_age(name) or is_certainty(name):
        return Rank.AGED
    if not are_whole(fields):
        return Rank.UNSAID
    if is_valued(name) and kinds >= _MANY_GRADES:
        return Rank.CALLED
    is_told = is_valued(name) or is_counted(name) or is_measured(name)
    return Rank.NUMBERS if is_told or not are_numbered(fields) else None
