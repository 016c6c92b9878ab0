"""JSON files of annotations, one for each image, of V7 Darwin, SuperAnnotate and Mapillary.

V7 Darwin 2.0: `{"item": {"name", "path", "slots"}, "annotations": [{"name", "bounding_box": {"x", "y", "w",
"h"}}]}` (https://docs.v7labs.com/reference/darwin-json). SuperAnnotate: `{"metadata": {"name"}, "instances":
[{"type": "bbox", "className", "points": {"x1", "y1", "x2", "y2"}}]}`; a polygon has its points in an array
(https://doc.superannotate.com/docs/vector-json).

Mapillary's traffic signs, called like their images: `{"width", "height", "objects": [{"label", "bbox":
{"xmin", "ymin", "xmax", "ymax"}}]}`; a line of `splits/train.txt` and the like is a name
without its extension.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from tfrecordcli.errors import InputError
from tfrecordcli.sources.made_list import made_of_folder


class _Kind(NamedTuple):
    """One kind of such files.

    Attributes:
      sign: of the first bytes of one.
      is_one: Python's condition that the JSON ``t`` is one.
      image: Python for the path of its image.
      boxes: Python for a list of (label, xmin, ymin, xmax, ymax) of it; stops at what is no box.
      has_splits: whether files in a folder `splits` may have the names of those of each split.
    """

    sign: re.Pattern[bytes]
    is_one: str
    image: str
    boxes: str
    has_splits: bool = False


_KINDS: Final[Mapping[str, _Kind]] = {
    "V7 Darwin": _Kind(
        re.compile(rb'\s*\{(?=[\s\S]*"item"\s*:\s*\{)(?=[\s\S]*"slots"\s*:\s*\[)'),
        '"item" in t and "annotations" in t',
        '(t["item"].get("path") or "") + "/" + t["item"]["name"]',
        '[(a["name"], b["x"], b["y"], b["x"] + b["w"], b["y"] + b["h"]) for a in t["annotations"] '
        'if "tag" not in a for b in [a.get("bounding_box") or sys.exit(f"{p}: {a}: no box")]]',
    ),
    "SuperAnnotate": _Kind(
        re.compile(rb'\s*\{(?=[\s\S]*"metadata"\s*:\s*\{)[\s\S]*"instances"\s*:\s*\[[\s\S]*"className"\s*:'),
        '"metadata" in t and "instances" in t',
        't["metadata"]["name"]',
        '[(a["className"], min(x), min(y), max(x), max(y)) for a in t["instances"] '
        'if a["type"] != "tag" for b in [a["points"] if a["type"] in ("bbox", "polygon") '
        'else sys.exit(f"{p}: {a}: no box")] '
        'for x, y in [(b[::2], b[1::2]) if isinstance(b, list) else '
        '([b["x1"], b["x2"]], [b["y1"], b["y2"]])]]',
    ),
    "Mapillary": _Kind(
        re.compile(
            rb'\s*\{\s*"width"\s*:\s*[0-9]+\s*,\s*"height"\s*:\s*[0-9]+\s*,[^\[{}]*"objects"\s*:\s*\['
            rb'\s*(?:\]|\{[^{}]*"bbox"\s*:\s*\{[^{}]*"xmin"\s*:)'
        ),
        '"objects" in t and "width" in t',
        'p.stem + ".jpg"',
        '[[o["label"], *[b[c] for c in ("xmin", "ymin", "xmax", "ymax")]] for o in t["objects"] '
        'for b in [o.get("bbox") or sys.exit(f"{p}: {o}: no box")]]',
        has_splits=True,
    ),
}  # fmt: skip
# Of each name the split.
_SPLITS: Final = (
    's = {i: q.stem for q in sorted(r.rglob("splits/*.txt")) '
    'for i in q.read_text(encoding="utf-8").split()}; '
)
# Images are found by the end of their path, and each has to be one.
_CODE: Final = (
    "import csv, json, pathlib, sys; r = pathlib.Path(sys.argv[1]); w = csv.writer(sys.stdout); "
    '%sw.writerow("image label xmin ymin xmax ymax%s".split()); '
    'f = ["/" + q.relative_to(r).as_posix() for q in sorted(r.rglob("*")) '
    'if q.is_file() and q.suffix not in (".json", ".csv")]; '
    'w.writerows([i[1:], *b%s] for p in sorted(r.rglob("*.json")) for t in [json.loads(p.read_bytes())] '
    'if isinstance(t, dict) and %s for n in ["/" + (%s).lstrip("/")] '
    "for k in [[q for q in f if q.endswith(n)]] "
    'for i in [k[0] if len(k) == 1 else sys.exit(f"{p}: {len(k)} images called {n} in {r}")] '
    'for b in %s or [[""] * 5])'
)


def need_no_json_of_an_image(root: str, path: str, head: bytes) -> None:
    """Refuses a folder with a file of annotations that begins like one of these.

    Args:
      root: the folder.
      path: of the file, as messages call it.

    Raises:
      InputError: what it is, and for a local folder the command that makes a list of it.
    """
    name = next((name for name, kind in _KINDS.items() if kind.sign.match(head)), "")
    if not name:
        return
    kind = _KINDS[name]
    splits = (_SPLITS, " split", ', s.get(p.stem, "")') if kind.has_splits else ("", "", "")
    hint = made_of_folder("boxes", _CODE % (*splits, kind.is_one, kind.image, kind.boxes), root)
    hint = hint or "export the annotations as COCO there, and convert that file"
    raise InputError(f"{path}: this is JSON of {name}, a file for each image, which is not read", hint)
