"""Dataturks' JSON: an object for each image, with its URL under `content`, in lines or in an array.

`"annotation": [{"label": ["Face"], "points": [{"x": 0.1, "y": 0.2}, …]}]` has two or four corners of boxes,
or outlines, as fractions; `"annotation": {"labels": ["cat"]}` labels. An image without any was not looked at.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

# The file that is called as its URL ends, or as before it was given a number (`4bb8___a.jpg`), else the URL.
_CODE: Final = (
    'import csv, glob, json, os, sys, urllib.parse as U; s = open(sys.argv[1], encoding="utf-8-sig").read(); '
    't = json.loads(s) if s.lstrip()[0] == "[" else [json.loads(r) for r in s.split("\\n") if r.strip()]; '
    "o = os.path.dirname(sys.argv[1]) or None; F = {}; [F.setdefault(os.path.basename(p), []).append(p) "
    'for g in ("*", "*/*") for p in glob.glob(g, root_dir=o)]; '
    'N = lambda b: (b, b.split("___")[-1]); f = lambda u: next((F[n][0] for n in '
    "N(os.path.basename(U.unquote(U.urlsplit(u).path))) if len(F.get(n, [])) == 1), u); "
    'k = [(f(i["content"]), i["annotation"]) for i in t if i.get("annotation") is not None]; '
    'len(k) < len(t) and print(len(t) - len(k), "without annotation left out", file=sys.stderr); '
    "b = any(isinstance(a, list) for _, a in k); w = csv.writer(sys.stdout); "
    'm = max(len(a["labels"]) for _, a in k) if not b else 0; '
    'w.writerow("image xmin ymin xmax ymax label".split() if b else '
    '["image", "label", *(f"label_{n}" for n in range(2, m + 1))]); '
    'w.writerows([[u, *a["labels"]] for u, a in k] if not b else [[u, *v] for u, a in k for v in '
    '[(*(g(p[c] for p in x["points"]) for g in (min, max) for c in "xy"), l) '
    'for x in a for l in x["label"] or [""]] or [[""] * 5]])'
)
# Of spans in texts, which such files may have as well, points have a start and an end.
_POINTS: Final = r'\[\s*\{[^{}]*"points"\s*:\s*\[\s*\{\s*"[xy]"'
DATATURKS: Final = ForeignList(
    "a list of Dataturks (JSON)",
    re.compile(
        r'\s*(?:\[\s*)?\{\s*"content"\s*:\s*"https?:'
        rf'(?=[\s\S]*"annotation"\s*:\s*(?:\{{\s*"labels"\s*:|{_POINTS}))'
    ),
    "",
    f"python -c {shlex.quote(_CODE)} ".replace("{", "{{").replace("}", "}}") + "{name}",
)
