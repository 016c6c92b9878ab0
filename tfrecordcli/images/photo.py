"""Whether a JPEG or PNG is a photo in colour for certain, and no mask: told by how its colours are spread."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile

from tfrecordcli.images import jpeg, png
from tfrecordcli.images.pillow_guard import guarded, undecodable
from tfrecordcli.reasons import Rejected

_Told = TypeVar("_Told")

_MOST_PIXELS: Final = 64 << 20  # of which one is worth its decoding
# The most by which copies in another format differ, as a share of how far pixels are from their mean.
_ALIKE: Final = 0.25
_OPAQUE: Final = 255
_SIDE: Final = 32  # pixels that are looked at, in both directions
_STEP: Final = 16  # values of a channel that are taken for one
# Masks have few colours, and others at edges only: of all pixels, the most frequent few cover nearly all.
_COLOURS: Final = 64
_FREQUENT: Final = 16
_COVERED: Final = 0.75


# Masks of many objects have many colours: in a PNG their pixels are those beside them, but for edges.
_LOOKED_AT: Final = 64  # pixels in the middle, in both directions
_FLAT: Final = 0.5


def is_copy(data: bytes, photo: bytes) -> bool:
    """Whether a PNG shows the same as a JPEG or PNG for certain, in grey: both can be read, and are opaque.

    Where a photo is dark, a mask of it differs in few pixels by little; how they are spread counts.
    """
    one, other = _in_grey(data), _in_grey(photo)
    if not data.startswith(png.SIGNATURE) or not one or not other:
        return False
    mean = sum(other) // len(other)
    return sum(map(abs, map(int.__sub__, one, other))) <= _ALIKE * sum(abs(value - mean) for value in other)


def is_photo(data: bytes) -> bool:
    """Whether a file is a JPEG or PNG in many colours; False also for a photo of few, and for other files."""
    is_png = data.startswith(png.SIGNATURE)

    def is_one(image: Image.Image) -> bool:
        return image.mode == "RGB" and _is_colourful(image) and not (is_png and _is_flat(image))

    return _read(data, is_one) or False


def _in_grey(data: bytes) -> bytes:
    """Some pixels of a JPEG or PNG; none of one that is transparent, large or broken, and of other files."""

    def pixels(image: Image.Image) -> bytes:
        if image.has_transparency_data and image.convert("RGBA").getextrema()[-1] != (_OPAQUE, _OPAQUE):
            return b""
        return image.convert("L").resize((_SIDE, _SIDE), Image.Resampling.BOX).tobytes()

    return _read(data, pixels) or b""


def _read(data: bytes, what: Callable[[Image.Image], _Told]) -> _Told | None:
    """What a JPEG or PNG tells; None for one that is too large or broken, and for other files."""
    is_png = data.startswith(png.SIGNATURE)
    if not is_png and not data.startswith(jpeg.SIGNATURE):
        return None
    file, kind = (PngImageFile, "PNG") if is_png else (JpegImageFile, "JPEG")
    with suppress(Rejected), guarded(undecodable(kind)), file(io.BytesIO(data)) as image:
        return what(image) if image.width * image.height <= _MOST_PIXELS else None
    return None


def _is_colourful(image: Image.Image) -> bool:
    pixels = image.resize((_SIDE, _SIDE), Image.Resampling.NEAREST).tobytes()
    met = Counter(bytes(value // _STEP for value in pixels[i : i + 3]) for i in range(0, len(pixels), 3))
    frequent = sum(count for _, count in met.most_common(_FREQUENT))
    return len(met) >= _COLOURS and frequent < _COVERED * _SIDE * _SIDE


def _is_flat(image: Image.Image) -> bool:
    """Whether most pixels in the middle are the same as the one to their right."""
    left, top = (max(0, (side - _LOOKED_AT) // 2) for side in image.size)
    width, height = (min(side, _LOOKED_AT) for side in image.size)
    pixels = image.crop((left, top, left + width, top + height)).tobytes()
    same = sum(pixels[i : i + 3] == pixels[i + 3 : i + 6] for i in range(0, len(pixels) - 3, 3))
    return same > _FLAT * width * height
