"""`prove` passes on what was written, and reports every way in which it is not that any more."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from converting import image_list, jpeg, manifest, write_csv

import tfrecordcli
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.proof import prove
from tfrecordcli.feed.splits import open_dataset
from tfrecordcli.problems import Problem

OPTIONS = FeedOptions(batch_size=8, image_size=16)
VICTIM = "train-00001-of-00003.tfrecord"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """50 images of the labels a and b in 3 shards."""
    folder = tmp_path_factory.mktemp("good")
    tfrecordcli.convert(image_list(folder / "in", 50), folder / "out", num_shards="train=3")
    return folder / "out"


@pytest.fixture
def dataset(good: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(good, tmp_path / "out"))


def problems_of(folder: Path) -> dict[str, Problem]:
    return {problem.code: problem for problem in prove(folder, open_dataset(folder), OPTIONS)}


def rewrite(tf: Any, path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Puts other records, with right checksums, into a shard."""
    records = change([bytes(record.numpy()) for record in tf.data.TFRecordDataset(str(path))])
    with tf.io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record)


def test_good_datasets_pass(good: Path) -> None:
    read: list[int] = []
    assert prove(good, open_dataset(good), OPTIONS, read.append) == []
    assert sum(read) == 50
    assert len(read) == 7


def test_options_that_a_proof_must_not_follow(good: Path) -> None:
    partial = FeedOptions(
        batch_size=8, image_size=16, drop_remainder=True, shard=(0, 2), repeat=True, label_mode="none"
    )
    read: list[int] = []
    assert prove(good, open_dataset(good), partial, read.append) == []
    assert sum(read) == 50


_KINDS = ["sample", "gzip", "several labels", "unlabelled", "no labels", "huge ids", "several huge ids"]


