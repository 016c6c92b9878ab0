"""Progress on stderr: a bar on a terminal, a line now and then elsewhere, nothing when asked for quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import click

from tfrecordcli.cli.output import print_said
from tfrecordcli.cli.reject_listing import reject_listing
from tfrecordcli.progress import Reporter, SilentReporter
from tfrecordcli.units import format_size, plural

# Seconds to the first line where there is no terminal, so that whoever looks sees that work goes on, and
# between the next ones: CI systems kill jobs that stay silent for minutes.
_FIRST_LINE = 5.0
_LINE_EVERY = 30.0


def make_reporter(quiet: bool) -> Reporter:
    """The reporter that fits this process's stderr."""
    if quiet:
        return SilentReporter()
    return _Bar() if sys.stderr.isatty() else _Lines()


def told_by(reporter: Reporter) -> Collection[str]:
    """What a reporter has told so far, line by line."""
    return reporter.told if isinstance(reporter, _Teller) else ()


class _Teller:
    """Remembers what it told, so that nothing is told twice."""

    def __init__(self) -> None:
        self.told: set[str] = set()

    def tell(self, text: str) -> None:
        self.told.add(text)
        print_said(text)


class _Bar(_Teller):
    """A progress bar with rate, time left and bytes read."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: Any = None
        self._bytes = self._rejected = 0
        self._is_timing = self._is_waiting = False

    def wait(self, size: int) -> None:
        from tqdm import tqdm

        if self._bar is None:
            layout = "reading the list from standard input: {desc} [{elapsed}]"
            self._bar = tqdm(bar_format=layout, dynamic_ncols=True, leave=False)
            self._is_waiting = True
        self._bar.set_description_str(format_size(size))

    def plan(self, rows: int, share: float) -> None:
        from tqdm import tqdm

        if self._is_waiting:
            self.finish()
        if self._bar is None:
            layout = "planning {percentage:3.0f}%|{bar}| {desc}[{elapsed}<{remaining}]"
            self._bar = tqdm(total=1.0, bar_format=layout, dynamic_ncols=True, leave=False)
        self._bar.set_description_str(f"{rows:,} rows ", refresh=False)
        self._bar.update(share - self._bar.n)

    def unusable(self, rejected: int, rows: int, groups: Sequence[Mapping[str, Any]]) -> None:
        self.finish()
        _print_unusable(rejected, rows, groups)

    def start(self, rows: int, done: int) -> None:
        from tqdm import tqdm

        self.finish()
        self._bar = tqdm(
            total=rows, initial=done, unit=" images", dynamic_ncols=True, leave=False, smoothing=0.1
        )

    def advance(self, rows: int, rejected: int, size: int) -> None:
        self._bytes += size
        self._rejected += rejected
        rejects = f", {self._rejected:,} rejected" if self._rejected else ""
        self._bar.set_postfix_str(format_size(max(0, self._bytes)) + rejects, refresh=False)
        self._bar.update(rows)

    def timing(self, seconds: float, total: float) -> None:
        from tqdm import tqdm

        if not self._is_timing:
            self.finish()
            layout = "timing the feed {percentage:3.0f}%|{bar}| [{elapsed}<{remaining}]"
            self._bar = tqdm(total=total, bar_format=layout, dynamic_ncols=True, leave=False)
            self._is_timing = True
        self._bar.update(min(seconds, total) - self._bar.n)

    def finish(self) -> None:
        self._is_timing = self._is_waiting = False
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def tell(self, text: str) -> None:
        if self._bar is not None:
            self._bar.clear()
        super().tell(text)


class _Lines(_Teller):
    """A plain line after some seconds of each kind of work, and then now and then."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._total = self._done = self._rejected = self._fresh = 0
        self._begin()

    def _begin(self) -> None:
        self._began = self._clock()
        self._next = self._began + _FIRST_LINE

    def wait(self, size: int) -> None:
        if self._is_time():
            _print_line(f"reading the list from standard input: {format_size(size)} so far")

    def plan(self, rows: int, share: float) -> None:
        if self._is_time():
            _print_line(f"planning, {share:.0%}: {rows:,} rows read")

    def unusable(self, rejected: int, rows: int, groups: Sequence[Mapping[str, Any]]) -> None:
        _print_unusable(rejected, rows, groups)

    def start(self, rows: int, done: int) -> None:
        self._total, self._done = rows, done
        self._fresh = 0
        self._begin()

    def advance(self, rows: int, rejected: int, size: int) -> None:
        self._done += rows
        self._fresh += rows
        self._rejected += rejected
        if self._is_time():
            rate = self._fresh / (self._clock() - self._began)
            done = f"{self._done:,}/{self._total:,} images"
            _print_line(f"{done}, {rate:,.0f}/s, {self._rejected:,} rejected")

    def _is_time(self) -> bool:
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + _LINE_EVERY
        return True

    def timing(self, seconds: float, total: float) -> None:
        if self._is_time():
            _print_line(f"timing the feed, {min(1, seconds / total):.0%} of {total:,.0f} s")

    def finish(self) -> None:
        pass


def _print_unusable(rejected: int, rows: int, groups: Sequence[Mapping[str, Any]]) -> None:
    click.echo(f"{rejected:,} of {plural(rows, 'row')} cannot be used; the others are converted:", err=True)
    for line in reject_listing(rejected, groups):
        click.echo(line, err=True)


def _print_line(text: str) -> None:
    click.echo(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {text}", err=True)
