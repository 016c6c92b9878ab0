"""The Beam runner: one small pipeline over numbers of shards, on whatever executes Beam pipelines."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Self

from tfrecordcli.dataset.shard_info import RejectedImage, load_done_record
from tfrecordcli.errors import BusyError, InternalError, ResourceError, TfrecError
from tfrecordcli.options import ImageOptions
from tfrecordcli.processes import start_thread
from tfrecordcli.progress import Reporter
from tfrecordcli.runners.beam.launcher import run_in_launcher
from tfrecordcli.runners.beam.options import BeamSetting, need_remote_images
from tfrecordcli.runners.beam.pipeline import (
    attempt_trace,
    build_pipeline,
    numbers_of,
    ranges_of,
    read_failure,
)
from tfrecordcli.runners.beam.wheel import build_wheel
from tfrecordcli.runners.local import LocalRunner
from tfrecordcli.runners.runner import JobLink, Looks, OnProgress, Stopped
from tfrecordcli.storage.store_path import Place
from tfrecordcli.units import plural
from tfrecordcli.workdir.job import Job
from tfrecordcli.workdir.workspace import Workspace

# Pipelines in a row that make no shard: the second one knows which images to check in a child process.
_MAX_IDLE = 2
_CONSOLE = "https://console.cloud.google.com/dataflow/jobs/{region}/{job}?project={project}"

# Seconds between looks; a look at very many records takes at most this share of the time.
_EVERY = 1.0
_SHARE = 0.05


class BeamRunner:
    """Runs shard tasks on Apache Beam; see `tfrecordcli.runners.runner.Runner`."""

    def __init__(self, setting: BeamSetting, reporter: Reporter) -> None:
        self.rejects: list[RejectedImage] = []  # they are in the done records
        self.job_link: JobLink | None = None
        self._setting = setting
        self._reporter = reporter
        self._local = LocalRunner(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._local.__exit__(*exception)

    def warm_up(self) -> None:
        """Nothing: Beam starts its workers itself."""

    def look(self, uris: Sequence[str], root: str, image: ImageOptions) -> Looks | None:
        """Checks a few images on this machine."""
        if self._setting.is_remote:
            need_remote_images(self._setting.name, uris, root)
        return self._local.look(uris, root, image)

    def run_shards(self, job: Job, numbers: Iterable[int], on_progress: OnProgress) -> None:
        """Runs a pipeline, and another over what is missing, until two in a row have made no shard.

        Not every runner tries again what failed, and most give up all work when one worker dies. Dataflow
        does try again, and what it gives up costs money to try once more: there the user decides.
        """
        if self._setting.is_remote:
            uris = (uri for _, uri in job.plan.sample)
            need_remote_images(self._setting.name, uris, job.image_root)
        ranges = ranges_of(numbers)
        idle = 0
        with Watch(job.workspace, on_progress) as watch:
            while ranges:
                before = watch.look()
                failure = self._run_pipeline(job, ranges)
                idle = 0 if watch.look() > before else idle + 1
                if watch.is_stopped:
                    raise Stopped
                missing = list(job.unfinished(chain.from_iterable(map(numbers_of, ranges))))
                if missing:
                    error = self._reason(job, missing, failure)
                    if self._setting.is_dataflow or idle == _MAX_IDLE or isinstance(error, InternalError):
                        raise error  # else another pipeline can be of use
                ranges = ranges_of(missing)

    def _run_pipeline(self, job: Job, ranges: Sequence[tuple[int, int]]) -> Exception | None:
        """Runs one pipeline to its end; returns what Beam raised: shards that stand are what counts."""
        level = logging.ERROR if self._setting.is_dataflow else logging.CRITICAL
        with _quiet(level), self._flags(job, ranges) as flags:
            try:
                if self._setting.has_processes:
                    run_in_launcher(flags, job, ranges)
                else:
                    self._wait(build_pipeline(flags, job, ranges).run())
            except TfrecError as error:  # of a worker in this very process
                return error
            except Exception as error:
                if type(error).__name__ == "DataflowJobAlreadyExistsError":
                    raise BusyError(
                        f"the Dataflow job of this conversion is still at work: {error}",
                        "wait for its end, then run this command or tfrec finish",
                    ) from error
                return error
        return None

    @contextlib.contextmanager
    def _flags(self, job: Job, ranges: Sequence[tuple[int, int]]) -> Iterator[list[str]]:
        """Beam's flags, with this package where the workers have to get it from here."""
        given = self._setting.flags
        if self._setting.is_dataflow and not any(flag.startswith("--job_name") for flag in given):
            given = (*given, f"--job_name={_job_name(job)}")
        if not self._setting.ships_package:
            # Dask's own guess leaves small jobs to one worker, and does not spread anything later.
            parts = [f"--dask_npartitions={len(ranges)}"] if self._setting.is_dask else []
            yield [*parts, *given]
            return
        folder = tempfile.mkdtemp(prefix="tfrec-wheel-")
        try:
            yield [*given, f"--extra_package={build_wheel(Path(folder))}"]
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _wait(self, result: Any) -> None:
        if self._setting.is_dataflow:
            job, setting = result.job_id(), self._setting
            url = _CONSOLE.format(region=setting.region, job=job, project=setting.project)
            self.job_link = JobLink(job, url)
            self._reporter.tell(f"Dataflow job {job}: {url}")
        try:
            result.wait_until_finish()
        except Exception:
            raise
        except BaseException:
            if self.job_link is not None:
                self._reporter.tell(
                    f"Dataflow job {self.job_link.id} goes on; cancel it at {self.job_link.url}"
                )
            raise
        finally:
            client = getattr(result, "client", None)  # Dask's
            if client is not None:
                client.close()

    def _reason(self, job: Job, missing: Sequence[int], failure: Exception | None) -> TfrecError:
        """Why shards are missing: what a worker said, or else what Beam says."""
        for number in missing:
            left = read_failure(attempt_trace(job, job.task(number)))
            if left is not None:
                return left
        where = f" ({self.job_link.url})" if self.job_link else ""
        last_line = str(failure).strip().rpartition("\n")[2] if failure else ""
        said = f": {last_line}" if last_line not in ("", "None") else ""  # Dataflow's page says more
        why = f": {type(failure).__name__}{said}" if failure else ""
        error = ResourceError(
            f"{self._setting.name} left {plural(len(missing), 'shard')} unmade{why}{where}",
            "the same command continues; tfrec write-shards makes them on this machine",
            code="runner",
        )
        error.__cause__ = failure
        return error


def _job_name(job: Job) -> str:
    """The same for the same plan at the same place: Dataflow refuses two of a name at a time."""
    told = f"{job.plan.identity} {job.workspace.output}"
    return f"tfrec-{hashlib.sha256(told.encode()).hexdigest()[:12]}"


@contextlib.contextmanager
def _quiet(level: int) -> Iterator[None]:
    """Keeps from the terminal what Beam logs below ``level``, unless the program set a level itself."""
    logger = logging.getLogger("apache_beam")
    before = logger.level
    if before == logging.NOTSET:
        logger.setLevel(level)
    try:
        yield
    finally:
        logger.setLevel(before)


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
        self.is_stopped = False

    def __enter__(self) -> Watch:
        self._thread = start_thread(self._look_now_and_then)
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
