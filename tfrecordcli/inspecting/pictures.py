"""The image of a record: which key holds it, and what its header says. Nothing is decoded here."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from tfrecordcli.images import jpeg, png
from tfrecordcli.images.pillow_guard import bomb_limit, guarded
from tfrecordcli.images.sniff import UNSIGNED_FORMATS, pillow_formats
from tfrecordcli.images.webp import read_webp
from tfrecordcli.integrity.example_parser import Feature
from tfrecordcli.integrity.image_features import RAW, RAW_BASE64, find_images, find_raw
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import IMAGE_ENCODED

# Words in the keys of images that stand beside a photo and belong to it.
_BESIDE: Final = re.compile(
    r"(?<![a-z])(masks?|labels?|seg|segmentations?|depth|annotations?|disparity|gt)(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as a record holds it.

    Attributes:
      key: of the feature.
      data: its value.
      format: jpeg, png, gif, …; `raw` for pixels and `raw_base64` for pixels in base64; `unknown`.
      height, width: pixels; None when the header cannot be read.
      channels: of raw pixels, else 0.
      size_keys: of the features that tell height, width and channels of raw pixels.
    """

    key: str
    data: bytes
    format: str
    height: int | None = None
    width: int | None = None
    channels: int = 0
    size_keys: tuple[str, ...] = ()

    @property
    def is_raw(self) -> bool:
        return self.format in (RAW, RAW_BASE64)


def find_picture(features: Mapping[str, Feature]) -> Picture | None:
    """The image of a record: a file whose header can be read, or else raw pixels of a told size.

    Of several, a photo comes before its masks, and then what comes first by key: records of one kind may
    have their features in any order.
    """
    unreadable = None
    named = features.get(IMAGE_ENCODED)
    images = find_images(features)
    images.sort(key=lambda image: _rank(image[0]))
    if named is not None and named.kind == "bytes" and len(named.values) == 1:
        images.insert(0, (IMAGE_ENCODED, named.values[0]))  # type: ignore[arg-type]
    for key, data in images:
        picture = _read_header(key, data)
        if picture.height is not None:
            return picture
        unreadable = unreadable or picture
        if key == IMAGE_ENCODED:
            break
    raw = find_raw(features)
    if raw is None:
        return unreadable
    return Picture(raw.key, raw.data, raw.kind, raw.height, raw.width, raw.channels, raw.size_keys)


@functools.lru_cache(4096)
def _rank(key: str) -> tuple[bool, bool, str]:
    """The less, the more a key looks like that of the photo."""
    return key != IMAGE_ENCODED, _BESIDE.search(key.lower()) is not None, key


def _read_header(key: str, data: bytes) -> Picture:
    try:
        image_format, height, width = read_size(data)
    except Rejected:
        if not data:
            return Picture(key, data, "empty")
        kinds = ((jpeg.SIGNATURE, "jpeg"), (png.SIGNATURE, "png"), (b"GIF8", "gif"))
        kind = next((name for magic, name in kinds if data.startswith(magic)), "unknown")
        return Picture(key, data, kind)
    return Picture(key, data, image_format, height, width)


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
