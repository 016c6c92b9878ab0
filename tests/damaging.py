"""Tools of the tests that damage datasets: sound ones, ours and those of others, plain and gzip."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, jpeg, write_csv

from tfrecordcli.formats.example import encode_example

OURS, FOREIGN = "ours", "foreign"
PLAIN, GZIP = "plain", "gzip"
KINDS = [(OURS, PLAIN), (OURS, GZIP), (FOREIGN, PLAIN), (FOREIGN, GZIP)]


@dataclass(frozen=True)
class Set:
    """A copy of a sound dataset, to be damaged."""

    folder: Path
    whose: str
    packed: str

    def path(self, split: str = "train", number: int = 0, count: int = 2) -> Path:
        suffix = ".gz" if self.packed == GZIP else ""
        return self.folder / f"{split}-{number:05}-of-{count:05}.tfrecord{suffix}"

    @property
    def target(self) -> Path:
        return self.path()

    @property
    def other(self) -> Path:
        return self.path(number=1)

    @property
    def index(self) -> Path:
        return self.target.with_name(self.target.name + ".idx")


@pytest.fixture(scope="session")
def sound(tf: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    folder = tmp_path_factory.mktemp("sound")
    (folder / "in").mkdir()
    rows = []
    for number in range(20):
        name = f"{number:03}.jpg"
        (folder / "in" / name).write_bytes(jpeg(number, width=16 + number))
        split = "TRAIN" if number < 12 else ("VALIDATE" if number < 16 else "TEST")
        rows.append((split, name, "ab"[number % 2]))
    csv = write_csv(folder / "in" / "list.csv", rows, ("split", "image_uri", "label"))
    shards = ("--num-shards", "train=2,validation=1,test=1", "--workers", "1")
    assert convert_json(csv, folder / "plain", *shards, "--index")["exit_code"] == 0
    assert convert_json(csv, folder / "gzip", *shards, "--compression", "gzip")["exit_code"] == 0
    for packed in (PLAIN, GZIP):
        (folder / f"foreign-{packed}").mkdir()
        for split, number, count in (("train", 0, 2), ("train", 1, 2), ("test", 0, 1)):
            copy = Set(folder / f"foreign-{packed}", FOREIGN, packed)
            write_with_tensorflow(tf, copy.path(split, number, count), number if split == "train" else 2)
    return {
        (OURS, PLAIN): folder / "plain",
        (OURS, GZIP): folder / "gzip",
        (FOREIGN, PLAIN): folder / "foreign-plain",
        (FOREIGN, GZIP): folder / "foreign-gzip",
    }


def write_with_tensorflow(tf: Any, path: Path, seed: int) -> None:
    options = tf.io.TFRecordOptions(compression_type="GZIP" if path.suffix == ".gz" else "")
    with tf.io.TFRecordWriter(str(path), options) as writer:
        for number in range(6):
            image = tf.train.BytesList(value=[jpeg(100 * seed + number, width=16 + number)])
            features = {
                "picture": tf.train.Feature(bytes_list=image),
                "class": tf.train.Feature(int64_list=tf.train.Int64List(value=[number % 2])),
                "weight": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString())


@pytest.fixture(params=KINDS, ids="-".join)
def each(request: pytest.FixtureRequest, sound: dict[tuple[str, str], Path], tmp_path: Path) -> Set:
    return copy_of(sound, request.param, tmp_path)


@pytest.fixture
def ours(sound: dict[tuple[str, str], Path], tmp_path: Path) -> Set:
    return copy_of(sound, (OURS, PLAIN), tmp_path)


@pytest.fixture
def foreign(sound: dict[tuple[str, str], Path], tmp_path: Path) -> Set:
    return copy_of(sound, (FOREIGN, PLAIN), tmp_path)


def copy_of(sound: dict[tuple[str, str], Path], kind: tuple[str, str], tmp_path: Path) -> Set:
    folder = tmp_path / "set"
    shutil.copytree(sound[kind], folder)
    return Set(folder, *kind)


RECORD = 2  # of the six in a shard: damaged where only one is


def has_index(path: Path) -> bool:
    return path.with_name(path.name + ".idx").exists()


def foreign_record(features: dict[str, Any], seed: int = 0) -> bytes:
    images = {"photo": jpeg(seed), "other": jpeg(seed + 100, 8, 8), "cut": jpeg(seed)[:300]}

    def value(word: Any) -> Any:
        return images.get(word, word) if isinstance(word, str) else word

    values = {key: word if isinstance(word, list) else [word] for key, word in features.items()}
    return encode_example({key: [value(word) for word in words] for key, words in values.items()})


@pytest.fixture
def nothing_left_open() -> Iterator[None]:
    """No file is open after the test that was not before."""
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    yield
    if before:
        assert len(os.listdir("/proc/self/fd")) <= before
