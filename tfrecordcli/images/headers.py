"""Sizes that must be known before Pillow decodes a file: a WebP's canvas, and the tiles of a TIFF.

Pillow's WebP reader allocates the whole canvas as soon as it opens a file, 2 GB for a file of a few bytes. A
tile of a TIFF may be far larger than the picture in it; of several entries of one tag Pillow keeps the last,
libtiff the first: the largest is what may happen.

Sources: WebP Container Specification; VP8: RFC 6386 section 9.1; VP8L: WebP Lossless Bitstream Specification
section 3; TIFF 6.0.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

_FRAME_HEADER_BYTES: Final = 16  # of an ANMF chunk, before the chunks of its frame

_TILE_WIDTH, _TILE_LENGTH = 322, 323  # TIFF 6.0, section 15
# What libtiff takes for a size, by the number of its type (TIFF 6.0, section 2; 16 and 17 are of BigTIFF).
_TYPES: Final = {1: "B", 3: "H", 4: "I", 6: "b", 8: "h", 9: "i", 16: "Q", 17: "q"}
_BIG: Final = 43  # in the place of 42
_USUAL: Final = 1 << 22  # pixels; tiles have up to 2048 x 2048, however small the picture


@dataclass(frozen=True, slots=True)
class WebpInfo:
    """A WebP's canvas in pixels (1 to 16,777,216), and whether its first frame is stored lossless."""

    width: int
    height: int
    lossless: bool


def read_webp(data: bytes) -> WebpInfo | None:
    """Reads the header of a file that begins ``RIFF....WEBP``; None when it makes no sense."""
    canvas: tuple[int, int] | None = None
    at, size = 12, len(data)
    while at + 18 <= size:
        kind = data[at : at + 4]
        body = at + 8
        if kind == b"VP8X":
            canvas = 1 + _uint24(data, body + 4), 1 + _uint24(data, body + 7)
        elif kind == b"VP8 ":
            width, height = canvas or (_uint14(data, body + 6), _uint14(data, body + 8))
            return WebpInfo(width, height, lossless=False) if width and height else None
        elif kind == b"VP8L":
            bits = int.from_bytes(data[body + 1 : body + 5], "little")
            width, height = canvas or (1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
            return WebpInfo(width, height, lossless=True)
        elif kind == b"ANMF":
            at = body + _FRAME_HEADER_BYTES
            continue
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        at = body + length + (length & 1)
    return None


def _uint24(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 3], "little")


def _uint14(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little") & 0x3FFF


def check_tile(data: bytes, check_size: Callable[[int, int], None]) -> None:
    """A tile is read whole, into memory of its own, even where the picture fills a corner of it.

    Args:
      data: a file of which Pillow could read the first directory.
      check_size: takes width and height, and raises what is to be raised of too large ones.
    """
    width, height = tile_size(data)
    if width * height > _USUAL:
        check_size(width, height)


def tile_size(data: bytes) -> tuple[int, int]:
    """Width and height of the largest tile that the first directory asks for; zeros without one.

    Args:
      data: a file of which Pillow could read the first directory.
    """
    sizes = {_TILE_WIDTH: 0, _TILE_LENGTH: 0}
    for tag, value in _sizes(data):
        if tag in sizes:
            sizes[tag] = max(sizes[tag], value)
    return sizes[_TILE_WIDTH], sizes[_TILE_LENGTH]


def _sizes(data: bytes) -> Iterator[tuple[int, int]]:
    """(tag, value) of the entries with one integer."""
    order = "<" if data.startswith(b"I") else ">"
    is_big = struct.unpack_from(f"{order}H", data, 2)[0] == _BIG
    offset, number = ("Q", "Q") if is_big else ("I", "H")
    (start,) = struct.unpack_from(order + offset, data, 8 if is_big else 4)
    (count,) = struct.unpack_from(order + number, data, start)
    entry = struct.Struct(f"{order}HH{offset}")
    room = struct.calcsize(f"{order}{offset}")
    first = start + struct.calcsize(order + number)
    for at in range(first, min(first + count * (entry.size + room), len(data)), entry.size + room):
        if at + entry.size + room > len(data):
            return
        tag, kind, values = entry.unpack_from(data, at)
        value = struct.Struct(order + _TYPES.get(kind, "x"))
        at += entry.size
        if value.size > room:
            (at,) = struct.unpack_from(order + offset, data, at)
        if values == 1 and kind in _TYPES and at + value.size <= len(data):
            yield tag, value.unpack_from(data, at)[0]
