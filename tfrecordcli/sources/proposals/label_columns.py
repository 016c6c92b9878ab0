"""Columns whose fields come again, so that they may be labels."""

from __future__ import annotations

from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.boxes.well_known_text import are_shapes
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.label_fields import is_flag
from tfrecordcli.sources.proposals.captions import are_read
from tfrecordcli.sources.proposals.label_names import (
    chooses_rows,
    is_beside_target,
    is_no_label,
    is_of_groups,
    is_of_two,
    is_respondent,
    unlikely,
)
from tfrecordcli.sources.proposals.label_sets import label_sets
from tfrecordcli.sources.proposals.measured import (
    are_apart,
    are_dates,
    are_many_numbers,
    are_numbered,
    are_whole,
)
from tfrecordcli.sources.proposals.number_names import (
    is_age,
    is_counted,
    is_id,
    is_measured,
    is_of_others,
    is_of_sequences,
    is_place_or_time,
    is_size,
    is_valued,
)
from tfrecordcli.sources.proposals.table import Columns
from tfrecordcli.sources.proposals.way import Rank, Way

_BY_NAME: Final = {0: Rank.SURELY, 1: Rank.CALLED}
# Ids of which each has a name, so that it is no chance.
_NAMED: Final = 3
# So many different whole numbers are no grades mostly, and so many fractions no doses.
_MANY_GRADES: Final = 10
_MANY_DOSES: Final = 5


def label_ways(columns: Columns, *, beside_flags: bool) -> list[Way]:
    """Columns in which fields come again: by names, filled, words, few different ones first.

    Args:
      columns: that may be it.
      beside_flags: whether there are columns of yes and no, before which only words called like labels count.
    """
    kinds = {i: len({*fields}) for i, fields in columns.fields.items()}
    again = [i for i, fields in columns.fields.items() if 1 < kinds[i] < max(2, 0.9 * len(fields))]
    told = {i: _rank(columns, i, kinds[i]) for i in again if not is_no_label(columns.names[i])}
    ranks = {i: rank for i, rank in told.items() if rank is not None}
    numbers = {i for i in ranks if all(map(NUMBER.fullmatch, columns.fields[i]))}
    for i in sorted(i for i in numbers if kinds[i] >= _NAMED):
        words = (j for j in ranks if j not in numbers and kinds[j] == kinds[i])
        names = [j for j in words if _are_names_of(columns, i, j)]
        ranks |= {j: min(ranks[i], ranks[j]) for j in names}
        if names:
            del ranks[i]

    sets = label_sets({i: columns.names[i] for i in ranks}, columns.table)
    firsts = {i: each[0] for each in sets for i in each}

    def order(i: int) -> tuple[int, bool, bool, bool, int, int]:
        first = firsts.get(i, i)  # of which the others are further labels
        name = columns.names[first]
        is_last = is_of_groups(name, columns.names)
        return unlikely(name), is_last, _is_sparse(columns, first), i in numbers, kinds[first], i

    def rank(i: int) -> Rank:
        is_told = not beside_flags or _are_words(columns, i, kinds[i])
        return ranks[i] if is_told else max(ranks[i], Rank.UNSAID)

    return [Way("label", (i,), rank(i)) for i in sorted(ranks, key=order)]


def _rank(columns: Columns, number: int, kinds: int) -> Rank | None:
    """How unlikely a column is one of labels; None: it is none."""
    name, fields = columns.names[number], columns.fields[number]
    if (
        is_beside_target(name)
        or is_of_two(name, fields)
        or is_respondent(name, columns.names)
        or chooses_rows(name)
    ):
        return Rank.BESIDE
    if all(map(IMAGE_EXTENSION.search, fields)) or are_shapes(fields):
        return None
    if is_of_sequences(name) or are_read(name, fields) or are_dates(fields):
        return None
    is_number = all(map(NUMBER.fullmatch, fields))
    if not are_whole(fields) and are_many_numbers(fields):
        return None
    if is_number and not are_whole(fields):
        return Rank.UNSAID if kinds < _MANY_DOSES else Rank.MANY_CLASSES
    if is_number and is_of_others(name):
        return None if are_many_numbers(fields) else Rank.LAST
    if unlikely(name) in _BY_NAME:
        return _BY_NAME[unlikely(name)]
    if is_id(name) or (is_number and is_place_or_time(name)):
        return Rank.IDS
    return _rank_of_whole_numbers(columns, number, kinds) if is_number else Rank.UNSAID


def _rank_of_whole_numbers(columns: Columns, number: int, kinds: int) -> Rank | None:
    name, fields = columns.names[number], columns.fields[number]
    if is_size(name, columns.names):
        return None
    if are_many_numbers(fields) and are_apart(fields):
        is_quantity = is_valued(name) or is_age(name) or is_measured(name)
        if is_quantity or 2 * kinds > len(fields):
            return None
        is_coded = "0" in fields and are_numbered(fields) and not is_counted(name)
        return Rank.UNSAID if is_coded else Rank.MANY_CLASSES
    if is_age(name):
        return Rank.AGED
    is_quantity = is_valued(name) or is_counted(name) or is_measured(name)
    return Rank.MANY_CLASSES if is_quantity and kinds >= _MANY_GRADES else Rank.UNSAID


def _is_sparse(columns: Columns, number: int) -> bool:
    return 2 * len(columns.fields[number]) <= len(columns.table)


def _are_words(columns: Columns, number: int, kinds: int) -> bool:
    """Whether a column has several words, and no flags or numbers, in most rows: two, if called so."""
    least = 2 if unlikely(columns.names[number]) in _BY_NAME else 3
    is_filled = not _is_sparse(columns, number) and kinds >= least
    fields = columns.fields[number]
    return is_filled and not any(is_flag(field) or NUMBER.fullmatch(field) for field in fields)


def _are_names_of(columns: Columns, numbers: int, words: int) -> bool:
    """Whether a column has a name for each id of another, and another one for each; grades are no ids."""
    pairs = {(row[numbers], row[words]) for row in columns.table if max(numbers, words) < len(row)}
    ids, names = ({pair[side] for pair in pairs} for side in (0, 1))
    if not len(pairs) == len(ids) == len(names) >= _NAMED or "" in ids | names:
        return False
    return max(map(float, ids)) > len(ids)
