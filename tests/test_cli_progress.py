"""Progress: nothing stays silent for long, whatever it is busy with."""

from __future__ import annotations

import io
import re
import threading
import time
from pathlib import Path
from typing import NoReturn

import click
import pytest
from click.testing import CliRunner
from converting import image_list, write_csv

from tfrecordcli.cli import progress
from tfrecordcli.cli.convert import convert as convert_command
from tfrecordcli.cli.inspect import inspect as inspect_command
from tfrecordcli.cli.progress import _Lines, make_reporter
from tfrecordcli.cli.steps import plan as plan_command
from tfrecordcli.cli.steps import write_shards as write_command
from tfrecordcli.cli.verify import verify as verify_command
from tfrecordcli.converting.conversion import convert
from tfrecordcli.errors import InputError
from tfrecordcli.planning import scan, split_rows
from tfrecordcli.progress import Reporter
from tfrecordcli.runners import local
from tfrecordcli.sources import csv_file as row_file
from tfrecordcli.sources import folder_source, opened_source, plain_rows, text_lines

ROWS = 5000


@pytest.fixture
def csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list, of which is told as often as of a much longer one."""
    for module in (scan, split_rows):
        monkeypatch.setattr(module, "TELL_EVERY", 200)
    monkeypatch.setattr(row_file, "_TELL_EVERY", 100)
    monkeypatch.setattr(plain_rows, "_ROWS", 200)
    monkeypatch.setattr(text_lines, "_PIECE", 1000)
    rows = [("TRAIN", f"{n:04}.jpg", "a") for n in range(ROWS)]
    return write_csv(tmp_path / "list.csv", rows, ("split", "image_uri", "label"))


class Told(Reporter):
    """Keeps what it is told of planning."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[tuple[int, float]] = []

    def plan(self, rows: int, share: float) -> None:
        self.words.append((rows, share))


