"""Writing files that are there whole or not at all.

Locally: a temporary name, fsync, rename. On a store: a local file, then one upload, which appears when
it is complete.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, TextIO

from tfrecordcli.errors import OutageError, OutputError, ResourceError, TfrecError
from tfrecordcli.storage.network import map_ahead
from tfrecordcli.storage.scratch import FULL, is_scratch, scratch_error, scratch_parent, writing_scratch
from tfrecordcli.storage.store_path import Place, StorePath
from tfrecordcli.storage.stores import hint_of
from tfrecordcli.storage.uris import is_on_store

_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_OF_MACHINE = "see that its disk and network are right, then run the same command again"
_WAYS_OUT = {
    errno.ENOENT: "it was removed or moved meanwhile: run the same command again",
    errno.EBUSY: _OF_MACHINE,
    errno.EIO: _OF_MACHINE,
    errno.ESTALE: _OF_MACHINE,
}


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
def whole_file(path: Place, folder: Path | None = None) -> Iterator[TextIO]:
    """A UTF-8 text file that appears under its final name when the block ends without an error.

    Args:
      path: its final name.
      folder: for the temporary file, on the same file system; beside the final one when left out. For a
        store the machine's folder for temporary files is taken.

    Raises:
      what `write_error` makes of the system's refusals.
    """
    beside = path.parent if isinstance(path, Path) else Path()
    with writing_to(path.parent), Draft(path, attempt_path((folder or beside) / path.name)) as draft:
        with draft.path.open("w", encoding="utf-8", newline="") as file:
            draft.forget_name()
            yield file
            sync_file(file)
        draft.publish()


def write_whole(path: Place, data: bytes, folder: Path | None = None) -> None:
    """Writes a small file under its final name in one step; arguments and errors as of `whole_file`."""
    if isinstance(path, StorePath):
        with writing_to(path.parent):
            path.write_bytes(data)
        return
    with whole_file(path, folder) as file:
        file.buffer.write(data)


class Draft:
    """A file being made, which gets its final name when it is whole; a context manager.

    For a store it is in the machine's folder for temporary files, and loses its name there as soon as
    it is open: however the process ends, nothing is left.

    Attributes:
      path: of the file to be written.
    """

    def __init__(self, final: Place, temporary: Path) -> None:
        self._final = final
        self._reader: IO[bytes] | None = None
        self.path = temporary
        if isinstance(final, StorePath):
            with writing_scratch():
                descriptor, name = tempfile.mkstemp(prefix="tfrec-", dir=scratch_parent())
            self._reader = os.fdopen(descriptor, "rb")
            self.path = Path(name)

    def forget_name(self) -> None:
        """To be called when the writer has opened `path`."""
        if self._reader is not None:
            self.path.unlink(missing_ok=True)

    def publish(self) -> None:
        """Gives the file, which is written and synced, its final name.

        Raises:
          OutageError: the store holds another number of bytes than were sent.
        """
        if isinstance(self._final, StorePath):
            assert self._reader is not None
            upload(self._reader, self._final)
        else:
            publish(self.path, self._final)

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, *_: object) -> None:
        if self._reader is not None:
            self._reader.close()
        self.path.unlink(missing_ok=True)  # on a full disk an attempt that failed must not keep its part


def upload(file: IO[bytes], path: StorePath) -> None:
    """Writes an object of an open file's content, and sees that it has as many bytes.

    Raises:
      OutageError: it has not.
    """
    file.seek(0)
    path.store.put_file(path.key, file)
    size = os.fstat(file.fileno()).st_size
    if path.info().size != size:
        raise OutageError(
            f"{path}: the store holds another number of bytes than the {size} that were sent",
            "does somebody else write there? The same command continues",
        )


def upload_folder(folder: Path, target: StorePath, last: str) -> None:
    """Writes every file below a local folder to a store, the one named ``last`` after all others."""
    names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.is_file()]

    def send(name: str) -> None:
        with (folder / name).open("rb") as file:
            upload(file, target / name)

    for _ in map_ahead(send, (name for name in names if name != last)):
        pass
    send(last)


def move(path: Place, target: Place) -> None:
    """Gives a file another name, within a file system or a bucket.

    Raises:
      FileNotFoundError: it is not there (any more).
    """
    if isinstance(path, StorePath) and isinstance(target, StorePath):
        path.store.copy(path.key, target.key)
        path.unlink()
    else:
        os.replace(path, target)


def remove_tree(place: Place, last: str = "") -> None:
    """Removes all that is below a folder, and the file right in it whose path ends in ``last`` at the end.

    What may not be removed stays; of a link to a folder only the link is removed.
    """
    if not isinstance(place, StorePath):
        if place.is_symlink():
            with contextlib.suppress(OSError):
                place.unlink()
            return
        with contextlib.suppress(OSError):
            for path in list(place.iterdir()):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                elif not (last and str(path).endswith(last)):
                    path.unlink()
        shutil.rmtree(place, ignore_errors=True)
        return
    found = [StorePath(place.scheme, place.bucket, info.key) for info in place.store.below(place.key)]
    remove_files(path for path in found if not (last and path.key.endswith(last)))
    remove_files(path for path in found if last and path.key.endswith(last))


def remove_files(paths: Iterable[Place]) -> None:
    """Removes files; those on a store that this account may not remove stay."""
    for _ in map_ahead(_remove, paths):
        pass


def _remove(path: Place) -> None:
    try:
        path.unlink()
    except PermissionError:
        if not isinstance(path, StorePath):
            raise


@contextlib.contextmanager
def writing_to(folder: str | Place) -> Iterator[None]:
    """Turns the operating system's refusals while writing into errors with a hint."""
    try:
        yield
    except OSError as error:
        raise write_error(error, folder) from error


def write_error(error: OSError, folder: str | Place) -> TfrecError:
    """The error for a write that failed in ``folder``, or among the temporary files for it."""
    # A store that refuses names its object; else a file on this machine is in the way.
    names_object = isinstance(error.filename, str) and is_on_store(error.filename)
    if is_scratch(folder) or (isinstance(folder, StorePath) and not names_object):
        return scratch_error(error)
    if error.errno in FULL:
        return ResourceError(
            f"{folder}: no space left on the disk",
            "free some space and run the same command again",
            code="no_space",
        )
    if error.errno == errno.EFBIG:
        return ResourceError(
            f"{folder}: a file would be larger than this process may make one",
            "raise the limit (ulimit -f), or lower --shard-size",
            code="no_space",
        )
    if isinstance(folder, StorePath) and error.errno == errno.EACCES:
        return OutputError(
            f"{folder}: this account may not list, read and write here", hint_of(folder.scheme)
        )
    if isinstance(folder, StorePath) and error.errno == errno.ENOENT:
        return OutputError(f"{folder}: there is no such bucket", "make it, or see its name")
    if error.errno == errno.ENAMETOOLONG:
        return OutputError(f"{folder}: the file system takes no name as long as that", "choose a shorter one")
    if error.errno in _FORBIDDEN:
        return OutputError(f"{folder}: no permission to write here", "choose another output directory")
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return ResourceError("too many open files", "raise the limit (ulimit -n) or use fewer --workers")
    hint = _WAYS_OUT.get(error.errno or 0, "choose another output directory")
    return OutputError(f"{folder}: cannot write here ({error.strerror})", hint)
