"""A list whose first row names no columns that are known, as proposals look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.boxes.columns import BoxColumns, find_box_columns
from tfrecordcli.sources.proposals.table import SAMPLE, KeptTable


@dataclass(frozen=True)
class Unread:
    """A list that cannot be read as it is.

    Attributes:
      name: of the file, as messages call it.
      options: how it was to be read.
      header: its first row, outer blanks removed.
      delimiter: between its fields.
      rows: reads those below the first, which may fail as any reading of the list may.
    """

    name: str
    options: ReadOptions
    header: list[str]
    delimiter: str
    rows: Callable[[], Iterator[list[str]]]

    @cached_property
    def table(self) -> KeptTable:
        """Some of these rows."""
        return KeptTable(islice(self.rows(), SAMPLE))

    @property
    def is_whole(self) -> bool:
        """Whether these are all of them."""
        return len(self.table) < SAMPLE

    @cached_property
    def boxes(self) -> BoxColumns | None:
        """The columns of boxes that the header names, for certain."""
        with suppress(InputError):
            return find_box_columns(self.header)
        return None

    @cached_property
    def free(self) -> list[str]:
        """The names of columns, but for those of boxes: a `y` among these is no label."""
        taken = self.boxes.used if self.boxes else ()
        return ["" if number in taken else name for number, name in enumerate(self.header)]


def given_columns(options: ReadOptions) -> tuple[tuple[str, str], ...]:
    """(purpose, column name) pairs that the user gave."""
    return (*options.columns, *(("label", name) for name in options.one_hot))
