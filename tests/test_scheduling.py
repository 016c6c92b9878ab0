"""The steps of a conversion as commands of their own: several processes over one plan, one of them killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from converting import (
    TFREC,
    TIMEOUT,
    Run,
    end,
    environment,
    fingerprint,
    image_list,
    read_csv,
    rows_add_up,
    start,
    tfrec,
)
from hypothesis import given
from hypothesis import strategies as st
from stand_in_simplejpeg import StandIn, mark, wait_for

from tfrecordcli.errors import UsageError
from tfrecordcli.shard_numbers import format_shards, parse_part, parse_shards

ROWS = 24
MARKED = 7
SHARDS = ("--num-shards", "6")

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="kills process groups")


class Place:
    """A list, the dataset that one command makes of it, and where the steps make theirs."""

    def __init__(self, folder: Path) -> None:
        self.csv = image_list(folder / "in", ROWS, {MARKED: mark("wait")})
        self.output = folder / "out"
        self.stand_in = StandIn(folder / "stand-in", self.output)
        self._whole = folder / "whole"
        self._started: list[subprocess.Popen[bytes]] = []

    def step(self, *arguments: object) -> Run:
        return tfrec(*arguments, "--json")

    def plan(self, *more: object) -> Run:
        return self.step("plan", self.csv, self.output, *SHARDS, *more)

    def start(self, *arguments: object) -> subprocess.Popen[bytes]:
        """Starts a step whose decoder waits at the marked image."""
        env = environment(PYTHONPATH=self.stand_in.python_path)
        process = start([*TFREC, *arguments, "--json"], env)
        self._started.append(process)
        return process

    def end(self) -> None:
        self.stand_in.go()
        for process in self._started:
            end(process)

    def in_one_go(self, *more: object) -> dict[str, str]:
        """What `tfrec convert` writes."""
        assert tfrec("convert", self.csv, self._whole, *SHARDS, *more).code in (0, 1)
        return fingerprint(self._whole)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path)
    yield place
    place.end()


def left_over(output: Path) -> list[str]:
    return [path.name for path in (output / "_tfrec" / "tmp").iterdir()]


@linux_only
def test_several_processes_of_which_one_is_killed(place: Place) -> None:
    planned = place.plan()
    assert (planned.code, planned.json["status"], planned.json["command"]) == (0, "planned", "plan")
    assert planned.json["splits"]["train"]["shards"] == 6
    parts = [
        place.start("write-shards", place.output, "--part", f"{i}/3", "--workers", "1") for i in range(3)
    ]
    place.stand_in.wait_until_reached()
    wait_for(lambda: sum(process.poll() == 0 for process in parts) == 2)
    (stuck,) = (process for process in parts if process.poll() is None)
    os.killpg(stuck.pid, signal.SIGKILL)
    stuck.wait(TIMEOUT)
    early = place.step("finish", place.output)
    assert (early.code, early.json["error"]["code"]) == (2, "unfinished")
    place.stand_in.go()
    number = parts.index(stuck)
    again = place.step("write-shards", place.output, "--part", f"{number}/3")
    assert (again.code, again.json["shards"], again.json["num_shards"]) == (0, 2, 6)
    finished = place.step("finish", place.output)
    assert (finished.code, finished.json["status"], finished.json["records"]) == (0, "complete", ROWS)
    rows_add_up(finished.json)
    assert fingerprint(place.output) == place.in_one_go()


@linux_only
def test_two_attempts_at_one_shard_at_once(place: Place) -> None:
    place.plan("--index")
    both = []
    for _ in range(2):
        both.append(place.start("write-shards", place.output, "--workers", "1"))
        place.stand_in.wait_until_reached()
    busy = place.step("finish", place.output)
    assert (busy.code, busy.json["error"]["code"]) == (3, "busy")
    assert len(left_over(place.output)) == 2
    place.stand_in.go()
    for process in both:
        out, err = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0, err
        assert json.loads(out)["shards"] == 6
    assert left_over(place.output) == []
    assert place.step("finish", place.output).code == 0
    assert fingerprint(place.output) == place.in_one_go("--index")


@linux_only
def test_a_conversion_that_was_killed_is_finished_by_steps(place: Place) -> None:
    process = place.start("convert", place.csv, place.output, *SHARDS, "--workers", "2")
    place.stand_in.wait_until_reached()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(TIMEOUT)
    place.stand_in.go()
    wait_for(lambda: place.step("write-shards", place.output).code == 0)  # once its last worker is gone
    assert place.step("finish", place.output).json["status"] == "complete"
    assert fingerprint(place.output) == place.in_one_go()


def test_convert_finishes_what_steps_began(place: Place) -> None:
    place.plan()
    assert place.step("write-shards", place.output, "--shards", "0-1,4").json["shards"] == 3
    done = place.step("convert", place.csv, place.output, *SHARDS)
    assert (done.json["status"], done.json["resumed_shards"]) == ("complete", 3)
    assert fingerprint(place.output) == place.in_one_go()


def test_missing_shards_are_named_with_the_command_that_makes_them(place: Place) -> None:
    place.plan()
    place.step("write-shards", place.output, "--shards", "1,4")
    error = place.step("finish", place.output).json["error"]
    assert error["code"] == "unfinished"
    assert "4 of 6 shards are not made yet: 0,2-3,5" in error["message"]
    assert f"tfrec write-shards {place.output}" in error["hint"]


def test_rejects_are_quoted_from_a_source_that_was_piped_in(place: Place) -> None:
    rows = place.csv.read_bytes() + b"TRAIN,missing.jpg,a\nTRIAN,000.jpg,a\n"
    root = ("--image-root", place.csv.parent)
    planned = tfrec("plan", "-", place.output, *SHARDS, *root, "--max-rejects", "9", "--json", stdin=rows)
    assert (planned.code, planned.json["rejected"]) == (0, 1)
    part = place.step("write-shards", place.output)
    assert (part.code, part.json["rejected"], part.json["reasons"]) == (0, 1, {"not_found": 1})
    finished = place.step("finish", place.output)
    assert (finished.code, finished.json["rejected"]) == (1, 2)
    assert [reject["image_uri"] for reject in read_csv(place.output / "rejects.csv")] == [
        "missing.jpg",
        "000.jpg",
    ]
    assert str(place.csv.parent) in finished.json["mend_command"]
    whole = place.output.with_name("whole")
    tfrec("convert", "-", whole, *SHARDS, *root, "--max-rejects", "9", stdin=rows)
    assert fingerprint(place.output) == fingerprint(whole)
    assert place.step("finish", place.output, "--max-rejects", "2").json["status"] == "already_complete"


def test_a_source_that_changed_is_not_quoted(place: Place) -> None:
    good = place.csv.read_text() + "TRAIN,missing.jpg,a\n"
    place.csv.write_text(good)
    place.plan()
    place.step("write-shards", place.output)
    place.csv.write_text(good + "\n")
    failed = place.step("finish", place.output)
    assert (failed.code, failed.json["error"]["code"]) == (2, "input")
    assert str(place.csv) in failed.json["error"]["message"]
    place.csv.write_text(good)
    assert place.step("finish", place.output).json["status"] == "complete"


def test_a_finished_dataset_stands_until_another_replaces_it(place: Place) -> None:
    before = place.in_one_go()
    tfrec("convert", place.csv, place.output, *SHARDS)
    assert place.plan("--seed", "1").code == 2
    assert place.plan("--seed", "1", "--overwrite").code == 0
    assert place.step("write-shards", place.output).code == 0
    standing = {name: (place.output / name).read_bytes() for name in before}
    assert place.step("finish", place.output).json["status"] == "complete"
    after = fingerprint(place.output)
    assert after.keys() == before.keys()
    assert after != before
    assert standing["manifest.json"] != (place.output / "manifest.json").read_bytes()


def test_every_step_can_be_done_again(place: Place) -> None:
    for _ in range(2):
        assert place.plan().json["status"] == "planned"
    for expected in (0, 6):
        assert place.step("write-shards", place.output).json["resumed_shards"] == expected
    assert place.step("finish", place.output).json["status"] == "complete"
    for step in (("write-shards", place.output), ("finish", place.output)):
        again = place.step(*step)
        assert (again.code, again.json["status"]) == (0, "already_complete")
    assert place.plan().json["status"] == "already_complete"


def test_without_a_plan_there_is_nothing_to_do(tmp_path: Path) -> None:
    for name in ("write-shards", "finish"):
        done = tfrec(name, tmp_path / "none", "--json")
        assert done.code == 2
        assert "tfrec plan" in done.json["error"]["hint"]
        assert not (tmp_path / "none").exists()


def test_what_a_person_sees(place: Place) -> None:
    planned = tfrec("plan", place.csv, place.output, *SHARDS)
    assert planned.out.startswith(f"{place.output} has its plan: 24 records from 24 rows in 6 shards\n")
    written = tfrec("write-shards", place.output, "--shards", "0-1")
    assert written.out == f"{place.output}: 2 of 6 shards stand: 8 records from 8 rows\n"
    tfrec("write-shards", place.output)
    assert tfrec("finish", place.output).out.startswith(
        f"{place.output} is complete: 24 records from 24 rows in 6 shards\n"
    )


# --- numbers of shards ---


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0", [0]),
        ("0-3", [0, 1, 2, 3]),
        ("3,7-9", [3, 7, 8, 9]),
        ("8-20", [8, 9]),  # the last of equal ranges often reaches beyond the end
        ("2-4,3-5,0", [0, 2, 3, 4, 5]),
    ],
)
def test_numbers(text: str, numbers: list[int]) -> None:
    assert parse_shards(text, 10) == numbers


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "3-2", "10", "0,10-11", "1..2"])
def test_numbers_that_cannot_be(text: str) -> None:
    with pytest.raises(UsageError, match="--shards"):
        parse_shards(text, 10)


@pytest.mark.parametrize("text", ["", "1", "3/3", "0/0", "-1/3", "a/b"])
def test_parts_that_cannot_be(text: str) -> None:
    with pytest.raises(UsageError, match="--part"):
        parse_part(text, 10)


@given(st.integers(1, 50), st.integers(1, 60))
def test_the_parts_are_the_whole(count: int, parts: int) -> None:
    numbers = [number for i in range(parts) for number in parse_part(f"{i}/{parts}", count)]
    assert sorted(numbers) == list(range(count))


@given(st.sets(st.integers(0, 99), min_size=1, max_size=20))
def test_formatted_numbers_are_read_back(numbers: set[int]) -> None:
    assert parse_shards(format_shards(sorted(numbers)), 100) == sorted(numbers)


def test_many_ranges_are_cut_short() -> None:
    assert format_shards(range(0, 100, 2), most=3) == "0,2,4,…"
