"""The image of a record: which key holds it, and what its header says. Nothing is decoded here."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from tfrecordcli.images import jpeg, png
from tfrecordcli.images.pillow_guard import bomb_limit, guarded
from tfrecordcli.images.sniff import UNSIGNED_FORMATS, pillow_formats
from tfrecordcli.images.webp import read_webp
from tfrecordcli.integrity.example_parser import Feature
from tfrecordcli.integrity.record_check import find_image
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import IMAGE_ENCODED

RAW, RAW_BASE64 = "raw", "raw_base64"

_URL_SAFE: Final = re.compile(rb"[A-Za-z0-9_-]*={0,2}")
_CHECKED_BYTES: Final = 4096  # of what may be base64


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
    """The image of a record: a file where `find_image` finds one, or else raw pixels of a told size."""
    left = dict(features)
    unreadable = None
    while (data := find_image(left)) is not None:
        key = next(k for k, f in left.items() if len(f.values) == 1 and f.values[0] is data)
        picture = _read_header(key, data)
        if picture.height is not None:
            return picture
        if key == IMAGE_ENCODED:
            return _find_raw(features) or picture
        unreadable = unreadable or picture
        del left[key]  # a text such as `BMW` can begin like an image too
    return _find_raw(features) or unreadable


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


# --- raw pixels ---


def _find_raw(features: Mapping[str, Feature]) -> Picture | None:
    """The bytes feature that is as long as height x width x channels, which stand beside it."""
    for key, feature in features.items():
        if feature.kind != "bytes" or len(feature.values) != 1:
            continue
        data = feature.values[0]
        assert isinstance(data, bytes)
        for size_keys in _size_keys(key):
            sizes = [_one_int(features, size_key) for size_key in size_keys]
            height, width, channels = sizes
            if min(sizes) < 1 or channels > 4:
                continue
            kind = _raw_kind(data, height * width * channels)
            if kind:
                return Picture(key, data, kind, height, width, channels, size_keys)
    return None


def _size_keys(key: str) -> Iterator[tuple[str, str, str]]:
    """`image_height` beside `image`, `image/height` beside `image/raw`, `height` beside anything."""
    parent = key.rpartition("/")[0]
    for stem in (f"{key}_", f"{key}/", f"{parent}/", ""):
        for channels in ("channels", "depth"):
            yield f"{stem}height", f"{stem}width", f"{stem}{channels}"


def _one_int(features: Mapping[str, Feature], key: str) -> int:
    feature = features.get(key)
    if feature is None or feature.kind != "int64" or len(feature.values) != 1:
        return 0
    return int(feature.values[0])


def _raw_kind(data: bytes, size: int) -> str:
    if len(data) == size:
        return RAW
    lengths = (-(-size // 3) * 4, -(-size * 4 // 3))  # with and without padding
    if len(data) not in lengths or not _URL_SAFE.fullmatch(data[:_CHECKED_BYTES]):
        return ""
    return RAW_BASE64 if _URL_SAFE.fullmatch(data[-_CHECKED_BYTES:]) else ""
