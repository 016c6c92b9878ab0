"""Lists of a path and fields behind it, each of which is a box: four numbers, or a class and four, by blanks.

`"pos/a.png", 16 148 68 282, 292 115 381 406` has corners, as INRIA's list of people;
`a.png, 1 0.6 0.4 0.1 0.3` a class and a box as YOLO's label files have it.
Flags, grades and probabilities of four classes are none:
the former have no number from 20 on, the latter no class before four fractions.
"""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.foreign.kind import CORNERS, EXTENSION, ForeignList

_PATH: Final = rf'(?:"[^"\n]+{EXTENSION}"|[^",;\n]+{EXTENSION})'
# Without names of what stands behind the path, or with one that says nothing of boxes.
_HEADER: Final = r'(?:"?[a-z_ ]+"?(?:,[ ]*(?:labels?|class(?:es)?|annotations?|objects?)?)+[ ]*\r?\n)?'
_SHARE: Final = r"(?:0?\.[0-9]+(?:e-?[0-9]+)?|[01](?:\.0*)?)"
_BOX: Final = rf"(?:[\w-]+[ ]+)?{WRITTEN}(?:[ ]+{WRITTEN}){{3}}"
_BOX_OF_SHARES: Final = rf"[\w-]+(?:[ ]+{_SHARE}){{4}}"
_LARGE: Final = r"[\s\S]*,[^,\n]*(?<![.0-9])(?:[2-9][0-9]|[1-9][0-9]{2})"
_FRACTION: Final = r"[\s\S]*,[^,\n]* 0?\.[0-9]"
_IS_IMAGE: Final = 're.search("[.](jpe?g|png|bmp|gif|webp|tiff?)$", r[0], re.I)'


def _fields(box: str, number: str) -> re.Pattern[str]:
    """A pattern of all lines: each further field is such a box, and some number of them is as this."""
    row = rf"{_PATH}(?:[ ]*,[ ]*{box})*[ ]*,?[ \t]*(?:\r?\n|\Z)"
    first = rf"(?={_PATH}[ ]*,[ ]*{box}[ ]*(?:[,\r\n]|\Z))"
    return re.compile(rf"{_HEADER}{first}(?={number})(?:{row})+[^\n]*\Z", re.IGNORECASE | re.ASCII)


# A row of each box, and one without for an image that has none; ``%s`` is in what order.
_AS_ROWS: Final = (
    "python -c 'import csv, re, sys; w = csv.writer(sys.stdout); "
    'w.writerows(%s for k, r in enumerate(csv.reader(open(sys.argv[1], encoding="utf-8-sig"), '
    f"skipinitialspace=True)) if r and (k or {_IS_IMAGE}) "
    'for b in [s for s in r[1:] if s.strip()] or [""] for p in [b.split()] '
    'if len(p) in (0, 4, 5) or sys.exit(f"row {{k + 1}}: {{b}}: no box"))\' {name}'
)
_OTHERWISE: Final = "--task classification makes a class of each field"
FIELDS_OF_BOXES: Final = (
    ForeignList(
        "a list whose fields behind each path are a class and a box of fractions each",
        _fields(_BOX_OF_SHARES, _FRACTION),
        "image,label,x_center,y_center,width,height",
        _AS_ROWS % '[r[0], *(p or [""] * 5)]',
        otherwise="with --box-format xyxy where these are corners; " + _OTHERWISE,
    ),
    ForeignList(
        "a list whose fields behind each path are a box of four numbers each",
        _fields(_BOX, _LARGE),
        CORNERS,
        _AS_ROWS % '[r[0], *(p[-4:] or [""] * 4), "".join(p[:-4]) or ("object" if p else "")]',
        otherwise="with --box-format xywh where these are x, y, width, height; " + _OTHERWISE,
    ),
)
