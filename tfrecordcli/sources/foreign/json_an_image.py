"""JSON files, one an image, of V7 Darwin, LabelMe, SuperAnnotate, Supervisely, TexturePacker and of sets.

V7 Darwin 2.0: `{"item": {"name", "path", "slots"}, "annotations": [{"name", "bounding_box": {"x", "y", "w",
"h"}}]}` (https://docs.v7labs.com/reference/darwin-json). SuperAnnotate: `{"metadata": {"name"}, "instances":
[{"type": "bbox", "className", "points": {"x1", "y1", "x2", "y2"}}]}`; a polygon has its points in an array
(https://doc.superannotate.com/docs/vector-json).

LabelMe: `{"version", "flags": {}, "shapes": [{"label", "points": [[x, y], …], "shape_type", "group_id"}],
"imagePath"}`; a rectangle has any two opposite corners, a circle its centre and a point of its rim. Shapes of
one label and group are one thing (https://github.com/wkentaro/labelme). Its image is `imagePath` from there,
or, where that is of another machine, what is called like the file.

Mapillary's traffic signs, called like their images: `{"width", "height", "objects": [{"label", "bbox":
{"xmin", "ymin", "xmax", "ymax"}}]}`; a line of `splits/train.txt` and the like is a name
without its extension.

Supervisely's projects, `NAME.jpg.json` in `DATASET/ann` for `DATASET/img/NAME.jpg`: `{"tags": [{"name":
"train"}], "size", "objects": [{"classTitle", "geometryType", "points": {"exterior": [[x, y], …]}}]}`;
a bitmap has its `origin`, and a PNG as `data`
(https://docs.supervisely.com/customization-and-integration/00_ann_format_navi). Tags may name splits, as
folders of datasets may.

FUNSD's forms, called like their images, which are beside or in `images` next to their folder: `{"form":
[{"box": [xmin, ymin, xmax, ymax], "text", "label", "words"}]}` in `training_data` and `testing_data`
(https://guillaumejaume.github.io/FUNSD/).

TexturePacker's sheets of sprites: `{"frames": [{"filename": "orc_01.png", "frame": {"x", "y", "w", "h"},
"rotated": false}], "meta": {"image": "level01.png"}}`, or an object of frames by these names. A rotated one
is `h` wide and `w` high on its sheet.

Cityscapes and CityPersons, `a_gtFine_polygons.json` and `a_gtBboxCityPersons.json` for `a_leftImg8bit.png`
in a tree of folders beside theirs: `{"imgHeight", "imgWidth", "objects": [{"label", "polygon": [[x, y],
…]}]}`, or with `bbox`: x, y, width, height (https://github.com/mcordts/cityscapesScripts).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from tfrecordcli.errors import InputError
from tfrecordcli.sources.foreign.visdrone import SPLIT_OF
from tfrecordcli.sources.made_list import made_of_folder


class _Kind(NamedTuple):
    """One kind of such files.

    Attributes:
      sign: of the first bytes of one.
      is_one: Python's condition that the JSON ``t`` is one.
      image: Python for the path of its image.
      boxes: Python for a list of (label, xmin, ymin, xmax, ymax) of it; stops at what is no box.
      split: Python for the split of its image; empty: nothing tells that.
      before: Python that goes before all, where that needs some.
      what: the boxes, as messages call them.
    """

    sign: re.Pattern[bytes]
    is_one: str
    image: str
    boxes: str
    split: str = ""
    before: str = ""
    what: str = "boxes"


_KINDS: Final[Mapping[str, _Kind]] = {
    "V7 Darwin": _Kind(
        re.compile(rb'\s*\{(?=[\s\S]*"item"\s*:\s*\{)(?=[\s\S]*"slots"\s*:\s*\[)'),
        '"item" in t and "annotations" in t',
        '((t["item"].get("path") or "") + "/" + t["item"]["name"]).lstrip("/")',
        '[(a["name"], b["x"], b["y"], b["x"] + b["w"], b["y"] + b["h"]) for a in t["annotations"] '
        'if "tag" not in a for b in [a.get("bounding_box") or sys.exit(f"{p}: {a}: no box")]]',
    ),
    "LabelMe": _Kind(
        re.compile(
            rb'\s*\{[\s\S]*?"shapes"\s*:\s*\[\s*(?:\]|\{(?=[\s\S]*"label"\s*:)(?=[\s\S]*"points"\s*:\s*\[))'
        ),
        '"shapes" in t and (not t["shapes"] or any(map(d, t["shapes"])))',
        # A path that is there has a slash more, by which it is not the end of another.
        'next((q[1:] for i in [p.parent / v(t), *map(p.with_suffix, e)] '
        'for q in ["//" + os.path.relpath(i, r).replace(os.sep, "/")] if q in f), v(t).split("/")[-1])',
        '[(l, min(x), min(y), max(x), max(y)) for (l, _), b in z(t["shapes"]) for x, y in [zip(*b)]]',
        "s(p.relative_to(r))",
        'import math, os, re; ' + SPLIT_OF + 'e = ".jpg .jpeg .png .bmp .webp .JPG .JPEG .PNG".split(); '
        'v = lambda t: (t.get("imagePath") or "").replace(chr(92), "/"); '
        'd = lambda o: o.get("shape_type") not in ("point", "points"); '
        'c = lambda o: o["points"] if o.get("shape_type") != "circle" else '
        '[[n + m * math.dist(*o["points"]) for n in o["points"][0]] for m in (-1, 1)]; '
        'j = lambda k, o: (o["label"], f"_{k}" if o.get("group_id") is None else str(o["group_id"])); '
        'z = lambda a: [(u, sum((c(o) for k, o in enumerate(a) if d(o) and j(k, o) == u), [])) '
        'for u in dict.fromkeys(j(k, o) for k, o in enumerate(a) if d(o))]; ',
        "boxes (around outlines and circles; points have none and are left out)",
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
        'p.stem + e.get(p.stem, ".jpg")',
        '[[o["label"], *[b[c] for c in ("xmin", "ymin", "xmax", "ymax")]] for o in t["objects"] '
        'for b in [o.get("bbox") or sys.exit(f"{p}: {o}: no box")]]',
        's.get(p.stem, "")',
        's = {i: q.stem for q in sorted(r.rglob("splits/*.txt")) '
        'for i in q.read_text(encoding="utf-8-sig").split()}; '
        'e = {q.stem: q.suffix for q in sorted(r.rglob("*"), key=lambda q: q.suffix.lower(), reverse=True) '
        'if q.suffix.lower() in (".jpg", ".jpeg", ".png")}; ',  # a mask is no JPEG
    ),
    "Supervisely": _Kind(
        re.compile(
            rb'\s*\{(?=[\s\S]*"size"\s*:\s*\{)(?![\s\S]*"geometryType"\s*:\s*"(?!rectangle|polygon|bitmap))'
            rb'[\s\S]*"objects"\s*:\s*\[[\s\S]*"classTitle"\s*:'
        ),
        '"objects" in t and "size" in t',
        '(p.parent.parent / "img" / p.stem).relative_to(r).as_posix()',
        '[(o["classTitle"], min(x), min(y), max(x), max(y)) for o in t["objects"] '
        'for b in [m(o["bitmap"]) if o.get("bitmap") else (o.get("points") or {}).get("exterior") or []] '
        'for x, y in [zip(*b) if b[1:] and o.get("geometryType") in ("rectangle", "polygon", "bitmap", None) '
        'else sys.exit(f"{p}: {o}: no box: export it as COCO or Pascal VOC")]]',
        '"".join(a["name"] for a in t.get("tags") or [] if a["name"].lower() in s) '
        'or next((d for d in [p.parent.parent.name] if d.lower() in s), "")',
        's = "train val valid validation test".split(); import base64, zlib; '
        "i = int.from_bytes; z = lambda b: zlib.decompress(base64.b64decode(b))[16:24]; "  # sides of a PNG
        'm = lambda b: [b["origin"], [o + i(z(b["data"])[k:k + 4], "big") '
        'for k, o in zip((0, 4), b["origin"])]]; ',
    ),
    "FUNSD": _Kind(
        re.compile(
            rb'\s*\{\s*"form"\s*:\s*\[\s*(?:\]\s*\}|\{(?=[\s\S]*"box"\s*:\s*\[)(?=[\s\S]*"label"\s*:))'
        ),
        '"form" in t',
        'next((q[1:] for q in f for i in [r / q[2:]] if i.stem == p.stem '
        'and i.parent in (p.parent, p.parent.parent / "images")), p.stem + ".png")',
        '[[o["label"], *o["box"]] for o in t["form"]]',
        '"".join({"training_data": "train", "testing_data": "test"}.get(a, "") '
        "for a in p.relative_to(r).parts)",
    ),
    "TexturePacker": _Kind(
        re.compile(
            rb'\s*\{(?=\s*"(?:frames|meta)"\s*:)(?=[\s\S]*"frames"\s*:\s*[\[{])'
            rb'(?=[\s\S]*"frame"\s*:\s*\{(?=[^{}]*"x"\s*:)(?=[^{}]*"w"\s*:))(?=[\s\S]*"sourceSize"\s*:)'
        ),
        '"frames" in t and "image" in t.get("meta", {})',
        '(p.parent / t["meta"]["image"]).resolve().relative_to(r.resolve()).as_posix()',
        # Sprites of an object have a number each: orc_01.png, orc_02.png.
        '[(k.rsplit(".", 1)[0].rstrip("0123456789 _-.()") or k, o["x"], o["y"], o["x"] + w, o["y"] + h) '
        'for k, v in (t["frames"].items() if isinstance(t["frames"], dict) '
        'else [(v["filename"], v) for v in t["frames"]]) for o in [v["frame"]] '
        'for w, h in [(o["h"], o["w"]) if v.get("rotated") else (o["w"], o["h"])]]',
    ),
    "Cityscapes": _Kind(
        re.compile(
            rb'\s*\{(?=[\s\S]*"imgHeight"\s*:)(?=[\s\S]*"objects"\s*:\s*\[\s*'
            rb'(?:\]|\{[\s\S]*"(?:bbox|polygon)"\s*:\s*\[))'
        ),
        '"objects" in t and "imgHeight" in t',
        're.sub("_gt[A-Z][A-Za-z]*(_polygons)?$", "_leftImg8bit.png", p.stem)',
        '[(o["label"], min(x), min(y), max(x), max(y)) for o in t["objects"] for b in [o.get("bbox")] '
        'for x, y in [([b[0], b[0] + b[2]], [b[1], b[1] + b[3]]) if b else zip(*o["polygon"])]]',
        '"".join([a for a in p.relative_to(r).parts if a in ("train", "val", "test")][:1])',
        "import re; ",
    ),
}  # fmt: skip
# Images are found by the end of their path, and each has to be one. Where it fails, nothing is written.
_CODE: Final = (
    "import csv, json, pathlib, sys; r = pathlib.Path(sys.argv[1]); w = csv.writer(sys.stdout); "
    '%sh = "image label xmin ymin xmax ymax%s".split(); '
    'f = ["//" + q.relative_to(r).as_posix() for q in sorted(r.rglob("*")) '
    'if q.is_file() and q.suffix not in (".json", ".csv")]; '
    'w.writerows([h, *([i[2:], *b%s] for p in sorted(r.rglob("*.json")) '
    'for t in [json.loads(p.read_bytes())] if isinstance(t, dict) and %s for n in ["/" + (%s)] '
    "for k in [[q for q in f if q.endswith(n)]] "
    'for i in [k[0] if len(k) == 1 else sys.exit(f"{p}: {len(k)} images called {n} in {r}")] '
    'for b in %s or [[""] * 5])])'
)


def need_no_json_of_an_image(root: str, path: str, head: bytes) -> None:
    """Refuses a folder with a file of annotations that begins like one of these.

    Args:
      root: the folder.
      path: of the file, as messages call it.

    Raises:
      InputError: what it is, and for a local folder the command that makes a list of it.
    """
    hint = boxes_hint(root, head)
    if hint:
        what = f"{path}: this is JSON of {_kind_of(head)}, a file for each image, which is not read"
        raise InputError(what, hint)


def boxes_hint(root: str, head: bytes) -> str:
    """How a list of the boxes in such files is made; empty for others.

    Args:
      root: the folder that they are in.
      head: how one of them begins.
    """
    kind = _KINDS.get(_kind_of(head))
    if kind is None:
        return ""
    splits = (kind.before, " split", f", {kind.split}") if kind.split else ("", "", "")
    hint = made_of_folder(kind.what, _CODE % (*splits, kind.is_one, kind.image, kind.boxes), root)
    return hint or "export the annotations as COCO there, and convert that file"


def _kind_of(head: bytes) -> str:
    return next((name for name, kind in _KINDS.items() if kind.sign.match(head)), "")
