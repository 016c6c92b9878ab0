"""PASCAL's annotations in text, version 1.00, a file for each image, as Penn-Fudan and INRIA have them.

`Image filename : "PennFudanPed/PNGImages/FudanPed00001.png"`, and of each object
`Bounding box for object 1 "PASpersonWalking" (Xmin, Ymin) - (Xmax, Ymax) : (160, 182) - (302, 431)`:
https://www.cis.upenn.edu/~jshi/ped_html/.
"""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

# An image is looked for by the end of its path, from the folder of its file up.
_CODE: Final = (
    "import csv, os, pathlib, re, sys; r = pathlib.Path(sys.argv[1]).resolve(); w = csv.writer(sys.stdout); "
    'w.writerow("image xmin ymin xmax ymax label".split()); '
    'w.writerows([i, *b] for p in sorted(r.rglob("*.txt")) for t in [p.read_text(encoding="latin-1")] '
    'if "PASCAL Annotation Version 1.00" in t[:99] '
    'for n in re.findall("Image filename : \\x22([^\\x22]*)", t)[:1] for s in [n.split("/")] '
    "for i in [next((os.path.relpath(q, r) for k in range(len(s)) for o in [*p.parents][:4] "
    "for q in [o.joinpath(*s[k:])] if q.is_file()), n)] "
    "for b in [[*b[1:], b[0]] for b in "
    're.findall("Bounding box for object [0-9]+ \\x22([^\\x22]*)\\x22[^:]*: '
    '[(]([0-9]+), *([0-9]+)[)] - [(]([0-9]+), *([0-9]+)[)]", t)] or [[""] * 5])'
)
PASCAL_TEXT: Final = ForeignList(
    "a file of PASCAL's annotations in text, version 1.00",
    re.compile(r"# [^\n]*PASCAL Annotation Version 1\.00\s"),
    "",
    f"python -c '{_CODE}' \"$(dirname {{name}})\"",
    tells_boxes=True,
    otherwise="it has the boxes of all such files of the folder",
)
