"""`ShardStream` and `read_records`: plain and gzip by content, whole, cut, damaged, in members."""

from __future__ import annotations

import gzip
import io
import random
import struct
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import google_crc32c
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sampling import examples
from verifying import flip, framed, masked

from tfrecordcli.integrity.file_check import IndexCheck
from tfrecordcli.tfrecords import shard_stream
from tfrecordcli.tfrecords.framing import masked as our_masked
from tfrecordcli.tfrecords.record_reader import Record, read_records
from tfrecordcli.tfrecords.shard_stream import GzipCut, GzipDamaged, ShardStream

NOISE = random.Random(0).randbytes(3_000_000)  # more than the stream takes in one piece


def stream_of(data: bytes) -> ShardStream:
    return ShardStream(io.BytesIO(data))


def read_all(stream: ShardStream, piece: int = 100_000) -> bytes:
    pieces = []
    while data := stream.read(piece):
        pieces.append(data)
    return b"".join(pieces)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("size", [0, 1, 12, 1 << 20, (1 << 20) + 1, len(NOISE)])
@pytest.mark.parametrize("piece", [7777, 1_000_000])
def test_everything_is_read(pack: Any, size: int, piece: int) -> None:
    packed = pack(NOISE[:size])
    stream = stream_of(packed)
    assert stream.is_gzip == (pack is gzip.compress)
    assert stream.peek(100) == NOISE[: min(size, 100)]
    assert read_all(stream, piece) == NOISE[:size]
    stream.drain()
    assert (stream.offset, stream.file_size) == (size, len(packed))
    assert stream.crc32c == google_crc32c.value(packed)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_long_records_are_put_together_in_parts(pack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_stream, "_HUGE", 1000)
    payloads = [NOISE[:size] for size in (999, 1000, 1001, 700_000, 5)]
    data = b"".join(map(framed, payloads))
    stream = stream_of(pack(data))
    assert [(record.payload, record.damage) for record in read_records(stream)] == [
        (payload, None) for payload in payloads
    ]
    assert stream.offset == len(data)
    (record,) = list(read_records(stream_of(pack(framed(NOISE[:9000])[:5000]))))
    assert record.damage == "cut_in_record"


@given(cuts=st.lists(st.integers(1, 299_999), max_size=6, unique=True))
@settings(max_examples=examples(40), deadline=None)
def test_gzip_members_one_after_another_are_one_stream(cuts: list[int]) -> None:
    """None of them is empty: `test_integrity_gzip.py` has what that means to TensorFlow."""
    data = NOISE[:300_000]
    ends = [0, *sorted(cuts), len(data)]
    packed = b"".join(gzip.compress(data[a:b], compresslevel=1) for a, b in pairwise(ends))
    stream = stream_of(packed)
    assert read_all(stream) == data
    stream.drain()
    assert stream.file_size == len(packed)


@given(at=st.integers(2, 1_000_000))
@settings(max_examples=examples(60), deadline=None)
def test_of_a_cut_gzip_stream_all_that_is_there_is_read(at: int) -> None:
    packed = _packed()
    at = min(at, len(packed) - 1)
    expected = zlib.decompressobj(31).decompress(packed[:at])
    stream = stream_of(packed[:at])
    assert stream.read(len(expected)) == expected
    for _ in range(2):  # it stays so
        with pytest.raises(GzipCut):
            stream.read(1)
    stream.drain()
    assert stream.file_size == at


def _packed() -> bytes:
    return gzip.compress(NOISE[:1_200_000], compresslevel=1, mtime=0)


@given(at=st.integers(10, 1_200_000), mask=st.integers(1, 255))
@example(at=10, mask=8)
@settings(max_examples=examples(60), deadline=None)
def test_damaged_gzip_is_told_and_what_comes_before_is_read(at: int, mask: int) -> None:
    packed = _packed()
    at = min(at, len(packed) - 1)
    damaged = flip(packed, at, mask)
    stream = stream_of(damaged)
    found = bytearray()
    if is_padding(damaged):
        read_into(found, stream)
        assert found == NOISE[:1_200_000]
        return
    with pytest.raises((GzipDamaged, GzipCut)):
        read_into(found, stream)
    assert len(found) > at - 40_000
    assert NOISE.startswith(bytes(found[: max(0, at - 40_000)]))


