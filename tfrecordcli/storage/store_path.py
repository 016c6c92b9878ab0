"""A place on a disk or a store: objects and folders of objects with those methods of `Path` that are used."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tfrecordcli.errors import ResourceError, UsageError
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.stores import hint_of, store_of
from tfrecordcli.storage.uris import (
    ObjectName,
    is_on_store,
    is_remote,
    masked_uri,
    parse_store_url,
    scheme_of,
)

if TYPE_CHECKING:
    from tfrecordcli.storage.store import ObjectInfo, Store

_NO_FILE = "no such file or folder"


@dataclass(frozen=True, slots=True, order=True)
class StorePath:
    """An object or a folder of objects; its key has no slash at its end.

    Methods raise FileNotFoundError, PermissionError, `StoreError` and `OutageError`.
    """

    scheme: str
    bucket: str
    key: str

    def __truediv__(self, name: str) -> StorePath:
        return StorePath(self.scheme, self.bucket, f"{self.key}/{name}" if self.key else name)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.bucket}/{self.key}".rstrip("/")

    def __fspath__(self) -> str:
        return str(self)

    @property
    def name(self) -> str:
        return self.key.rpartition("/")[2]

    @property
    def parent(self) -> StorePath:
        return StorePath(self.scheme, self.bucket, self.key.rpartition("/")[0])

    @property
    def store(self) -> Store:
        return store_of(ObjectName(self.scheme, self.bucket, self.key))

    def absolute(self) -> StorePath:
        return self

    def with_name(self, name: str) -> StorePath:
        return self.parent / name

    # --- what is there ---

    def info(self) -> ObjectInfo:
        """What is known of the object."""
        return self.store.head(self.key)

    def is_file(self) -> bool:
        if not self.key:
            return False
        try:
            self.info()
        except FileNotFoundError:
            return False
        return True

    def is_dir(self) -> bool:
        """Whether anything is below it. A bucket is one; that it exists shows when it is listed."""
        return not self.key or next(self.store.below(self.key), None) is not None

    def exists(self) -> bool:
        return self.is_file() or self.is_dir()

    def iterdir(self) -> Iterator[StorePath]:
        """Objects and folders right in it."""
        folders, files = self.store.list_folder(self.key)
        for key in [*folders, *(found.key for found in files)]:
            yield StorePath(self.scheme, self.bucket, key)

    # --- contents ---

    def open(self, mode: str = "rb", **_: object) -> IO[bytes]:
        """The object as a file of bytes that is read from its start, with a little of it in memory."""
        if mode != "rb":
            raise ValueError(f"{self}: an object is not opened with mode {mode!r}")
        from tfrecordcli.storage.store_file import StoreFile

        return io.BufferedReader(StoreFile(self.store, self.key), 1 << 18)

    def read_bytes(self) -> bytes:
        return self.store.read(self.key)

    def write_bytes(self, data: bytes) -> None:
        """Writes the object in one step."""
        self.store.put(self.key, data)

    def unlink(self, missing_ok: bool = False) -> None:
        self.store.delete(self.key)

    def mkdir(self, parents: bool = False, exist_ok: bool = False) -> None:
        """Nothing: a folder is there when something is in it."""


Place = Path | StorePath


def place_of(path: str | os.PathLike[str]) -> Place:
    """The place that a user named.

    Raises:
      UsageError: a URL of a kind that is none, or whose key cannot be asked for.
    """
    text = os.fspath(path)
    if not is_on_store(text):
        if is_remote(text) or (scheme_of(text) and scheme_of(text) != "file"):
            raise UsageError(
                f"{masked_uri(text)}: {scheme_of(text)}:// is not taken here",
                "give a local path, or a gs://, s3://, oss:// or az:// URL",
            )
        return Path(text)
    try:
        name = parse_store_url(text.rstrip("/") if text.count("/") > 3 else text)
    except Rejected as problem:
        raise UsageError(f"{text}: {problem.reason}", "give another URL") from None
    return StorePath(name.scheme, name.bucket, name.key.rstrip("/"))


def file_names(folder: Place) -> list[str]:
    """Names of the files right in a folder, sorted.

    Raises:
      FileNotFoundError, PermissionError, NotADirectoryError, …: it is not there, or may not be read.
    """
    if isinstance(folder, StorePath):
        _, files = folder.store.list_folder(folder.key)
        return sorted(name for found in files if (name := found.key[len(folder.key) :].lstrip("/")))
    return sorted(entry.name for entry in os.scandir(folder) if _is_file(entry))


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads to itself
        return False


def walk_local(root: str | os.PathLike[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """As `os.walk` does at any depth (before 3.12 that calls itself for each level), folders by name."""
    pending = [os.fspath(root)]
    while pending:
        for place, folders, files in islice(os.walk(pending.pop()), 1):
            yield place, folders, files
            below = [os.path.join(place, name) for name in sorted(folders, reverse=True)]
            pending += [path for path in below if not os.path.islink(path)]


def walk(folder: Place) -> Iterator[tuple[str, list[str], list[str]]]:
    """(place, folders, files) of a folder and all below it, as `os.walk` does: folders can be left out."""
    if not isinstance(folder, StorePath):
        yield from walk_local(folder)
        return
    prefixes, _ = folder.store.list_folder(folder.key)
    folders = [prefix.rstrip("/").rpartition("/")[2] for prefix in prefixes]
    yield str(folder), folders, file_names(folder)
    for name in folders:
        yield from walk(folder / name)


def why_not_read(path: str | os.PathLike[str], error: Exception) -> tuple[str, str]:
    """What is wrong with a file or folder that cannot be read, and what to do.

    Raises:
      ResourceError: nothing is wrong with it, but with the machine.
    """
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        raise ResourceError("too many open files", "raise the limit (ulimit -n)") from error
    is_object = is_on_store(os.fspath(path))
    if isinstance(error, PermissionError):
        hint = hint_of(scheme_of(os.fspath(path))) if is_object else "see its permissions"
        return "may not be read", hint
    if not is_object and (kind := special_kind(Path(path))):
        return f"{kind}, not a file or folder", "save what comes out of it in a file first"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return ("there is no such object", "check the URL") if is_object else (_NO_FILE, "check the path")
    return "cannot be read", "check the path"


def special_kind(place: Place) -> str:
    """`a pipe`, `a socket` or `a device`; empty for whatever else is there, or nothing."""
    if isinstance(place, StorePath):
        return ""
    if place.is_fifo():
        return "a pipe"
    if place.is_socket():
        return "a socket"
    return "a device" if place.is_char_device() or place.is_block_device() else ""


def size_of(place: Place) -> int:
    """Bytes of a file.

    Raises:
      FileNotFoundError: there is none.
    """
    return place.info().size if isinstance(place, StorePath) else place.stat().st_size
