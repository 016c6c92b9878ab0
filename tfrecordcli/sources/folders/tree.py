"""A folder as readers of annotations see it: names, and the bytes of small files, here or on a store."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.column_words import without_extension
from tfrecordcli.sources.folders.entry import is_hidden, is_local_folder, is_loop, is_text
from tfrecordcli.sources.folders.exclusion import Exclusion
from tfrecordcli.storage.files import open_binary
from tfrecordcli.storage.reading import read_image
from tfrecordcli.storage.store_path import Place, StorePath, place_of
from tfrecordcli.storage.stores import hint_of
from tfrecordcli.units import plural

# Folders whose names are kept because they are asked for again, and how many names such a folder may hold.
_KEPT: Final = 16
_KEPT_NAMES: Final = 20_000
# Files that tell what a folder is, each of which may stand among a million others.
_KINDS: Final = frozenset(
    {".xml", ".txt", ".json", ".csv", ".yaml", ".yml", ".data", ".jpg", ".jpeg", ".png"}
)
_SAYING: Final = ("readme", "license", "licence")


class Entries(NamedTuple):
    """The names right in a folder, sorted: of the folders, and of the files."""

    folders: list[str]
    files: list[str]

    @property
    def images(self) -> list[str]:
        """The files that are images by their extension."""
        return [name for name in self.files if is_image_name(name)]


class Tree:
    """What is below a folder. Paths are relative to it, with ``/``; the folder itself is the empty path.

    Hidden entries, links that lead back, and names that are not Unicode are left out.

    Attributes:
      root: local folder, or URL of a folder on a store.
      not_text: folder -> how many names in it are not Unicode.
    """

    def __init__(self, root: str, skip: str = "", exclude: Iterable[str] = (), most: int = 0) -> None:
        """Args:
        skip: a folder that is left out (an output directory inside the source).
        exclude: patterns of what is to be skipped.
        most: of the files of a kind in a folder that are known, the first by name; 0: all.
        """
        self.root = root
        self._place = place_of(root)
        self._skip = place_of(skip) if skip else None
        self._most = most
        self._exclusion = Exclusion(exclude)
        self._kept: dict[str, Entries] = {}
        self.not_text: dict[str, int] = {}

    def entries(self, folder: str = "") -> Entries:
        """What is right in a folder; nothing when there is no such folder.

        Raises:
          InputError: it may not be listed.
        """
        if folder not in self._kept:
            is_odd = isinstance(self._place, StorePath) and not _is_within(folder)
            found = Entries([], []) if is_odd else self._list(folder)
            if sum(map(len, found)) > _KEPT_NAMES:
                return found
            if len(self._kept) == _KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[folder] = found
        return self._kept[folder]

    def walk(self, folder: str = "") -> Iterator[tuple[str, Entries]]:
        """(path, entries) of a folder and all below it, in the order of their paths."""
        waiting = [folder]
        while waiting:
            path = waiting.pop()
            found = self.entries(path)
            waiting += [joined(path, name) for name in reversed(found.folders)]
            yield path, found

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder with anything in it."""
        return any(self.entries(path))

    def is_file(self, path: str) -> bool:
        """Whether there is such a file."""
        place = self._at(path)
        return place is not None and place.is_file()

    def read(self, path: str, most: int) -> bytes:
        """The bytes of a file.

        Raises:
          Rejected: ``not_found``, or ``bad_annotation``: it cannot be read, or has more than ``most`` bytes.
          StoreError, OutageError, ResourceError: the file is not to blame.
        """
        try:
            return read_image(path, self.root, most)
        except Rejected as problem:
            if problem.code == "not_found":
                raise
            if problem.code == "too_many_bytes":
                size = problem.details["size"]
                detail = f"{path} has {size} bytes, and at most {most} are read"
            else:
                detail = f"{path}: {problem.reason}"
            raise Rejected("bad_annotation", detail=detail) from problem

    def head(self, path: str, size: int) -> bytes:
        """The first bytes of a file; none when it cannot be read."""
        place = self._at(path)
        try:
            if isinstance(place, StorePath):
                length = place.info().size
                return place.store.read_range(place.key, 0, min(size, length)) if length else b""
            with open_binary(os.path.join(self.root, path)) as file:
                return file.read(size)
        except OSError:
            return b""

    def notes(self) -> list[str]:
        """What was passed over in the folders that were listed."""
        count = sum(self.not_text.values())
        notes = [f"passed over {plural(count, 'name')} that cannot be written as text"] if count else []
        return notes + self._exclusion.notes()

    def _at(self, path: str) -> Place | None:
        """Where a file is; None: no store can hold it."""
        if isinstance(self._place, StorePath):
            return self._place / path if _is_within(path) else None
        return self._place / path

    def _list(self, folder: str) -> Entries:
        try:
            if isinstance(self._place, StorePath):
                return self._list_objects(self._place, folder)
            return self._list_local(folder)
        except (FileNotFoundError, NotADirectoryError):
            return Entries([], [])
        except PermissionError as error:
            place = joined(self.root, folder)
            scheme = self._place.scheme if isinstance(self._place, StorePath) else ""
            hint = hint_of(scheme) if scheme else "check its permissions"
            raise InputError(f"{place}: the folder cannot be read", hint) from error

    def _list_local(self, folder: str) -> Entries:
        folders: list[str] = []
        files = _Files(self._most)
        self.not_text.pop(folder, None)
        self._exclusion.begin(folder)
        skip = os.path.realpath(self._skip) if self._skip else ""
        with os.scandir(os.path.join(self.root, folder)) as found:
            for entry in found:
                if is_hidden(entry.name) or self._exclusion.covers(folder, entry.name):
                    continue
                if not is_text(entry.name):
                    self.not_text[folder] = self.not_text.get(folder, 0) + 1
                elif not is_local_folder(entry):
                    files.add(entry.name)
                elif not is_loop(entry) and not (skip and os.path.realpath(entry.path) == skip):
                    folders.append(entry.name)
        return Entries(sorted(folders), files.names())

    def _list_objects(self, root: StorePath, folder: str) -> Entries:
        place = root / folder if folder else root
        self._exclusion.begin(folder)
        prefixes, objects = place.store.list_folder(place.key)
        folders = [prefix.rstrip("/").rpartition("/")[2] for prefix in prefixes]
        files = _Files(self._most)
        for found in objects:
            name = found.key.rpartition("/")[2]
            if name and found.key.rstrip("/") != place.key and self._is_taken(folder, name):
                files.add(name)
        kept = (name for name in folders if self._is_taken(folder, name) and place / name != self._skip)
        return Entries(sorted(kept), files.names())

    def _is_taken(self, folder: str, name: str) -> bool:
        return not is_hidden(name) and not self._exclusion.covers(folder, name)


