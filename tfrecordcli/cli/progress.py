"""Progress on stderr: a bar on a terminal, a line now and then elsewhere, nothing when asked for quiet."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from tfrecordcli.cli.output import print_said, reject_listing
from tfrecordcli.processes import start_thread
from tfrecordcli.progress import Reporter
from tfrecordcli.progress_bar import ProgressBar
from tfrecordcli.units import format_size, plural

if TYPE_CHECKING:
    from tfrecordcli.result import RejectGroup

# Seconds to the first line where there is no terminal, so that whoever looks sees that work goes on, and
# between the next ones: CI systems kill jobs that stay silent for minutes.
_FIRST_LINE = 5.0
_LINE_EVERY = 30.0
# Seconds between two looks at the clock, for the parts of the work that tell nothing.
_TICK = 0.5
_BETWEEN = "still working"  # before, between and after the parts that tell more


@contextlib.contextmanager
def reporting(quiet: bool) -> Iterator[Reporter]:
    """The reporter that fits this process's stderr; its lines come while inside, whatever the work tells."""
    reporter = make_reporter(quiet)
    if not isinstance(reporter, _Lines):
        yield reporter
        return
    done = threading.Event()

    def tick() -> None:
        with contextlib.suppress(OSError):  # of a closed stderr, which the command's own words meet too
            while not done.wait(_TICK):
                reporter.tick()

    ticker = start_thread(tick, name="progress")
    try:
        yield reporter
    finally:
        done.set()
        ticker.join()


def make_reporter(quiet: bool) -> Reporter:
    """The reporter that fits this process's stderr."""
    if quiet:
        return Reporter()
    return _Bar() if sys.stderr.isatty() else _Lines()


def told_by(reporter: Reporter) -> Collection[str]:
    """What a reporter has told so far, line by line."""
    return reporter.told if isinstance(reporter, _Teller) else ()


class _Teller(Reporter):
    """Remembers what it told, so that nothing is told twice."""

    def __init__(self) -> None:
        super().__init__()
        self.told: set[str] = set()

    def tell(self, text: str) -> None:
        self.told.add(text)
        print_said(text)

    def unusable(self, rejected: int, rows: int, groups: Sequence[RejectGroup]) -> None:
        self.finish()
        click.echo(
            f"{rejected:,} of {plural(rows, 'row')} cannot be used; the others are converted:", err=True
        )
        for line in reject_listing(rejected, groups):
            self.told.add(line)
            click.echo(line, err=True)


class _Bar(_Teller, ProgressBar):
    """A progress bar, which gives way to what is told."""

    def _new(self, **settings: Any) -> Any:
        from tqdm import tqdm  # tqdm.auto takes longer to import than a small dataset to convert

        return tqdm(**settings)

    def tell(self, text: str) -> None:
        self.clear()
        super().tell(text)


class _Lines(_Teller):
    """A plain line some seconds after the command began, and then now and then."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._total = self._done = self._rejected = self._fresh = 0
        self._began = clock()
        self._next = self._began + _FIRST_LINE
        self._words: Callable[[], str] = lambda: _BETWEEN
        self._lock = threading.Lock()

    def tick(self) -> None:
        """Tells what the work is at, if it is time; from any thread."""
        with self._lock:
            now = self._clock()
            if now >= self._next:
                self._next = now + _LINE_EVERY
                _print_line(self._words())

    def _at(self, words: Callable[[], str]) -> None:
        self._words = words
        self.tick()

    def begin(self, part: str) -> None:
        self._words = lambda: part

    def wait(self, size: int) -> None:
        self._at(lambda: f"reading the list from standard input: {format_size(size)} so far")

    def plan(self, rows: int, share: float) -> None:
        self._at(lambda: f"planning, {share:.0%}: {rows:,} rows read")

    def start(self, rows: int, done: int) -> None:
        self._total, self._done = rows, done
        self._fresh = 0
        self._began = self._clock()
        self._words = self._images

    def advance(self, rows: int, rejected: int, size: int) -> None:
        self._done += rows
        self._fresh += rows
        self._rejected += rejected
        self._at(self._images)

    def _images(self) -> str:
        seconds = self._clock() - self._began
        rate = self._fresh / seconds if seconds else 0
        return f"{self._done:,}/{self._total:,} images, {rate:,.0f}/s, {self._rejected:,} rejected"

    def timing(self, seconds: float, total: float) -> None:
        self._at(lambda: f"timing the feed, {min(1, seconds / total):.0%} of {total:,.0f} s")

    def finish(self) -> None:
        self._words = lambda: _BETWEEN


def _print_line(text: str) -> None:
    click.echo(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {text}", err=True)
