"""The second pass: rows leave their buckets in seeded order, rows of one image settled into one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import NamedTuple

from tfrecordcli.dataset.buckets import LABEL_SEPARATOR, POINT_DIGITS
from tfrecordcli.dataset.image_key import ImageKey
from tfrecordcli.dataset.labels import LabelMap
from tfrecordcli.dataset.scan import NO_SPLIT, Problem, Scan
from tfrecordcli.dataset.splits import SplitDealer
from tfrecordcli.reasons import Rejected
from tfrecordcli.split_words import DISCARD, UNASSIGNED

# Lines of other rows that a contradiction names.
_TOLD_LINES = 8


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


class Claim(NamedTuple):
    """What one row says of an image: its split (may be UNASSIGNED or DISCARD) and labels."""

    line: int
    split: str
    image_uri: str
    labels: tuple[str, ...]


def settle(claims: Sequence[Claim], several: bool) -> Claim | Rejected:
    """Makes one claim of all rows of the same image, in line order.

    Rows that leave the split open follow those that name one. Equal rows merge; other labels are
    united when the source has rows with several labels, and otherwise a contradiction.

    Returns:
      the claim, or ``conflicting_split`` / ``conflicting_label`` (its lines to be filled in).
    """
    splits = sorted({claim.split for claim in claims} - {UNASSIGNED})
    if len(splits) > 1:
        return Rejected("conflicting_split", lines="?")
    labels = {claim.labels for claim in claims if claim.labels}
    if len(labels) > 1 and not several and splits != [DISCARD]:
        return Rejected("conflicting_label", lines="?")
    united = tuple(dict.fromkeys(label for claim in claims for label in claim.labels))
    return Claim(claims[0].line, splits[0] if splits else UNASSIGNED, claims[0].image_uri, united)


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
            for claims in _groups(lines, self._key):
                planned = self._plan(claims, on_problem)
                if planned is not None:
                    yield planned

    def _plan(
        self, claims: list[Claim], on_problem: Callable[[Problem], None]
    ) -> tuple[str, PlannedRow] | None:
        claim = settle(claims, self._scan.labels.several) if len(claims) > 1 else claims[0]
        if isinstance(claim, Rejected):
            self._reject(claims, claim.code, on_problem)
            return None
        tally = self._scan.tally
        if claim.split == DISCARD:
            self._move_to(NO_SPLIT, claims)
            tally.add(NO_SPLIT, "discarded", len(claims))
            return None
        split = claim.split or self._dealer.deal(claim.image_uri)
        try:
            ids = tuple([self._labels.id_of(label) for label in claim.labels])
        except Rejected as problem:
            for each in claims:
                self._add_problem(each, problem, on_problem)
            return None
        if len(claims) > 1:
            self._move_to(split, claims)
            tally.add(split, "merged", len(claims) - 1)
        return split, PlannedRow(claim.line, claim.image_uri, ids, claim.labels)

    def _move_to(self, split: str, claims: list[Claim]) -> None:
        """Rows that left the split open were counted where the dealer put them; follow the claim."""
        if len(claims) == 1:
            return
        for claim in claims:
            counted = self._split_of(claim)
            if counted != split:
                self._scan.tally.add(counted, "rows", -1)
                self._scan.tally.add(split, "rows")

    def _reject(self, claims: list[Claim], code: str, on_problem: Callable[[Problem], None]) -> None:
        told: dict[str | tuple[str, ...], str] = {}
        for claim in claims:
            said = claim.split if code == "conflicting_split" else claim.labels
            if said not in told:
                told[said] = _lines_of(other for other in claims if _differs(claim, other, code))
            self._add_problem(claim, Rejected(code, lines=told[said]), on_problem)

    def _add_problem(self, claim: Claim, problem: Rejected, on_problem: Callable[[Problem], None]) -> None:
        split = self._split_of(claim)
        self._scan.tally.add(split, "rejected")
        on_problem(Problem(claim.line, split, claim.image_uri, problem.code, problem.reason))

    def _split_of(self, claim: Claim) -> str:
        if claim.split == DISCARD:
            return NO_SPLIT
        return claim.split or self._dealer.deal(claim.image_uri)


def _lines_of(claims: Iterable[Claim]) -> str:
    """`3, 7, 12`; of very many only the first ones, for each of them could be told of all others."""
    lines = [str(claim.line) for claim in islice(claims, _TOLD_LINES + 1)]
    return ", ".join(lines[:_TOLD_LINES]) + (", …" if len(lines) > _TOLD_LINES else "")


def _differs(claim: Claim, other: Claim, code: str) -> bool:
    if code == "conflicting_split":
        return claim.split != other.split and other.split != UNASSIGNED
    return claim.labels != other.labels and bool(other.labels)


_HASH = itemgetter(slice(POINT_DIGITS))


def _groups(lines: list[str], key: ImageKey) -> Iterator[list[Claim]]:
    """The claims of one sorted bucket by image, in hash order; within an image by line."""
    for _, same_hash in groupby(lines, key=_HASH):
        claims = list(map(_parse_claim, same_hash))
        if len(claims) == 1:
            yield claims
            continue
        by_key: dict[str, list[Claim]] = {}
        for claim in claims:
            by_key.setdefault(key(claim.image_uri), []).append(claim)
        for image in sorted(by_key):
            yield sorted(by_key[image], key=lambda claim: claim.line)


def _parse_claim(line: str) -> Claim:
    _, number, split, uri, labels = line[:-1].split("\t")
    return Claim(int(number), split, uri, tuple(labels.split(LABEL_SEPARATOR)) if labels else ())
