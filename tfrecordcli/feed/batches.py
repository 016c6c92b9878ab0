"""Taking batches from a feed: as fast as they come, or at the pace of a simulated accelerator."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Final

from tfrecordcli.feed.tensorflow import failures_in_words
from tfrecordcli.processes import start_thread

# Seconds between two words of a `TellingClock`.
_TELL_EVERY: Final = 0.2


class Taking(Iterator[Any]):
    """The elements of a feed, each taken when it is asked for, in a thread of its own.

    TensorFlow computes a batch in native code, in which Python answers no signal; waiting for another
    thread it does. A context manager: within it, elements can be taken; at its end the feed is closed,
    or, when an exception (of a signal) comes while a batch is in the making, left behind.

    Args:
      elements: iterated over in the thread.

    Attributes:
      last: the element that was taken last.
    """

    last: Any = None

    def __init__(self, elements: Iterable[Any]) -> None:
        self._asked: SimpleQueue[bool] = SimpleQueue()
        self._given: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self._is_waiting = False
        # A daemon: the process must not wait for a batch that nobody wants any more.
        self._thread = start_thread(_serve, elements, self._asked, self._given, name="tfrec-feed")

    def __next__(self) -> Any:
        self._is_waiting = True
        self._asked.put(True)
        element, error = self._given.get()
        self._is_waiting = False
        if error is not None:
            raise error
        self.last = element
        return element

    def __enter__(self) -> Taking:
        return self

    def __exit__(self, *_: object) -> None:
        self._asked.put(False)
        if not self._is_waiting:
            self._thread.join()  # what is measured next must not share the cores with it


def _serve(
    elements: Iterable[Any], asked: SimpleQueue[bool], given: SimpleQueue[tuple[Any, BaseException | None]]
) -> None:
    """Answers every request with an element, or with why there is none; keeps no element itself."""
    iterator: Iterator[Any] | None = None
    while asked.get():
        try:
            iterator = iter(elements) if iterator is None else iterator
            with failures_in_words():
                element = next(iterator)
            given.put((element, None))
            del element
        except BaseException as error:  # whoever asks shall get it, StopIteration too
            given.put((None, error))


class Clock:
    """The machine's time; a test brings its own."""

    def now(self) -> float:
        """Seconds since some moment."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Lets time pass."""
        time.sleep(seconds)


class TellingClock(Clock):
    """The machine's time, which tells now and then how long it runs.

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
