"""Does the picture data of a JPEG decode without a warning, and hold the blocks that its headers promise?

The second is told without a decoder (`check_entropy`), for the few files whose warnings no decoder at hand
passes on: those with sampling factors that TurboJPEG has no name for. One wrong bit in such a factor turns
the picture into garbage, and shows only in data of another number of blocks. It takes 0.5 s a MB of data, and
1.5 s when they are progressive; and 8 bytes a block then. Section numbers are those of ITU-T T.81.
"""

from __future__ import annotations

import functools
import io
import re
from array import array
from typing import Final

import simplejpeg
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from tfrecordcli.images.jpeg import DHT, DQT, DRI, MARKER, RESTARTS, SOS, segments
from tfrecordcli.images.jpeg_huffman import (
    NO_TABLE,
    PADDING,
    Block,
    HuffmanTable,
    damaged,
    pass_ac,
    pass_dc,
    pass_sequential,
    read_tables,
    refine_ac,
)
from tfrecordcli.images.jpeg_segments import PROGRESSIVE, Component, Frame, quantisation_tables
from tfrecordcli.images.pillow_guard import guarded
from tfrecordcli.reasons import Rejected

_APPLICATION: Final = range(0xE0, 0xF0)
_APP14, _COMMENT = 0xEE, 0xFE
# Pixels of colour pictures whose data are gone over too: libjpeg reads ahead and tells nothing of some bytes
# that are left over, which may be all the difference that wrong sampling factors make in such a small file.
_SMALL: Final = 32 * 32

_RESTART: Final = re.compile(rb"\xff+[\xd0-\xd7]")
_STUFFED: Final = re.compile(rb"\xff+\0")  # libjpeg takes any fill before the zero as one 0xFF
_AC: Final = 0x10  # set in the number of an AC table (B.2.4.2)
# DC of samples of 8 bits reaches 1024; of good files that were seen 1026, before rounding.
_MOST_DC: Final = 1200
# Whole bytes that encoders may leave at the end of a scan, of which libjpeg, which has read them already,
# does not tell.
_FILL: Final = re.compile(rb"\xff{,7}|\0{,7}")


def decode_strictly(data: bytes, frame: Frame) -> None:
    """Decodes all picture data of a walked JPEG; whatever libjpeg warns about counts as an error.

    The picture is made at 1/8 scale in gray, which leaves out most work but the entropy decoding.
    Only for files whose walk found a kept coding process: on lossless JPEG (SOF3) a scaled decode
    destroys the heap.

    Args:
      frame: what the walk found.

    Raises:
      Rejected: corrupt.
      MemoryError: there is too little for this picture.
    """
    complaint = _complaint(data)
    if complaint and "subsampling" not in complaint:
        # libjpeg also warns about harmless things in APPn segments (numbering of ICC parts, unknown
        # JFIF versions), and only one warning comes back: judge the picture data without them.
        complaint = _complaint(_without_metadata(data))
    if not complaint:
        if len(frame.components) > 1 and frame.width * frame.height < _SMALL:
            check_entropy(data, frame)
        return
    if "memory" in complaint:  # libjpeg's JERR_OUT_OF_MEMORY
        raise MemoryError(complaint)
    damaged = Rejected("corrupt", format="JPEG", detail="errors in the picture data")
    if "subsampling" not in complaint:
        raise damaged
    # Legal sampling factors that TurboJPEG has no name for, or wrong ones: Pillow decodes both, and does
    # not tell what libjpeg warns about.
    check_entropy(data, frame)
    with guarded(damaged):
        JpegImageFile(io.BytesIO(data)).load()


def with_huffman_tables(data: bytes) -> bytes:
    """A walked JPEG without Huffman tables, with those of ITU-T T.81 annex K.3 before its first scan.

    Decoders take these when a file has none, as frames of Motion-JPEG do, but not all of them.
    """
    for marker, start, _ in segments(data):
        if marker == SOS:
            return data[:start] + _standard_tables() + data[start:]
    raise AssertionError("a walked JPEG has a scan")


@functools.cache
def _standard_tables() -> bytes:
    """The DHT segments of annex K.3, which libjpeg writes unless told to optimise."""
    file = io.BytesIO()
    Image.new("RGB", (8, 8)).save(file, "JPEG", optimize=False)
    data = file.getvalue()
    return b"".join(data[start:end] for marker, start, end in segments(data) if marker == DHT)


def _complaint(data: bytes) -> str:
    """What libjpeg says against the file; empty when it is content."""
    try:
        simplejpeg.decode_jpeg(
            data, "GRAY", fastdct=True, fastupsample=True, min_height=1, min_width=1, min_factor=8
        )
    except ValueError as error:
        return str(error) or "unknown"
    return ""


def _without_metadata(data: bytes) -> bytes:
    """A copy without comments and APPn segments before the first scan, but with APP14, which tells
    how the colours are stored."""
    parts = [data[:2]]
    for marker, start, end in segments(data):
        if marker == SOS:
            parts.append(data[start:])
            break
        if marker == _APP14 or (marker not in _APPLICATION and marker != _COMMENT):
            parts.append(data[start:end])
    return b"".join(parts)


