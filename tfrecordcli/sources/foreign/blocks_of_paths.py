"""Texts of blocks: a path of an image, and lines of numbers below it."""

from __future__ import annotations

from typing import Final

from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.foreign.kind import CORNERS, IMAGE, ForeignList, lines_like

_NUMBERS: Final = rf"{WRITTEN}(?:[ \t]+{WRITTEN})+"
_BOX: Final = rf"[0-9]+(?:[ \t]+{WRITTEN}){{4}}"
# Of images without a box above the first one with some.
_EMPTY: Final = rf"(?:{IMAGE}[ \t]*\r?\n[0-9]+[ \t]+[0-9]+[ \t]*\r?\n0[ \t]+5[ \t]*\r?\n)*"
BLOCKS_OF_PATHS: Final = (
    ForeignList(
        "a list of blocks of a path, the size of the image, how many boxes it has, and these",
        lines_like(_EMPTY + IMAGE, r"[0-9]+[ \t]+[0-9]+", r"[0-9]+[ \t]+5", _BOX),
        CORNERS,
        """awk -v OFS=, 'function none() {{if (image != "" && !n) print image, "", "", "", "", ""; n = 0}} """
        """{{sub("\\r$", "")}} NF == 1 {{none(); image = $1}} """
        """NF == 5 {{print image, $2, $3, $4, $5, $1; n++}} END {{none()}}' {name}""",
    ),
    ForeignList(
        "a list of blocks of a path and lines of numbers", lines_like(IMAGE, *[_NUMBERS] * 2), "", ""
    ),
)
