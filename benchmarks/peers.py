"""What people use today, each as a whole process: read a list, write the photos into shards, check nothing.

    python peers.py tensorflow data.csv OUT --shards 16   # the loop of TensorFlow's TFRecord tutorial
    python peers.py tfrecord   data.csv OUT --shards 16   # the package tfrecord
    python peers.py webdataset data.csv OUT --shards 16   # the package webdataset (tar files)

Only the package asked for is imported, so that each process pays for its own import alone.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """One photo of the list."""

    path: Path
    name: str
    label: str
    label_id: int


def read_rows(list_file: Path) -> list[Row]:
    """The rows of the list, labels numbered in sorted order."""
    with list_file.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    ids = {label: number for number, label in enumerate(sorted({row["label"] for row in rows}))}
    return [
        Row(list_file.parent / row["image_uri"], row["image_uri"], row["label"], ids[row["label"]])
        for row in rows
    ]


def deal(rows: Sequence[Row], shards: int) -> Iterator[Sequence[Row]]:
    """The rows in `shards` runs of equal length (within one)."""
    for shard in range(shards):
        yield rows[len(rows) * shard // shards : len(rows) * (shard + 1) // shards]


def write_tensorflow(rows: Sequence[Row], output: Path, shards: int) -> None:
    """`tf.train.Example` and `tf.io.TFRecordWriter`, as in TensorFlow's tutorial, without its decoding."""
    import tensorflow as tf

    def bytes_feature(value: bytes) -> tf.train.Feature:
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))

    def int64_feature(value: int) -> tf.train.Feature:
        return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))

    for number, part in enumerate(deal(rows, shards)):
        with tf.io.TFRecordWriter(str(output / f"train-{number:05}-of-{shards:05}.tfrecord")) as writer:
            for row in part:
                feature = {
                    "image/encoded": bytes_feature(row.path.read_bytes()),
                    "image/filename": bytes_feature(row.name.encode()),
                    "image/class/label": int64_feature(row.label_id),
                    "image/class/text": bytes_feature(row.label.encode()),
                }
                example = tf.train.Example(features=tf.train.Features(feature=feature))
                writer.write(example.SerializeToString())


def write_tfrecord(rows: Sequence[Row], output: Path, shards: int) -> None:
    """The writer of the package `tfrecord`."""
    from tfrecord.writer import TFRecordWriter

    for number, part in enumerate(deal(rows, shards)):
        writer = TFRecordWriter(str(output / f"train-{number:05}-of-{shards:05}.tfrecord"))
        for row in part:
            writer.write(
                {
                    "image/encoded": (row.path.read_bytes(), "byte"),
                    "image/filename": (row.name.encode(), "byte"),
                    "image/class/label": (row.label_id, "int"),
                    "image/class/text": (row.label.encode(), "byte"),
                }
            )
        writer.close()


def write_webdataset(rows: Sequence[Row], output: Path, shards: int) -> None:
    """`ShardWriter` of the package `webdataset`."""
    import webdataset

    per_shard = -(-len(rows) // shards)
    with webdataset.ShardWriter(str(output / "train-%05d.tar"), maxcount=per_shard, verbose=0) as sink:
        for number, row in enumerate(rows):
            sink.write({"__key__": f"{number:08}", "jpg": row.path.read_bytes(), "cls": row.label_id})


WRITERS: dict[str, Callable[[Sequence[Row], Path, int], None]] = {
    "tensorflow": write_tensorflow,
    "tfrecord": write_tfrecord,
    "webdataset": write_webdataset,
}


def main() -> None:
    """Write the list's photos with one of the writers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("writer", choices=WRITERS)
    parser.add_argument("list_file", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--shards", type=int, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    WRITERS[options.writer](read_rows(options.list_file), options.output, options.shards)


if __name__ == "__main__":
    main()
