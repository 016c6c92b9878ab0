"""Splits for rows that name none."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from tfrecordcli.planning.image_key import KeyedHash
from tfrecordcli.schema import SPLITS
from tfrecordcli.sources.row import GROUP, Row
from tfrecordcli.split_words import UNASSIGNED as UNASSIGNED

# Groups that are kept; of more than these no split with a share to speak of is missed.
KEPT: Final = 1_000


@dataclass(slots=True)
class Dealt:
    """What rows were met while they were assigned by their groups.

    Attributes:
      assigned: images that were.
      named: rows that name a split of their own.
      groups: how many images each of the first groups has, by what it is assigned by.
    """

    assigned: int = 0
    named: int = 0
    groups: dict[str, int] = field(default_factory=dict)

    def add(self, group: str) -> None:
        """Takes in an image of a group."""
        self.assigned += 1
        if group in self.groups or len(self.groups) < KEPT:
            self.groups[group] = self.groups.get(group, 0) + 1


class Splitter:
    """Assigns image URIs to splits by hash: adding or reordering rows moves no other row."""

    def __init__(self, weights: Sequence[tuple[str, float]], seed: int) -> None:
        self._splits = [split for split, _ in weights]
        total = sum(weight for _, weight in weights)
        reached = [until / total * 2.0**64 for until in accumulate(weight for _, weight in weights)]
        # The hash at which each split ends; the last one gets the rest, whatever rounding leaves.
        self._ends = [f"{math.ceil(end):016x}" for end in reached[:-1] if end < 2.0**64]
        self._hash = KeyedHash(f"split {seed}")

    def split_of(self, image_uri: str, labels: tuple[str, ...] = ()) -> str:
        """The split of an image, the same however its path is spelled (`image_key`) and whatever it shows."""
        return self._splits[bisect_right(self._ends, self._hash.of(image_uri))]

    def splits_of(self, image_uris: Sequence[str]) -> list[str]:
        """The split of each image."""
        splits, ends = self._splits, self._ends
        return [splits[bisect_right(ends, hashed)] for hashed in self._hash.of_all(image_uris)]


def split_by_group(rows: Iterable[Row], splitter: Splitter, dealt: Dealt) -> Iterator[Row]:
    """Rows with a split each, those of one group in one split; the group is the last of their extras.

    A row whose group is blank is assigned by its image.

    Args:
      dealt: takes in each image, whose rows follow each other.
    """
    last = ""
    for row in rows:
        *extras, group = row.extras or ("",)
        if row.split == UNASSIGNED and row.image_uri and row.problem is None:
            key = f"{GROUP}{group}" if group else row.image_uri
            if row.image_uri != last:
                dealt.add(key)
            last = row.image_uri
            row = row._replace(split=splitter.split_of(key))
        else:
            dealt.named += row.split in SPLITS
        yield row._replace(extras=tuple(extras))
