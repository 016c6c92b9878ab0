"""The process of one way of feeding: a task comes on standard input, a result goes to standard output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, Final

from tfrecordcli.bench import ways_in_python, ways_in_tensorflow
from tfrecordcli.bench.ways import WayResult, WayTask
from tfrecordcli.feed.batches import Clock, drain, pace
from tfrecordcli.feed.tensorflow import failures_in_words, log_fatal_only
from tfrecordcli.feed.timing import peak_memory

Batches = Iterator[Any]

# name -> its endless batches; libraries are imported before the first is asked for.
_STARTS: Final[dict[str, Callable[[WayTask], Batches]]] = {
    "python_files": ways_in_python.from_files,
    "pandas_files": ways_in_python.from_frame,
    "python_records": ways_in_python.from_records,
    "preload": ways_in_python.preloaded,
    "processes": ways_in_python.from_processes,
    "tf1_files": ways_in_tensorflow.queues_of_files,
    "tf1_whole_files": ways_in_tensorflow.queues_of_whole_files,
    "tf1_records": ways_in_tensorflow.queues_of_records,
    "tfdata_naive": ways_in_tensorflow.naive,
    "tfdata_files": ways_in_tensorflow.of_files,
    "tfdata_records": ways_in_tensorflow.of_records,
}


def main() -> None:
    """Runs the task and ends the process, whatever threads a way has left behind."""
    log_fatal_only()
    task = WayTask(**json.load(sys.stdin))
    result = measure(task)
    print(json.dumps(asdict(result)), flush=True)
    ways_in_python.stop_processes()
    os._exit(0)


@failures_in_words()
def measure(task: WayTask) -> WayResult:
    """Runs a way in this very process."""
    batches, clock = _STARTS[task.way](task), Clock()
    begin = clock.now()
    next(batches)  # which can take long, as where all images are decoded first
    first = clock.now() - begin
    drained = drain(batches, task.seconds / 2 if task.step_ms else task.seconds, clock)
    wait = pace(batches, task.step_ms / 1e3, task.seconds / 2, clock) if task.step_ms else None
    memory = peak_memory() + ways_in_python.memory_of_processes()
    return WayResult(task.way, drained.images_per_second, first, memory, wait)
