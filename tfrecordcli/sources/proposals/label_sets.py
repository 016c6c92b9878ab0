"""Numbered columns that hold the labels of an image together: `Type1`, and `Type2` where it has a second."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.proposals.table import Table

_NUMBERED: Final = re.compile(r"(?P<stem>.*[^\W\d_])[\s_.-]?(?P<number>[0-9])")


def label_sets(names: Mapping[int, str], table: Table) -> list[tuple[int, ...]]:
    """The numbers of columns whose words are together those of each row, in their order.

    Each is called by the next number, and has hardly a word that the first has not; no row has a word in a
    column where an earlier one is empty, or the same word twice, and some rows have none in the last.

    Args:
      names: by number of column.
      table: the first rows.
    """
    found = [(match, i) for i, name in names.items() if (match := _NUMBERED.fullmatch(name))]
    groups = groupby(found, key=lambda each: each[0]["stem"])
    sets = [[(int(match["number"]), i) for match, i in some] for _, some in groups]
    rising = [
        tuple(i for _, i in some)
        for some in sets
        if len(some) > 1 and [n for n, _ in some] == [*range(1, len(some) + 1)]
    ]
    return [columns for columns in rising if _are_set(columns, table)]


def _are_set(columns: Sequence[int], table: Table) -> bool:
    rows = [[row[i] for i in columns] for row in table if max(columns) < len(row)]
    filled = [[*filter(None, row)] for row in rows]
    pairs = zip(rows, filled, strict=True)
    if any(row[: len(some)] != some or len({*some}) < len(some) for row, some in pairs):
        return False
    words = [{row[at] for row in rows} - {""} for at in range(len(columns))]
    are_words = not any(map(NUMBER.fullmatch, words[0].union(*words)))
    are_shared = all(2 * len(words[0] & others) > len(others) > 1 for others in words[1:])
    return are_words and are_shared and any(len(some) < len(columns) for some in filled)
