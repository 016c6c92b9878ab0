"""The problems of a whole dataset: all counted, the first ones kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from tfrecordcli.integrity.reports import ShardReport
from tfrecordcli.problems import PROBLEMS, Problem


class ProblemTally:
    """Counts problems and keeps the first.

    Args:
      limit: how many are kept.
      ignore: codes that are neither counted nor kept; ``no_records`` always is.

    Attributes:
      kept: in the order that they came.
      counts: of all, by code.
    """

    def __init__(self, limit: int, ignore: Collection[str]) -> None:
        self._limit = limit
        self._ignore = {*ignore} - {"no_records"}
        self.kept: list[Problem] = []
        self.counts: Counter[str] = Counter()

    def add(self, problems: Iterable[Problem]) -> None:
        for found in problems:
            if found.code not in self._ignore:
                self.counts[found.code] += 1
                self._keep(found)

    def add_report(self, report: ShardReport) -> None:
        for code, count in report.problem_counts.items():
            if code not in self._ignore:
                self.counts[code] += count
        for found in report.problems:
            if found.code not in self._ignore:
                self._keep(found)

    def _keep(self, found: Problem) -> None:
        if len(self.kept) < self._limit:
            self.kept.append(found)

    def severities(self) -> set[str]:
        return {PROBLEMS[code][0] for code in self.counts}
