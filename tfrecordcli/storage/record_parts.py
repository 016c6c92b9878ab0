"""Images that are bytes of a TFRecord file: how a URI names them, and how they are read.

`train-00000-of-00002.tfrecord#12@4096+20480~8f3a2b1c` is what record 12 (from 0) holds in the 20,480 bytes
from byte 4,096 of its file on, whose CRC32C is 8f3a2b1c. With `~480x640x3` behind it, these bytes are no
image file but raw pixels (height, width, channels), as TFRecorder wrote; `~480x640x3b` is that in base64.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import struct
import zlib
from typing import Final, NamedTuple

import google_crc32c

from tfrecordcli.reasons import Rejected, too_many_bytes

_PART: Final = re.compile(
    r"(?P<path>.+)#(?P<number>\d+)@(?P<offset>\d{1,18})\+(?P<length>\d{1,10})~(?P<crc>[0-9a-f]{8})"
    r"(~(?P<height>\d{1,6})x(?P<width>\d{1,6})x(?P<channels>[1-4])(?P<base64>b?))?",
    re.DOTALL,
)
_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PNG_COLOURS: Final = {1: 0, 2: 4, 3: 2, 4: 6}  # channels -> colour type (PNG specification, 11.2.1)


class RawShape(NamedTuple):
    """Raw pixels: rows of pixels of 8 bits a channel, from the top left, in base64 or not."""

    height: int
    width: int
    channels: int
    is_base64: bool


class RecordPart(NamedTuple):
    """The bytes of an image in a TFRecord file.

    Attributes:
      path: of the file, as the source has it.
      number: of the record, from 0.
      offset, length: in bytes, of what is read.
      crc: CRC32C of these bytes.
      raw: their shape when they are pixels; None: they are an image file.
    """

    path: str
    number: int
    offset: int
    length: int
    crc: int
    raw: RawShape | None = None

    def uri(self) -> str:
        """The URI that `part_of` reads."""
        uri = f"{self.path}#{self.number}@{self.offset}+{self.length}~{self.crc:08x}"
        if self.raw is None:
            return uri
        height, width, channels, is_base64 = self.raw
        return f"{uri}~{height}x{width}x{channels}{'b' if is_base64 else ''}"


def part_of(uri: str) -> RecordPart | None:
    """What a URI names in a TFRecord file; None when it is that of a file of its own."""
    match = _PART.fullmatch(uri) if "#" in uri else None
    if match is None:
        return None
    raw = None
    if match["height"]:
        height, width, channels = (int(match[name]) for name in ("height", "width", "channels"))
        raw = RawShape(height, width, channels, bool(match["base64"]))
    number, offset, length = (int(match[name]) for name in ("number", "offset", "length"))
    return RecordPart(match["path"], number, offset, length, int(match["crc"], 16), raw)


def read_part(descriptor: int, part: RecordPart, max_bytes: int) -> bytes:
    """The image file that stands in an open TFRecord file; of raw pixels, a PNG of them.

    Raises:
      Rejected: ``too_many_bytes``; ``other_record``: other bytes stand there now; ``corrupt``.
      OSError: the file cannot be read.
    """
    if part.length > max_bytes:
        raise too_many_bytes(part.length, max_bytes)
    return image_in(_read_all(descriptor, part.length, part.offset), part)


def image_in(data: bytes, part: RecordPart) -> bytes:
    """The image file that these bytes of a TFRecord file are; of raw pixels, a PNG of them.

    Raises:
      Rejected: ``other_record``: they are others; ``corrupt``.
    """
    if len(data) < part.length or google_crc32c.value(data) != part.crc:
        raise Rejected("other_record", offset=part.offset)
    return data if part.raw is None else png_of(data, part.raw)


def _read_all(descriptor: int, length: int, offset: int) -> bytes:
    data = os.pread(descriptor, length, offset)
    while len(data) < length and (more := os.pread(descriptor, length - len(data), offset + len(data))):
        data += more
    return data


def png_of(data: bytes, shape: RawShape) -> bytes:
    """Raw pixels as a PNG, without filters (PNG specification, third edition).

    Raises:
      Rejected: ``corrupt``: they are not of this shape.
    """
    height, width, channels, is_base64 = shape
    if is_base64:
        try:
            data = base64.urlsafe_b64decode(data + b"=" * (-len(data) % 4))
        except (binascii.Error, ValueError):
            data = b""
    line = width * channels
    if len(data) != height * line or not data:
        raise Rejected("corrupt", format="raw", detail="it is no image of its size")
    lines = b"".join(b"\0" + data[at : at + line] for at in range(0, len(data), line))
    header = struct.pack(">IIBBBBB", width, height, 8, _PNG_COLOURS[channels], 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return _PNG_SIGNATURE + b"".join(_chunk(name, content) for name, content in chunks)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
