"""BDD100K's and Scalabel's JSON: images with labels, of which those of objects have a box2d.

Lanes and areas (poly2d) are no objects; an image that has nothing else has no box. The images stand in an
array, or under `frames` beside `config`.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

_CODE: Final = (
    'import csv, json, sys; t = json.load(open(sys.argv[1], "rb")); '
    't = t["frames"] if isinstance(t, dict) else t; '
    'k = [(i["name"], [o for o in i.get("labels") or [] if o.get("box2d")]) for i in t]; '
    'any(b for _, b in k) or sys.exit("no label has a box2d"); w = csv.writer(sys.stdout); '
    'w.writerow("image xmin ymin xmax ymax label is_crowd".split()); '
    'w.writerows([n, *([*map(o["box2d"].get, "x1 y1 x2 y2".split()), o["category"], '
    'int(bool((o.get("attributes") or dict()).get("crowd")))] if o else [None] * 6)] '
    "for n, b in k for o in b or [None])"
)
BDD: Final = ForeignList(
    "a list of BDD100K or Scalabel (JSON)",
    re.compile(
        r'\s*(?:\[|\{(?=[\s\S]*"frames"\s*:\s*\[))\s*(?=[\s\S]*"name"\s*:)(?=[\s\S]*"labels"\s*:\s*\[)'
        r'(?=[\s\S]*"(?:box2d|poly2d)"\s*:)(?=[\s\S]*"category"\s*:)'
    ),
    "",
    f"python -c {shlex.quote(_CODE)} {{name}}",
)
