"""Columns of weights or votes, a label each, as of Galaxy Zoo and FER+, and the likeliest label of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.made_list import made_by, rows_by

_COUNT: Final = re.compile("[0-9]{1,2}")
_FEW: Final = 3
# Rows of votes add up to the number of people who were asked, but for those who did not answer.
_SAME: Final = 0.2


def weight_columns(columns: Mapping[int, Sequence[str]]) -> list[int]:
    """Numbers of columns that hold numbers from 0 to 1, fractions among them; none where it is one alone.

    Beside them those of a label that no row has, which hold 0 alone.

    Args:
      columns: number -> fields.
    """
    found = [i for i, fields in columns.items() if fields and all(map(_is_weight, fields))]
    fractions = {i for i in found if has_fraction(columns[i])}
    found = [i for i in found if i in fractions or not any(map(float, columns[i]))]
    return found if len(fractions) > 1 else []


def vote_columns(table: Sequence[Sequence[str]], free: Iterable[int]) -> list[int]:
    """Numbers of columns that hold counts of votes, three or more for which several votes were given.

    A third of the counts are 0, some are above 1, and nine in ten rows add up to nearly the same.

    Args:
      table: fields of rows.
      free: numbers of the columns that may be such.
    """
    rows = [row for row in table if any(row)]
    found = [i for i in free if all(i < len(row) and _COUNT.fullmatch(row[i]) for row in rows)]
    found = [i for i in found if any(int(row[i]) == 0 for row in rows)]
    counts = [[int(row[i]) for i in found] for row in rows]
    if min(len(rows), len([each for each in zip(*counts, strict=True) if max(each) > 1])) < _FEW:
        return []
    sums = [*map(sum, counts)]
    middle = median(sums)
    are_same = 10 * sum(abs(each - middle) <= _SAME * middle for each in sums) >= 9 * len(sums)
    zeros = sum(row.count(0) for row in counts)
    return found if are_same and 3 * zeros >= len(rows) * len(found) else []


def are_counts(fields: Iterable[str]) -> bool:
    """Whether fields are whole numbers, one of them above 1."""
    numbers = [*fields]
    return all(map(_COUNT.fullmatch, numbers)) and any(int(field) > 1 for field in numbers)


def has_fraction(fields: Iterable[str]) -> bool:
    """Whether one of the fields is a number between 0 and 1."""
    return any(_is_weight(field) and 0 < float(field) < 1 for field in fields)


def likeliest_label(columns: Sequence[int], name: str, delimiter: str) -> str:
    """A hint with the command that adds a column `label` with the name of the column of the largest weight.

    Args:
      columns: their numbers, from 0.
      name, delimiter: of the list.
    """
    code = (
        f'h = next(r); c = {list(columns)}; w.writerow([*h, "label"]); '
        "w.writerows([*f, h[max(c, key=lambda i: float(f[i] or 0))]] for f in r)"
    )
    return f"for the likeliest label of each image alone, {made_by('', rows_by(code, delimiter), name)}"


def _is_weight(field: str) -> bool:
    return NUMBER.fullmatch(field) is not None and 0 <= float(field) <= 1
