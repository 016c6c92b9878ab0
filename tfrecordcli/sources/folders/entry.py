"""What an entry of a folder is: hidden, a folder, a loop of links, an image."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.sources.other_files import is_image_head

HEAD_BYTES: Final = 12
_SIDE_CAR = (".txt", ".csv", ".json", ".xml", ".md", ".yaml", ".yml", ".db", ".ini", ".log")


def is_hidden(name: str) -> bool:
    """Whether an entry is no part of anybody's data: a hidden one, or what a Mac puts into archives."""
    return name.startswith(".") or name == "__MACOSX"


def is_text(name: str) -> bool:
    """Whether a file name can be written as UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_local_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def is_loop(entry: os.DirEntry[str]) -> bool:
    """Whether a linked folder leads back to one that it stands in, also by way of other links."""
    if not entry.is_symlink():
        return False
    target = os.path.realpath(entry.path)
    above = [os.path.dirname(os.path.abspath(entry.path))]
    while above[-1] != os.path.dirname(above[-1]):
        above.append(os.path.dirname(above[-1]))
    return any(_is_within(os.path.realpath(folder), target) for folder in above)


def _is_within(path: str, folder: str) -> bool:
    return os.path.join(path, "").startswith(os.path.join(folder, ""))


def is_image_entry(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file that is an image, as of `is_image`."""

    def read_head() -> bytes:
        if not entry.is_file():
            return b""
        with open(entry.path, "rb") as file:
            return file.read(HEAD_BYTES)

    return is_image(entry.name, read_head)


def is_image(name: str, read_head: Callable[[], bytes]) -> bool:
    """Whether a file is an image, by its extension; where that says nothing, by its first bytes."""
    if looks_like_image(name.strip()):
        return True
    if name.lower().endswith(_SIDE_CAR):
        return False
    try:
        head = read_head()
    except OSError:
        return False
    return is_image_head(head)
