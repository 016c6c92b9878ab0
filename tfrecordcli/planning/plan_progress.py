"""How far planning is."""

from __future__ import annotations

from tfrecordcli.progress import Reporter
from tfrecordcli.sources.source import Source

# Share of the time of planning that the first pass over the source takes.
_FIRST_PASS = 0.6


class PlanProgress:
    """Where planning is: the first pass is told by bytes of the source, the second by rows."""

    def __init__(self, source: Source, reporter: Reporter) -> None:
        self._reporter = reporter
        self._size = max(1, source.size)
        self._bytes = self._rows = 0

    def on_bytes(self, position: int) -> None:
        self._bytes = position

    def on_read(self, rows: int) -> None:
        self._rows = rows
        self._reporter.plan(rows, _FIRST_PASS * min(1.0, self._bytes / self._size))

    def on_planned(self, rows: int) -> None:
        share = min(1.0, rows / max(rows, self._rows, 1))
        self._reporter.plan(self._rows, _FIRST_PASS + (1 - _FIRST_PASS) * share)
