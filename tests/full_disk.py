"""Disks that fill up just when one kind of file is written: `tfrec` with a hook in each of its processes.

From the file on whose path matches, either making one fails with ENOSPC, as on a disk without a free block,
or writing to one fails with EFBIG, at whatever moment Python's buffers reach the system.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from converting import TFREC, Run, environment, tfrec

_HOOK = """
import errno, os, re, resource, signal, sys

_WHERE = re.compile(os.environ["FULL_WHERE"])
_MARK = os.environ["FULL_MARK"]
_WRITES = os.environ["FULL_KIND"] == "write"
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _watch(event, arguments):
    if event == "open":
        path, _, flags = arguments
        if not flags & _WRITING:
            return
    elif event == "os.rename" and not _WRITES:
        path = arguments[1]
    elif event == "os.mkdir" and not _WRITES:
        path = arguments[0]
    else:
        return
    if not isinstance(path, (str, bytes)) or not _WHERE.search(os.fsdecode(path)):
        return
    try:
        os.mkdir(_MARK)
    except FileExistsError:
        pass
    if _WRITES:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    else:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


sys.addaudithook(_watch)
"""


@dataclass(frozen=True)
class FullDisk:
    """Runs `tfrec` in a folder of its own.

    Attributes:
      folder: for the hook, and `tmp`, the folder for temporary files of its commands.
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
        """A command for which the disk is full from the first path on that ``where`` matches.

        Args:
          kind: ``make`` or ``write``.
        """
        hook = self.folder / "hook"
        hook.mkdir(parents=True, exist_ok=True)
        (hook / "sitecustomize.py").write_text(_HOOK)
        mark = self.folder / "mark"
        settings = {"FULL_WHERE": where, "FULL_KIND": kind, "FULL_MARK": str(mark), "PYTHONPATH": str(hook)}
        run = tfrec(*arguments, stdin=stdin, env=self._environment(**settings), command=TFREC)
        assert mark.is_dir(), f"no file was made whose path matches {where}"
        mark.rmdir()
        return run

    def run_with_room(self, *arguments: object, stdin: bytes | None = None) -> Run:
        """The same with room enough."""
        return tfrec(*arguments, stdin=stdin, env=self._environment(), command=TFREC)

    def _environment(self, **more: str) -> dict[str, str]:
        return {**environment(), **self.env, "TMPDIR": str(self.temporary), **more}
