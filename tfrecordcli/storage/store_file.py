"""An object read like a file from start to end: a few ranges ahead, so that the network does not wait."""

from __future__ import annotations

import io
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from tfrecordcli.storage.store import Store

# Bytes of one request, and requests that are ahead of the reader: 16 MiB of memory at most.
_RANGE: Final = 4 << 20
_AHEAD: Final = 3


class StoreFile(io.RawIOBase):
    """One version of an object, read in order.

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
        self._asked = 0  # up to where ranges were asked for
        self._pool = ThreadPoolExecutor(_AHEAD, "tfrec-range")
        self._ranges: deque[Future[bytes]] = deque()
        self._piece = memoryview(b"")
        self._ask()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._piece:
            if not self._ranges:
                return 0
            self._piece = memoryview(self._ranges.popleft().result())
            self._ask()
        count = min(len(buffer), len(self._piece))
        buffer[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count

    def close(self) -> None:
        if not self.closed:
            self._pool.shutdown(wait=False, cancel_futures=True)
        super().close()

    def _ask(self) -> None:
        while len(self._ranges) < _AHEAD and self._asked < self.size:
            end = min(self._asked + _RANGE, self.size)
            work = self._pool.submit(self._store.read_range, self._key, self._asked, end, self._etag)
            self._ranges.append(work)
            self._asked = end
