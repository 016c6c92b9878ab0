"""The use cases `convert` and `plan`: source -> plan -> runner -> shards -> manifest last."""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tfrecordcli import outcome
from tfrecordcli.dataset.finished_files import need_files
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.manifest_file import DamagedManifest, load_manifest
from tfrecordcli.dataset.plan import Plan
from tfrecordcli.errors import InputError, OutputError, UsageError
from tfrecordcli.execution import RejectLimit, execute
from tfrecordcli.images.gate import PORTABLE, AnyGate, Gate, is_here, name_of, need_gate, settled
from tfrecordcli.mending import mend_command
from tfrecordcli.naming import REJECTS, WORK_DIR
from tfrecordcli.options import ConvertOptions, ImageOptions, make_options
from tfrecordcli.planning.identity import Identity, identity_of
from tfrecordcli.planning.planner import make_plan
from tfrecordcli.planning.scan import Problem
from tfrecordcli.progress import Reporter
from tfrecordcli.reasons import IMAGE_REASONS
from tfrecordcli.result import ConvertResult, Status
from tfrecordcli.runners.choice import Choice, choose_runner
from tfrecordcli.runners.runner import Runner, Stopped
from tfrecordcli.sources.missing_images import missing_hint
from tfrecordcli.sources.places import Where, places_of
from tfrecordcli.sources.several.joined import open_sources
from tfrecordcli.sources.source import Source
from tfrecordcli.split_words import DISCARD
from tfrecordcli.storage.scratch import scratch_folder
from tfrecordcli.storage.store import forget_stores, hint_of
from tfrecordcli.storage.store_path import Place, place_of
from tfrecordcli.storage.uris import is_on_store, public_place, scheme_of
from tfrecordcli.storage.writing import writing_to
from tfrecordcli.workdir.finishing import finish_dataset, known_problems, load_planned, need_whole
from tfrecordcli.workdir.job import Job, load_plan
from tfrecordcli.workdir.lease import Lease
from tfrecordcli.workdir.origin import need_rows, save_origin
from tfrecordcli.workdir.rejects import ProblemList, read_rejects
from tfrecordcli.workdir.replacement import check_strangers, roll_forward
from tfrecordcli.workdir.workspace import Workspace, check_output_dir, locked, missing_folders, scratch_for

_FIRST_ROWS: Final = 1_000


def convert(
    source: Any, output_dir: str | os.PathLike[str], *, reporter: Reporter | None = None, **values: Any
) -> ConvertResult:
    """Converts a source; see `tfrecordcli.convert`.

    Args:
      reporter: told about progress.
    """
    with _opened(source, output_dir, reporter, values) as opened:
        return opened.told(opened.plan_only() if opened.options.run.dry_run else opened.convert())


def plan(
    source: Any, output_dir: str | os.PathLike[str], *, reporter: Reporter | None = None, **values: Any
) -> ConvertResult:
    """Makes the plan of a conversion and leaves it in the output directory.

    `tfrecordcli.steps.write_shards` and `finish` do the rest, on any number of machines.
    """
    with _opened(source, output_dir, reporter, values) as opened:
        if opened.source.is_unpacked:
            raise UsageError(
                f"{opened.source.given}: gzip is unpacked on this machine, for tfrec convert alone",
                "unpack the files (gunzip -k), then plan over these",
            )
        return opened.told(opened.convert(stop_at_plan=True))


@contextlib.contextmanager
def _opened(
    source: Any, output_dir: str | os.PathLike[str], reporter: Reporter | None, values: Mapping[str, Any]
) -> Iterator[_Run]:
    forget_stores()
    options = make_options(values)
    _need_current_directory()
    if not os.fspath(output_dir):
        raise UsageError("OUTPUT_DIR is empty", "is a variable unset?")
    reporter = reporter or Reporter()
    runner = choose_runner(options.run, os.fspath(output_dir), reporter)
    image = replace(options.image, gate=_gate_for(runner, options.image.gate))
    options = replace(options, run=replace(options.run, runner=runner.name), image=image)
    output = place_of(output_dir)
    with open_sources(source, options.read, str(output), reporter) as opened:
        if runner.need_images is not None:
            runner.need_images(_first_images(opened), opened.image_root)
        if opened.box_frame != "auto" and options.image.box_frame == "auto":
            options = replace(options, image=replace(options.image, box_frame=opened.box_frame))
        yield _Run(opened, output, options, runner, reporter)


