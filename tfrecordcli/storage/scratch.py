"""Temporary files outside any output directory; what a killed run left is cleared up here."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tfrecordcli.errors import ResourceError

FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_PREFIX: Final = "tfrec-scratch-"
_NAME: Final = re.compile(re.escape(_PREFIX) + "[a-z0-9_]{8}")
# Stands in each of them: a folder that a user calls so by chance is not ours to remove.
_MARK: Final = ".tfrec-scratch"


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder that is gone afterwards; if this process is killed, the next one removes it.

    Raises:
      ResourceError: there is nowhere to put it.
    """
    _clear_up()
    with writing_scratch():
        folder, descriptor = _make()
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):
            _remove(folder)
        os.close(descriptor)


def _make() -> tuple[Path, int]:
    """A folder, and a descriptor that holds the lock on it while this process lives."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=scratch_parent()))
        descriptor = -1
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            (folder / _MARK).touch()
            return folder, descriptor
        except FileNotFoundError:  # another process took it for one that was left behind
            if descriptor >= 0:
                os.close(descriptor)


def scratch_parent() -> str:
    """`tempfile.gettempdir`, but for its trial of the folder with a file, which can outlive a kill."""
    folder = tempfile.tempdir or os.environ.get("TMPDIR") or "/tmp"
    return folder if os.access(folder, os.W_OK | os.X_OK) else tempfile.gettempdir()


@contextlib.contextmanager
def writing_scratch() -> Iterator[None]:
    """Turns the operating system's refusals while temporary files are made into errors with a hint."""
    try:
        yield
    except OSError as error:
        raise scratch_error(error) from error


def is_scratch(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a `scratch_folder`, or in one."""
    return any(_NAME.fullmatch(part) for part in Path(path).parts)


def scratch_error(error: OSError, folder: str | Path = "", need: str = "") -> ResourceError:
    """What to tell when temporary files cannot be made; no other file is at fault.

    Args:
      folder: that they were to be in; that of the system, or of TMPDIR, when left out.
      need: how much room they take, as a sentence ends.
    """
    if not folder:
        try:
            folder = scratch_parent()
        except OSError:  # Python tried all that it knows
            folder = os.environ.get("TMPDIR") or "/tmp"
    if error.errno in (*FULL, errno.EFBIG):
        hint = f"set TMPDIR to a folder with more room{need}; then run the same command again"
        return ResourceError(f"temporary files in {folder}: there is no space left", hint, code="no_space")
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return ResourceError("too many open files", "raise the limit (ulimit -n) or use fewer --workers")
    return ResourceError(
        f"temporary files in {folder}: none can be made there ({error.strerror or error})",
        "set TMPDIR to a folder that may be written to; then run the same command again",
    )


def _clear_up() -> None:
    with contextlib.suppress(OSError), os.scandir(scratch_parent()) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_if_left(Path(entry.path))


def _remove_if_left(folder: Path) -> None:
    """Removes a scratch folder of this user whose process is dead."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_uid == os.geteuid():
            _remove(folder)
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> None:
    """Removes what is in a marked folder, then the mark, then the folder; of others only empty ones."""
    if (folder / _MARK).exists():
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != _MARK:
                path.unlink()
        (folder / _MARK).unlink()
    folder.rmdir()
