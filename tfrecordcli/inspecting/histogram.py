"""How often values occur, in memory that does not grow with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

MAX_DISTINCT: Final = 10_000

T = TypeVar("T", bound=Hashable)


class Histogram(Generic[T]):
    """Counts of the first `MAX_DISTINCT` distinct values.

    Attributes:
      left_out: how many further values came that were not counted one by one.
    """

    def __init__(self, max_distinct: int = MAX_DISTINCT) -> None:
        self._max = max_distinct
        self._counts: Counter[T] = Counter()
        self.left_out = 0

    def add(self, value: T) -> None:
        if value in self._counts or len(self._counts) < self._max:
            self._counts[value] += 1
        else:
            self.left_out += 1

    def total(self) -> int:
        return self._counts.total() + self.left_out

    def most_frequent(self) -> list[tuple[T, int]]:
        """(value, count), most frequent first, then as they came."""
        return self._counts.most_common()
