"""How SIGINT and SIGTERM end a command: once, in a few words, and soon, whatever it is waiting for."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Final

# Signal -> (exit code, what happened).
SIGNALS: Final = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "terminated")}

# Seconds that a command has for its end. Python answers no signal while a library waits for a server or
# computes; Kubernetes kills after 30.
GRACE: Final = 5.0

# A thread reserves 72 MB of addresses (its stack, its heap), which a process so limited has better use for.
_TIGHT: Final = 1 << 29

Tell = Callable[[int, str], None]


class Interrupted(BaseException):
    """The first signal arrived."""


class Stopping:
    """Raises `Interrupted` in the main thread at the first signal; ends the process when that does not help.

    Nothing is lost by a sudden end: every file is made under another name first, and workers leave when
    their parent is gone.

    Args:
      tell: called once, with an exit code and what happened, by the thread that ends the command.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._first = 0
        self._code: int | None = None  # of a command that came to its end
        self._told = threading.Lock()

    def install(self) -> None:
        """Answers signals from now on, but those that the caller ignores, as shells do in the background."""
        answered = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        if answered and not _is_memory_tight():
            reading, writing = os.pipe()
            os.set_blocking(writing, False)
            # Python writes there at once, also while its main thread is deep in a library.
            signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
            threading.Thread(target=self._watch, args=(reading,), daemon=True).start()
        for number in answered:
            signal.signal(number, self._handle)

    def ended(self, code: int) -> None:
        """A command that came to its end keeps its exit code, whatever arrives now."""
        self._code = code

    def end(self) -> int:
        """Tells of the first signal; its exit code."""
        code, word = SIGNALS[signal.Signals(self._first)]
        if self._told.acquire(blocking=False):
            self._tell(code, word)
            return code
        time.sleep(GRACE)  # the other thread is telling, and ends the process
        return code

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self._first and self._code is None:  # a second one must not keep the first from its end
            self._first = number
            raise Interrupted

    def _watch(self, reading: int) -> None:
        number = 0
        while number not in SIGNALS:
            number = os.read(reading, 1)[0]
        time.sleep(GRACE)
        code, word = SIGNALS[signal.Signals(self._first or number)]
        if self._code is None and self._told.acquire(blocking=False):
            self._tell(code, word)
        os._exit(code if self._code is None else self._code)


def _is_memory_tight() -> bool:
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return limit != resource.RLIM_INFINITY and limit < _TIGHT
