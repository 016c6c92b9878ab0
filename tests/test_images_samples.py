"""Images drawn for the tests of `tfrecordcli.images`, and TensorFlow as their witness."""

from __future__ import annotations

import functools
import io
import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tfrecordcli.images.check import check_image
from tfrecordcli.images.checked_image import CheckedImage
from tfrecordcli.options import ImageOptions

DECODE = ImageOptions(check="decode")
STRUCTURE = ImageOptions(check="structure")
BOTH_CHECKS = pytest.mark.parametrize("options", [DECODE, STRUCTURE], ids=["decode", "structure"])

ORIENTATION, GPS, MAKE = 0x0112, 0x8825, 0x010F


def photo(width: int = 64, height: int = 48, seed: int = 0) -> Image.Image:
    """An RGB picture with shapes and noise, different in each corner."""
    rng = np.random.default_rng(seed)
    coarse = Image.fromarray(rng.integers(0, 256, (5, 7, 3), np.uint8))
    smooth = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC)).astype(int)
    noisy = smooth + rng.integers(-9, 10, smooth.shape)
    return Image.fromarray(noisy.clip(0, 255).astype(np.uint8))


def encode(image: Image.Image, file_format: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, file_format, **options)
    return file.getvalue()


def exif(orientation: int | None = None, latitude: float | None = None) -> bytes:
    """An EXIF block with a maker's name and what else is asked for."""
    block = Image.Exif()
    block[MAKE] = "Maker"
    if orientation is not None:
        block[ORIENTATION] = orientation
    if latitude is not None:
        block.get_ifd(GPS).update({1: "N", 2: (latitude, 0.0, 0.0)})
    return block.tobytes()


def chunk(name: bytes, body: bytes = b"", *, damaged: bool = False) -> bytes:
    """A PNG chunk; `damaged` spoils its checksum."""
    checksum = zlib.crc32(body, zlib.crc32(name)) ^ damaged
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", checksum)


def png(
    width: int = 8,
    height: int = 8,
    depth: int = 8,
    colour_type: int = 0,
    *,
    interlaced: bool = False,
    before: Iterable[bytes] = (),
    stream: bytes | Sequence[bytes] | None = None,
    after: Iterable[bytes] = (),
) -> bytes:
    """A PNG of zeros; `stream` is its compressed data (or that of several IDAT chunks) instead."""
    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour_type]
    if stream is None:
        if interlaced:
            stream = zlib.compress(bytes(4 * (width * bits // 8 + 16) * height + 64))
        else:
            stream = zlib.compress(bytes(((width * bits + 7) // 8 + 1) * height))
    header = struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, interlaced)
    streams = [stream] if isinstance(stream, bytes) else stream
    chunks = [chunk(b"IHDR", header), *before, *(chunk(b"IDAT", part) for part in streams), *after]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks) + chunk(b"IEND")


def insert_segment(jpeg: bytes, marker: int, body: bytes) -> bytes:
    """A JPEG with one more segment at its beginning."""
    return jpeg[:2] + bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


def without_segments(jpeg: bytes, unwanted: int) -> bytes:
    """A JPEG without the segments of one marker."""
    parts, at = [jpeg[:2]], 2
    while jpeg[at + 1] != 0xDA:
        end = at + 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
        if jpeg[at + 1] != unwanted:
            parts.append(jpeg[at:end])
        at = end
    return b"".join(parts) + jpeg[at:]


def pixels(data: bytes, mode: str | None = None) -> np.ndarray:
    """What Pillow decodes, as signed integers."""
    image = Image.open(io.BytesIO(data))
    return np.asarray(image.convert(mode) if mode else image).astype(int)


@functools.cache
def _tensorflow() -> Any:
    return pytest.importorskip("tensorflow", reason="TensorFlow is the witness of these tests")


def tensorflow_decodes(data: bytes, dtype: str = "uint8") -> np.ndarray:
    """What TensorFlow decodes, [height, width, channels]; raises what it raises."""
    return _tensorflow().io.decode_image(data, channels=0, dtype=dtype, expand_animations=False).numpy()


def checked(data: bytes, options: ImageOptions = DECODE) -> CheckedImage:
    """The checked image, after TensorFlow decoded it to the size that it says."""
    found = check_image(data, options)
    assert tensorflow_decodes(found.data).shape == (found.height, found.width, found.channels)
    assert len(set(found.notes)) == len(found.notes)
    return found


def test_photos_differ_in_every_orientation() -> None:
    picture = photo()
    turned = [picture, *(picture.transpose(turn) for turn in Image.Transpose)]
    assert len({image.tobytes() for image in turned}) == len(turned)
