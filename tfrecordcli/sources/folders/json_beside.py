"""JSON beside images in a folder without labels: the command that makes a list of it."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import known_columns, likely_columns
from tfrecordcli.sources.folders.objects_beside import objects_code
from tfrecordcli.sources.foreign.json_an_image import boxes_hint
from tfrecordcli.sources.foreign.visdrone import SPLIT_OF
from tfrecordcli.sources.made_list import into
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.split_words import split_of
from tfrecordcli.storage.files import open_regular
from tfrecordcli.units import some_of

_MOST_BYTES: Final = 1 << 20
_MOST_KEYS: Final = 8
_SIDES: Final = 4
_IMAGE_NAME: Final = re.compile(rb"\.(?:jpe?g|png|bmp|gif|webp|tiff?)\"", re.IGNORECASE)


def folder_of_image(root: str, path: str, folders: Iterable[str], endings: Iterable[str]) -> str | None:
    """Where the image is that a file is called like: `0.json`, or `0.jpg.json`, for `0.jpg`; None: nowhere.

    It is beside the file, or in a folder whose path differs in one name: `images/a` for `annotations/a`.

    Args:
      root: the folder that all is relative to.
      path: of the file.
      folders: that hold images.
      endings: of the images.
    """
    own, _, name = path.rpartition("/")
    stem = os.path.splitext(name)[0]
    names = [stem + ending for ending in endings] + [stem] * stem.endswith(tuple(endings))
    near = [own, *(folder for folder in folders if len(differing(own, folder)) == 1)]
    there = (folder for folder in near for name in names if os.path.isfile(os.path.join(root, folder, name)))
    return next(there, None)


def differing(one: str, other: str) -> list[tuple[int, str]]:
    """Places of the names in which two paths of as many differ, and the other's names there."""
    names = one.split("/"), other.split("/")
    if len(names[0]) != len(names[1]):
        return []
    return [(place, b) for place, (a, b) in enumerate(zip(*names, strict=True)) if a != b]


def list_hint(root: str, path: str, command: str = "") -> str:
    """The command that converts a file which may be the list of all images of its folder, or another one."""
    whole = os.path.join(root, path)
    command = command or f"{command_line(['tfrec', 'convert', as_path(whole)])} OUTPUT_DIR"
    return f"is {whole} the list of these images? {command}"


def json_hint(root: str, path: str, folder: str, endings: Iterable[str]) -> str:
    """What to do with a JSON file for each image, by the keys of one of them; empty for what is no JSON.

    Args:
      root: the folder.
      path: of such a file in there.
      folder: that holds its image.
      endings: of the images.
    """
    whole = os.path.join(root, path)
    fields = _fields(whole)
    if fields is None:
        return ""
    labels = _labels(fields)
    found = FoundBeside(root, path.rpartition("/")[0], folder, tuple(endings))
    if "bboxes" in fields and _are_boxes(fields["bboxes"]) and len(labels) <= 1:
        return _boxes_beside(found, fields, labels)
    objects = objects_code(fields)
    if len(labels) == 1 and not objects:
        return _lines_beside(found, f'"label": json.loads(p.read_bytes())[{literal(labels[0])}]')
    if hint := boxes_hint(root, _head(whole)):
        return hint
    if objects:
        whole_list = command_line(["tfrec", "convert", as_path(os.path.join(root, "list.jsonl"))])
        made = _lines_beside(found, f'"objects": {objects}', "for t in [json.loads(p.read_bytes())]")
        return f"{described(root, path)}, which tells boxes: {made}; then: {whole_list} OUTPUT_DIR"
    if _has_plain_fields(fields):
        plain = 'k != "image" and not isinstance(v, (dict, list))'
        made = _lines_beside(found, f"**{{k: v for k, v in json.loads(p.read_bytes()).items() if {plain}}}")
        nested = [key for key, value in fields.items() if isinstance(value, dict | list)]
        without = f" (without {some_of(nested, _MOST_KEYS)}, which is nested)" * bool(nested)
        then = command_line(["tfrec", "convert", as_path(os.path.join(root, "list.jsonl"))])
        return (
            f"{described(root, path)}: {made}{without}; then {then} OUTPUT_DIR proposes the key of the label"
        )
    return f"{described(root, path)}: write a list with each image and its label, or its boxes"


def plain_fields(path: str) -> list[str]:
    """The keys of a JSON file that tells something in plain fields; none for another."""
    fields = _fields(path) or {}
    return [key for key, value in fields.items() if not isinstance(value, dict | list)]


def _has_plain_fields(fields: dict[str, Any]) -> bool:
    """Whether a file tells something in plain fields, and has no list of objects, which may be boxes."""
    are_objects = (
        isinstance(each, dict) for value in fields.values() if isinstance(value, list) for each in value
    )
    is_plain = (not isinstance(value, dict | list) for value in fields.values())
    return any(is_plain) and not any(are_objects)


def _lines_beside(found: FoundBeside, fields: str, further: str = "") -> str:
    """The command that makes JSON Lines of the files, with the splits that their folders are called after.

    Args:
      fields: Python for what is in an object behind its image; ``p`` is the file.
      further: a loop in that of the files.
    """
    modules, split_of_path, split = "json, pathlib, sys", "", ""
    if any(map(split_of, found.images.split("/"))):
        modules, split_of_path = "json, pathlib, re, sys", SPLIT_OF
        split = '**({"split": w} if (w := s(i.relative_to(r))) else {}), '
    object_ = f'{{"image": str(i.relative_to(r)), {split}{fields}}}'
    code = f"{split_of_path}[print(json.dumps({object_})) {found.loop} {further}".rstrip() + "]"
    return f"make a list of the JSON beside: {found.command(modules, code, 'list.jsonl')}"


