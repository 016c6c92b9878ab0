"""Exports of Edge Impulse: `info.labels` above the images, `bounding_boxes.labels` in each folder of them.

`{"version": 1, "files": [{"path": "training/a.jpg", "category": "training", "label": {"type": "label",
"label": "cat"}, "boundingBoxes": [{"label": "cat", "x": 1, "y": 2, "width": 3, "height": 4}]}]}`, and
`{"version": 1, "type": "bounding-box-labels", "boundingBoxes": {"a.jpg": [...]}}`; pixels from the top left.
"""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.sources.foreign.kind import EXTENT, ForeignList

_VERSION: Final = r'\s*\{\s*(?:"version"\s*:\s*[0-9]+\s*,\s*)?'
_LOADED: Final = (
    'python -c \'import csv, json, sys; t = json.load(open(sys.argv[1], "rb")); w = csv.writer(sys.stdout); '
)
_SIDES: Final = '"x y width height label".split()'
# ``b``: whether there are boxes; else the label of each file, which one that is unlabelled lacks.
_AS_ROWS: Final = (
    _LOADED + 'F = t["files"]; b = any(f.get("boundingBoxes") for f in F); '
    f'k = {_SIDES} if b else ["label"]; w.writerow(["image", "split", *k]); '
    'w.writerows([f["path"], f.get("category"), *map(o.get, k)] for f in F '
    'for o in (f.get("boundingBoxes") or [dict()] if b else [f.get("label") or dict()]))\' {name}'
)
EDGE_IMPULSE: Final = (
    ForeignList(
        "a list of boxes of Edge Impulse (JSON)",
        re.compile(
            _VERSION + r'"type"\s*:\s*"bounding-box-labels"(?=[\s\S]*"boundingBoxes"\s*:\s*\{)'
        ),
        EXTENT,
        _LOADED + f"k = {_SIDES}; "
        'w.writerows([i, *map(o.get, k)] for i, v in t["boundingBoxes"].items() for o in v or [dict()])\' '
        "{name}",
        otherwise="images without a box are named in info.labels alone, which stands in the folder above",
    ),
    ForeignList(
        "a list of files of Edge Impulse (JSON)",
        re.compile(
            _VERSION + r'"files"\s*:\s*\[\s*\{(?=[^{}]*"path"\s*:)'
            r'(?=[\s\S]*"category"\s*:\s*"(?:train|test)ing")'
        ),
        "",
        _AS_ROWS,
    ),
)  # fmt: skip
