"""Objects that name images in JSON of unknown keys, in an array or by id: `{"-Nx1": {"photo": "a.jpg"}}`."""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.sources.column_words import IMAGE_EXTENSION

# A key or another text, an opening or a closing bracket.
TOKEN: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|([\[{])|([\]}])')
_DEEPEST: Final = 3  # objects by id under a key


def are_of_images(text: str) -> bool:
    """Whether objects in an array have the name of an image under some key, or in objects of theirs.

    Args:
      text: the first of the file.
    """
    return (path := _path_of_image(text)) is not None and re.fullmatch(r"\[\{+", path[0]) is not None


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
