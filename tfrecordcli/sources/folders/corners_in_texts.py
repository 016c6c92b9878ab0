"""Boxes by four corners a line, in text files: DOTA's, with their classes, and ICDAR's, around words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

# A number, and what stands between two of them.
NUMBER: Final = r"(-?\d+(?:\.\d+)?)"
BETWEEN: Final = r"[\s,;:|()\[\]]+"
COLUMNS: Final = ("xmin", "ymin", "xmax", "ymax", "label", "difficult")
# Of lines that DOTA, and Dollár's toolbox, have above their boxes.
HEAD: Final = "(?i)(imagesource|gsd):|% bbgt"
_EIGHT: Final = BETWEEN.join([NUMBER] * 8)
_UNREADABLE: Final = "###"


@dataclass(frozen=True, slots=True)
class CornersLine:
    """How lines go on behind the eight numbers.

    Attributes:
      rest: pattern of that.
      fields: in Python, those of `COLUMNS` behind the corners, of the groups ``v`` of a line.
      told: what the command makes of it.
    """

    rest: str
    fields: str
    told: str

    def matches(self, line: str) -> bool:
        """Whether a line is such, in pixels."""
        found = re.fullmatch(_EIGHT + self.rest, line)
        return found is not None and max(map(float, found.groups()[:8])) > 1


_CLASSES: Final = CornersLine(
    r"[\s,;]+([^\W\d][^\s,;]*)(?:[\s,;]+([0-2]))?", 'v[8], int((v[9] or "0") > "0")', "with its class"
)
_WORDS: Final = CornersLine(
    r",\s*(.+)",
    f'"text", int(v[8] == "{_UNREADABLE}")',
    f"with the class text, where the word is {_UNREADABLE} as difficult",
)


def line_of_corners(lines: Sequence[str], *, are_words: bool) -> CornersLine | None:
    """What all lines are alike as; None: they are no corners in pixels.

    Args:
      are_words: whether the files are called as those of words are, so that nothing in them is a class.
    """
    told = [line.strip() for line in lines if not re.match(HEAD, line)]
    kinds = (_WORDS,) if are_words else (_CLASSES, _WORDS)
    return next((kind for kind in kinds if told and all(map(kind.matches, told))), None)
