"""What verify and inspect print fits the terminal, tells each thing once, and counts right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from converting import commands, jpeg, tfrec
from verifying import write_shard

from tfrecordcli.bench.comparison import Comparison
from tfrecordcli.bench.ways import WAYS, WayResult
from tfrecordcli.cli.bench import _table
from tfrecordcli.cli.main import _COMMANDS
from tfrecordcli.cli.main import tfrec as group
from tfrecordcli.cli.verify import summary
from tfrecordcli.feed.report import FeedReport
from tfrecordcli.formats.example import encode_example
from tfrecordcli.inspecting.inspection import inspect
from tfrecordcli.verify_report import VerifyReport

STAGES = {
    name: {"images_per_second": 100.0, "microseconds": 3_496.0}
    for name in ("read", "parse", "decode", "resize", "batch", "device")
}
NEVER = "An accelerator that takes 35.2 ms or more for a batch of 64 never waits; for a faster one, "
LIMIT = "the images are stored with 4.0 times the pixels that are used, so convert with --max-side 256."


def told(width: int, monkeypatch: pytest.MonkeyPatch, **feed: Any) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    values = {
        "device": "cpu", "batch_size": 64, "image_size": 224, "images": 30,
        "proof": {"ok": True, "seconds": 5.6}, "images_per_second": 1.2, "mb_per_second": 0.2,
        "first_batch_seconds": 1.46, "break_even_step_ms": 35.16, "stages": STAGES, "bottleneck": "decode",
        "advice": f"{NEVER}the limit is decoding: {LIMIT}", "peak_memory": 681_000_000, "gpu_missing": True,
    }  # fmt: skip
    rates = {"seconds": 2.6, "images_per_second": 1.4, "mb_per_second": 0.1}
    splits = {"train": {"records": 30, "bytes": 9, "shards": 3}}
    report = FeedReport(**{**values, **feed})
    return summary(VerifyReport("out", 0, 30, 9, splits, (), {}, (), rates, feed=report))


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_feed_is_wrapped(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = told(width, monkeypatch)
    assert max(map(len, text.splitlines()[1:])) <= width  # the first one names the path, whole
    assert LIMIT in one_line(text)


SEEN = {"step_time_ms": 26.0, "accelerator_wait": 0.25, "accelerator_wait_predicted": 0.26}


def test_when_an_accelerator_waits_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text = one_line(told(80, monkeypatch))
    assert text.count("35.2 ms") == 1
    assert text.count("decoding") == 1
    assert "bottleneck" not in text


def test_the_share_that_it_waits_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    advice = f"The accelerator waits 25% of its time, mostly for decoding: {LIMIT}"
    text = one_line(told(80, monkeypatch, **SEEN, advice=advice, verdict="highly input-bound"))
    assert text.count("25%") == 1
    assert "highly input-bound" in text
    assert "predicted: 26%" in text
    assert text.count("35.2 ms") == 1


def test_rates_of_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    text = one_line(told(200, monkeypatch))
    assert "(1 image/s)" in text
    assert "gives 1 image/s" in text


# --- inspect ---


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """Long names everywhere."""
    key = "a/very/long/key/of/a/feature/that/somebody/made/of/many/words"
    for number in range(3):
        name = f"a_name_that_says_all_of_what_is_in_it_{number}-00000-of-00001.tfrecord"
        records = []
        for record in range(4):
            features: dict[str, list[Any]] = {
                key: [b"and a value that is long as well"],
                "image/encoded": [jpeg(record, width=100 + 8 * record + 40 * number)],
                "label": [f"a label name that is as long as names of birds in Latin {record}".encode()],
            }
            records.append(encode_example(features))
        write_shard(tmp_path / name, records)
    return tmp_path


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_tables_of_inspect_fit(wide: Path, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    runner = CliRunner()
    monkeypatch.chdir(wide.parent)
    done = runner.invoke(group, ["inspect", wide.name], standalone_mode=False)
    lines = done.output.splitlines()[1:]  # the first one names the path, whole
    assert max(map(len, lines)) <= int(columns), max(lines, key=len)
    assert "a/very/long/key" in done.output
    assert "a_name_that_says" in done.output


def test_nothing_is_cut_where_there_is_room(wide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    done = CliRunner().invoke(group, ["inspect", str(wide)], standalone_mode=False)
    assert "a_name_that_says_all_of_what_is_in_it_2-00000-of-00001.tfrecord" in done.output
    assert inspect(wide).records == 12


# --- help ---


def test_the_labels_of_a_conversion_fit(tmp_path: Path) -> None:
    for number in range(8):
        path = tmp_path / "in" / f"a rather long label {number}" / "1.jpg"
        path.parent.mkdir(parents=True)
        path.write_bytes(jpeg(number))
    done = tfrec("convert", path.parents[1], tmp_path / "out", "--splits", "train=100", env={"COLUMNS": "80"})
    assert done.code == 0, done.err
    assert max(map(len, done.out.splitlines()[1:])) <= 80
    labels = "8 labels: " + ", ".join(f"a rather long label {number}" for number in range(8))
    assert labels in one_line(done.out)


def test_no_line_of_the_help_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert "..." not in tfrec("--help").out.partition("\nCommands:")[2]
    for name, command in commands().items():
        assert command.get_short_help_str(60) == _COMMANDS[name][1]


def test_the_table_of_bench_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    results = tuple(WayResult(name, 123_456.0, 99.9, 999_000_000, 1.0) for name in WAYS)
    text = _table(Comparison("out", "", 9, 0, 64, 224, 60.0, results, {}))
    assert max(len(click.unstyle(line)) for line in text.splitlines()) <= 80
    for name in WAYS.values():
        assert {*name.split()} <= {*text.split()}


@pytest.mark.parametrize("width", [80, 120])
def test_notes_of_verify_fit_the_terminal_and_paths_stay_whole(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    path = "folder/" * 30
    sentence = "a sentence of many words that nobody would want to read on one line " * 2
    rates = {"seconds": 2.6, "images_per_second": 1.4, "mb_per_second": 0.1}
    report = VerifyReport(
        "out", 0, 1, 9, {}, (), {}, (sentence, f"what is in {path}"), rates, notes=(sentence,)
    )
    text = summary(report)
    assert path in text
    assert all(len(line) <= width or path in line for line in text.splitlines())
    assert one_line(text).count(sentence.strip()) == 2


@pytest.mark.parametrize("width", [60, 80])
def test_inspect_tells_long_names_whole(width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    keys = [f"image/object/{'attributes/of/annotators/' * 3}{which}" for which in "ab"]
    label, name = "a kind of bird whose name is longer than any line of a terminal would be, by far", "n" * 90
    values = {
        keys[0]: [1.5],
        keys[1]: [b"x" * 300],
        "image/class/label": [3],
        "image/class/text": [label.encode()],
    }
    for number in range(2):
        write_shard(tmp_path / f"{name}-{number}.tfrecord", [encode_example(values)])
    lines = tfrec("inspect", tmp_path).out.splitlines()
    assert max(map(len, lines[1:])) <= width
    firsts = "".join(line.split()[0] for line in lines if line)  # of tables: their names, piece by piece
    for told in (*keys, f"{name}-1.tfrecord"):
        assert told in firsts
    assert set(label.split()) <= {word for line in lines for word in line.split()}


def test_a_single_row_is_not_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg())
    (tmp_path / "list.csv").write_text("TRAIN,a.jpg,x\nTRAIN,b.jpg,x\n")
    done = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert "1 row rejected, listed in out/rejects.csv:" in done.out
