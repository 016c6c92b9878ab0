"""Reading images, with every way to fail distinguished: one by itself, or many opened before their turn."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import unquote

from tfrecordcli.errors import MalformedAnswerError, OutageError, ResourceError, TfrecError
from tfrecordcli.reasons import Rejected, too_many_bytes
from tfrecordcli.storage.files import MACHINE_ERRORS
from tfrecordcli.storage.network import REQUESTS
from tfrecordcli.storage.record_parts import RecordPart, part_of, read_part
from tfrecordcli.storage.uris import is_remote, join, local_path, scheme_of, with_forward_slashes

if TYPE_CHECKING:
    from tfrecordcli.storage.remote import RemoteImage, RemoteReader

# A pipe must not block and a terminal must not become ours; a no-op for regular files.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)

_HAS_ADVICE = hasattr(os, "posix_fadvise")  # not on macOS

_REASONS = {
    errno.ENOENT: "not_found",
    errno.ENOTDIR: "not_found",
    errno.ENAMETOOLONG: "not_found",
    errno.EISDIR: "is_directory",
    errno.ELOOP: "link_loop",
    errno.ENXIO: "not_a_file",
    errno.ENODEV: "not_a_file",
    errno.EACCES: "permission_denied",
    errno.EPERM: "permission_denied",
}

# Files opened ahead of the one that is read. Threads that read them ahead were slower: handing a cached
# file over from a thread costs more than reading it.
_FILES: Final = 8
# As many as are under way, and some that are there already.
_REMOTE: Final = REQUESTS * 3 // 2

_Row = TypeVar("_Row")


class ImageFile:
    """One image, opened ahead of its turn so that a cold disk begins to read it now."""

    def __init__(self, uri: str, root: str) -> None:
        self._uri = uri
        self._root = root
        self._part = part_of(uri)
        self._descriptor = -1
        try:
            path, start, size = (self._part.path, *self._part[2:4]) if self._part else (uri, 0, 0)
            self._descriptor = os.open(local_path(path, root), _FLAGS)
            if _HAS_ADVICE:
                os.posix_fadvise(self._descriptor, start, size, os.POSIX_FADV_WILLNEED)
        except (OSError, ValueError, Rejected):
            self.close()  # what is wrong shows when it is read

    def read(self, max_bytes: int) -> bytes:
        """Its bytes; the file is closed then. Raises as `read_image` does."""
        if self._descriptor < 0:
            return read_image(self._uri, self._root, max_bytes)
        try:
            return _read(self._descriptor, max_bytes, self._part)
        except OSError as error:
            raise _translated(error) from error
        finally:
            self.close()

    def close(self) -> None:
        """Closes the file if it is open."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def read_image(uri: str, root: str, max_bytes: int) -> bytes:
    """The bytes of an image file.

    Args:
      uri: as the source has it.
      root: absolute folder or URL that relative paths are relative to.
      max_bytes: larger files are rejected before they are read.

    Raises:
      Rejected: the file is not there, not a file, not readable, or too large.
      ResourceError: the process ran out of files or memory; the row is not to blame.
      StoreError, OutageError: as of `read_remote`.
    """
    try:
        part = part_of(uri)
        location = join(root, part.path if part else uri)
        if is_remote(location):
            from tfrecordcli.storage.remote import read_remote

            return read_remote(join(root, uri), max_bytes)
        return _open_and_read(location, max_bytes, part)
    except Rejected as error:
        problem: Exception = error
    except (OSError, ValueError) as error:
        problem = _translated(error)
        problem.__cause__ = error
    other = with_forward_slashes(uri)
    missing = isinstance(problem, Rejected) and problem.code == "not_found"
    if missing and _is_there_decoded(uri, root):
        raise Rejected("encoded_name")
    if other is None or not missing:
        raise problem
    return read_image(other, root, max_bytes)


def _is_there_decoded(uri: str, root: str) -> bool:
    """Whether a file of this machine is called as a path that is not there says in the way of URLs."""
    if "%" not in uri or scheme_of(uri) or is_remote(root):
        return False
    with contextlib.suppress(OSError, ValueError, Rejected):
        return os.path.isfile(local_path(unquote(uri), root))
    return False


