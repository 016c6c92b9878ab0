"""Datumaro's own datasets: `annotations/train.json` for each subset; images in `images/train`, or `images`.

`{"categories": {"label": {"labels": [{"name": "cat"}]}}, "items": [{"id": "a", "image": {"path": "a.jpg"},
"annotations": [{"type": "bbox", "label_id": 0, "bbox": [x, y, width, height]}]}]}`, in pixels; CVAT turns
boxes about their centres. Outlines have `points`, and annotations of the type `label` are of whole images.
"""

from __future__ import annotations

import glob
import os
import re
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.made_list import made_of_folder

_ANNOTATIONS: Final = "annotations"
_HEAD: Final = 1 << 14
_SIGN: Final = re.compile(
    r'\s*\{(?=[\s\S]*"categories"\s*:\s*\{)(?=[\s\S]*"label"\s*:\s*\{[\s\S]*"labels"\s*:\s*\[)'
    r'[\s\S]*"items"\s*:\s*\['
)
# Subsets are the splits where there are several.
_CODE: Final = (
    "import csv, json, math, pathlib, sys; r = pathlib.Path(sys.argv[1]); E = sys.exit; "
    f'A = sorted(r.glob("{_ANNOTATIONS}/*.json")) or sorted(r.glob("*.json")); '
    "a = [(p.stem, json.loads(p.read_bytes())) for p in A]; "
    'a = [(s, t["categories"]["label"]["labels"], i) for s, t in a if "items" in t for i in t["items"]]; '
    'f = lambda s, i: (lambda n: next((p for b in (f"images/{s}", "images", ".") for p in [r / b / n] '
    'if p.is_file()), r / "images" / s / n).relative_to(r).as_posix())((i.get("image") or i.get("media") '
    'or {}).get("path") or i["id"] + ".jpg"); '
    "T = lambda x, y, w, h, a: (lambda c, s: (lambda u, v: [x + (w - u) / 2, y + (h - v) / 2, "
    "x + (w + u) / 2, y + (h + v) / 2])(abs(w * c) + abs(h * s), abs(w * s) + abs(h * c)))"
    "(math.cos(a), math.sin(a)); "
    'b = lambda o: T(*o["bbox"], math.radians((o.get("attributes") or {}).get("rotation") or 0)) '
    'if o["type"] == "bbox" else [g(o["points"][k::2]) for g in (min, max) for k in (0, 1)] '
    'if o["type"] == "polygon" else E("masks: make COCO of it with datum convert -f coco_instances"); '
    'B = ("bbox", "polygon", "mask"); K = {o["type"] for _, _, i in a for o in i["annotations"]}; '
    'B = [*B] if K & {*B} else ["label"] if "label" in K else E(f"no boxes and no labels, but {K}"); '
    'K = K - {*B}; K and print("left out:", *K, file=sys.stderr); '
    'k = [(f(s, i), s if len(A) > 1 and s != "default" else "", [(L[o["label_id"]]["name"] '
    'if o.get("label_id") is not None else "", o) for o in i["annotations"] if o["type"] in B]) '
    'for s, L, i in a]; d = "bbox" in B; m = max(len(v) for _, _, v in k); w = csv.writer(sys.stdout); '
    'w.writerow(["image", "split", "label", *("xmin ymin xmax ymax".split() if d else '
    '[f"label_{n}" for n in range(2, m + 1)])]); '
    "w.writerows([n, s, *c] for n, s, v in k for c in ([[l, *(round(x, 2) for x in b(o))] for l, o in v] "
    'or [[""] * 5] if d else [[l for l, _ in v]]))'
)


def need_no_datumaro(folder: str) -> None:
    """Refuses a local folder that has such annotations, or is the folder of these.

    Raises:
      InputError: that is what it is, with the command that makes one list of it.
    """
    above = glob.glob(os.path.join(glob.escape(folder or "."), _ANNOTATIONS, "*.json"))
    paths = above or glob.glob(os.path.join(glob.escape(folder or "."), "*.json"))
    if paths and _is_of_datumaro(paths[0]):
        raise _refusal(folder or ".", folder if above else _root_of(paths[0]))


def need_no_file_of_datumaro(text: str, name: str) -> None:
    """Refuses the file of one subset, which begins like this.

    Raises:
      InputError: as `need_no_datumaro`.
    """
    if _SIGN.match(text) and os.path.isfile(name):
        raise _refusal(name, _root_of(name))


def _refusal(name: str, root: str) -> InputError:
    hint = made_of_folder("boxes or labels", _CODE, root or ".")
    return InputError(f"{name}: this is a Datumaro dataset, which is not read", hint)


def _root_of(path: str) -> str:
    folder = os.path.dirname(path)
    return os.path.dirname(folder) if os.path.basename(folder) == _ANNOTATIONS else folder


def _is_of_datumaro(path: str) -> bool:
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        return False
    with open(path, encoding="utf-8", errors="replace") as file:
        return _SIGN.match(file.read(_HEAD)) is not None
