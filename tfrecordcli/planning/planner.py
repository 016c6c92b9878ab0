"""Makes the plan: source rows in, `plan.json`, a label file and one task file a shard out."""

from __future__ import annotations

import dataclasses
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from tfrecordcli.boxes import Unit
from tfrecordcli.dataset.boxes_left_out import rows_of
from tfrecordcli.dataset.checksummed_json import crc32c_of, dump
from tfrecordcli.dataset.label_map_pbtxt import to_pbtxt
from tfrecordcli.dataset.labels import LabelMap, build_label_map, extended, quoted
from tfrecordcli.dataset.plan import (
    LABEL_SEPARATOR,
    PLAN_FILE,
    Plan,
    PlannedRow,
    SplitPlan,
    parse_planned_row,
    plan_splits,
)
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.images.gate import PORTABLE, settled, told
from tfrecordcli.naming import BOXES_LEFT_OUT, LABEL_MAP, LABELS
from tfrecordcli.options import ConvertOptions, ReadOptions
from tfrecordcli.planning.buckets import Buckets
from tfrecordcli.planning.identity import fixed_labels, identity_of
from tfrecordcli.planning.image_key import key_of
from tfrecordcli.planning.label_doubts import made_of_others_warning, need_classes
from tfrecordcli.planning.label_warnings import (
    absent_labels_warning,
    column_warnings,
    is_raised,
    label_warnings,
    only_outside_train,
    several_rows_warning,
    whole_floats_note,
)
from tfrecordcli.planning.plan_progress import PlanProgress
from tfrecordcli.planning.reject_groups import RejectGroup
from tfrecordcli.planning.scan import PROBLEMS_FILE, TELL_EVERY, Problem, ProblemLog, Scan, scan_rows
from tfrecordcli.planning.shuffle import Shuffle
from tfrecordcli.planning.split_assignment import SplitDealer, dealt_by_group
from tfrecordcli.planning.split_shares import lost_split_warning
from tfrecordcli.planning.stratified import StratifiedDealer
from tfrecordcli.progress import Reporter
from tfrecordcli.schema import SPLITS, Schema
from tfrecordcli.sources.box_columns import told_unit
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.row import Row
from tfrecordcli.sources.source import Source, need_unchanged
from tfrecordcli.sources.unused_options import unused_by_rows
from tfrecordcli.storage.network import map_ahead
from tfrecordcli.storage.reading import image_size
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.storage.writing import sync_file, sync_folder, write_whole
from tfrecordcli.units import plural

