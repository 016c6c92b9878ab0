"""A little of `make fuzz`, and that it can fail."""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzz import gates, grown, walks
from fuzz.datasets import Files, make_datasets, save_files, with_record
from fuzz.gates import Gates
from fuzz.image_damage import layout, segments, ways_of
from fuzz.images import Images
from fuzz.kills import Kills
from fuzz.mutations import Mutations, _judge_foreign, _judge_ours
from fuzz.outcome import BLAMED, BROKEN, HARMLESS, REPORTED, UNREPORTED, Outcome
from fuzz.payload_cases import Payloads
from fuzz.peer import Died, Hung, Peer, Raised
from fuzz.pictures import sources
from fuzz.report import table
from fuzz.running import Kind, Lane, NotHere, Running, Tally
from fuzz.stores import Stores
from fuzz.subject import Done
from fuzz.tampering import tamper
from fuzz.walks import RUNS, Walks
from payloads import payloads
from test_images_samples import checked
from verifying import split_frames, verify

SEED = 12


def run(kind: Kind, count: int, folder: Path, lines: list[str], only: int | None = None) -> Tally:
    numbers = itertools.count() if only is None else iter([only])
    running = Running(kind, SEED, folder / "kept", lines.append, time.monotonic() + 600)
    return running.run(folder / "work", numbers, count, lanes=1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "count"), [(Mutations, 50), (Payloads, 80), (Images, 330), (Stores, 3), (Kills, 1)]
)
def test_a_little_of_each(kind: type[Kind], count: int, tmp_path: Path) -> None:
    lines: list[str] = []
    tally = run(kind(), count, tmp_path, lines)
    assert tally.failures == {}, "\n".join(lines)
    assert tally.done >= count


@pytest.mark.thorough
@pytest.mark.parametrize("compiler", ["clang", "cc"])
def test_a_little_of_the_native_walk(compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "_COMPILERS", {compiler: walks._COMPILERS[compiler]})
    lines: list[str] = []
    try:
        tally = run(Walks(), RUNS, tmp_path, lines)
    except NotHere:
        pytest.skip(f"needs {compiler} with its sanitizers")
    assert tally.failures == {}, "\n".join(lines)
    assert tally.done == RUNS


@pytest.mark.thorough
def test_a_little_of_both_gates(tmp_path: Path) -> None:
    lines: list[str] = []
    try:
        tally = run(Gates(), gates.RUNS, tmp_path, lines)
    except NotHere:
        pytest.skip("needs Atheris")
    assert tally.failures == {}, "\n".join(lines)
    assert tally.done == gates.RUNS


def test_both_walks_are_fuzzed() -> None:
    frames = {marker for data in grown.seeds() for marker in (b"\xff\xc0", b"\xff\xc2") if marker in data}
    assert frames == {b"\xff\xc0", b"\xff\xc2"}


def test_without_a_compiler_the_native_walk_is_not_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walks, "_COMPILERS", {"no-compiler": ""})
    with pytest.raises(NotHere, match="no C compiler that has the sanitizers"):
        run(Walks(), RUNS, tmp_path, [])


# --- it can fail ---


@pytest.mark.thorough
def test_what_the_native_gate_alone_lets_in_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("atheris")
    from fuzz import gate_target

    photo = sources()["jpeg 4:2:0"]
    spoilt = photo[:-200] + photo[-2:]
    gate_target.judge(photo)
    gate_target.judge(spoilt)
    monkeypatch.setattr(gate_target.check, "walk_picture_data", lambda *_: True)
    with pytest.raises(AssertionError, match="lets in what libjpeg calls corrupt"):
        gate_target.judge(spoilt)


class Pretended:
    """Every third case fails."""

    name = "pretended"

    def prepare(self, folder: Path, seed: int, count: int) -> None:
        pass

    def trial(self, lane: Lane, number: int) -> Outcome:
        if number % 3:
            return Outcome(REPORTED, "a thing")
        return Outcome(BROKEN, "a thing", "in two", {"part/one": b"1"})


def test_failures_are_counted_told_and_kept(tmp_path: Path) -> None:
    lines: list[str] = []
    tally = run(Pretended(), 30, tmp_path, lines)
    assert tally.failures == {(BROKEN, "a thing"): 10}
    told = [line for line in lines if line.startswith("FAILED")]
    assert told == [f"FAILED pretended {number}: broken: a thing: in two" for number in (0, 3, 6)]
    assert f"--seed {SEED} --only pretended:3" in lines[3]
    assert (tmp_path / "kept" / f"pretended-{SEED}-6" / "part" / "one").read_bytes() == b"1"
    assert "FAILED broken, 10 times: a thing" in table([tally], SEED)


def test_one_case_alone(tmp_path: Path) -> None:
    assert run(Pretended(), 1, tmp_path, [], only=4).failures == {}
    assert run(Pretended(), 1, tmp_path / "again", [], only=6).done == 1


def test_time_that_is_up_ends_it(tmp_path: Path) -> None:
    running = Running(Pretended(), SEED, tmp_path, print, time.monotonic() - 1)
    assert running.run(tmp_path / "work", itertools.count(), 30, lanes=2).done == 0


