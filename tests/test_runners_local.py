"""The local runner with real processes that crash, are killed and stopped."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from converting import (
    TFREC,
    TIMEOUT,
    Run,
    by_filename,
    convert_json,
    end,
    environment,
    fingerprint,
    image_list,
    manifest,
    read_all,
    read_csv,
    start,
    tfrec,
)
from sampling import first
from stand_in_simplejpeg import StandIn, is_alive, mark, processes_under, wait_for

from tfrecordcli.options import ImageOptions
from tfrecordcli.runners import messages, worker

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

ROWS = 12
MARKED = 7


@dataclass
class Case:
    """A list of twelve images, one of them marked, and where it is converted to."""

    csv: Path
    output: Path
    stand_in: StandIn
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def arguments(self, *more: object) -> list[str]:
        shards = ("--num-shards", "4", "--workers", "2")
        return [*TFREC, "convert", str(self.csv), str(self.output), *shards, "--json", *map(str, more)]

    def environment(self) -> dict[str, str]:
        return environment(PYTHONPATH=self.stand_in.python_path, TMPDIR=str(self.csv.parent.parent))

    def start(self, *more: object) -> subprocess.Popen[bytes]:
        """Starts a run, until a worker waits at the marked image."""
        process = self.start_only(*more)
        wait_for(lambda: self.stand_in.is_reached() or process.poll() is not None)
        if process.returncode is not None:
            pytest.fail(f"ended too early: {ended(process)}")
        return process

    def start_only(self, *more: object) -> subprocess.Popen[bytes]:
        process = start(self.arguments(*more), self.environment())
        self.processes.append(process)
        return process

    def convert(self, *more: object) -> dict[str, Any]:
        arguments = self.arguments(*more)[len(TFREC) + 1 :]
        arguments.remove("--json")
        return convert_json(*arguments, env=self.environment())

    def done(self) -> list[Path]:
        """The done records that stand."""
        return sorted(p for p in (self.output / "_tfrec" / "done").iterdir() if p.suffix != ".tmp")

    def undisturbed(self, *more: object) -> dict[str, str]:
        """What a run without any fault writes."""
        output = self.output.with_name("undisturbed")
        assert tfrec("convert", self.csv, output, "--num-shards", "4", *more).code in (0, 1)
        return fingerprint(output)


def ended(process: subprocess.Popen[bytes]) -> Run:
    out, err = process.communicate(timeout=TIMEOUT)
    return Run(process.returncode, out.decode(), err.decode())


@pytest.fixture
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Case]:
    csv = image_list(tmp_path / "in", ROWS, {MARKED: mark(request.param)})
    output = tmp_path / "out"
    case = Case(csv, output, StandIn(tmp_path / "stand-in", output))
    yield case
    case.stand_in.go()  # whatever failed, nothing may wait for ever
    for process in case.processes:
        end(process)


def marked(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [kind], indirect=True)


# --- a worker dies ---


def test_a_worker_dies_of_a_library_that_cannot_be_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that its parent finds the reason in what it wrote, which may be too little memory."""
    monkeypatch.setitem(sys.modules, "tfrecordcli.images.decode", None)
    (tmp_path / "picture.gif").write_bytes(b"GIF89a")
    request = messages.Look(("picture.gif",), str(tmp_path), ImageOptions())
    with pytest.raises(ImportError):
        worker._serve(request, io.StringIO())


@marked("wait")
def test_a_killed_worker_costs_nothing(case: Case) -> None:
    process = case.start()
    worker = case.stand_in.wait_until_reached()
    assert worker in processes_under(process.pid)
    os.kill(worker, signal.SIGKILL)
    assert case.stand_in.wait_until_reached() != worker  # the same shard is tried again
    case.stand_in.go()
    done = ended(process)
    assert (done.code, done.json["records"], done.json["rejected"]) == (0, ROWS, 0)
    assert fingerprint(case.output) == case.undisturbed()


@marked("kill")
def test_a_shard_that_is_killed_every_time_ends_the_run_resumably(case: Case) -> None:
    done = ended(case.start_only())
    assert done.code == 2
    assert done.json["error"]["code"] == "killed"
    assert "--workers" in done.json["error"]["hint"]
    assert not (case.output / "manifest.json").exists()
    finished = len(case.done())
    resumed = convert_json(case.csv, case.output, "--num-shards", "4")  # with the real decoder
    assert (resumed["exit_code"], resumed["records"], resumed["resumed_shards"]) == (0, ROWS, finished)
    assert fingerprint(case.output) == case.undisturbed()


