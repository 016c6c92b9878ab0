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
from typing import Any, Final, NoReturn

from tfrecordcli.images.exif import NO_EXIF, Exif, exif_in_text, read_exif
from tfrecordcli.reasons import Rejected

try:
    from isal import isal_zlib

    # Three times as fast; it only checks here, and both give the same verdict on every stream.
    _crc32 = isal_zlib.crc32
    _new_inflater: Any = isal_zlib.decompressobj
    # The stubs of isal call its error an instance.
    _isal_error: Any = isal_zlib.error
    _inflate_errors: tuple[type[Exception], ...] = (zlib.error, _isal_error)
except ImportError:
    _crc32, _new_inflater = zlib.crc32, zlib.decompressobj
    _inflate_errors = (zlib.error,)

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
PALETTE: Final = 3  # colour type (11.2.1)
_COLOUR: Final = 2  # set in the types of truecolour, with and without alpha, and of palettes

_MAX_SIDE: Final = 1_000_000  # libpng's PNG_USER_WIDTH_MAX and PNG_USER_HEIGHT_MAX
_ANCILLARY: Final = 0x20  # bit of a chunk name's first byte (5.4)
_CHANNELS: Final = {0: 1, 2: 3, PALETTE: 1, 4: 2, 6: 4}
_DEPTHS: Final = {0: (1, 2, 4, 8, 16), 2: (8, 16), PALETTE: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}

_PIECE_BYTES: Final = 32 << 20  # memory for rows at a time
_MAX_SURPLUS_BYTES: Final = 16 << 20  # after the last row; libpng skips such data
_FILTER_TYPES: Final = bytes(range(5))  # section 9.2

# Where a pass of an interlaced picture begins and its steps, in pixels: x, y, x step, y step (8.2).
_ADAM7: Final = (
    *((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4)),
    *((0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)),
)


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


def check_picture(info: PngInfo) -> None:
    """Inflates all rows of a walked PNG and looks at their filter types; no pixel is made.

    What is inflated is bounded by the size in the header, so check that before.

    Raises:
      Rejected: corrupt.
    """
    stream = bytes(info.picture[0]) if len(info.picture) == 1 else b"".join(info.picture)
    passes = _passes(info.header)
    _check_zlib_header(stream, sum(row_bytes * rows for row_bytes, rows in passes))
    try:
        _check_rows(stream, passes)
    except _inflate_errors:
        _damaged()


def _passes(header: PngHeader) -> list[tuple[int, int]]:
    """Bytes of a row with its filter type, and number of rows, of each pass that is not empty."""
    if not header.is_interlaced:
        sizes = [(header.width, header.height)]
    else:
        sizes = [
            (-((x - header.width) // x_step), -((y - header.height) // y_step))
            for x, y, x_step, y_step in _ADAM7
        ]
    bits = header.bits_per_pixel
    return [((width * bits + 7) // 8 + 1, height) for width, height in sizes if width > 0 and height > 0]


def _check_rows(stream: bytes, passes: list[tuple[int, int]]) -> None:
    inflater = _new_inflater()
    for row_bytes, rows in passes:
        rows_at_once = max(1, _PIECE_BYTES // row_bytes)
        for first in range(0, rows, rows_at_once):
            wanted = min(rows_at_once, rows - first) * row_bytes
            piece = inflater.decompress(stream, wanted)
            stream = inflater.unconsumed_tail
            if len(piece) < wanted:
                _damaged()
            if piece[::row_bytes].translate(None, delete=_FILTER_TYPES):
                _damaged()
    surplus = 0
    while not inflater.eof:  # to its end, for libpng compares the checksum there
        piece = inflater.decompress(stream, 1 << 20)
        stream = inflater.unconsumed_tail
        surplus += len(piece)
        if not piece and not stream and not inflater.eof:
            _damaged()
        if surplus > _MAX_SURPLUS_BYTES:
            _damaged()


def _check_zlib_header(stream: bytes, size: int) -> None:
    """Checks the two bytes before the deflated data (RFC 1950 section 2.2).

    libpng inflates with the window that they declare, zlib and isal by themselves with the largest.
    """
    if len(stream) < 2:
        _damaged()
    method, window_bits = stream[0] & 15, (stream[0] >> 4) + 8
    has_dictionary = stream[1] & 0x20
    if method != 8 or window_bits > 15 or has_dictionary or (stream[0] << 8 | stream[1]) % 31:
        _damaged()
    if 1 << window_bits < min(size, 1 << 15):
        _check_distances(stream, size)


def _check_distances(stream: bytes, size: int) -> None:
    """Refuses deflated data that reaches back further than its declared window.

    zlib notices only when the distance also leaves what one call has written, hence the short calls.
    """
    step_in, step_out = 4096, 256
    inflater = zlib.decompressobj(wbits=0)
    inflated = 0
    try:
        for at in range(0, len(stream), step_in):
            piece, rest = b"", stream[at : at + step_in]
            while rest or len(piece) == step_out:
                piece = inflater.decompress(rest, step_out)
                rest = inflater.unconsumed_tail
                inflated += len(piece)
                if inflater.eof or inflated > size:
                    return
    except zlib.error:
        _damaged()


def _damaged() -> NoReturn:
    # One text for all: isal and zlib notice the same damage, but not always at the same step.
    corrupt("errors in the picture data")
