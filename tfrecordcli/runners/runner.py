"""What every runner of shards offers; who calls it cannot tell one from another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from tfrecordcli.dataset.shard_info import RejectedImage
from tfrecordcli.options import ImageOptions
from tfrecordcli.workdir.job import Job

# Called with (rows, rejected rows, bytes read) since the last call; True stops the run.
OnProgress = Callable[[int, int, int], bool]


# For each image None, or (code, reason) of its rejection.
Looks = Sequence[tuple[str, str] | None]


class Stopped(Exception):
    """The progress callback asked to stop; finished shards stand."""


@dataclass(frozen=True, slots=True)
class JobLink:
    """A job on somebody else's machines: its id, and the page where a person sees it."""

    id: str
    url: str


class Runner(Protocol):
    """A context manager that leaves no process of this machine behind.

    Attributes:
      rejects: the first rows that were rejected, for a run that is stopped because of them; those of
        finished shards are in the done records.
      job_link: of the job that made the shards, when there is such a thing.
    """

    rejects: list[RejectedImage]
    job_link: JobLink | None

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def warm_up(self) -> None:
        """Gets ready in the background, while the plan is made."""

    def look(self, uris: Sequence[str], root: str, image: ImageOptions) -> Looks | None:
        """Checks a few images without writing: for each None, or (code, reason) of its rejection.

        Returns None when a decoder crashed over it: the run itself will find out which row it was.
        """

    def run_shards(self, job: Job, numbers: Iterable[int], on_progress: OnProgress) -> None:
        """Makes these shards; each leaves its done record.

        Raises:
          Stopped: the callback asked for it.
          ResourceError, OutputError: the machine is in the way; a later run continues.
          InternalError: a worker met a bug.
        """
