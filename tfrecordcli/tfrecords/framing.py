"""Records out of a stream, each one checked; what is damaged is told apart.

The layout is that of tensorflow/core/lib/io/record_reader.cc: length (8 bytes, little endian), its
masked CRC32C (4), the payload, its masked CRC32C (4).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from tfrecordcli.tfrecords.checksum import masked
from tfrecordcli.tfrecords.stream import GzipCut, GzipDamaged, ShardStream

_HEADER: Final = struct.Struct("<QI")
HEADER_BYTES: Final = _HEADER.size

# A length above this is taken for damage even if its checksum matches: protobuf messages end at 2 GiB.
_LONGEST: Final = 1 << 31

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


def length_of(header: bytes) -> int | None:
    """Bytes of the payload that follows a header; None when it is cut or damaged."""
    if len(header) < _HEADER.size:
        return None
    length, crc = _HEADER.unpack(header)
    return int(length) if masked(header[:8]) == crc and length <= _LONGEST else None


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


def _read_record(stream: ShardStream, number: int, offset: int) -> Record | None:
    header = stream.read(_HEADER.size)
    if not header:
        return None
    if len(header) < _HEADER.size:
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
