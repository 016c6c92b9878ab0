"""Sound images of every format that is read, by name; the first word of a name is the format."""

from __future__ import annotations

import functools
import io
import random
import struct
import zlib
from collections.abc import Callable

import simplejpeg
from PIL import Image
from test_images_samples import chunk, encode, exif, photo, png

from fuzz.odd_jpeg import write_jpeg

PHOTO = photo(64, 48)
_SMALL = photo(40, 32)

# Legal factors that libjpeg-turbo's own API has no name for among them.
SAMPLINGS = (
    *(((h, v), (1, 1), (1, 1)) for h in (1, 2, 4) for v in (1, 2)),
    ((1, 4), (1, 1), (1, 1)),
    ((3, 1), (1, 1), (1, 1)),
    ((1, 3), (1, 1), (1, 1)),
    ((2, 1), (1, 2), (1, 1)),
    ((2, 2), (2, 1), (1, 2)),
    ((2, 2), (2, 1), (2, 1)),
    ((1, 1), (2, 2), (2, 2)),
    ((2, 1), (2, 1), (1, 1)),
    ((2, 2),),
    ((1, 1), (1, 1), (1, 1), (1, 1)),
    ((2, 2), (1, 1), (1, 1), (2, 2)),
)


def _turbo(subsampling: str) -> bytes:
    import numpy as np

    data: bytes = simplejpeg.encode_jpeg(np.asarray(PHOTO), 85, "RGB", subsampling)
    return data


