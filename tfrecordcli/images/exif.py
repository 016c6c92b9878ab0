"""The two things needed of EXIF: which way up a photo is, and whether it says where it was taken.

EXIF is a TIFF file (TIFF 6.0, section 2) inside the image: an 8-byte header, then directories of
12-byte entries (tag, type, count, value or offset). Damaged EXIF counts as none: TensorFlow and
browsers show such images all the same.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Final

PREFIX: Final = b"Exif\0\0"  # stands before the TIFF header in JPEG, and by mistake elsewhere

_ORIENTATION: Final = 0x0112
_GPS_DIRECTORY: Final = 0x8825
_GPS_LATITUDE: Final = 2
_SHORT: Final = 3
_ENTRY_BYTES: Final = 12

_KEYWORDS: Final = (b"Raw profile type exif", b"Raw profile type APP1")
_MAX_TEXT_BYTES: Final = 1 << 20  # of EXIF, which fits into 64 KiB of a JPEG


@dataclass(frozen=True, slots=True)
class Exif:
    """What an EXIF block says.

    Attributes:
      orientation: 1 to 8 as in the standard (1 is upright), 0 when it is absent or invalid.
      has_gps: there is a GPS latitude; cameras without reception write an empty GPS directory.
    """

    orientation: int = 0
    has_gps: bool = False


NO_EXIF: Final = Exif()


def read_exif(block: bytes) -> Exif:
    """Reads an EXIF block, with or without its ``Exif\\0\\0`` prefix. Never raises: damage is `NO_EXIF`."""
    tiff = block.removeprefix(PREFIX)
    try:
        order = _byte_order(tiff)
        orientation, has_gps = 0, False
        for at in _entries(tiff, order, struct.unpack_from(order + "I", tiff, 4)[0]):
            tag, kind, count = struct.unpack_from(order + "HHI", tiff, at)
            if tag == _ORIENTATION and not orientation and kind == _SHORT and count == 1:
                (value,) = struct.unpack_from(order + "H", tiff, at + 8)
                orientation = value if 1 <= value <= 8 else 0
            elif tag == _GPS_DIRECTORY:
                has_gps = _has_latitude(tiff, order, struct.unpack_from(order + "I", tiff, at + 8)[0])
        return Exif(orientation, has_gps)
    except (struct.error, ValueError):
        return NO_EXIF


def without_orientation(block: bytes) -> bytes:
    """The same EXIF block without its orientation tag.

    The entry is taken out of the first directory in place, so that all offsets (of maker notes,
    thumbnails) stay valid. A block that cannot be read comes back as it was.
    """
    prefix = PREFIX if block.startswith(PREFIX) else b""
    tiff = bytearray(block[len(prefix) :])
    try:
        order = _byte_order(tiff)
        (directory,) = struct.unpack_from(order + "I", tiff, 4)
        (count,) = struct.unpack_from(order + "H", tiff, directory)
        end = min(directory + 2 + count * _ENTRY_BYTES + 4, len(tiff))  # with the link to the next one
        for at in reversed(_entries(tiff, order, directory)):
            if struct.unpack_from(order + "H", tiff, at)[0] == _ORIENTATION:
                tiff[at:end] = tiff[at + _ENTRY_BYTES : end] + bytes(_ENTRY_BYTES)
                count -= 1
        struct.pack_into(order + "H", tiff, directory, count)
    except (struct.error, ValueError):
        return block
    return prefix + bytes(tiff)


def _byte_order(tiff: bytes | bytearray) -> str:
    """The `struct` prefix of a TIFF's byte order. Raises ValueError when it is no TIFF."""
    if tiff[:2] == b"II":
        return "<"
    if tiff[:2] == b"MM":
        return ">"
    raise ValueError("not a TIFF header")


def _entries(tiff: bytes | bytearray, order: str, directory: int) -> range:
    """Offsets of those entries of the directory that lie wholly inside the block."""
    (count,) = struct.unpack_from(order + "H", tiff, directory)
    first = directory + 2
    fitting = min(count, (len(tiff) - first) // _ENTRY_BYTES)
    return range(first, first + fitting * _ENTRY_BYTES, _ENTRY_BYTES)


def _has_latitude(tiff: bytes, order: str, directory: int) -> bool:
    if directory + 2 > len(tiff):
        return False
    return any(
        struct.unpack_from(order + "H", tiff, at)[0] == _GPS_LATITUDE
        for at in _entries(tiff, order, directory)
    )


def exif_in_text(name: bytes, body: bytes) -> bytes:
    """The EXIF block in the body of a PNG's tEXt or zTXt chunk; empty when it holds none or is damaged.

    ImageMagick wrote it there before PNG had a chunk for it: a line break, the kind, the length, and the
    block in hexadecimal digits (its coders/png.c). Pillow turns such pictures too.
    """
    keyword, _, text = body.partition(b"\0")
    if keyword not in _KEYWORDS:
        return b""
    try:
        if name == b"zTXt":  # after the keyword comes the compression method, which is 0
            text = zlib.decompressobj().decompress(text[1:], _MAX_TEXT_BYTES)
        block = bytes.fromhex(b"".join(text[:_MAX_TEXT_BYTES].split(b"\n")[3:]).decode("ascii"))
    except (ValueError, zlib.error):
        return b""
    return block if block.startswith((PREFIX, b"II", b"MM")) else b""
