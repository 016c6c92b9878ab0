"""How a record is framed in a shard, as tensorflow/core/lib/io/record_reader.cc reads it.

Length (8 bytes, little endian), its masked CRC32C (4), the payload, its masked CRC32C (4). Nothing here is
shared with our writer, so that a slip of the writer's shows.
"""

from __future__ import annotations

import struct
from typing import Final

import google_crc32c

_HEADER: Final = struct.Struct("<QI")
HEADER_BYTES: Final = _HEADER.size

# A length above this is taken for damage even if its checksum matches: protobuf messages end at 2 GiB.
_LONGEST: Final = 1 << 31


def masked(data: bytes) -> int:
    """Rotates the CRC right by 15 bits and adds a constant (tensorflow/core/lib/hash/crc32c.h)."""
    crc = int(google_crc32c.value(data))
    return ((crc >> 15) + (crc << 17) + 0xA282EAD8) % (1 << 32)


def begins_record(head: bytes) -> bool:
    """Whether these bytes begin with the length of a record and its right checksum."""
    return len(head) >= 12 and masked(head[:8]) == int.from_bytes(head[8:12], "little")


def length_of(header: bytes) -> int | None:
    """Bytes of the payload that follows a header; None when it is cut or damaged."""
    if len(header) < _HEADER.size:
        return None
    length, crc = _HEADER.unpack(header)
    return int(length) if masked(header[:8]) == crc and length <= _LONGEST else None
