"""Texts beside images that are called like them, as captions and tags for training: a list of both."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.image_paths import EXTENSIONS
from tfrecordcli.sources.made_list import made_of_folder
from tfrecordcli.split_words import split_of
from tfrecordcli.storage.files import open_regular
from tfrecordcli.storage.uris import is_remote

_LOOKED_AT: Final = 20  # texts
_MOST_BYTES: Final = 4_096
_LONGEST_TAG: Final = 4  # words, on average
_CODE: Final = (
    "import csv, pathlib, sys; r = pathlib.Path(sys.argv[1]); "
    'w = csv.writer(sys.stdout, lineterminator="\\n"); w.writerow(["image", "folder", "text"]); '
    "w.writerows([p.relative_to(r).as_posix(), p.parent.name, "
    '" ".join(t.read_text(encoding="utf-8-sig", errors="replace").split()) if t.is_file() else ""] '
    'for p in sorted(r.rglob("*")) if p.is_file() and '
    'p.suffix.lower() in ".jpg .jpeg .png .gif .bmp .webp .tif .tiff".split() '
    'for t in [p.with_suffix("{ending}")])'
)


def list_of_words(root: str, paths: Iterable[str], ending: str) -> str:
    """The command for a list with what texts tell of images, and how that is converted; or empty.

    Args:
      root: the folder that was listed.
      paths: of texts, relative to it.
      ending: of all of them.
    """
    if is_remote(root):
        return ""
    some = [*islice(paths, _LOOKED_AT)]
    if any(split_of(part) for path in some for part in path.split("/")[:-1]):
        return ""  # the list would have no splits
    texts = [_text_of(os.path.join(root, path)) for path in some]
    if not all(texts) or not all(_has_image_beside(os.path.join(root, path)) for path in some):
        return ""
    code = _CODE.format(ending=ending)
    made = made_of_folder("texts", code, root)
    return made and f"{made} {command_line(_options(texts))}"


def _options(texts: Sequence[str]) -> Sequence[str]:
    """Those for tags, for classes, or for captions."""
    tags = [tag for text in texts for tag in text.split(",") if tag.strip()]
    if len(tags) > 2 * len(texts) and sum(len(tag.split()) for tag in tags) <= _LONGEST_TAG * len(tags):
        return ["--columns", "label=text", "--label-separator", "comma"]
    if 2 * len({*texts}) <= len(texts):
        return ["--columns", "label=text"]
    return ["--columns", "label=folder", "--features", "text"]


def _text_of(path: str) -> str:
    """What a text says; empty where it is none, or holds numbers of several lines."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8-sig").strip()
    except (OSError, UnicodeError):
        return ""
    is_plain = all(char.isprintable() or char.isspace() for char in text)
    return text if is_plain and any(map(str.isalpha, text)) else ""


def _has_image_beside(path: str) -> bool:
    stem = os.path.splitext(path)[0]
    return any(os.path.isfile(stem + ending) for ending in EXTENSIONS)
