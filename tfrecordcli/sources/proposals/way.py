"""One way to learn of a list, and how unlikely it is to be meant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

Kind = Literal["label", "target", "flags"]


class Rank(IntEnum):
    """How unlikely a way is, by what is told of its columns."""

    KNOWN = 0
    SURELY = 1
    # Columns of 0 and 1, one for each finding.
    FINDINGS = 2
    CALLED = 3
    # Columns of `True` and `False`, or of ticks.
    SEVERAL = 4
    # Words, or few numbers, of which the name says nothing.
    UNSAID = 5
    NUMBERS = 6
    # Many different numbers that come again may be classes, too.
    MANY_CLASSES = 7
    AGED = 8
    # Who is in an image, and who took it where.
    BESIDE = 9
    IDS = 10
    LAST = 11


@dataclass(frozen=True, slots=True)
class Way:
    """What may be to be learned.

    Attributes:
      kind: ``label``, the words of a column; ``target``, its numbers; ``flags``, columns of yes and no.
      columns: their numbers; empty: it cannot be told.
      rank: how unlikely it is.
    """

    kind: Kind
    columns: tuple[int, ...]
    rank: Rank
