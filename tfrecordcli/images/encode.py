"""Encodes a decoded image as JPEG or PNG, upright and no larger than asked.

The same image and options give the same bytes wherever Pillow brings the same codecs
(`codec_versions` names them).
"""

from __future__ import annotations

import io
from typing import Any, Final

from PIL import Image

from tfrecordcli.images.checked_image import CheckedImage, Transform
from tfrecordcli.images.decode import DecodedImage
from tfrecordcli.images.exif import PREFIX, read_exif, without_orientation
from tfrecordcli.images.notes import REENCODED_FORMATS, reencoded
from tfrecordcli.images.pillow_guard import guarded, undecodable
from tfrecordcli.images.target_size import target_size
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected

_JPEG_QUALITY: Final = 95
_JPEG_MAX_SIDE: Final = 65500
_JPEG_MAX_EXIF_BYTES: Final = 65533 - len(PREFIX)
_JPEG_MODES: Final = frozenset({"L", "RGB", "CMYK"})
_PNG_LEVEL: Final = 1
_PNG_RUN_LENGTHS: Final = 3  # zlib's Z_RLE: on photos as small as level 3, in 60 % of its time
_PNG_FLAT_LEVEL: Final = 3

_TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# Of what TensorFlow decodes from a file that holds this mode.
_CHANNELS: Final = {"1": 1, "L": 1, "I;16": 1, "LA": 2, "P": 3, "RGB": 3, "CMYK": 3, "RGBA": 4}
_ICC_SPACES: Final = {
    "1": b"GRAY",
    "L": b"GRAY",
    "LA": b"GRAY",
    "I;16": b"GRAY",
    "P": b"RGB ",
    "RGB": b"RGB ",
    "RGBA": b"RGB ",
    "CMYK": b"CMYK",
}


def encode(decoded: DecodedImage, options: ImageOptions) -> CheckedImage:
    """Encodes an image: JPEG (quality 95, 4:4:4) when it was lossy and has no alpha, else PNG.

    Raises:
      Rejected: unsupported_image; corrupt, for damaged images that Pillow decoded to something odd.
    """
    with guarded(undecodable(REENCODED_FORMATS.get(decoded.source, decoded.source))):
        if decoded.image.im.mode != decoded.image.mode:
            raise ValueError("the pixels are not what the image says; seen of damaged GIFs")
        return _encode(decoded, options)


def _encode(decoded: DecodedImage, options: ImageOptions) -> CheckedImage:
    notes = list(decoded.notes)
    if decoded.source != "PNG" and not (decoded.source == "JPEG" and decoded.is_lossy):
        notes.append(reencoded(decoded.source))
    image = _shrunk(_storable(decoded, notes), decoded, options, notes)
    orientation = read_exif(decoded.exif_block).orientation or 1
    image, exif_block = _turned(image, decoded.exif_block, options, notes)
    as_jpeg = decoded.is_lossy and image.mode in _JPEG_MODES and max(image.size) <= _JPEG_MAX_SIDE
    if as_jpeg and len(exif_block) > _JPEG_MAX_EXIF_BYTES:
        exif_block = b""
    if image.mode == "CMYK" and not as_jpeg:
        image = image.convert("RGB")
        notes.append("colours_converted")
    profile = decoded.icc_profile if _fits(decoded.icc_profile, image.mode) else b""
    return CheckedImage(
        data=_save(image, as_jpeg, profile, exif_block),
        format="jpeg" if as_jpeg else "png",
        height=image.height,
        width=image.width,
        channels=_CHANNELS[image.mode],
        notes=tuple(dict.fromkeys(notes + _property_notes(image.mode, profile, exif_block))),
        transform=Transform(
            decoded.width, decoded.height, orientation, is_turned=orientation > 1 and options.exif == "apply"
        ),
    )


