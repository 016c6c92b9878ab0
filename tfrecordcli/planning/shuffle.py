"""The second pass: rows leave their buckets in seeded order, rows of one image settled into one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Final

from tfrecordcli.boxes import BoxCounts
from tfrecordcli.dataset.labels import LabelMap
from tfrecordcli.dataset.plan import LABEL_SEPARATOR, PlannedRow
from tfrecordcli.planning.box_merging import merge_plain, settle_boxes
from tfrecordcli.planning.buckets import are_alone, by_hash, provisional
from tfrecordcli.planning.image_key import ImageKey
from tfrecordcli.planning.merging import ImageRows, contradictions, rows_by_image, rows_of, settle
from tfrecordcli.planning.scan import RowProblem, Scan
from tfrecordcli.planning.split_assignment import Splitter
from tfrecordcli.planning.stratified import StratifiedSplitter
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import NO_SPLIT, SPLITS
from tfrecordcli.sources.row import Row
from tfrecordcli.split_words import DISCARD

_NAMED: Final = frozenset(SPLITS)
_OnProblem = Callable[[RowProblem], None]


class Shuffle:
    """Empties a scan's buckets; counts what is merged, discarded or rejected into its tally.

    Args:
      keeps_equal: whether rows that seem to be of one image are records of their own, as they have none.
      splitter: of rows without a split; with ``stratified`` only of those that are rejected.
      empty_images: of a list of boxes, ``keep`` or ``skip`` images without one; of others, nothing.
    """

    def __init__(
        self,
        scan: Scan,
        labels: LabelMap,
        splitter: Splitter,
        key: ImageKey,
        empty_images: str = "",
        stratified: StratifiedSplitter | None = None,
        *,
        keeps_equal: bool = False,
    ) -> None:
        self._keeps_equal = keeps_equal
        self._record_splitter = stratified or splitter
        self._empty_images = empty_images
        self._scan = scan
        self._labels = labels
        self._splitter = splitter
        self._key = key
        self._known_splits = {split: split for split in SPLITS}
        if stratified is None:
            self._known_splits |= {provisional(split): split for split in SPLITS}

    def lines(self, on_problem: _OnProblem) -> Iterator[list[tuple[str, str]]]:
        """(split, line of a task file) in shuffled order, those of a part of the rows at a time.

        Each bucket is deleted once it is read.
        """
        for part in self._scan.buckets.take():
            if self._keeps_equal and not isinstance(part, list):
                yield from (self._alone([line], on_problem) for line in part)
            elif not isinstance(part, list):
                yield list(self._settled(rows_by_image(part, self._key), on_problem))
            elif self._empty_images:
                yield self._with_boxes(part, on_problem)
            elif self._keeps_equal or are_alone(part):
                yield self._alone(part, on_problem)
            else:
                images = chain.from_iterable(rows_by_image(same, self._key) for same in by_hash(part))
                yield list(self._settled(images, on_problem))

    def _alone(self, lines: Iterable[str], on_problem: _OnProblem) -> list[tuple[str, str]]:
        """The same of rows that share no image: those that leave nothing to decide go from text to text."""
        ids = self._labels.ids
        known = self._known_splits
        planned: list[tuple[str, str]] = []
        for line in lines:
            _, split, label, rest = line.split("\t", 3)
            if label not in ids:
                planned += self._settled([tuple(rows_of((line,)))], on_problem)
                continue
            if split not in known:
                split = self._record_splitter.split_of(_uri_of(rest), (label,))
            planned.append((known[split], f"{ids[label]}\t{label}\t{rest}"))
        return planned

    def _with_boxes(self, lines: list[str], on_problem: _OnProblem) -> list[tuple[str, str]]:
        """The same of rows of boxes, image by image."""
        ids = self._labels.ids
        known = self._known_splits
        planned: list[tuple[str, str]] = []
        assigned: list[str] = []
        stored = most = 0
        for (_, split, label, rest), same in _by_image(lines):
            numbers: int | str
            if label in ids:
                numbers, boxes = ids[label], 1
            elif numbers := self._ids_of(label):
                boxes = label.count(LABEL_SEPARATOR) + 1
            else:
                planned += self._settled(rows_by_image(same, self._key), on_problem)
                continue
            stored += boxes
            if boxes > most:
                most = boxes
            if split not in _NAMED:
                assigned.append(rest)
                if split not in known:
                    split = self._record_splitter.split_of(_uri_of(rest), tuple(label.split(LABEL_SEPARATOR)))
            planned.append((known[split], f"{numbers}\t{label}\t{rest}"))
        self._scan.boxes.add(BoxCounts(stored=stored, most=most))
        self._scan.assigned.add_all(len(assigned), map(_uri_of, assigned))
        return planned

    def _ids_of(self, labels: str) -> str:
        """The ids of several labels, as a line of a task file has them; empty when one has none."""
        ids = self._labels.ids
        names = labels.split(LABEL_SEPARATOR)
        return ",".join([str(ids[name]) for name in names]) if ids.keys() >= {*names} else ""

    def _settled(self, images: Iterable[ImageRows], on_problem: _OnProblem) -> Iterator[tuple[str, str]]:
        for rows in images:
            planned = self._plan(rows, on_problem)
            if planned is not None:
                yield planned[0], planned[1].to_line()

    def _plan(self, rows: ImageRows, on_problem: _OnProblem) -> tuple[str, PlannedRow] | None:
        if self._empty_images:
            return self._plan_boxes(list(rows), on_problem)
        count = len(rows)
        row = settle(rows, self._scan.labels.several) if count > 1 else next(iter(rows))
        if isinstance(row, Rejected):
            for each, problem in contradictions(rows, row.code):
                self._reject(each, problem, on_problem)
            return None
        line, split, uri, labels, _, extras, _ = row
        tally = self._scan.tally
        if split == DISCARD:
            tally.add(NO_SPLIT, "discarded", count)
            return None
        try:
            ids, texts = self._labels.ids_and_texts(labels)
        except Rejected as problem:
            for each in rows:
                self._reject(each, problem, on_problem)
            return None
        split = split or self._record_splitter.split_of(uri, texts)
        if count > 1:
            tally.add(split, "merged", count - 1)
            self._scan.labels.has_united |= len(labels) > 1
        return split, PlannedRow(line, uri, ids, texts, extras)

    def _plan_boxes(self, rows: list[Row], on_problem: _OnProblem) -> tuple[str, PlannedRow] | None:
        """The same of a list of boxes, where all rows of an image share its outcome."""
        row, culprit, boxes = settle_boxes(rows)
        listed = boxes.listed
        labels = self._labels
        if isinstance(row, Row):
            try:
                ids = tuple([labels.id_of(name) for name in row.labels])
            except Rejected as problem:
                row, boxes = problem, BoxCounts(rejected=listed)
        if isinstance(row, Rejected):
            split = self._split_of(next((each for each in rows if each.split), rows[0]))
            also = tuple(sorted({each.line for each in rows} - {culprit}))
            self._scan.tally.add(split, "rejected")
            on_problem(RowProblem(culprit, split, rows[0].image_uri, row.code, row.reason, also))
        elif row.split == DISCARD or (not row.labels and self._empty_images == "skip"):
            self._scan.tally.add(NO_SPLIT if row.split == DISCARD else self._split_of(row), "discarded")
        else:
            if not row.split:
                self._scan.assigned.add(row.image_uri)
            texts = tuple(map(labels.text_of, row.labels))
            self._scan.boxes.add(boxes)
            planned = PlannedRow(row.line, row.image_uri, ids, texts, row.extras, row.boxes)
            return row.split or self._record_splitter.split_of(row.image_uri, texts), planned
        self._scan.boxes.add(boxes)
        return None

    def _split_of(self, row: Row) -> str:
        return NO_SPLIT if row.split == DISCARD else row.split or self._splitter.split_of(row.image_uri)

    def _reject(self, row: Row, problem: Rejected, on_problem: _OnProblem) -> None:
        split = self._split_of(row)
        self._scan.tally.add(split, "rejected")
        on_problem(RowProblem(row.line, split, row.told_uri, problem.code, problem.reason))


def _by_image(lines: list[str]) -> Iterable[tuple[list[str], Sequence[str]]]:
    """(hash, split, labels, the rest of the line) of the rows of each hash, and their lines."""
    if are_alone(lines):
        parts = map(str.split, lines, repeat("\t"), repeat(3))
        return zip(parts, zip(lines, strict=True), strict=True)
    images = by_hash(lines)
    return ((same[0].split("\t", 3) if len(same) == 1 else merge_plain(same), same) for same in images)


def _uri_of(rest: str) -> str:
    """The image of what stands behind the labels in a line."""
    return rest[:-1].split("\t", 2)[1]
