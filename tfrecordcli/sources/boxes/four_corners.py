"""Eight numbers that are the four corners of an object, x and y by turns, in columns of other names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER

_NUMBERS: Final = 8
_SOME_ROWS: Final = 3  # each of four points in any order is such a corner in one row of four
_Points = Sequence[tuple[float, float]]


def are_four_corners(columns: Sequence[Sequence[str]]) -> bool:
    """Whether these are eight columns of numbers, and each row walks around an area in even turns.

    Outlines do so, whatever corner they begin with; other numbers hardly do in all of several rows.
    """
    if len(columns) != _NUMBERS or not all(map(WRITTEN_NUMBER.fullmatch, (f for c in columns for f in c))):
        return False
    rows = [[*map(float, row)] for row in zip(*columns, strict=True)]
    return len(rows) >= _SOME_ROWS and all(_turns(list(zip(r[::2], r[1::2], strict=True))) for r in rows)


def _turns(points: _Points) -> bool:
    """Whether one turns left at each corner, or right at each."""
    edges = [(c - a, d - b) for (a, b), (c, d) in pairwise([*points, *points[:2]])]
    turns = [a * d - b * c for (a, b), (c, d) in pairwise(edges)]
    return all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns)
