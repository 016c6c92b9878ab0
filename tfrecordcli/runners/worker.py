"""The local runner's worker process: takes shard tasks from standard input, one after another."""

from __future__ import annotations

import os
import queue
import sys
import time
import traceback
from collections.abc import Iterator
from typing import IO

from tfrecordcli.dataset.plan import ShardTask
from tfrecordcli.dataset.shard_info import RejectedImage
from tfrecordcli.errors import ResourceError, TfrecError
from tfrecordcli.images.check import check_image
from tfrecordcli.images.isolation import CheckerKilled
from tfrecordcli.integrity.reports import CheckTask
from tfrecordcli.options import ImageOptions
from tfrecordcli.processes import leave_signals_to_parent, start_thread
from tfrecordcli.reasons import Rejected
from tfrecordcli.runners import messages
from tfrecordcli.runners.messages import Message, failed, received, send
from tfrecordcli.shards.attempt import make_shard
from tfrecordcli.storage.reading import OpenImage, open_ahead

# Seconds between progress messages.
_PROGRESS_EVERY = 0.2
# Rejected rows that one such message names; the done record has them all.
_TOLD_REJECTS = 1_000


def main() -> None:
    """Serves until the parent closes the pipe or dies."""
    leave_signals_to_parent()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a native library prints must not get between the answers
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    start_thread(_listen, requests)
    while True:
        try:
            _serve(requests.get(), answers)
        except BrokenPipeError:
            os._exit(0)


def _listen(requests: queue.SimpleQueue[Message]) -> None:
    """Passes requests on; leaves at once when the parent is gone, whatever is under way."""
    for line in sys.stdin:
        requests.put(received(line))
    os._exit(0)


def _serve(request: Message, answers: IO[str]) -> None:
    try:
        match request:
            case messages.Look():
                send(answers, messages.Looked(tuple(_look(request))))
            case messages.Check():
                _check(request.task, answers)
            case messages.Make():
                _make(request.task, answers)
    except CheckerKilled:
        send(answers, messages.Killed())
    except MemoryError:
        failure = ResourceError("out of memory", "use fewer --workers, or lower --max-pixels", code="memory")
        send(answers, failed(failure))
    except TfrecError as error:
        send(answers, failed(error))
    except (BrokenPipeError, ImportError):  # of a library that cannot be loaded this process tells as it ends
        raise
    except OSError as error:  # of the system: whatever it is, no bug of ours
        failure = ResourceError(f"{error.filename or 'a worker'}: the system says {error.strerror or error}")
        send(answers, failed(failure))
    except Exception:
        send(answers, messages.Bug(traceback.format_exc()))


def _make(task: ShardTask, answers: IO[str]) -> None:
    progress = _Counter(answers)
    make_shard(task, progress.on_row)
    progress.report()
    send(answers, messages.Made())


def _check(task: CheckTask, answers: IO[str]) -> None:
    from tfrecordcli.integrity.shard_check import check_shard  # a writer needs none of it

    progress = _Counter(answers)
    report = check_shard(task, progress.on_row)
    progress.report()
    send(answers, messages.Checked(report))


def _look(request: messages.Look) -> Iterator[tuple[str, str] | None]:
    uris = ((None, uri) for uri in request.uris)
    for _, image in open_ahead(uris, request.root, request.image.max_image_bytes):
        yield _look_at(image, request.image)


def _look_at(image: OpenImage, options: ImageOptions) -> tuple[str, str] | None:
    try:
        check_image(image.read(options.max_image_bytes), options)
    except Rejected as problem:
        return problem.code, problem.reason
    return None


class _Counter:
    """Gathers what was done and reports it now and then."""

    def __init__(self, answers: IO[str]) -> None:
        self._answers = answers
        self._clear()

    def _clear(self) -> None:
        self._rows = self._rejected = self._bytes = 0
        self._rejects: list[RejectedImage] = []
        self._next = time.monotonic() + _PROGRESS_EVERY

    def on_row(self, size: int, problem: RejectedImage | bool | None) -> None:
        self._rows += 1
        self._bytes += size
        if problem:
            self._rejected += 1
        if isinstance(problem, RejectedImage) and len(self._rejects) < _TOLD_REJECTS:
            self._rejects.append(problem)
        if time.monotonic() >= self._next:
            self.report()

    def report(self) -> None:
        message = messages.Progress(self._rows, self._rejected, self._bytes, tuple(self._rejects))
        self._clear()
        send(self._answers, message)
