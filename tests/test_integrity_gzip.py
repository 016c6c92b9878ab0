"""gzip files of several members: their records are counted as TensorFlow, the witness, counts them."""

from __future__ import annotations

import gzip
import itertools
import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from converting import tfrec
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples
from verifying import found, framed, verify

from tfrecordcli.formats.example import encode_example
from tfrecordcli.inspecting.inspection import inspect

# Bytes that TensorFlow takes from a compressed file at a time.
WINDOW = 1 << 18
EMPTY = gzip.compress(b"", mtime=0)
Count = Callable[[Path], int]


@pytest.fixture(scope="module")
def count(tf: Any) -> Count:
    """Number of records that TensorFlow reads."""
    return lambda path: sum(1 for _ in tf.data.TFRecordDataset(str(path), "GZIP"))


def packed(*values: bytes) -> bytes:
    """A member of a record for each value."""
    return gzip.compress(b"".join(framed(encode_example({"x": [value]})) for value in values), mtime=0)


def noise(size: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(size)


def block(data: bytes) -> bytes:
    """A member with its own size in an extra field, as bgzip writes them."""
    squeeze = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = squeeze.compress(data) + squeeze.flush()
    head = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(body) + 25)
    return head + body + struct.pack("<II", zlib.crc32(data), len(data))


def bgzip(data: bytes) -> bytes:
    """What bgzip writes: blocks of 65,280 bytes, and an empty one as the mark of the end."""
    blocks = [block(data[at : at + 65280]) for at in range(0, len(data), 65280)]
    return b"".join(blocks) + block(b"")


def ending_at(size: int) -> bytes:
    """A member of one record that is so many bytes long."""
    tried = size - 200
    while more := size - len(packed(noise(tried))):
        tried += more
    return packed(noise(tried))


A, BIG = packed(b"a"), packed(noise(300_000))
FILES = {
    "two members": (A + A, None),
    "empty at the end": (A + EMPTY, None),
    "two empty ones at the end": (A + EMPTY + EMPTY, None),
    "empty between": (A + EMPTY + A, (1, len(A))),
    "empty first": (EMPTY + A + A, (0, 2 * len(A))),
    "empty far from the end": (A + EMPTY + BIG + A, None),
    "empty far from the beginning": (BIG + A + EMPTY + A + A, (2, 2 * len(A))),
    "bgzip": (bgzip(framed(encode_example({"x": [noise(200_000)]}))), None),
    "bgzip and bgzip": (bgzip(framed(b"")) + bgzip(framed(b"")), (1, len(bgzip(framed(b""))))),
    "a trailer just before the window's end": (ending_at(WINDOW) + A + A, None),
    "a trailer across the window's end": (ending_at(WINDOW + 3) + A + A, (1, 2 * len(A))),
    "a trailer just behind the window's end": (ending_at(WINDOW + 8) + A + A, (1, 2 * len(A))),
    "a header across the window's end": (ending_at(WINDOW - 4) + A + A, None),
}


@pytest.mark.parametrize("name", FILES)
def test_where_tensorflow_stops_is_told(name: str, count: Count, tmp_path: Path) -> None:
    data, stop = FILES[name]
    path = tmp_path / "a.tfrecord.gz"
    path.write_bytes(data)
    report, records = verify(path), count(path)
    assert report.records == inspect(path).records == records
    assert report.bytes == len(data)
    if stop is None:
        assert (found(report), report.exit_code) == ([], 0)
        return
    number, unread = stop
    (problem,) = report.problems
    assert (problem.code, problem.record, records) == ("gzip_unread", number, number)
    assert f"the last {unread} bytes" in problem.message
    assert report.exit_code == inspect(path).exit_code == 1


def test_it_is_told_once_by_every_command_with_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord.gz"
    path.write_bytes(A + EMPTY + A)
    for command in ("verify", "inspect"):
        done = tfrec(command, path)
        assert (done.code, done.out.count("TensorFlow takes the file to end here")) == (1, 1)
    assert "gunzip" in tfrec("verify", path).out
    again = gzip.compress(gzip.decompress(path.read_bytes()))  # what the cure does
    path.write_bytes(again)
    assert (verify(path).exit_code, verify(path).records) == (0, 2)


def test_damage_behind_an_end_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord.gz"
    for rest, code in ((b"rubbish", "gzip_damaged"), (A[:-3], "gzip_unread"), (EMPTY[:-3], "gzip_cut")):
        path.write_bytes(A + EMPTY + rest)
        assert [(place[0], place[2]) for place in found(verify(path))] == [(code, 1)]


def test_a_damaged_record_before_an_end_keeps_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord.gz"
    frame = bytearray(framed(b"\0" * 50))
    frame[20] ^= 1
    path.write_bytes(gzip.compress(framed(b"") + bytes(frame)) + EMPTY + A)
    assert [place[0] for place in found(verify(path))] == ["gzip_unread", "payload_damaged"]
    frame[3] ^= 1
    path.write_bytes(gzip.compress(framed(b"") + bytes(frame)) + EMPTY + A)
    assert [place[0] for place in found(verify(path))] == ["length_damaged"]


SIZES = st.sampled_from((0, 0, 1, 50, 65_000, 200_000, 262_000, 262_100, WINDOW, WINDOW + 100, 600_000))


@given(sizes=st.lists(st.tuples(SIZES, st.integers(-60, 60)), max_size=6), levels=st.integers(0, 9))
@settings(max_examples=examples(60), deadline=None)
def test_any_members(sizes: list[tuple[int, int]], levels: int, count: Count, tmp_path_factory: Any) -> None:
    """Of one record each, of noise or of zeros, or of none; the first bytes tell gzip."""
    path = tmp_path_factory.mktemp("any") / "a.gz"
    values = (None if size == 0 else noise(max(1, size + more), size) for size, more in sizes)
    members = [gzip.compress(framed(value), levels) if value else EMPTY for value in values]
    path.write_bytes(b"".join(itertools.chain(members, [A])))
    report, records = verify(path), count(path)
    assert report.records == records
    full = sum(member != EMPTY for member in members) + 1
    assert ("gzip_unread" in report.problem_counts) == (records < full)
