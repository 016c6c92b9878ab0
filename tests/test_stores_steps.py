"""Stores and schedulers together: the steps of a conversion, and Beam's runners, over a plan on a store."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from converting import TFREC, TIMEOUT, Run, convert_json, end, fingerprint, image_list, start, tfrec
from sampling import first
from stand_in_simplejpeg import StandIn, is_alive, mark, wait_for
from stand_in_store import Refused, serve
from storing import Running, running
from test_stores_convert import sums

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills process groups")

ROWS = 24
MARKED = 7
SHARDS = ("--num-shards", "6")
ONE_STORE = pytest.mark.parametrize("store", ["gs"], indirect=True)  # for what hangs on the runner


@pytest.fixture(scope="module", params=first(["gs"], ["s3"]))
def store(request: pytest.FixtureRequest) -> Iterator[Running]:
    with running(request.param) as found:
        yield found


class Place:
    """A list and its images on a store, and a dataset on it whose plan stands; nothing else is local."""

    def __init__(self, store: Running, folder: Path) -> None:
        self.csv = image_list(folder / "in", ROWS, {MARKED: mark("wait")})
        with self.csv.open("a") as file:
            file.write("TRAIN,missing.jpg,a\n")
        self.name = folder.name
        store.fill(self.csv.parent, f"{self.name}/in")
        self.store = store
        self.source = f"{store.url}/{self.name}/in/list.csv"
        self.output = f"{store.url}/{self.name}/out"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.env = store.env | {"TMPDIR": str(self.temporary)}
        (folder / "as-if-planned").mkdir()
        (folder / "as-if-planned" / "manifest.json").touch()  # the stand-in looks at local plans only
        self.stand_in = StandIn(folder / "stand-in", folder / "as-if-planned")
        self._whole = folder / "whole"
        self._started: list[subprocess.Popen[bytes]] = []

    def step(self, *arguments: object) -> Run:
        return tfrec(*arguments, "--json", env=self.env)

    def names(self) -> list[str]:
        """What stands in the output directory."""
        return self.store.names(f"{self.name}/out")

    def plan(self) -> None:
        assert self.step("plan", self.source, self.output, *SHARDS).code == 0

    def start(self, *arguments: object) -> subprocess.Popen[bytes]:
        """Starts a step whose decoder waits at the marked image."""
        env = self.env | {"PYTHONPATH": self.stand_in.python_path}
        process = start([*TFREC, *arguments, "--json"], env)
        self._started.append(process)
        return process

    def end(self) -> None:
        self.stand_in.go()
        for process in self._started:
            end(process)

    def is_as_in_one_go(self) -> bool:
        """Whether there is just what `tfrec convert` makes of local files, and nothing temporary is left."""
        assert tfrec("convert", self.csv, self._whole, *SHARDS, "--max-rejects", "1").code == 0
        left = [path.name for path in self.temporary.iterdir() if path.name.startswith("tfrec")]
        assert left == []
        return sums(self.store.contents(f"{self.name}/out")) == fingerprint(self._whole)


@pytest.fixture
def place(store: Running, tmp_path: Path) -> Iterator[Place]:
    place = Place(store, tmp_path)
    yield place
    place.end()


def test_several_processes_of_which_one_is_killed(place: Place) -> None:
    """They do not stand in each other's way, and nobody else gets in while one of them lives."""
    place.plan()
    parts = [
        place.start("write-shards", place.output, "--part", f"{i}/3", "--workers", "1") for i in range(3)
    ]
    place.stand_in.wait_until_reached()
    wait_for(lambda: sum(process.poll() == 0 for process in parts) == 2)
    (stuck,) = (process for process in parts if process.poll() is None)
    for step in (("convert", place.source, place.output, *SHARDS), ("finish", place.output)):
        busy = place.step(*step)
        assert (busy.code, busy.json["error"]["code"]) == (3, "busy")
        assert f"process {stuck.pid} on " in busy.json["error"]["message"]
    names = place.names()
    assert sum(name.startswith("_tfrec/sharers/") for name in names) == 1
    assert "_tfrec/lock" not in names
    os.killpg(stuck.pid, signal.SIGKILL)
    stuck.wait(TIMEOUT)
    early = place.step("finish", place.output)
    assert (early.code, early.json["error"]["code"]) == (2, "unfinished")
    place.stand_in.go()
    again = place.step("write-shards", place.output, "--part", f"{parts.index(stuck)}/3")
    assert (again.code, again.json["shards"], again.json["num_shards"]) == (0, 2, 6)
    finished = place.step("finish", place.output, "--max-rejects", "1")
    assert (finished.code, finished.json["records"], finished.json["rejected"]) == (0, ROWS, 1)
    assert place.is_as_in_one_go()


