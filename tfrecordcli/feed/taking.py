"""Taking elements from a feed so that signals are answered meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from queue import SimpleQueue
from types import TracebackType
from typing import Any

from tfrecordcli.feed.failures import failures_in_words


class Taking(Iterator[Any]):
    """The elements of a feed, each taken when it is asked for, in a thread of its own.

    TensorFlow computes a batch in native code, in which Python answers no signal; waiting for another
    thread it does. A context manager: within it, elements can be taken; at its end the feed is closed,
    or, when an exception (of a signal) comes while a batch is in the making, left behind.

    Args:
      elements: iterated over in the thread.
    """

    def __init__(self, elements: Iterable[Any]) -> None:
        self._asked: SimpleQueue[bool] = SimpleQueue()
        self._given: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self._is_waiting = False
        # A daemon: the process must not wait for a batch that nobody wants any more.
        self._thread = threading.Thread(
            target=_serve, args=(elements, self._asked, self._given), name="tfrec-feed", daemon=True
        )
        self._thread.start()

    def __next__(self) -> Any:
        self._is_waiting = True
        self._asked.put(True)
        element, error = self._given.get()
        self._is_waiting = False
        if error is not None:
            raise error
        return element

    def __enter__(self) -> Taking:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
