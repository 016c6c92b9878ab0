"""Who is at work in an output directory on a store: an object that says so, renewed while the run lives.

Stores have no locks. They can write an object only if there is none of its name, which is enough for one
run to be first. A run that dies leaves its object; when that was not renewed for a while, by the
store's own clock, the next run takes over. Should two runs ever work at the same time all the same, they
write the same bytes under the same names.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from tfrecordcli.errors import BusyError, OutputError, TfrecError
from tfrecordcli.storage.store import cure_of
from tfrecordcli.storage.store_path import StorePath

RENEWED_EVERY: Final = 30.0  # seconds
STALE_AFTER: Final = 180.0  # seconds without a renewal

# Runs of this very process, which has one process id for all of them.
_OURS: Final[set[str]] = set()


class Lease:
    """The right to work in a folder.

    Attributes:
      warnings: what the account may not do.
    """

    def __init__(self, work: StorePath, run: str) -> None:
        self._path = work / "lock"
        self._run = run
        self._ended = threading.Event()
        self._is_lost = False
        self.warnings: tuple[str, ...] = ()

    def check(self) -> None:
        """Sees that no other run has taken over.

        Raises:
          BusyError: one has, because this one seemed dead.
        """
        if self._is_lost:
            raise BusyError(f"{self._path.parent.parent}: another run has taken over", "let that one finish")

    def text(self) -> bytes:
        """Content of the lock object."""
        holder = {"run": self._run, "host": socket.gethostname(), "process": os.getpid()}
        return json.dumps(holder).encode()

    def keep(self) -> None:
        """Renews the lease until it ends; runs in a thread of its own."""
        while not self._ended.wait(RENEWED_EVERY):
            # What ails the store shows in the work itself.
            with contextlib.suppress(TfrecError, OSError):
                if _holder(self._path).get("run") != self._run:
                    self._is_lost = True
                    return
                self._path.write_bytes(self.text())

    def end(self) -> None:
        """Gives the folder free."""
        self._ended.set()
        with contextlib.suppress(TfrecError, OSError):
            if not self._is_lost:
                self._path.unlink()


@contextlib.contextmanager
def leased(work: StorePath) -> Iterator[Lease]:
    """Holds the lease of a work folder.

    Raises:
      OutputError: the account may not write here.
      BusyError: another run holds it.
    """
    run = uuid.uuid4().hex
    lease = Lease(work, run)
    now, lease.warnings = _probe(work, run)
    _take(work / "lock", lease.text(), now)
    _OURS.add(run)
    threading.Thread(target=lease.keep, name="tfrec-lease", daemon=True).start()
    try:
        yield lease
    finally:
        lease.end()
        _OURS.discard(run)


def need_free(work: StorePath) -> None:
    """Sees that no run holds the lease of a work folder, for those who only make shards.

    They hold none themselves: any number of them may be at work, and whoever finishes sees what is missing.

    Raises:
      BusyError: a run holds it.
    """
    lock = work / "lock"
    try:
        written = lock.info().written
    except FileNotFoundError:
        return
    holder = _holder(lock)
    age = (datetime.now(UTC) - written).total_seconds()
    if age < STALE_AFTER and not _is_dead(holder):
        raise _busy(lock, holder, age)


def _busy(lock: StorePath, holder: dict[str, Any], age: float) -> BusyError:
    who = f"process {holder.get('process')} on {holder.get('host')}, {max(age, 0):.0f} s ago"
    return BusyError(
        f"{lock.parent.parent}: another run is at work here ({who})",
        f"wait for it to end; if it is dead, wait {STALE_AFTER:.0f} s or remove {lock}",
    )


def _probe(work: StorePath, run: str) -> tuple[datetime, tuple[str, ...]]:
    """Writes an object and removes it: the time by the store's clock, and what the account may not do."""
    probe = work / f"probe-{run}"
    try:
        probe.write_bytes(b"tfrec\n")
        now = probe.info().written
    except FileNotFoundError as error:
        raise OutputError(f"{work.parent}: there is no such bucket", "make it, or see its name") from error
    except PermissionError as error:
        raise OutputError(
            f"{work.parent}: this account may not write and read here", cure_of(work.scheme)
        ) from error
    try:
        probe.unlink()
    except PermissionError:
        return now, (f"this account may not delete: remove {work} when the dataset is complete",)
    return now, ()


def _take(lock: StorePath, text: bytes, now: datetime) -> None:
    for _ in range(2):
        if lock.store.create(lock.key, text):
            return
        holder = _holder(lock)
        try:
            age = (now - lock.info().written).total_seconds()
        except FileNotFoundError:
            continue  # that run ended just now
        if age < STALE_AFTER and not _is_dead(holder):
            raise _busy(lock, holder, age)
        lock.unlink()
    raise BusyError(f"{lock.parent.parent}: another run began here just now", "wait for it to end")


def _holder(lock: StorePath) -> dict[str, Any]:
    try:
        values = json.loads(lock.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}


def _is_dead(holder: dict[str, Any]) -> bool:
    """Whether the holder was a process of this machine that is gone."""
    process = holder.get("process")
    if holder.get("host") != socket.gethostname() or not isinstance(process, int):
        return False
    if process == os.getpid():
        return holder.get("run") not in _OURS
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False
