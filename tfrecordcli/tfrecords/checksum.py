"""The masked CRC32C of the TFRecord format, of our own so that a slip of the writer's shows."""

from __future__ import annotations

import google_crc32c


def masked(data: bytes) -> int:
    """Rotates the CRC right by 15 bits and adds a constant (tensorflow/core/lib/hash/crc32c.h)."""
    crc = int(google_crc32c.value(data))
    return ((crc >> 15) + (crc << 17) + 0xA282EAD8) % (1 << 32)


def begins_record(head: bytes) -> bool:
    """Whether these bytes begin with the length of a record and its right checksum."""
    return len(head) >= 12 and masked(head[:8]) == int.from_bytes(head[8:12], "little")
