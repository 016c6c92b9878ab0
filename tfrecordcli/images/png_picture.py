"""Does the picture data of a PNG inflate to the rows that its header promises?"""

from __future__ import annotations

import zlib
from typing import Any, Final, NoReturn

import numpy as np

from tfrecordcli.images.png import PngHeader, PngInfo, corrupt

try:
    from isal import isal_zlib

    # Three times as fast; it only checks here, and both give the same verdict on every stream.
    _new_inflater: Any = isal_zlib.decompressobj
    # The stubs of isal call its error an instance.
    _isal_error: Any = isal_zlib.error
    _inflate_errors: tuple[type[Exception], ...] = (zlib.error, _isal_error)
except ImportError:
    _new_inflater = zlib.decompressobj
    _inflate_errors = (zlib.error,)

_PIECE_BYTES: Final = 32 << 20  # memory for rows at a time
_MAX_SURPLUS_BYTES: Final = 16 << 20  # after the last row; libpng skips such data
_LAST_FILTER_TYPE: Final = 4  # section 9.2

# Where a pass of an interlaced picture begins and its steps, in pixels: x, y, x step, y step (8.2).
_ADAM7: Final = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
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
            filter_types = np.frombuffer(piece, np.uint8)[::row_bytes]
            if np.max(filter_types) > _LAST_FILTER_TYPE:
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
