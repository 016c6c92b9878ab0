"""How tfrec starts Python processes of its own, and how many cores this one may use."""

from __future__ import annotations

import errno
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tfrecordcli.errors import InternalError, ResourceError

# The package's parent comes last on the path: it must never hide the standard library.
_BOOTSTRAP = "import sys; sys.path.append(sys.argv[1]); import {module} as m; m.main()"

# How a process dies of a fault in native code. Never KILL: that is the out-of-memory killer, and no
# row must pay for it.
CRASH_SIGNALS: Final = frozenset(
    (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)
)
# How a process dies that was stopped from outside: by SIGKILL, or, before it could ignore them, by a
# signal to its whole process group.
KILL_SIGNALS: Final = frozenset((signal.SIGKILL, signal.SIGTERM, signal.SIGINT))

_WORKER_ENVIRONMENT = {
    # NumPy's linear algebra would start a pool of threads that no worker uses.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    # glibc: keep freed image buffers. Giving their pages back and asking for them again costs more
    # than all of our own work on a 100 KB photo (mallopt(3): M_TOP_PAD, M_TRIM_THRESHOLD, M_MMAP_THRESHOLD).
    "MALLOC_TOP_PAD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(128 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
}

# Bytes of addresses that a thread takes as it starts: its stack, and a little.
_ROOM_OF_A_THREAD: Final = 9 << 20

# What Python, the dynamic linker and libraries say when there is too little memory to begin or go on.
_SIGNS_OF_NO_MEMORY: Final = (
    "MemoryError",
    "failed to map segment",
    "annot allocate memory",
    "emory allocation",
    "can't start new thread",
    "std::bad_alloc",
)
# What CPython 3.11 says where it finds no room within an import; elsewhere it is a bug of somebody's.
_SIGN_UNDER_A_LIMIT: Final = "SystemError: error return without exception set"

_CGROUP = Path("/sys/fs/cgroup")


def python_command(module: str) -> list[str]:
    """The command that runs ``main()`` of a module of this very package in a fresh interpreter.

    A fresh interpreter rather than fork or multiprocessing: forking a process with threads (a
    notebook, TensorFlow) deadlocks, and multiprocessing's spawn runs the user's script again.
    """
    if not sys.executable:
        raise InternalError("Python does not know where its own interpreter is (sys.executable is empty)")
    parent = str(Path(__file__).resolve().parent.parent)
    # -P: a file `csv.py` in the user's folder must not become a module of ours.
    return [sys.executable, "-P", "-c", _BOOTSTRAP.format(module=module), parent]


def start_python(module: str, **how: Any) -> subprocess.Popen[Any]:
    """A process that runs ``main()`` of a module of this package as a worker.

    Args:
      **how: streams and encoding, as `subprocess.Popen` takes them.

    Raises:
      ResourceError: the machine does not let it start; no output is to blame.
    """
    try:
        return subprocess.Popen(python_command(module), env=worker_environment(), **how)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise  # as wherever a file is opened
        hint = f"see the permissions of {sys.executable}, and the limit of processes (ulimit -u)"
        raise ResourceError(f"a worker process cannot be started: {error.strerror}", hint) from error


def worker_environment() -> dict[str, str]:
    """Environment of a worker: what was set by the user stays."""
    return {**_WORKER_ENVIRONMENT, **os.environ, "PYTHONUTF8": "1"}


def has_current_directory() -> bool:
    """Whether relative paths lead anywhere: a folder that was deleted is still that of its processes."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def is_short_of_memory(words: str) -> bool:
    """Whether the end of a process's stderr, or an error's text, tells of too little memory."""
    if any(sign in words for sign in _SIGNS_OF_NO_MEMORY):
        return True
    return _SIGN_UNDER_A_LIMIT in words and _has_limit()


def _has_limit() -> bool:
    """Whether addresses of this process are limited (ulimit -v)."""
    import resource  # not on every system

    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def leave_signals_to_parent() -> None:
    """Ignores what reaches a whole process group (Ctrl-C, a scheduler's SIGTERM): the parent decides.

    A process whose parent is gone notices that by its standard input.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def available_cores(cgroup: Path = _CGROUP, own_groups: Path = Path("/proc/self/cgroup")) -> int:
    """Cores by affinity and by the container's CPU quota, whichever is less; at least 1."""
    has_affinity = hasattr(os, "sched_getaffinity")  # not on macOS
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    quota = _quota(cgroup, own_groups)
    return max(1, min(cores, math.ceil(quota)) if quota else cores)


def _quota(root: Path, own_groups: Path) -> float | None:
    """Cores that the cgroup grants, the least of this group and those above it; None: no limit."""
    quotas = [_quota_v1(root / "cpu")]
    for line in _read(own_groups).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            quotas += map(_quota_v2, _with_parents(root, path))
        elif "cpu" in controllers.split(","):
            quotas += map(_quota_v1, _with_parents(root / "cpu", path))
    return min((quota for quota in quotas if quota), default=None)


def _with_parents(root: Path, path: str) -> Iterator[Path]:
    """The folder of a group and those above it, up to ``root``."""
    group = root / path.lstrip("/")
    while group.is_relative_to(root):
        yield group
        group = group.parent


def _quota_v2(group: Path) -> float | None:
    """cpu.max of cgroup v2: `<quota> <period>` in microseconds, or `max <period>`."""
    quota, _, period = _read(group / "cpu.max").partition(" ")
    return int(quota) / int(period) if quota.isdecimal() and period.strip().isdecimal() else None


def _quota_v1(group: Path) -> float | None:
    """cpu.cfs_quota_us of cgroup v1: -1 means no limit."""
    quota = _read(group / "cpu.cfs_quota_us").strip()
    period = _read(group / "cpu.cfs_period_us").strip()
    return int(quota) / int(period) if quota.isdecimal() and period.isdecimal() else None


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def start_thread(target: Callable[..., object], *arguments: object, name: str = "tfrec") -> threading.Thread:
    """A daemon thread that has started.

    Raises:
      MemoryError: there is no room for it. `Thread.start` alone waits for ever for one that ends in its first
        lines for want of memory.
    """
    bytearray(_ROOM_OF_A_THREAD)  # asked for and given back, untouched
    thread = threading.Thread(target=target, args=arguments, name=name, daemon=True)
    thread.start()
    return thread
