"""Relatives of COCO whose images are an object, or hold their annotations: the command that makes COCO.

So is COCO's index, as `pycocotools` has it and COCO-Text and TextOCR are published: `{"anns": {"45346":
{"image_id": 217925, "bbox": [x, y, w, h], "class": "handwritten"}}, "imgs": {"217925": {"id": 217925,
"file_name": "a.jpg", "set": "train"}}, "imgToAnns": {"217925": [45346]}}`.
"""

from __future__ import annotations

import os
import re
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.json.documents import lines_of_images
from tfrecordcli.sources.json.nested_boxes import COCO_CLASSES, lines_of_file
from tfrecordcli.sources.pandas_commands import literal, python_command

_IN_ARRAYS: Final = (
    "write one array images, and one array annotations with image_id, category_id and bbox of each box"
)
# Keys of images under which such files have the boxes of each.
NESTED: Final = ("annotations", "boxes", "objects", "bboxes")
_FILE_NAMES: Final = ("file_name", "filename", "image_path", "path", "name", "image", "url")
# What images, annotations and categories are under: in COCO, and in its index.
_COCO: Final = ("images", "annotations", "categories")
_INDEX: Final = ("imgs", "anns", "cats")
_OF_INDEX: Final = re.compile(
    r'\s*\{(?=[\s\S]*"anns"\s*:\s*\{\s*"[^"\n]+"\s*:\s*\{[^{}]*"bbox"\s*:)(?=[\s\S]*"image_id"\s*:)'
    r'|\s*\{(?=[\s\S]*"imgs"\s*:\s*\{\s*"[^"\n]+"\s*:\s*\{[^{}]*"file_name"\s*:)'
)


def is_object_of_elements(value: Any) -> bool:
    """Whether it may be images or annotations by their names or numbers."""
    return (
        isinstance(value, dict)
        and any(value.values())
        and all(isinstance(each, dict | list) for each in value.values())
    )


def holds_annotations(value: Any) -> bool:
    """Whether what an image has under one of those keys may be annotations: words or ids are none."""
    return isinstance(value, list) and any(isinstance(each, dict) or _is_box(each) for each in value)


def are_boxes(value: Any) -> bool:
    """Whether all of these are annotations with a box as COCO has it, or an outline."""
    return all(isinstance(each, dict) and _has_box(each) for each in value)


def need_no_index(text: str, name: str) -> None:
    """Refuses JSON with images and annotations as objects by their ids, under the names of COCO's index.

    Args:
      text: the first of the file.
      name: of it.

    Raises:
      InputError: with the command that makes COCO of it.
    """
    if _OF_INDEX.match(text):
        what = (
            "this is COCO's index (JSON), as of COCO-Text, with anns and imgs by their ids, which is not read"
        )
        raise InputError(f"{name}: {what}", _hint(name, _INDEX))


def _has_box(annotation: dict[str, Any]) -> bool:
    return isinstance(annotation.get("bbox"), list) or bool(annotation.get("segmentation"))


def _is_box(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) == 4 and all(isinstance(each, int | float) for each in value)
    )


def nested(name: str, what: str, *, has_command: bool = True) -> InputError:
    """The refusal of such a file, with the command.

    Elements keep their ids; what has none is called as its key in the object, or numbered. Where there are no
    categories, they are numbered from 1 in the order of their names. What stands under another key than
    ``category_id`` is the name of a category; only where not all of these are names, and all are ids, an id.

    Args:
      name: of the file.
      what: it is.
      has_command: whether the command would keep all of it, as far as is known; itself it stops at what has
        no ``bbox``: four numbers under other keys may be corners.
    """
    lines = lines_of_file(name, of_coco=not has_command) or (lines_of_images(name) if has_command else "")
    return InputError(f"{name}: {what}", lines or (_hint(name, _COCO) if has_command else _IN_ARRAYS))


def _hint(name: str, keys: tuple[str, ...]) -> str:
    return f"make COCO of it: {_command(name, keys)}" if os.path.isfile(name) else _IN_ARRAYS


def _command(name: str, keys: tuple[str, ...]) -> str:
    target = f"{os.path.splitext(name)[0]}-as-coco.json"
    code = (
        f'import json, sys; t = json.load(open({literal(name)}, "rb")); '
        f'g, a, c = (t.get(k) or [] for k in "{" ".join(keys)}".split()); '
        "each = lambda x: x.items() if isinstance(x, dict) else enumerate(x); "
        "several = lambda x: x if isinstance(x, list) else [x]; "
        "first = lambda x, ks, d: next((x[k] for k in ks.split() if x.get(k) is not None), d); "
        'stop = lambda v: sys.exit("not read: " + json.dumps(v)[:200]); '
        "of = lambda i: dict(annotations=i) if isinstance(i, list) else "
        "i if isinstance(i, dict) else stop(i); "
        'box = lambda b: b if isinstance(b, dict) and (isinstance(b.get("bbox"), list) or '
        'b.get("segmentation")) else stop(b); '
        "g = [(k, of(i)) for k, i in each(g)]; "
        f'I = [dict(i, id=i.get("id", k), file_name=first(i, "{" ".join(_FILE_NAMES)}", k)) for k, i in g]; '
        f'A = [dict(box(b), image_id=i["id"]) for i in I for n in "{" ".join(NESTED)}".split() '
        "for _, b in each(i.pop(n, None) or [])]; "
        'A += [dict(box(b), image_id=b.get("image_id", k)) for k, x in each(a) for b in several(x)]; '
        'ids = {i["file_name"]: i["id"] for i in I} | {str(i["id"]): i["id"] for i in I}; '
        f'w = lambda b: first(b, "{" ".join(COCO_CLASSES)}", "text" if "utf8_string" in b else None); '
        "n = sorted({str(w(b)) for b in A if w(b) is not None}); "
        "number = lambda k: int(k) if str(k).isdigit() else k; "
        "c = [dict(id=number(k) if isinstance(c, dict) else v, name=v) if isinstance(v, str) "
        'else dict(v, id=v.get("id", number(k))) for k, v in each(c)] or '
        "[dict(id=k, name=v) for k, v in enumerate(n, 1)]; "
        'N = {str(x["name"]): x["id"] for x in c}; '
        f'D = {{str(x["id"]): x["id"] for x in c}} if t.get("{keys[-1]}") else {{}}; '
        'is_id = lambda b: b.get("category_id") is not None; '
        "L = {str(w(b)) for b in A if w(b) is not None and not is_id(b)}; "
        "m = D if L <= D.keys() and not L <= N.keys() else N; "
        'A = [dict(b, image_id=ids.get(str(b["image_id"]), b["image_id"]), '
        "category_id=(N | D if is_id(b) else m).get(str(w(b)), w(b))) for b in A]; "
        f'json.dump(dict(images=I, annotations=A, categories=c), open({literal(target)}, "x"))'
    )
    return python_command(code, name)
