"""WFLW: 98 points of a face before each image, its box and six attributes; points are not stored.

A line is x and y of each point, x_min, y_min, x_max and y_max of the face, pose, expression, illumination,
make-up, occlusion and blur as 0 or 1, and the path: https://wywu.github.io/projects/LAB/WFLW.html.
"""

from __future__ import annotations

import os
import re
from itertools import chain
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.foreign.kind import EXTENSION
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.sources.proposals.missing_images import folders_in, has_image

_BEFORE: Final = 206  # numbers, of which 196 are of points
_LEVELS: Final = 3  # above the list, in whose folders images are looked for
_SIDE: Final = rf"({WRITTEN})[ \t]+"
_FACE: Final = re.compile(
    rf"[ \t]*(?:{WRITTEN}[ \t]+){{196}}{_SIDE * 4}(?:[01][ \t]+){{6}}\S.*{EXTENSION}\s*",
    re.IGNORECASE | re.ASCII,
)
_COMMAND: Final = (
    "python -c 'import csv, sys; w = csv.writer(sys.stdout); w.writerow("
    '"image xmin ymin xmax ymax label large_pose expression illumination make_up occluded blur".split()); '
    'w.writerows([r[206].strip(), *r[196:200], "face", *r[200:206]] '
    'for r in (s.split(None, 206) for s in open(sys.argv[1], encoding="utf-8-sig")) if r)\' {name}'
)


def need_no_list_of_wflw(text: str, name: str) -> None:
    """Refuses a text whose whole lines are all of such faces.

    Raises:
      InputError: with the command that makes a list of their boxes, with the attributes beside them.
    """
    lines = text.splitlines(keepends=True)
    whole = [line for line in lines if line.endswith("\n") and line.strip()] or lines
    found = [_FACE.fullmatch(line) for line in whole]
    if found and all(match and _is_box(match) for match in found):
        made = made_by("", _COMMAND, name)
        raise InputError(
            f"{name}: this is a list of WFLW, of points in faces, which are not stored",
            f"of their boxes, {made}{_converting(name, whole[0].split(None, _BEFORE)[-1].strip())}",
        )


def _converting(name: str, image: str) -> str:
    """The command for the list that is made, where the folder of the images is near; else empty."""
    above = [os.path.join(os.path.dirname(name), *[os.pardir] * count) for count in range(_LEVELS)]
    folders = chain.from_iterable(map(folders_in, map(os.path.normpath, above)))
    root = next((each for each in folders if has_image(each, image)), "") if os.path.isfile(name) else ""
    made = f"{as_path(os.path.splitext(name)[0])}-as-csv.csv"
    command = command_line(["tfrec", "convert", made, "OUTPUT_DIR", "--image-root", as_path(root)])
    return f"; then: {command}" if root else ""


def _is_box(match: re.Match[str]) -> bool:
    left, top, right, bottom = map(float, match.groups())
    return left < right and top < bottom
