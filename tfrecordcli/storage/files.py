"""Files that must be regular ones: opening them, and saying why one cannot be read."""

from __future__ import annotations

import errno
import os
import stat
from typing import IO, Final

from tfrecordcli.errors import ResourceError
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.storage.uris import is_on_store

# A pipe under the name of a file must not block.
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)

_REASONS: Final = {
    errno.ENOENT: "it is gone",
    errno.ENOTDIR: "it is gone",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EISDIR: "it is a folder",
    errno.ENXIO: "it is no regular file",
    errno.ELOOP: "it is a symbolic link that leads in a circle",
    errno.EIO: "the disk failed to read it",
    errno.ESTALE: "the network drive lost it",
}
# What is wrong with the machine must not be blamed on the data, or on a row of the list.
MACHINE_ERRORS: Final = {
    errno.EMFILE: "too many open files",
    errno.ENFILE: "too many open files",
    errno.ENOMEM: "out of memory",
}


def is_no_file(error: OSError) -> bool:
    """Whether it is because a folder, a pipe, a socket or a device stands in the place of a file."""
    return error.errno in (errno.EISDIR, errno.ENXIO)


def open_regular(path: str | os.PathLike[str]) -> int:
    """A descriptor for reading a file.

    Raises:
      OSError: it cannot be opened, or is a folder, a pipe or a device.
    """
    descriptor = os.open(path, _FLAGS)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EISDIR if stat.S_ISDIR(mode) else errno.ENXIO, "not a regular file", str(path))


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """All of a file.

    Raises:
      OSError: as `open_regular`.
    """
    if is_on_store(os.fspath(path)):
        return place_of(path).read_bytes()
    with os.fdopen(open_regular(path), "rb") as file:
        return file.read()


def open_binary(path: str | os.PathLike[str], buffering: int = -1) -> IO[bytes]:
    """A file or an object, to be read from its start; only a local one can be unbuffered.

    Raises:
      OSError: as `open_regular`.
    """
    if is_on_store(os.fspath(path)):
        return place_of(path).open("rb")
    return os.fdopen(open_regular(path), "rb", buffering=buffering)


def why_unreadable(error: OSError) -> str:
    """Why a file cannot be read, in words of our own.

    Raises:
      ResourceError: the machine is at fault, not the file.
    """
    number = error.errno or 0
    if number in MACHINE_ERRORS:
        raise ResourceError(
            f"cannot read on: {MACHINE_ERRORS[number]}", "raise the limit (ulimit), or use fewer --workers"
        ) from error
    if number == errno.ENOENT and error.filename and os.path.islink(error.filename):
        return "it is a symbolic link that leads nowhere"
    return _REASONS.get(number, f"the system says {errno.errorcode.get(number, 'no')}")