def _storable(decoded: DecodedImage, notes: list[str]) -> Image.Image:
    """The image in a mode that JPEG or PNG holds without loss.

    Raises:
      Rejected: unsupported_image.
    """
    image = decoded.image
    mode = image.mode
    if mode == "I" and decoded.source == "PPM":  # 16 bits, in Pillow's 32
        return image.convert("I;16")
    if mode.startswith("I;16"):
        import numpy as np  # here, because hardly any image needs it

        return Image.fromarray(np.asarray(image).astype("<u2"))
    if mode in ("I", "F"):
        detail = "32 bits a pixel" if mode == "I" else "floating-point pixels"
        name = REENCODED_FORMATS.get(decoded.source, decoded.source)
        raise Rejected("unsupported_image", format=name, detail=detail)
    if mode in ("P", "PA"):
        image = _unpaletted(image)
    elif mode == "CMYK" and decoded.source == "JPEG":
        pass
    elif mode in ("RGBa", "La"):
        image = image.convert("RGBA" if mode == "RGBa" else "LA")
    elif mode not in ("1", "L", "LA", "RGB", "RGBA"):
        image = image.convert("RGB")
        if mode != "RGBX":
            notes.append("colours_converted")
    if decoded.source != "PNG" and _is_opaque(image):
        image = image.convert(image.mode[:-1])
    return image


def _is_opaque(image: Image.Image) -> bool:
    """Whether there is an alpha channel that says nothing."""
    return image.mode in ("RGBA", "LA") and image.getchannel("A").getextrema() == (255, 255)


def _unpaletted(image: Image.Image) -> Image.Image:
    """Palette images stay as they are, which is much smaller, unless a colour is transparent."""
    if image.mode == "PA" or "transparency" in image.info:
        return image.convert("RGBA")
    if image.palette is None or image.palette.mode != "RGB":
        return image.convert("RGB")
    return image


def _shrunk(
    image: Image.Image, decoded: DecodedImage, options: ImageOptions, notes: list[str]
) -> Image.Image:
    """The image no larger than ``max_side``; a scaled decode may have done a part of it."""
    size = target_size(decoded.width, decoded.height, options.max_side)
    if size == (decoded.width, decoded.height):
        return image
    notes.append("shrunk")
    if image.mode in ("1", "P"):
        image = image.convert("L" if image.mode == "1" else "RGB")
    return image if image.size == size else image.resize(size, Image.Resampling.LANCZOS)


def _turned(
    image: Image.Image, exif_block: bytes, options: ImageOptions, notes: list[str]
) -> tuple[Image.Image, bytes]:
    """The image upright, with EXIF that says so; or both as they are, when that was asked for."""
    turn = _TURNS.get(read_exif(exif_block).orientation)
    if turn is None:
        return image, exif_block
    if options.exif == "keep":
        notes.append("exif_kept")
        return image, exif_block
    notes.append("exif_turned")
    return image.transpose(turn), without_orientation(exif_block)


def _fits(profile: bytes, mode: str) -> bool:
    """Whether this ICC profile is whole and for images of this mode (ICC.1:2022 section 7.2)."""
    return (
        len(profile) >= 128
        and int.from_bytes(profile[:4], "big") == len(profile)
        and profile[36:40] == b"acsp"
        and profile[16:20] == _ICC_SPACES[mode]
    )


def _save(image: Image.Image, as_jpeg: bool, profile: bytes, exif_block: bytes) -> bytes:
    image.info = {}  # else Pillow writes what else it found: comments, resolution, transparency
    options: dict[str, Any] = {}
    if profile:
        options["icc_profile"] = profile
    if exif_block:
        options["exif"] = exif_block if exif_block.startswith(PREFIX) else PREFIX + exif_block
    file = io.BytesIO()
    if as_jpeg:
        image.save(file, "JPEG", quality=_JPEG_QUALITY, subsampling=0, **options)
    elif image.mode in ("1", "P"):
        image.save(file, "PNG", compress_level=_PNG_FLAT_LEVEL, **options)
    else:
        image.save(file, "PNG", compress_level=_PNG_LEVEL, compress_type=_PNG_RUN_LENGTHS, **options)
    return file.getvalue()


def _property_notes(mode: str, profile: bytes, exif_block: bytes) -> list[str]:
    found = {
        "alpha": mode in ("LA", "RGBA"),
        "cmyk": mode == "CMYK",
        "sixteen_bit": mode == "I;16",
        "icc_profile": bool(profile),
        "gps_position": read_exif(exif_block).has_gps,
    }
    return [note for note, is_there in found.items() if is_there]
