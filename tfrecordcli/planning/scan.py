"""The first pass over a source: checks every row by itself and throws it into a hash bucket."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Final

from tfrecordcli.boxes import BoxCounts, places_of
from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.options import ReadOptions
from tfrecordcli.planning.box_merging import neighbours_joined, with_problem
from tfrecordcli.planning.buckets import Buckets, provisional
from tfrecordcli.planning.problem_groups import ProblemGroups
from tfrecordcli.planning.split_assignment import Splitter
from tfrecordcli.planning.split_shares import SplitRows
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import NO_SPLIT, SPLITS
from tfrecordcli.sources.plain_rows import Block, PlainRows
from tfrecordcli.sources.row import Row
from tfrecordcli.split_words import DISCARD, UNASSIGNED
from tfrecordcli.storage.store_path import Place
from tfrecordcli.storage.writing import sync_file

# Problems kept for showing; all of them are counted and stand in the problem file.
SHOWN_PROBLEMS: Final = 1_000

PROBLEMS_FILE: Final = "problems"

# Rows between two words on how planning goes on.
TELL_EVERY: Final = 20_000

_SPLIT_BITS = {split: 1 << number for number, split in enumerate(SPLITS)}


@dataclass(frozen=True, slots=True)
class RowProblem:
    """One row that cannot be used: where, which image, and why.

    Attributes:
      also: further lines of the same image, in a list of boxes.
    """

    line: int
    split: str
    image_uri: str
    code: str
    reason: str
    also: tuple[int, ...] = ()


@dataclass(slots=True)
class Tally:
    """Counts of rows by (split, outcome); outcomes are rejected, merged, discarded, and rows: all."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, split: str, outcome: str, count: int = 1) -> None:
        self.counts[split, outcome] += count

    def count_rows(self, records: Mapping[str, int]) -> None:
        """Adds up the rows of each split from its records and what became of the others."""
        rows = Counter(records)
        for (split, _), count in self.counts.items():
            rows[split] += count
        for split, count in rows.items():
            self.add(split, "rows", count)

    def of(self, outcome: str, split: str | None = None) -> int:
        """Rows with this outcome, in one split or in all."""
        if split is not None:
            return self.counts[split, outcome]
        return sum(count for (_, what), count in self.counts.items() if what == outcome)


