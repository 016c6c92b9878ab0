"""How many workers of the local runner are busy, told by workers that only act."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tfrecordcli.dataset.plan import ShardTask
from tfrecordcli.naming import ShardName
from tfrecordcli.options import ImageOptions
from tfrecordcli.runners import local
from tfrecordcli.runners.local import LocalRunner
from tfrecordcli.runners.messages import Made, Make

TASKS = 12


class Actor:
    """A worker without a process: it makes what it is asked to, and some of it dies of it."""

    def __init__(self, events: Any, ends: Callable[[], int]) -> None:
        self.task: ShardTask | None = None
        self.rows = self.rejected = self.bytes = 0
        self.process = SimpleNamespace(wait=lambda: -self._signal)
        self._events = events
        self._ends = ends
        self._signal = 0

    def ask(self, request: Make) -> None:
        self._signal = self._ends()
        self._events.put((self, None if self._signal else Made()))

    def last_words(self) -> str:
        return ""

    def end(self) -> None:
        """There is no process."""


def busy_workers(monkeypatch: pytest.MonkeyPatch, workers: int, deaths: dict[int, int]) -> list[int]:
    """How many workers are busy as each attempt begins.

    Args:
      deaths: number of an attempt -> the signal that its worker dies of.
    """
    busy: list[int] = []

    def ends() -> int:
        busy.append(len(runner._busy))
        return deaths.get(len(busy) - 1, 0)

    monkeypatch.setattr(local, "_Worker", lambda events: Actor(events, ends))
    names = [ShardName("train", number, TASKS) for number in range(TASKS)]
    tasks = [ShardTask(name, 1, "rows", "root", "shard", "tmp", "done", ImageOptions(), 0) for name in names]
    with LocalRunner(workers) as runner:
        runner.run(tasks, lambda rows, rejected, size: False)
    assert len(busy) == TASKS + len(deaths)
    return busy


def test_all_workers_are_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    assert busy_workers(monkeypatch, 3, {}) == [1, 2] + [3] * (TASKS - 2)


def test_after_a_kill_there_is_one_worker_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was most likely for memory, which as many workers would run out of again."""
    busy = busy_workers(monkeypatch, 3, {0: signal.SIGKILL})
    assert busy == [1, 2, 3] + [2] * (TASKS - 2)


def test_there_is_always_a_worker_left(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = busy_workers(monkeypatch, 2, {0: signal.SIGKILL, 1: signal.SIGKILL, 5: signal.SIGKILL})
    assert busy[:2] == [1, 2]
    assert set(busy[2:]) == {1}


def test_after_a_crash_there_are_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder that crashes says nothing about memory."""
    assert busy_workers(monkeypatch, 3, {0: signal.SIGSEGV}) == [1, 2] + [3] * (TASKS - 1)
