"""Boxes of OpenCV's cascades (`info.dat`, as `opencv_annotation` writes it): all of an image in a line.

`img/a b.jpg  2  100 200 50 50  50 30 25 25`: a path, which may hold blanks, how many boxes, and x, y, width,
height of each: https://docs.opencv.org/4.x/dc/d88/tutorial_traincascade.html.
"""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.foreign.kind import EXTENSION, EXTENT
from tfrecordcli.sources.made_list import made_by

_SIDES: Final = 4
_LINE: Final = re.compile(
    rf"(?:[^\n,;|\t]+){EXTENSION}[ \t]+([0-9]{{1,4}})((?:[ \t]+{WRITTEN})*)[ \t]*\r?",
    re.IGNORECASE | re.ASCII,
)
_COMMAND: Final = (
    "python -c 'import csv, re, sys; w = csv.writer(sys.stdout); "
    'sys.stdout.reconfigure(encoding="latin-1"); '
    rf'p = re.compile(r"(.+?{EXTENSION})\s+(\d+)((?:\s+\S+)*)\s*", re.IGNORECASE); '
    't = [p.fullmatch(s) or sys.exit(f"no boxes: {{s}}") '
    'for s in open(sys.argv[1], encoding="latin-1") if s.strip()]; '
    "b = [(m[1], int(m[2]), m[3].split()) for m in t]; "
    'w.writerows([i, *v[4 * k:4 * k + 4], "object"] if n else [i, *[""] * 5] for i, n, v in b '
    'for k in range(n or 1) if len(v) == 4 * n or sys.exit(f"not so many boxes: {{i}}"))\' {name}'
)


def need_no_list_of_opencv(text: str, name: str) -> None:
    """Refuses a list each line of which has four times as many numbers as it says.

    One box in each line, whose sides may be corners, could have a class before it.

    Raises:
      InputError: that is what it is, with the command that makes a row of each box.
    """
    *lines, last = text.split("\n")
    lines = [line for line in lines if line.strip()] or [last]
    found = [_LINE.fullmatch(line) for line in lines]
    rows = [(int(line[1]), line[2].split()) for line in found if line]
    if len(rows) < len(lines) or not all(_SIDES * count == len(numbers) for count, numbers in rows):
        return
    counts = {count for count, _ in rows}
    if counts == {0} or (counts == {1} and all(map(_are_corners, (numbers for _, numbers in rows)))):
        return
    raise InputError(
        f"{name}: this is a list of boxes of OpenCV (info.dat), several in a line, which is not read",
        f"{made_by(EXTENT, _COMMAND, name)}; --task classification takes the numbers for labels",
    )


def _are_corners(numbers: list[str]) -> bool:
    left, top, right, bottom = map(float, numbers)
    return left < right and top < bottom
