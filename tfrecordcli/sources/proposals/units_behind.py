"""Columns of numbers that have one unit behind them in all rows: `4.5ml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tfrecordcli.sources.proposals.table import KeptTable, Table, column_of

# No ids with zeros before them, and no names of files: `001a`, `1.jpg`.
_WITH_UNIT: Final = re.compile(r"([+-]?(?!0[0-9])[0-9]+(?:\.[0-9]+)?) *([^\W\d_]{1,6}[23²³]?|°[CF]?|%)")


def units_behind(table: Table, columns: Iterable[int]) -> Mapping[int, str]:
    """The number of each column that has the same unit in all of its fields -> this unit."""
    found: dict[int, str] = {}
    for i in columns:
        matches = map(_WITH_UNIT.fullmatch, column_of(table, i))
        first = next(matches, None)
        if first and all(match and match[2] == first[2] for match in matches):
            found[i] = first[2]
    return found


def without_units(table: Table, units: Mapping[int, str]) -> Table:
    """The same rows, with numbers where they have units."""
    if not units:
        return table
    return KeptTable([_without_units(row, units) for row in table])


def _without_units(row: Sequence[str], units: Mapping[int, str]) -> list[str]:
    return [field.removesuffix(units[i]).strip() if i in units else field for i, field in enumerate(row)]