# Planned rows whose image sizes are looked up, and that are tried before the work.
_SAMPLE = 1_000
_TRIED = 32
# Codes of rows that only the second pass rejects, though their labels are in the map.
_CONTRADICTIONS = frozenset({"conflicting_label", "conflicting_split"})


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan just made, and what only its maker needs: labels, the first problems, all of them grouped."""

    plan: Plan
    labels: LabelMap
    problems: tuple[Problem, ...]
    groups: tuple[RejectGroup, ...]


@dataclass(frozen=True, slots=True)
class _Sorted:
    """What both passes made of the rows: problems and counts, labels, rows a split, the first rows of all.

    ``leaking`` is the column whose groups may be in several splits, as some rows name theirs.
    """

    scan: Scan
    labels: LabelMap
    counts: Mapping[str, int]
    sample: Sequence[PlannedRow]
    leaking: str | None


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
    shape, rows = source.rows.read(progress.on_bytes)
    done = _sort_rows(rows, source, options, folder, progress)
    need_unchanged(source)
    if not done.scan.tally.of("rows"):
        raise InputError(f"{source.rows.name}: there is a header but no row", "is it the right file?")
    plan = _plan_of(source, options, done, shape, folder)
    tasks = tuple(_write_tasks(plan, folder))
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


def _sort_rows(
    rows: Iterable[Row], source: Source, options: ConvertOptions, folder: Path, progress: PlanProgress
) -> _Sorted:
    """Both passes over the rows."""
    buckets = Buckets(folder / "buckets", source.size, options.shard.seed)
    dealer = SplitDealer(options.read.splits, options.read.split_seed)
    with closing(ProblemLog(folder / PROBLEMS_FILE)) as problems:
        met: Counter[str] = Counter()
        if options.read.split_by is not None or source.rows.options.split_by is not None:
            rows = dealt_by_group(rows, dealer, met)
        scan = scan_rows(rows, _of_rows(source, options.read), buckets, problems, progress.on_read)
        scan.dealt.count += met["dealt"]
        stratified = (
            StratifiedDealer(options.read.splits, scan.dealt.count) if options.read.stratify else None
        )
        labels = _label_map(scan, source, options)
        empty_images = options.read.empty_images if source.schema.task == "detection" else ""
        key = key_of(source.image_root, source.rows.is_listing)
        is_table = source.schema.task == "tabular"
        shuffle = Shuffle(scan, labels, dealer, key, empty_images, stratified, keeps_equal=is_table)
        counts, sample = _write_split_rows(problems, shuffle, folder, progress)
        scan.tally.count_rows(counts)
    leaks = met["dealt"] and met["named"]
    return _Sorted(scan, labels, counts, sample, options.read.split_by if leaks else None)


def _of_rows(source: Source, options: ReadOptions) -> ReadOptions:
    """How rows are judged: where there are no labels, none is missing."""
    has_labels = any(feature.key == source.schema.label_key for feature in source.schema.features)
    return options if has_labels else dataclasses.replace(options, unlabelled="keep")


def _plan_of(source: Source, options: ConvertOptions, done: _Sorted, shape: CsvShape, folder: Path) -> Plan:
    fixed = {split for split, _ in options.shard.num_shards}
    needs_sizes = "" not in fixed and not fixed >= done.counts.keys()
    is_table = source.schema.task == "tabular"
    mean = _mean_bytes(done.sample, source) if needs_sizes else 0.0
    identity = identity_of(source, options)
    warnings = _label_warnings(done, options.read, source.rows.is_listing)
    warnings += _outside_train_warnings(done, folder, options.read.stratify)
    rows_of_one = several_rows_warning(done.scan.problems.codes, options.read)
    unit, said = _unit_of(source, options, shape)
    lost = lost_split_warning(done.scan.dealt, done.counts, options.read) if done.counts else ""
    absent = absent_labels_warning(done.scan.labels.unlabelled, done.labels) if options.shard.index else ""
    return Plan(
        identity=identity.digest,
        options=identity.options,
        rows=done.scan.tally.of("rows"),
        tally=_tally_by_split(done.scan),
        splits=_splits_of(done, options, mean, source.rows.tells_lines),
        label_kind=done.labels.kind,
        num_labels=len(done.labels.ids),
        problem_codes=dict(sorted(done.scan.problems.codes.items())),
        warnings=(*source.doubts, *warnings, *filter(None, [rows_of_one, lost, absent])),
        remarks=(*source.notes, *shape.notes, *said, *_remarks(done, options)),
        schema=source.schema,
        unit=unit,
        numbers_images=not source.has_ids,
        boxes=dataclasses.replace(done.scan.boxes, left_out=len(source.left_out)),
        sample=() if is_table else tuple((row.line, row.image_uri) for row in done.sample[:_TRIED]),
        tells_lines=source.rows.tells_lines,
        gate=PORTABLE if is_table else told(settled(options.image.gate)),
    )


def _unit_of(source: Source, options: ConvertOptions, shape: CsvShape) -> tuple[Unit, list[str]]:
    """The unit of the boxes of a list, and what is said of it."""
    if shape.boxes is None or not shape.boxes.extremes.count:
        return "pixels", []
    if options.read.box_unit != "auto":
        return options.read.box_unit, []
    unit = shape.boxes.extremes.unit(source.rows.name)
    return unit, [told_unit(unit, shape.boxes.extremes)]


def _splits_of(
    done: _Sorted, options: ConvertOptions, mean_bytes: float, tells_lines: bool
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


def _remarks(done: _Sorted, options: ConvertOptions) -> Iterator[str]:
    """What was decided about the rows as a whole."""
    if done.leaking:
        yield f"rows of one {done.leaking} may be in several splits: some of the rows name theirs"
    if options.read.stratify and done.scan.dealt.count:
        yield "splits are stratified: rows that are added later may move others to another split"
    if options.shard.tfds and options.shard.compression != "none":
        yield "TensorFlow Datasets opens plain shards only: its files are not written beside gzip ones"
    floats = whole_floats_note(done.labels, options.read.label_type, done.scan.labels.splits)
    if floats:
        yield floats
    ids = done.labels.ids
    if done.labels.kind == "name" and not done.labels.source and is_raised(ids):
        yield "label ids are the numbers of the list plus 1: in lists of boxes 0 stands for the background"
    yield from unused_by_rows(
        options, done.scan.dealt.count, done.counts, [row.image_uri for row in done.sample]
    )


def _label_map(scan: Scan, source: Source, options: ConvertOptions) -> LabelMap:
    labels = fixed_labels(source, options)
    if labels is None:
        try:
            if source.schema.task in ("classification", "tabular") and not source.label_ids:
                need_classes(
                    scan.labels.used(),
                    options.read,
                    several=scan.labels.several,
                    are_folders=source.rows.is_listing,
                )
            return build_label_map(
                scan.labels.splits, options.read.label_type, source.schema.first_id, source.label_ids
            )
        except InputError as error:
            raise InputError(f"{source.rows.name}: {error.message}", error.hint) from None
    return extended(labels, scan.labels.splits) if options.read.new_labels == "append" else labels


def _write_split_rows(
    problems: ProblemLog, shuffle: Shuffle, folder: Path, progress: PlanProgress
) -> tuple[dict[str, int], list[PlannedRow]]:
    """Writes each split's rows in shuffled order; returns rows a split and the first rows of all."""
    counts: dict[str, int] = dict.fromkeys(SPLITS, 0)
    sample: list[PlannedRow] = []
    told = 0
    with ExitStack() as stack:
        files = {split: stack.enter_context(_text_file(_split_path(folder, split), "w")) for split in SPLITS}
        for planned in shuffle.lines(problems.add):
            for split, file in files.items():
                lines = [line for of, line in planned if of == split]
                file.writelines(lines)
                counts[split] += len(lines)
            sample += [parse_planned_row(line) for _, line in planned[: _SAMPLE - len(sample)]]
            if sum(counts.values()) - told >= TELL_EVERY:
                told = sum(counts.values())
                progress.on_planned(told)
    shutil.rmtree(folder / "buckets")
    return {split: count for split, count in counts.items() if count}, sample


