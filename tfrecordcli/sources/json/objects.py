"""Objects that name images in JSON of unknown keys, in an array or by id: `{"-Nx1": {"photo": "a.jpg"}}`."""

from __future__ import annotations

import os
import re
import shlex
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.made_list import AS_LINES
from tfrecordcli.sources.pandas_commands import literal

# A key or another text, an opening or a closing bracket.
TOKEN: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|([\[{])|([\]}])')
_DEEPEST: Final = 3  # objects by id under a key


def are_of_images(text: str) -> bool:
    """Whether objects in an array have the name of an image under some key, or in objects of theirs.

    Args:
      text: the first of the file.
    """
    return (path := _path_of_image(text)) is not None and re.fullmatch(r"\[\{+", path[0]) is not None


def are_in_array(text: str) -> bool:
    """Whether objects in an array under a key of all have the name of an image under some key."""
    return (path := _path_of_image(text)) is not None and re.fullmatch(r"\{\[\{+", path[0]) is not None


def lines_of_objects(text: str, name: str) -> str:
    """A hint with the command that makes JSON Lines of objects by id, if one names an image; else empty.

    Args:
      text: the first of the file.
      name: of the file.
    """
    brackets, keys = _path_of_image(text) or ("", [])
    if brackets not in ("{{", "{{{"):
        return ""
    if not os.path.isfile(name):
        return AS_LINES
    place = f"[{literal(keys[0])}]" if len(brackets) == _DEEPEST else ""
    code = (
        f'import json, sys; t = json.load(open(sys.argv[1], encoding="utf-8-sig")){place}; '
        "[print(json.dumps(r)) for r in t.values() if isinstance(r, dict)]"
    )
    command = command_line(["python", "-c", code, as_path(name)])
    target = shlex.quote(as_path(f"{os.path.splitext(name)[0]}-as-lines.jsonl"))
    return f"make JSON Lines of its objects{f' in {keys[0]}' if place else ''}: {command} > {target}"


def _path_of_image(text: str) -> tuple[str, list[str]] | None:
    """The brackets around the first value called like an image, and the key in each; None: there is none."""
    brackets, keys = "", [""]
    for word, colon, opens, closes in TOKEN.findall(text):
        if opens:
            brackets, keys = brackets + opens, [*keys, ""]
        elif closes:
            brackets, keys = brackets[:-1], keys[:-1] or [""]
        elif colon:
            keys[-1] = word
        elif keys[-1] and IMAGE_EXTENSION.search(word):
            return brackets, keys[1:]
    return None
