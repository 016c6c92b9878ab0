"""A folder of images on a store as an image list."""

from __future__ import annotations

from tfrecordcli.errors import InputError, StoreError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.folders.entry import HEAD_BYTES, is_hidden, is_image
from tfrecordcli.sources.folders.levels import Level
from tfrecordcli.sources.folders.listing import Listing
from tfrecordcli.storage.store_path import Place, StorePath
from tfrecordcli.storage.stores import hint_of


class StoreListing(Listing):
    """The images under a folder on a store.

    Args:
      skip: a folder that is left out (an output directory inside the source).
    """

    def __init__(self, folder: StorePath, options: ReadOptions, skip: Place | None = None) -> None:
        super().__init__(str(folder), options)
        self._folder = folder
        self._skip = skip

    def _list(self, folder: str) -> Level:
        place = self._folder / folder if folder else self._folder
        try:
            prefixes, objects = place.store.list_folder(place.key)
        except FileNotFoundError as error:
            raise InputError(f"{place}: there is no such bucket", "see its name") from error
        except PermissionError as error:
            raise InputError(f"{place}: may not be listed", hint_of(place.scheme)) from error
        folders, images = [], []
        self.exclusion.begin(folder)
        for name in (key.rstrip("/").rpartition("/")[2] for key in prefixes):
            if self.exclusion.covers(folder, name):
                continue
            if is_hidden(name):
                self._pass_over(f"{folder}/{name}" if folder else name)
            elif place / name != self._skip:
                folders.append(name)
        for found in sorted(objects, key=lambda found: found.key):
            name = found.key.rpartition("/")[2]
            path = f"{folder}/{name}" if folder else name
            if name and self.exclusion.covers(folder, name):
                continue
            if not name.startswith(".") and self._is_image(found.key, found.size):
                images.append(path)
            elif found.key.rstrip("/") != place.key:  # the empty object that stands for the folder
                self._pass_over(path)
        return Level(sorted(folders), images, has_images=bool(images))

    def _head(self, path: str, size: int) -> bytes:
        place = self._folder / path
        try:
            length = place.store.head(place.key).size
            return place.store.read_range(place.key, 0, min(size, length)) if length else b""
        except (OSError, StoreError):
            return b""

    def _is_image(self, key: str, size: int) -> bool:
        store = self._folder.store
        name = key.rpartition("/")[2]
        return size > 0 and is_image(name, lambda: store.read_range(key, 0, min(size, HEAD_BYTES)))
