"""A local folder of images as an image list."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.folders.entry import is_hidden, is_image_entry, is_local_folder, is_loop, is_text
from tfrecordcli.sources.folders.levels import Level
from tfrecordcli.sources.folders.listing import Listing
from tfrecordcli.sources.folders.name_sorter import in_order
from tfrecordcli.storage.files import open_binary


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
                        is_lost = is_local_folder(entry) or is_image_entry(entry)
                        (self._lose if is_lost else self._pass_over)(path)
                    elif is_local_folder(entry) and not is_loop(entry):
                        folders.append(entry.name)
                    elif is_image_entry(entry):
                        yield path
                    else:
                        self._pass_over(path)
        except OSError as error:
            raise InputError(
                f"{os.path.join(self.root, folder)}: the folder cannot be read", "check its permissions"
            ) from error
