"""The first rows of a list as columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tfrecordcli.sources.label_fields import is_boxes

Table = Sequence[Sequence[str]]

SAMPLE: Final = 1_000  # rows that are looked at for what columns may hold
_SIGN: Final = re.compile(r"[+.-]")


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns that may hold what is to be learned.

    Attributes:
      names: of all columns of the list.
      fields: number of each of these columns -> its fields, blank ones left out.
      table: the rows.
    """

    names: Sequence[str]
    fields: Mapping[int, Sequence[str]]
    table: Table


def columns_of(header: Sequence[str], table: Table, free: Iterable[int]) -> Columns:
    """The columns of these numbers."""
    return Columns(header, {i: column_of(table, i) for i in free}, table)


class KeptTable(list[list[str]]):
    """Rows whose columns are put together once, however many rules look through them."""

    @cached_property
    def columns(self) -> dict[int, list[str]]:
        """Those that were asked for, blank fields left out."""
        return {}


def column_of(table: Table, number: int) -> list[str]:
    """The fields of one column, blank ones left out."""
    kept = table.columns if isinstance(table, KeptTable) else {}
    if number not in kept:
        kept[number] = [row[number] for row in table if number < len(row) and row[number]]
    return kept[number]


def boxes_columns(table: Table, free: Iterable[int]) -> list[int]:
    """Columns that hold classes and boxes as text."""
    columns = ((i, column_of(table, i)) for i in free)
    return [i for i, fields in columns if fields and all(map(is_boxes, fields)) and not _are_names(fields)]


def _are_names(fields: Iterable[str]) -> bool:
    """Whether different words with signs, the same numbers behind each, are names: `type-0 1 2 3 4`."""
    parted = [field.partition(" ")[::2] for field in fields]
    words, numbers = {word for word, _ in parted}, {rest.strip() for _, rest in parted}
    return len(words) > len(numbers) == 1 and any(_SIGN.search(word) for word in words)
