"""Writing files that are there whole or not at all: temporary name, fsync, rename."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, TextIO

from tfrecordcli.errors import OutputError, ResourceError, TfrecError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


def publish(temporary: str | Path, final: str | Path) -> None:
    """Gives a finished, synced file its final name; the name survives a power cut."""
    os.replace(temporary, final)
    sync_folder(Path(final).parent)


def sync_file(file: IO[Any]) -> None:
    """Makes what was written to a file so far survive a power cut."""
    file.flush()
    os.fsync(file.fileno())


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


def attempt_path(path: str | Path) -> Path:
    """``path`` with an ending that no other attempt has, be it alive, dead, or a worker without a parent."""
    path = Path(path)
    return path.with_name(f"{path.name}.{os.urandom(4).hex()}.tmp")


@contextlib.contextmanager
def whole_file(path: Path, folder: Path | None = None) -> Iterator[TextIO]:
    """A UTF-8 text file that appears under its final name when the block ends without an error.

    Args:
      path: its final name.
      folder: for the temporary file, on the same file system; beside the final one when left out.
    """
    temporary = attempt_path((folder or path.parent) / path.name)
    try:
        with temporary.open("x", encoding="utf-8", newline="") as file:
            yield file
            sync_file(file)
        publish(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes, folder: Path | None = None) -> None:
    """Writes a small file under its final name in one step; ``folder`` as of `whole_file`."""
    with whole_file(path, folder) as file:
        file.buffer.write(data)


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