def test_planning_is_told_from_its_start_to_its_end(csv: Path, tmp_path: Path) -> None:
    told = Told()
    convert(csv, tmp_path / "out", reporter=told, dry_run=True)
    rows, shares = zip(*told.words, strict=True)
    # The second pass is told by parts of a thousand rows.
    assert list(rows) == [*range(200, ROWS + 1, 200), *[ROWS] * (ROWS // 1000)]
    assert list(shares) == sorted(shares)
    assert 0 < shares[0] < 0.1
    assert shares[-1] == 1


def test_lines_while_planning(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_FIRST_LINE", 0.0)
    monkeypatch.setattr(progress, "_LINE_EVERY", 0.0)
    convert(csv, tmp_path / "out", reporter=make_reporter(quiet=False), dry_run=True)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == ROWS // 200 + ROWS // 1000
    for line in lines:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ planning, \d+%: [0-9,]+ rows read", line)


def test_a_bar_while_planning(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    convert(csv, tmp_path / "out", reporter=make_reporter(quiet=False), dry_run=True)
    seen = capsys.readouterr().err
    assert "planning" in seen
    assert "%|" in seen


class _Slow(io.BytesIO):
    """Standard input from a program that takes its time."""

    def read(self, size: int | None = -1) -> bytes:
        time.sleep(0.1)
        return super().read(10)


@pytest.mark.parametrize("is_terminal", [False, True])
def test_standard_input_that_is_awaited(
    is_terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_FIRST_LINE", 0.0)
    monkeypatch.setattr(progress, "_LINE_EVERY", 0.0)
    monkeypatch.setattr(opened_source, "_TELL_EVERY", 0.02)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(_Slow(b"TRAIN,a.jpg,x\n" * 3)))
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)
    result = convert("-", tmp_path / "out", reporter=make_reporter(quiet=False), dry_run=True)
    assert result.rows == 3
    seen = capsys.readouterr().err
    assert "reading the list from standard input: 10 B" in seen
    assert ("10 B so far" in seen) != is_terminal


def test_lines_while_a_feed_is_timed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reporter = make_reporter(quiet=False)
    reporter.start(10, 0)
    reporter.timing(2, 600)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "_FIRST_LINE", 0.0)
    monkeypatch.setattr(progress, "_LINE_EVERY", 0.0)
    reporter = make_reporter(quiet=False)
    for seconds in (60, 601):
        reporter.timing(seconds, 600)
    first, last = capsys.readouterr().err.splitlines()
    assert first.endswith("Z timing the feed, 10% of 600 s")
    assert last.endswith("Z timing the feed, 100% of 600 s")


def test_a_bar_while_a_feed_is_timed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    reporter = make_reporter(quiet=False)
    reporter.start(10, 0)
    reporter.advance(10, 0, 0)
    for seconds in (0.0, 300.0, 601.0):
        reporter.timing(seconds, 600)
        time.sleep(0.11)  # a bar is drawn ten times a second at most
    reporter.finish()
    seen = capsys.readouterr().err
    assert "timing the feed  50%|" in seen
    assert "timing the feed 100%|" in seen


def test_quiet_says_nothing(csv: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    convert(csv, tmp_path / "out", reporter=make_reporter(quiet=True), dry_run=True)
    assert capsys.readouterr().err == ""


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_line_after_5_seconds_and_then_every_30(capsys: pytest.CaptureFixture[str]) -> None:
    clock = _Clock()
    reporter = _Lines(clock)
    reporter.start(4000, 400)
    told = []
    for second in range(1, 101):
        clock.now = 100.0 + second
        reporter.advance(20, second % 2, 1000)
        line = capsys.readouterr().err
        if line:
            told.append((second, line))
    assert [second for second, _ in told] == [5, 35, 65, 95]
    lines = "".join(line for _, line in told).splitlines()
    stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ "
    assert re.fullmatch(stamp + r"500/4,000 images, 20/s, 3 rejected", lines[0])
    assert re.fullmatch(stamp + r"2,300/4,000 images, 20/s, 48 rejected", lines[3])


def test_the_seconds_count_from_the_beginning_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    clock = _Clock()
    reporter = _Lines(clock)
    clock.now += 4
    reporter.plan(20_000, 0.5)
    reporter.start(100, 0)
    assert capsys.readouterr().err == ""
    clock.now += 1
    reporter.advance(0, 0, 0)  # nothing new: still it is told that the work goes on
    assert capsys.readouterr().err.endswith("Z 0/100 images, 0/s, 0 rejected\n")
    clock.now += 29
    reporter.start(100, 0)
    reporter.advance(58, 0, 1)
    assert capsys.readouterr().err == ""
    clock.now += 1
    reporter.tick()
    assert capsys.readouterr().err.endswith("Z 58/100 images, 58/s, 0 rejected\n")


def test_lines_of_parts_that_tell_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    clock = _Clock()
    reporter = _Lines(clock)
    told = []
    for second in range(1, 101):
        clock.now = 100.0 + second
        if second == 30:
            reporter.plan(20_000, 1)
        if second == 60:
            reporter.start(100, 0)
        if second == 90:
            reporter.finish()
        reporter.tick()
        line = capsys.readouterr().err
        if line:
            told.append((second, line.partition("Z ")[2]))
    assert told == [
        (5, "still working\n"),
        (35, "planning, 100%: 20,000 rows read\n"),
        (65, "0/100 images, 0/s, 0 rejected\n"),
        (95, "still working\n"),
    ]


def test_each_part_of_a_conversion_is_told_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first line can say, however early it comes."""
    monkeypatch.setattr(folder_source, "_TELL_EVERY", 2)
    begun: list[str] = []

    class Telling(Reporter):
        def begin(self, part: str) -> None:
            begun.append(part)

    images = tmp_path / "in" / "a"
    image_list(images, 5).unlink()
    convert(images.parent, tmp_path / "out", reporter=Telling(), max_rejects=5)
    listing = [f"listing {images.parent}: {count} images so far" for count in (0, 2, 4)]
    last = "all shards stand: writing what is beside them"
    assert begun == ["reading the source", *listing, "planning", "trying a few images", last]


def test_a_line_says_what_was_begun(capsys: pytest.CaptureFixture[str]) -> None:
    clock = _Clock()
    reporter = _Lines(clock)
    reporter.begin("reading the source")
    clock.now += 5
    reporter.tick()
    assert capsys.readouterr().err.endswith("Z reading the source\n")


COMMANDS = {
    convert_command: "tfrecordcli.converting.conversion.convert",
    plan_command: "tfrecordcli.converting.conversion.plan",
    write_command: "tfrecordcli.converting.steps.write_shards",
    verify_command: "tfrecordcli.verifying.verification.verify",
    inspect_command: "tfrecordcli.inspecting.inspection.inspect",
}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_tells_that_it_works(
    command: click.Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_FIRST_LINE", 0.0)
    monkeypatch.setattr(progress, "_TICK", 0.001)
    printed = threading.Event()
    print_line = progress._print_line

    def tell(text: str) -> None:
        print_line(text)
        printed.set()

    def work(*_: object, **__: object) -> NoReturn:
        assert printed.wait(30)
        raise InputError("enough", "of this test")

    monkeypatch.setattr(progress, "_print_line", tell)
    monkeypatch.setattr(COMMANDS[command], work)
    places = [str(tmp_path)] * sum(isinstance(part, click.Argument) for part in command.params)
    done = CliRunner().invoke(command, places)
    assert isinstance(done.exception, InputError)
    assert re.fullmatch(r"\S+Z still working\n", done.stderr)
    assert "progress" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.processes
def test_a_runner_tells_that_it_goes_on_while_no_image_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_PULSE", 0.001)  # a worker takes longer than that to begin
    told = []

    class Telling(Reporter):
        def advance(self, rows: int, rejected: int, size: int) -> None:
            told.append(rows)

    assert convert(image_list(tmp_path / "in", 3), tmp_path / "out", reporter=Telling()).records == 3
    assert sum(told) == 3
    assert 0 in told


def test_progress_of_plan_too(csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_FIRST_LINE", 0.0)
    done = CliRunner().invoke(plan_command, [str(csv), str(tmp_path / "out")])
    assert re.search(r"Z planning, \d+%: [0-9,]+ rows read\n", done.stderr)
