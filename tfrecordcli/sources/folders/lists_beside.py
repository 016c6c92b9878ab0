"""Lists and JSON files that stand among images in folders, and may say what the images show."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import Final

from tfrecordcli.naming import is_dataset_file
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES, names_images
from tfrecordcli.sources.folders.image_folders import split_in_path

_TABLES: Final = (".csv", ".tsv")
_OTHERS: Final = (".json", ".jsonl")
# What may be a list, too, where nothing else is.
_TEXTS: Final = (".txt", ".ndjson", ".lst", *_OTHERS)
_ABOUT: Final = frozenset({"readme", "license"})
# Of one folder that are looked into.
_MOST: Final = 5
_METADATA: Final = "metadata.jsonl"


class ListsBeside:
    """Files of one listing that may be lists of its images.

    Args:
      head: gives the first bytes of a file, as many as it is told.
    """

    def __init__(self, head: Callable[[str, int], bytes]) -> None:
        self._head = head
        self._paths: dict[str, list[str]] = {}  # by folder
        self._texts: dict[str, list[str]] = {}

    def add(self, path: str) -> None:
        """Notes a file that is called like a list and is none that tfrec writes."""
        folder, _, name = path.rpartition("/")
        if is_dataset_file(name) or name.lower().partition(".")[0] in _ABOUT:
            return
        for endings, found in (((*_TABLES, *_OTHERS), self._paths), (_TEXTS, self._texts)):
            if path.lower().endswith(endings):
                paths = found.setdefault(folder, [])
                paths += [path][: _MOST - len(paths)]

    def first_table(self) -> str:
        """A table, or Hugging Face's metadata.jsonl, by its name alone; empty when there is none."""
        return _first(self._tables())

    def first(self) -> str:
        """The first table, else a text that names images; empty when there is none."""
        return _first(self._tables() or self._naming())

    def _tables(self) -> list[str]:
        paths = [path for some in self._paths.values() for path in some]
        return [path for path in paths if is_table(path) or path.endswith(_METADATA)]

    def _naming(self) -> list[str]:
        paths = [path for some in self._texts.values() for path in some]
        return [path for path in paths if names_images(self._head(path, HEAD_BYTES))]

    def asked(self, root: str) -> str:
        """Whether the first is the list, with the command for it, or for those in folders of splits."""
        lists = self._tables() or self._naming()
        first = _first(lists)
        name = first.rpartition("/")[2]
        alike = {path: split_in_path(path) for path in sorted(lists) if path.rpartition("/")[2] == name}
        if len(alike) == 1 or not all(alike.values()):
            alike = {first: ""}
        sources = [
            f"{split}={os.path.join(root, path)}" if split else as_path(os.path.join(root, path))
            for path, split in alike.items()
        ]
        command = command_line(["tfrec", "convert", *sources])
        return f"is {os.path.join(root, first)} the list of these images? {command} OUTPUT_DIR"

    def describing(self, class_folders: Collection[str], is_one_class: bool) -> str:
        """A list that stands in the place of label folders; empty when there is none.

        Beside one class, any file that names images is one; beside several, each class folder has to have its
        own: a single list of them all may say the same as the folders.
        """
        if is_one_class:
            folders = sorted(
                self._paths, key=lambda folder: (not any(map(is_table, self._paths[folder])), folder)
            )
            return next(filter(None, map(self._in, folders)), "")
        return self._in(min(class_folders)) if all(map(self._in, class_folders)) else ""

    def _in(self, folder: str) -> str:
        """A file right in a folder that names images, a table before others; empty when there is none."""
        paths = sorted(self._paths.get(folder, ()), key=lambda path: (not is_table(path), path))
        return next((path for path in paths if names_images(self._head(path, HEAD_BYTES))), "")


def _first(paths: Iterable[str]) -> str:
    return min(paths, key=lambda path: (_rank(path), path), default="")


def _rank(path: str) -> int:
    """Names of lists of labelled images come first, those of what is to be predicted last."""
    name = path.rpartition("/")[2].lower()
    if "submission" in name or "test" in name:
        return 2
    return 0 if any(word in name for word in ("train", "label", "metadata", "annotation")) else 1


def is_table(path: str) -> bool:
    """Whether a file is called like a list that can be converted."""
    return path.lower().endswith(_TABLES)
