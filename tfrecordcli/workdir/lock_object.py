"""An object on a store that says which process is at work: whether it lives, and who may take its place."""

from __future__ import annotations

import json
import os
from datetime import datetime
from typing import Any, Final

from tfrecordcli.errors import BusyError
from tfrecordcli.naming import WORK_DIR
from tfrecordcli.storage.store_path import StorePath

STALE_AFTER: Final = 180.0  # seconds without a renewal

_NOBODY: Final = "given_up"

# Runs of this very process, which has one process id for all of them.
OURS: Final[set[str]] = set()


def need_free(lock: StorePath, now: datetime) -> None:
    """Sees that no living run holds a lock.

    Raises:
      BusyError: one does.
    """
    holder = holder_of(lock)
    try:
        age = (now - lock.info().written).total_seconds()
    except FileNotFoundError:
        return
    if age < STALE_AFTER and not _is_dead(holder):
        raise _busy(lock, holder, age)


def take(lock: StorePath, text: bytes, now: datetime) -> None:
    """Writes a lock that nobody living holds.

    Args:
      text: what it says from then on.
      now: by the store's clock.

    Raises:
      BusyError: somebody holds it.
    """
    for _ in range(2):
        if lock.store.create(lock.key, text):
            return
        need_free(lock, now)
        try:
            lock.unlink()
        except PermissionError:
            lock.write_bytes(text)
            return
    raise BusyError(f"{lock.parent.parent}: another run began here just now", "wait for it to end")


def give_up(lock: StorePath) -> None:
    """Removes a lock, or writes into it that nobody holds it, for an account that may not remove it."""
    try:
        lock.unlink()
    except PermissionError:
        lock.write_bytes(json.dumps({_NOBODY: True}).encode())


def holder_of(lock: StorePath) -> dict[str, Any]:
    """What a lock says; nothing when it is not there."""
    try:
        values = json.loads(lock.read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _is_dead(holder: dict[str, Any]) -> bool:
    """Whether the holder is none any more, or was a process of this machine that is gone."""
    if holder.get(_NOBODY):
        return True
    process = holder.get("process")
    if holder.get("host") != os.uname().nodename or not isinstance(process, int):
        return False
    if process == os.getpid():
        return holder.get("run") not in OURS
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


def _busy(lock: StorePath, holder: dict[str, Any], age: float) -> BusyError:
    who = f"process {holder.get('process')} on {holder.get('host')}, {max(age, 0):.0f} s ago"
    return BusyError(
        f"{str(lock).rpartition(f'/{WORK_DIR}/')[0]}: another run is at work here ({who})",
        f"wait for it to end; if it is dead, wait {STALE_AFTER:.0f} s or remove {lock}",
    )
