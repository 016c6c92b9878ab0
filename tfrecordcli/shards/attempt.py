"""One attempt at one shard, as every runner makes it: the shard, then its done record."""

from __future__ import annotations

from tfrecordcli.dataset.plan import ShardTask
from tfrecordcli.dataset.shard_info import ShardInfo, finished_shard, save_done_record
from tfrecordcli.shards.writer import OnRow, write_shard
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.storage.writing import writing_to


def make_shard(task: ShardTask, on_row: OnRow | None = None) -> ShardInfo:
    """Makes a shard unless it stands already, and leaves its done record.

    Raises:
      what `write_shard` raises.
    """
    with writing_to(place_of(task.shard_path).parent):
        done = finished_shard(task)
        if done is None:
            done = write_shard(task, on_row)
            save_done_record(done, place_of(task.done_path))
        return done