class ProblemLog:
    """Problems of the source: all of them in a file, in memory the first ones and how they group."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")
        self.shown: list[RowProblem] = []
        self.groups = ProblemGroups()
        self.count = 0
        self.codes: Counter[str] = Counter()

    def add(self, problem: RowProblem) -> None:
        entry = dataclasses.astuple(problem)
        self._file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        self.count += 1
        self.codes[problem.code] += 1
        self.groups.add(problem)
        if len(self.shown) < SHOWN_PROBLEMS:
            self.shown.append(problem)

    def close(self) -> None:
        with self._file:  # which ends even where the disk is full
            sync_file(self._file)


def read_problems(path: Place) -> Iterable[RowProblem]:
    """The problems that a `ProblemLog` wrote to ``path``, in its order."""
    with path.open("rb") as lines:
        for line in lines:
            number, split, image_uri, code, reason, also = json.loads(line)
            yield RowProblem(number, split, image_uri, code, reason, tuple(also))


@dataclass(slots=True)
class LabelCensus:
    """The distinct labels of a source and in which splits each one occurs (a bit for each split).

    A label of rejected rows only has no bit. Rows that are kept without a label are counted.

    Attributes:
      are_united: several rows of an image are several labels of it, as was asked for.
      has_lists: rows have several labels of their own.
      has_united: images have labels of several rows.
    """

    splits: dict[str, int] = field(default_factory=dict)
    are_united: bool = False
    has_lists: bool = False
    has_united: bool = False
    unlabelled: int = 0

    @property
    def several(self) -> bool:
        """Whether an image may have several labels."""
        return self.are_united or self.has_lists

    def add(self, labels: tuple[str, ...], split: str) -> None:
        self.add_all(labels, repeat(split))
        if len(labels) > 1:
            self.has_lists = True

    def add_all(self, labels: Iterable[str], splits: Iterable[str]) -> None:
        """Takes in labels, each with the split of its row."""
        met = self.splits
        for label, split in zip(labels, splits, strict=False):
            bits, bit = met.get(label), _SPLIT_BITS.get(split, 0)
            if bits is None or not bits & bit:
                met[label] = (bits or 0) | bit

    def used(self) -> list[str]:
        """Labels of rows that were not rejected here."""
        return [label for label, bits in self.splits.items() if bits]

    def missing_from(self, split: str) -> list[str]:
        """Those that occur, but not in this split; sorted."""
        bit = _SPLIT_BITS[split]
        return sorted(label for label, bits in self.splits.items() if bits and not bits & bit)

    def within(self, split: str) -> list[str]:
        """Those that occur in this split."""
        bit = _SPLIT_BITS[split]
        return [label for label, bits in self.splits.items() if bits & bit]


@dataclass(frozen=True, slots=True)
class Scan:
    """What the first pass found; ``tally`` and ``problems`` are added to by the next one.

    ``no_label`` is the reject of a row without a label.
    """

    buckets: Buckets
    tally: Tally
    problems: ProblemLog
    labels: LabelCensus
    no_label: Rejected
    assigned: SplitRows = field(default_factory=SplitRows)
    boxes: BoxCounts = field(default_factory=BoxCounts)


def scan_rows(
    blocks: Iterable[Block],
    options: ReadOptions,
    buckets: Buckets,
    problems: ProblemLog,
    tell: Callable[[int], None],
    columns: str = "",
) -> Scan:
    """Sorts rows into buckets, rejects and discarded ones.

    Args:
      blocks: the rows of the source, in its order.
      options: what to do with rows without a label or split.
      buckets: that rows are sorted into.
      problems: that rejects are added to.
      tell: called now and then with the number of rows so far.
      columns: the option that names the label column where labels are not needed; empty: none is needed.
    """
    no_label = Rejected("no_label", columns=f"{columns} " if columns else "")
    labels = LabelCensus(are_united=options.multi_label)
    scan = Scan(buckets, Tally(), problems, labels, no_label)
    splitter = Splitter(options.splits, options.split_seed)
    number = told = 0
    for block in blocks:
        scan.assigned.are_all = scan.assigned.are_all and not _names_splits(block)
        if isinstance(block, PlainRows):
            _place_plain(block, scan, splitter)
        else:
            _place_each(block, scan, options.unlabelled, splitter)
        number += len(block)
        if number - told >= TELL_EVERY:
            told = number
            tell(number)
    buckets.flush()
    return scan


def _names_splits(block: Block) -> bool:
    splits = block.splits if isinstance(block, PlainRows) else (row.split for row in block)
    return not _SPLIT_BITS.keys().isdisjoint(splits)


def _place_plain(rows: PlainRows, scan: Scan, splitter: Splitter) -> None:
    used = rows.splits
    if rows.boxes:  # which split an image is assigned to is told when all of its rows are together
        scan.labels.add_all(rows.labels, used)
        rows = neighbours_joined(rows)
    splits = rows.splits
    if UNASSIGNED in splits:
        assigned = splitter.splits_of(rows.uris)
        named = {split: provisional(split) for split in set(assigned)}
        splits = [split or named[its] for split, its in zip(splits, assigned, strict=True)]
        if not rows.boxes:
            used = [split or its for split, its in zip(used, assigned, strict=True)]
            scan.assigned.add(*[uri for uri, split in zip(rows.uris, rows.splits, strict=True) if not split])
    if not rows.boxes:
        scan.labels.add_all(rows.labels, used)
    scan.buckets.add_all(rows, splits)


def _place_each(rows: Iterable[Row], scan: Scan, unlabelled: str, splitter: Splitter) -> None:
    for row in rows:
        _, split, _, labels, problem, _, boxes = row
        if split in SPLITS and labels and problem is None:
            # There is nothing to decide.
            scan.labels.add(labels, split)
            scan.buckets.add(row, split)
        elif boxes:
            _place_boxes(row, scan)
        else:
            _place(row, scan, unlabelled, splitter)


def _place(row: Row, scan: Scan, unlabelled: str, splitter: Splitter) -> None:
    split = _effective_split(row, splitter)
    problem = row.problem
    if row.split == DISCARD:
        if problem is not None:
            scan.tally.add(split, "discarded")
            return
    else:
        # Labels of rows that can be mended count, so that mending them renumbers nothing.
        if problem is None or not any(map(has_control_characters, row.labels)):
            scan.labels.add(row.labels, split if problem is None else NO_SPLIT)
        if problem is None and not row.labels:
            if unlabelled == "skip":
                scan.tally.add(split, "discarded")
                return
            problem = scan.no_label if unlabelled == "error" else None
            scan.labels.unlabelled += problem is None
    if problem is None:
        scan.buckets.add(row, row.split or provisional(split))
        if row.split == UNASSIGNED:
            scan.assigned.add(row.image_uri)
    else:
        scan.tally.add(split, "rejected")
        scan.problems.add(RowProblem(row.line, split, row.told_uri, problem.code, problem.reason))


def _place_boxes(row: Row, scan: Scan) -> None:
    """A row of a list of boxes: what becomes of its image is seen when all of its rows are together."""
    problem = row.problem
    if not row.image_uri or has_control_characters(row.image_uri):
        problem = problem or Rejected("no_image_uri")
        scan.tally.add(NO_SPLIT, "rejected")
        scan.boxes.rejected += len(places_of(row.boxes))
        scan.problems.add(RowProblem(row.line, NO_SPLIT, row.image_uri, problem.code, problem.reason))
    elif problem is None:
        scan.labels.add(row.labels, row.split or NO_SPLIT)
        scan.buckets.add(row, row.split or UNASSIGNED)
    else:
        scan.buckets.add(with_problem(row, problem), row.split or UNASSIGNED)


def _effective_split(row: Row, splitter: Splitter) -> str:
    if row.split in SPLITS:
        return row.split
    if row.split == UNASSIGNED and row.image_uri:
        return splitter.split_of(row.image_uri)
    return NO_SPLIT
