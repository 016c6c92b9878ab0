"""Size and kind of a WebP, from its header.

Pillow's WebP reader allocates the whole canvas as soon as it opens a file, 2 GB for a file of a few
bytes, so the size must be known before. Source: WebP Container Specification; VP8: RFC 6386
section 9.1; VP8L: WebP Lossless Bitstream Specification section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_FRAME_HEADER_BYTES: Final = 16  # of an ANMF chunk, before the chunks of its frame


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
