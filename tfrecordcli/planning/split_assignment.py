"""The dealing of rows that name no split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from tfrecordcli.planning.image_key import image_key
from tfrecordcli.schema import SPLITS
from tfrecordcli.sources.row import GROUP, Row
from tfrecordcli.split_words import UNASSIGNED as UNASSIGNED
from tfrecordcli.split_words import parse_split as parse_split


class SplitDealer:
    """Deals image URIs to splits by hash: adding or reordering rows moves no other row."""

    def __init__(self, weights: Sequence[tuple[str, float]], seed: int) -> None:
        total = sum(weight for _, weight in weights)
        self._bounds: list[tuple[str, float]] = []
        reached = 0.0
        for split, weight in weights:
            reached += weight
            self._bounds.append((split, reached / total * 2.0**64))
        # A copy of a keyed hash costs less than a new one.
        self._hash = blake2b(digest_size=8, key=f"split {seed}".encode()[:64])

    def deal(self, image_uri: str, labels: tuple[str, ...] = ()) -> str:
        """The split of an image, the same however its path is spelled (`image_key`) and whatever it shows."""
        hashed = self._hash.copy()
        hashed.update(image_key(image_uri).encode())
        point = int.from_bytes(hashed.digest(), "big")
        for split, bound in self._bounds:
            if point < bound:
                return split
        return self._bounds[-1][0]


def dealt_by_group(rows: Iterable[Row], dealer: SplitDealer, met: Counter[str]) -> Iterator[Row]:
    """Rows with a split each, those of one group in one split; the group is the last of their extras.

    A row whose group is blank is dealt by its image.

    Args:
      met: counts rows that were dealt (`dealt`) and that name a split of their own (`named`).
    """
    for row in rows:
        *extras, group = row.extras or ("",)
        if row.split == UNASSIGNED and row.image_uri and row.problem is None:
            met["dealt"] += 1
            row = row._replace(split=dealer.deal(f"{GROUP}{group}" if group else row.image_uri))
        else:
            met["named"] += row.split in SPLITS
        yield row._replace(extras=tuple(extras))
