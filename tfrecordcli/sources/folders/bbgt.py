"""Boxes in texts of Dollár's toolbox, as ExDark has them: `Bicycle 204 28 271 193 0 0 0 0 0 0 0` a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

# Behind the box: whether it is occluded, its visible part, whether to ignore it, how it is turned.
BEHIND: Final = r"(?: -?[\d.]+){5} ([01])(?: -?[\d.]+)?"
COLUMNS: Final = ("label", "x", "y", "w", "h", "difficult")
# Begins the first line, in lower case.
_MARK: Final = "% bbgt"


def are_of_bbgt(lines: Iterable[str]) -> bool:
    """Whether one of these lines begins such a text."""
    return any(line.lower().startswith(_MARK) for line in lines)
