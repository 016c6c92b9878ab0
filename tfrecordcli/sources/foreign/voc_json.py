"""Pascal VOC's XML turned into JSON, as xmltodict does: an object an image, in an array, lines or alone.

`{"annotation": {"filename": "a.jpg", "size": {"width": 64, "height": 32}, "object": [{"name": "cat",
"bndbox": {"xmin": 1, "ymin": 2, "xmax": 9, "ymax": 8}}]}}`, also without the outer key; an only object stands
without an array, and an image without any has none.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

# Between objects that are no elements of an array stands a line break, which no text in JSON has.
_CODE: Final = (
    'import csv, json, re, sys; s = open(sys.argv[1], encoding="utf-8-sig").read(); '
    r't = json.loads("[" + re.sub(r"}\s*\n\s*{", "},{", s) + "]"); '
    "l = lambda v: v if isinstance(v, list) else [v] if v else []; "
    'k = [i.get("annotation", i) for e in t for i in l(e)]; '
    'f = [a for a in "difficult truncated occluded".split() if any(a in o for i in k for o in '
    'l(i.get("object")))]; b = "xmin ymin xmax ymax".split(); w = csv.writer(sys.stdout); '
    'w.writerow(["image", *b, "label", *f, "width", "height"]); '
    'w.writerows([i["filename"], *([o["bndbox"][c] for c in b] + [o["name"], *map(o.get, f)] if o else '
    '[""] * (5 + len(f))), *[str(n) if n not in (0, "0", None) else "" for n in '
    'map((i.get("size") or dict()).get, ("width", "height"))]] for i in k '
    'for o in l(i.get("object")) or [None])'
)
VOC_JSON: Final = ForeignList(
    "a list of Pascal VOC's annotations turned into JSON",
    re.compile(
        r'\s*(?:\[\s*)?\{(?=[\s\S]*"filename"\s*:\s*")(?=[\s\S]*"object"\s*:\s*[\[{])'
        r'(?=[\s\S]*"bndbox"\s*:\s*\{)'
    ),
    "",
    f"python -c {shlex.quote(_CODE)} ".replace("{", "{{").replace("}", "}}") + "{name}",
)
