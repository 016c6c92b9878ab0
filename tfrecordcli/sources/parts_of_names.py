"""Names of images whose parts tell what they show, as `26_1_3_20170117.jpg` does: a column for each part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

_SOME: Final = 10  # names that show what their parts are; fewer do where their last part counts them
_FEWEST: Final = 4
_NEARLY_ALL: Final = 0.95
_PARTS: Final = range(2, 9)
_SHOWN: Final = 3
# What parts names -> the awk that leaves no ending behind them.
_SEPARATORS: Final = {"_": "[.].*", "-": "[.].*", ".": "[.][^.]*$"}
# Words and short numbers may be labels; longer ones are times, and what mixes them ids.
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_KIND: Final = re.compile(rf"{_WORD.pattern}|[0-9]{{1,3}}")


@dataclass(frozen=True, slots=True)
class NameParts:
    """What the names of images are alike as.

    Attributes:
      separator: what is between their parts.
      count: how many of these they have.
      told: by the number of a part, of which there are few kinds, some of these.
      label: the part of words, or else of the fewest.
      are_all: whether none has more parts or less.
    """

    separator: str
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
            f'awk -F/ \'{{sub(/\\r$/, ""); b = $NF; sub(/{_SEPARATORS[self.separator]}/, "", b); '
            f'if (split(b, p, "[{self.separator}]") == {self.count}) print $0 "," {fields}}}\''
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
    return next(filter(None, (_parted_by(separator, names) for separator in _SEPARATORS)), None)


def _parted_by(separator: str, names: Sequence[str]) -> NameParts | None:
    stems = [
        (name.rpartition(".") if separator == "." else name.partition("."))[0].split(separator)
        for name in names
    ]
    count, alike = Counter(map(len, stems)).most_common(1)[0] if stems else (0, 0)
    if len(stems) < _FEWEST or count not in _PARTS or alike < _NEARLY_ALL * len(stems):
        return None
    parted = [stem for stem in stems if len(stem) == count]
    counts = _count_images(parted)
    if len(stems) < _SOME and not counts:
        return None
    columns = list(map(Counter, zip(*(stem[: count - counts] for stem in parted), strict=True)))
    # Numbers alone between hyphens or points may be dates and times.
    if separator != "_" and not any(map(_are_words, columns)):
        return None
    told = {
        part: ", ".join([*sorted(kinds)[:_SHOWN], *["…"][: len(kinds) > _SHOWN]])
        for part, kinds in enumerate(takewhile(_may_be_labels, columns))
        if len(kinds) > 1
    }
    if not told:
        return None
    label = min(told, key=lambda part: (not _are_words(columns[part]), len(columns[part])))
    return NameParts(separator, count, told, label, alike == len(stems))


def _may_be_labels(kinds: Counter[str]) -> bool:
    """Whether kinds are at most half as many as fields; of words, which are no chance, two thirds."""
    most = 2 / 3 if _are_words(kinds) else 1 / 2
    return len(kinds) <= most * kinds.total() and all(map(_KIND.fullmatch, kinds))


def _are_words(kinds: Counter[str]) -> bool:
    return all(map(_WORD.fullmatch, kinds))


def _count_images(parted: Sequence[Sequence[str]]) -> bool:
    """Whether the last part numbers images from 0 or 1 that are alike in the others, of several kinds."""
    groups: dict[tuple[str, ...], set[str]] = {}
    for *before, last in parted:
        groups.setdefault((*before,), set()).add(last)
    return len(groups) > 1 and any(
        all(
            len(some) > 1 and some == {*map(str, range(first, first + len(some)))} for some in groups.values()
        )
        for first in (0, 1)
    )
