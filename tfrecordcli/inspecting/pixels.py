"""Pixels of the images in records, for looking at them and for writing raw ones as files."""

from __future__ import annotations

import base64
import binascii
import io
from typing import Final

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from tfrecordcli.images import jpeg, png
from tfrecordcli.images.pillow_guard import bomb_limit, guarded, undecodable
from tfrecordcli.images.sniff import pillow_formats
from tfrecordcli.images.tiff import check_tile
from tfrecordcli.inspecting.pictures import Picture
from tfrecordcli.integrity.image_features import RAW_BASE64
from tfrecordcli.options import DEFAULT_MAX_PIXELS
from tfrecordcli.reasons import Rejected

_MODES: Final = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def raw_to_png(picture: Picture) -> bytes:
    """Raw pixels as a PNG.

    Raises:
      Rejected: they are not what they seemed to be.
    """
    file = io.BytesIO()
    _raw_image(picture).save(file, "PNG")
    return file.getvalue()


def open_picture(picture: Picture, enough: tuple[int, int]) -> Image.Image:
    """A picture in RGB, transparent parts on white; a photo is decoded no larger than needed.

    Args:
      enough: width and height that will do.

    Raises:
      Rejected: it cannot be decoded, or has more pixels than the default limit.
    """
    if picture.height is None or picture.width is None:
        raise Rejected("unknown_format")
    _check_size(picture.width, picture.height)
    if picture.is_raw:
        return _on_white(_raw_image(picture))
    with guarded(undecodable(picture.format)), bomb_limit(picture.width * picture.height):
        image = _open_file(picture.data, enough)
        image.load()
        return _on_white(image)


def _open_file(data: bytes, enough: tuple[int, int]) -> Image.Image:
    if data.startswith(jpeg.SIGNATURE):
        photo = JpegImageFile(io.BytesIO(data))
        if jpeg.walk_jpeg(data).frame.is_kept:  # scaled decoding of other processes can destroy the heap
            photo.draft(None, enough)
        return photo
    formats = ("PNG",) if data.startswith(png.SIGNATURE) else pillow_formats(data)
    image = Image.open(io.BytesIO(data), formats=formats)
    if formats == ("TIFF",):
        check_tile(data, _check_size)
    return image


def _check_size(width: int, height: int) -> None:
    limit, pixels = DEFAULT_MAX_PIXELS, width * height
    if pixels > limit:
        raise Rejected("too_many_pixels", width=width, height=height, limit=limit, pixels=pixels)


def _raw_image(picture: Picture) -> Image.Image:
    assert picture.height is not None
    assert picture.width is not None
    data = picture.data
    broken = Rejected("corrupt", format="raw", detail="it is no image of its size")
    if picture.format == RAW_BASE64:
        try:
            data = base64.urlsafe_b64decode(data + b"=" * (-len(data) % 4))
        except (binascii.Error, ValueError) as error:
            raise broken from error
    if len(data) != picture.height * picture.width * picture.channels:
        raise broken
    return Image.frombytes(_MODES[picture.channels], (picture.width, picture.height), data)


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):  # 16 bits, which Pillow would clip instead of scaling
        return image.convert("I").point(lambda value: value * (1 / 256)).convert("L").convert("RGB")
    if "A" in image.mode or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(white, image).convert("RGB")
    return image.convert("RGB")
