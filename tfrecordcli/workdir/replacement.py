"""A finished dataset replaced by a new one: at every moment one of them is whole, and is found.

Its journal says which files of the old dataset go, and which of the new one come. It stands in the folder
that it is about, which may come from anybody: names in it are believed where tfrec could have written them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tfrecordcli.dataset.checksummed_json import crc32c_of
from tfrecordcli.dataset.finished_files import belongs
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.manifest_file import DamagedManifest, load_manifest
from tfrecordcli.errors import BusyError, OutputError
from tfrecordcli.formats.typed_json import from_json, to_json
from tfrecordcli.naming import MANIFEST, WORK_DIR, is_dataset_file
from tfrecordcli.storage.scratch import FULL
from tfrecordcli.storage.store_path import Place, StorePath, file_names, place_of, why_not_read
from tfrecordcli.storage.writing import move, sync_folder, write_whole, writing_to
from tfrecordcli.workdir.workspace import NEW_DATASET, Workspace, locked

JOURNAL_FILE: Final = "roll.json"


def check_strangers(output: Place, manifest: Manifest | None) -> None:
    """Refuses to replace a dataset beside which files stand that are called like its own.

    Raises:
      OutputError
    """
    names = sorted(path.name for path in output.iterdir())
    foreign = [name for name in names if is_dataset_file(name) and not belongs(name, manifest)]
    if foreign:
        raise OutputError(
            f"{output}: holds files that are none of its dataset ({', '.join(foreign[:3])})",
            "move them away or choose another output directory",
        )


@dataclass(frozen=True, slots=True)
class Journal:
    """Names of files right in the output directory: those that go, and those that come from `NEW_DATASET`."""

    remove: Sequence[str]
    add: Sequence[str]


def load_journal(work: Place) -> Journal | None:
    """The journal in a work folder, or None when no replacement was begun.

    Raises:
      OutputError: a file of that name that tfrec did not write as it is; it is not to be followed.
    """
    path = work / JOURNAL_FILE
    try:
        if isinstance(path, Path) and path.exists() and not path.is_file():
            raise _damaged(path, "it is no regular file")
        journal = from_json(Journal, path.read_bytes())
    except FileNotFoundError:  # whoever was at work finished meanwhile
        return None
    except OSError as error:
        what, hint = why_not_read(path, error)
        raise OutputError(f"{path}: {what}", hint) from error
    except ValueError as error:
        raise _damaged(path, f"it is cut or was edited ({error})") from error
    for name in (*journal.remove, *journal.add):
        if not is_dataset_file(name):
            raise _damaged(path, f"it names {ascii(name)[:100]}, which is no file of a dataset")
    new = work / NEW_DATASET
    if isinstance(new, Path) and new.is_symlink():
        raise _damaged(path, f"{NEW_DATASET} beside it is a link to another folder")
    return journal


def _damaged(path: Place, what: str) -> OutputError:
    return OutputError(
        f"{path}: this is no journal of a replacement that tfrec wrote: {what}",
        "remove it and run the same command again; where files are missing then, convert with --overwrite",
    )


def roll_forward(output: Place) -> None:
    """Finishes a replacement that was begun: new files in, the manifest last of them, then old ones out.

    Every step can be done again, so a crash in between costs nothing: the next command goes on.

    Raises:
      OutputError: what says which files is not as tfrec wrote it; nothing is touched.
    """
    work = output / WORK_DIR
    journal = load_journal(work)
    if journal is None:
        return
    for name in sorted(journal.add, key=lambda name: name == MANIFEST):
        with _replacing(output / name), contextlib.suppress(FileNotFoundError):
            move(work / NEW_DATASET / name, output / name)
    for name in journal.remove:
        with _replacing(output / name):
            (output / name).unlink(missing_ok=True)
    if isinstance(output, Path):
        sync_folder(output)
    (work / JOURNAL_FILE).unlink()


@contextlib.contextmanager
def _replacing(place: Place) -> Iterator[None]:
    """Names the file that is in the way of a replacement."""
    try:
        yield
    except (FileNotFoundError, FileExistsError):
        raise
    except OSError as error:
        if error.errno in FULL:
            raise
        raise OutputError(
            f"{place}: cannot be replaced or removed ({error.strerror})",
            "see its permissions and attributes (lsattr); the same command goes on with the replacement",
        ) from error


def finish_replacement(output: str | os.PathLike[str]) -> None:
    """What a reader does first: goes on with a replacement in which a run died.

    Raises:
      BusyError: the run is alive.
      OutputError: this account may not write, or what says which files is not as tfrec wrote it.
    """
    place = place_of(output)
    try:
        begun = _is_begun(place / WORK_DIR)
    except (PermissionError, FileNotFoundError):  # what cannot be read shows later
        return
    if not begun or load_journal(place / WORK_DIR) is None:
        return
    try:
        with locked(place / WORK_DIR), writing_to(place):
            roll_forward(place)
    except OutputError as error:
        raise OutputError(
            f"{place}: its replacement was cut off, and going on with it failed: {error.message}",
            "run tfrec verify on it once from the account that converted it",
        ) from error


@contextlib.contextmanager
def one_dataset(path: str | os.PathLike[str]) -> Iterator[None]:
    """What is read in this block is of one dataset, or the block ends with an error that says otherwise.

    Args:
      path: of the dataset, or of a file in it. A replacement in which a run died is finished first.

    Raises:
      BusyError: it is being replaced, or was meanwhile.
      OutputError: as of `finish_replacement`.
    """
    finish_replacement(path)
    place = place_of(path)
    folder = place.parent if _is_file(place) else place
    before = _checksum_of_manifest(folder)
    if _is_at_work(folder):
        raise BusyError(f"{folder}: it is being replaced at this moment", "run it again when that has ended")
    try:
        yield
    except Exception:  # what TensorFlow makes of files that are gone, too
        _need_same(folder, before)
        raise
    _need_same(folder, before)


def _need_same(folder: Place, before: int | None) -> None:
    # In this order: a replacement that begins behind the first look changes nothing that was read.
    if _is_at_work(folder) or _checksum_of_manifest(folder) != before:
        raise BusyError(f"{folder}: the dataset was replaced while it was read", "run it again")


def _is_at_work(folder: Place) -> bool:
    try:
        return _is_begun(folder / WORK_DIR)
    except (PermissionError, FileNotFoundError):
        return False


def _checksum_of_manifest(folder: Place) -> int | None:
    """What tells one dataset from another; None where there is no manifest, or none that can be read."""
    path = folder / MANIFEST
    try:
        return crc32c_of(path) if _is_file(path) else None
    except (FileNotFoundError, PermissionError):
        return None


def _is_file(place: Place) -> bool:
    try:
        return place.is_file()
    except (FileNotFoundError, PermissionError):
        return False


def _is_begun(work: Place) -> bool:
    """On a store by its listing, which a web server in its place does not have."""
    if isinstance(work, StorePath):
        return JOURNAL_FILE in file_names(work)
    return (work / JOURNAL_FILE).is_file()


def replace_dataset(workspace: Workspace) -> None:
    """Puts the complete dataset in ``new`` in the place of the old one."""
    # What else a machine leaves in any folder (.DS_Store, say) is none of the dataset.
    add = sorted(path.name for path in workspace.target.iterdir() if is_dataset_file(path.name))
    try:
        manifest = load_manifest(workspace.output, label_counts=False)
    except DamagedManifest:
        manifest = None
    old = [path.name for path in workspace.output.iterdir() if belongs(path.name, manifest)]
    if isinstance(workspace.target, Path):
        sync_folder(workspace.target)
    journal = Journal(sorted(set(old) - set(add)), add)  # which is rolled forward from here on
    write_whole(workspace.work / JOURNAL_FILE, to_json(journal).encode())
    roll_forward(workspace.output)
