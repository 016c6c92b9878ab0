"""An object read like a file: what is read, and how much of it is asked for."""

from __future__ import annotations

import gzip
import io
import os
import random
from datetime import UTC, datetime
from pathlib import Path

import pytest
from verifying import framed

from tfrecordcli.sources.records import files
from tfrecordcli.storage import store_path
from tfrecordcli.storage.store import ObjectInfo
from tfrecordcli.storage.store_file import StoreFile
from tfrecordcli.tfrecords.record_reader import find_record, read_records
from tfrecordcli.tfrecords.shard_stream import ShardStream

MIB = 1 << 20


class CountingStore:
    """One object, and how many bytes of it were asked for."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.asked = 0

    def head(self, key: str) -> ObjectInfo:
        return ObjectInfo(key, len(self.data), datetime.now(UTC), "etag")

    def read_range(self, key: str, start: int, end: int, etag: str | None = None) -> bytes:
        assert 0 <= start < end <= len(self.data)
        self.asked += end - start
        return self.data[start:end]

    def open(self) -> io.BufferedReader:
        return io.BufferedReader(StoreFile(self, "key"), 1 << 18)  # type: ignore[arg-type]


def test_seeking_anywhere_reads_what_is_there() -> None:
    numbers = random.Random(3)
    store = CountingStore(numbers.randbytes(20 * MIB + 7))
    with store.open() as file:
        for _ in range(300):
            at, count = numbers.randrange(21 * MIB), numbers.choice((1, 5_000, MIB, 9 * MIB))
            if numbers.random() < 0.5:
                file.seek(at)
            at = file.tell()
            assert file.read(count) == store.data[at : at + count]
        assert file.seek(-3, os.SEEK_END) == 20 * MIB + 4
        assert file.read() == store.data[-3:]


def test_in_order_each_byte_is_asked_for_once() -> None:
    store = CountingStore(random.Random(3).randbytes(20 * MIB + 7))
    with store.open() as file:
        assert file.read() == store.data
    assert store.asked == len(store.data)


def test_a_search_for_sound_records_asks_for_less_than_three_times_the_object() -> None:
    parts = [framed(random.Random(number).randbytes(70_000)) for number in range(300)]
    for number in range(5, 300, 7):
        parts[number] = b"\xff" * 12 + parts[number][12:]
    store = CountingStore(b"".join(parts))
    sound = 0
    with store.open() as file:
        start: int | None = 0
        while start is not None:
            records = [*read_records(ShardStream(file, start))]
            sound += sum(record.damage is None for record in records)
            last = records[-1]
            start = find_record(file, last.offset + 1) if last.damage == "length_damaged" else None
    assert sound == 300 - len(range(5, 300, 7))
    assert store.asked < 3 * len(store.data)


def test_a_glance_at_many_places_asks_for_little() -> None:
    store = CountingStore(bytes(64 * MIB))
    with store.open() as file:
        for at in range(60 * MIB, 0, -2 * MIB):
            file.seek(at)
            file.read(12)
    assert store.asked <= 30 * (MIB // 4)


# --- the room that gzip takes ---


def test_four_bytes_tell_the_size_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    content = random.Random(3).randbytes(10_000) * 9
    store = CountingStore(gzip.compress(content))
    monkeypatch.setattr(store_path, "store_of", lambda name: store)
    assert files._size_unpacked("s3://bkt/a.tfrecord.gz") == len(content)
    assert store.asked == 4


def test_what_no_gzip_can_hold_is_no_size(tmp_path: Path) -> None:
    path, most = tmp_path / "a.gz", gzip.compress(bytes(MIB))
    path.write_bytes(most)
    assert files._size_unpacked(str(path)) == MIB
    path.write_bytes(most[:-4] + b"\xff\xff\xff\xb8")  # as what a cut file ends with
    assert files._size_unpacked(str(path)) == len(most)
