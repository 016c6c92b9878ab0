"""The second pass: rows leave their buckets in seeded order, rows of one image settled into one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tfrecordcli.dataset.buckets import LABEL_SEPARATOR
from tfrecordcli.dataset.claims import Claim, SomeClaims, claims_by_image, contradictions, settle
from tfrecordcli.dataset.image_key import ImageKey
from tfrecordcli.dataset.labels import LabelMap
from tfrecordcli.dataset.scan import NO_SPLIT, Problem, Scan
from tfrecordcli.dataset.splits import SplitDealer
from tfrecordcli.reasons import Rejected
from tfrecordcli.split_words import DISCARD


class PlannedRow(NamedTuple):
    """One record to be made: which image, with which label ids and texts.

    A tuple as `Row` is one, and for the same reason.
    """

    line: int
    image_uri: str
    label_ids: tuple[int, ...]
    label_texts: tuple[str, ...]

    def to_line(self) -> str:
        """One line of a task file. No field can hold a tab: control characters are rejected."""
        ids = ",".join(map(str, self.label_ids)) if len(self.label_ids) != 1 else self.label_ids[0]
        return f"{self.line}\t{self.image_uri}\t{ids}\t{LABEL_SEPARATOR.join(self.label_texts)}\n"


def parse_planned_row(line: str) -> PlannedRow:
    """The row of a line that `PlannedRow.to_line` wrote."""
    number, uri, ids, texts = line.rstrip("\n").split("\t")
    if not ids:
        return PlannedRow(int(number), uri, (), ())
    label_ids = tuple(map(int, ids.split(",")))
    return PlannedRow(int(number), uri, label_ids, tuple(texts.split(LABEL_SEPARATOR)))


class Shuffle:
    """Empties a scan's buckets; counts what is merged, discarded or rejected into its tally."""

    def __init__(self, scan: Scan, labels: LabelMap, dealer: SplitDealer, key: ImageKey) -> None:
        self._scan = scan
        self._labels = labels
        self._dealer = dealer
        self._key = key

    def rows(self, on_problem: Callable[[Problem], None]) -> Iterator[tuple[str, PlannedRow]]:
        """(split, planned row) in shuffled order. Each bucket is deleted once it is read."""
        for lines in self._scan.buckets.take():
            for claims in claims_by_image(lines, self._key):
                planned = self._plan(claims, on_problem)
                if planned is not None:
                    yield planned

    def _plan(
        self, claims: SomeClaims, on_problem: Callable[[Problem], None]
    ) -> tuple[str, PlannedRow] | None:
        count = len(claims)
        claim = settle(claims, self._scan.labels.several) if count > 1 else next(iter(claims))
        if isinstance(claim, Rejected):
            for each, problem in contradictions(claims, claim.code):
                self._reject(each, problem, on_problem)
            return None
        tally = self._scan.tally
        if claim.split == DISCARD:
            self._move_to(NO_SPLIT, claims)
            tally.add(NO_SPLIT, "discarded", count)
            return None
        split = claim.split or self._dealer.deal(claim.image_uri)
        try:
            ids, texts = self._labels.ids_and_texts(claim.labels)
        except Rejected as problem:
            for each in claims:
                self._reject(each, problem, on_problem)
            return None
        if count > 1:
            self._move_to(split, claims)
            tally.add(split, "merged", count - 1)
        return split, PlannedRow(claim.line, claim.image_uri, ids, texts)

    def _move_to(self, split: str, claims: Iterable[Claim]) -> None:
        """Rows that left the split open were counted where the dealer put them; follow the claim."""
        for claim in claims:
            counted = self._split_of(claim)
            if counted != split:
                self._scan.tally.add(counted, "rows", -1)
                self._scan.tally.add(split, "rows")

    def _reject(self, claim: Claim, problem: Rejected, on_problem: Callable[[Problem], None]) -> None:
        split = self._split_of(claim)
        self._scan.tally.add(split, "rejected")
        on_problem(Problem(claim.line, split, claim.image_uri, problem.code, problem.reason))

    def _split_of(self, claim: Claim) -> str:
        if claim.split == DISCARD:
            return NO_SPLIT
        return claim.split or self._dealer.deal(claim.image_uri)
