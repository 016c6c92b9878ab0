"""Disks that fill up just when one kind of file is written: `tfrec` with a hook in this process or others.

From the file on whose path matches, either making one fails with ENOSPC, as on a disk without a free block,
or writing to one fails with EFBIG, at whatever moment Python's buffers reach the system.
"""

from __future__ import annotations

import dataclasses
import errno
import os
import re
import resource
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from converting import TFREC, Run, environment, tfrec

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
# What a Python process of ours does first; the mark tells that the disk was full.
_SITECUSTOMIZE = """
import os, sys
sys.path.append({tests!r})
from full_disk import filling
_disk = filling({where!r}, {kind!r}, lambda: os.makedirs({mark!r}, exist_ok=True))
_disk.__enter__()
"""
_watches: list[Callable[[str, Any], None]] = []


@contextmanager
def filling(where: str, kind: str, told: Callable[[], object]) -> Iterator[None]:
    """In this process, the disk is full from the first path on that ``where`` matches, until the end of this.

    Args:
      kind: ``make`` or ``write``.
      told: called when it is.
    """
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def watch(event: str, arguments: Any) -> None:
        path = _path_of(event, arguments, kind)
        if not isinstance(path, str | bytes) or not re.search(where, os.fsdecode(path)):
            return
        told()
        if kind == "make":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        sys.dont_write_bytecode = True  # it would be empty, and read by every later test
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))

    if not _watches:
        sys.addaudithook(_hook)
    _watches[:] = [watch]
    try:
        yield
    finally:
        _watches[:] = [lambda event, arguments: None]
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        sys.dont_write_bytecode = False


def _hook(event: str, arguments: Any) -> None:  # Python never forgets one
    _watches[0](event, arguments)


def _path_of(event: str, arguments: Any, kind: str) -> object:
    """The path that an event makes or, for `write`, opens."""
    if event == "open":
        return arguments[0] if arguments[2] & _WRITING else None
    if kind == "make" and event in ("os.rename", "os.mkdir"):
        return arguments[1 if event == "os.rename" else 0]
    return None


@dataclass(frozen=True)
class FullDisk:
    """Runs `tfrec` with a folder for temporary files of its own.

    Attributes:
      folder: for `tmp`, which is that, and for the hook of processes.
      env: further variables.
    """

    folder: Path
    env: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def temporary(self) -> Path:
        path = self.folder / "tmp"
        path.mkdir(parents=True, exist_ok=True)
        return path

    def run(self, where: str, kind: str, *arguments: object, stdin: bytes | None = None) -> Run:
        """A command, here, for which the disk is full from the first path on that ``where`` matches.

        Args:
          kind: ``make`` or ``write``.
        """
        met: list[bool] = []
        with filling(where, kind, lambda: met.append(True)):
            run = self.run_with_room(*arguments, stdin=stdin)
        assert met, f"no file was made whose path matches {where}"
        return run

    def run_processes(self, where: str, kind: str, *arguments: object) -> Run:
        """The same in a process of its own, for which and for whose workers it is."""
        hook, mark = self.folder / "hook", self.folder / "mark"
        hook.mkdir(parents=True)
        tests = str(Path(__file__).parent)
        (hook / "sitecustomize.py").write_text(
            _SITECUSTOMIZE.format(tests=tests, where=where, kind=kind, mark=str(mark))
        )
        run = tfrec(*arguments, env={**self._environment(), "PYTHONPATH": str(hook)}, command=TFREC)
        assert mark.is_dir(), f"no file was made whose path matches {where}"
        return run

    def run_with_room(self, *arguments: object, stdin: bytes | None = None) -> Run:
        """A command with room enough."""
        return tfrec(*arguments, stdin=stdin, env=self._environment())

    def _environment(self) -> dict[str, str]:
        return {**environment(), **self.env, "TMPDIR": str(self.temporary)}
