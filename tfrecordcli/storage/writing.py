"""Writing files that are there whole or not at all: temporary name, fsync, rename."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from tfrecordcli.errors import OutputError, ResourceError, TfrecError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


def publish(temporary: str | Path, final: str | Path) -> None:
    """Gives a finished, synced file its final name; the name survives a power cut."""
    os.replace(temporary, final)
    sync_folder(Path(final).parent)


def sync_folder(folder: str | Path) -> None:
    """Makes the names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot sync a folder and say so with EINVAL.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def write_whole(path: Path, data: bytes) -> None:
    """Writes a small file under its final name in one step."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    publish(temporary, path)


@contextlib.contextmanager
def writing_to(folder: str | Path) -> Iterator[None]:
    """Turns the operating system's refusals while writing into errors with a cure."""
    try:
        yield
    except OSError as error:
        raise write_error(error, folder) from error


def write_error(error: OSError, folder: str | Path) -> TfrecError:
    """The error for a write that failed in ``folder``."""
    if error.errno in _FULL:
        return ResourceError(
            f"{folder}: no space left on the disk",
            "free some space and run the same command again: finished shards are kept",
            code="no_space",
        )
    if error.errno in _FORBIDDEN:
        return OutputError(f"{folder}: no permission to write here", "choose another output directory")
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return ResourceError("too many open files", "raise the limit (ulimit -n) or use fewer --workers")
    return OutputError(f"{folder}: cannot write here ({error.strerror})", "choose another output directory")
