"""The image of a record: the key that holds it, its header, its pixels; and the images of many records."""

from __future__ import annotations

import heapq
import io
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from tfrecordcli.contact_sheet import on_white
from tfrecordcli.images import jpeg, png
from tfrecordcli.images.headers import check_tile
from tfrecordcli.images.pillow_guard import bomb_limit, guarded, undecodable
from tfrecordcli.images.size import read_size
from tfrecordcli.images.sniff import pillow_formats
from tfrecordcli.inspecting.features import Histogram
from tfrecordcli.options import DEFAULT_MAX_PIXELS
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import IMAGE_ENCODED
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.image_features import RAW, RAW_BASE64, TENSOR, find_images, find_raw, image_rank

_MOST: Final = 1_000  # images of a record that are looked at

_MAX_KEYS: Final = 16


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image as a record holds it.

    Attributes:
      key: of the feature.
      data: its value.
      format: jpeg, png, gif, …; `raw`, `raw_base64` and `tensor` for pixels; `unknown`.
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
        return self.format in (RAW, RAW_BASE64, TENSOR)


def find_image(features: Mapping[str, FeatureValues]) -> StoredImage | None:
    """The image of a record: a file whose header can be read, or else raw pixels of a told size.

    Of several, a photo comes before its masks, and then what comes first by key: records of one kind may
    have their features in any order.
    """
    unreadable = None
    named = features.get(IMAGE_ENCODED)
    images = heapq.nsmallest(_MOST, find_images(features), key=lambda image: image_rank(image[0]))
    if named is not None and named.kind == "bytes" and len(named.values) == 1:
        images.insert(0, (IMAGE_ENCODED, named.values[0]))  # type: ignore[arg-type]
    for key, data in images:
        stored = _read_header(key, data)
        if stored.height is not None:
            return stored
        unreadable = unreadable or stored
        if key == IMAGE_ENCODED:
            break
    raw = find_raw(features)
    if raw is None:
        return unreadable
    return StoredImage(raw.key, raw.data, raw.kind, raw.height, raw.width, raw.channels, raw.size_keys)


def _read_header(key: str, data: bytes) -> StoredImage:
    try:
        image_format, height, width = read_size(data)
    except Rejected:
        if not data:
            return StoredImage(key, data, "empty")
        kinds = ((jpeg.SIGNATURE, "jpeg"), (png.SIGNATURE, "png"), (b"GIF8", "gif"))
        kind = next((name for magic, name in kinds if data.startswith(magic)), "unknown")
        return StoredImage(key, data, kind)
    return StoredImage(key, data, image_format, height, width)


def raw_to_png(stored: StoredImage) -> bytes:
    """Raw pixels as a PNG.

    Raises:
      Rejected: they are not what they seemed to be.
    """
    from tfrecordcli.storage.record_parts import RawShape, png_of  # hardly any records hold such

    assert stored.height is not None
    assert stored.width is not None
    shape = RawShape(stored.height, stored.width, stored.channels, stored.format == RAW_BASE64)
    return png_of(stored.data, shape)


def open_image(stored: StoredImage, enough: tuple[int, int]) -> Image.Image:
    """An image in RGB, transparent parts on white; a photo is decoded no larger than needed.

    Args:
      enough: width and height that will do.

    Raises:
      Rejected: it cannot be decoded, or has more pixels than the default limit.
    """
    if stored.height is None or stored.width is None:
        raise Rejected("unknown_format")
    _check_size(stored.width, stored.height)
    if stored.is_raw:
        return on_white(Image.open(io.BytesIO(raw_to_png(stored)), formats=("PNG",)))
    with guarded(undecodable(stored.format)), bomb_limit(stored.width * stored.height):
        image = _open_file(stored.data, enough)
        image.load()
        return on_white(image)


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


@dataclass(frozen=True, slots=True)
class ImageSummary:
    """What the headers of all images say.

    Attributes:
      key: of the feature that holds most of them.
      size_keys: of the features with height, width and channels of raw pixels; empty for image files.
      records: whose image is under that key.
      elsewhere: records whose image is under another key.
      several: records that hold more than one image under that key, of which the first was looked at.
      others: key -> records, of other keys that hold images too.
      formats: format -> images, most frequent first.
      unreadable: images whose header cannot be read.
      sizes: ((height, width), images), most frequent first.
      sizes_left_out: images whose sizes were not counted one by one, because there are too many.
      smallest, largest: (height, width) in pixels, each side by itself; None when no header can be read.
    """

    key: str
    size_keys: tuple[str, ...]
    records: int
    elsewhere: int
    formats: Mapping[str, int]
    unreadable: int
    sizes: tuple[tuple[tuple[int, int], int], ...]
    sizes_left_out: int
    smallest: tuple[int, int] | None
    largest: tuple[int, int] | None
    several: int = 0
    others: Mapping[str, int] = field(default_factory=dict)


class ImageTable:
    """Counts images."""

    def __init__(self) -> None:
        self._keys: Histogram[tuple[str, tuple[str, ...]]] = Histogram(_MAX_KEYS)
        self._holders: Histogram[str] = Histogram(_MAX_KEYS)
        self._several: Counter[str] = Counter()
        self._formats: Histogram[str] = Histogram()
        self._sizes: Histogram[tuple[int, int]] = Histogram()
        self._unreadable = 0
        self._smallest: tuple[int, int] | None = None
        self._largest: tuple[int, int] | None = None

    def add(self, stored: StoredImage, keys: Iterable[str]) -> None:
        """Counts the image of a record.

        Args:
          keys: of all images of the record, once for each; those of one key together.
        """
        for key, images in itertools.groupby(keys):
            self._holders.add(key)
            if key == stored.key and sum(1 for _ in images) > 1:
                self._several[key] += 1
        self._keys.add((stored.key, stored.size_keys))
        self._formats.add(stored.format)
        if stored.height is None or stored.width is None:
            self._unreadable += 1
            return
        height, width = stored.height, stored.width
        self._sizes.add((height, width))
        low, high = self._smallest or (height, width), self._largest or (height, width)
        self._smallest = min(low[0], height), min(low[1], width)
        self._largest = max(high[0], height), max(high[1], width)

    def summary(self) -> ImageSummary | None:
        """All of them together; None when there was none."""
        if not self._keys.total():
            return None
        (key, size_keys), count = self._keys.most_frequent()[0]
        return ImageSummary(
            key=key,
            size_keys=size_keys,
            records=count,
            elsewhere=self._keys.total() - count,
            formats=dict(self._formats.most_frequent()),
            unreadable=self._unreadable,
            sizes=tuple(self._sizes.most_frequent()),
            sizes_left_out=self._sizes.left_out,
            smallest=self._smallest,
            largest=self._largest,
            several=self._several[key],
            others={other: n for other, n in self._holders.most_frequent() if other != key},
        )