def _grown(depth: int, colour_type: int, interlaced: bool, seed: int) -> bytes:
    """A PNG of random samples and filters."""
    random_ = random.Random(seed)
    width, height = 23, 17
    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour_type]
    passes = [
        (0, 0, 8, 8),
        (4, 0, 8, 8),
        (0, 4, 4, 8),
        (2, 0, 4, 4),
        (0, 2, 2, 4),
        (1, 0, 2, 2),
        (0, 1, 1, 2),
    ]
    rows = b""
    for left, top, right, down in passes if interlaced else [(0, 0, 1, 1)]:
        across, along = -(-(width - left) // right), -(-(height - top) // down)
        for _ in range(along):
            row = random_.randbytes((across * bits + 7) // 8)
            # Of a palette every index must exist: there are 2 ** depth colours, and no filter changes that.
            rows += bytes([0 if colour_type == 3 else random_.randrange(5)]) + row
    palette = [chunk(b"PLTE", random_.randbytes(3 << depth))] if colour_type == 3 else []
    stream = zlib.compress(rows)
    parts = [stream[:50], stream[50:]] if seed % 2 else stream
    return png(width, height, depth, colour_type, interlaced=interlaced, before=palette, stream=parts)


_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_JPEGS: dict[str, Callable[[], bytes]] = {
    "jpeg 4:4:4": lambda: encode(PHOTO, "JPEG", subsampling=0),
    "jpeg 4:2:2": lambda: encode(PHOTO, "JPEG", subsampling=1),
    "jpeg 4:2:0": lambda: encode(PHOTO, "JPEG", subsampling=2),
    "jpeg 4:4:0": lambda: _turbo("440"),
    "jpeg 4:1:1": lambda: _turbo("411"),
    "jpeg gray": lambda: encode(PHOTO.convert("L"), "JPEG"),
    "jpeg CMYK": lambda: encode(PHOTO.convert("CMYK"), "JPEG"),
    "jpeg RGB": lambda: encode(PHOTO, "JPEG", keep_rgb=True),
    "jpeg optimised": lambda: encode(PHOTO, "JPEG", optimize=True),
    "jpeg restarts": lambda: encode(PHOTO, "JPEG", restart_marker_blocks=3),
    "jpeg rotated": lambda: encode(PHOTO, "JPEG", exif=exif(6, latitude=3.0)),
    "jpeg two pictures": lambda: encode(PHOTO, "MPO", save_all=True, append_images=[_SMALL]),
    "progressive": lambda: encode(PHOTO, "JPEG", progressive=True),
    "progressive 4:4:4": lambda: encode(PHOTO, "JPEG", progressive=True, subsampling=0),
    "progressive gray": lambda: encode(PHOTO.convert("L"), "JPEG", progressive=True),
    "progressive CMYK": lambda: encode(PHOTO.convert("CMYK"), "JPEG", progressive=True),
    "progressive restarts": lambda: encode(PHOTO, "JPEG", progressive=True, restart_marker_blocks=4),
}
_OTHERS: dict[str, Callable[[], bytes]] = {
    "png palette": lambda: encode(_SMALL.quantize(9), "PNG", transparency=2),
    "png rotated": lambda: encode(_SMALL, "PNG", exif=exif(8)),
    "png animated": lambda: encode(_SMALL, "PNG", save_all=True, append_images=[photo(40, 32, 5)]),
    "gif": lambda: encode(_SMALL, "GIF"),
    "gif animated": lambda: encode(_SMALL, "GIF", save_all=True, append_images=[photo(40, 32, 5)]),
    "gif transparent": lambda: encode(_SMALL.quantize(9), "GIF", transparency=3),
    "gif interlaced": lambda: encode(_SMALL, "GIF", interlace=1),
    "bmp": lambda: encode(_SMALL, "BMP"),
    "bmp palette": lambda: encode(_SMALL.quantize(9), "BMP"),
    "bmp gray": lambda: encode(_SMALL.convert("L"), "BMP"),
    "bmp of one bit": lambda: encode(_SMALL.convert("1"), "BMP"),
    "bmp alpha": lambda: encode(_SMALL.convert("RGBA"), "BMP"),
    "webp": lambda: encode(_SMALL, "WEBP"),
    "webp lossless": lambda: encode(_SMALL, "WEBP", lossless=True),
    "webp alpha": lambda: encode(_SMALL.convert("RGBA"), "WEBP"),
    "webp animated": lambda: encode(_SMALL, "WEBP", save_all=True, append_images=[photo(40, 32, 5)]),
    **{f"tiff {kind}": lambda kind=kind: encode(_SMALL, "TIFF", compression=kind)
       for kind in ("raw", "tiff_lzw", "tiff_deflate", "packbits", "jpeg")},
    "tiff gray of 16 bits": lambda: encode(_SMALL.convert("I;16"), "TIFF"),
    "tiff palette": lambda: encode(_SMALL.quantize(9), "TIFF"),
    "tiff CMYK": lambda: encode(_SMALL.convert("CMYK"), "TIFF"),
    "avif": lambda: encode(_SMALL, "AVIF"),
    "jpeg2000": lambda: encode(_SMALL, "JPEG2000"),
    "tga": lambda: encode(_SMALL, "TGA", compression="tga_rle"),
    "ico": lambda: encode(photo(32, 32), "ICO"),
    "ppm": lambda: encode(_SMALL, "PPM"),
    "pcx": lambda: encode(_SMALL, "PCX"),
    "psd": lambda: b"8BPS\0\1" + bytes(6) + b"\0\3\0\0\0\x08\0\0\0\x08\0\x08\0\3" + bytes(12 + 2 + 192),
}  # fmt: skip


@functools.cache
def sources() -> dict[str, bytes]:
    """name -> file."""
    found = {name: make() for name, make in (_JPEGS | _OTHERS).items()}
    for number, sampling in enumerate(SAMPLINGS):
        name = "jpeg sampled " + ",".join(f"{h}x{v}" for h, v in sampling)
        found[name] = write_jpeg(61, 45, sampling, number)
    for colour_type, depths in _DEPTHS.items():
        for depth in depths:
            for interlaced in (False, True):
                name = f"png type {colour_type} depth {depth}" + " interlaced" * interlaced
                found[name] = _grown(depth, colour_type, interlaced, depth + 2 * interlaced + colour_type % 2)
    return found


def group_of(name: str) -> str:
    """What counts are kept by."""
    return "jpeg sampled" if name.startswith("jpeg sampled") else " ".join(name.split()[:1])


# --- claims ---


def claims(width: int, height: int) -> dict[str, bytes]:
    """A few bytes each that claim to be a picture of this size."""
    size = struct.pack("<HH", width, height)
    return {
        "gif": b"GIF89a" + size + b"\0\0\0," + bytes(4) + size + b"\0\2\2D\1\0;",
        "png": png(8, 8)[:16] + struct.pack(">II", width, height) + png(8, 8)[24:],
        "jpeg": write_jpeg(8, 8, [(1, 1)]).replace(
            struct.pack(">HH", 8, 8), struct.pack(">HH", height, width), 1
        ),
        "bmp": b"BM"
        + struct.pack("<IIIIIiHHIIIIII", 99, 0, 54, 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
        + bytes(45),
        "webp": _webp(width, height),
    }


def _webp(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 8)).save(file, "WEBP")
    data = bytearray(file.getvalue())
    at = data.index(b"\x9d\x01\x2a") + 3
    data[at : at + 4] = struct.pack("<HH", width & 0x3FFF, height & 0x3FFF)
    return bytes(data)
