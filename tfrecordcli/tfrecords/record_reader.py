"""The records of a shard, each one checked; what is damaged is distinguished."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Final, Literal, NamedTuple

from tfrecordcli.tfrecords.framing import HEADER_BYTES, begins_record, length_of, masked
from tfrecordcli.tfrecords.shard_stream import GzipCut, GzipDamaged, ShardStream

# Bytes of a file that are looked through at a time.
_CHUNK: Final = 1 << 18

DamageCode = Literal[
    "cut_in_record", "length_damaged", "payload_damaged", "gzip_cut", "gzip_damaged", "gzip_unread"
]


class Record(NamedTuple):
    """One record of a stream.

    Attributes:
      number: from 0.
      offset: of its first framing byte in the uncompressed stream.
      payload: its content; None when that cannot be had or trusted.
      crc: the checksum stored behind the payload, masked.
      damage: what is wrong with it, or None.
    """

    number: int
    offset: int
    payload: bytes | None
    crc: int = 0
    damage: DamageCode | None = None


def read_records(stream: ShardStream, first: int = 0, end: int | None = None) -> Iterator[Record]:
    """All records up to the end, or up to the first after which nothing can be trusted.

    Args:
      first: number of the first one.
      end: offset of a record at which to stop; None is the end of the stream.
    """
    number = first
    while True:
        offset = stream.offset
        if end is not None and offset >= end:
            return
        try:
            record = _read_record(stream, number, offset)
        except GzipCut:
            record = Record(number, offset, None, damage="gzip_cut")
        except GzipDamaged:
            record = Record(number, offset, None, damage="gzip_damaged")
        if stream.unread and (record is None or record.damage == "cut_in_record"):
            record = Record(number, offset, None, damage="gzip_unread")
        if record is None:
            return
        yield record
        if record.damage not in (None, "payload_damaged"):
            return
        number += 1


def find_record(file: IO[bytes], start: int) -> int | None:
    """Offset of the first record of a plain file at or behind ``start`` whose length and content are sound.

    Both checksums, of 32 bits each, have to match, so that what merely looks like a record is none.
    """
    size = file.seek(0, io.SEEK_END)
    while start + HEADER_BYTES <= size:
        file.seek(start)
        block = file.read(_CHUNK)
        for begin in _headers_in(block):
            if _is_sound(file, start + begin, size):
                return start + begin
        start += max(1, len(block) - HEADER_BYTES + 1)
    return None


def _headers_in(block: bytes) -> Iterator[int]:
    """Where lengths with their right checksums begin; their upper four bytes are zeros."""
    zeros = block.find(b"\0\0\0\0", 4)
    while zeros >= 0:
        if begins_record(block[zeros - 4 : zeros + 8]):
            yield zeros - 4
        zeros = block.find(b"\0\0\0\0", zeros + 1)


def _is_sound(file: IO[bytes], offset: int, size: int) -> bool:
    file.seek(offset)
    length = length_of(file.read(HEADER_BYTES))
    if length is None or offset + HEADER_BYTES + length + 4 > size:
        return False
    payload, footer = file.read(length), file.read(4)
    return len(payload) == length and masked(payload) == int.from_bytes(footer, "little")


def _read_record(stream: ShardStream, number: int, offset: int) -> Record | None:
    header = stream.read(HEADER_BYTES)
    if not header:
        return None
    if len(header) < HEADER_BYTES:
        return Record(number, offset, None, damage="cut_in_record")
    length = length_of(header)
    if length is None:
        return Record(number, offset, None, damage="length_damaged")
    payload = stream.read(length)
    footer = stream.read(4)
    if len(payload) < length or len(footer) < 4:
        return Record(number, offset, None, damage="cut_in_record")
    crc = int.from_bytes(footer, "little")
    if masked(payload) != crc:
        return Record(number, offset, None, crc, "payload_damaged")
    return Record(number, offset, payload, crc)