@pytest.mark.parametrize("kind", _KINDS)
def test_every_kind_of_dataset_passes(kind: str, tmp_path: Path, sample_data: Path) -> None:
    source, options = sample_data / "data.csv", {}
    if kind == "gzip":
        options = {"compression": "gzip"}
    elif kind != "sample":
        for number in range(4):
            (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
        labels = {
            "several labels": [("a",), ("a", "b"), ("c", "b"), ("c",)],
            "unlabelled": [("a", "b"), (), ("c",), ("a",)],  # as many labels as records
            "no labels": [()] * 4,
            "huge ids": [("3",), (str(2**62),), ("0",), ("3",)],
            "several huge ids": [("3",), (str(2**62), "3"), (), ("0", "1", "3")],
        }[kind]
        source = write_csv(tmp_path / "l.csv", [("TRAIN", f"{i}.jpg", *row) for i, row in enumerate(labels)])
        options = {"unlabelled": "keep"}
    tfrecordcli.convert(source, tmp_path / "out", **options)
    assert manifest(tmp_path / "out")["records"] == (30 if kind in ("sample", "gzip") else 4)
    assert problems_of(tmp_path / "out") == {}


def test_a_shard_of_another_dataset(dataset: Path, tmp_path: Path) -> None:
    """As many records, the same labels, right checksums: only the digest tells."""
    other = image_list(tmp_path / "in", 50, marked=dict.fromkeys(range(50), b"other"))
    tfrecordcli.convert(other, tmp_path / "other", num_shards="train=3", seed=0)
    for path in dataset.glob("*.tfrecord"):
        shutil.copy(tmp_path / "other" / path.name, path)
    problems = problems_of(dataset)
    assert set(problems) == {"feed_digest"}
    assert "train" in problems["feed_digest"].message


def test_one_shard_in_place_of_another(dataset: Path) -> None:
    shutil.copy(dataset / "train-00000-of-00003.tfrecord", dataset / VICTIM)
    assert "feed_digest" in problems_of(dataset)


def test_a_dropped_record(dataset: Path, tf: Any) -> None:
    rewrite(tf, dataset / VICTIM, lambda records: records[:5] + records[6:])
    problems = problems_of(dataset)
    assert set(problems) == {"feed_count", "feed_labels", "feed_digest"}
    assert problems["feed_count"].message == "TensorFlow read 49 records of train instead of 50"


def test_a_record_too_many(dataset: Path, tf: Any) -> None:
    rewrite(tf, dataset / VICTIM, lambda records: [*records, records[0]])
    assert "feed_count" in problems_of(dataset)


def test_changed_labels(dataset: Path, tf: Any) -> None:
    def relabel(records: list[bytes]) -> list[bytes]:
        example = tf.train.Example.FromString(records[3])
        labels = example.features.feature["image/class/label"].int64_list.value
        labels[0] = 1 - labels[0]
        return [*records[:3], example.SerializeToString(deterministic=True), *records[4:]]

    rewrite(tf, dataset / VICTIM, relabel)
    assert set(problems_of(dataset)) == {"feed_labels", "feed_digest"}


@pytest.mark.parametrize("highest", [40, 40_000])
def test_labels_are_counted_whatever_the_number_of_classes(highest: int, tmp_path: Path) -> None:
    labels = [(str(highest), "3"), ("3",), (), ("0", "1", "3")]
    for number in range(4):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
    rows = [("TRAIN", f"{number}.jpg", *ids) for number, ids in enumerate(labels)]
    tfrecordcli.convert(write_csv(tmp_path / "l.csv", rows), tmp_path / "out", unlabelled="keep")
    made = open_dataset(tmp_path / "out")
    train = made.splits["train"]
    assert train.labels == {0: 1, 1: 1, 3: 3, highest: 1}
    assert prove(tmp_path / "out", made, OPTIONS) == []
    other = replace(made, splits={"train": replace(train, labels={**train.labels, 1: 2, 3: 2})})
    assert [problem.code for problem in prove(tmp_path / "out", other, OPTIONS)] == ["feed_labels"]


def test_a_changed_byte_is_found_by_shard_and_record(dataset: Path, tf: Any) -> None:
    path = dataset / VICTIM
    sizes = [len(record.numpy()) + 16 for record in tf.data.TFRecordDataset(str(path))]
    data = bytearray(path.read_bytes())
    data[sum(sizes[:7]) + 200] ^= 1
    path.write_bytes(data)
    problem = problems_of(dataset)["feed_failed"]
    assert (problem.path, problem.record) == (VICTIM, 7)
    assert "corrupted record" in problem.message
    assert str(dataset) not in problem.message
    assert "{{" not in problem.message


def test_an_image_that_cannot_be_decoded(dataset: Path, tf: Any) -> None:
    def spoil(records: list[bytes]) -> list[bytes]:
        example = tf.train.Example.FromString(records[2])
        example.features.feature["image/encoded"].bytes_list.value[0] = b"no image"
        return [*records[:2], example.SerializeToString(deterministic=True), *records[3:]]

    rewrite(tf, dataset / VICTIM, spoil)
    problem = problems_of(dataset)["feed_failed"]
    assert (problem.path, problem.record) == (VICTIM, 2)
    assert "Unknown image file format" in problem.message


def test_a_missing_file_and_one_cut_short(dataset: Path, tf: Any) -> None:
    (dataset / VICTIM).unlink()
    first = dataset / "train-00000-of-00003.tfrecord"
    first.write_bytes(first.read_bytes()[:-5])
    problems = prove(dataset, open_dataset(dataset), OPTIONS)
    assert [problem.path for problem in problems] == [first.name, VICTIM]
    assert {problem.code for problem in problems} == {"feed_failed"}
    assert str(dataset) not in "".join(problem.message for problem in problems)


def test_an_emptied_file(dataset: Path) -> None:
    """TensorFlow itself takes an empty file for the end of the data."""
    (dataset / VICTIM).write_bytes(b"")
    assert "feed_count" in problems_of(dataset)
