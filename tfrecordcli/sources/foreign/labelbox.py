"""Labelbox's CSV, a row for each data row, with what people drew in the JSON under `Label`.

`{"objects": [{"title": "Vest", "bbox": {"top", "left", "height", "width"}}, {"title", "polygon": [{"x",
"y"}]}], "classifications": []}`, in pixels; `Skip` where a person passed the image over. `External ID` is the
name of the file that was uploaded.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

_CODE: Final = (
    "import csv, json, sys; csv.field_size_limit(1 << 30); "
    't = [*csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8-sig"))]; '
    'k = [(r["External ID"] or r["Labeled Data"], json.loads(r["Label"])["objects"]) for r in t '
    'if r["Label"].lstrip()[:1] == "{"]; '
    's = len(t) - len(k); s and print(s, "without a label left out", file=sys.stderr); '
    "n = [i for i, _ in k]; d = [i for i in {*n} if n.count(i) > 1] if len({*n}) < len(n) else []; "
    'd and sys.exit(f"{d[0]} has several rows: keep the one of each image that is right"); '
    'w = csv.writer(sys.stdout); w.writerow("image label xmin ymin xmax ymax".split()); '
    "w.writerows([i, *b] for i, a in k for b in "
    '[(o["title"], b["left"], b["top"], b["left"] + b["width"], b["top"] + b["height"]) for o in a '
    'for p in [o.get("polygon") or []] for x, y in [([q["x"] for q in p], [q["y"] for q in p])] '
    'for b in [o.get("bbox") or (p and dict(left=min(x), top=min(y), width=max(x) - min(x), '
    'height=max(y) - min(y))) or sys.exit(f"{i}: {o}: no box")]] or [[""] * 5])'
)
LABELBOX: Final = ForeignList(
    "Labelbox's list of what people drew, in JSON",
    re.compile(
        r"(?=[^\n]*\bLabeled Data\b)(?=[^\n]*\bExternal ID\b)[^\n]*\bLabel\b"
        r'[\s\S]*""(?:bbox|polygon)""\s*:\s*[{\[]'
    ),
    "",
    f"python -c {shlex.quote(_CODE)} ".replace("{", "{{").replace("}", "}}") + "{name}",
)
