"""What `verify` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tfrecordcli import html
from tfrecordcli.errors import TfrecError
from tfrecordcli.problems import PROBLEMS, Problem
from tfrecordcli.units import plural

if TYPE_CHECKING:
    from tfrecordcli.feed.report import FeedReport


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What `verify` found.

    Attributes:
      exit_code: 0, or 1 when there are errors (or warnings, when strict).
      records, bytes: read; bytes are those of the files.
      splits: split -> records, bytes, shards.
      problems: the first ones; problem_counts has all of them by code.
      not_checked: what could not be checked, as sentences.
      gate: that JPEGs passed, with its version.
      notes: what is worth knowing and no fault, as sentences.
      integrity: seconds, images_per_second, mb_per_second of the integrity pass.
      feed: what the feed did; None when it was not run.
      failure: why the feed could not be run at all (TensorFlow is not installed, no such device); the
        files were checked all the same.
    """

    path: str
    exit_code: int
    records: int
    bytes: int
    splits: Mapping[str, Mapping[str, int]]
    problems: tuple[Problem, ...]
    problem_counts: Mapping[str, int]
    not_checked: tuple[str, ...]
    integrity: Mapping[str, float]
    gate: str = "portable"
    notes: tuple[str, ...] = ()
    feed: FeedReport | None = None
    failure: TfrecError | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing was found that counts as an error."""
        return self.exit_code == 0

    @property
    def problem_count(self) -> int:
        return sum(self.problem_counts.values())

    def _repr_html_(self) -> str:
        """What notebooks show."""
        verdict = "is right" if self.exit_code != 1 else "is not right"
        counts = [(name, split["records"], split["shards"]) for name, split in self.splits.items()]
        found = [(each.severity, each.path, _of(each.record), each.message) for each in self.problems]
        feed = self.feed.advice if self.feed is not None else None
        return html.page(
            f"{self.path} {verdict}: {plural(self.records, 'record')}",
            html.table(("split", "records", "shards"), counts),
            html.table(("", "file", "record", "what"), found),
            html.listing(
                [*filter(None, [feed]), *self.notes, *(f"not checked: {x}" for x in self.not_checked)]
            ),
        )


@dataclass(frozen=True, slots=True)
class JointReport:
    """What `verify` found in several datasets that are to be read as one.

    Attributes:
      reports: of each of them; images that stand twice are told here, wherever they stand.
      problems: of all of them together, the first ones; problem_counts has all of them by code.
      strict: whether warnings count.
    """

    reports: tuple[VerifyReport, ...]
    problems: tuple[Problem, ...]
    problem_counts: Mapping[str, int]
    strict: bool = False

    @property
    def exit_code(self) -> int:
        severities = {PROBLEMS[code][0] for code in self.problem_counts}
        is_bad = "error" in severities or (self.strict and "warning" in severities)
        return 1 if is_bad else max(report.exit_code for report in self.reports)

    @property
    def ok(self) -> bool:
        """Whether nothing was found that counts as an error, in any of them or in all together."""
        return self.exit_code == 0

    @property
    def records(self) -> int:
        return sum(report.records for report in self.reports)

    def _repr_html_(self) -> str:
        """What notebooks show."""
        told = [f"{each.severity}: {each.path} {each.message}" for each in self.problems]
        verdict = "are right as one" if self.ok else "are not right"
        return html.page(
            f"{len(self.reports)} datasets {verdict}: {plural(self.records, 'record')}",
            html.listing(told),
            *(report._repr_html_() for report in self.reports),
        )


def _of(record: int | None) -> int | str:
    return "" if record is None else record
