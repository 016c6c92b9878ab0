"""How long work tells what it is doing, whoever shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfrecordcli.result import RejectGroup


class Reporter:
    """Told how work goes on; this one shows nothing.

    Rows and bytes can go backwards when a shard is tried again.
    """

    def begin(self, part: str) -> None:
        """What the work is at until it tells something else, as `reading the source`."""

    def wait(self, size: int) -> None:
        """Standard input is being read; ``size`` bytes came so far."""

    def plan(self, rows: int, share: float) -> None:
        """Planning goes on: ``rows`` of the source were read, and this share of all is done, 0 to 1."""

    def unusable(self, rejected: int, rows: int, groups: Sequence[RejectGroup]) -> None:
        """The plan is made, and so many of ``rows`` cannot be used; groups as in `ConvertResult`."""

    def start(self, rows: int, done: int) -> None:
        """Work on ``rows`` planned rows begins; ``done`` of them were finished by an earlier run."""

    def advance(self, rows: int, rejected: int, size: int) -> None:
        """This many more rows are through, of which so many rejected; ``size`` bytes were read."""

    def timing(self, seconds: float, total: float) -> None:
        """A feed is being timed, for so many seconds of all by now."""

    def finish(self) -> None:
        """The work ended, well or not."""

    def tell(self, text: str) -> None:
        """Something that a person should know now, in one line."""
