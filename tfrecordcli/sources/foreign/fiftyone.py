"""FiftyOne's datasets of images with `labels.json` beside their folder `data`.

`{"classes": ["cat"], "labels": {"a": [{"label": 0, "bounding_box": [x, y, width, height]}]}}`, in fractions,
or `{"classes": ["cat"], "labels": {"a": 0}}`: https://docs.voxel51.com/user_guide/export_datasets.html.
Images are called by their paths in `data` without extension; null stands for one without labels.
"""

from __future__ import annotations

import glob
import json
import os
import re
from dataclasses import replace
from typing import Final

from tfrecordcli.sources.foreign.kind import ForeignList, need_none

_LIST: Final = "labels.json"
_DATA: Final = "data"
_HEAD: Final = 1 << 14
_BEGIN: Final = (
    r'\s*\{(?=\s*"(?:classes|labels)"\s*:)(?=[\s\S]*"classes"\s*:\s*(?:\[|null))(?=[\s\S]*"labels"\s*:\s*\{)'
)
_FIRST: Final = re.compile(r'"labels"\s*:\s*\{\s*("[^"\n]+")\s*:')
_FOLDERS_ALL_THE_SAME: Final = "--label-folder last takes the folders in data for labels all the same"
_LOADED: Final = (
    'python -c \'import csv, json, sys; t = json.load(open(sys.argv[1], "rb")); '
    'n = t.get("classes"); name = lambda k: n[k] if n and isinstance(k, int) else k; '
    "w = csv.writer(sys.stdout); "
)
FIFTYONE: Final = (
    ForeignList(
        "a list of boxes of FiftyOne (labels.json)",
        re.compile(rf'{_BEGIN}(?=[\s\S]*"bounding_box"\s*:\s*\[)'),
        "",
        _LOADED + 'w.writerow("image label xmin ymin xmax ymax confidence".split()); '
        "none = [dict(bounding_box=[None] * 4)]; "
        'w.writerows(["data/" + k, name(o.get("label")), *b[:2], *[b[i] + b[i + 2] if o in v else None '
        'for i in (0, 1)], o.get("confidence")] for k, v in t["labels"].items() if v is not None '
        'for o in v or none for b in [o["bounding_box"]])\' {name}',
    ),
    ForeignList(
        "a list of labels of FiftyOne (labels.json)",
        re.compile(
            rf'{_BEGIN}(?=[\s\S]*"labels"\s*:\s*\{{\s*"[^"\n]+"\s*:\s*(?:null|"|[0-9]))'
        ),
        "",
        _LOADED + 'w.writerow(["image", "label"]); '
        'w.writerows(["data/" + k, name(v)] for k, v in t["labels"].items() if v is not None)\' {name}',
    ),
)  # fmt: skip


def need_no_fiftyone(folder: str) -> None:
    """Refuses a local folder as FiftyOne has them: the first label is that of a file in `data`.

    Raises:
      InputError: that is what it is, with the command that makes a list of its images.
    """
    path, data = os.path.join(folder, _LIST), os.path.join(folder, _DATA)
    if not os.path.isfile(path) or not os.path.isdir(data):
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        head = file.read(_HEAD)
    if _names_a_file(data, head):
        has_folders = any(os.path.isdir(os.path.join(data, name)) for name in os.listdir(data))
        otherwise = _FOLDERS_ALL_THE_SAME if has_folders else ""
        need_none((replace(kind, otherwise=otherwise) for kind in FIFTYONE), head, path)


def _names_a_file(data: str, head: str) -> bool:
    """Whether the first key of the labels is the path of a file in a folder, and no number of a class."""
    found = _FIRST.search(head)
    try:
        path = os.path.join(data, json.loads(found[1])) if found else ""
        return bool(path) and (os.path.isfile(path) or bool(glob.glob(f"{glob.escape(path)}.*")))
    except ValueError:  # a broken escape, or what no path can hold
        return False
