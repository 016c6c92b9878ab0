"""Sloth's JSON: an object for each image, with the boxes drawn in it, in an array, in lines or alone.

`{"annotations": [{"class": "rect", "x": 2, "y": 3, "width": 9, "height": 8}], "class": "image",
"filename": "a.jpg"}` (https://sloth.readthedocs.io/en/latest/first_steps.html). A class `rect` says the form,
and then the name of the file is the class, as in fisheries monitoring: alb_labels.json.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

# Between objects that are no elements of an array stands a line break, which no text in JSON has.
_CODE: Final = (
    'import csv, json, os, re, sys; s = open(sys.argv[1], encoding="utf-8-sig").read(); '
    r't = json.loads(s if s.lstrip()[0] == "[" else "[" + re.sub(r"}\s*\n\s*{", "},{", s) + "]"); '
    'k = os.path.basename(sys.argv[1]).rsplit(".", 1)[0].removesuffix("_labels"); '
    "w = csv.writer(sys.stdout); "
    'w.writerow("image left top width height label".split()); '
    'w.writerows([i["filename"], *([o["x"], o["y"], o["width"], o["height"], '
    'k if o["class"] == "rect" else o["class"]] if o else [None] * 5)] '
    'for i in t for o in i.get("annotations") or [None])'
)
SLOTH: Final = ForeignList(
    "a list of Sloth (JSON)",
    re.compile(
        r'\s*(?:\[\s*)?\{(?=[\s\S]*"filename"\s*:)(?=[\s\S]*"class"\s*:\s*"image")'
        r'(?=[\s\S]*"annotations"\s*:\s*\[\s*\{(?=[^{}]*"class"\s*:)(?=[^{}]*"width"\s*:))'
    ),
    "",
    f"python -c {shlex.quote(_CODE)} ".replace("{", "{{").replace("}", "}}") + "{name}",
)