def test_processes_that_die_hang_or_raise_are_told_apart(tmp_path: Path) -> None:
    with Peer("os", tmp_path) as peer:
        with pytest.raises(Died, match="SIGABRT"):
            peer.ask("abort", seconds=60)
        with pytest.raises(Died, match="exit code 3"):
            peer.ask("_exit", 3, seconds=60)
        with pytest.raises(Raised, match="FileNotFoundError"):
            peer.ask("stat", "/no/such/file", seconds=60)
        assert peer.ask("getpid", seconds=60) == peer.ask("getpid", seconds=60)
    with Peer("time", tmp_path) as peer, pytest.raises(Hung):
        peer.ask("sleep", 60, seconds=0.2)
    with Peer("builtins", tmp_path, memory=1 << 30) as peer, pytest.raises(Raised, match="MemoryError"):
        peer.ask("bytearray", 1 << 31, seconds=60)


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Files]:
    return make_datasets(tmp_path_factory.mktemp("datasets"))


def said(code: int, **values: object) -> Done:
    return Done(code, json.dumps({"problem_counts": {}, "records": 12, **values}), "", 0)


def test_what_is_read_otherwise_and_called_right_is_a_failure(datasets: dict[str, Files]) -> None:
    before = datasets["rejects"]
    shard = min(name for name in before if name.endswith(".tfrecord"))
    changed = {**before, shard: before[shard][:-1]}
    assert _judge_ours(before, changed, said(0), True, "").verdict == UNREPORTED
    assert _judge_ours(before, changed, said(1), True, "").verdict == REPORTED
    assert _judge_ours(before, before, said(1), False, "").verdict == BLAMED
    for name in ("labels.txt", "shards.jsonl", "rejects.csv"):
        gone = {other: data for other, data in before.items() if other != name}
        assert _judge_ours(before, gone, said(0), False, "").verdict == UNREPORTED
    edited = {**before, "rejects.csv": b"x"}
    assert _judge_ours(before, edited, said(0), False, "").verdict == UNREPORTED
    assert _judge_ours(before, edited, said(0, notes=["edited"]), False, "").verdict == REPORTED


def test_records_of_others_that_are_not_read_are_a_failure(datasets: dict[str, Files]) -> None:
    before = {"d-train.tfrecord-00000-of-00002": ["a"] * 6, "d-train.tfrecord-00001-of-00002": ["b"] * 6}
    files = datasets["tfds"]
    assert _judge_foreign(files, said(0), before, before, "").verdict == HARMLESS
    shorter = {**before, "d-train.tfrecord-00001-of-00002": ["b"] * 5}
    assert "verify counts 12" in _judge_foreign(files, said(0), before, shorter, "").detail
    assert "dataset_info" in _judge_foreign(files, said(0, records=11), before, shorter, "").detail
    refused = {**before, "d-train.tfrecord-00000-of-00002": ["error: DataLossError"]}
    assert _judge_foreign(files, said(0, records=7), before, refused, "").verdict == UNREPORTED
    other = {**before, "d-train.tfrecord-00000-of-00002": ["c"] * 6}
    assert _judge_foreign(files, said(0), before, other, "").verdict == UNREPORTED


# --- what it works with is as it says ---


def test_the_same_seed_gives_the_same_case(datasets: dict[str, Files]) -> None:
    results = []
    for _ in range(2):
        files = dict(datasets["gzip"])
        results.append((tamper(files, random.Random("a seed")), files))
    assert results[0] == results[1]
    assert [*payloads(3, 20)] == [*payloads(3, 20)]


def test_a_dataset_that_is_sealed_again_is_right(datasets: dict[str, Files], tmp_path: Path) -> None:
    plain = datasets["plain"]
    shard = min(name for name in plain if name.startswith("train-") and name.endswith(".tfrecord"))
    save_files(with_record(plain, split_frames(plain[shard])[1][12:-4]), tmp_path / "same")
    assert verify(tmp_path / "same").problem_counts == {}
    save_files(with_record(plain, b"\xff"), tmp_path / "other")
    assert dict(verify(tmp_path / "other").problem_counts) == {"not_an_example": 1}


def _jpegs() -> Iterator[str]:
    return (name for name in sources() if name.startswith(("jpeg ", "progressive")))


def test_sound_images_are_let_in() -> None:
    for data in sources().values():
        checked(data)


def test_damage_is_damage() -> None:
    """Each way changes a source, most of the time."""
    random_ = random.Random(1)
    for name, data in sources().items():
        for how, spoil in ways_of(name).items():
            if how != "as text":
                assert any(spoil(data, random_) != data for _ in range(30)), (name, how)


def test_layouts_tell_what_a_decoder_can_know() -> None:
    turned = sources()["jpeg sampled 2x1,1x1,1x1"]
    assert layout(turned) != layout(sources()["jpeg sampled 1x1,1x1,1x1"])
    for name in _jpegs():
        if name != "jpeg two pictures":
            assert layout(sources()[name]) is not None
            assert segments(sources()[name])[-1].end == len(sources()[name]) - 2