def _gate_for(runner: Choice, asked: AnyGate) -> AnyGate:
    """The gate that was asked for, as far as the workers can have it.

    Raises:
      UsageError: they, or this process, cannot.
    """
    settled(asked)
    if asked == "native" and runner.sends_package:
        raise UsageError(
            f"--gate native: workers of {runner.name} get tfrec without what was compiled of it",
            "give them a container that has it (deploy/Dockerfile): --beam-option sdk_container_image=…",
        )
    return PORTABLE if runner.sends_package else asked


def _first_images(source: Source) -> Iterator[str]:
    """The images of the first rows: planning can take hours, and what is wrong at large shows here."""
    if source.schema.task == "tabular":
        return iter(())
    _, rows = source.rows.read()
    used = (row for row in islice(rows, _FIRST_ROWS) if row.problem is None and row.split != DISCARD)
    return (row.image_uri for row in used)


def _counted(problems: Iterable[Problem], codes: Counter[str]) -> Iterator[Problem]:
    for problem in problems:
        codes[problem.code] += 1
        yield problem


def _need_current_directory() -> None:
    """Without one even libraries of images fail, and good rows would be taken for damaged."""
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("the current directory was deleted", "change to another one") from None


class _Run:
    """One conversion: what its steps share."""

    def __init__(
        self, source: Source, output: Place, options: ConvertOptions, runner: Choice, reporter: Reporter
    ) -> None:
        self.source = source
        self.output = output
        self.options = options
        self.runner = runner
        self.reporter = reporter
        self.lease: Lease | None = None
        self.started = time.monotonic()

    # --- the ways a command can go ---

    def told(self, result: ConvertResult) -> ConvertResult:
        """A result as the user of this source knows it."""
        return result if self.source.rows.tells_lines else outcome.with_places(result, self._places)

    def _places(self, lines: Set[int]) -> Mapping[int, Where]:
        return places_of(self.source.rows, lines)

    def _where(self, line: int) -> str:
        """What a message says of a row before its image; empty where the image says enough."""
        if self.source.rows.tells_lines:
            return f"line {line}: "
        where = self._places({line}).get(line)
        return f"{where.of_image()}: " if where and str(where) else ""

    def plan_only(self) -> ConvertResult:
        """A dry run: the plan, made in a temporary folder, and what is drawn of it."""
        sheet = self._sheet_path()
        with scratch_folder() as folder, writing_to(folder):
            planned = make_plan(self.source, self.options, folder, self.reporter)
            shown = self._draw(planned.plan, folder, sheet) if sheet else {}
        check_output_dir(self.output)
        result = outcome.planned(self.output, self.options, planned, self._standing()[1])
        return replace(result, sheet=shown)

    def _draw(self, plan: Plan, folder: Path, path: Path) -> dict[str, Any]:
        """Draws a preview; what the result tells of it.

        Raises:
          InputError: none of the images on it can be used.
        """
        from tfrecordcli.preview import draw_preview  # it brings Pillow and NumPy

        drawn = draw_preview(plan, folder, self.source, self.options.image, path)
        if drawn.images and drawn.images == len(drawn.problems):
            row, problem = drawn.problems[0]
            tried = [row.image_uri for row, _ in drawn.problems]
            raise self._none_usable(tried, (row.line, row.image_uri), (problem.code, problem.reason))
        if not drawn.images:
            return {}
        return {"file": str(path), "images": drawn.images, "rejected": len(drawn.problems)}

    def _sheet_path(self) -> Path | None:
        """Where the preview goes, if one is wanted: never into the output directory.

        Raises:
          UsageError, OutputError: it cannot go there.
        """
        given = self.options.run.sheet
        if given is None:
            return None
        from tfrecordcli.contact_sheet import check_sheet_path

        if self.source.schema.task == "tabular":
            raise UsageError("--sheet draws images, and these rows have none", "leave it out")
        path = Path(given)
        check_sheet_path(path)
        if isinstance(self.output, Path) and path.resolve().is_relative_to(self.output.resolve()):
            raise UsageError(
                f"--sheet {path}: a dry run writes nothing into OUTPUT_DIR", "choose another place"
            )
        return path

    def convert(self, *, stop_at_plan: bool = False) -> ConvertResult:
        """A conversion, or the part of it before the first shard is made."""
        check_output_dir(self.output)
        manifest = None if self.options.run.overwrite else self._finished_and_left()
        if manifest is not None:
            return self._again(manifest, identity_of(self.source, self.options))
        made = missing_folders(self.output)
        with (
            scratch_for(self.output) as scratch,
            locked(self.output / WORK_DIR) as self.lease,
            writing_to(self.output),
        ):
            roll_forward(self.output)
            workspace = Workspace(self.output, scratch=scratch)
            try:
                is_there, manifest = self._standing()
                identity = identity_of(self.source, self.options)
                if manifest is not None and not self.options.run.overwrite:
                    result = self._again(manifest, identity)
                    self._forget_finished(workspace, identity)
                    return result
                if is_there:
                    check_strangers(self.output, manifest)
                return self._make(replace(workspace, replaces=is_there), identity, stop_at_plan)
            finally:
                # A plan that lost its plan.json stays: by it the shards are known to be tfrec's own.
                if load_plan(workspace.plan) is None and not workspace.plan.is_dir():
                    workspace.close(made)

    def _standing(self) -> tuple[bool, Manifest | None]:
        """Whether a dataset is there, and its manifest; None for a damaged one that is to be replaced."""
        try:
            manifest = load_manifest(self.output, label_counts=False)
        except DamagedManifest:
            if not self.options.run.overwrite:
                raise
            return True, None
        return manifest is not None, manifest

    def _finished_and_left(self) -> Manifest | None:
        """The manifest of a dataset that nobody works on. Nothing is written then: it may be read-only."""
        with writing_to(self.output):
            if (self.output / WORK_DIR).exists():
                return None
            return load_manifest(self.output, label_counts=False)

    def _forget_finished(self, workspace: Workspace, identity: Identity) -> None:
        """Clears up after a run that died between its manifest and its end.

        What is left of a plan without its plan.json is of no use to anybody where a dataset is finished.
        """
        plan = load_plan(workspace.plan)
        if plan is None or not identity.changes_since(plan.identity, plan.options):
            workspace.forget_plan()

    def _again(self, manifest: Manifest, identity: Identity) -> ConvertResult:
        """The result of a finished dataset of this very source and options, once more."""
        self._need_same(manifest, identity)
        need_files(self.output, manifest)
        gate = name_of(manifest.gate or PORTABLE)
        changed = self._find_mended(gate) if is_here(gate) else ""
        if changed:
            raise OutputError(
                f"{self.output}: complete, but an image that was rejected has changed: {changed}",
                "convert again with --overwrite to take it in",
            )
        codes: Counter[str] = Counter()
        problems = ProblemList(_counted(read_rejects(self.output, self.source.rows), codes))
        result = self._finished("already_complete", manifest, problems)
        held = (codes & Counter(manifest.reasons)).total()
        warnings = []
        if held != result.rejected:
            warnings.append(
                f"{self.output / REJECTS} was edited: it tells only {held:,} of the {result.rejected:,} rows "
                "that were rejected; whether images of the others were mended is not known"
            )
        if result.rejected and not is_here(gate):
            warnings.append(
                f"whether rejected images were mended is not known: the gate {manifest.gate} judged them, "
                "which is not here"
            )
        return replace(result, warnings=(*result.warnings, *warnings))

    def _find_mended(self, gate: Gate) -> str:
        """The first image, with its line, that is no longer rejected as it was; empty when none is."""
        image = replace(self.options.image, gate=gate)
        rejects = read_rejects(self.output, self.source.rows)
        suspects = (problem for problem in rejects if problem.code in IMAGE_REASONS)
        with self.runner.start() as runner:
            while batch := list(islice(suspects, 32)):
                problem = self._first_changed(runner, batch, image)
                if problem is not None:
                    return f"{self._where(problem.line)}{problem.image_uri}"
        return ""

    def _first_changed(
        self, runner: Runner, problems: Sequence[Problem], image: ImageOptions
    ) -> Problem | None:
        uris = [problem.image_uri for problem in problems]
        results = runner.look(uris, self.source.image_root, image)
        if results is None and len(problems) > 1:  # the decoder still crashes over one of them
            alone = (self._first_changed(runner, [each], image) for each in problems)
            return next(filter(None, alone), None)
        for problem, result in zip(problems, results or [], strict=False):
            if result is None or result[0] != problem.code:
                return problem
        return None

    def _finished(self, status: Status, manifest: Manifest, problems: ProblemList) -> ConvertResult:
        label_kind = manifest.label_kind if manifest.num_labels else ""
        command = mend_command(self.source, str(self.output), label_kind, self.options, manifest.box_unit)
        return outcome.finished(status, self.output, self.options, manifest, problems, command)

    def _make(self, workspace: Workspace, identity: Identity, stop_at_plan: bool) -> ConvertResult:
        plan = load_plan(workspace.plan)
        changed = self._changes_since(plan, identity) if plan is not None else ""
        if changed:
            if not self.options.run.overwrite:
                raise OutputError(
                    f"{self.output}: an unfinished conversion is here, made with another value of: {changed}",
                    "run that command again to finish it, or use --overwrite to start anew",
                )
            plan = None
        if plan is None:
            workspace.start_over()
        else:
            need_gate(plan.gate)
            need_whole(workspace, plan)
        workspace.prepare()
        with self.runner.start() as runner:
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

    # --- steps ---

    def _plan(self, runner: Runner, workspace: Workspace, stop_at_plan: bool) -> Plan | ConvertResult:
        """A new plan, or why none is carried out. The label map, which can be large, is not kept."""
        planned = make_plan(self.source, self.options, workspace.new_plan, self.reporter)
        plan = planned.plan
        for line in (*(f"note: {t}" for t in plan.remarks), *(f"warning: {t}" for t in plan.warnings)):
            self.reporter.tell(line)  # now, and not when millions of images were read in vain
        if outcome.objection(plan, self.options.run):
            return outcome.refused(self.output, self.options, planned)
        rejected = plan.total("rejected")
        if rejected and not stop_at_plan:  # where the command ends with the plan, its summary tells them
            groups = outcome.as_groups(planned.groups)
            if not self.source.rows.tells_lines:
                groups = outcome.groups_with_places(groups, self._places)
            self.reporter.unusable(rejected, plan.rows, groups)
        self._try_sample(runner, plan)
        save_origin(workspace.new_plan, self.source, workspace.replaces)
        workspace.adopt_plan()
        return plan

    def _changes_since(self, plan: Plan, identity: Identity) -> str:
        """What is other than in an unfinished conversion; empty when nothing is."""
        changed = identity.changes_since(plan.identity, plan.options)
        is_same_gate = self.options.image.gate in ("auto", name_of(plan.gate))
        return changed or ("" if is_same_gate or plan.schema.task == "tabular" else "--gate")

    def _need_same(self, manifest: Manifest, identity: Identity) -> None:
        """Refuses to touch a finished dataset of other input or options."""
        changed = identity.changes_since(manifest.identity, manifest.options)
        if not changed:
            return
        raise OutputError(
            f"{self.output}: a finished dataset is here, made with another value of: {changed}",
            "use --overwrite to replace it, or choose another output directory",
        )

    def _try_sample(self, runner: Runner, plan: Plan) -> None:
        """Looks at a few images before the work: when none can be used, something is wrong at large.

        Raises:
          InputError: naming what was tried, and what to do.
        """
        uris = [uri for _, uri in plan.sample]
        image = replace(self.options.image, gate=name_of(plan.gate))
        results = runner.look(uris, self.source.image_root, image)
        problems = [result for result in results or [None] if result is not None]
        if len(problems) < len(results or [None]):
            return
        raise self._none_usable(uris, plan.sample[0], problems[0])

    def _none_usable(self, tried: list[str], first: tuple[int, str], problem: tuple[str, str]) -> InputError:
        """The error for a list of which no image can be used.

        Args:
          tried: the URIs of those that were looked at.
          first: line and URI of one of them.
          problem: its code and reason.
        """
        (line, uri), (code, reason) = first, problem
        hint = "is this the right list?"
        if code == "not_found":
            hint = missing_hint(uri, self.source.image_root, tried)
        path = public_place(self.source.image_root, uri)
        if code == "permission_denied" and is_on_store(path):
            hint = hint_of(scheme_of(path))
        return InputError(
            f"{self.source.rows.name}: none of {len(tried)} images tried can be used; "
            f"{self._where(line)}{path}: {reason}",
            hint,
            code="no_usable_image",
        )

    def _execute(self, runner: Runner, job: Job) -> ConvertResult:
        plan = job.plan
        numbers = range(plan.num_shards)
        limit = RejectLimit(self.options.run, plan.rows, plan.total("rejected"), self.reporter)
        try:
            executed = execute(job, numbers, runner, limit, self.reporter)
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
        manifest, problems = finish_dataset(job, lambda: need_rows(self.source))
        seconds = time.monotonic() - self.started
        link = runner.job_link
        result = self._finished("complete", manifest, problems)
        return replace(
            result,
            warnings=(*result.warnings, *(self.lease.warnings if self.lease else ())),
            job_id=link.id if link else "",
            job_url=link.url if link else "",
            resumed_shards=executed.resumed,
            seconds=round(seconds, 3),
            images_per_second=round(executed.rows / seconds, 1),
        )