def _boxes_beside(found: FoundBeside, fields: dict[str, Any], labels: Sequence[str]) -> str:
    """The command that makes a CSV with a row of each of the `bboxes` in the files.

    Args:
      fields: of one of them.
      labels: the key of the labels of these boxes, or of the one label of all; or none.
    """
    each = 'for b in t["bboxes"] or [""]'
    if labels:
        label = f"t[{literal(labels[0])}]"
        of_boxes = f'zip({label}, t["bboxes"], strict=True)'
        if not isinstance(fields[labels[0]], list):
            of_boxes = f'(({label}, b) for b in t["bboxes"])'
        each = f'for l, b in [*{of_boxes}] or [("", "")]'
    code = (
        f'w = csv.writer(sys.stdout); w.writerow("image{" label" * bool(labels)} bbox".split()); '
        f"w.writerows([i.relative_to(r), {'l, ' * bool(labels)}b] {found.loop} "
        f"for t in [json.loads(p.read_bytes())] {each})"
    )
    target = shlex.quote(as_path(os.path.join(found.root, "list.csv")))
    convert = f"tfrec convert {target} OUTPUT_DIR --box-format"
    ways = f"{convert} xywh"
    if all(box[0] < box[2] and box[1] < box[3] for box in fields["bboxes"]):
        ways = f"{convert} xyxy, or xywh in place of it where the last two numbers are width and height"
    made = found.command("csv, json, pathlib, sys", code, "list.csv")
    return f"make a list of the boxes in the JSON beside: {made}; then: {ways}"


@dataclass(frozen=True, slots=True)
class FoundBeside:
    """Files that are called like images, as commands find them.

    Attributes:
      root: the folder.
      own, images: folders in there, of one of the files and of its image.
      endings: of the images.
      kind: the ending of the files.
    """

    root: str
    own: str
    images: str
    endings: tuple[str, ...]
    kind: str = ".json"

    @property
    def loop(self) -> str:
        """Python that walks through the files ``p`` and their images ``i``."""
        moved = _moved(self.own, self.images)
        p = "q" if moved else "p"
        return (
            f'for p in sorted(r.rglob("*{self.kind}")) for e in "{" ".join(self.endings)}".split() {moved}'
            f'for i in [{p}.with_suffix(e), *[{p}.with_suffix("")] * {p}.stem.endswith(e)] if i.is_file()'
        )

    def command(self, modules: str, code: str, target: str) -> str:
        """The command that runs this with ``r``, the folder, and writes a list in there."""
        whole = f"import {modules}; r = pathlib.Path(sys.argv[1]); {code}"
        path = shlex.quote(as_path(os.path.join(self.root, target)))
        return into(command_line(["python", "-c", whole, as_path(self.root)]), path)


def described(root: str, path: str) -> str:
    """A JSON file and its keys, as messages call it; empty for what is none."""
    whole = os.path.join(root, path)
    fields = _fields(whole)
    shown = f" with the keys {some_of(list(fields), _MOST_KEYS)}" if fields else ""
    return f"{whole} is JSON{shown}" if fields is not None else ""


def _moved(own: str, folder: str) -> str:
    """Python for ``q``, the file ``p`` in the folder of its image; empty where it is there."""
    for place, name in differing(own, folder):
        moved = f"*a[:{place}], {literal(name)}, *a[{place + 1}:]"
        return f"for a in [p.relative_to(r).parts] for q in [r.joinpath({moved})] "
    return ""


def shows_content(root: str, path: str) -> bool:
    """Whether a JSON file tells what its image shows: by a label, or a caption as img2dataset has it."""
    fields = _fields(os.path.join(root, path)) or {}
    return "caption" in fields or bool(_labels(fields))


def may_name_images(root: str, path: str) -> bool:
    """Whether the begin of a file has a text with the ending of an image."""
    return _IMAGE_NAME.search(_head(os.path.join(root, path))) is not None


def _fields(path: str) -> dict[str, Any] | None:
    """What a JSON file has; empty when that is no object, None when it is no JSON."""
    try:
        fields = json.loads(_head(path))
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else {}


def _head(path: str) -> bytes:
    """The begin of a file; empty when it cannot be read."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return b""


def _labels(fields: dict[str, Any]) -> list[str]:
    keys = list(fields)
    numbers = known_columns(keys, "label") or likely_columns(keys, "label")
    return [keys[number] for number in numbers if _is_label(fields[keys[number]])]


def _are_boxes(value: object) -> bool:
    """Whether a value of JSON is arrays of four numbers each, or an empty one."""
    return isinstance(value, list) and all(
        isinstance(box, list) and len(box) == _SIDES and all(type(number) in (int, float) for number in box)
        for box in value
    )


def _is_label(value: object) -> bool:
    """Whether a value of JSON is a label, or several."""
    return isinstance(value, (str, int)) or (
        isinstance(value, list) and all(isinstance(each, (str, int)) for each in value)
    )
