"""How columns and keys are called that tell what several images come from, such as a patient or a video."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Final

# From the widest to the narrowest: a patient has several studies.
_GROUPS: Final = (
    "patient|subject|person|participant|volunteer|donor",
    "individual|animal|mouse|specimen|wsi|lesion|eye(?=.)",
    "location|site|plot",
    "(?:origin|original|source|parent)?(?:video|movie|clip|scene|recording|drive|flight|burst|sequence|seq|track)",
    "run|episode|rollout|trajectory|trial|bag|rosbag",
    "case|claim|incident|accident|study|series|exam|visit|session|slide|scan",
    "(?:asset|building|house|property|tower|tree)(?=.)",  # by their ids: words of these are classes
    "(?:product|item|listing|article)(?:id|uid|no|nr|num|number|code)|sku|asin|handle",  # of shops
    "storm|cyclone|hurricane|typhoon",
    "cam(?:era)?(?:trap|station)?|deployment|station",
    # What images were made of, as by distortions.
    "(?:reference|ref|original|orig|source|src|parent)(?:image|img|photo|picture|file)|original|ref|reference",
)
_ENDINGS: Final = "(?:id|ids|uid|name|no|nr|num|number|index|idx|code)?"
_CALLED: Final = tuple(re.compile(f"(?:{words}){_ENDINGS}") for words in _GROUPS)
_NOT_LETTERS: Final = re.compile("[^a-z]")
_FEWEST: Final = 3  # groups that can be parted into splits
_LOOKED_AT: Final = 1_000  # images by which groups are told


def width_of_group(name: str) -> int | None:
    """How wide a group is that a column or key is called after, 0 the widest; None: it is none."""
    letters = _NOT_LETTERS.sub("", name.lower())
    return next((rank for rank, called in enumerate(_CALLED) if called.fullmatch(letters)), None)


def are_groups(fields: Set[str], images: int) -> bool:
    """Whether these fields of so many images tell several groups, one of each image."""
    return _FEWEST <= len(fields) < images and "" not in fields


@dataclass(slots=True)
class GroupKeys:
    """Keys of the first images of a list that are called after groups.

    Attributes:
      images: that were looked at.
      values: what each of the keys has.
      counts: how many images have it.
      are_told: whether a reader has taken in the images itself, of which it tells less later.
    """

    images: int = 0
    values: dict[str, set[str]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    are_told: bool = False

    def add(self, fields: Mapping[str, Any]) -> None:
        """Takes in the fields of an image."""
        if self.images == _LOOKED_AT:
            return
        self.images += 1
        for name, value in fields.items():
            if name in self.values or width_of_group(name) is not None:
                is_plain = isinstance(value, str | int)
                self.values.setdefault(name, set()).add(str(value).strip() if is_plain else "")
                self.counts[name] += 1

    def widest(self) -> str:
        """The key of the widest groups that all of these images are of; empty where there is none."""
        found = [
            name
            for name, values in self.values.items()
            if self.counts[name] == self.images and are_groups(values, self.images)
        ]
        return min(found, key=lambda name: width_of_group(name) or 0, default="")
