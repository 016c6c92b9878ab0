"""JSON beside images in a folder without labels: the command that makes a list of it."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable
from typing import Any, Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.boxes.in_text import literal
from tfrecordcli.sources.column_words import known_columns, likely_columns
from tfrecordcli.storage.files import open_regular
from tfrecordcli.units import some_of

_MOST_BYTES: Final = 1 << 20
_MOST_KEYS: Final = 8


def stands_beside(root: str, path: str, ending: str) -> bool:
    """Whether a file is called like an image beside it: `0.json`, or `0.jpg.json`, for `0.jpg`."""
    stem = os.path.splitext(os.path.join(root, path))[0]
    return os.path.isfile(stem + ending) or (stem.endswith(ending) and os.path.isfile(stem))


def list_hint(root: str, path: str) -> str:
    """The command that converts a file which may be the list of all images of its folder."""
    whole = os.path.join(root, path)
    command = command_line(["tfrec", "convert", as_path(whole)])
    return f"is {whole} the list of these images? {command} OUTPUT_DIR"


def json_hint(root: str, path: str, endings: Iterable[str]) -> str:
    """What to do with a JSON file for each image, by the keys of one of them; empty for what is no JSON.

    Args:
      root: the folder.
      path: of such a file in there.
      endings: of the images.
    """
    whole = os.path.join(root, path)
    fields = _fields(whole)
    if fields is None:
        return ""
    labels = _labels(fields)
    if len(labels) != 1:
        shown = f" with the keys {some_of(list(fields), _MOST_KEYS)}" if fields else ""
        return f"{whole} is JSON{shown}: write a list with each image and its label, or its boxes"
    code = (
        "import json, pathlib, sys; r = pathlib.Path(sys.argv[1]); "
        f'[print(json.dumps({{"image": str(i.relative_to(r)), '
        f'"label": json.loads(p.read_bytes())[{literal(labels[0])}]}})) for p in sorted(r.rglob("*.json")) '
        f'for e in "{" ".join(endings)}".split() '
        'for i in [p.with_suffix(e), *[p.with_suffix("")] * p.stem.endswith(e)] if i.is_file()]'
    )
    target = shlex.quote(as_path(os.path.join(root, "list.jsonl")))
    return f"make a list of the JSON beside: {command_line(['python', '-c', code, as_path(root)])} > {target}"


def shows_content(root: str, path: str) -> bool:
    """Whether a JSON file tells what its image shows: by a label, or a caption as img2dataset has it."""
    fields = _fields(os.path.join(root, path)) or {}
    return "caption" in fields or bool(_labels(fields))


def _fields(path: str) -> dict[str, Any] | None:
    """What a JSON file has; empty when that is no object, None when it is no JSON."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            fields = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else {}


def _labels(fields: dict[str, Any]) -> list[str]:
    keys = list(fields)
    numbers = known_columns(keys, "label") or likely_columns(keys, "label")
    return [keys[number] for number in numbers if _is_label(fields[keys[number]])]


def _is_label(value: object) -> bool:
    """Whether a value of JSON is a label, or several."""
    return isinstance(value, (str, int)) or (
        isinstance(value, list) and all(isinstance(each, (str, int)) for each in value)
    )
