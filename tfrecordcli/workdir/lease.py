"""Who is at work in an output directory on a store: an object that says so, renewed while the run lives.

Stores have no locks. They can write an object only if there is none of its name, which is enough for one
run to be first: `leased`. Those who only make shards have an object each, and any number of them may be:
`shared_lease`. Each kind writes its own object before it looks for those of the other, so at least one of
the two sees the other. A run that dies leaves its object; when that was not renewed for a while, by the
store's own clock, the next run takes over. Should two runs ever work at the same time all the same, they
write the same bytes under the same names.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from tfrecordcli.errors import BusyError, TfrecError
from tfrecordcli.processes import start_thread
from tfrecordcli.storage.store_path import StorePath
from tfrecordcli.storage.writing import writing_to
from tfrecordcli.workdir.lock_object import OURS, give_up, holder_of, need_free, take

RENEWED_EVERY: Final = 30.0  # seconds
_SECONDS_FOR_RENEWAL: Final = 5.0  # that the end of a run waits for
_SHARERS: Final = "sharers"


class Lease:
    """The right to work in a folder.

    Attributes:
      warnings: what the account may not do.
    """

    def __init__(self, work: StorePath, lock: StorePath, run: str) -> None:
        self._work = work
        self._path = lock
        self._run = run
        self._ended = threading.Event()
        self._is_lost = False
        self._keeper: threading.Thread | None = None
        self.warnings: tuple[str, ...] = ()

    def check(self) -> None:
        """Sees that no other run has taken over.

        Raises:
          BusyError: one has, because this one seemed dead.
        """
        if self._is_lost:
            raise BusyError(f"{self._work.parent}: another run has taken over", "let that one finish")

    def text(self) -> bytes:
        """Content of the lock object."""
        holder = {"run": self._run, "host": os.uname().nodename, "process": os.getpid()}
        return json.dumps(holder).encode()

    def keep(self) -> None:
        """Renews the lease until it ends; runs in a thread of its own."""
        while not self._ended.wait(RENEWED_EVERY):
            # What ails the store shows in the work itself.
            with contextlib.suppress(TfrecError, OSError):
                if holder_of(self._path).get("run") != self._run:
                    self._is_lost = True
                    return
                self._path.write_bytes(self.text())
                if self._ended.is_set():  # the store was slower than the end of the run
                    give_up(self._path)

    def end(self) -> None:
        """Gives the folder free; a renewal that is under way must not come after that."""
        self._ended.set()
        if self._keeper is not None:
            self._keeper.join(_SECONDS_FOR_RENEWAL)
        OURS.discard(self._run)
        with contextlib.suppress(TfrecError, OSError):
            if not self._is_lost:
                give_up(self._path)

    @contextlib.contextmanager
    def held(self) -> Iterator[Lease]:
        """Keeps it until the block ends."""
        OURS.add(self._run)
        self._keeper = start_thread(self.keep, name="tfrec-lease")
        try:
            yield self
        finally:
            self.end()


@contextlib.contextmanager
def leased(work: StorePath) -> Iterator[Lease]:
    """Holds the lease of a work folder.

    Raises:
      OutputError: the account may not write here.
      BusyError: another run holds it, or shards are being made.
    """
    run = uuid.uuid4().hex
    lease = Lease(work, work / "lock", run)
    now, lease.warnings = _probe(work, run)
    _need_no_sharers(work, now)  # who comes too early does not get in the way of those who begin now
    take(work / "lock", lease.text(), now)
    with lease.held():
        _need_no_sharers(work, now)
        yield lease


@contextlib.contextmanager
def shared_lease(work: StorePath) -> Iterator[Lease]:
    """Holds one of any number of leases of a work folder, for those who only make shards.

    Raises:
      OutputError: the account may not write here.
      BusyError: a run holds the folder for itself.
    """
    run = uuid.uuid4().hex
    lease = Lease(work, work / _SHARERS / run, run)
    try:
        with writing_to(work.parent):
            (work / _SHARERS / run).write_bytes(lease.text())
            now = (work / _SHARERS / run).info().written
    except BaseException:
        lease.end()  # the answer to a request that was carried out may have been lost
        raise
    with lease.held():
        need_free(work / "lock", now)
        yield lease


def _need_no_sharers(work: StorePath, now: datetime) -> None:
    """Sees that nobody makes shards, and removes what dead makers left.

    Raises:
      BusyError: somebody does.
    """
    for sharer in list((work / _SHARERS).iterdir()):
        need_free(sharer, now)
        with contextlib.suppress(PermissionError):
            sharer.unlink()


def _probe(work: StorePath, run: str) -> tuple[datetime, tuple[str, ...]]:
    """Writes an object and removes it: the time by the store's clock, and what the account may not do."""
    probe = work / f"probe-{run}"
    with writing_to(work.parent):
        probe.write_bytes(b"tfrec\n")
        now = probe.info().written
    try:
        probe.unlink()
    except PermissionError:
        return now, (f"this account may not delete: remove {work} when the dataset is complete",)
    return now, ()
