"""Rows sorted by both passes: checked one by one, then merged, shuffled and written a file a split."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Final

from tfrecordcli.dataset.labels import LabelMap, build_label_map, extended
from tfrecordcli.dataset.plan import (
    PlannedRow,
)
from tfrecordcli.errors import InputError
from tfrecordcli.options import ConvertOptions, ReadOptions
from tfrecordcli.planning.buckets import Buckets
from tfrecordcli.planning.identity import fixed_labels
from tfrecordcli.planning.image_key import key_of
from tfrecordcli.planning.label_doubts import need_classes
from tfrecordcli.planning.numbered_names import need_no_numbers
from tfrecordcli.planning.plan_progress import PlanProgress
from tfrecordcli.planning.scan import PROBLEMS_FILE, ProblemLog, Scan, scan_rows
from tfrecordcli.planning.shuffle import Shuffle
from tfrecordcli.planning.split_assignment import Dealt, Splitter, split_by_group
from tfrecordcli.planning.split_rows import write_split_rows
from tfrecordcli.planning.stratified import StratifiedSplitter
from tfrecordcli.sources.assumed_labels import naming_labels
from tfrecordcli.sources.plain_rows import Block
from tfrecordcli.sources.source import Source

_BLOCK: Final = 1 << 12  # rows


@dataclass(frozen=True, slots=True)
class SortedRows:
    """What both passes made of the rows: problems and counts, labels, rows a split, the first rows of all.

    ``leaking`` is the column whose groups may be in several splits, as some rows name theirs; ``naming``
    the option that `naming_labels` gives.
    """

    scan: Scan
    labels: LabelMap
    counts: Mapping[str, int]
    sample: Sequence[PlannedRow]
    leaking: str | None
    naming: str


def sort_rows(
    blocks: Iterable[Block], source: Source, options: ConvertOptions, folder: Path, progress: PlanProgress
) -> SortedRows:
    """Both passes over the rows."""
    buckets = Buckets(folder / "buckets", source.size, options.shard.seed)
    splitter = Splitter(options.read.splits, options.read.split_seed)
    with closing(ProblemLog(folder / PROBLEMS_FILE)) as problems:
        dealt = Dealt()
        if options.read.split_by is not None or source.rows.options.split_by is not None:
            grouped = split_by_group(chain.from_iterable(blocks), splitter, dealt)
            blocks = iter(lambda: list(islice(grouped, _BLOCK)), [])
        naming = naming_labels(source.rows)
        scan = scan_rows(blocks, _of_rows(source, options.read), buckets, problems, progress.on_read, naming)
        scan.assigned.count += dealt.assigned
        scan.assigned.groups = dealt.groups
        stratified = (
            StratifiedSplitter(options.read.splits, scan.assigned.count) if options.read.stratify else None
        )
        labels = _label_map(scan, source, options)
        empty_images = options.read.empty_images if source.schema.task == "detection" else ""
        key = key_of(source.image_root, source.rows.is_listing)
        is_table = source.schema.task == "tabular"
        shuffle = Shuffle(scan, labels, splitter, key, empty_images, stratified, keeps_equal=is_table)
        counts, sample = write_split_rows(problems, shuffle, folder, progress)
        scan.tally.count_rows(counts)
    leaks = dealt.assigned and dealt.named
    return SortedRows(scan, labels, counts, sample, options.read.split_by if leaks else None, naming)


def _of_rows(source: Source, options: ReadOptions) -> ReadOptions:
    """How rows are judged: where there are no labels, none is missing."""
    has_labels = any(feature.key == source.schema.label_key for feature in source.schema.features)
    return options if has_labels else dataclasses.replace(options, unlabelled="keep")


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
                scan.labels.splits,
                options.read.label_type,
                source.schema.first_id,
                source.label_ids,
                of_table=source.schema.task == "tabular",
            )
        except InputError as error:
            raise InputError(f"{source.rows.name}: {error.message}", error.hint) from None
    need_no_numbers(labels, scan.labels.splits, options.read)
    return extended(labels, scan.labels.splits) if options.read.new_labels == "append" else labels
