"""The local runner: worker processes on this machine.

A worker that dies takes nothing with it. Its shard is tried again: after a crash in native code
with each image checked in a child process, so that the row at fault is found and rejected by name;
after a kill (most likely for memory) as before, with one worker less.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import IO, NoReturn

from tfrecordcli.dataset.plan import ShardTask
from tfrecordcli.dataset.shard_info import RejectedImage
from tfrecordcli.errors import InternalError, ResourceError
from tfrecordcli.integrity.reports import CheckTask, ShardReport
from tfrecordcli.options import ImageOptions
from tfrecordcli.processes import (
    CRASH_SIGNALS,
    KILL_SIGNALS,
    is_short_of_memory,
    start_python,
    start_thread,
)
from tfrecordcli.runners import messages
from tfrecordcli.runners.messages import Message, Request, received, send
from tfrecordcli.runners.runner import JobLink, Looks, OnProgress, Stopped
from tfrecordcli.workdir.job import Job

# Attempts at one shard that may end in a kill, and in a crash.
_MAX_KILLS = 3
_MAX_CRASHES = 3

# Rejected rows kept in case the run is stopped because of them.
_KEPT_REJECTS = 1_000
# Seconds without a word of any worker after which progress is told all the same.
_PULSE = 1.0
# Workers started before it is known how many shards there are.
_WARM = 4

Task = ShardTask | CheckTask
# What else takes memory off a task.
_MEMORY_HINTS: dict[type, str] = {ShardTask: ", or lower --max-pixels"}
OnReport = Callable[[ShardReport], None]
# (worker, message); None when the worker is gone.
_Events = queue.SimpleQueue["tuple[_Worker, Message | None]"]


class _Worker:
    """One worker process; its messages go to a queue."""

    def __init__(self, events: _Events) -> None:
        self.task: Task | None = None
        self.rows = self.rejected = self.bytes = 0
        self._stderr = _unnamed_file()
        try:
            self.process: subprocess.Popen[str] = start_python(
                "tfrecordcli.runners.worker",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                encoding="utf-8",
            )
        except BaseException:
            self._stderr.close()
            raise
        start_thread(self._listen, events)

    def _listen(self, events: _Events) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.endswith("\n"):  # else its last line was cut short
                events.put((self, received(line)))
        events.put((self, None))

    def ask(self, request: Request) -> None:
        assert self.process.stdin is not None
        if self.process.poll() is None:  # its last line is kept
            self._stderr.seek(0)
            self._stderr.truncate()  # what was said of the task before: a chatty library fills no disk
        try:
            send(self.process.stdin, request)
        except BrokenPipeError:
            pass  # it died; its listener reports that

    def last_words(self) -> str:
        """The end of what it wrote to standard error."""
        self._stderr.seek(0)
        return self._stderr.read().decode(errors="replace")[-4000:].strip()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                pass  # a request it never read was still in the buffer
        self._stderr.close()


def _unnamed_file() -> IO[bytes]:
    """A file that needs no folder: Python's trial of the one for temporary files can outlive a kill."""
    if sys.platform == "linux":
        return open(os.memfd_create("tfrec-stderr"), "w+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)


class LocalRunner:
    """Runs shard tasks in worker processes; a context manager that leaves no process behind.

    Attributes:
      rejects: the first rows that were rejected, for a run that is stopped because of them.
    """

    def __init__(self, workers: int) -> None:
        self._limit = workers
        self._events: _Events = queue.SimpleQueue()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._again: deque[Task] = deque()
        self.rejects: list[RejectedImage] = []
        self.job_link: JobLink | None = None
        self._kills: Counter[str] = Counter()
        self._crashes: Counter[str] = Counter()

    def __enter__(self) -> LocalRunner:
        return self

    def __exit__(self, *exception: object) -> None:
        for worker in [*self._idle, *self._busy]:
            worker.end()

    def warm_up(self) -> None:
        """Starts the first workers, so that they load their libraries while the plan is made."""
        for _ in range(min(self._limit, _WARM)):
            self._idle.append(_Worker(self._events))

    def look(self, uris: Sequence[str], root: str, image: ImageOptions) -> Looks | None:
        """Checks a few images without writing: for each None, or (code, reason) of its rejection.

        Returns None when the worker died over it: the run itself will find out which row it was.
        """
        worker = self._idle.pop() if self._idle else _Worker(self._events)
        worker.ask(messages.Look(tuple(uris), root, image))
        message = self._answer_of(worker)
        if message is None:
            worker.end()
            return None
        self._idle.append(worker)
        if not isinstance(message, messages.Looked):
            self._raise(message)
        return message.results

    def _answer_of(self, worker: _Worker) -> Message | None:
        """The next message of the only worker that was asked something."""
        self._busy.add(worker)
        while True:
            sender, message = self._events.get()
            if sender is worker:
                self._busy.discard(worker)
                return message
            self._idle.remove(sender)  # it died before it had any work
            sender.end()

    def run_shards(self, job: Job, numbers: Iterable[int], on_progress: OnProgress) -> None:
        """Makes these shards of a job; see `Runner.run_shards`."""
        self.run(map(job.task, numbers), on_progress)

    def run(self, tasks: Iterable[Task], on_progress: OnProgress, on_report: OnReport | None = None) -> None:
        """Makes, or checks, every shard.

        Args:
          on_report: given the report of each shard that was checked.

        Raises:
          Stopped: the callback asked for it.
          ResourceError, OutputError: the machine is in the way; a later run continues.
          InternalError: a worker met a bug.
        """
        rest = iter(tasks)
        while True:
            while len(self._busy) < self._limit:
                task = self._again.popleft() if self._again else next(rest, None)
                if task is None:
                    break
                self._start(task)
            if not self._busy:
                return
            try:
                worker, message = self._events.get(timeout=_PULSE)
            except queue.Empty:  # images can take long: who tells of the progress knows that it goes on
                on_progress(0, 0, 0)
                continue
            if isinstance(message, messages.Checked) and on_report:
                on_report(message.report)
            self._handle(worker, message, on_progress)

    def _handle(self, worker: _Worker, message: Message | None, on_progress: OnProgress) -> None:
        match message:
            case None:
                self._bury(worker, on_progress)
            case messages.Progress():
                self._count(worker, message, on_progress)
            case messages.Made() | messages.Checked():
                self._rest(worker)
            case messages.Killed():
                self._retry_killed(worker, on_progress)
                self._rest(worker)
            case _:
                self._raise(message)

    def _rest(self, worker: _Worker) -> None:
        worker.task = None
        self._busy.discard(worker)
        self._idle.append(worker)

    def _start(self, task: Task) -> None:
        worker = self._idle.pop() if self._idle else _Worker(self._events)
        worker.task = task
        worker.rows = worker.rejected = worker.bytes = 0
        self._busy.add(worker)
        worker.ask(messages.Make(task) if isinstance(task, ShardTask) else messages.Check(task))

    def _count(self, worker: _Worker, message: messages.Progress, on_progress: OnProgress) -> None:
        rows, rejected, size = message.rows, message.rejected, message.bytes
        worker.rows += rows
        worker.rejected += rejected
        worker.bytes += size
        self.rejects += message.rejects
        del self.rejects[_KEPT_REJECTS:]
        if on_progress(rows, rejected, size):
            raise Stopped

    def _bury(self, worker: _Worker, on_progress: OnProgress) -> None:
        """Sees to the task of a worker that is gone."""
        status = worker.process.wait()
        words = worker.last_words()
        if worker in self._idle:
            self._idle.remove(worker)
        self._busy.discard(worker)
        worker.end()
        task = worker.task
        if task is None:
            return
        if -status in KILL_SIGNALS:
            self._retry_killed(worker, on_progress)
            return
        self._crashes[str(task.name)] += 1
        if -status not in CRASH_SIGNALS or self._crashes[str(task.name)] >= _MAX_CRASHES:
            if is_short_of_memory(words):
                raise ResourceError(
                    "too little memory for a worker",
                    "use fewer --workers, or raise the limit (ulimit -v)",
                    code="memory",
                )
            raise InternalError(f"a worker ended with status {status} at {task.name}\n{words}")
        self._take_back(worker, on_progress)
        self._again.append(replace(task, isolate=True))

    def _retry_killed(self, worker: _Worker, on_progress: OnProgress) -> None:
        task = worker.task
        assert task is not None
        self._kills[str(task.name)] += 1
        if self._kills[str(task.name)] >= _MAX_KILLS:
            raise ResourceError(
                f"the worker at {task.name} was killed {_MAX_KILLS} times, most likely for memory",
                "run the same command again with fewer --workers" + _MEMORY_HINTS.get(type(task), ""),
                code="killed",
            )
        self._limit = max(1, self._limit - 1)
        self._take_back(worker, on_progress)
        self._again.append(task)

    def _take_back(self, worker: _Worker, on_progress: OnProgress) -> None:
        """The rows of an attempt that failed will be counted again."""
        on_progress(-worker.rows, -worker.rejected, -worker.bytes)

    def _raise(self, message: Message | None) -> NoReturn:
        if isinstance(message, messages.Failed):
            raise message.error()
        what = message.traceback if isinstance(message, messages.Bug) else message
        raise InternalError(f"a worker met a bug\n{what}")
