"""Split words of real image lists, and the dealing of rows that name no split.

The words: AutoML Vision writes TRAIN, VALIDATE, TEST, UNASSIGNED; Vertex AI training, validation,
test; TFRecorder TRAIN, VALIDATION, TEST, DISCARD; people write val, dev, holdout.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from tfrecordcli.dataset.image_key import image_key

TRAIN, VALIDATION, TEST = "train", "validation", "test"
DISCARD: Final = "discard"
UNASSIGNED: Final = ""

_WORDS: Final = {
    "train": TRAIN,
    "training": TRAIN,
    "validation": VALIDATION,
    "validate": VALIDATION,
    "valid": VALIDATION,
    "val": VALIDATION,
    "dev": VALIDATION,
    "eval": VALIDATION,
    "test": TEST,
    "testing": TEST,
    "holdout": TEST,
    "unassigned": UNASSIGNED,
    "": UNASSIGNED,
    "discard": DISCARD,
}


def parse_split(word: str) -> str | None:
    """train, validation, test, `DISCARD` or `UNASSIGNED`; None for a word that is none of them."""
    return _WORDS.get(word.lower())


@lru_cache(maxsize=256)  # one wrong word often stands in every row, and the search is slow
def suggest_split(word: str) -> str:
    """`: did you mean validation?`, or the list of words when none is near."""
    near = difflib.get_close_matches(word.lower(), [w for w in _WORDS if w], n=1, cutoff=0.6)
    return f": did you mean {near[0]}?" if near else " (use train, validation, test or discard)"


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
