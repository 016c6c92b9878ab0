"""The use cases `convert` and `plan`: source -> plan -> runner -> shards -> manifest last."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Any

from tfrecordcli.converting import outcome
from tfrecordcli.converting.dry_run import dry_run
from tfrecordcli.converting.execution import RejectLimit, execute
from tfrecordcli.converting.finished_dataset import (
    find_dataset,
    find_finished,
    finished_before,
    finished_result,
)
from tfrecordcli.converting.request import Request, opened_request
from tfrecordcli.converting.sample_check import try_sample
from tfrecordcli.dataset.plan import Plan
from tfrecordcli.errors import OutputError, TfrecError, UsageError
from tfrecordcli.images.gate import name_of, need_gate
from tfrecordcli.naming import WORK_DIR
from tfrecordcli.planning.identity import Identity, identity_of
from tfrecordcli.planning.planner import make_plan
from tfrecordcli.progress import Reporter
from tfrecordcli.result import ConvertResult
from tfrecordcli.runners.runner import Runner, Stopped
from tfrecordcli.storage.writing import writing_to
from tfrecordcli.workdir.finishing import finish_dataset, known_problems, load_planned, need_whole
from tfrecordcli.workdir.job import Job, load_plan
from tfrecordcli.workdir.lease import Lease
from tfrecordcli.workdir.origin import need_rows, save_origin
from tfrecordcli.workdir.rejects import ProblemList
from tfrecordcli.workdir.replacement import check_strangers, roll_forward
from tfrecordcli.workdir.workspace import Workspace, check_output_dir, locked, missing_folders, scratch_for


def convert(
    source: Any, output_dir: str | os.PathLike[str], *, reporter: Reporter | None = None, **values: Any
) -> ConvertResult:
    """Converts a source; see `tfrecordcli.convert`.

    Args:
      reporter: told about progress.
    """
    with opened_request(source, output_dir, reporter, values) as request:
        return request.told(dry_run(request) if request.options.run.dry_run else _Run(request).convert())


def plan(
    source: Any, output_dir: str | os.PathLike[str], *, reporter: Reporter | None = None, **values: Any
) -> ConvertResult:
    """Makes the plan of a conversion and leaves it in the output directory.

    `tfrecordcli.converting.steps.write_shards` and `finish` do the rest, on any number of machines.
    """
    with opened_request(source, output_dir, reporter, values) as request:
        if request.source.is_unpacked:
            raise UsageError(
                f"{request.source.given}: gzip is unpacked on this machine, for tfrec convert alone",
                "unpack the files (gunzip -k), then plan over these",
            )
        return request.told(_Run(request).convert(stop_at_plan=True))


class _Run:
    """One conversion of a request: what its steps share."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.source = request.source
        self.output = request.output
        self.options = request.options
        self.lease: Lease | None = None
        self.started = time.monotonic()

    def convert(self, *, stop_at_plan: bool = False) -> ConvertResult:
        """A conversion, or the part of it before the first shard is made."""
        check_output_dir(self.output)
        manifest = None if self.options.run.overwrite else find_finished(self.output)
        if manifest is not None:
            return finished_before(self.request, manifest, identity_of(self.source, self.options))
        made = missing_folders(self.output)
        with (
            scratch_for(self.output) as scratch,
            locked(self.output / WORK_DIR) as self.lease,
            writing_to(self.output),
        ):
            roll_forward(self.output)
            workspace = Workspace(self.output, scratch=scratch)
            try:
                is_there, manifest = find_dataset(self.output, overwrite=self.options.run.overwrite)
                identity = identity_of(self.source, self.options)
                if manifest is not None and not self.options.run.overwrite:
                    result = finished_before(self.request, manifest, identity)
                    # What a run left that died between its manifest and its end, or that lost its plan.json.
                    plan = load_plan(workspace.plan)
                    if plan is None or not identity.changes_since(plan.identity, plan.options):
                        workspace.forget_plan()
                    return result
                if is_there:
                    check_strangers(self.output, manifest)
                return self._make(replace(workspace, replaces=is_there), identity, stop_at_plan)
            finally:
                # A plan that lost its plan.json stays: by it the shards are known to be tfrec's own.
                if load_plan(workspace.plan) is None and not workspace.plan.is_dir():
                    workspace.close(made)

    def _make(self, workspace: Workspace, identity: Identity, stop_at_plan: bool) -> ConvertResult:
        plan = load_plan(workspace.plan)
        changed = self._changes_since(plan, identity) if plan is not None else ""
        if changed:
            if not self.options.run.overwrite:
                raise OutputError(
                    f"{self.output}: an unfinished conversion is here, made with another value of: {changed}",
                    "run that command again to finish it, or use --overwrite to start again",
                )
            plan = None
        if plan is None:
            workspace.start_over()
        else:
            need_gate(plan.gate)
            need_whole(workspace, plan)
        workspace.prepare()
        with self.request.runner.start() as runner:
            runner.warm_up()
            if plan is None:
                made = self._plan(runner, workspace, stop_at_plan)
                if isinstance(made, ConvertResult):
                    return made
                plan = made
            else:
                if outcome.objection(plan, self.options.run):
                    return outcome.refused(self.output, self.options, load_planned(workspace, plan))
                save_origin(workspace.plan, self.source, workspace.replaces)  # the images may have moved
            if stop_at_plan:
                return outcome.plan_made(self.output, self.options, load_planned(workspace, plan))
            return self._execute(runner, Job(workspace, plan, self.source.image_root))

    def _plan(self, runner: Runner, workspace: Workspace, stop_at_plan: bool) -> Plan | ConvertResult:
        """A new plan, or why none is carried out. The label map, which can be large, is not kept."""
        planned = make_plan(self.source, self.options, workspace.new_plan, self.request.reporter)
        plan = planned.plan
        contradict = "conflicting_label" in plan.problem_codes
        if contradict:  # where no image is there, their names may be of several folders: that comes first
            self._try_images(runner, plan)
        for line in (*(f"note: {t}" for t in plan.remarks), *(f"warning: {t}" for t in plan.warnings)):
            self.request.reporter.tell(line)  # now, and not when millions of images were read in vain
        if outcome.objection(plan, self.options.run):
            return outcome.refused(self.output, self.options, planned)
        rejected = plan.total("rejected")
        if rejected and not stop_at_plan:  # where the command ends with the plan, its summary tells them
            groups = outcome.as_groups(planned.groups)
            if not self.source.rows.tells_lines:
                groups = outcome.groups_with_places(groups, self.request.places)
            self.request.reporter.unusable(rejected, plan.rows, groups)
        if not contradict:
            self._try_images(runner, plan)
        save_origin(workspace.new_plan, self.source, workspace.replaces)
        workspace.adopt_plan()
        return plan

    def _try_images(self, runner: Runner, plan: Plan) -> None:
        self.request.reporter.begin("trying a few images")
        try:
            try_sample(self.request, runner, plan)
        except TfrecError as error:
            error.warnings = plan.warnings
            raise

    def _changes_since(self, plan: Plan, identity: Identity) -> str:
        """What is other than in an unfinished conversion; empty when nothing is."""
        changed = identity.changes_since(plan.identity, plan.options)
        is_same_gate = self.options.image.gate in ("auto", name_of(plan.gate))
        return changed or ("" if is_same_gate or plan.schema.task == "tabular" else "--gate")

    def _execute(self, runner: Runner, job: Job) -> ConvertResult:
        plan = job.plan
        numbers = range(plan.num_shards)
        limit = RejectLimit(self.options.run, plan.rows, plan.total("rejected"), self.request.reporter)
        try:
            executed = execute(job, numbers, runner, limit, self.request.reporter)
        except Stopped:
            problems = ProblemList(known_problems(job.workspace))
            met = {reject.line: reject for reject in runner.rejects}
            for info in job.finished(numbers):
                problems.add_rejects(info.rejects, info.split)
                for reject in info.rejects:
                    met.pop(reject.line, None)
            problems.add_rejects(met.values(), "")
            return outcome.stopped(self.output, self.options, plan, limit.rejected, problems)
        if self.lease:
            self.lease.check()
        self.request.reporter.begin("all shards stand: writing what is beside them")
        manifest, problems = finish_dataset(job, lambda: need_rows(self.source))
        seconds = time.monotonic() - self.started
        link = runner.job_link
        result = finished_result(self.request, "complete", manifest, problems)
        return replace(
            result,
            warnings=(*result.warnings, *(self.lease.warnings if self.lease else ())),
            job_id=link.id if link else "",
            job_url=link.url if link else "",
            resumed_shards=executed.resumed,
            seconds=round(seconds, 3),
            images_per_second=round(executed.rows / seconds, 1),
        )
