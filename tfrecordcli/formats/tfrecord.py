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
_UINT64: Final = struct.Struct("<Q")
_UINT32: Final = struct.Struct("<I")


def masked(crc: int) -> int:
    """A CRC32C as it stands in a file, 0 to 2**32-1."""
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF


def frame(length: int, crc: int) -> tuple[bytes, bytes]:
    """Header and footer of one record; with its payload between them they are what TFRecordWriter writes.

    Args:
      length: of the payload in bytes.
      crc: CRC32C of the payload, unmasked.
    """
    size = _UINT64.pack(length)
    return size + _UINT32.pack(masked(google_crc32c.value(size))), _UINT32.pack(masked(crc))
