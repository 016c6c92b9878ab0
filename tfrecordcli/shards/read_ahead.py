"""Reads that run ahead of the work: bounded in number and bytes, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

_Item = TypeVar("_Item")

# Bytes read and not yet used, above which no further read begins.
_MAX_WAITING: Final = 64 << 20


def read_ahead(
    items: Iterable[_Item], read: Callable[[_Item], bytes], threads: int
) -> Iterator[tuple[_Item, Callable[[], bytes]]]:
    """Pairs each item with a function that gives its bytes, or raises what reading it raised.

    Args:
      items: what is read, consumed lazily.
      read: called on other threads, ``threads`` at a time.
      threads: reads in flight; 0 reads on the caller's thread, when the bytes are asked for.
    """
    if not threads:
        for item in items:
            yield item, lambda item=item: read(item)  # type: ignore[misc]
        return
    waiting: deque[tuple[_Item, Future[bytes]]] = deque()
    rest = iter(items)
    with ThreadPoolExecutor(threads, "read-ahead") as pool:
        try:
            while True:
                while len(waiting) < 2 * threads and _bytes_of(waiting) < _MAX_WAITING:
                    try:
                        item = next(rest)
                    except StopIteration:
                        break
                    waiting.append((item, pool.submit(read, item)))
                if not waiting:
                    return
                item, future = waiting.popleft()
                yield item, future.result
        finally:
            for _, future in waiting:
                future.cancel()


def _bytes_of(waiting: Iterable[tuple[object, Future[bytes]]]) -> int:
    return sum(len(future.result()) for _, future in waiting if future.done() and future.exception() is None)
