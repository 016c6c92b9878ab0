"""A large shard in parts: all workers are busy with it, and the report is the same, whatever is wrong."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, image_list
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples
from verifying import change_features, flip, framed, frames_of, verify

from tfrecordcli.integrity import large_shards
from tfrecordcli.integrity.reports import CheckTask
from tfrecordcli.verify_options import VerifyOptions
from tfrecordcli.verify_report import VerifyReport
from tfrecordcli.verifying import verification

SHARD = "train-00000-of-00001.tfrecord"
INDEX = SHARD + ".idx"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 images in one shard of 60 kB with an index."""
    folder = tmp_path_factory.mktemp("good")
    convert_json(image_list(folder / "in", 60), folder / "out", "--num-shards", "1", "--index")
    return folder / "out"


@pytest.fixture
def dataset(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "out"))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> list[CheckTask]:
    """Parts of 8 kB or little more; the tasks that were made."""
    monkeypatch.setattr(large_shards, "PART_BYTES", 8000)
    made: list[CheckTask] = []
    split = large_shards.split_task

    def spy(task: CheckTask, size: int) -> Any:
        for part in split(task, size):
            made.append(part)
            yield part

    monkeypatch.setattr(large_shards, "split_task", spy)
    return made


def values_of(report: VerifyReport) -> dict[str, Any]:
    values = dataclasses.asdict(report)
    del values["integrity"]  # how long it took
    return values


def reports_agree(folder: Path, **options: Any) -> VerifyReport:
    whole = verify(folder, workers=1, **options)
    split = verify(folder, workers=2, **options)
    assert values_of(split) == values_of(whole)
    return whole


def test_parts_hold_every_record_once(dataset: Path, small_parts: list[CheckTask]) -> None:
    assert reports_agree(dataset).ok
    cuts = [task.part for task in small_parts if task.part is not None]
    assert len(cuts) == len(small_parts) > 3
    assert [cut.number for cut in cuts] == list(range(len(cuts)))
    assert [cut.begin for cut in cuts[1:]] == [cut.end for cut in cuts[:-1]]
    assert cuts[-1].end is None
    offsets = [sum(map(len, frames_of(dataset / SHARD)[: cut.first_record])) for cut in cuts]
    assert offsets == [cut.begin for cut in cuts]


def test_one_worker_and_small_files_need_no_parts(
    good: Path, monkeypatch: pytest.MonkeyPatch, small_parts: list[CheckTask]
) -> None:
    verify(good, workers=1)
    assert small_parts == []
    monkeypatch.setattr(large_shards, "PART_BYTES", 1 << 20)
    verify(good, workers=4)
    assert small_parts == []


def rewritten(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / SHARD).write_bytes(b"".join(change(frames_of(folder / SHARD))))

    return damage


def flipped(*places: tuple[int, int], name: str = SHARD) -> Callable[[Path], None]:
    """(record, byte in its frame) of bytes that are changed."""

    def damage(folder: Path) -> None:
        sizes = [0, *map(len, frames_of(folder / SHARD))]
        data = (folder / name).read_bytes()
        for record, byte in places:
            data = flip(data, sum(sizes[: record + 1]) + byte)
        (folder / name).write_bytes(data)

    return damage


def replaced(name: str, old: bytes, new: bytes) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        data = (folder / name).read_bytes()
        assert old in data
        (folder / name).write_bytes(data.replace(old, new, 1))

    return damage


def shortened(by: int, name: str = SHARD) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:-by]) and None


def extended(by: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / SHARD).write_bytes((folder / SHARD).read_bytes() + by) and None