@marked("segv")
def test_a_decoder_crash_costs_its_row_only(case: Case, tf: Any) -> None:
    done = case.convert()
    assert (done["exit_code"], done["records"], done["rejected"]) == (1, ROWS - 1, 1)
    assert done["reasons"] == {"decoder_crash": 1}
    (reject,) = read_csv(case.output / "rejects.csv")
    assert reject["image_uri"] == f"{MARKED:03}.jpg"
    assert reject["tfrec_line"] == str(MARKED + 2)
    assert reject["tfrec_code"] == "decoder_crash"
    kept = by_filename(read_all(tf, case.output))
    assert set(kept) == {f"{n:03}.jpg" for n in range(ROWS)} - {f"{MARKED:03}.jpg"}
    for name, record in kept.items():
        assert record.encoded == (case.csv.parent / name).read_bytes()
    again = case.convert()
    assert (again["status"], again["exit_code"]) == ("already_complete", 1)


@marked("segv")
@pytest.mark.thorough
def test_a_mended_image_is_found_beside_one_that_crashes(case: Case) -> None:
    last = case.csv.parent / f"{ROWS - 1:03}.jpg"
    good = last.read_bytes()
    last.write_bytes(b"no image")
    assert case.convert()["rejected"] == 2
    assert case.convert()["status"] == "already_complete"
    last.write_bytes(good)
    changed = case.convert()
    assert changed["exit_code"] == 2
    assert last.name in changed["error"]["message"]


@marked("segv-kill")
def test_a_killed_checking_child_never_costs_a_row(case: Case) -> None:
    done = ended(case.start_only())
    assert (done.code, done.json["error"]["code"]) == (2, "killed")
    resumed = convert_json(case.csv, case.output, "--num-shards", "4")
    assert (resumed["exit_code"], resumed["records"], resumed["rejected"]) == (0, ROWS, 0)
    assert fingerprint(case.output) == case.undisturbed()


@marked("exit")
@pytest.mark.thorough
def test_a_checking_child_that_fails_is_a_bug_not_a_reject(case: Case, tmp_path: Path) -> None:
    done = ended(case.start_only())
    assert done.code == 70
    assert done.json["error"]["code"] == "bug"
    assert not (case.output / "manifest.json").exists()


@marked("bug")
def test_a_bug_in_a_worker_is_exit_70_with_a_traceback_file(case: Case, tmp_path: Path) -> None:
    environment = {**case.environment(), "TMPDIR": str(tmp_path)}
    done = tfrec(*case.arguments()[len(TFREC) :], env=environment)
    assert done.code == 70
    assert done.json["error"]["code"] == "bug"
    (kept,) = tmp_path.glob("tfrec-bug-*.txt")
    assert str(kept) in done.err
    assert "LookupError: nobody expects this" in kept.read_text()
    assert "Traceback" not in done.err
    shown = tfrec(*case.arguments("--debug")[len(TFREC) :], env=environment)
    assert (shown.code, shown.json["error"]["code"]) == (70, "bug")
    assert "LookupError: nobody expects this" in shown.err


# --- the run is stopped ---


def stop(case: Case, number: int, *, group: bool = False) -> tuple[Run, set[int]]:
    """Starts a run, sends a signal while a worker is at the marked image; what came of it."""
    process = case.start()
    case.stand_in.wait_until_reached()
    wait_for(case.done)
    workers = processes_under(process.pid)
    assert workers
    (os.killpg if group else os.kill)(process.pid, number)
    return ended(process), workers


@marked("wait")
@pytest.mark.parametrize(
    ("number", "code", "word", "group"),
    first(
        [(signal.SIGINT, 130, "interrupted", True), (signal.SIGTERM, 143, "terminated", False)],
        [(signal.SIGINT, 130, "interrupted", False), (signal.SIGTERM, 143, "terminated", True)],
        unpack=True,
    ),
)
def test_a_stopped_run_says_so_and_continues(
    case: Case, number: int, code: int, word: str, group: bool
) -> None:
    done, workers = stop(case, number, group=group)
    assert not any(map(is_alive, workers))
    assert done.code == code
    assert done.json["error"]["code"] == word
    assert done.json["status"] == "failed"
    assert done.err.startswith(f"tfrec: {word}")
    assert len(done.err.splitlines()) == 2
    case.stand_in.go()
    resumed = case.convert()
    assert resumed["resumed_shards"] > 0
    assert (resumed["exit_code"], resumed["records"]) == (0, ROWS)
    assert fingerprint(case.output) == case.undisturbed()


@marked("wait")
def test_workers_end_with_their_parent(case: Case) -> None:
    done, workers = stop(case, signal.SIGKILL)
    assert done.code == -signal.SIGKILL
    wait_for(lambda: not any(map(is_alive, workers)))  # although one of them is in a decoder


