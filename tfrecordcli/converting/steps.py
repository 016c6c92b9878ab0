"""The use cases `write-shards` and `finish`: a conversion in steps that any scheduler can start.

`conversion.plan` comes first and leaves the plan in the output directory. Then any number of processes on any
machines that see it make shards, and one command finishes the dataset.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tfrecordcli.converting import outcome
from tfrecordcli.converting.execution import RejectLimit, execute
from tfrecordcli.converting.mend_command import mend_command
from tfrecordcli.dataset.finished_files import need_files
from tfrecordcli.dataset.manifest_file import load_manifest
from tfrecordcli.errors import OutputError, TfrecError
from tfrecordcli.formats.typed_json import of_type
from tfrecordcli.given_options import make_options
from tfrecordcli.images.gate import need_gate
from tfrecordcli.naming import WORK_DIR
from tfrecordcli.options import ConvertOptions, ReadOptions
from tfrecordcli.processes import available_cores
from tfrecordcli.progress import Reporter
from tfrecordcli.result import ConvertResult, ShardsResult
from tfrecordcli.runners.local import LocalRunner
from tfrecordcli.shard_numbers import format_shards, parse_part, parse_shards
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.storage.store_path import Place, place_of, special_kind
from tfrecordcli.storage.stores import forget_stores
from tfrecordcli.storage.writing import writing_to
from tfrecordcli.units import plural
from tfrecordcli.workdir.finishing import finish_dataset, need_whole
from tfrecordcli.workdir.job import Job, load_plan, open_job
from tfrecordcli.workdir.origin import load_origin, need_rows
from tfrecordcli.workdir.rejects import ProblemList, listed_places, listed_rejects
from tfrecordcli.workdir.replacement import roll_forward
from tfrecordcli.workdir.workspace import Workspace, locked, scratch_for


def write_shards(
    output_dir: str | os.PathLike[str],
    *,
    shards: str | None = None,
    part: str | None = None,
    workers: Any = None,
    reporter: Reporter | None = None,
) -> ShardsResult:
    """Makes those of the chosen shards that do not stand yet; see `tfrecordcli.write_shards`.

    Raises:
      OutputError: there is no plan.
      BusyError: the plan is being made, or the dataset finished.
    """
    started = time.monotonic()
    forget_stores()
    output = place_of(output_dir)
    options = make_options({"workers": workers}).run
    _need_folder(output)
    manifest = load_manifest(output, label_counts=False)
    if load_plan(Workspace(output).plan) is None and manifest is not None:
        if (output / WORK_DIR).exists():  # what a run left that died at its very end
            finish(output)
        else:
            need_files(output, manifest)
        return ShardsResult("already_complete", str(output))
    job = open_job(output)
    need_gate(job.plan.gate)
    need_whole(job.workspace, job.plan)
    numbers = _chosen(shards, part, job.plan.num_shards)
    reporter = reporter or Reporter()
    limit = RejectLimit(options, job.plan.rows, 0, reporter)
    with locked(output / WORK_DIR, shared=True), LocalRunner(options.workers or available_cores()) as runner:
        executed = execute(open_job(output), numbers, runner, limit, reporter)
        result = _summed(job, numbers)
    seconds = time.monotonic() - started
    return replace(
        result,
        resumed_shards=executed.resumed,
        seconds=round(seconds, 3),
        images_per_second=round(executed.rows / seconds, 1),
    )


def _need_folder(output: Place) -> None:
    """Refuses what is there and no folder."""
    if isinstance(output, Path) and output.exists() and not output.is_dir():
        what = special_kind(output) or "a file"
        raise OutputError(f"{output}: {what}, where the folder of a plan is needed", "give its OUTPUT_DIR")


def _chosen(shards: str | None, part: str | None, count: int) -> Iterable[int]:
    numbers = range(count) if part is None else parse_part(part, count)
    if shards is None:
        return numbers
    wanted = parse_shards(shards, count)
    return wanted if part is None else sorted(set(wanted).intersection(numbers))


def _summed(job: Job, numbers: Iterable[int]) -> ShardsResult:
    """What came of shards that all stand."""
    shards = planned = records = size = 0
    reasons: Counter[str] = Counter()
    for info in job.finished(numbers):
        shards += 1
        planned += info.planned
        records += info.records
        size += info.bytes
        reasons.update(reject.code for reject in info.rejects)
    return ShardsResult(
        status="complete",
        output_dir=str(job.workspace.output),
        shards=shards,
        num_shards=job.plan.num_shards,
        rows=planned,
        records=records,
        rejected=planned - records,
        reasons=dict(sorted(reasons.items())),
        bytes_written=size,
    )


def finish(output_dir: str | os.PathLike[str], *, max_rejects: Any = None) -> ConvertResult:
    """Makes what is beside shards that all stand, the manifest last; see `tfrecordcli.finish`.

    Raises:
      OutputError: there is no plan, or shards are missing; the message says which.
      BusyError: shards are being made.
      InputError: rows were rejected and the source that they are quoted from changed.
    """
    started = time.monotonic()
    forget_stores()
    output = place_of(output_dir)
    run = make_options({"max_rejects": max_rejects}).run
    with writing_to(output):
        _need_folder(output)
        is_there = output.is_dir()
    if not is_there:
        raise OutputError(f"{output}: no such directory", "make a plan first: tfrec plan SOURCE OUTPUT_DIR")
    with scratch_for(output) as scratch, locked(output / WORK_DIR) as lease, writing_to(output):
        roll_forward(output)
        try:
            result = _finish(output, ConvertOptions(run=run), scratch)
        finally:
            # A plan that lost its plan.json stays: by it the shards are known to be tfrec's own.
            if load_plan(Workspace(output).plan) is None and not Workspace(output).plan.is_dir():
                Workspace(output).close()
    warnings = (*result.warnings, *(lease.warnings if lease else ()))
    return replace(result, warnings=warnings, seconds=round(time.monotonic() - started, 3))


def _finish(output: Place, options: ConvertOptions, scratch: Path | None) -> ConvertResult:
    plan = load_plan(Workspace(output).plan)
    replaces = plan is not None and load_origin(Workspace(output).plan).replaces
    manifest = None if replaces else load_manifest(output, label_counts=False)
    # A run can die between its manifest and its end.
    if manifest is not None and (plan is None or manifest.identity == plan.identity):
        need_files(output, manifest)  # while the plan is there, lost shards can be made again
        Workspace(output, scratch=scratch).forget_plan()
        problems = ProblemList(listed_rejects(output))
        result = outcome.finished("already_complete", output, options, manifest, problems, "")
        return result if manifest.tells_lines else outcome.with_places(result, partial(listed_places, output))
    job = open_job(output, scratch)
    if scratch is not None:
        job.workspace.prepare()
    missing = list(job.unfinished(range(job.plan.num_shards)))
    if missing:
        raise TfrecError(
            f"{output}: {len(missing):,} of {plural(job.plan.num_shards, 'shard')} are not made yet: "
            f"{format_shards(missing)}",
            f"{command_line(['tfrec', 'write-shards', as_path(str(output))])} makes them",
            code="unfinished",
        )
    source = load_origin(job.workspace.plan).source
    options = _planned_options(job, options)
    manifest, problems = finish_dataset(job, lambda: need_rows(source, scratch, job.workspace.plan))
    command = mend_command(source, str(output), options, manifest)
    result = outcome.finished("complete", output, options, manifest, problems, command)
    is_told = source.rows.tells_lines
    return result if is_told else outcome.with_places(result, partial(listed_places, output))


def _planned_options(job: Job, options: ConvertOptions) -> ConvertOptions:
    """The options that the plan was made with."""
    plan = job.plan
    read = of_type(ReadOptions, {**plan.options["read"], "columns": []})
    return replace(options, read=read, image=plan.image_options, shard=plan.shard_options)
