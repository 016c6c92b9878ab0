"""The size of an image file of any kind, by its header."""

from __future__ import annotations

import io

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from tfrecordcli.images import jpeg, png
from tfrecordcli.images.headers import read_webp
from tfrecordcli.images.pillow_guard import bomb_limit, guarded
from tfrecordcli.images.sniff import UNSIGNED_FORMATS, pillow_formats
from tfrecordcli.reasons import Rejected


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
