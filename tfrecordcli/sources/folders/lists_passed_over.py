"""Lists above or beside folders of images, of which something is said where nobody asked for them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable
from itertools import accumulate, islice
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_shape import detect_delimiter
from tfrecordcli.sources.folders.annotation_files import say_nothing
from tfrecordcli.sources.folders.folders_of_videos import told_of_videos
from tfrecordcli.sources.folders.lists_beside import ListsBeside
from tfrecordcli.sources.folders.lists_of_splits import (
    FOLDERS,
    is_table,
    lists_of_all_splits,
    split_in_name,
)
from tfrecordcli.sources.folders.named_images import NamedImages
from tfrecordcli.sources.folders.naming_lists import NamingLists
from tfrecordcli.sources.folders.rows_of_heads import rows_of_head
from tfrecordcli.sources.folders.tree import Tree, joined
from tfrecordcli.sources.folders.values_of_folders import told_of_folders
from tfrecordcli.sources.proposals.paths_in_columns import certain_paths_hint
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.uris import is_remote

_LOOKED_AT: Final = 10  # lists
_TABLES: Final = 3  # whose columns may tell paths
_READ: Final = 1 << 16  # bytes of them
_FIRST: Final = 5_000  # images that are noted before a list is met
_MOST_ABOVE: Final = 10_000  # files beside the root that are looked through for lists
_LEVELS: Final = 2  # above the root, at most


class ListsPassedOver:
    """The images of a listing by their names, and the lists that may name them.

    Args:
      root: the folder that is listed.
      lists: those of the listing.
      head: gives so many first bytes of a file, relative to root.
    """

    def __init__(self, root: str, lists: ListsBeside, head: Callable[[str, int], bytes]) -> None:
        self._root = root
        self._lists = lists
        self._head = head
        self._images = NamedImages()
        self._count = 0
        self._parent, self._name = ("", "") if is_remote(root) else _parted(root)
        self._around = Tree(self._parent or os.curdir)
        self._above = self._lists_above()

    def _lists_above(self) -> ListsBeside:
        """Lists beside the root, and beside the folder above where that, too, says nothing of images."""
        lists = ListsBeside(self._around.head)
        parents = [*accumulate(["", *self._name.split("/")[:-1]], joined)] if self._name else []
        for parent in parents:
            names = self._names_in(parent)
            for folder in (parent, *(joined(parent, name) for name in names if name.lower() in FOLDERS)):
                for name in names if folder == parent else self._names_in(folder):
                    lists.add(joined(folder, name))
        return lists

    def _names_in(self, folder: str) -> list[str]:
        """Names in a folder above the root, those of lists of splits first."""
        with contextlib.suppress(OSError), os.scandir(os.path.join(self._parent, folder) or ".") as entries:
            names = [entry.name for entry in islice(entries, _MOST_ABOVE)]
            return sorted(names, key=lambda name: (not split_in_name(name), name))
        return []

    def add_image(self, path: str) -> None:
        """Takes in an image; where there are many and no list, there is nothing to note."""
        self._count += 1
        if self._count <= _FIRST or self._lists or self._above:
            self._images.add(path)

    def doubt(
        self, base: str, class_folders: Collection[str], told: Iterable[str], *, has_splits: bool
    ) -> str:
        """What is said of lists that tell more of the images than their folders do; empty where none does.

        Args:
          base: the folder below root that holds those of the images.
          class_folders: those of the images that have labels.
          told: what is said already, of which files nothing is said again.
          has_splits: whether the folders tell splits.
        """
        doubts = [*told]
        likely = self._lists.likely(class_folders)
        left = [
            path for path in likely if not any(os.path.join(self._root, path) in doubt for doubt in doubts)
        ]
        lists = NamingLists(self._root, base, left[:_LOOKED_AT], self._head)
        above = self._above.likely(())[:_LOOKED_AT]
        beside = NamingLists(self._parent, joined(self._name, base), above, self._around.head)
        count = len(class_folders)
        has_splits = has_splits or any(map(parse_split, self._name.split("/")))
        found = (each.told(self._images, count, has_splits=has_splits) for each in (lists, beside))
        listed = next(filter(None, found), "")
        where = "folders name images in them" if class_folders else "images name these"
        beginning = f"lists beside the {where} and are passed over, whatever labels and splits they tell "
        if not listed and not has_splits and (lists_of_all := lists_of_all_splits(self._root, self._head)):
            listed = f"(those of several splits): {lists_of_all} reads these instead"
        if not listed and (table := self._telling_paths()):
            how = command_line(["tfrec", "convert", table])
            listed = f"(columns of {table} tell their paths): {how} OUTPUT_DIR tells how to read it instead"
        if not listed:
            some = left[:_LOOKED_AT]
            told_of = (told_of_videos, told_of_folders)
            found = (each(self._root, some, self._head, class_folders) for each in told_of)
            return next(filter(None, found), "")
        return f"{beginning}{listed}"

    def _telling_paths(self) -> str:
        """A table right in a local folder several of whose columns together tell the paths of its images."""
        if is_remote(self._root):
            return ""
        for path in filter(is_table, islice(self._lists.paths.get("", ()), _TABLES)):
            whole, head = os.path.join(self._root, path), self._head(path, _READ)
            header, rows = rows_of_head(path, head, _READ)
            delimiter = detect_delimiter(head.decode("utf-8", "replace").partition("\n")[0])
            if header and certain_paths_hint(header, [*map(list, rows)], None, self._root, whole, delimiter):
                return as_path(whole)
        return ""


def _parted(root: str) -> tuple[str, str]:
    """A local folder as the one above, which may be about its images, and its path in there.

    That is the folder above all whose names say no more than that they hold images, or those of a split; the
    path is empty where its own name says more.
    """
    above, names = os.path.abspath(root), list[str]()
    while len(names) < _LEVELS and _says_nothing(os.path.basename(above)):
        above, name = os.path.split(above)
        names.insert(0, name)
    parent = above if os.path.isabs(root) else os.path.relpath(above)
    return parent if parent != os.curdir else "", "/".join(names)


def _says_nothing(name: str) -> bool:
    return bool(parse_split(name)) or (bool(name) and say_nothing([name]))
