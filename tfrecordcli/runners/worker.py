"""The local runner's worker process: takes shard tasks from standard input, one after another."""

from __future__ import annotations

import dataclasses
import json
import os
import queue
import sys
import threading
import time
import traceback
from typing import IO, Any

from tfrecordcli.dataset.shard_info import RejectedRow
from tfrecordcli.errors import ResourceError, TfrecError
from tfrecordcli.images.check import check_image
from tfrecordcli.images.isolation import CheckerKilled
from tfrecordcli.options import ImageOptions
from tfrecordcli.processes import leave_signals_to_parent
from tfrecordcli.reasons import Rejected
from tfrecordcli.runners.messages import error_to_json, send, task_from_json
from tfrecordcli.shards.attempt import make_shard
from tfrecordcli.storage.opening import OpenImage, open_ahead

# Seconds between progress messages.
_PROGRESS_EVERY = 0.2
# Rejected rows that one such message names; the done record has them all.
_TOLD_REJECTS = 1_000


def main() -> None:
    """Serves until the parent closes the pipe or dies."""
    leave_signals_to_parent()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a native library prints must not get between the answers
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        try:
            _serve(requests.get(), answers)
        except BrokenPipeError:
            os._exit(0)


def _listen(requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Passes requests on; leaves at once when the parent is gone, whatever is under way."""
    for line in sys.stdin:
        requests.put(json.loads(line))
    os._exit(0)


def _serve(request: dict[str, Any], answers: IO[str]) -> None:
    try:
        if request["do"] == "look":
            send(answers, {"event": "looked", "results": _look(request)})
        elif request["do"] == "check":
            _check(request["task"], answers)
        else:
            _make(request["task"], answers)
    except CheckerKilled:
        send(answers, {"event": "killed"})
    except MemoryError:
        trouble = ResourceError("out of memory", "use fewer --workers, or lower --max-pixels", code="memory")
        send(answers, {"event": "failed", **error_to_json(trouble)})
    except TfrecError as error:
        send(answers, {"event": "failed", **error_to_json(error)})
    except BrokenPipeError:
        raise
    except OSError as error:  # of the system: whatever it is, no bug of ours
        trouble = ResourceError(f"{error.filename or 'a worker'}: the system says {error.strerror or error}")
        send(answers, {"event": "failed", **error_to_json(trouble)})
    except Exception:
        send(answers, {"event": "bug", "traceback": traceback.format_exc()})


def _make(task: dict[str, Any], answers: IO[str]) -> None:
    progress = _Progress(answers)
    make_shard(task_from_json(task), progress.on_row)
    progress.report()
    send(answers, {"event": "made"})


def _check(task: dict[str, Any], answers: IO[str]) -> None:
    from tfrecordcli.integrity.reports import report_to_json  # a writer needs none of it
    from tfrecordcli.integrity.reports import task_from_json as check_task
    from tfrecordcli.integrity.shard_check import check_shard

    progress = _Progress(answers)
    report = check_shard(check_task(task), progress.on_row)
    progress.report()
    send(answers, {"event": "checked", "report": report_to_json(report)})


def _look(request: dict[str, Any]) -> list[tuple[str, str] | None]:
    options = ImageOptions(**request["image"])
    uris = ((None, uri) for uri in request["uris"])
    images = open_ahead(uris, request["root"], options.max_image_bytes)
    return [_look_at(image, options) for _, image in images]


def _look_at(image: OpenImage, options: ImageOptions) -> tuple[str, str] | None:
    try:
        check_image(image.read(options.max_image_bytes), options)
    except Rejected as problem:
        return problem.code, problem.reason
    return None


class _Progress:
    """Gathers what was done and reports it now and then."""

    def __init__(self, answers: IO[str]) -> None:
        self._answers = answers
        self._clear()

    def _clear(self) -> None:
        self._rows = self._rejected = self._bytes = 0
        self._rejects: list[RejectedRow] = []
        self._next = time.monotonic() + _PROGRESS_EVERY

    def on_row(self, size: int, problem: RejectedRow | bool | None) -> None:
        self._rows += 1
        self._bytes += size
        if problem:
            self._rejected += 1
        if isinstance(problem, RejectedRow) and len(self._rejects) < _TOLD_REJECTS:
            self._rejects.append(problem)
        if time.monotonic() >= self._next:
            self.report()

    def report(self) -> None:
        counts = {"rows": self._rows, "rejected": self._rejected, "bytes": self._bytes}
        rejects = [dataclasses.asdict(reject) for reject in self._rejects]
        self._clear()
        send(self._answers, {"event": "progress", **counts, "rejects": rejects})
