"""Is this PNG whole? Checksums of all chunks that count, and the inflated picture data.

The data is inflated and its filter types looked at, but no pixel is made: that finds all that
makes libpng (inside TensorFlow) give up, in a fifth of a decode. Like libpng, and unlike Pillow,
damage in chunks that do not matter to the picture (text, time, ICC profile) is let pass.

Sources: PNG specification, third edition (section numbers below are its), and libpng 1.6's
pngrutil.c and pngset.c where they ask for more or less.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Final, NoReturn

from tfrecordcli.images.exif import NO_EXIF, Exif, read_exif
from tfrecordcli.images.exif import exif_in_text
from tfrecordcli.reasons import Rejected

try:
    from isal import isal_zlib

    _crc32 = isal_zlib.crc32
except ImportError:
    _crc32 = zlib.crc32

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
PALETTE: Final = 3  # colour type (11.2.1)
_COLOUR: Final = 2  # set in the types of truecolour, with and without alpha, and of palettes

_MAX_SIDE: Final = 1_000_000  # libpng's PNG_USER_WIDTH_MAX and PNG_USER_HEIGHT_MAX
_ANCILLARY: Final = 0x20  # bit of a chunk name's first byte (5.4)
_CHANNELS: Final = {0: 1, 2: 3, PALETTE: 1, 4: 2, 6: 4}
_DEPTHS: Final = {0: (1, 2, 4, 8, 16), 2: (8, 16), PALETTE: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}


@dataclass(frozen=True, slots=True)
class PngHeader:
    """The IHDR chunk (11.2.1): width and height in pixels, 1 to 1,000,000; bits a channel; colour
    type; whether the rows are interlaced."""

    width: int
    height: int
    depth: int
    colour_type: int
    is_interlaced: bool

    @property
    def bits_per_pixel(self) -> int:
        return self.depth * _CHANNELS[self.colour_type]


@dataclass(frozen=True, slots=True)
class PngInfo:
    """What the walk found.

    Attributes:
      header: size and kind.
      palette: body of the PLTE chunk, empty when there is none.
      transparency: body of the tRNS chunk of a palette image, empty when there is none that counts.
      picture: bodies of the IDAT chunks.
      exif: of the eXIf chunk, or where there is none of the text chunk that was used before.
      exif_block: its bytes, empty when there is none.
      icc_chunk: body of the iCCP chunk, empty when there is none.
      is_animated: there are further frames (APNG), which TensorFlow does not show.
      trailing: number of bytes after the end of the image.
    """

    header: PngHeader
    palette: bytes
    transparency: bytes
    picture: list[memoryview]
    exif: Exif
    exif_block: bytes
    icc_chunk: bytes
    is_animated: bool
    trailing: int

    @property
    def channels(self) -> int:
        """Channels of what ``tf.io.decode_image(channels=0)`` returns, 1 to 4."""
        if self.header.colour_type == PALETTE:
            return 4 if self.transparency else 3
        return _CHANNELS[self.header.colour_type]


def read_header(data: bytes) -> PngHeader:
    """The header of a file that begins with `SIGNATURE`.

    Raises:
      Rejected: truncated, corrupt, unsupported_image.
    """
    if len(data) < 33:
        raise Rejected("truncated", format="PNG")
    length, name, width, height, depth, colour_type, compression, filtering, interlace, checksum = (
        struct.unpack_from(">I4sIIBBBBBI", data, 8)
    )
    if name != b"IHDR" or length != 13 or _crc32(data[12:29]) != checksum:
        corrupt("a bad header")
    if not width or not height or depth not in _DEPTHS.get(colour_type, ()):
        corrupt("a bad header")
    if compression or filtering or interlace > 1:
        corrupt("a bad header")
    if max(width, height) > _MAX_SIDE:
        raise Rejected("unsupported_image", format="PNG", detail=f"more than {_MAX_SIDE} pixels wide or high")
    return PngHeader(width, height, depth, colour_type, interlace == 1)


def walk_png(data: bytes) -> PngInfo:
    """Walks the chunks of a file that begins with `SIGNATURE`, without inflating its picture.

    Raises:
      Rejected: truncated, corrupt, unsupported_image.
    """
    return _Walk(data, read_header(data)).run()


def lean_png(data: bytes, info: PngInfo) -> bytes:
    """The same picture in a PNG that holds nothing else: no text, profile, EXIF or animation."""
    parts = [data[:33]]
    if info.palette:
        parts.append(_chunk(b"PLTE", info.palette))
    if info.transparency:
        parts.append(_chunk(b"tRNS", info.transparency))
    parts.append(_chunk(b"IDAT", b"".join(info.picture)))
    parts.append(_chunk(b"IEND", b""))
    return b"".join(parts)


def corrupt(detail: str) -> NoReturn:
    raise Rejected("corrupt", format="PNG", detail=detail)


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(body, zlib.crc32(name)))


class _Walk:
    """The state of one walk."""

    def __init__(self, data: bytes, header: PngHeader) -> None:
        self._data = data
        self._view = memoryview(data)
        self._header = header
        self._palette = b""
        self._has_palette = False
        self._transparency = b""
        self._picture: list[memoryview] = []
        self._is_picture_over = False
        self._exif_block = self._exif_text = b""
        self._icc_chunk = b""
        self._is_animated = False

    def run(self) -> PngInfo:
        data, size = self._data, len(self._data)
        at = 33
        while True:
            if at + 12 > size:
                raise Rejected("truncated", format="PNG")
            length, name = struct.unpack_from(">I4s", data, at)
            body, end = at + 8, at + 8 + length
            if end + 4 > size:
                raise Rejected("truncated", format="PNG")
            if not name.isalpha():  # libpng: "invalid chunk type", also where nothing else matters
                corrupt("a bad chunk name")
            if name[0] & _ANCILLARY:
                self._read_ancillary(name, body, end)
            elif not self._is_intact(at + 4, end):
                corrupt("a checksum does not match")
            elif name == b"IEND":
                return self._info(size - end - 4)
            else:
                self._read_critical(name, body, end)
            at = end + 4

    def _is_intact(self, start: int, end: int) -> bool:
        """Whether the checksum over a chunk's name and body is right."""
        return _crc32(self._view[start:end]) == int.from_bytes(self._view[end : end + 4], "big")

    def _read_critical(self, name: bytes, body: int, end: int) -> None:
        if name == b"IDAT":
            if self._is_picture_over:
                corrupt("its picture data is interrupted")
            self._picture.append(self._view[body:end])
        elif name == b"PLTE":
            if self._has_palette:
                corrupt("two palettes")
            self._has_palette = True
            self._read_palette(self._data[body:end])
        else:
            corrupt("an unknown critical chunk")

    def _read_palette(self, palette: bytes) -> None:
        if self._header.colour_type != PALETTE:
            # Only a hint (11.2.2). libpng ignores it whatever it holds, unless a colour picture's is empty.
            if not palette and self._header.colour_type & _COLOUR:
                corrupt("a bad palette")
            return
        if not palette or len(palette) % 3 or len(palette) > 768 or self._picture:
            corrupt("a bad palette")
        self._palette = palette[: 3 << self._header.depth]  # libpng leaves out what no pixel can name

    def _read_ancillary(self, name: bytes, body: int, end: int) -> None:
        if self._picture:
            self._is_picture_over = True
        elif name == b"tRNS" and self._header.colour_type == PALETTE and not self._transparency:
            if 0 < end - body <= len(self._palette) // 3 and self._is_intact(body - 4, end):
                self._transparency = self._data[body:end]
        elif name == b"iCCP" and not self._icc_chunk:
            self._icc_chunk = self._data[body:end]
        elif name == b"acTL":
            self._is_animated = True
        if name == b"eXIf" and not self._exif_block and self._is_intact(body - 4, end):
            self._exif_block = self._data[body:end]
        elif name in (b"tEXt", b"zTXt") and not self._exif_text and self._is_intact(body - 4, end):
            self._exif_text = exif_in_text(name, self._data[body:end])

    def _info(self, trailing: int) -> PngInfo:
        if not self._picture:
            corrupt("it holds no picture")
        if self._header.colour_type == PALETTE and not self._palette:
            corrupt("its palette is missing")
        exif_block = self._exif_block or self._exif_text
        return PngInfo(
            header=self._header,
            palette=self._palette,
            transparency=self._transparency,
            picture=self._picture,
            exif=read_exif(exif_block) if exif_block else NO_EXIF,
            exif_block=exif_block,
            icc_chunk=self._icc_chunk,
            is_animated=self._is_animated,
            trailing=trailing,
        )
