"""Results of conversions, one function for each way that a command can end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace
from typing import Final

from tfrecordcli.dataset.manifest import Manifest
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
from tfrecordcli.sources.places import Where
from tfrecordcli.storage.store_path import Place
from tfrecordcli.storage.uris import public_uri
from tfrecordcli.units import plural
from tfrecordcli.workdir.rejects import ProblemList

# Where the rows of these lines are.
Places = Callable[[Set[int]], Mapping[int, Where]]

# Codes of rows that contradict others, whose lines the reason names; of those that are about one box.
_CONTRADICTIONS: Final = frozenset(
    {"conflicting_label", "conflicting_split", "conflicting_value", "conflicting_box"}
)
_OF_ONE_BOX: Final = frozenset({"bad_box", "bad_value", "conflicting_box"})
_LINES: Final = re.compile(r"\bline (\d+(?:, \d+)*)")
# Names of labels that a result carries for showing.
_SHOWN_LABELS = 20


def planned(
    output: Place, options: ConvertOptions, planned: Planned, manifest: Manifest | None
) -> ConvertResult:
    """Of a dry run. ``manifest`` is that of a dataset which would be replaced."""
    result = _of_plan("planned", output, options, planned, manifest)
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
    if not plan.planned:
        return "no row can be used"
    if run.allows_rejects(rejected, plan.rows):
        return ""
    if run.fail_fast:
        return f"{plural(rejected, 'row')} cannot be used, more than --max-rejects allows (--fail-fast)"
    if 2 * rejected > wanted:
        return f"only {wanted - rejected:,} of {plural(wanted, 'row')} can be used, less than half"
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
    return ConvertResult(
        status=status,
        exit_code=0 if good else 1,
        output_dir=str(output),
        runner=options.run.runner,
        rows=plan.rows,
        records=plan.planned if status == "planned" else 0,
        rejected=rejected,
        merged=plan.total("merged"),
        discarded=plan.total("discarded"),
        num_labels=plan.num_labels,
        label_kind=plan.label_kind,
        reasons=plan.problem_codes,
        splits=_planned_splits(plan, is_written=status == "planned"),
        boxes=_planned_boxes(plan),
        not_written=0 if status == "planned" else plan.planned,
        problems=_as_json(sorted(planned.problems, key=lambda problem: problem.line)),
        reject_groups=as_groups(planned.groups),
        warnings=warnings,
        remarks=plan.remarks,
        labels=tuple(planned.labels.ids)[:_SHOWN_LABELS],
        renumbered_labels=_renumbered(manifest, planned.labels.ids),
    )


def _planned_boxes(plan: Plan) -> dict[str, int]:
    """Boxes as planned; those stored are those that will be tried."""
    counts: dict[str, int] = plain(plan.boxes) if plan.schema.task == "detection" else {}
    return counts


def _planned_splits(plan: Plan, *, is_written: bool) -> dict[str, dict[str, int]]:
    """Rows of every split as planned; records are those that will be tried."""
    shards = {split.split: split for split in plan.splits}
    counts = {}
    for name in (*SPLITS, NO_SPLIT):
        tally = plan.tally.get(name, {})
        split = shards.get(name)
        if not tally:
            continue
        counts[name] = {
            "rows": tally.get("rows", 0),
            "records": split.planned if split and is_written else 0,
            "rejected": tally.get("rejected", 0),
            "merged": tally.get("merged", 0),
            "discarded": tally.get("discarded", 0),
            "shards": split.num_shards if split else 0,
            "bytes": 0,
        }
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
    return ConvertResult(
        status="failed",
        exit_code=1,
        output_dir=str(output),
        runner=options.run.runner,
        rows=plan.rows,
        records=0,
        rejected=rejected,
        merged=plan.total("merged"),
        discarded=plan.total("discarded"),
        not_written=plan.rows - rejected - plan.total("merged") - plan.total("discarded"),
        num_labels=plan.num_labels,
        label_kind=plan.label_kind,
        reasons=dict(sorted(Counter(problem.code for problem in problems.shown()).items())),
        problems=_as_json(problems.shown()),
        reject_groups=as_groups(problems.groups()),
        warnings=plan.warnings,
        remarks=plan.remarks,
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
    empty = [name for name, counts in splits.items() if _is_empty(name, counts)]
    warnings = (*manifest.warnings, *(f"{name} had rows but got no record" for name in empty))
    good = options.run.allows_rejects(rejected, manifest.rows) and not empty and manifest.records
    return ConvertResult(
        status=status,
        exit_code=0 if good else 1,
        output_dir=str(output),
        runner=options.run.runner,
        rows=manifest.rows,
        records=manifest.records,
        rejected=rejected,
        merged=manifest.total("merged"),
        discarded=manifest.total("discarded"),
        num_labels=manifest.num_labels,
        label_kind=manifest.label_kind,
        reasons=manifest.reasons,
        splits=splits,
        problems=_as_json(problems.shown()),
        reject_groups=as_groups(problems.groups()),
        boxes=plain(manifest.boxes) if manifest.boxes else {},
        boxes_left_out=str(output / BOXES_LEFT_OUT) if BOXES_LEFT_OUT in manifest.files else "",
        notes=manifest.notes,
        warnings=warnings,
        remarks=manifest.remarks,
        bytes_read=manifest.total("bytes_read"),
        bytes_written=manifest.total("bytes"),
        mend_command=mend_command if manifest.reasons.keys() - RECORD_REASONS else "",
        labels=tuple(manifest.labels)[:_SHOWN_LABELS],
    )


def _is_empty(split: str, counts: Mapping[str, int]) -> bool:
    return split != NO_SPLIT and not counts["records"] and counts["rows"] > counts["discarded"]


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
            "reason": _reason_placed(group["code"], group["reason"], found),
            "named": tuple(_placed(problem, found) for problem in group["named"]),
        }
        for group in groups
    )


def _lines_in(problem: RejectedRow) -> set[int]:
    """The line of a rejected row, and those that contradict it."""
    lines = set() if problem["line"] is None else {problem["line"]}
    if problem["code"] in _CONTRADICTIONS:
        for match in _LINES.finditer(problem["reason"]):
            lines |= {int(number) for number in match[1].split(", ")}
    return lines


def _placed(problem: RejectedRow, found: Mapping[int, Where]) -> RejectedRow:
    where = None if problem["line"] is None else found.get(problem["line"])
    reason = _reason_placed(problem["code"], problem["reason"], found)
    if where is None:
        return {**problem, "line": None, "reason": reason}
    if problem["code"] not in _OF_ONE_BOX:
        where = where.of_image()
    placed: RejectedRow = {"place": where.place, **problem, "line": where.line, "reason": reason}
    return {"source": where.source, **placed} if where.source else placed


def _reason_placed(code: str, reason: str, found: Mapping[int, Where]) -> str:
    """A reason that names other rows, with the places of those that are known."""
    if code not in _CONTRADICTIONS:
        return reason

    def told(match: re.Match[str]) -> str:
        places = [found.get(int(number)) for number in match[1].split(", ")]
        wheres = [each if code in _OF_ONE_BOX else each.of_image() for each in places if each]
        return "; ".join(dict.fromkeys(map(str, wheres))) or "another row"

    return _LINES.sub(told, reason)


def as_groups(groups: Iterable[ProblemGroup]) -> tuple[RejectGroup, ...]:
    """As `ConvertResult.reject_groups` has them."""
    return tuple(
        {"code": group.code, "reason": group.reason, "rows": group.rows, "named": _as_json(group.named)}
        for group in groups
    )