@ONE_STORE
@pytest.mark.thorough
def test_beam_loses_a_worker_then_its_launcher_and_the_local_runner_finishes(place: Place) -> None:
    """What was made stands; a trace on the store makes the second attempt check in a child process."""
    place.plan()
    process = place.start(
        "convert", place.source, place.output, *SHARDS, "--runner", "DirectRunner", "--workers", "2"
    )
    worker = place.stand_in.wait_until_reached()
    os.kill(worker, signal.SIGKILL)
    checker = place.stand_in.wait_until_reached()
    assert checker not in (worker, process.pid)
    busy = place.step("write-shards", place.output)
    assert (busy.code, busy.json["error"]["code"]) == (3, "busy")
    wait_for(lambda: any(name.startswith("_tfrec/done/") for name in place.names()))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(TIMEOUT)
    place.stand_in.go()
    wait_for(lambda: not is_alive(checker))
    names = place.names()
    made = sum(name.startswith("_tfrec/done/") for name in names)
    assert made < 6
    assert sum(name.startswith("_tfrec/attempts/") for name in names) > 0
    done = place.step("convert", place.source, place.output, *SHARDS, "--max-rejects", "1")
    assert (done.code, done.json["records"]) == (0, ROWS)
    assert made <= done.json["resumed_shards"] < 6
    assert place.is_as_in_one_go()


@ONE_STORE
@pytest.mark.thorough
def test_beam_is_stopped_by_a_marker_on_the_store(place: Place) -> None:
    direct = ("--runner", "DirectRunner", *SHARDS)
    done = place.step("convert", place.source, place.output, *direct, "--fail-fast")
    assert (done.code, done.json["status"], done.json["rejected"]) == (1, "failed", 1)
    assert "manifest.json" not in place.names()
    rest = place.step("convert", place.source, place.output, *direct, "--max-rejects", "1")
    assert (rest.code, rest.json["status"], rest.json["records"]) == (0, "complete", ROWS)
    assert place.is_as_in_one_go()


@ONE_STORE
def test_a_bucket_that_is_not_there_is_named(store: Running) -> None:
    for step in ("write-shards", "finish"):
        done = tfrec(step, "gs://no-such-bucket/out", "--json", env=store.env).json
        assert done["exit_code"] == 2
        assert "gs://no-such-bucket/out" in done["error"]["message"]


@ONE_STORE
def test_who_makes_shards_waits_for_who_finishes(place: Place) -> None:
    place.plan()
    holder = {"run": "other", "host": "elsewhere", "process": 1}
    place.store.store.put(f"{place.name}/out/_tfrec/lock", json.dumps(holder).encode())
    busy = place.step("write-shards", place.output)
    assert (busy.code, busy.json["error"]["code"]) == (3, "busy")
    names = place.names()
    assert not [name for name in names if name.startswith("_tfrec/sharers/")]


def test_an_account_that_may_not_delete(tmp_path: Path) -> None:
    """It is warned, gets its dataset, and its next run is not taken for a second one."""
    csv = image_list(tmp_path / "in", 6)

    def refuse(method: str, key: str) -> None:
        if method == "DELETE":
            raise Refused(403, "AccessDenied")

    with serve("gs") as store:
        store.meddle = refuse
        running = Running("gs://bkt", store.environment())
        done = convert_json(csv, "gs://bkt/out", "--num-shards", "2", env=running.env)
        assert (done["exit_code"], done["status"]) == (0, "complete")
        assert any("may not delete" in warning for warning in done["warnings"])
        again = convert_json(csv, "gs://bkt/out", "--num-shards", "2", env=running.env)
        assert (again["exit_code"], again["status"]) == (0, "already_complete")
        tfrec("plan", csv, "gs://bkt/steps", "--num-shards", "2", env=running.env)
        assert tfrec("write-shards", "gs://bkt/steps", env=running.env).code == 0
        finished = tfrec("finish", "gs://bkt/steps", "--json", env=running.env).json
        assert (finished["exit_code"], finished["status"]) == (0, "complete")
        assert any("may not delete" in warning for warning in finished["warnings"])
        other = convert_json(csv, "gs://bkt/out", "--overwrite", "--seed", "1", env=running.env)
        assert (other["exit_code"], "may not delete" in other["error"]["message"]) == (2, True)
        convert_json(csv, tmp_path / "out", "--num-shards", "2")
        for name in ("out", "steps"):
            found = {k: v for k, v in running.contents(name).items() if not k.startswith("_tfrec/")}
            assert sums(found) == fingerprint(tmp_path / "out")
