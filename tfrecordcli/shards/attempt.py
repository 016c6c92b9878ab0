"""One attempt at one shard, as every runner makes it: the shard, then its done record."""

from __future__ import annotations

import os
from pathlib import Path

from tfrecordcli.dataset.plan import ShardTask
from tfrecordcli.dataset.shard_info import ShardInfo, load_done_record, save_done_record
from tfrecordcli.shards.writer import OnRow, write_shard


def make_shard(task: ShardTask, on_row: OnRow | None = None) -> ShardInfo:
    """Makes a shard unless it stands already, and leaves its done record.

    Raises:
      what `write_shard` raises.
    """
    done = finished_shard(task)
    if done is None:
        done = write_shard(task, on_row)
        save_done_record(done, Path(task.done_path))
    return done


def finished_shard(task: ShardTask) -> ShardInfo | None:
    """The done record of a shard whose file is there and as long as recorded, or None."""
    info = load_done_record(Path(task.done_path))
    if info is None:
        return None
    try:
        size = os.path.getsize(task.shard_path)
    except FileNotFoundError:
        return None
    return info if size == info.bytes else None
