"""Doing things ahead of their turn, in threads: requests to a store take time, not work."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

# Requests of one process that are under way. Stores answer hundreds in parallel, and a shard of a hundred
# images waits for a few answers only, one after the other.
REQUESTS: Final = 64

_In = TypeVar("_In")
_Out = TypeVar("_Out")


def map_ahead(
    function: Callable[[_In], _Out], items: Iterable[_In], at_once: int = REQUESTS
) -> Iterator[_Out]:
    """`map`, in order, with so many calls under way; what a call raises is raised in its turn."""
    pool = ThreadPoolExecutor(at_once, "tfrec-ahead")
    try:
        waiting: deque[Future[_Out]] = deque()
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > at_once:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
