"""EXIF in a text chunk of a PNG, as ImageMagick wrote it before PNG had a chunk for it.

The text is a line break, the kind, the length, and the block in hexadecimal digits (ImageMagick's
coders/png.c); Pillow turns such pictures too.
"""

from __future__ import annotations

import zlib
from typing import Final

from tfrecordcli.images.exif import PREFIX

_KEYWORDS: Final = (b"Raw profile type exif", b"Raw profile type APP1")
_MAX_TEXT_BYTES: Final = 1 << 20  # of EXIF, which fits into 64 KiB of a JPEG


def exif_in_text(name: bytes, body: bytes) -> bytes:
    """The EXIF block in the body of a tEXt or zTXt chunk; empty when it holds none or is damaged."""
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
