"""JSON beside images in a folder without labels: the command that makes a list of it."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable
from typing import Any, Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import known_columns, likely_columns
from tfrecordcli.sources.foreign.json_an_image import boxes_hint
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.storage.files import open_regular
from tfrecordcli.units import some_of

_MOST_BYTES: Final = 1 << 20
_MOST_KEYS: Final = 8


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
    near = [own, *(folder for folder in folders if len(_differing(own, folder)) == 1)]
    there = (folder for folder in near for name in names if os.path.isfile(os.path.join(root, folder, name)))
    return next(there, None)


def _differing(one: str, other: str) -> list[tuple[int, str]]:
    """Places of the names in which two paths of as many differ, and the other's names there."""
    names = one.split("/"), other.split("/")
    if len(names[0]) != len(names[1]):
        return []
    return [(place, b) for place, (a, b) in enumerate(zip(*names, strict=True)) if a != b]


def list_hint(root: str, path: str) -> str:
    """The command that converts a file which may be the list of all images of its folder."""
    whole = os.path.join(root, path)
    command = command_line(["tfrec", "convert", as_path(whole)])
    return f"is {whole} the list of these images? {command} OUTPUT_DIR"


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
    if len(labels) != 1:
        return boxes_hint(root, _head(whole)) or (
            f"{described(root, path)}: write a list with each image and its label, or its boxes"
        )
    moved = _moved(path.rpartition("/")[0], folder)
    p = "q" if moved else "p"
    code = (
        "import json, pathlib, sys; r = pathlib.Path(sys.argv[1]); "
        f'[print(json.dumps({{"image": str(i.relative_to(r)), '
        f'"label": json.loads(p.read_bytes())[{literal(labels[0])}]}})) for p in sorted(r.rglob("*.json")) '
        f'for e in "{" ".join(endings)}".split() {moved}'
        f'for i in [{p}.with_suffix(e), *[{p}.with_suffix("")] * {p}.stem.endswith(e)] if i.is_file()]'
    )
    target = shlex.quote(as_path(os.path.join(root, "list.jsonl")))
    return f"make a list of the JSON beside: {command_line(['python', '-c', code, as_path(root)])} > {target}"


def described(root: str, path: str) -> str:
    """A JSON file and its keys, as messages call it; empty for what is none."""
    whole = os.path.join(root, path)
    fields = _fields(whole)
    shown = f" with the keys {some_of(list(fields), _MOST_KEYS)}" if fields else ""
    return f"{whole} is JSON{shown}" if fields is not None else ""


def _moved(own: str, folder: str) -> str:
    """Python for ``q``, the file ``p`` in the folder of its image; empty where it is there."""
    for place, name in _differing(own, folder):
        moved = f"*a[:{place}], {literal(name)}, *a[{place + 1}:]"
        return f"for a in [p.relative_to(r).parts] for q in [r.joinpath({moved})] "
    return ""


def shows_content(root: str, path: str) -> bool:
    """Whether a JSON file tells what its image shows: by a label, or a caption as img2dataset has it."""
    fields = _fields(os.path.join(root, path)) or {}
    return "caption" in fields or bool(_labels(fields))


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


def _is_label(value: object) -> bool:
    """Whether a value of JSON is a label, or several."""
    return isinstance(value, (str, int)) or (
        isinstance(value, list) and all(isinstance(each, (str, int)) for each in value)
    )
