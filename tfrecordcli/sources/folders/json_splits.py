"""JSON that names the images of each split: `{"train": ["a.jpg", …], "test": […]}`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.split_words import split_of

_SEVERAL: Final = 2
_BEGIN: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(\w+)"\s*:\s*\[\s*"')
# Writes a text of names for each split: of the JSON, into a folder.
_TEXTS: Final = (
    "import json, pathlib, sys; m = pathlib.Path(sys.argv[2]); m.mkdir(parents=True, exist_ok=True); "
    '[(m / f"{k}.txt").write_text("\\n".join(pathlib.PurePath(n).stem for n in v), encoding="utf-8") '
    'for k, v in json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8-sig")).items()]'
)


def may_name_splits(head: bytes) -> bool:
    """Whether JSON that begins like this may be of this kind: most others, as COCO's, need not be read."""
    begin = _BEGIN.match(head)
    return begin is not None and bool(split_of(begin[1].decode()))


def names_by_split(data: bytes) -> Mapping[str, Sequence[str]]:
    """The names of each split; none where this is other JSON, or none, or two keys mean one split."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict) or not all(map(_are_names, value.values())):
        return {}
    found = {split: names for word, names in value.items() if (split := split_of(word))}
    return found if _SEVERAL <= len(found) == len(value) else {}


def _are_names(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def texts_of(path: str, folder: str) -> str:
    """The command that writes these names, without folders and extensions, as texts of splits into a folder.

    Args:
      path: of the JSON.
    """
    return command_line(["python", "-c", _TEXTS, as_path(path), as_path(folder)])
