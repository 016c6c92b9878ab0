"""Folders as they are listed once in order, and those that are looked at before their turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.split_words import parse_split


class Level(NamedTuple):
    """One folder of a listing: the names of its folders, sorted, and the paths of its images, in order."""

    folders: list[str]
    images: Iterable[str]
    has_images: bool


class Levels:
    """The folders of one listing, by their paths.

    Args:
      list_folder: what is in a folder; asking again counts again what was passed over there.
      is_chosen: whether it was said which folder is the label.
    """

    def __init__(self, list_folder: Callable[[str], Level], *, is_chosen: bool) -> None:
        self._list = list_folder
        self._is_chosen = is_chosen
        self._met: dict[str, Level] = {}  # folders that were looked at before their turn

    def look(self, folder: str) -> Level:
        """What is in a folder that will be taken later."""
        if folder not in self._met:
            self._met[folder] = self._list(folder)
        return self._met[folder]

    def take(self, folder: str) -> Level:
        """What is in a folder whose turn it is."""
        return self._met.pop(folder, None) or self._list(folder)

    def hold_images(self, folder: str) -> bool:
        """Whether there is an image in a folder, or below it."""
        level = self.look(folder)
        return level.has_images or any(self.hold_images(f"{folder}/{name}") for name in level.folders)

    def names_above_images(self, folder: str) -> Iterator[str]:
        """The names of a folder, and of those below it, with images right in them."""
        level = self.look(folder)
        if level.has_images:
            yield folder.rpartition("/")[2]
        for name in level.folders:
            yield from self.names_above_images(f"{folder}/{name}")

    def images_below(self, folders: Iterable[str]) -> Iterator[str]:
        """The images in some folders, and below them, which are kept, so that they can be asked for again."""
        for folder in folders:
            level = self.look(folder)
            if not isinstance(level.images, Sequence):
                level = self._met[folder] = level._replace(images=[*level.images])
            yield from level.images
            yield from self.images_below(joined(folder, name) for name in level.folders)

    def unwrapped(self, folder: str) -> str:
        """A folder, or the one below it where folders that hold but one folder end, or one of a split."""
        level = self.look(folder)
        while len(level.folders) == 1 and not level.has_images and parse_split(level.folders[0]) is None:
            folder = joined(folder, level.folders[0])
            level = self.look(folder)
        return folder

    def labels_of(self, folder: str, split: str) -> list[str]:
        """The folders in one of a split, but for its own again, which is no label: `test/test`."""
        names = self.look(folder).folders
        is_again = len(names) == 1 and not self._is_chosen and parse_split(split) == parse_split(names[0])
        return [] if is_again else names
