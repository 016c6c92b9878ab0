"""The pipeline that Beam is given, over numbers of shards, and what a worker does with them.

A worker loads neither Beam nor anything heavy of this module.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from tfrecordcli.dataset.plan import ShardTask
from tfrecordcli.dataset.shard_info import finished_shard
from tfrecordcli.errors import InternalError, OutputError, ResourceError, TfrecError
from tfrecordcli.formats.typed_json import from_json, to_json
from tfrecordcli.images.isolation import CheckerKilled
from tfrecordcli.runners.messages import Failed, failed
from tfrecordcli.shards.attempt import make_shard
from tfrecordcli.storage.store_path import Place, place_of
from tfrecordcli.storage.writing import write_whole, writing_to
from tfrecordcli.workdir.job import Job, open_job

# Ranges that a pipeline carries at most, and what it is cut into when there are shards enough.
_MOST: Final = 512
_MEMORY: Final = "memory"


def build_pipeline(flags: Sequence[str], job: Job, ranges: Sequence[tuple[int, int]]) -> Any:
    """The whole pipeline: ranges of numbers, the numbers, and a shard for each.

    Returns:
      an `apache_beam.Pipeline`, a few kilobytes whatever the number of shards.
    """
    import apache_beam as beam
    from apache_beam.options.pipeline_options import PipelineOptions

    pipeline = beam.Pipeline(options=PipelineOptions(list(flags)))
    output = str(job.workspace.absolute().output)
    (
        pipeline
        | "Ranges" >> beam.Create(list(ranges), reshuffle=False)
        | "Numbers" >> beam.FlatMap(numbers_of)
        | "Spread" >> beam.Reshuffle()  # else one worker would make all shards of a range
        | "WriteShard" >> beam.Map(make_numbered, output, job.plan.identity)
    )
    return pipeline


def ranges_of(numbers: Iterable[int], most: int = _MOST) -> list[tuple[int, int]]:
    """Ascending numbers as at most ``most`` ranges, the end not included.

    Small gaps between numbers may be covered too; long ranges are cut, as many workers take one each.
    """
    covered = _joined(numbers, most)
    total = sum(end - start for start, end in covered)
    longest = max(1, -(-total // max(1, most - len(covered))))
    return [
        (first, min(first + longest, end)) for start, end in covered for first in range(start, end, longest)
    ]


def _joined(numbers: Iterable[int], most: int) -> list[tuple[int, int]]:
    """Ranges without regard to their length, at most half of ``most``."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], number + 1)
        else:
            ranges.append((number, number + 1))
    while len(ranges) > most // 2:
        pairs = zip(ranges[::2], [*ranges[1::2], ranges[-1]], strict=False)
        ranges = [(first[0], second[1]) for first, second in pairs]
    return ranges


def numbers_of(numbers: tuple[int, int]) -> Iterable[int]:
    """The shards from the first number up to, but without, the second."""
    return range(*numbers)


def make_numbered(number: int, output: str, identity: str) -> int:
    """Makes one shard of the plan in an output directory, unless it stands or the run is to stop.

    An empty file under `attempts` says that an attempt is under way, or that its process died: the next one
    then checks each image in a child process, to find the row to blame. So it does when memory ran out.

    Args:
      number: of the shard.
      output: the output directory.
      identity: of the plan; a worker that outlived its run must not touch the next one.

    Raises:
      TfrecError: also left under `attempts`, for the runner to find.
    """
    job = open_job(place_of(output))
    if job.plan.identity != identity:
        raise OutputError(f"{output}: another conversion is at work here", "this one is out of date")
    task = job.task(number)
    if finished_shard(task) is not None or job.workspace.stop.exists():
        return number
    trace = attempt_trace(job, task)
    before = read_failure(trace)
    with writing_to(output):
        isolate = trace.exists() and (before is None or before.code == _MEMORY)
        trace.write_bytes(b"")
    try:
        make_shard(replace(task, isolate=isolate))
    except Exception as error:
        failure = _failure_of(error, task)
        with writing_to(output):
            write_whole(trace, to_json(failed(failure)).encode(), job.workspace.temporary)
        raise failure from error
    with contextlib.suppress(PermissionError):  # to delete; the shard exists all the same
        trace.unlink(missing_ok=True)
    return number


def attempt_trace(job: Job, task: ShardTask) -> Place:
    """Where an attempt leaves its trace."""
    return job.workspace.attempts / task.name.stem


def read_failure(trace: Place) -> TfrecError | None:
    """What stopped the last attempt; None when there was none, its process died, or the trace is damaged."""
    try:
        text = trace.read_bytes()
    except FileNotFoundError:
        return None
    try:
        return from_json(Failed, text).error() if text else None
    except ValueError:
        return None


def _failure_of(error: Exception, task: ShardTask) -> TfrecError:
    if isinstance(error, TfrecError):
        return error
    if isinstance(error, (MemoryError, CheckerKilled)):
        return ResourceError(
            f"out of memory at {task.name}",
            "use workers with more memory, or lower --max-pixels",
            code=_MEMORY,
        )
    return InternalError(f"a worker met a bug at {task.name}\n{traceback.format_exc()}")
