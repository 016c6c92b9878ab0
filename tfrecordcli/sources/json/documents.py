"""Documents that hold images beside other things: the command that makes JSON Lines of these.

`{"classes": ["cat"], "frames": {"a.jpg": {"subset": "train", "label": 0}}}`: objects in an array, by their
names or by ids, labels or boxes by image, pairs, images by class; under a key, or under those of splits.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.object_forms import numbers_of_classes
from tfrecordcli.sources.column_words import known_columns, likely_columns
from tfrecordcli.sources.json.places_of_images import AROUND, OF_CLASSES, Place, first_places, is_of
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.sources.pandas_commands import literal

_HEAD: Final = 1 << 14  # characters that show the first images
# Words in keys of what tells nothing of single images.
_ASIDE: Final = (*OF_CLASSES, "info", "licen", "meta")
# Names of classes by their numbers ``u``, as ``n``: an array, from 0 or 1, objects with ids, or an object of
# either by the other. ``x`` are the images, which may be called so as well.
NAMES: Final = (
    'h = lambda v: ((dict(enumerate(v, len(v) in u)) if {0, len(v)} & u else {"": v}) '
    "if all(isinstance(c, str) for c in v) else "
    '{c["id"]: c["name"] for c in v if isinstance(c, dict) and {"id", "name"} <= {*c}}) '
    "if isinstance(v, list) else "
    "{int(k): c for k, c in v.items() if k.isdecimal() and isinstance(c, str)} "
    "or {c: k for k, c in v.items() if type(c) is int}; "
    f'c = [h(v) for o in (t, *map(t.get, "{" ".join(AROUND)}".split())) '
    "if isinstance(o, dict) and o is not x for k, v in o.items() "
    "if v and v is not x and isinstance(v, (list, dict)) "
    f'and any(w in k.lower() for w in "{" ".join(OF_CLASSES)}".split())]; '
    "n = next((m for m in c if m and u <= {*m}), {}); "
    'u and any(c) and not n and sys.exit(f"numbers of classes: {u}, names: {c}"); '
)


def holds_images(text: str) -> bool:
    """Whether a key of a document leads to images, of which no other is sure to tell more."""
    document, found = first_places(text)
    return len(found) == 1 and found[0].top is not None and not _others(document, found[0])


def lines_of_images(name: str) -> str:
    """As `lines_of_document`, of a file in UTF-8 that may be COCO's, or a relative of it."""
    if not os.path.isfile(name):
        return ""
    with open(name, encoding="utf-8-sig", errors="ignore") as file:
        return lines_of_document(file.read(_HEAD), name, may_be_coco=True)


def lines_of_document(text: str, name: str, *, may_be_coco: bool = False) -> str:
    """A hint with the command that writes a line of each image; empty where it is not certain which they are.

    Args:
      text: the first of the file.
      name: of the file.
      may_be_coco: whether images that have the keys of COCO's may have their labels elsewhere.
    """
    document, found = first_places(text)
    if len(found) != 1 or found[0].code == "t" or _others(document, found[0]):
        return ""
    place, label = found[0], _label_of(found[0])
    if may_be_coco and any(_is_of_coco(row, has_label=bool(label)) for row in place.rows):
        return ""
    code = _python_of(place, label if _are_numbers(place.rows, label) else "")
    code = code.replace("{", "{{").replace("}", "}}")
    return made_by("", f"{command_line(['python', '-c', code])} {{name}}", name, as_lines=True)


def _is_of_coco(row: Mapping[str, Any], *, has_label: bool) -> bool:
    """Whether an image has boxes, or keys of COCO's and no label."""
    has_keys = {"id", "file_name"} <= row.keys()
    return (has_keys and not has_label) or any(map(_are_objects, row.values()))


def _others(document: Any, place: Place) -> list[str]:
    """Keys of a document that hold arrays of arrays or objects, or objects by the same keys as images."""
    if place.top is None:
        return []
    others = {k: v for k, v in document.items() if not place.leads(k) and not is_of(_ASIDE, k)}
    keys = {key for held in document.items() if place.leads(held[0]) for key in _keys_of(held[1])}
    return [
        key for key, value in others.items() if _has_arrays(value) or not keys.isdisjoint(_keys_of(value))
    ]


def _keys_of(value: Any) -> Iterable[str]:
    return value if isinstance(value, dict) else ()


def _has_arrays(value: Any) -> bool:
    """Whether arrays stand in a value, or objects in an array."""
    inner = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return any(isinstance(e, list) or (isinstance(value, list) and isinstance(e, dict)) for e in inner)


def _python_of(place: Place, label: str) -> str:
    """Python that prints the lines.

    Args:
      label: key of numbers that may be those of classes with names; empty: there is none.
    """
    code = 'import json, sys; t = json.load(open(sys.argv[1], encoding="utf-8-sig")); '
    if place.is_cut:
        code += (
            "o = [k for k, v in t.items() if "
            "any(isinstance(e, list) or isinstance(v, list) and isinstance(e, dict) for e in "
            "(v.values() if isinstance(v, dict) else v if isinstance(v, list) else ())) "
            f'and not ({place.is_told} or any(w in k.lower() for w in "{" ".join(_ASIDE)}".split()))]; '
            'o and sys.exit(f"several: {o}"); '
        )
    if not label or not place.may_be_named:
        return f"{code}[print(json.dumps(r)) for r in {place.code}]"
    return (
        f"{code}g = {place.code}; L, x = {literal(label)}, {place.base}; "
        "u = {c for r in g for v in [r.get(L)] for c in (v if isinstance(v, list) else [v])} - {None}; "
        f"{NAMES}f = lambda v: [n.get(c, c) for c in v] if isinstance(v, list) else n.get(v, v); "
        "[print(json.dumps({k: f(v) if k == L else v for k, v in r.items()})) for r in g]"
    )


def _label_of(place: Place) -> str:
    """The key that labels are under, by its name, or of numbers as classes have; empty: none, or several."""
    keys = [*dict.fromkeys(chain.from_iterable(place.rows))]
    keys = [key for key in keys if not any(_are_objects(row.get(key)) for row in place.rows)]
    called = known_columns(keys, "label") or likely_columns(keys, "label")
    found = [keys[number] for number in called] or numbers_of_classes(place.rows, keys, place.classes)
    return found[0] if len(found) == 1 else ""


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _are_numbers(rows: list[dict[str, Any]], label: str) -> bool:
    """Whether labels under a key are whole numbers, alone or in arrays."""
    told = [row.get(label) for row in rows]
    each = [*chain.from_iterable(value if isinstance(value, list) else [value] for value in told)]
    return all(type(value) in (int, type(None)) for value in each) and any(type(v) is int for v in each)
