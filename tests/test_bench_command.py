"""`tfrec bench`: every way really runs, and the table and the JSON say what was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tfrecordcli.feed.ways import WAYS

ROOT = Path(__file__).parents[1]


def _tfrec(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tfrecordcli", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = str(tmp_path_factory.mktemp("bench") / "out")
    assert _tfrec("convert", "sample_data/data.csv", out, "--quiet").returncode == 0
    return out


def test_every_way_runs(dataset: str) -> None:
    done = _tfrec("bench", dataset, "--seconds", "0.3", "--step-time", "5", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)
    assert values["command"] == "bench"
    assert [result["name"] for result in values["results"]] == list(WAYS)
    for result in values["results"]:
        assert result["images_per_second"] > 0
        assert result["peak_memory_bytes"] > 1 << 20


def test_the_table_names_the_chosen_ways_only(dataset: str) -> None:
    done = _tfrec("bench", dataset, "--seconds", "0.3", "--way", "python_files", "--quiet")
    assert done.returncode == 0, done.stderr
    assert WAYS["python_files"] in done.stdout
    assert sum(text in done.stdout for text in WAYS.values()) == 1
    assert not done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("sample_data",), "there is no manifest.json"),
        (("nowhere",), "there is no manifest.json"),
        (("sample_data", "--way", "teleport"), "there is no such way"),
        (("sample_data", "--seconds", "0"), "--seconds"),
    ],
)
def test_what_cannot_be_compared_is_exit_2(words: tuple[str, ...], says: str) -> None:
    done = _tfrec("bench", *words)
    assert done.returncode == 2
    assert says in done.stderr
    assert not done.stdout
