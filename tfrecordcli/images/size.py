"""The size of an image file of any kind, by its header."""

from __future__ import annotations

import io
from typing import Final

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from tfrecordcli.images import jpeg, png
from tfrecordcli.images.exif import read_exif
from tfrecordcli.images.headers import read_webp
from tfrecordcli.images.pillow_guard import bomb_limit, guarded
from tfrecordcli.images.sniff import UNSIGNED_FORMATS, pillow_formats
from tfrecordcli.reasons import Rejected

# Its chunk, and the text in which ImageMagick wrote it before there was one.
_EXIF_OF_PNG: Final = (b"eXIf", b"Raw profile type")
_QUARTER_TURNS: Final = range(5, 9)


def may_be_turned(data: bytes) -> bool:
    """Whether EXIF may turn an image file by a quarter; False only of a JPEG or PNG that has no such EXIF.

    Raises:
      Rejected: it is a JPEG that cannot be read.
    """
    if data.startswith(png.SIGNATURE):
        return any(mark in data for mark in _EXIF_OF_PNG)
    if not data.startswith(jpeg.SIGNATURE):
        return True
    with guarded(Rejected("unknown_format")), JpegImageFile(io.BytesIO(data)) as photo:
        return read_exif(photo.info.get("exif", b"")).orientation in _QUARTER_TURNS


def read_size(data: bytes) -> tuple[str, int, int]:
    """Format, height and width of an image file, from its header.

    Raises:
      Rejected: it has none that can be read.
    """
    if data.startswith(png.SIGNATURE):
        header = png.read_header(data)
        return "png", header.height, header.width
    no_image = Rejected("unknown_format")
    with guarded(no_image):
        if data.startswith(jpeg.SIGNATURE):
            with JpegImageFile(io.BytesIO(data)) as photo:
                return "jpeg", photo.height, photo.width
        formats = pillow_formats(data)
        if formats == ("WEBP",):
            webp = read_webp(data)
            if webp is None:
                raise no_image
            return "webp", webp.height, webp.width
        if formats == UNSIGNED_FORMATS:
            raise no_image
        with bomb_limit(None), Image.open(io.BytesIO(data), formats=formats) as image:
            return (image.format or formats[0]).lower(), image.height, image.width
