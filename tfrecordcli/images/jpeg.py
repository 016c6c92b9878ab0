"""Is this JPEG whole? A walk over every marker of the file, without decoding it.

The walk parses all segments that matter and skips entropy-coded data with one search, which finds
every fault that makes libjpeg (inside TensorFlow) give up, at about 60 us per 100 KB. Damage that
libjpeg only warns about, and shows as gray or garbled blocks, takes a decode (`jpeg_decode`).

The search is half of that time, and a strict decode finds what it finds: when one follows, it is left
out for files that hold a single scan and end as they should.

Sources: ITU-T T.81 (section numbers below are its), and libjpeg-turbo's jdmarker.c, jdinput.c and
jdphuff.c where they ask for more or less than the standard.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final, NamedTuple, NoReturn

from tfrecordcli.images.exif import NO_EXIF, PREFIX, Exif, read_exif
from tfrecordcli.images.jpeg_segments import (
    PROGRESSIVE,
    Frame,
    Scan,
    corrupt,
    huffman_tables,
    quantisation_tables,
    read_frame,
    read_scan,
    unsupported,
)
from tfrecordcli.reasons import Rejected

SIGNATURE: Final = b"\xff\xd8\xff"
MAX_SCANS: Final = 100  # real files have about 10; each scan of a bomb costs a pass over all pixels

SOI, EOI, SOS, DQT, DHT, DRI, TEM = 0xD8, 0xD9, 0xDA, 0xDB, 0xC4, 0xDD, 0x01
RESTARTS: Final = range(0xD0, 0xD8)
_APP1, _APP2 = 0xE1, 0xE2
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {DHT, 0xC8, 0xCC}
_EXTENSIONS: Final = frozenset(range(0xF0, 0xFE))  # JPEG-LS begins with one of them
# Those, DNL, DHP, EXP, JPG, SOI and all below 0xC0: libjpeg stops at them.
_REFUSED: Final = frozenset({0xDC, 0xDE, 0xDF, 0xC8, SOI, *range(0xC0)}) | _EXTENSIONS
_SEGMENTS: Final = frozenset(range(256)) - _REFUSED - frozenset(RESTARTS) - {EOI, 0xFF}
_READ: Final = _FRAMES | {DRI, _APP1, _APP2}
_HEAD: Final = struct.Struct(">BBH").unpack_from  # of a segment: its marker and its length
_HEAD_BYTES: Final = 4
_NO_HEAD: Final = (0, 0, 0)
_END: Final = b"\xff\xd9"
# Those that decoders have of their own, for frames of Motion-JPEG: two for DC and two for AC.
_STANDARD_TABLES: Final = frozenset({0, 1, 16, 17})
_NOTHING_CAME: Final = b"\xff" * 64  # more bits than there are, of each coefficient
_ICC_PREFIX: Final = b"ICC_PROFILE\0"
_MULTI_PICTURE_PREFIX: Final = b"MPF\0"  # CIPA DC-007

# In entropy-coded data 0xFF is followed by 0 (stuffing), a restart marker, or fill (B.1.1.2, B.1.1.5).
MARKER: Final = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")


def marker_by_pattern(data: bytes, start: int, /) -> int:
    """Where the next marker is that may end entropy-coded data; -1 if there is none."""
    found = MARKER.search(data, start)
    return found.start() if found else -1


try:
    from tfrecordcli.images import _jpeg_walk
except ImportError:  # built without a compiler
    next_marker = marker_by_pattern
else:
    next_marker = _jpeg_walk.next_marker  # the same, in a fifth of the time


class JpegInfo(NamedTuple):
    """What the walk found.

    Attributes:
      frame: size, components and coding process.
      exif: of the first EXIF segment.
      has_icc: there is an ICC profile.
      has_huffman_tables: False for frames cut out of Motion-JPEG video, which leave out the
        standard tables.
      trailing: number of bytes after the end of the image.
      is_multi_picture: further pictures follow (MPO, as of stereo cameras and phones).

    When ``frame.is_kept`` is False, nothing after the frame header was looked at.
    """

    frame: Frame
    exif: Exif
    has_icc: bool
    has_huffman_tables: bool
    trailing: int
    is_multi_picture: bool


def walk_jpeg(data: bytes, *, is_decoded_next: bool = False) -> JpegInfo:
    """Walks a file that begins with `SIGNATURE`.

    Args:
      data: the file.
      is_decoded_next: whether a strict decode of all picture data follows if the walk finds nothing.

    Raises:
      Rejected: truncated, corrupt, incomplete, unsupported_jpeg, too_many_scans.
    """
    return _Walk(data, is_decoded_next).run()


class _Walk:
    """The state of one walk."""

    def __init__(self, data: bytes, is_decoded_next: bool) -> None:
        self._data = data
        self._is_decoded_next = is_decoded_next
        self._frame: Frame | None = None
        self._quantisation: set[int] = set()
        self._huffman: set[int] = set()
        self._exif: Exif | None = None
        self._has_icc = False
        self._is_multi_picture = False
        self._needs_tables = False
        self._scans = 0
        # By identifier of the component: for each of its coefficients, how many bits have not come.
        self._missing: dict[int, bytearray] = {}
        self._is_sequential_done = False

    def run(self) -> JpegInfo:
        data, size = self._data, len(self._data)
        at = 2
        while True:
            first, marker, length = _HEAD(data, at) if at + _HEAD_BYTES <= size else _NO_HEAD
            end = at + 2 + length
            # Nearly all segments follow each other plainly; anything else is looked at more closely.
            if first != 0xFF or marker not in _SEGMENTS or length < 2 or end > size:
                at, marker = self._marker_at(at)
                if marker == EOI:
                    return self._info(at + 2)
                if marker == TEM or marker in RESTARTS:  # they stand alone, and mean nothing outside scans
                    at += 2
                    continue
                if marker in _REFUSED:
                    self._refuse(marker)
                end = self._segment_end(at)
            if marker == DHT:
                self._huffman |= huffman_tables(data[at + 4 : end])
            elif marker == DQT:
                self._quantisation |= quantisation_tables(data[at + 4 : end]).keys()
            elif marker == SOS:
                end = self._skip_scan(data[at + 4 : end], end)
            elif marker in _READ:
                self._read_segment(marker, at + 4, end)
                if self._frame is not None and not self._frame.is_kept:
                    return self._info(size)
            at = end

    def _marker_at(self, at: int) -> tuple[int, int]:
        """Where the marker really begins, after fill bytes (B.1.1.2), and its second byte."""
        data, size = self._data, len(self._data)
        while at + 1 < size and data[at] == 0xFF and data[at + 1] == 0xFF:
            at += 1
        if at + 2 > size:
            _truncated()
        if data[at] != 0xFF:
            corrupt("stray bytes between its segments")
        return at, data[at + 1]

    def _refuse(self, marker: int) -> NoReturn:
        if self._frame is None and marker in _EXTENSIONS:
            unsupported("JPEG-LS or another extension")
        corrupt("a marker that does not belong there")

    def _segment_end(self, at: int) -> int:
        data, size = self._data, len(self._data)
        if at + 4 > size:
            _truncated()
        length = data[at + 2] << 8 | data[at + 3]
        if length < 2:
            corrupt("a segment of impossible length")
        if at + 2 + length > size:
            _truncated()
        return at + 2 + length

    def _read_segment(self, marker: int, start: int, end: int) -> None:
        if marker in _FRAMES:
            if self._frame is not None:
                corrupt("two frame headers")
            self._frame = read_frame(marker, self._data[start:end])
        elif marker == DRI:
            if end - start != 2:
                corrupt("a bad restart interval")
        elif marker == _APP1:
            if self._exif is None and self._data.startswith(PREFIX, start):
                self._exif = read_exif(self._data[start:end])
        elif marker == _APP2:
            self._has_icc |= self._data.startswith(_ICC_PREFIX, start)
            self._is_multi_picture |= self._data.startswith(_MULTI_PICTURE_PREFIX, start)

    def _skip_scan(self, header: bytes, end: int) -> int:
        """Checks a scan's header; the position of the next marker after its data."""
        frame = self._frame
        if frame is None:
            corrupt("picture data before the frame header")
        if self._is_sequential_done:
            corrupt("more picture data than components")
        scan = read_scan(header, frame, frozenset(self._quantisation))
        if not scan.tables <= self._huffman:
            if self._huffman or frame.process == PROGRESSIVE or not scan.tables <= _STANDARD_TABLES:
                corrupt("a Huffman table is missing")
            self._needs_tables = True
        self._scans += 1
        if self._scans > MAX_SCANS:
            raise Rejected("too_many_scans", limit=MAX_SCANS)
        # libjpeg takes the first full scan of a sequential file for all of it, and fails at a second.
        is_full = len(scan.components) == len(frame.components)
        self._is_sequential_done = is_full and frame.process != PROGRESSIVE
        if not self._is_sequential_done:
            self._note_coefficients(scan)
        if self._is_decoded_next and self._is_sequential_done and self._data.endswith(_END):
            return len(self._data) - len(_END)
        at = next_marker(self._data, end)
        if at < 0:
            _truncated()
        return at

    def _note_coefficients(self, scan: Scan) -> None:
        """Notes what a scan brings, and that those came which it makes more exact."""
        band = slice(scan.band.start, scan.band.stop)
        for identifier in scan.components:
            missing = self._missing.setdefault(identifier, bytearray(_NOTHING_CAME))
            if scan.refined_bits and max(missing[band]) > scan.refined_bits:
                raise Rejected("incomplete")
            missing[band] = bytes([scan.missing_bits]) * len(scan.band)

    def _info(self, end: int) -> JpegInfo:
        frame = self._frame
        if frame is None or (frame.is_kept and not self._scans):
            corrupt("it holds no picture")
        if frame.is_kept and not self._is_sequential_done and self._is_incomplete(frame):
            raise Rejected("incomplete")
        return JpegInfo(
            frame=frame,
            exif=self._exif or NO_EXIF,
            has_icc=self._has_icc,
            has_huffman_tables=not self._needs_tables,
            trailing=len(self._data) - end,
            is_multi_picture=self._is_multi_picture or self._data.startswith(SIGNATURE, end),
        )

    def _is_incomplete(self, frame: Frame) -> bool:
        return len(self._missing) < len(frame.components) or any(map(any, self._missing.values()))


def segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Marker, start and end of each segment of a walked JPEG; that of a scan ends with its header."""
    at = 2
    while (marker := data[at + 1]) != EOI:
        if marker == 0xFF:  # fill before a marker
            at += 1
        elif marker == TEM or marker in RESTARTS:
            at += 2
        else:
            end = at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
            yield marker, at, end
            at = end
            if marker == SOS:
                at = next_marker(data, end)
                assert at > 0, "a walked JPEG has an end"


def _truncated() -> NoReturn:
    raise Rejected("truncated", format="JPEG")
