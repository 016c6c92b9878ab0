"""The use case `convert`: source -> plan -> runner -> shards -> manifest last."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from tfrecordcli import outcome
from tfrecordcli.dataset.finishing import finish_dataset, known_problems
from tfrecordcli.dataset.identity import Identity, identity_of
from tfrecordcli.dataset.manifest import damaged_file, load_manifest
from tfrecordcli.dataset.plan import Plan, ShardTask
from tfrecordcli.dataset.planner import load_plan, make_plan, plan_tasks
from tfrecordcli.dataset.rejects import ProblemList, read_rejects
from tfrecordcli.dataset.scan import Problem
from tfrecordcli.dataset.shard_info import finished_shard
from tfrecordcli.dataset.source import Source, open_source
from tfrecordcli.dataset.workspace import (
    Workspace,
    check_output_dir,
    locked,
    roll_forward,
)
from tfrecordcli.errors import InputError, OutputError, UsageError
from tfrecordcli.mending import mend_command
from tfrecordcli.naming import WORK_DIR
from tfrecordcli.option_values import make_options
from tfrecordcli.options import ConvertOptions
from tfrecordcli.progress import Reporter, SilentReporter
from tfrecordcli.reasons import IMAGE_REASONS
from tfrecordcli.result import ConvertResult, Status
from tfrecordcli.runners.cores import available_cores
from tfrecordcli.runners.local import LocalRunner, Stopped
from tfrecordcli.storage.scratch import scratch_folder
from tfrecordcli.storage.writing import writing_to


def convert(
    source: Any, output_dir: str | os.PathLike[str], *, reporter: Reporter | None = None, **values: Any
) -> ConvertResult:
    """Converts a source; see `tfrecordcli.convert`.

    Args:
      reporter: told about progress.
    """
    options = make_options(values)
    if options.run.runner.lower() != "local":
        raise UsageError(f"--runner {options.run.runner}: only local is there so far", "leave --runner out")
    if not os.fspath(output_dir):
        raise UsageError("OUTPUT_DIR is empty", "is a variable unset?")
    output = Path(output_dir)
    with open_source(source, options.read, str(output)) as opened:
        run = _Run(opened, output, options, reporter or SilentReporter())
        return run.plan_only() if options.run.dry_run else run.convert()


class _Run:
    """One conversion: what its steps share."""

    def __init__(self, source: Source, output: Path, options: ConvertOptions, reporter: Reporter) -> None:
        self.source = source
        self.output = output
        self.options = options
        self.reporter = reporter
        self.started = time.monotonic()

    # --- the ways a command can go ---

    def plan_only(self) -> ConvertResult:
        """A dry run: the plan, made in a temporary folder."""
        with scratch_folder() as folder, writing_to(folder):
            planned = make_plan(self.source, self.options, folder, self.reporter)
        check_output_dir(self.output)
        manifest = load_manifest(self.output)
        return outcome.planned(self.output, self.options, planned, manifest)

    def convert(self) -> ConvertResult:
        check_output_dir(self.output)
        made = [folder for folder in (self.output, *self.output.parents) if not folder.exists()]
        with locked(self.output / WORK_DIR), writing_to(self.output):
            roll_forward(self.output)
            workspace = Workspace(self.output)
            try:
                manifest = load_manifest(self.output)
                identity = identity_of(self.source, self.options)
                if manifest is not None and not self.options.run.overwrite:
                    self._need_same(manifest, identity)
                    result = self._already_complete(manifest)
                    self._forget_finished(workspace, identity)
                    return result
                return self._make(replace(workspace, replaces=manifest is not None), identity)
            finally:
                if load_plan(workspace.plan) is None:
                    workspace.close(made)

    def _forget_finished(self, workspace: Workspace, identity: Identity) -> None:
        """Clears up after a run that died between its manifest and its end."""
        plan = load_plan(workspace.plan)
        if plan is not None and plan.identity == identity.digest:
            workspace.forget_plan()

    def _already_complete(self, manifest: Mapping[str, Any]) -> ConvertResult:
        damaged = damaged_file(self.output, manifest)
        if damaged:
            raise OutputError(
                f"{self.output}: complete by its manifest, but {damaged} is missing or cut",
                "tfrec verify shows what is wrong; --overwrite makes all of it anew",
            )
        changed = self._find_mended()
        if changed:
            raise OutputError(
                f"{self.output}: complete, but an image that was rejected has changed: {changed}",
                "convert again with --overwrite to take it in",
            )
        problems = ProblemList(read_rejects(self.output, self.source.rows))
        return self._finished("already_complete", manifest, problems)

    def _find_mended(self) -> str:
        """The first image, with its line, that is no longer rejected as it was; empty when none is."""
        rejects = read_rejects(self.output, self.source.rows)
        suspects = (problem for problem in rejects if problem.code in IMAGE_REASONS)
        with self._runner() as runner:
            while batch := list(islice(suspects, 32)):
                problem = self._first_changed(runner, batch)
                if problem is not None:
                    return f"line {problem.line}: {problem.image_uri}"
        return ""

    def _first_changed(self, runner: LocalRunner, problems: Sequence[Problem]) -> Problem | None:
        uris = [problem.image_uri for problem in problems]
        results = runner.look(uris, self.source.image_root, self.options.image)
        if results is None and len(problems) > 1:  # the decoder still crashes over one of them
            return next(filter(None, (self._first_changed(runner, [each]) for each in problems)), None)
        for problem, result in zip(problems, results or [], strict=False):
            if result is None or result[0] != problem.code:
                return problem
        return None

    def _finished(self, status: Status, manifest: Mapping[str, Any], problems: ProblemList) -> ConvertResult:
        label_kind = manifest["label_kind"] if manifest["num_labels"] else ""
        command = mend_command(self.source, str(self.output), label_kind, self.options)
        return outcome.finished(status, self.output, self.options, manifest, problems, command)

    def _make(self, workspace: Workspace, identity: Identity) -> ConvertResult:
        plan = load_plan(workspace.plan)
        if plan is not None and plan.identity != identity.digest:
            if not self.options.run.overwrite:
                changed = identity.changes_since(plan.identity, plan.options)
                raise OutputError(
                    f"{self.output}: an unfinished conversion is here, made with another value of: {changed}",
                    "run that command again to finish it, or use --overwrite to start anew",
                )
            plan = None
        if plan is None:
            workspace.start_over()
        workspace.prepare()
        with self._runner() as runner:
            runner.warm_up()
            if plan is None:
                made = self._plan(runner, workspace)
                if isinstance(made, ConvertResult):
                    return made
                plan = made
            return self._execute(runner, workspace, plan)

    # --- steps ---

    def _plan(self, runner: LocalRunner, workspace: Workspace) -> Plan | ConvertResult:
        """A new plan, or why none is carried out. The label map, which can be large, is not kept."""
        planned = make_plan(self.source, self.options, workspace.work / "plan.new", self.reporter)
        plan = planned.plan
        if not plan.planned or not self.options.run.allows_rejects(plan.total("rejected"), plan.rows):
            return outcome.refused(self.output, self.options, planned)
        self._try_sample(runner, plan)
        workspace.adopt_plan()
        return plan

    def _need_same(self, manifest: Mapping[str, Any], identity: Identity) -> None:
        """Refuses to touch a finished dataset of other input or options."""
        changed = identity.changes_since(manifest["identity"], manifest["options"])
        if not changed:
            return
        raise OutputError(
            f"{self.output}: a finished dataset is here, made with another value of: {changed}",
            "use --overwrite to replace it, or choose another output directory",
        )

    def _runner(self) -> LocalRunner:
        return LocalRunner(self.options.run.workers or available_cores())

    def _try_sample(self, runner: LocalRunner, plan: Plan) -> None:
        """Looks at a few images before the work: when none can be used, something is wrong at large.

        Raises:
          InputError: naming what was tried, and what to do.
        """
        uris = [uri for _, uri in plan.sample]
        results = runner.look(uris, self.source.image_root, self.options.image)
        problems = [result for result in results or [None] if result is not None]
        if len(problems) < len(results or [None]):
            return
        code, reason = problems[0]
        hint = "is --image-root right?" if code == "not_found" else "is this the right list?"
        name, path = self.source.rows.name, os.path.join(self.source.image_root, uris[0])
        raise InputError(
            f"{name}: none of {len(uris)} images tried can be used; "
            f"line {plan.sample[0][0]}: {path}: {reason}",
            hint,
            code="no_usable_image",
        )

    def _execute(self, runner: LocalRunner, workspace: Workspace, plan: Plan) -> ConvertResult:
        resumed = done_rows = 0
        rejected = plan.total("rejected")
        for info in filter(None, map(finished_shard, self._tasks(workspace, plan))):
            resumed += 1
            done_rows += info.planned
            rejected += len(info.rejects)
        limit = _RejectLimit(self.options, plan.rows, rejected, self.reporter)
        todo = (task for task in self._tasks(workspace, plan) if not finished_shard(task))
        self.reporter.start(plan.planned, done_rows)
        try:
            runner.run(todo, limit.on_progress)
        except Stopped:
            problems = ProblemList(known_problems(workspace))
            for info in filter(None, map(finished_shard, self._tasks(workspace, plan))):
                problems.add_rejects(info.rejects, info.split)
            problems.add_rejects(runner.rejects, "")
            return outcome.stopped(self.output, self.options, plan, limit.rejected, problems.shown())
        finally:
            self.reporter.finish()
        return self._finish(workspace, plan, resumed, plan.planned - done_rows)

    def _tasks(self, workspace: Workspace, plan: Plan) -> Iterator[ShardTask]:
        return plan_tasks(plan, workspace, self.source.image_root)

    def _finish(self, workspace: Workspace, plan: Plan, resumed: int, rows: int) -> ConvertResult:
        tasks = self._tasks(workspace, plan)
        manifest, problems = finish_dataset(workspace, plan, tasks, self.source.rows)
        seconds = time.monotonic() - self.started
        return replace(
            self._finished("complete", manifest, problems),
            resumed_shards=resumed,
            seconds=round(seconds, 3),
            images_per_second=round(rows / seconds, 1),
        )


class _RejectLimit:
    """Passes progress on and counts rejects, to stop early where that was asked for."""

    def __init__(self, options: ConvertOptions, rows: int, rejected: int, reporter: Reporter) -> None:
        self._options = options.run
        self._rows = rows
        self._reporter = reporter
        self.rejected = rejected

    def on_progress(self, rows: int, rejected: int, size: int) -> bool:
        self._reporter.advance(rows, rejected, size)
        self.rejected += rejected
        return self._options.fail_fast and not self._options.allows_rejects(self.rejected, self._rows)
