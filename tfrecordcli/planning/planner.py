"""Makes the plan: source rows in, `plan.json`, a label file and one task file a shard out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tfrecordcli.boxes import Unit, has_boxes
from tfrecordcli.dataset.boxes_left_out import rows_of
from tfrecordcli.dataset.checksummed_json import crc32c_of, dump
from tfrecordcli.dataset.label_map_pbtxt import to_pbtxt
from tfrecordcli.dataset.labels import LabelMap
from tfrecordcli.dataset.plan import (
    PLAN_FILE,
    Plan,
    SplitPlan,
    plan_splits,
)
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.formats.typed_json import encodable
from tfrecordcli.images.gate import PORTABLE, settled, told
from tfrecordcli.naming import BOXES_LEFT_OUT, LABEL_MAP, LABELS
from tfrecordcli.options import ConvertOptions
from tfrecordcli.planning.identity import identity_of
from tfrecordcli.planning.plan_notes import remarks_of, warnings_of
from tfrecordcli.planning.plan_progress import PlanProgress
from tfrecordcli.planning.problem_groups import ProblemGroup
from tfrecordcli.planning.record_size import mean_bytes
from tfrecordcli.planning.scan import PROBLEMS_FILE, RowProblem, Scan
from tfrecordcli.planning.sorted_rows import SortedRows, sort_rows
from tfrecordcli.planning.split_rows import write_tasks
from tfrecordcli.progress import Reporter
from tfrecordcli.sources.boxes.unit import told_within_one, unit_of
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.misread.units_apart import parted_units
from tfrecordcli.sources.source import Source, need_unchanged
from tfrecordcli.storage.writing import write_whole
from tfrecordcli.units import plural

# Planned rows that are tried before the work.
_TRIED = 32


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan just made, and what only its maker needs: labels, the first problems, all of them grouped."""

    plan: Plan
    labels: LabelMap
    problems: tuple[RowProblem, ...]
    groups: tuple[ProblemGroup, ...]


def make_plan(
    source: Source, options: ConvertOptions, folder: Path, reporter: Reporter | None = None
) -> Planned:
    """Reads the whole source and fixes which row goes to which shard.

    Args:
      source: what is converted.
      options: of the conversion.
      folder: an existing empty folder that the plan is written to, `plan.json` last.
      reporter: told how it goes on.

    Raises:
      InputError: the source is not an image list, no row of it can be used, or it changed meanwhile.
    """
    progress = PlanProgress(source, reporter or Reporter())
    shape, blocks = source.rows.read_blocks(progress.on_bytes)
    done = sort_rows(blocks, source, options, folder, progress)
    need_unchanged(source)
    if not done.scan.tally.of("rows"):
        raise InputError(f"{source.rows.name}: there is a header but no row", "is it the right file?")
    plan = _plan_of(source, options, done, shape, folder)
    tasks = tuple(write_tasks(plan, folder))
    write_whole(folder / LABELS, done.labels.text().encode())
    names = [LABELS, PROBLEMS_FILE]
    if source.left_out:
        write_whole(folder / BOXES_LEFT_OUT, rows_of(source.left_out).encode())
        names.append(BOXES_LEFT_OUT)
    if source.schema.task == "detection":
        write_whole(folder / LABEL_MAP, to_pbtxt(done.labels.ids).encode())
        names.append(LABEL_MAP)
    files = {name: crc32c_of(folder / name) for name in names}
    plan = dataclasses.replace(plan, files=files, tasks=tasks)
    write_whole(folder / PLAN_FILE, dump(plan, indent=1))
    problems = done.scan.problems
    return Planned(plan, done.labels, tuple(problems.shown), problems.groups.groups())


def _plan_of(
    source: Source, options: ConvertOptions, done: SortedRows, shape: CsvShape, folder: Path
) -> Plan:
    fixed = {split for split, _ in options.shard.num_shards}
    needs_sizes = "" not in fixed and not fixed >= done.counts.keys()
    is_table = source.schema.task == "tabular"
    mean = mean_bytes(done.sample, source) if needs_sizes else 0.0
    identity = identity_of(source, options)
    unit, said = _unit_of(source, options, done, shape)
    return Plan(
        identity=identity.digest,
        options=identity.options,
        rows=done.scan.tally.of("rows"),
        tally=_tally_by_split(done.scan),
        splits=_splits_of(done, options, mean, source.rows.tells_lines),
        label_kind=done.labels.kind,
        num_labels=len(done.labels.ids),
        problem_codes=dict(sorted(done.scan.problems.codes.items())),
        warnings=_as_text(
            *source.doubts, *_unit_doubt(options, shape, unit), *warnings_of(done, source, options, folder)
        ),
        remarks=_as_text(
            *source.notes, *shape.notes, *said, *_boxes_said(shape), *remarks_of(done, source, options)
        ),
        schema=source.schema,
        unit=unit,
        numbers_images=not source.has_ids,
        boxes=dataclasses.replace(done.scan.boxes, left_out=len(source.left_out)),
        sample=() if is_table else tuple((row.line, row.image_uri) for row in done.sample[:_TRIED]),
        tells_lines=source.rows.tells_lines,
        gate=PORTABLE if is_table else told(settled(options.image.gate)),
    )


def _as_text(*sentences: str) -> tuple[str, ...]:
    """Sentences as files of JSON can hold them: the name of a file may be of any bytes."""
    return tuple(map(encodable, sentences))


def _unit_of(
    source: Source, options: ConvertOptions, done: SortedRows, shape: CsvShape
) -> tuple[Unit, list[str]]:
    """The unit of the boxes of a list, and what is said of it."""
    if shape.boxes is None or not shape.boxes.extremes.count:
        return "pixels", []
    if options.read.box_unit != "auto":
        return options.read.box_unit, []
    images = ((row.image_uri, row.boxes) for row in done.sample if has_boxes(row.boxes))
    try:
        return unit_of(shape.boxes.extremes, images, source.image_root, source.rows.name)
    except InputError as error:
        are_of_two = shape.boxes.extremes.are_of_two_units()
        raise (parted_units(error, source.rows) if are_of_two else error) from None


def _boxes_said(shape: CsvShape) -> Iterator[str]:
    """What of boxes is stored otherwise than the list has it."""
    if shape.boxes is not None:
        yield from shape.boxes.counts.notes()


def _unit_doubt(options: ConvertOptions, shape: CsvShape, unit: Unit) -> Iterator[str]:
    """That boxes which are taken to be in pixels look like fractions."""
    if unit == "pixels" and shape.boxes is not None:
        yield from told_within_one(shape.boxes.extremes, options.read.box_unit)


def _splits_of(
    done: SortedRows, options: ConvertOptions, mean_bytes: float, tells_lines: bool
) -> tuple[SplitPlan, ...]:
    """As `plan_splits`, which blames --num-shards for rows that are missing because they cannot be used."""
    try:
        return plan_splits(done.counts, options.shard, mean_bytes)
    except UsageError as error:
        groups = done.scan.problems.groups.groups()
        if not groups:
            raise
        first = groups[0].named[0]
        count = plural(done.scan.problems.count, "row")
        where = f"line {first.line}" if tells_lines else first.image_uri
        why = f"{count} cannot be used, as {where}: {first.reason}"
        raise UsageError(error.message, f"{error.hint}, or mend the list: {why}") from None


def _tally_by_split(scan: Scan) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for (split, outcome), count in sorted(scan.tally.counts.items()):
        if count:
            table.setdefault(split, {})[outcome] = count
    return table