class _Files:
    """Names of files of which the first of each kind are kept, however many there are."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._names: dict[str, list[str]] = {}  # by kind

    def add(self, name: str) -> None:
        ending = name[name.rfind(".") :].lower() if self._most else ""
        names = self._names.setdefault(ending if ending in _KINDS else "", [])
        names.append(name)
        if self._most and len(names) == 2 * self._most:
            names.sort()
            del names[self._most :]

    def names(self) -> list[str]:
        """All that are kept, in order."""
        kept = (sorted(names)[: self._most or None] for names in self._names.values())
        return sorted(chain.from_iterable(kept))


def top_of(tree: Tree) -> str:
    """The folder that everything is in: below folders that hold but one folder, and no file but a README."""
    top, entries = "", tree.entries()
    while len(entries.folders) == 1 and all(name.lower().startswith(_SAYING) for name in entries.files):
        top = joined(top, entries.folders[0])
        entries = tree.entries(top)
    return top


def is_image_name(name: str) -> bool:
    """Whether a file is an image by its extension."""
    return without_extension(name.strip()) != name.strip()


def joined(folder: str, name: str) -> str:
    """A path of two parts, of which either may be empty."""
    if not folder or not name:
        return folder or name
    return f"{folder}{name}" if folder.endswith("/") else f"{folder}/{name}"


def tidy(folder: str, path: str) -> str:
    """A path that is written relative to a folder, as it is relative to the tree: `.` and `..` resolved.

    The empty path is the folder that all others are relative to.
    """
    found = posixpath.normpath(posixpath.join(folder, path))
    return "" if found == "." else found


def stem_of(name: str) -> str:
    """A file name without its extension: `a.b` of `a.b.jpg`."""
    return name.rpartition(".")[0] or name


def image_of_file(name: str) -> str:
    """The name without an extension of the image that a file is of: `1` for `1.txt` and for `1.jpg.txt`."""
    stem = stem_of(name)
    return stem_of(stem) if is_image_name(stem) else stem


def child(entries: Entries, *names: str) -> str:
    """The first of these folders, named in lower case, that is there in any case; empty for none."""
    known = {name.lower(): name for name in reversed(entries.folders)}
    return next((known[name] for name in names if name in known), "")


def _is_within(path: str) -> bool:
    return not path.startswith("/") and ".." not in path.split("/")
