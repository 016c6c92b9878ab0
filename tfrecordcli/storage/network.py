"""Requests over a network: how long each is waited for, how often it is repeated, how many are under way."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

# Requests of one process that are under way. Stores answer hundreds in parallel, and a shard of a hundred
# images waits for a few answers only, one after the other.
REQUESTS: Final = 64

_In = TypeVar("_In")
_Out = TypeVar("_Out")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Limits of requests, in seconds.

    Attributes:
      connect: until a connection is established.
      read: without a byte, within an answer; of the web, four times as long without a byte of its body.
      request: for one request with its whole body.
      total: for a request with all its retries.
      retries: after a first failure, for 429, 5xx, timeouts and broken connections.
      first_pause: before the first retry; each further one waits twice as long, at most 8.
    """

    connect: float = 5.0
    read: float = 15.0
    request: float = 60.0
    total: float = 120.0
    retries: int = 4
    first_pause: float = 0.2

    def pauses(self) -> Iterator[float]:
        """Seconds before each attempt; scattered, so that many readers do not come back at once."""
        yield 0.0
        for number in range(self.retries):
            yield min(8.0, self.first_pause * 2**number) * (0.5 + random.random())


READING: Final = Timeouts()
# A request's time includes its body: 16 MiB parts over a slow line.
WRITING: Final = Timeouts(read=60.0, request=300.0, total=600.0)


def map_ahead(
    function: Callable[[_In], _Out], items: Iterable[_In], at_once: int = REQUESTS
) -> Iterator[_Out]:
    """`map`, in order, with so many calls under way; what a call raises is raised in its turn."""
    from concurrent.futures import ThreadPoolExecutor

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
