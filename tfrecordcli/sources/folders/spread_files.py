"""Folders over which many files are spread by how their names begin: `010/0108775015.jpg`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

_PART: Final = re.compile("[0-9a-f]{2,8}", re.IGNORECASE)  # classes may be letters and digits
_NUMBER: Final = re.compile("[0-9a-f]{4,}(?![^\\W_])", re.IGNORECASE)
# A class 01 may have images 010001 to 010400: running numbers are no higher than so many times their count.
_SPARSE: Final = 10
_FEWEST: Final = 5  # folders
_LOOKED_AT: Final = 10_000  # images


class SpreadSearch:
    """How images of a listing are called in folders of labels."""

    def __init__(self) -> None:
        self._is_so = True
        self._first = ""
        self._images: Counter[str] = Counter()  # by label
        self._numbers: list[tuple[str, int]] = []  # label, and what follows on it in the name of an image

    def add(self, path: str, label: str) -> None:
        """Takes in an image, with `/` in its path."""
        if not self._is_so or len(self._numbers) >= _LOOKED_AT:
            return
        name = path.rpartition("/")[2]
        number = _NUMBER.match(name, len(label))
        self._is_so = bool(number) and name.startswith(label) and _PART.fullmatch(label) is not None
        if number and self._is_so:
            self._first = self._first or f"{label}/…/{name}"
            self._images[label] += 1
            self._numbers.append((label, int(number[0], 16)))

    def doubts(self) -> Iterator[str]:
        """What is said of such folders, of which nothing is certain."""
        sparse = sum(number > _SPARSE * self._images[label] for label, number in self._numbers)
        if self._is_so and len(self._images) >= _FEWEST and 2 * sparse > len(self._numbers):
            yield (
                f"the names of all images begin with their labels ({self._first}), as where many files are "
                "spread over folders: where these say nothing of what images show, convert the list that does"
            )
