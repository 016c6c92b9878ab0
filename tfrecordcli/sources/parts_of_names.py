"""Names of images whose parts tell what they show, as `26_1_3_20170117.jpg` does: a column for each part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

_SOME: Final = 20  # names that show what their parts are
_NEARLY_ALL: Final = 0.95
_PARTS: Final = range(2, 9)
_SHOWN: Final = 3
# Words and short numbers may be labels; longer ones are times, and what mixes them ids.
_KIND: Final = re.compile(r"[A-Za-z][A-Za-z-]*|[0-9]{1,3}")


@dataclass(frozen=True, slots=True)
class NameParts:
    """What the names of images are alike as.

    Attributes:
      count: how many parts they have between their `_`.
      told: by the number of a part, of which there are few kinds, some of these.
      label: the part of the fewest.
      are_all: whether none has more parts or less.
    """

    count: int
    told: dict[int, str]
    label: int
    are_all: bool

    @property
    def header(self) -> str:
        """Of the list that `command` writes."""
        return ",".join(["image", *(f"part_{part + 1}" for part in range(self.count))])

    @property
    def command(self) -> str:
        """The one of awk that writes its rows of paths; names of other parts are left out."""
        fields = ' "," '.join(f"p[{part + 1}]" for part in range(self.count))
        return (
            'awk -F/ \'{sub(/\\r$/, ""); b = $NF; sub(/[.].*/, "", b); '
            f'if (split(b, p, "_") == {self.count}) print $0 "," {fields}}}\''
        )

    @property
    def what(self) -> str:
        """The parts that may be labels, and what is in them."""
        told = ", ".join(f"part_{part + 1}: {kinds}" for part, kinds in self.told.items())
        return told + "; names of other parts are left out" * (not self.are_all)

    @property
    def way(self) -> str:
        """How the list is converted."""
        label = f"--columns label=part_{self.label + 1}"
        return f"{label}, or the part that is it; where that is a number to predict, --task regression, too"


def parts_of_names(names: Sequence[str]) -> NameParts | None:
    """What names without their folders are alike as; None: too few, or nothing that may be a label.

    Only their first parts are: what comes behind one of many kinds counts the images.
    """
    stems = [name.partition(".")[0].split("_") for name in names]
    count, alike = Counter(map(len, stems)).most_common(1)[0] if stems else (0, 0)
    if len(stems) < _SOME or count not in _PARTS or alike < _NEARLY_ALL * len(stems):
        return None
    columns = list(map(Counter, zip(*(stem for stem in stems if len(stem) == count), strict=True)))
    first = takewhile(lambda kinds: 2 * len(kinds) <= alike and all(map(_KIND.fullmatch, kinds)), columns)
    told = {
        part: ", ".join([*sorted(kinds)[:_SHOWN], *["…"][: len(kinds) > _SHOWN]])
        for part, kinds in enumerate(first)
        if len(kinds) > 1
    }
    if not told:
        return None
    return NameParts(count, told, min(told, key=lambda part: len(columns[part])), alike == len(stems))
