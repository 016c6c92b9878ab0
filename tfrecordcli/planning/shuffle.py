"""The second pass: rows leave their buckets in seeded order, rows of one image settled into one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from tfrecordcli.dataset.labels import LabelMap
from tfrecordcli.dataset.plan import PlannedRow
from tfrecordcli.planning.buckets import are_alone, by_hash
from tfrecordcli.planning.image_key import ImageKey
from tfrecordcli.planning.merging import SomeClaims, claims_by_image, contradictions, row_of, settle
from tfrecordcli.planning.scan import Problem, Scan
from tfrecordcli.planning.split_assignment import SplitDealer
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import NO_SPLIT, SPLITS
from tfrecordcli.sources.rows import Row
from tfrecordcli.split_words import DISCARD


class Shuffle:
    """Empties a scan's buckets; counts what is merged, discarded or rejected into its tally."""

    def __init__(self, scan: Scan, labels: LabelMap, dealer: SplitDealer, key: ImageKey) -> None:
        self._scan = scan
        self._labels = labels
        self._dealer = dealer
        self._key = key

    def lines(self, on_problem: Callable[[Problem], None]) -> Iterator[list[tuple[str, str]]]:
        """(split, line of a task file) in shuffled order, those of a part of the rows at a time.

        Each bucket is deleted once it is read.
        """
        for part in self._scan.buckets.take():
            if not isinstance(part, list):
                yield list(self._settled(claims_by_image(part, self._key), on_problem))
            elif are_alone(part):
                yield self._alone(part, on_problem)
            else:
                images = chain.from_iterable(claims_by_image(same, self._key) for same in by_hash(part))
                yield list(self._settled(images, on_problem))

    def _alone(self, lines: Iterable[str], on_problem: Callable[[Problem], None]) -> list[tuple[str, str]]:
        """The same of rows that share no image: those that leave nothing to decide go from text to text."""
        ids = self._labels.ids
        planned: list[tuple[str, str]] = []
        for line in lines:
            _, split, label, rest = line.split("\t", 3)
            if split in SPLITS and label in ids:
                planned.append((split, f"{ids[label]}\t{label}\t{rest}"))
            else:
                planned += self._settled([(row_of(line),)], on_problem)
        return planned

    def _settled(
        self, images: Iterable[SomeClaims], on_problem: Callable[[Problem], None]
    ) -> Iterator[tuple[str, str]]:
        for claims in images:
            planned = self._plan(claims, on_problem)
            if planned is not None:
                yield planned[0], planned[1].to_line()

    def _plan(
        self, claims: SomeClaims, on_problem: Callable[[Problem], None]
    ) -> tuple[str, PlannedRow] | None:
        count = len(claims)
        row = settle(claims, self._scan.labels.several) if count > 1 else next(iter(claims))
        if isinstance(row, Rejected):
            for each, problem in contradictions(claims, row.code):
                self._reject(each, problem, on_problem)
            return None
        line, split, uri, labels, _, extras = row
        tally = self._scan.tally
        if split == DISCARD:
            tally.add(NO_SPLIT, "discarded", count)
            return None
        split = split or self._dealer.deal(uri)
        try:
            ids, texts = self._labels.ids_and_texts(labels)
        except Rejected as problem:
            for each in claims:
                self._reject(each, problem, on_problem)
            return None
        if count > 1:
            tally.add(split, "merged", count - 1)
        return split, PlannedRow(line, uri, ids, texts, extras)

    def _reject(self, row: Row, problem: Rejected, on_problem: Callable[[Problem], None]) -> None:
        split = NO_SPLIT if row.split == DISCARD else row.split or self._dealer.deal(row.image_uri)
        self._scan.tally.add(split, "rejected")
        on_problem(Problem(row.line, split, row.image_uri, problem.code, problem.reason))
