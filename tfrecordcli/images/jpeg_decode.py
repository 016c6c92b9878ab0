"""Does the picture data of a JPEG decode without a complaint? And the tables that video leaves out."""

from __future__ import annotations

import functools
import io
from typing import Final

import simplejpeg
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from tfrecordcli.images.jpeg import DHT, SOS, segments
from tfrecordcli.images.jpeg_decode import check_entropy
from tfrecordcli.images.jpeg_segments import Frame
from tfrecordcli.images.pillow_guard import guarded
from tfrecordcli.reasons import Rejected

_APPLICATION: Final = range(0xE0, 0xF0)
_APP14, _COMMENT = 0xEE, 0xFE
# Pixels of colour pictures whose data are gone over too: libjpeg reads ahead and tells nothing of some bytes
# that are left over, which may be all the difference that wrong sampling factors make in such a small file.
_SMALL: Final = 32 * 32


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
