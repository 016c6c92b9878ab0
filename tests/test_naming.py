"""Names of shards, and which files of an output directory are tfrec's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrecordcli.naming import ShardName, is_dataset_file, parse_shard_name

NAMES = {
    ShardName("train", 0, 1): "train-00000-of-00001.tfrecord",
    ShardName("validation", 3, 10): "validation-00003-of-00010.tfrecord",
    ShardName("test", 99_999, 100_000): "test-099999-of-100000.tfrecord",  # as many places as the count needs
    ShardName("train", 7, 1_234_567): "train-0000007-of-1234567.tfrecord",
    ShardName("train", 0, 2, "gzip"): "train-00000-of-00002.tfrecord.gz",
}


@pytest.mark.parametrize(("shard", "name"), NAMES.items(), ids=NAMES.values())
def test_names(shard: ShardName, name: str) -> None:
    assert str(shard) == name
    assert parse_shard_name(name) == shard


@given(
    st.sampled_from(["train", "validation", "test"]),
    st.integers(0, 10**7),
    st.integers(1, 10**7),
    st.sampled_from(["none", "gzip"]),
)
def test_every_name_is_read_back(split: str, index: int, more: int, compression: str) -> None:
    shard = ShardName(split, index, index + more, compression)
    assert parse_shard_name(str(shard)) == shard
    assert is_dataset_file(str(shard))
    assert is_dataset_file(f"{shard}.idx")


def test_names_sort_as_shards_do() -> None:
    shards = [
        ShardName("train", index, 120_000) for index in (0, 1, 9, 10, 99, 100, 99_999, 100_000, 119_999)
    ]
    assert sorted(map(str, shards)) == list(map(str, shards))


@pytest.mark.parametrize(("index", "count"), [(1, 1), (-1, 1), (0, 0), (5, 3)])
def test_an_index_outside_the_count(index: int, count: int) -> None:
    with pytest.raises(ValueError, match="shard index"):
        ShardName("train", index, count)


FOREIGN = [
    "train-00001-of-00001.tfrecord",  # the index is not below the count
    "train-0000-of-0001.tfrecord",  # four places
    "train-00000-of-00001.tfrecords",
    "train-00000-of-00001",
    "train-00000-of-00001.tfrecord.tmp",
    "train-00000-of-00001.tfrecord\n",
    "a/train-00000-of-00001.tfrecord",
    "-00000-of-00001.tfrecord",
    "train-٠٠٠٠٠-of-٠٠٠٠١.tfrecord",  # digits that we never write
    "train.tfrecord",
    "labels.txt.bak",
    "data.csv",
    "",
]


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_names(name: str) -> None:
    assert parse_shard_name(name) is None
    assert not is_dataset_file(name)


@pytest.mark.parametrize("name", ["manifest.json", "shards.jsonl", "labels.txt", "rejects.csv"])
def test_files_beside_the_shards(name: str) -> None:
    assert is_dataset_file(name)
    assert parse_shard_name(name) is None
