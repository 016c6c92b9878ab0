"""A local folder of images as an image list."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.sources.folders.listing import Level, Listing
from tfrecordcli.sources.folders.name_sorter import in_order
from tfrecordcli.sources.other_files import is_image_head
from tfrecordcli.storage.files import open_binary

HEAD_BYTES: Final = 12
_SIDE_CAR = (".txt", ".csv", ".json", ".xml", ".md", ".yaml", ".yml", ".db", ".ini", ".log")


class FolderListing(Listing):
    """The images under a local folder.

    Args:
      skip: real path of a folder that is left out (an output directory inside the source).
    """

    def __init__(self, root: str, options: ReadOptions, skip: str = "") -> None:
        super().__init__(root, options)
        self.skip = skip

    def _list(self, folder: str) -> Level:
        folders: list[str] = []
        images = in_order(self._images(folder, folders))
        first = next(images, None)  # now all entries were seen, and all folders are known
        if first is None:
            return Level(sorted(folders), (), has_images=False)
        return Level(sorted(folders), chain([first], images), has_images=True)

    def _head(self, path: str, size: int) -> bytes:
        try:
            with open_binary(os.path.join(self.root, path)) as file:
                return file.read(size)
        except OSError:
            return b""

    def _images(self, folder: str, folders: list[str]) -> Iterator[str]:
        """The images right in a folder, in no order; the folders in it are added to ``folders``."""
        self.exclusion.begin(folder)
        try:
            with os.scandir(os.path.join(self.root, folder)) as entries:
                for entry in entries:
                    if self.exclusion.covers(folder, entry.name):
                        continue
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if self.skip and is_local_folder(entry) and os.path.realpath(entry.path) == self.skip:
                        continue
                    if is_hidden(entry.name):
                        self._pass_over(path)
                    elif not is_text(entry.name):
                        is_lost = is_local_folder(entry) or _is_image(entry)
                        (self._lose if is_lost else self._pass_over)(path)
                    elif is_local_folder(entry) and not is_loop(entry):
                        folders.append(entry.name)
                    elif _is_image(entry):
                        yield path
                    else:
                        self._pass_over(path)
        except OSError as error:
            raise InputError(
                f"{os.path.join(self.root, folder)}: the folder cannot be read", "check its permissions"
            ) from error


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


def _is_image(entry: os.DirEntry[str]) -> bool:
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
