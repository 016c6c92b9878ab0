"""Numbers of shards as a few stretches, so that a pipeline of a million shards stays small."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

# Stretches that a pipeline carries at most, and what it is cut into when there are shards enough.
_MOST: Final = 512


def stretches_of(numbers: Iterable[int], most: int = _MOST) -> list[tuple[int, int]]:
    """Ascending numbers as at most ``most`` stretches, the end not included.

    Small gaps between numbers may be covered too; long stretches are cut, as many workers take one each.
    """
    covered = _joined(numbers, most)
    total = sum(end - start for start, end in covered)
    longest = max(1, -(-total // max(1, most - len(covered))))
    return [
        (first, min(first + longest, end)) for start, end in covered for first in range(start, end, longest)
    ]


def _joined(numbers: Iterable[int], most: int) -> list[tuple[int, int]]:
    """Stretches without regard to their length, at most half of ``most``."""
    stretches: list[tuple[int, int]] = []
    for number in numbers:
        if stretches and number == stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], number + 1)
        else:
            stretches.append((number, number + 1))
    while len(stretches) > most // 2:
        pairs = zip(stretches[::2], [*stretches[1::2], stretches[-1]], strict=False)
        stretches = [(first[0], second[1]) for first, second in pairs]
    return stretches
