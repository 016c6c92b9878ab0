"""Progress of workers that nobody hears, from the done records that they leave."""

from __future__ import annotations

import contextlib
import threading
import time

from tfrecordcli.dataset.shard_info import load_done_record
from tfrecordcli.errors import TfrecError
from tfrecordcli.runners.runner import OnProgress
from tfrecordcli.storage.store_path import Place
from tfrecordcli.workdir.workspace import Workspace

# Seconds between looks; a look at very many records takes at most this share of the time.
_EVERY = 1.0
_SHARE = 0.05


class Watch:
    """Counts new done records in the background; a context manager.

    Attributes:
      is_stopped: whether the callback asked to stop; the workers were told then.
    """

    def __init__(self, workspace: Workspace, on_progress: OnProgress) -> None:
        self._workspace = workspace
        self._on_progress = on_progress
        self._seen = set(_names(workspace.done))
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look_now_and_then, daemon=True)
        self.is_stopped = False

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._end.set()
        self._thread.join()

    def _look_now_and_then(self) -> None:
        pause = _EVERY
        while not self._end.wait(pause):
            began = time.monotonic()
            # What ails a store shows in the work itself; the next look counts what this one missed.
            with contextlib.suppress(TfrecError, OSError):
                self.look()
            # A shard can take long: who tells of the progress knows that it goes on.
            self._on_progress(0, 0, 0)
            pause = max(_EVERY, (time.monotonic() - began) / _SHARE)

    def look(self) -> int:
        """Looks now; returns how many done records there are."""
        with self._lock:
            for name in sorted(_names(self._workspace.done) - self._seen):
                self._seen.add(name)
                info = load_done_record(self._workspace.done / name)
                if info is not None and self._on_progress(info.planned, len(info.rejects), info.bytes_read):
                    self.is_stopped = True
                    self._workspace.stop.write_bytes(b"")
            return len(self._seen)


def _names(folder: Place) -> set[str]:
    """The done records that stand in a folder."""
    return {path.name for path in folder.iterdir() if not path.name.endswith(".tmp")}