def is_padding(damaged: bytes) -> bool:
    """Whether zlib reads all of it: a stored block has bits that say nothing (RFC 1951, 3.2.4)."""
    try:
        return zlib.decompress(damaged, 31) == NOISE[:1_200_000]
    except zlib.error:
        return False


def read_into(found: bytearray, stream: ShardStream) -> None:
    while data := stream.read(1000):
        found += data


@pytest.mark.parametrize("rubbish", [b"x", b"rubbish" * 100, b"\x1f\x8b\x08", bytes(8)])
def test_bytes_after_gzip_are_told(rubbish: bytes) -> None:
    stream = stream_of(gzip.compress(b"data") + rubbish)
    assert stream.read(4) == b"data"
    with pytest.raises((GzipDamaged, GzipCut)):
        stream.read(1)


def test_a_peek_never_raises() -> None:
    packed = gzip.compress(NOISE[:400])
    assert NOISE.startswith(stream_of(packed[:100]).peek(512))
    assert stream_of(packed[:5]).peek(512) == b""
    assert stream_of(b"\x1f\x8brubbish").peek(512) == b""


@pytest.mark.parametrize("length", [0x8B1F, 0x088B1F], ids=hex)
def test_a_plain_file_whose_first_length_looks_like_gzip(length: int) -> None:
    data = framed(NOISE[:length]) + framed(b"second")
    assert data.startswith(b"\x1f\x8b")
    records = list(read_records(stream_of(data)))
    assert [(record.payload, record.damage) for record in records] == [
        (NOISE[:length], None),
        (b"second", None),
    ]


def test_the_checksum_is_that_of_tensorflow(tf: Any, tmp_path: Path) -> None:
    for payload in (b"", b"a", NOISE[:100_000]):
        path = tmp_path / "file"
        with tf.io.TFRecordWriter(str(path)) as writer:
            writer.write(payload)
        data = path.read_bytes()
        assert data == framed(payload)
        assert struct.pack("<I", our_masked(payload)) == data[-4:]
        assert our_masked(payload) == masked(payload)


@given(sizes=st.lists(st.integers(0, 3000), max_size=8), pack=st.booleans(), chunk=st.integers(12, 5000))
@settings(max_examples=examples(60), deadline=None)
def test_records_numbers_and_offsets(sizes: list[int], pack: bool, chunk: int) -> None:
    data = b"".join(framed(NOISE[:size]) for size in sizes)
    kept, shard_stream._CHUNK = shard_stream._CHUNK, chunk  # type: ignore[misc]
    try:
        records = list(read_records(stream_of(gzip.compress(data) if pack else data)))
    finally:
        shard_stream._CHUNK = kept  # type: ignore[misc]
    expected, offset = [], 0
    for number, size in enumerate(sizes):
        expected.append(Record(number, offset, NOISE[:size], masked(NOISE[:size])))
        offset += size + 16
    assert records == expected


@given(data=st.binary(max_size=3000))
@settings(max_examples=examples(300), deadline=None)
def test_any_bytes_come_to_an_end(data: bytes) -> None:
    records = list(read_records(stream_of(data)))
    assert len(records) <= len(data) // 12 + 1
    if data:
        assert records


@given(data=st.binary(max_size=300))
@settings(max_examples=examples(300), deadline=None)
def test_any_bytes_after_a_gzip_start_come_to_an_end(data: bytes) -> None:
    (record,) = list(read_records(stream_of(b"\x1f\x8b\x08\0\0\0\0\0\0\3" + data)))[-1:]
    assert record.damage in ("gzip_cut", "gzip_damaged", "cut_in_record", "length_damaged")


# --- the index ---


@pytest.mark.parametrize(
    ("text", "difference"),
    [
        (b"0 20\n20 30\n", ""),
        (b"0 20\n20 31\n", "line 2"),
        (b"0 20\n20 30", "line 2"),
        (b"00 20\n20 30\n", "line 1"),
        (b"0 20\r\n20 30\n", "line 1"),
        (b"0 20\n", "it ends after 1 lines"),
        (b"", "it ends after 0 lines"),
        (b"0 20\n20 30\n\n", "it has more than 2 lines"),
        (b"1" * 1000, "line 1"),
    ],
)
def test_index(tmp_path: Path, text: bytes, difference: str) -> None:
    (tmp_path / "index").write_bytes(text)
    with IndexCheck(str(tmp_path / "index")) as index:
        index.expect(0, 20)
        index.expect(20, 30)
        assert index.difference() == difference
