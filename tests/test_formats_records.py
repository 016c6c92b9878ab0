"""`RecordFile` against TensorFlow's writer and reader; `record_digest` against a TensorFlow graph."""

from __future__ import annotations

import gzip
import os
import random
import struct
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import google_crc32c
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tfrecordcli.formats import digest as digest_module
from tfrecordcli.formats import record_file
from tfrecordcli.formats.digest import GOLDEN, MIX, add_digests, digest_by_numpy, record_digest
from tfrecordcli.formats.record_file import RecordFile

WORD = 2**64

# Empty, tiny, around the word and buffer sizes, larger than what is gathered for one write.
PAYLOADS = (
    b"", b"x", b"12345678", bytes(9), os.urandom(4096), b"", b"a" * (1 << 20),
    bytes(range(256)) * 5000, b"end",
)  # fmt: skip


def write(path: Path, payloads: Sequence[bytes], **options: Any) -> RecordFile:
    with RecordFile(str(path), **options) as file:
        for payload in payloads:
            file.append(payload)
        file.finish()
    return file


def tensorflow_file(tf: Any, path: Path, payloads: Sequence[bytes]) -> bytes:
    with tf.io.TFRecordWriter(str(path)) as writer:
        for payload in payloads:
            writer.write(payload)
    return path.read_bytes()


def read(tf: Any, path: Path, kind: str | None = None) -> list[bytes]:
    return [bytes(record.numpy()) for record in tf.data.TFRecordDataset(str(path), kind)]


def test_crc_runs_on_the_processor() -> None:
    """In pure Python it takes a thousand times as long."""
    assert google_crc32c.implementation == "c"


@pytest.mark.parametrize(
    "payloads", [(), (b"",), PAYLOADS, (b"",) * 3000], ids=["none", "empty", "all", "many"]
)
def test_file_is_byte_for_byte_that_of_tensorflow(tf: Any, tmp_path: Path, payloads: Sequence[bytes]) -> None:
    file = write(tmp_path / "ours", payloads)
    data = (tmp_path / "ours").read_bytes()
    assert data == tensorflow_file(tf, tmp_path / "theirs", payloads)
    assert file.size == len(data)
    assert file.crc32c == google_crc32c.value(data)
    assert file.index is None