def check_entropy(data: bytes, frame: Frame) -> None:
    """Goes over all picture data of a JPEG that was walked whole.

    Raises:
      Rejected: corrupt.
    """
    tables = _Tables()
    nonzero: dict[int, memoryview] = {}
    interval = 0
    for marker, start, end in segments(data):
        body = data[start + 4 : end]
        if marker == DHT:
            tables.huffman |= read_tables(body)
        elif marker == DQT:
            tables.quantisation |= quantisation_tables(body)
        elif marker == DRI:
            interval = int.from_bytes(body, "big")
        elif marker == SOS:
            _check_scan(data, end, interval, _Scan(frame, body, tables, nonzero))


def _check_scan(data: bytes, at: int, interval: int, scan: _Scan) -> None:
    """Checks the data of a scan, which begin at ``at``, one restart interval after the other (B.2.1)."""
    marker = MARKER.search(data, at)
    assert marker is not None, "a walked JPEG has an end"
    end = marker.start()
    step = interval or scan.count
    for number, first in enumerate(range(0, scan.count, step)):
        restart = _RESTART.search(data, at, end)
        bits = _unstuffed(data, at, restart.start() if restart else end)
        count = min(step, scan.count - first)
        used = -(-scan.check(bits, first, count) // 8)
        left = bits[used:-PADDING]
        is_last = first + count == scan.count
        if used > len(bits) - PADDING or (left and not (is_last and _FILL.fullmatch(left))):
            damaged()
        if restart:
            at = restart.end()
        if not is_last and (restart is None or data[at - 1] != RESTARTS[number % 8]):
            damaged()
    if restart and at < end:
        damaged()


def _unstuffed(data: bytes, at: int, end: int) -> bytearray:
    """Entropy-coded data without the zeros after each 0xFF (B.1.1.5) and fill at its end, and `PADDING`."""
    bits = bytearray()
    view = memoryview(data)
    for stuffed in _STUFFED.finditer(data, at, end):
        bits += view[at : stuffed.start() + 1]
        at = stuffed.end()
    while end > at and data[end - 1] == 0xFF:
        end -= 1
    bits += view[at:end]
    bits += bytes(PADDING)
    return bits


class _Scan:
    """One scan: its groups of blocks (MCUs, A.2), and how they are coded.

    Args:
      header: the body of its SOS segment.
      tables: those that are in force.
      nonzero: of components, for each block, which coefficients the progressive scans so far have set.

    Attributes:
      count: number of its groups of blocks.
    """

    def __init__(self, frame: Frame, header: bytes, tables: _Tables, nonzero: dict[int, memoryview]) -> None:
        self._is_progressive = frame.process == PROGRESSIVE
        *chosen, first, last, approximation = header[1:]
        self._band = first, last
        self._is_refinement = approximation > 0x0F
        is_mixed = len(chosen) > 2
        self.count = _groups(frame, None if is_mixed else frame.components[chosen[0]])
        self._blocks = []
        for identifier, numbers in zip(chosen[::2], chosen[1::2], strict=True):
            component = frame.components[identifier]
            block = tables.block(component, identifier, numbers, approximation & 15)
            self._blocks += [block] * (component.blocks if is_mixed else 1)
        if first:
            empty = memoryview(array("Q", bytes(8 * self.count)))
            self._nonzero = nonzero.setdefault(chosen[0], empty)

    def check(self, bits: bytearray, first: int, count: int) -> int:
        """Goes over the groups of one restart interval; the position in bits after it.

        Raises:
          Rejected: corrupt.
        """
        if not self._is_progressive:
            return pass_sequential(bits, self._blocks, count)
        if self._band[0]:
            go_over = refine_ac if self._is_refinement else pass_ac
            return go_over(bits, self._blocks[0].ac, self._band, self._nonzero[first : first + count])
        if self._is_refinement:  # a bit for each block
            return count * len(self._blocks)
        return pass_dc(bits, self._blocks, count)


class _Tables:
    """The tables that are in force: `huffman` by number, and steps of DC by number of
    the table for quantisation."""

    def __init__(self) -> None:
        self.huffman: dict[int, HuffmanTable] = {}
        self.quantisation: dict[int, int] = {}

    def block(self, component: Component, identifier: int, numbers: int, shift: int) -> Block:
        """What a scan needs for a block, with its numbers of tables and the shift of its numbers (Al)."""
        dc, ac = self.huffman.get(numbers >> 4, NO_TABLE), self.huffman.get(_AC | numbers & 15, NO_TABLE)
        step = max(1, self.quantisation[component.quantisation])
        return Block(identifier, (_MOST_DC // step >> shift) + 2, dc, ac)


def _groups(frame: Frame, alone: Component | None) -> int:
    """How many groups of blocks a scan of several components has, or of one alone (A.2.2, A.2.3)."""
    widest = max(part.horizontal for part in frame.components.values())
    highest = max(part.vertical for part in frame.components.values())
    if alone is None:
        return -(-frame.width // (8 * widest)) * -(-frame.height // (8 * highest))
    across = -(-frame.width * alone.horizontal // widest)
    down = -(-frame.height * alone.vertical // highest)
    return -(-across // 8) * -(-down // 8)
