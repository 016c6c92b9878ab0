"""An output directory while it is worked on: where things are, who is at work, what state it is in.

::

    OUTPUT_DIR/_tfrec/lock        held by the run at work
                      sharers/    on a store: a lease for each process that makes shards
                      plan/       plan.json (last), labels.txt, problems, tasks/<shard>
                      done/       a done record for each finished shard
                      tmp/        shards being written
                      attempts/   what became of attempts whose runner does not see its workers die
                      stop        asks the workers of such a runner to stop
                      new/        a whole new dataset, when a finished one is being replaced
                      roll.json   the journal of that replacement

On a store it is the same, but for tmp/, the plan in the making and shards in the making, which are in
the machine's folder for temporary files, and for the lock, which is a lease.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tfrecordcli.dataset.plan import PLAN_FILE
from tfrecordcli.errors import BusyError, OutputError
from tfrecordcli.naming import MANIFEST, WORK_DIR, is_dataset_file
from tfrecordcli.storage.scratch import scratch_folder
from tfrecordcli.storage.store_path import Place, StorePath
from tfrecordcli.storage.writing import (
    remove_files,
    remove_tree,
    sync_folder,
    upload_folder,
    writing_to,
)
from tfrecordcli.workdir.lease import Lease, leased, shared_lease

NEW_DATASET: Final = "new"  # a folder

# How file systems say that they cannot lock a file; flock(2) knows EINVAL for other operations only.
_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


@dataclass(frozen=True, slots=True)
class Workspace:
    """The places of one output directory.

    Attributes:
      output: the output directory.
      replaces: whether there is a finished dataset, so that the new one is made aside.
      scratch: an existing local folder for what is half-done; None: it is in the output directory.
    """

    output: Place
    replaces: bool = False
    scratch: Path | None = None

    def absolute(self) -> Workspace:
        """The same places by paths that hold in every process."""
        return replace(self, output=self.output.absolute())

    @property
    def work(self) -> Place:
        return self.output / WORK_DIR

    @property
    def plan(self) -> Place:
        return self.work / "plan"

    @property
    def new_plan(self) -> Path:
        """Where a plan is made, before it is adopted."""
        return self._local / "plan.new"

    @property
    def done(self) -> Place:
        return self.work / "done"

    @property
    def temporary(self) -> Path:
        return self._local / "tmp"

    @property
    def _local(self) -> Path:
        """Where half-done files are; a worker without a scratch folder only makes shards, which need none."""
        if self.scratch is not None:
            return self.scratch
        return self.work if isinstance(self.work, Path) else Path(tempfile.gettempdir())

    @property
    def attempts(self) -> Place:
        return self.work / "attempts"

    @property
    def stop(self) -> Place:
        return self.work / "stop"

    @property
    def target(self) -> Place:
        """Where finished files go: the output directory, or the folder beside a dataset in use."""
        return self.work / NEW_DATASET if self.replaces else self.output

    def prepare(self) -> None:
        """Makes the folders, and empties those that hold what a dead run left half-done."""
        for half_done in (self.temporary, self.new_plan):
            shutil.rmtree(half_done, ignore_errors=True)
        if self.stop.exists():
            self.stop.unlink(missing_ok=True)
        for folder in (self.done, self.temporary, self.attempts, self.target, self.new_plan):
            folder.mkdir(parents=True, exist_ok=True)

    def start_over(self) -> None:
        """Removes every trace of an unfinished run, but no file of a finished dataset."""
        if self.plan.exists() and not self.replaces:  # without a plan no file here is ours
            remove_files(path for path in self.output.iterdir() if is_dataset_file(path.name))
        self.forget_plan()
        for folder in (self.done, self.temporary, self.attempts, self.work / NEW_DATASET):
            remove_tree(folder)
            if isinstance(folder, StorePath) and folder.is_dir():  # done records of something else
                raise OutputError(
                    f"{folder}: this account may not delete what an earlier run left",
                    f"remove {self.work}, or choose another output directory",
                )

    def adopt_plan(self) -> None:
        """Gives a plan that is complete its name."""
        if isinstance(self.plan, StorePath):
            upload_folder(self.new_plan, self.plan, last=PLAN_FILE)
        else:
            os.replace(self.new_plan, self.plan)
            sync_folder(self.plan.parent)

    def forget_plan(self) -> None:
        """Gives the plan up in one step: what it stood for is finished, or no longer wanted."""
        shutil.rmtree(self.new_plan, ignore_errors=True)
        if isinstance(self.plan, StorePath):
            # Without the right to delete it stays; a finished dataset of its identity says that it is done.
            with contextlib.suppress(PermissionError):
                (self.plan / PLAN_FILE).unlink()
            remove_tree(self.plan)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.replace(self.plan, self.new_plan)

    def close(self, made: Iterable[Path] = ()) -> None:
        """Removes the work in progress, then those of the folders ``made`` in which nothing else is."""
        remove_tree(self.work, last="/lock")
        with contextlib.suppress(OSError):
            for folder in made:
                folder.rmdir()


def missing_folders(output: Place) -> list[Path]:
    """The output directory and those above it that have to be made, innermost first."""
    if isinstance(output, StorePath):
        return []
    return [folder for folder in (output, *output.parents) if not folder.exists()]


@contextlib.contextmanager
def scratch_for(output: Place) -> Iterator[Path | None]:
    """A local folder for the half-done files of a run that writes to a store; None for a local one."""
    if isinstance(output, Path):
        yield None
        return
    with scratch_folder() as folder:
        yield folder


def check_output_dir(output: Place) -> None:
    """Refuses an output directory in which files of somebody else would mix with ours.

    Raises:
      OutputError
    """
    with writing_to(output):
        if isinstance(output, Path) and not _is_usable(output):
            return
        names = sorted(path.name for path in output.iterdir())
    if MANIFEST in names or WORK_DIR in names:
        return
    foreign = [name for name in names if is_dataset_file(name)]
    if foreign:
        raise OutputError(
            f"{output}: holds files of a dataset, but no manifest ({', '.join(foreign[:3])})",
            "move them away or choose another output directory",
        )


def _is_usable(output: Path) -> bool:
    """Whether a folder is there; False when it has to be made."""
    work = output / WORK_DIR
    for path in (output, work):
        if path.is_symlink() and not path.exists():
            raise OutputError(f"{path}: a link that leads nowhere", "remove it, or make what it links to")
        if path.exists() and not path.is_dir():
            raise OutputError(f"{path}: a file is in the way", "choose another output directory")
    for path in work.iterdir() if work.exists() else ():
        if path.is_symlink():  # what it leads to would be emptied
            raise _is_link(path)
    return output.exists()


@contextlib.contextmanager
def locked(work: Place, *, shared: bool = False) -> Iterator[Lease | None]:
    """Holds the lock of a work folder, which is made when it is not there; on a store a lease of it.

    Args:
      shared: for those who only make shards: any number of them at a time, but nobody else.

    Raises:
      BusyError: another run holds it.
    """
    if isinstance(work, StorePath):
        with shared_lease(work) if shared else leased(work) as lease:
            yield lease
        return
    with writing_to(work.parent):
        descriptor = _take_lock(work, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    try:
        yield None
    finally:
        # What NFS could not write of it shows here, after what this would hide; the lock is gone in any case.
        with contextlib.suppress(OSError):
            os.close(descriptor)


def need_no_run(work: Path) -> None:
    """Sees that nobody is at work in a folder of somebody else, where nothing is written, a lock included.

    Raises:
      BusyError: another run holds its lock.
    """
    path = work / "lock"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return  # none that a run at work would have
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _is_busy(descriptor, path) from None
    except OSError:
        return  # no locks here, or none for a file that is only read (NFS)
    finally:
        os.close(descriptor)


def _take_lock(work: Path, kind: int) -> int:
    path = work / "lock"
    while True:
        work.mkdir(parents=True, exist_ok=True)
        try:
            # Not through a link: what it leads to would be emptied.
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        except FileNotFoundError:
            continue  # the run that ended just now removed the folder
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise _is_link(path) from error
            raise
        try:
            if _locks(descriptor, path, kind):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # locked a file that a finished run had removed meanwhile


def _locks(descriptor: int, path: Path, kind: int) -> bool:
    """Locks an open file and writes into it who does; whether it is still that of its path."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _is_busy(descriptor, path) from None
    except OSError as error:
        if error.errno not in _WITHOUT_LOCKS:
            raise
        raise OutputError(
            f"{path.parents[1]}: this file system has no locks ({error.strerror}), by which runs keep apart",
            "mount it with them (Lustre: -o flock; NFS: no nolock), or write elsewhere and copy the dataset",
        ) from error
    if not _is_file_at(descriptor, path):
        return False
    os.ftruncate(descriptor, 0)
    holder = f"process {os.getpid()} on {os.uname().nodename}"
    os.pwrite(descriptor, holder.encode(errors="backslashreplace"), 0)  # a name may be any bytes
    return True


def _is_busy(descriptor: int, path: Path) -> BusyError:
    holder = os.read(descriptor, 200).decode(errors="replace")
    return BusyError(
        f"{path.parents[1]}: another run is at work here ({holder})",
        "wait for it to end, then run this command again",
    )


def _is_link(path: Path) -> OutputError:
    return OutputError(
        f"{path}: a link, where only what tfrec made belongs", "remove it and run the same command again"
    )


def _is_file_at(descriptor: int, path: Path) -> bool:
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return False
    ours = os.fstat(descriptor)
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)
