"""Executing the shards of a job with any runner, and telling how it goes on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tfrecordcli.options import RunOptions
from tfrecordcli.progress import Reporter
from tfrecordcli.runners.runner import Runner, Stopped
from tfrecordcli.storage.store_path import Place, file_names
from tfrecordcli.units import plural
from tfrecordcli.workdir.job import Job


@dataclass(frozen=True, slots=True)
class Executed:
    """What an execution found and did.

    Attributes:
      resumed: shards that stood before.
      rows: planned rows of those that were made now.
    """

    resumed: int
    rows: int


class RejectLimit:
    """Passes progress on and counts rejects, to stop early where that was asked for.

    Attributes:
      rejected: rows rejected so far.
    """

    def __init__(self, options: RunOptions, rows: int, rejected: int, reporter: Reporter) -> None:
        self._options = options
        self._rows = rows
        self._reporter = reporter
        self.rejected = rejected

    def is_passed(self) -> bool:
        """Whether there are too many by now."""
        return self._options.fail_fast and not self._options.allows_rejects(self.rejected, self._rows)

    def on_progress(self, rows: int, rejected: int, size: int) -> bool:
        """As a runner calls it; True stops the run."""
        self._reporter.advance(rows, rejected, size)
        self.rejected += rejected
        return self.is_passed()


def execute(
    job: Job, numbers: Iterable[int], runner: Runner, limit: RejectLimit, reporter: Reporter
) -> Executed:
    """Makes those of these shards that do not stand yet.

    Args:
      numbers: of shards; gone through several times.

    Raises:
      Stopped: the limit was passed.
      what the runner raises.
    """
    recorded = _recorded(job.workspace.done)
    standing: set[str] = set()
    done_rows = 0
    for info in job.finished(numbers):
        standing.add(info.file)
        done_rows += info.planned
        limit.rejected += len(info.rejects)
    # Another run may have finished shards since the records were listed.
    names = (job.plan.shard(number)[0] for number in numbers)
    again = sum(name.stem in recorded and str(name) not in standing for name in names)
    if again:
        why = f"{'it is' if again == 1 else 'they are'} of an earlier version or another plan, or not whole"
        reporter.tell(f"note: {plural(again, 'shard')} of an earlier run will be made again: {why}")
    planned = sum(job.plan.shard(number)[1] for number in numbers)
    if done_rows < planned and limit.is_passed():  # by shards of an earlier run
        raise Stopped
    reporter.start(planned, done_rows)
    try:
        runner.run_shards(job, job.unfinished(numbers), limit.on_progress)
    finally:
        reporter.finish()
    return Executed(len(standing), planned - done_rows)


def _recorded(folder: Place) -> set[str]:
    """Stems of shards that have a done record; a copy may have left out the empty folder of these."""
    if isinstance(folder, Path):
        folder.mkdir(exist_ok=True)
    return {*file_names(folder)}
