"""Lines of a text, read in pieces, of which none may be longer than a row of a list can be."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import chain
from typing import Final, TextIO

# Nor is a longer row one of an image list: files of one endless line must not fill the memory.
MAX_ROW: Final = 1 << 20
_PIECE: Final = 1 << 16  # characters that are read at once


class TooLong(Exception):
    """A row is longer than any image list has."""


class Lines:
    """The lines of a stream, read in pieces: a call of Python's for each line would cost as much as its row.

    ``row`` is the line at which the row that is being read begins; whoever reads keeps it up to date, so that
    a row without an end is noticed.
    """

    def __init__(self, stream: TextIO) -> None:
        self._read = stream.read
        self._piece: list[str] = []
        self._before = 0  # lines before the piece
        self.row = 1

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._pieces())

    def text(self, number: int) -> str:
        """A line of the piece that was read last."""
        return self._piece[number - self._before - 1]

    def _pieces(self) -> Iterator[list[str]]:
        """Lists of whole lines, line ends as they are.

        Raises:
          TooLong: a line, or a row of several, has more than `MAX_ROW` characters.
        """
        rest, spanned = "", 0  # spanned: characters of whole pieces within the row that is being read
        while text := self._read(_PIECE):
            text = rest + text
            end = text.rfind("\n") + 1 or text.rfind("\r", 0, len(text) - 1) + 1
            rest = text[end:]
            if end:
                yield self._take(text[:end])
                spanned = spanned + end if self.row <= self._before else 0
            if len(rest) > MAX_ROW or spanned > MAX_ROW:
                raise TooLong
        if rest:
            yield self._take(rest)

    def _take(self, text: str) -> list[str]:
        self._before += len(self._piece)
        self._piece = list(io.StringIO(text, newline=""))
        if len(self._piece[0]) > MAX_ROW:
            raise TooLong
        return self._piece
