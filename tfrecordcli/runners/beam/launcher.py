"""A process that runs a pipeline whose workers are processes of this machine, and dies with any of them.

Beam's runner in several processes can wait for ever for a worker that was killed. This process ends then,
with all of its workers; whoever started it sees what is missing. It ends too when that one is gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

from tfrecordcli.processes import start_python, start_thread
from tfrecordcli.runners.beam.pipeline import build_pipeline
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.workdir.job import Job, open_job

_LAST_WORDS = 4_000


class LauncherDied(Exception):
    """The pipeline did not come to its end; the message is the end of what the processes wrote."""


def run_in_launcher(flags: Sequence[str], job: Job, ranges: Sequence[tuple[int, int]]) -> None:
    """Runs a pipeline in a launcher, whose processes are all gone afterwards.

    Raises:
      LauncherDied: it failed, or a worker died.
    """
    request = {"flags": list(flags), "output": str(job.workspace.absolute().output), "ranges": ranges}
    with tempfile.TemporaryFile() as words:
        process = start_python(
            "tfrecordcli.runners.beam.launcher",
            stdin=subprocess.PIPE,
            stdout=words,
            stderr=words,
            start_new_session=True,
        )
        assert process.stdin is not None
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
            code = process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        if code:
            words.seek(0)
            raise LauncherDied(words.read().decode(errors="replace")[-_LAST_WORDS:].strip())


def main() -> None:
    """Takes one request from standard input and leaves with status 0 when its pipeline came to its end."""
    request = json.loads(sys.stdin.readline())
    start_thread(_end_with_parent)
    threading.excepthook = _end_with_worker
    ranges = [(first, end) for first, end in request["ranges"]]
    code = 1
    try:
        job = open_job(place_of(request["output"]))
        build_pipeline(request["flags"], job, ranges).run().wait_until_finish()
        code = 0
    except Exception:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)  # Beam's threads would keep it for seconds


def _end_with_parent() -> NoReturn:
    sys.stdin.read()
    os.killpg(0, signal.SIGKILL)
    raise AssertionError


def _end_with_worker(failure: Any) -> None:
    """As a hook of threads: Beam watches a worker in a thread, which fails when the worker does."""
    threading.__excepthook__(failure)
    if "Worker subprocess exited" in str(failure.exc_value):
        os.killpg(0, signal.SIGKILL)
