"""How long a store is waited for, and how often it is asked again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of requests, in seconds.

    Attributes:
      connect: until a connection stands.
      silence: without a byte, within an answer; of the web, four times as long without a byte of its body.
      request: for one request with its whole body.
      total: for a request with all its repetitions.
      repetitions: after a first failure, for 429, 5xx, timeouts and broken connections.
      first_pause: before the first repetition; each further one waits twice as long, at most 8.
    """

    connect: float = 5.0
    silence: float = 15.0
    request: float = 60.0
    total: float = 120.0
    repetitions: int = 4
    first_pause: float = 0.2

    def pauses(self) -> Iterator[float]:
        """Seconds before each attempt; scattered, so that many readers do not come back at once."""
        yield 0.0
        for number in range(self.repetitions):
            yield min(8.0, self.first_pause * 2**number) * (0.5 + random.random())


READING: Final = Patience()
# A request's time includes its body: 16 MiB parts over a slow line.
WRITING: Final = Patience(silence=60.0, request=300.0, total=600.0)
