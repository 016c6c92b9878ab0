"""Whether a JPEG is a photo in colour for certain, and no mask: told by how its colours are spread."""

from __future__ import annotations

import io
from collections import Counter
from contextlib import suppress
from typing import Final

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from tfrecordcli.images import jpeg
from tfrecordcli.images.pillow_guard import guarded, undecodable
from tfrecordcli.reasons import Rejected

_MOST_PIXELS: Final = 64 << 20  # of which one is worth its decoding
_SIDE: Final = 32  # pixels that are looked at, in both directions
_STEP: Final = 16  # values of a channel that are taken for one
# Masks have few colours, and others at edges only: of all pixels, the most frequent few cover nearly all.
_COLOURS: Final = 64
_FREQUENT: Final = 16
_COVERED: Final = 0.75


def is_photo(data: bytes) -> bool:
    """Whether a file is a JPEG in many colours; False also for a photo of few, and for what is no JPEG."""
    if not data.startswith(jpeg.SIGNATURE):
        return False
    with suppress(Rejected), guarded(undecodable("JPEG")), JpegImageFile(io.BytesIO(data)) as image:
        if image.mode != "RGB" or image.width * image.height > _MOST_PIXELS:
            return False
        pixels = image.resize((_SIDE, _SIDE), Image.Resampling.NEAREST).tobytes()
        met = Counter(bytes(value // _STEP for value in pixels[i : i + 3]) for i in range(0, len(pixels), 3))
        frequent = sum(count for _, count in met.most_common(_FREQUENT))
        return len(met) >= _COLOURS and frequent < _COVERED * _SIDE * _SIDE
    return False
