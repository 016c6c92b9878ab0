"""TFRecord framing: what stands around each record in a shard.

A record (tensorflow/core/lib/io/record_writer.h)::

    uint64  length          little endian, of the payload in bytes
    uint32  masked CRC32C of the 8 length bytes
    byte    payload[length]
    uint32  masked CRC32C of the payload

The mask is ``((crc >> 15) | (crc << 17)) + 0xa282ead8`` (tensorflow/core/lib/hash/crc32c.h): a CRC
of data that holds CRCs would be weak.
"""

from __future__ import annotations

import struct
from typing import Final

import google_crc32c

HEADER_SIZE: Final = 12
FOOTER_SIZE: Final = 4

_MASK_DELTA = 0xA282EAD8


def masked_crc(data: bytes) -> int:
    """Masked CRC32C of ``data``, 0 to 2**32-1."""
    crc = int(google_crc32c.value(data))
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF


def frame(payload: bytes) -> tuple[bytes, bytes, bytes]:
    """Header, payload and footer of one record; joined they are what TFRecordWriter writes."""
    length = struct.pack("<Q", len(payload))
    header = length + struct.pack("<I", masked_crc(length))
    return header, payload, struct.pack("<I", masked_crc(payload))
