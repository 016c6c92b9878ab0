"""Answers of web servers as http.client reads them, within bounds that it does not have.

It passes over any number of `100 Continue` before an answer, and over any number of lines behind the last
chunk; and its limit of silence is one of bytes, so that a byte now and then holds it for ever.
"""

from __future__ import annotations

import io
import time
from http.client import HTTPException, HTTPResponse
from typing import Any, Final

_MOST_INTERIM: Final = 10  # answers with status 100 before the one that counts
_MOST_BYTES: Final = 8 << 20  # in one step: a head is of 100 lines of 64 KiB at most
_SILENCES: Final = 4  # as long as so many silences may one step take


class WatchedResponse(HTTPResponse):
    """One answer. Each step, its head or a piece of its body, is held to a time and a number of bytes."""

    def __init__(self, sock: Any, *args: Any, **named: Any) -> None:
        super().__init__(sock, *args, **named)
        self._watch = _Watch(self.fp.detach(), sock.gettimeout())
        self.fp = io.BufferedReader(self._watch)
        self._heads = 0

    def begin(self) -> None:
        self._watch.begin_step()
        super().begin()

    def _read_status(self) -> tuple[str, int, str]:
        if self._heads > _MOST_INTERIM:
            raise HTTPException("interim answers without end")
        self._heads += 1
        return super()._read_status()  # type: ignore[misc, no-any-return]  # private to http.client

    def read(self, amt: int | None = None) -> bytes:
        self._watch.begin_step()
        return super().read(amt)

    def read1(self, n: int = -1) -> bytes:
        self._watch.begin_step()
        return super().read1(n)


class _Watch(io.RawIOBase):
    """The bytes of a connection.

    Args:
      silence: seconds for which the connection waits for a byte; None for any.
    """

    def __init__(self, raw: io.RawIOBase, silence: float | None) -> None:
        self._raw = raw
        self._limit = _SILENCES * silence if silence else float("inf")
        self.begin_step()

    def begin_step(self) -> None:
        self._come = 0
        self._deadline = time.monotonic() + self._limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        """As of any raw stream.

        Raises:
          TimeoutError: the step takes too long.
          HTTPException: it takes too many bytes.
        """
        if time.monotonic() > self._deadline:
            raise TimeoutError("too slow")
        if self._come > _MOST_BYTES:
            raise HTTPException("no end of what is no body")
        size = self._raw.readinto(buffer)
        self._come += size or 0
        return size

    def close(self) -> None:
        self._raw.close()
        super().close()
