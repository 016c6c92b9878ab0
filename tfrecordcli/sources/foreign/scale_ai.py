"""Tasks of Scale AI in JSON: each with the URL of its image, and its boxes where it was completed.

`[{"task_id": "5f…", "status": "completed", "params": {"attachment": "s3://b/a.jpg"}, "response":
{"annotations": [{"label": "car", "left": 8, "top": 4, "width": 32, "height": 16, "type": "box"}]}}]`
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import FILES_OF_URLS, ForeignList

# Outlines get the rectangle around.
_CODE: Final = (
    f"import csv, json, sys; {FILES_OF_URLS}"
    's = open(sys.argv[1], encoding="utf-8-sig").read(); '
    't = json.loads(s) if s.lstrip()[0] == "[" else [json.loads(r) for r in s.split("\\n") if r.strip()]; '
    'a = lambda i: (i.get("response") or i).get("annotations"); '
    'v = lambda i: i.get("params") or i; u = lambda i: v(i).get("attachment") or v(i)["image_url"]; '
    'k = [(u(i), a(i)) for i in t if a(i) is not None and i.get("status", "completed") == "completed"]; '
    'len(k) < len(t) and print(len(t) - len(k), "tasks that are not completed left out", file=sys.stderr); '
    "f = near(p for p, _ in k); "
    "m = lambda x, c: [g(q[c] for q in x) for g in (min, max)]; "
    'r = lambda x: (lambda h, w: [h[0], w[0], h[1] - h[0], w[1] - w[0]])(m(x, "x"), m(x, "y")); '
    'd = "left top width height".split(); '
    'e = lambda x: [*map(x.get, d)] if all(c in x for c in d) else r(x["vertices"]) if "vertices" in x and '
    'x.get("geometry", x.get("type")) == "polygon" else sys.exit(f"no box: {x}"); '
    'w = csv.writer(sys.stdout); w.writerow("image x y width height label".split()); '
    'w.writerows([f(p), *c] for p, x in k for c in [[*e(y), y["label"]] for y in x] or [[""] * 5])'
)
SCALE_AI: Final = ForeignList(
    "a list of tasks of Scale AI (JSON)",
    re.compile(
        r'\s*(?:\[\s*)?\{(?=[\s\S]*"task_id"\s*:)(?=[\s\S]*"(?:attachment|image_url)"\s*:\s*")'
        r'(?=[\s\S]*"annotations"\s*:\s*\[\s*\{(?=[^{}]*(?:\{[^{}]*\}[^{}]*)*"(?:left|vertices)"\s*:))'
    ),
    "",
    f"python -c {shlex.quote(_CODE)} ".replace("{", "{{").replace("}", "}}") + "{name}",
)