def test_short_writes_lose_nothing(tf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operating system may take any part of what it is given."""
    whole = os.writev

    def writev(descriptor: int, pieces: Sequence[bytes | memoryview]) -> int:
        return whole(descriptor, [b"".join(pieces)[:7001]])

    monkeypatch.setattr(record_file.os, "writev", writev)
    write(tmp_path / "ours", PAYLOADS)
    assert (tmp_path / "ours").read_bytes() == tensorflow_file(tf, tmp_path / "theirs", PAYLOADS)


@pytest.mark.parametrize("has_compiler", [True, False])
@pytest.mark.parametrize("is_gzip", [True, False])
def test_a_record_in_pieces_is_the_same_file(
    has_compiler: bool, is_gzip: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = write(tmp_path / "whole", PAYLOADS, gzip=is_gzip)
    if not has_compiler:
        monkeypatch.setattr(record_file, "crc32c_of_both", None)
    with RecordFile(str(tmp_path / "pieces"), gzip=is_gzip) as file:
        for payload in PAYLOADS:
            file.append(*in_pieces(payload, (3, 5, 5, 70_000)))
        file.finish()
    data = (tmp_path / "pieces").read_bytes()
    assert data == (tmp_path / "whole").read_bytes()
    assert file.crc32c == whole.crc32c == google_crc32c.value(data)
    assert (file.size, file.last_crc) == (whole.size, whole.last_crc)


def test_a_record_may_have_any_number_of_pieces(tmp_path: Path) -> None:
    """The system takes 1024 at a time."""
    payload = random.Random(0).randbytes(5000)
    whole = write(tmp_path / "whole", [payload])
    with RecordFile(str(tmp_path / "pieces")) as file:
        file.append(*(payload[at : at + 1] for at in range(len(payload))))
        file.finish()
    assert (tmp_path / "pieces").read_bytes() == (tmp_path / "whole").read_bytes()
    assert file.crc32c == whole.crc32c


@given(first=st.binary(max_size=40), second=st.binary(max_size=40), times=st.integers(1, 3000))
def test_crcs_put_together_are_that_of_the_whole(first: bytes, second: bytes, times: int) -> None:
    native = pytest.importorskip(
        "tfrecordcli.formats._digest", reason="needs the native module (a C compiler)"
    )
    second *= times
    crcs = google_crc32c.value(first), google_crc32c.value(second)
    assert native.crc32c_of_both(*crcs, len(second)) == google_crc32c.value(first + second)


def test_crc_of_what_is_longer_than_memory() -> None:
    """As bytes of zero behind it, twice as many each time."""
    native = pytest.importorskip(
        "tfrecordcli.formats._digest", reason="needs the native module (a C compiler)"
    )
    zeros, length = google_crc32c.value(b"\0"), 1
    while length < 1 << 40:
        crc = native.crc32c_of_both(zeros, zeros, length)
        length *= 2
        apart = native.crc32c_of_both(native.crc32c_of_both(7, zeros, length // 2), zeros, length // 2)
        assert native.crc32c_of_both(7, crc, length) == apart
        zeros = crc


def test_gzip_reads_back_and_is_the_same_every_time(tf: Any, tmp_path: Path) -> None:
    first = write(tmp_path / "first", PAYLOADS, gzip=True)
    write(tmp_path / "second", PAYLOADS, gzip=True)
    data = (tmp_path / "first").read_bytes()
    assert data == (tmp_path / "second").read_bytes()
    assert read(tf, tmp_path / "first", "GZIP") == list(PAYLOADS)
    assert gzip.decompress(data) == tensorflow_file(tf, tmp_path / "plain", PAYLOADS)
    assert data[4:8] == bytes(4)  # no time stamp
    assert (first.size, first.crc32c) == (len(data), google_crc32c.value(data))


def test_index_finds_every_record(tf: Any, tmp_path: Path) -> None:
    file = write(tmp_path / "shard", PAYLOADS, index=True)
    data = (tmp_path / "shard").read_bytes()
    assert file.index is not None
    found = []
    for offset, size in file.index:
        (length,) = struct.unpack_from("<Q", data, offset)
        assert size == length + 16
        found.append(data[offset + 12 : offset + 12 + length])
        alone = tmp_path / "alone"
        alone.write_bytes(data[offset : offset + size])
        assert read(tf, alone) == [found[-1]]
    assert found == list(PAYLOADS)
    assert sum(file.index[-1]) == len(data)


def plain_digest(data: bytes) -> int:
    """The definition, word by word, in Python's own integers."""
    padded = data + bytes(-len(data) % 8)
    words = struct.unpack(f"<{len(padded) // 8}Q", padded)
    total = sum(word * ((i * GOLDEN % WORD) | 1) for i, word in enumerate(words)) + len(data) * GOLDEN
    total %= WORD
    total = (total ^ total >> 32) * MIX % WORD
    return total ^ total >> 29


@given(data=st.binary(max_size=4000))
@example(data=b"")
@example(data=b"\xff" * 8 * 40_000)
def test_digest_is_what_its_definition_says(data: bytes) -> None:
    assert record_digest(data) == digest_by_numpy(data) == plain_digest(data)


@pytest.mark.parametrize(
    "size", [*range(17), 1000, 65_535, 65_536, 65_543, 100_000]
)  # the GIL is let go of at 65,536
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_native_digest_and_numpy_agree(size: int, kind: Callable[[bytes], bytes]) -> None:
    native = pytest.importorskip(
        "tfrecordcli.formats._digest", reason="needs the native module (a C compiler)"
    )
    whole = random.Random(size).randbytes(size + 3)
    for start in range(4):  # words that no address is a multiple of
        data = kind(whole)[start : start + size]
        assert native.digest_of_pieces(data) == digest_by_numpy(bytes(data))


@pytest.mark.parametrize("digest", [record_digest, digest_by_numpy])
@given(data=st.binary(max_size=100), cuts=st.lists(st.integers(0, 100)))
def test_digest_of_a_record_in_pieces(digest: Callable[..., int], data: bytes, cuts: list[int]) -> None:
    assert digest(*in_pieces(data, cuts)) == plain_digest(data)


def in_pieces(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    """The same bytes, cut at these places."""
    ends = sorted(min(cut, len(data)) for cut in cuts)
    return [data[start:end] for start, end in pairwise([0, *ends, len(data)])]


@pytest.mark.parametrize("digest", [record_digest, digest_by_numpy])
def test_digests_in_datasets_that_exist_stay_right(digest: Callable[[bytes], int]) -> None:
    known = {b"": 0, b"a": 0xD330A02100625CAB, bytes(range(256)): 0x82C29F388F6E322C}
    assert {data: digest(data) for data in known} == known


@pytest.mark.parametrize("size", [64, 71, 72, 1000, 4096])
def test_digest_of_a_long_record_in_parts(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest_module, "_MOST_WORDS", 8)
    data = random.Random(size).randbytes(size)
    assert digest_by_numpy(data) == plain_digest(data)


def graph_digest(tf: Any, record: Any) -> Any:
    """The digest as a TensorFlow graph computes it over a scalar string tensor."""
    u64 = tf.uint64
    length = tf.strings.length(record)
    padded = tf.strings.join([record, tf.strings.substr(bytes(8), 0, (8 - length % 8) % 8)])
    octets = tf.reshape(tf.io.decode_raw(padded, tf.uint8), [-1, 8])
    words = tf.bitcast(octets, u64)
    golden = tf.constant(GOLDEN, u64)
    weights = tf.bitwise.bitwise_or(tf.cast(tf.range(tf.size(words)), u64) * golden, tf.constant(1, u64))
    total = tf.reduce_sum(words * weights) + tf.cast(length, u64) * golden
    shift = tf.bitwise.right_shift
    total = tf.bitwise.bitwise_xor(total, shift(total, tf.constant(32, u64))) * tf.constant(MIX, u64)
    return tf.bitwise.bitwise_xor(total, shift(total, tf.constant(29, u64)))


def test_a_tensorflow_graph_computes_the_same_digest(tf: Any) -> None:
    compiled = tf.function(
        lambda record: graph_digest(tf, record), input_signature=[tf.TensorSpec([], tf.string)]
    )
    records = [bytes(n) for n in range(20)] + [os.urandom(n) for n in (*range(1, 40), 1000, 300_001)]
    for record in records:
        assert int(compiled(record).numpy()) == record_digest(record)


@given(records=st.lists(st.binary(max_size=50), max_size=8), seed=st.randoms())
def test_digests_add_up_in_any_order(records: list[bytes], seed: Any) -> None:
    shuffled = list(records)
    seed.shuffle(shuffled)

    def total(some: list[bytes]) -> int:
        digest = 0
        for record in some:
            digest = add_digests(digest, record_digest(record))
        return digest

    assert total(records) == total(shuffled) == sum(map(plain_digest, records)) % WORD


@given(data=st.binary(min_size=1, max_size=200), where=st.integers(0), bit=st.integers(0, 7))
def test_every_changed_bit_changes_the_digest(data: bytes, where: int, bit: int) -> None:
    changed = bytearray(data)
    changed[where % len(data)] ^= 1 << bit
    assert record_digest(bytes(changed)) != record_digest(data)


def test_padding_and_moved_words_change_the_digest() -> None:
    one, two = b"abcdefgh", b"ABCDEFGH"
    digests = [
        record_digest(data)
        for data in (b"", b"\0", bytes(7), bytes(8), one + two, two + one, one, one + b"\0")
    ]
    assert len(set(digests)) == len(digests)
