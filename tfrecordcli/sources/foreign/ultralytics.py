"""Ultralytics' NDJSON, as its Platform exports datasets: a line of the dataset, then one for each image.

`{"type": "dataset", "task": "detect", "class_names": {"0": "cat"}}`, `{"type": "image", "file": "a.jpg",
"url": "https://…", "split": "train", "annotations": {"boxes": [[0, 0.5, 0.5, 0.2, 0.1]]}}`. Annotations are
what lines of YOLO have: `pose` is a box with points behind it, `segments` and `obb` are outlines, and
`classification` has numbers of classes alone. Images without any show nothing.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList

# The only file that is called so, or the only one in a folder of the split; else the URL.
_LOADED: Final = (
    "import csv, glob, json, os, sys; o = os.path.dirname(sys.argv[1]) or None; "
    't, *R = [json.loads(r) for r in open(sys.argv[1], encoding="utf-8-sig") if r.strip()]; '
    'R = [r for r in R if r.get("type") == "image"]; F = {}; '
    "[F.setdefault(os.path.basename(p), []).append(p) for p in "
    'glob.glob("**", root_dir=o, recursive=True)]; '
    'f = lambda r: (lambda p: next((v[0] for v in (p, [q for q in p if r.get("split") in q.split(os.sep)]) '
    'if len(v) == 1), r.get("url") or r["file"]))(F.get(os.path.basename(r["file"]), [])); '
    'c = t.get("class_names") or {}; k = lambda i: c.get(str(i), i); w = csv.writer(sys.stdout); '
)
_BOXES: Final = (
    _LOADED + "g = lambda s, v: (lambda x, y, w, h: [x - w / 2, y - h / 2, x + w / 2, y + h / 2])(*v[:4]) "
    'if s in ("boxes", "pose") else [e(v[i::2]) for e in (min, max) for i in (0, 1)]; '
    'w.writerow("image split label xmin ymin xmax ymax".split()); '
    'w.writerows([f(r), r.get("split"), *b] for r in R for b in [[k(v[0]), *(round(n, 6) '
    'for n in g(s, v[1:]))] for s, a in (r.get("annotations") or {}).items() for v in a] or [[""] * 5])'
)
_CLASSES: Final = (
    _LOADED + 'a = [(r, [*map(k, (r.get("annotations") or {}).get("classification") or [])]) for r in R]; '
    "m = max(len(v) for _, v in a); "
    'w.writerow(["image", "split", "label", *(f"label_{n}" for n in range(2, m + 1))]); '
    'w.writerows([f(r), r.get("split"), *v] for r, v in a)'
)


def _of(what: str, task: str, code: str, options: str = "") -> ForeignList:
    return ForeignList(
        f"a dataset of Ultralytics, {what} (NDJSON)",
        re.compile(
            rf'\s*\{{(?=[^\n]*"type"\s*:\s*"dataset")(?=[^\n]*"task"\s*:\s*"{task}")'
            r'[^\n]*\n\s*\{(?=[^\n]*"type"\s*:\s*"image")[^\n]*"file"\s*:'
        ),
        "",
        f"python -c {shlex.quote(code)} ".replace("{", "{{").replace("}", "}}") + "{name}",
        options=options,
    )


ULTRALYTICS: Final = (
    _of("of classes", "classify", _CLASSES),
    _of("of boxes", "(?:detect|segment|pose|obb)", _BOXES, "--box-unit fractions"),
)
