"""Taking batches from a feed: as fast as they come, or at the pace of a simulated accelerator."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

# Seconds between two words of a `TellingClock`.
_TELL_EVERY: Final = 0.2


class Clock(Protocol):
    """Time, so that tests can make their own."""

    def now(self) -> float:
        """Seconds since some moment."""

    def sleep(self, seconds: float) -> None:
        """Lets time pass."""


class RealClock:
    """The machine's."""

    def now(self) -> float:
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class TellingClock(RealClock):
    """The machine's, which tells now and then how long it runs.

    Args:
      tell: called with the seconds since the time was asked for first.
    """

    def __init__(self, tell: Callable[[float], None]) -> None:
        self._tell = tell
        self._began: float | None = None
        self._next = 0.0

    def now(self) -> float:
        now = super().now()
        if self._began is None:
            self._began = now
        if now >= self._next:
            self._tell(now - self._began)
            self._next = now + _TELL_EVERY
        return now


@dataclass(frozen=True, slots=True)
class Drain:
    """A pass at full speed: seconds to the first batch; images and seconds after it."""

    first_batch_seconds: float
    images: int
    seconds: float
    first_images: int

    @property
    def images_per_second(self) -> float:
        """Of the steady state; where only one batch came, of that batch with its start."""
        if self.images:
            return self.images / self.seconds
        return self.first_images / self.first_batch_seconds


def drain(batches: Iterator[Any], seconds: float, clock: Clock) -> Drain:
    """Takes batches as fast as they come, for so long, at least one."""
    begin = clock.now()
    first_images = size_of(next(batches))
    steady = now = clock.now()
    images = 0
    while now - begin < seconds:
        batch = next(batches, None)
        if batch is None:
            break
        images += size_of(batch)
        now = clock.now()
    return Drain(steady - begin, images, now - steady, first_images)


def pace(batches: Iterator[Any], step: float, seconds: float, clock: Clock) -> float:
    """Share of its time that an accelerator waits which computes ``step`` seconds a batch.

    Simulated: it is busy until a moment; the next batch is fetched meanwhile, and what the batch comes
    later than that moment is waiting. The first batch only starts the clock: what an accelerator waits
    for that is told as the time to the first batch.
    """
    next(batches)
    begin = clock.now()
    free = begin + step
    waited = 0.0
    while clock.now() - begin < seconds:
        if next(batches, None) is None:
            break
        ready = clock.now()
        if ready > free:
            waited += ready - free
            free = ready
        else:
            clock.sleep(free - ready)
        free += step
    return waited / (free - begin)


def predicted_wait(step: float, images_per_second: float, batch_size: int) -> float:
    """Share of its time that an accelerator of ``step`` seconds a batch waits, from the feed's rate."""
    return max(0.0, 1 - step * images_per_second / batch_size)


def size_of(batch: Any) -> int:
    """Images of a batch."""
    return int(first_of(batch).shape[0])


def first_of(batch: Any) -> Any:
    """Images of a batch, which may stand beside labels or alone."""
    return batch[0] if isinstance(batch, tuple) else batch


class Remembering:
    """An iterator that keeps its latest element."""

    def __init__(self, inner: Iterator[Any]) -> None:
        self.inner = inner
        self.last: Any = None

    def __iter__(self) -> Remembering:
        return self

    def __next__(self) -> Any:
        self.last = next(self.inner)
        return self.last
