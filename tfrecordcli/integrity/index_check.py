"""The index of a shard against its records, line by line as they are read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import TracebackType
from typing import Final

from tfrecordcli.tfrecords.files import open_binary

# No line is longer: two numbers of 64 bits.
_LONGEST_LINE: Final = 64
_FIRST_LINE: Final = re.compile(rb"0 \d+\n")


@dataclass(frozen=True, slots=True)
class IndexState:
    """How far a check has come.

    Attributes:
      position: byte of the next line.
      difference: where the index differs so far, in words.
      departure: (number, offset) of the first record that is not the one of the index.
    """

    position: int = 0
    difference: str = ""
    departure: tuple[int, int] | None = None


class IndexCheck:
    """An open index; a context manager.

    Raises:
      OSError: it cannot be opened or read.
    """

    def __init__(self, path: str) -> None:
        self._file = open_binary(path)
        self._records = 0
        self._difference = ""
        self.departure: tuple[int, int] | None = None

    def state(self) -> IndexState:
        """With which another check can go on from here."""
        return IndexState(self._file.tell(), self._difference, self.departure)

    def resume(self, state: IndexState, records: int) -> None:
        """Goes on where another check stood after so many records."""
        self._file.seek(state.position)
        self._records = records
        self._difference = state.difference
        self.departure = state.departure

    def is_of_our_kind(self) -> bool:
        """Whether it begins as the index of a shard does; other programs have other kinds under this name."""
        line = self._file.readline(_LONGEST_LINE)
        self._file.seek(0)
        return _FIRST_LINE.fullmatch(line) is not None

    def expect(self, offset: int, size: int) -> None:
        """The next line must be that of a record at ``offset`` that has ``size`` bytes with its frame."""
        self._records += 1
        if self._difference:
            return
        line = self._file.readline(_LONGEST_LINE)
        if not line:
            self._difference = f"it ends after {self._records - 1} lines"
        elif line != b"%d %d\n" % (offset, size):
            self._difference = f"line {self._records}"
        if self._difference:
            self.departure = self._records - 1, offset

    def difference(self) -> str:
        """Where it differs from the records, after the last of them; empty when it does not."""
        if not self._difference and self._file.read(1):
            return f"it has more than {self._records} lines"
        return self._difference

    def __enter__(self) -> IndexCheck:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