def relabelled(folder: Path) -> None:
    for record in (3, 33):
        change_features(folder / SHARD, record, image__class__text=[b"c"])


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "payload of the first record": (flipped((0, 30)), "payload_damaged"),
    "payloads in several parts": (flipped((1, 30), (20, 30), (40, 30), (59, 30)), "payload_damaged"),
    "length in the first part": (flipped((2, 1)), "length_damaged"),
    "length in the middle": (flipped((30, 9)), "length_damaged"),
    "length in the last record": (flipped((59, 0)), "length_damaged"),
    "payload and length": (flipped((5, 30), (41, 1)), "payload_damaged"),
    "bytes before it": (replaced(SHARD, b"", b"<!DOCTYPE html>"), "length_damaged"),
    "cut in a record": (shortened(3), "cut_in_record"),
    "cut in the middle": (shortened(25_000), "cut_in_record"),
    "cut between records": (rewritten(lambda frames: frames[:-2]), "cut_between_records"),
    "dropped": (rewritten(lambda frames: frames[:22] + frames[23:]), "record_dropped"),
    "doubled": (rewritten(lambda frames: [*frames[:22], frames[3], *frames[22:]]), "record_doubled"),
    "reordered": (rewritten(lambda frames: frames[::-1]), "file_checksum"),
    "more": (rewritten(lambda frames: [*frames, framed(b"")]), "record_count"),
    "text behind it": (extended(b"\n\n\n"), "trailing_bytes"),
    "labels": (relabelled, "label_text"),
    "a line of the index": (replaced(INDEX, b"\n", b"1\n"), "index_wrong"),
    "end of the index": (shortened(4, INDEX), "index_wrong"),
    "no index": (lambda folder: (folder / INDEX).unlink(), "index_missing"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_the_report_is_the_same_whatever_is_wrong(name: str, dataset: Path) -> None:
    damage, code = DAMAGE[name]
    damage(dataset)
    assert code in reports_agree(dataset).problem_counts
    reports_agree(dataset, max_problems=1)
    reports_agree(dataset, ignore=(code,))
    (dataset / "manifest.json").unlink()
    (dataset / "shards.jsonl").unlink()
    reports_agree(dataset)


@given(at=st.integers(0, 1 << 20), mask=st.integers(1, 255), cut=st.integers(0, 1 << 20))
@settings(max_examples=examples(25), deadline=None)
def test_any_damage(
    good: Path, tmp_path_factory: pytest.TempPathFactory, at: int, mask: int, cut: int
) -> None:
    folder = Path(shutil.copytree(good, tmp_path_factory.mktemp("any") / "out"))
    data = (folder / SHARD).read_bytes()
    data = flip(data, at % len(data), mask)
    (folder / SHARD).write_bytes(data[: len(data) - cut % len(data)] if cut % 3 == 0 else data)
    assert reports_agree(folder).exit_code == 1


@pytest.mark.parametrize("has_index", [True, False])
@pytest.mark.parametrize("what", ["dropped", "replaced"])
def test_the_index_tells_where_records_differ(what: str, has_index: bool, dataset: Path) -> None:
    frames = frames_of(dataset / SHARD)
    if what == "dropped":
        damage: list[bytes] = frames[:22] + frames[23:]
    else:
        damage = [*frames[:22], framed(frames[22][12:-4] + frames[22][12:-4]), *frames[23:]]
    assert len(frames[22]) != len(frames[23])
    (dataset / SHARD).write_bytes(b"".join(damage))
    if not has_index:
        (dataset / INDEX).unlink()
    ignored = ("index_missing", "feature_count")
    (found,) = [
        problem for problem in reports_agree(dataset, ignore=ignored).problems if problem.path == SHARD
    ]
    assert found.code == ("record_dropped" if what == "dropped" else "content_digest")
    place = (22, sum(map(len, frames[:22]))) if has_index else (None, None)
    assert (found.record, found.offset) == place


@pytest.mark.processes
def test_worker_processes(dataset: Path, small_parts: list[CheckTask]) -> None:
    flipped((1, 30), (20, 30))(dataset)
    reports = [
        verification.verify(dataset, VerifyOptions(feed=False, workers=workers)) for workers in (1, 2, 4)
    ]
    assert len(small_parts) > 6
    assert reports[0].problem_counts == {"payload_damaged": 2}
    assert values_of(reports[0]) == values_of(reports[1]) == values_of(reports[2])