def _write_tasks(plan: Plan, folder: Path) -> list[int]:
    """Cuts each split's rows into one task file a shard; returns the checksum of each."""
    checksums = []
    (folder / "tasks").mkdir()
    shards = plan.shards()
    for split in plan.splits:
        with _text_file(_split_path(folder, split.split), "r") as rows:
            for name, length in islice(shards, split.num_shards):
                path = folder / "tasks" / name.stem
                with _text_file(path, "w") as task:
                    task.writelines(islice(rows, length))
                    sync_file(task)
                checksums.append(crc32c_of(path))
    for split_name in SPLITS:
        _split_path(folder, split_name).unlink()
    sync_folder(folder / "tasks")
    return checksums


def _split_path(folder: Path, split: str) -> Path:
    return folder / f"{split}.rows"


def _text_file(path: Path, mode: str) -> IO[str]:
    return open(path, mode, encoding="utf-8", newline="\n")


def _mean_size(sample: Iterable[PlannedRow], root: str) -> float:
    uris = [row.image_uri for row in sample]
    remote = any(map(is_remote, (root, *uris)))
    sizes = [
        size
        for size in (map_ahead if remote else map)(lambda uri: image_size(uri, root), uris)
        if size is not None
    ]
    return sum(sizes) / len(sizes) if sizes else 0.0


def _mean_bytes(sample: Sequence[PlannedRow], source: Source) -> float:
    """About how many bytes a record takes."""
    if source.schema.task == "tabular":
        return _mean_row(sample, source.schema)
    return _mean_size(sample, source.image_root)


def _mean_row(sample: Sequence[PlannedRow], schema: Schema) -> float:
    """About how many bytes the record of a row without an image takes: its keys, its fields, their frames."""
    keys = sum(len(feature.key.encode()) + 12 for feature in schema.features)
    fields = sum(len(text.encode()) for row in sample for text in (*row.extras, *row.label_texts))
    return keys + fields / max(1, len(sample))


def _tally_by_split(scan: Scan) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for (split, fate), count in sorted(scan.tally.counts.items()):
        if count:
            table.setdefault(split, {})[fate] = count
    return table


def _label_warnings(done: _Sorted, options: ReadOptions, are_folders: bool) -> list[str]:
    census = done.scan.labels
    labelled = sum(done.counts.values()) - census.unlabelled
    is_told = bool(done.labels.source) or census.several or are_folders
    several = "" if is_told else made_of_others_warning({*census.used()}, options)
    return [
        *label_warnings(done.labels, options.label_type),
        *filter(None, [several]),
        *column_warnings(census.used(), labelled, census.several, are_folders),
    ]


def _outside_train_warnings(done: _Sorted, folder: Path, stratified: bool) -> Iterator[str]:
    """Of labels that records of other splits have, and none of train."""
    if stratified:
        yield from _outside_train_of_files(done, folder)
        return
    census = done.scan.labels
    names = only_outside_train(done.labels, census.missing_from("train"), census.within("train"))
    if names and done.scan.problems.codes.keys() & _CONTRADICTIONS:
        others = [split for split in done.counts if split != "train"]
        met = _labels_of_rows(_split_path(folder, split) for split in others)
        names = [name for name in names if name in met]
    if names and "train" in done.counts:
        yield _only_outside_train(names)


def _outside_train_of_files(done: _Sorted, folder: Path) -> Iterator[str]:
    """The same where the splits of rows are known only from the second pass."""
    others = _labels_of_rows(_split_path(folder, split) for split in done.counts if split != "train")
    if "train" in done.counts:
        names = sorted(others - _labels_of_rows([_split_path(folder, "train")]))
        yield from [_only_outside_train(names)] if names else []


def _only_outside_train(names: Sequence[str]) -> str:
    shown = ", ".join(map(quoted, names[:3])) + (", …" if len(names) > 3 else "")
    return f"labels that occur only outside train: {shown}"


def _labels_of_rows(paths: Iterable[Path]) -> set[str]:
    """Labels of planned rows: of rows that contradict each other there is none among them."""
    met: set[str] = set()
    for path in paths:
        with _text_file(path, "r") as rows:
            for row in rows:
                met.update(row.split("\t", 2)[1].split(LABEL_SEPARATOR))
    return met