def image_size(uri: str, root: str) -> int | None:
    """Bytes of an image file; None when it cannot be told.

    Raises:
      OutageError
    """
    part = part_of(uri)
    if part is not None:
        return part.length
    for written in (uri, with_forward_slashes(uri)):
        if written is not None:
            try:
                location = join(root, written)
                if not is_remote(location):
                    return os.stat(location).st_size
                from tfrecordcli.storage.remote import remote_size

                return remote_size(location)
            except (OSError, ValueError, Rejected, TfrecError) as error:
                if isinstance(error, OutageError) and not isinstance(error, MalformedAnswerError):
                    raise
    return None


def _open_and_read(path: str, max_bytes: int, part: RecordPart | None) -> bytes:
    descriptor = os.open(path, _FLAGS)
    try:
        return _read(descriptor, max_bytes, part)
    finally:
        os.close(descriptor)


def _read(descriptor: int, max_bytes: int, part: RecordPart | None) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise Rejected("is_directory" if stat.S_ISDIR(status.st_mode) else "not_a_file")
    if part is not None:
        return read_part(descriptor, part, max_bytes)
    if status.st_size > max_bytes:
        raise too_many_bytes(status.st_size, max_bytes)
    data = os.read(descriptor, status.st_size + 1)
    if len(data) == status.st_size:
        return data
    return data + _read_rest(descriptor, len(data), max_bytes)


def _read_rest(descriptor: int, size: int, max_bytes: int) -> bytes:
    """What one read of ``size`` bytes did not give: large files, network drives, growing files."""
    pieces = []
    while piece := os.read(descriptor, min(max_bytes - size + 1, 1 << 24)):
        pieces.append(piece)
        size += len(piece)
        if size > max_bytes:
            size = max(size, os.fstat(descriptor).st_size)
            raise too_many_bytes(size, max_bytes)
    return b"".join(pieces)


def _translated(error: OSError | ValueError) -> Exception:
    number = error.errno if isinstance(error, OSError) else None
    if number in MACHINE_ERRORS:
        return ResourceError(
            f"cannot read images: {MACHINE_ERRORS[number]}",
            "raise the limit (ulimit) or use fewer --workers",
        )
    return Rejected(_REASONS.get(number or 0, "unreadable" if number else "not_found"))


class ImageRequest:
    """One image that is on its way over the network."""

    def __init__(self, uri: str, root: str, image: RemoteImage) -> None:
        self._uri = uri
        self._root = root
        self._image = image

    def read(self, max_bytes: int) -> bytes:
        """Its bytes. Raises as `read_image` does."""
        try:
            return self._image.read()
        except Rejected as problem:
            other = with_forward_slashes(self._uri)
            if other is None or problem.code != "not_found":
                raise
        return read_image(other, self._root, max_bytes)

    def close(self) -> None:
        """Gives it up."""
        self._image.close()


OpenImage = ImageFile | ImageRequest


def open_ahead(
    rows: Iterable[tuple[_Row, str]], root: str, max_bytes: int
) -> Iterator[tuple[_Row, OpenImage]]:
    """Rows with their images, in order; each image must be read before the next one is taken.

    Args:
      rows: (anything, image URI as the source has it).
      root: absolute folder or URL that relative URIs are relative to.
      max_bytes: of an image; larger ones are rejected when they are read.
    """
    ahead: deque[tuple[_Row, OpenImage]] = deque()
    reader: RemoteReader | None = None
    try:
        for row, uri in rows:
            url = _remote_url(uri, root)
            if url:
                reader = reader or _remote_reader()
                ahead.append((row, ImageRequest(uri, root, reader.open(url, max_bytes))))
            else:
                ahead.append((row, ImageFile(uri, root)))
            if len(ahead) > (_REMOTE if url else _FILES):
                yield ahead.popleft()
        while ahead:
            yield ahead.popleft()
    finally:
        for _, image in ahead:
            image.close()
        if reader:
            reader.close()


def _remote_reader() -> RemoteReader:
    from tfrecordcli.storage.remote import RemoteReader  # with threads and TLS, which local images do without

    return RemoteReader()


def _remote_url(uri: str, root: str) -> str:
    """Where an image is; empty when that is a local path, or no place at all, which its reading tells."""
    if "://" not in root and "://" not in uri:
        return ""
    try:
        location = join(root, uri)
    except Rejected:
        return ""
    return location if is_remote(location) else ""
