"""The dealing of rows that name no split."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from tfrecordcli.planning.image_key import image_key
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
        self._key = f"split {seed}".encode()

    def deal(self, image_uri: str) -> str:
        """The split of an image, the same however its path is spelled (`image_key`)."""
        key = image_key(image_uri).encode()
        point = int.from_bytes(blake2b(key, digest_size=8, key=self._key[:64]).digest(), "big")
        for split, bound in self._bounds:
            if point < bound:
                return split
        return self._bounds[-1][0]
