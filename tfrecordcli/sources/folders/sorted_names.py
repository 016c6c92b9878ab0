"""Names of the files in a folder, found by name or stem without a table: there may be millions of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from tfrecordcli.sources.folders.tree import stem_of


class SortedNames:
    """Names in sorted order.

    Args:
      names: sorted; they are not copied.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def place(self, name: str) -> int | None:
        """Where a name stands, from 0; None: it is not there."""
        at = bisect_left(self.names, name)
        return at if at < len(self.names) and self.names[at] == name else None

    def with_stem(self, stem: str) -> list[str]:
        """The names that have this stem, whatever their extension."""
        begin = f"{stem}."
        at = bisect_left(self.names, begin)
        found = []
        while at < len(self.names) and self.names[at].startswith(begin):
            found += [self.names[at]] if stem_of(self.names[at]) == stem else []
            at += 1
        return found
