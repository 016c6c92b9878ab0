"""The records of a split as a tf.data.Dataset, and a share of them."""

from __future__ import annotations

import os
from typing import Any, Final

from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.splits import Split
from tfrecordcli.feed.store_cache import fetched
from tfrecordcli.feed.tensorflow import import_tensorflow, untouched
from tfrecordcli.storage.uris import is_on_store

# Files that are read at a time, in turns of so many records. Fixed, so that the order of the records is
# the same on every machine. 16 is beyond what any decoder can keep up with.
_OPEN_FILES: Final = 16
_BLOCK: Final = 8
READ_BUFFER: Final = 1 << 20

# The records were mixed when the shards were written, files come in another order each epoch, and the
# buffer mixes what is read from several of them. It holds encoded images, and no more than this.
_SHUFFLE_BYTES: Final = 64 << 20
_SHUFFLE_RECORDS: Final = 1 << 14

Piece = tuple[str, int, int]


def read_records(split: Split, options: FeedOptions, cores: int) -> Any:
    """A tf.data.Dataset of serialised tf.train.Examples, string [], endless with ``repeat``."""
    tf = import_tensorflow()
    pieces = share_of(split, options.shard)
    paths, skips, takes = (list(column) for column in zip(*pieces, strict=True)) if pieces else ([], [], [])
    names = [os.fsencode(path) for path in paths]  # which need not be UTF-8
    files = tf.data.Dataset.from_tensor_slices(
        (tf.constant(names, tf.string), tf.constant(skips, tf.int64), tf.constant(takes, tf.int64))
    )
    if options.shuffle and len(pieces) > 1:
        files = files.shuffle(len(pieces), options.seed, reshuffle_each_iteration=True)

    if any(is_on_store(path) for path in paths):
        files = fetched(files, deterministic=is_ordered(options))

    def read_piece(path: Any, skip: Any, take: Any) -> Any:
        records = tf.data.TFRecordDataset(path, split.compression, READ_BUFFER)
        return records if options.shard == (0, 1) else records.skip(skip).take(take)

    open_files = max(1, min(len(pieces), _OPEN_FILES))
    records = files.interleave(
        untouched(read_piece),
        cycle_length=open_files,
        block_length=_BLOCK,
        num_parallel_calls=min(cores, open_files),  # more than cycle_length is an error
        deterministic=is_ordered(options),
    )
    if options.shuffle:
        records = records.shuffle(_shuffle_size(split, options), options.seed, reshuffle_each_iteration=True)
    return records.repeat() if options.repeat else records


def is_ordered(options: FeedOptions) -> bool:
    """Whether the order of the elements must be reproducible."""
    return not options.shuffle or options.seed is not None


def share_of(split: Split, shard: tuple[int, int]) -> list[Piece]:
    """(path, records to skip, records to take) of each file that holds a part of the i-th of n shares.

    A share is a range of the records in the order of the shards, so that each file is read by few.
    """
    index, count = shard
    begin, end = (split.records * i // count for i in (index, index + 1))
    pieces = []
    passed = 0
    for file in split.shards:
        first, last = max(begin - passed, 0), min(end - passed, file.records)
        if first < last or count == 1:
            pieces.append((file.path, first, last - first))
        passed += file.records
    return pieces


def share_size(split: Split, shard: tuple[int, int]) -> int:
    """Records in the i-th of n shares."""
    index, count = shard
    return split.records * (index + 1) // count - split.records * index // count


def _shuffle_size(split: Split, options: FeedOptions) -> int:
    fitting = int(_SHUFFLE_BYTES / split.bytes_per_record) if split.bytes else 1
    held = share_size(split, options.shard)
    return max(1, min(held, max(fitting, options.batch_size), _SHUFFLE_RECORDS))
