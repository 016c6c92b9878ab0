"""What people read at a terminal of 80 columns: whole lines, and words that fit the number."""

from __future__ import annotations

import re

import click
import pytest
from converting import commands

from tfrecordcli.cli.convert import summary
from tfrecordcli.cli.main import tfrec
from tfrecordcli.images.notes import NOTES
from tfrecordcli.result import ConvertResult
from tfrecordcli.units import format_rate

WIDTH = 80


def _help(name: str) -> list[str]:
    parent = click.Context(tfrec, info_name="tfrec", terminal_width=WIDTH)
    command = commands()[name] if name else tfrec
    context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH) if name else parent
    return command.get_help(context).splitlines()


@pytest.mark.parametrize("name", ["", *commands()])
def test_no_line_of_help_is_cut_or_too_wide(name: str) -> None:
    lines = _help(name)
    assert [line for line in lines if len(line) > WIDTH] == []
    assert [line for line in lines[1:] if line.endswith("...")] == []


@pytest.mark.parametrize("name", commands())
def test_the_help_of_each_command_has_an_example(name: str) -> None:
    assert [line for line in _help(name) if re.match(rf'  (eval "\$\()?tfrec {name}\b', line)]


def _result(rows: int, images_per_second: float = 1.0) -> ConvertResult:
    outcomes = ("rows", "records", "rejected", "merged", "discarded")
    counts = {**dict.fromkeys(outcomes, rows), "shards": 10_240, "bytes": 10**12}
    counts |= {"merged": rows // 100, "discarded": rows // 100}
    return ConvertResult(
        status="complete", exit_code=0, output_dir="out", runner="local", rows=rows, records=rows, rejected=0,
        merged=0, discarded=0, num_labels=0, splits={"train": counts, "validation": counts},
        notes=dict.fromkeys(NOTES, 1000), bytes_read=10**12, seconds=1.0, images_per_second=images_per_second,
    )  # fmt: skip


@pytest.mark.parametrize("rows", [10, 20_000, 12_345_678])
def test_the_summary_fits(rows: int) -> None:
    lines = click.unstyle(summary(_result(rows), "convert")).splitlines()[1:]  # the first quotes a path
    assert [line for line in lines if len(line) > WIDTH] == []


def test_rates() -> None:
    assert "(1 image/s)" in summary(_result(10), "convert")
    assert [format_rate(rate, "image") for rate in (0.0, 0.04, 0.4, 0.96, 1.2, 2, 1234.4)] == [
        "0 images/s", "0.04 images/s", "0.4 images/s", "1 image/s", "1 image/s", "2 images/s",
        "1,234 images/s",
    ]  # fmt: skip


def test_notes_are_right_for_one_and_for_many() -> None:
    for note in NOTES.values():
        assert not {"has", "holds", "its", "it", "is", "was"} & {*note.replace(",", "").split()}, note
