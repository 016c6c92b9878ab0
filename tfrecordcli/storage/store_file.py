"""An object read like a file from start to end: a few ranges ahead, so that the network does not wait."""

from __future__ import annotations

import io
import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from tfrecordcli.storage.store import Store

# Bytes of one request, and requests that are ahead of the reader: 16 MiB of memory at most.
_RANGE: Final = 4 << 20
_AHEAD: Final = 3
# Bytes of the first request elsewhere; each that follows it is twice as large, up to the usual.
_FIRST: Final = 1 << 18


class StoreFile(io.RawIOBase):
    """One version of an object, to be read in order.

    Raises:
      FileNotFoundError, PermissionError, StoreError, OutageError: when it is opened or read; an object
        that is replaced while it is read is an error too.
    """

    def __init__(self, store: Store, key: str) -> None:
        super().__init__()
        self._store = store
        self._key = key
        info = store.head(key)
        self.size = info.size
        self._etag = info.etag
        self._at = 0  # where the reader is
        self._asked = 0  # up to where ranges were asked for
        self._step = _RANGE  # bytes of the next one
        self._pool = ThreadPoolExecutor(_AHEAD, "tfrec-range")
        self._ranges: deque[Future[bytes]] = deque()
        self._piece, self._begin = memoryview(b""), 0  # what is held, and where it begins

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._begin <= self._at < self._begin + len(self._piece):
            self._fetch()
        start = self._at - self._begin
        count = min(len(buffer), len(self._piece) - start)
        buffer[:count] = self._piece[start : start + count]
        self._at += count
        return count

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Goes elsewhere. Who reads on there, and not in what is held, loses what was asked for ahead."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        self._at = base + offset
        return self._at

    def close(self) -> None:
        if not self.closed:
            self._pool.shutdown(wait=False, cancel_futures=True)
        super().close()

    def _fetch(self) -> None:
        """Holds what begins where the reader is; nothing at the end."""
        if self._at != self._begin + len(self._piece):
            for work in self._ranges:
                work.cancel()
            self._ranges.clear()
            self._asked, self._step = self._at, _FIRST
        self._ask()
        self._piece = memoryview(self._ranges[0].result() if self._ranges else b"")
        self._begin = self._at
        if self._ranges:
            self._ranges.popleft()
        if self._step == _RANGE:
            self._ask()
        self._step = min(2 * self._step, _RANGE)

    def _ask(self) -> None:
        """Asks for what comes next: several ranges where reading has gone on for a while."""
        while len(self._ranges) < (_AHEAD if self._step == _RANGE else 1) and self._asked < self.size:
            end = min(self._asked + self._step, self.size)
            work = self._pool.submit(self._store.read_range, self._key, self._asked, end, self._etag)
            self._ranges.append(work)
            self._asked = end
