"""Whether a JPEG or PNG is a photo in colour for certain, and no mask: told by how its colours are spread."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from math import pi
from typing import Final, NamedTuple, TypeVar

from PIL import Image, ImageFilter
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
# Of drawings most is white, lighter than this; of a mask so much lies where its image has something.
_WHITE: Final = 224
_DRAWN: Final = 0.5
_COVERING: Final = 0.5
# Of a mask in two values nearly all is one area, or few: round ones have 1, lines nearly 0.
_TWO_VALUES: Final = 0.95
_ROUND: Final = 0.15
_SIDE: Final = 32  # pixels that are looked at, in both directions
_STEP: Final = 16  # values of a channel that are taken for one
# Masks have few colours, and others at edges only: of all pixels, the most frequent few cover nearly all.
_COLOURS: Final = 64
_FREQUENT: Final = 16
_COVERED: Final = 0.75


# Masks of many objects have many colours: in a PNG their pixels are those beside them, but for edges.
_LOOKED_AT: Final = 64  # pixels in the middle, in both directions
_FLAT: Final = 0.5


class _Small(NamedTuple):
    """An image in a few pixels, what is transparent on white."""

    image: Image.Image
    is_transparent: bool


def is_no_mask(data: bytes, photo: bytes) -> bool:
    """Whether a PNG is no mask of a JPEG or PNG for certain: shows the same, is a photo, or another drawing.

    Where a photo is dark, a mask of it differs in few pixels by little; how they are spread counts.
    """
    if is_photo(data) or _read(data, _is_cut_out):
        return True
    one, other = _read(data, _small), _read(photo, _small)
    if not data.startswith(png.SIGNATURE) or not one or not other:
        return False
    mode = "RGB" if one.is_transparent else "L"  # masks may be laid over what is as light as they are
    if _are_alike(*(each.image.convert(mode).tobytes() for each in (one, other))):
        return True
    are_others = _are_other_drawings(*(each.image.convert("L").tobytes() for each in (one, other)))
    return are_others and not _read(data, _is_filled)


def is_photo(data: bytes) -> bool:
    """Whether a file is a JPEG or PNG in many colours; False also for a photo of few, and for other files."""
    is_png = data.startswith(png.SIGNATURE)

    def is_one(image: Image.Image) -> bool:
        return image.mode == "RGB" and _is_colourful(image) and not (is_png and _is_flat(image))

    return _read(data, is_one) or False


def _is_cut_out(image: Image.Image) -> bool:
    """Whether what is not transparent is of many colours, as a photo."""
    box = image.getchannel("A").getbbox() if image.mode == "RGBA" else None
    shown = image.crop(box) if box else None
    return shown is not None and _is_colourful(shown) and not _is_flat(shown)


def _small(image: Image.Image) -> _Small:
    if not image.has_transparency_data:
        opaque = image.convert("RGB" if len(image.getbands()) >= 3 else "L")
        return _Small(opaque.resize((_SIDE, _SIDE), Image.Resampling.BOX), is_transparent=False)
    small = image.convert("RGBA").resize((_SIDE, _SIDE), Image.Resampling.BOX)
    is_transparent = small.getextrema()[-1] != (_OPAQUE, _OPAQUE)
    return _Small(_on_white(small), is_transparent)


def _on_white(image: Image.Image) -> Image.Image:
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")


def _are_alike(one: bytes, other: bytes) -> bool:
    mean = sum(other) // len(other)
    return sum(map(abs, map(int.__sub__, one, other))) <= _ALIKE * sum(abs(value - mean) for value in other)


def _are_other_drawings(one: bytes, other: bytes) -> bool:
    """Whether both are drawn on white, most of it not where the other is: a mask covers what is there."""
    drawn = [{i for i, value in enumerate(each) if value < _WHITE} for each in (one, other)]
    least, most = sorted(map(len, drawn))
    return most < _DRAWN * len(one) and len(drawn[0] & drawn[1]) < _COVERING * least


def _is_filled(image: Image.Image) -> bool:
    """Whether an image is of two values, of which the dark one fills an area, as that of a mask does."""
    gray = _on_white(image).convert("L")
    frequent = sorted(gray.histogram())[-2:]
    drawn = gray.point([_OPAQUE] * _WHITE + [0] * (_OPAQUE + 1 - _WHITE))
    area, around = (each.histogram()[_OPAQUE] for each in (drawn, drawn.filter(ImageFilter.MaxFilter(3))))
    is_of_two = sum(frequent) >= _TWO_VALUES * gray.width * gray.height
    return is_of_two and 4 * pi * area >= _ROUND * (around - area) ** 2


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
    pixels = image.resize((_SIDE, _SIDE), Image.Resampling.NEAREST).convert("RGBA").tobytes()
    shown = [pixels[i : i + 3] for i in range(0, len(pixels), 4) if pixels[i + 3]]
    met = Counter(bytes(value // _STEP for value in each) for each in shown)
    frequent = sum(count for _, count in met.most_common(_FREQUENT))
    return len(met) >= _COLOURS and frequent < _COVERED * len(shown)


def _is_flat(image: Image.Image) -> bool:
    """Whether most pixels in the middle are the same as the one to their right."""
    left, top = (max(0, (side - _LOOKED_AT) // 2) for side in image.size)
    width, height = (min(side, _LOOKED_AT) for side in image.size)
    pixels = image.crop((left, top, left + width, top + height)).convert("RGB").tobytes()
    same = sum(pixels[i : i + 3] == pixels[i + 3 : i + 6] for i in range(0, len(pixels) - 3, 3))
    return same > _FLAT * width * height