@marked("wait")
def test_a_run_that_was_killed_whole_continues(case: Case) -> None:
    done, workers = stop(case, signal.SIGKILL, group=True)
    assert done.code == -signal.SIGKILL
    wait_for(lambda: not any(map(is_alive, workers)))
    assert not (case.output / "manifest.json").exists()
    finished = len(case.done())
    case.stand_in.go()
    resumed = case.convert()
    assert resumed["resumed_shards"] == finished > 0
    assert (resumed["exit_code"], resumed["records"]) == (0, ROWS)
    assert fingerprint(case.output) == case.undisturbed()


@marked("wait")
def test_a_damaged_temporary_or_lost_shard_is_made_again(case: Case) -> None:
    stop(case, signal.SIGKILL, group=True)
    done = case.done()
    lost = case.output / json.loads(done[0].read_text())["file"]
    lost.unlink()
    (case.output / "_tfrec" / "tmp" / lost.name).write_bytes(b"half a shard")
    case.stand_in.go()
    resumed = case.convert()
    assert resumed["resumed_shards"] == len(done) - 1
    assert fingerprint(case.output) == case.undisturbed()


@marked("wait")
@pytest.mark.thorough
def test_an_unfinished_run_is_not_mixed_with_another(case: Case) -> None:
    stop(case, signal.SIGKILL, group=True)
    case.stand_in.go()
    refused = convert_json(case.csv, case.output, "--num-shards", "3")
    assert refused["exit_code"] == 2
    assert "--overwrite" in refused["error"]["hint"]
    again = convert_json(case.csv, case.output, "--num-shards", "3", "--overwrite")
    assert (again["exit_code"], again["records"], again["resumed_shards"]) == (0, ROWS, 0)
    assert {path.name for path in case.output.glob("*.tfrecord")} == {
        f"train-0000{i}-of-00003.tfrecord" for i in range(3)
    }


@marked("wait")
def test_a_second_run_at_the_same_time_is_exit_3(case: Case) -> None:
    process = case.start()
    case.stand_in.wait_until_reached()
    busy = convert_json(case.csv, case.output, "--num-shards", "4")
    assert busy["exit_code"] == 3
    assert busy["error"]["code"] == "busy"
    assert str(process.pid) in busy["error"]["message"]
    case.stand_in.go()
    assert ended(process).code == 0
    assert manifest(case.output)["records"] == ROWS


@marked("wait")
@pytest.mark.thorough
def test_a_replacement_that_was_killed_leaves_the_old_dataset_whole(case: Case) -> None:
    old = convert_json(case.csv, case.output, "--num-shards", "4", "--seed", "5")
    assert old["exit_code"] == 0
    before = fingerprint(case.output)
    process = case.start("--overwrite")
    case.stand_in.wait_until_reached()
    wait_for(case.done)
    os.killpg(process.pid, signal.SIGKILL)
    ended(process)
    assert {p.name: p for p in case.output.iterdir()}.keys() == {*before, "_tfrec"}
    case.stand_in.go()
    replaced = case.convert("--overwrite")
    assert (replaced["exit_code"], replaced["status"]) == (0, "complete")
    assert replaced["resumed_shards"] > 0
    assert fingerprint(case.output) == case.undisturbed()


# --- workers that die before they have work ---

LOOKS = """
import os, signal, sys
from stand_in_simplejpeg import is_alive, processes_under, wait_for
from tfrecordcli.options import ImageOptions
from tfrecordcli.runners.local import LocalRunner

root, which = sys.argv[1], int(sys.argv[2])
with LocalRunner(2) as runner:
    runner.warm_up()
    victim = sorted(processes_under(os.getpid()))[which]
    os.kill(victim, signal.SIGKILL)
    wait_for(lambda: not is_alive(victim))
    for _ in range(2):
        print(runner.look(["000.jpg", "none.jpg"], root, ImageOptions()))
assert not processes_under(os.getpid())
"""


@pytest.mark.parametrize("which", [0, 1])
def test_a_worker_that_dies_idle_is_not_mistaken_for_another(tmp_path: Path, which: int) -> None:
    image_list(tmp_path / "in", 1)
    tests = str(Path(__file__).parent)
    done = tfrec(
        tmp_path / "in", which, command=[sys.executable, "-c", LOOKS], env=environment(PYTHONPATH=tests)
    )
    good = "(None, ('not_found', 'file not found'))"
    assert done.err == ""
    lost = ["None", good] if which == 1 else [good, good]  # the last one started is asked first
    assert done.out.splitlines() == lost
