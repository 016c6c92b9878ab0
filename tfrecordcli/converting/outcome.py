"""Results of conversions, one function for each way that a command can end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tfrecordcli.converting.doubts_of_boxes import doubts_of_boxes
from tfrecordcli.dataset.manifest import COUNTS, Manifest
from tfrecordcli.dataset.plan import Plan
from tfrecordcli.formats.typed_json import plain
from tfrecordcli.naming import BOXES_LEFT_OUT
from tfrecordcli.options import ConvertOptions, RunOptions
from tfrecordcli.planning.planner import Planned
from tfrecordcli.planning.problem_groups import ProblemGroup
from tfrecordcli.planning.scan import RowProblem
from tfrecordcli.reasons import RECORD_REASONS
from tfrecordcli.result import ConvertResult, RejectedRow, RejectGroup, Status
from tfrecordcli.schema import NO_SPLIT, SPLITS
from tfrecordcli.sources.places import OF_ONE_BOX, Places, Where, lines_told, with_places_told
from tfrecordcli.storage.store_path import Place
from tfrecordcli.storage.uris import public_uri
from tfrecordcli.units import plural
from tfrecordcli.workdir.rejects import ProblemList

# Names of labels that a result carries for showing.
_SHOWN_LABELS = 20
_FRAMES = {
    "auto": "the photo of the size that the list tells, else the upright one",
    "upright": "the upright photo",
    "stored": "the photo as it is stored",
}
_SPLIT_MAP = "; --split-map WORD=train, or WORD=discard, says what other words of splits stand for"


def planned(
    output: Place, options: ConvertOptions, planned: Planned, manifest: Manifest | None
) -> ConvertResult:
    """Of a dry run. ``manifest`` is that of a dataset which would be replaced."""
    result = _of_plan("planned", output, options, planned, manifest)
    if result.boxes:
        frame = _FRAMES[options.image.box_frame]
        told = f"of photos that EXIF turns, boxes are taken to be drawn on {frame} (--box-frame)"
        result = replace(result, remarks=(*result.remarks, told))
    why = objection(planned.plan, options.run)
    if not why:
        return result
    return replace(result, warnings=(*result.warnings, f"convert would read no image: {why}"))


def plan_made(output: Place, options: ConvertOptions, planned: Planned) -> ConvertResult:
    """Of `tfrec plan`. Its rejects are judged with those of the images, when the dataset is finished."""
    return replace(_of_plan("planned", output, options, planned, None), exit_code=0)


def objection(plan: Plan, run: RunOptions) -> str:
    """Why no image of this plan is to be read; empty when nothing speaks against it."""
    rejected = plan.total("rejected")
    wanted = plan.rows - plan.total("discarded")
    splits = _SPLIT_MAP if 2 * plan.problem_codes.get("unknown_split", 0) > wanted else ""
    if not plan.planned:
        return f"no row can be used{splits}"
    if run.allows_rejects(rejected, plan.rows):
        return ""
    if run.fail_fast:
        return f"{plural(rejected, 'row')} cannot be used, more than --max-rejects allows (--fail-fast)"
    if 2 * rejected > wanted:
        return f"only {wanted - rejected:,} of {plural(wanted, 'row')} can be used, less than half{splits}"
    return ""


def refused(output: Place, options: ConvertOptions, planned: Planned) -> ConvertResult:
    """When there is an `objection` to the plan."""
    why = objection(planned.plan, options.run)
    return replace(_of_plan("failed", output, options, planned, None), error=why, exit_code=1)


def _of_plan(
    status: Status,
    output: Place,
    options: ConvertOptions,
    planned: Planned,
    manifest: Manifest | None,
) -> ConvertResult:
    plan = planned.plan
    rejected = plan.total("rejected")
    good = bool(plan.planned) and options.run.allows_rejects(rejected, plan.rows)
    warnings = plan.warnings
    if manifest is not None and not options.run.overwrite:
        warnings = (*warnings, f"a finished dataset is in {output}; only --overwrite replaces it")
    return _result(
        status,
        output,
        options,
        plan,
        exit_code=0 if good else 1,
        records=plan.planned if status == "planned" else 0,
        rejected=rejected,
        reasons=plan.problem_codes,
        splits=_planned_splits(plan, is_written=status == "planned"),
        boxes=plain(plan.boxes) if plan.schema.task == "detection" else {},  # as they will be tried
        not_written=0 if status == "planned" else plan.planned,
        problems=_as_json(sorted(planned.problems, key=lambda problem: problem.line)),
        reject_groups=as_groups(planned.groups),
        warnings=warnings,
        labels=tuple(planned.labels.ids)[:_SHOWN_LABELS],
        renumbered_labels=_renumbered(manifest, planned.labels.ids),
    )


def _planned_splits(plan: Plan, *, is_written: bool) -> dict[str, dict[str, int]]:
    """Rows of every split as planned; records are those that will be tried."""
    shards = {split.split: split for split in plan.splits}
    counts = {}
    for name in (*SPLITS, NO_SPLIT):
        tally = plan.tally.get(name, {})
        split = shards.get(name)
        if not tally:
            continue
        counts[name] = {**dict.fromkeys(COUNTS, 0), **tally}
        if split:
            counts[name]["shards"] = split.num_shards
            counts[name]["records"] = split.planned if is_written else 0
    return counts


def _renumbered(manifest: Manifest | None, ids: Mapping[str, int]) -> tuple[str, ...]:
    """`cat: 0 -> 1` for the labels of a finished dataset whose id the new plan changes."""
    before = manifest.labels if manifest else {}
    moved = [name for name, old in before.items() if ids.get(name) != old]
    return tuple(f"{name}: {before[name]} -> {ids.get(name, 'gone')}" for name in moved[:_SHOWN_LABELS])


def stopped(
    output: Place, options: ConvertOptions, plan: Plan, rejected: int, problems: ProblemList
) -> ConvertResult:
    """When fail_fast stopped the work; it can be continued. ``problems`` are those met so far."""
    return _result(
        "failed",
        output,
        options,
        plan,
        exit_code=1,
        records=0,
        rejected=rejected,
        not_written=plan.rows - rejected - plan.total("merged") - plan.total("discarded"),
        reasons=dict(sorted(Counter(problem.code for problem in problems.shown()).items())),
        problems=_as_json(problems.shown()),
        reject_groups=as_groups(problems.groups()),
        error="stopped at the first reject too many (--fail-fast); without it the same command continues",
    )


def finished(
    status: Status,
    output: Place,
    options: ConvertOptions,
    manifest: Manifest,
    problems: ProblemList,
    mend_command: str,
) -> ConvertResult:
    """Of a dataset that stands, made now or before."""
    splits = {name: counts.numbers() for name, counts in manifest.splits.items()}
    rejected = manifest.rejected
    empty = [
        name
        for name, counts in splits.items()
        if name != NO_SPLIT and not counts["records"] and counts["rows"] > counts["discarded"]
    ]
    told = (f"{name} had rows but got no record" for name in empty)
    warnings = (*manifest.warnings, *told, *doubts_of_boxes(output, options, manifest))
    good = options.run.allows_rejects(rejected, manifest.rows) and not empty and manifest.records
    return _result(
        status,
        output,
        options,
        manifest,
        exit_code=0 if good else 1,
        records=manifest.records,
        rejected=rejected,
        reasons=manifest.reasons,
        splits=splits,
        problems=_as_json(problems.shown()),
        reject_groups=as_groups(problems.groups()),
        boxes=plain(manifest.boxes) if manifest.boxes else {},
        boxes_left_out=str(output / BOXES_LEFT_OUT) if BOXES_LEFT_OUT in manifest.files else "",
        notes=manifest.notes,
        warnings=warnings,
        bytes_read=manifest.total("bytes_read"),
        bytes_written=manifest.total("bytes"),
        mend_command=mend_command if manifest.reasons.keys() - RECORD_REASONS else "",
        labels=tuple(manifest.labels)[:_SHOWN_LABELS],
    )


def _result(
    status: Status, output: Place, options: ConvertOptions, of: Plan | Manifest, **more: Any
) -> ConvertResult:
    """A result with what a plan and a manifest tell alike; ``more`` are its other fields."""
    told: dict[str, Any] = {
        "rows": of.rows,
        "merged": of.total("merged"),
        "discarded": of.total("discarded"),
        "num_labels": of.num_labels,
        "label_kind": of.label_kind,
        "warnings": of.warnings,
        "remarks": of.remarks,
    }
    return ConvertResult(status, output_dir=str(output), runner=options.run.runner, **{**told, **more})


def _as_json(problems: Iterable[RowProblem]) -> tuple[RejectedRow, ...]:
    return tuple(
        {"line": p.line, "image_uri": public_uri(p.image_uri), "code": p.code, "reason": p.reason}
        for p in problems
    )


def with_places(result: ConvertResult, places: Places) -> ConvertResult:
    """The same where people know rows by other places than the lines of the list that was read.

    Args:
      places: where the rows of some lines are, as far as it is known; of others None is the line.
    """
    groups = result.reject_groups
    shown = [*result.problems, *(problem for group in groups for problem in group["named"])]
    found = places({line for problem in shown for line in _lines_in(problem)})
    problems = tuple(_placed(problem, found) for problem in result.problems)
    return replace(result, problems=problems, reject_groups=_groups_placed(groups, found))


def groups_with_places(groups: Iterable[RejectGroup], places: Places) -> tuple[RejectGroup, ...]:
    """The same of `as_groups` alone."""
    groups = tuple(groups)
    lines = {line for group in groups for problem in group["named"] for line in _lines_in(problem)}
    return _groups_placed(groups, places(lines))


def _groups_placed(groups: Iterable[RejectGroup], found: Mapping[int, Where]) -> tuple[RejectGroup, ...]:
    return tuple(
        {
            **group,
            "reason": with_places_told(group["code"], group["reason"], found),
            "named": tuple(_placed(problem, found) for problem in group["named"]),
        }
        for group in groups
    )


def _lines_in(problem: RejectedRow) -> set[int]:
    """The line of a rejected row, and those that contradict it."""
    lines = set() if problem["line"] is None else {problem["line"]}
    return lines | lines_told(problem["code"], problem["reason"])


def _placed(problem: RejectedRow, found: Mapping[int, Where]) -> RejectedRow:
    where = None if problem["line"] is None else found.get(problem["line"])
    reason = with_places_told(problem["code"], problem["reason"], found)
    if where is None:
        return {**problem, "line": None, "reason": reason}
    if problem["code"] not in OF_ONE_BOX:
        where = where.of_image()
    placed: RejectedRow = {"place": where.place, **problem, "line": where.line, "reason": reason}
    return {"source": where.source, **placed} if where.source else placed


def as_groups(groups: Iterable[ProblemGroup]) -> tuple[RejectGroup, ...]:
    """As `ConvertResult.reject_groups` has them."""
    return tuple(
        {"code": group.code, "reason": group.reason, "rows": group.rows, "named": _as_json(group.named)}
        for group in groups
    )
