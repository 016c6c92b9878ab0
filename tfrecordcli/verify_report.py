"""What `verify` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tfrecordcli.errors import TfrecError
from tfrecordcli.problems import Problem

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
