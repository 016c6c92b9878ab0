"""Shard numbers as people and schedulers write them: `0-99`, `3,7-9`, `2/10`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tfrecordcli.errors import UsageError

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_PART = re.compile(r"(\d+)/(\d+)")


def parse_shards(text: str, count: int) -> list[int]:
    """The numbers that a list of numbers and ranges names, each once, in order.

    Args:
      text: as in `3,7-9`; both ends belong to a range, which may reach beyond the last shard.
      count: shards that there are, numbered from 0.

    Raises:
      UsageError
    """
    numbers: set[int] = set()
    for piece in text.split(","):
        match = _RANGE.fullmatch(piece.strip())
        if match is None:
            raise UsageError(f"--shards: {piece!r} is no number or range", "as in --shards 0-99 or 3,7-9")
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            raise UsageError(f"--shards: {piece} ends before it begins")
        if first >= count:
            raise UsageError(f"--shards: {piece}: the plan has the shards 0 to {count - 1}")
        numbers.update(range(first, min(last + 1, count)))
    return sorted(numbers)


def parse_part(text: str, count: int) -> range:
    """The numbers of one of N equal parts, `2/10` being the third of ten; none when parts outnumber shards.

    Every N-th shard belongs to it, so that the parts hold as much of each split.

    Raises:
      UsageError
    """
    match = _PART.fullmatch(text.strip())
    if match is None or int(match[1]) >= int(match[2]):
        raise UsageError(f"--part: {text!r} is no part", "as in --part 0/10 to --part 9/10")
    return range(int(match[1]), count, int(match[2]))


def format_shards(numbers: Iterable[int], most: int = 20) -> str:
    """Ascending numbers as `parse_shards` takes them; an ellipsis stands for ranges beyond ``most``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        elif len(ranges) == most:
            return _joined(ranges) + ",…"
        else:
            ranges.append([number, number])
    return _joined(ranges)


def _joined(ranges: list[list[int]]) -> str:
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
