"""Folders for temporary files outside any output directory; what a killed run left is cleared up here."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PREFIX: Final = "tfrec-scratch-"
_NAME: Final = re.compile(re.escape(_PREFIX) + "[a-z0-9_]{8}")
# Stands in each of them: a folder that a user calls so by chance is not ours to remove.
_MARK: Final = ".tfrec-scratch"


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder that is gone afterwards; if this process is killed, the next one removes it."""
    _clear_up()
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
