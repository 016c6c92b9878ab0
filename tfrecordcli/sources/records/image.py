"""What a record itself tells of its image: where its bytes are, its name, its split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import Final

import google_crc32c

from tfrecordcli.schema import IMAGE_ENCODED, IMAGE_FILENAME, IMAGE_SOURCE_ID
from tfrecordcli.storage.record_parts import RawShape, RecordPart
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.foreign import known_split
from tfrecordcli.tfrecords.framing import HEADER_BYTES
from tfrecordcli.tfrecords.image_features import (
    RAW_BASE64,
    find_images,
    find_raw,
    image_rank,
    looks_like_image,
)
from tfrecordcli.tfrecords.record_reader import Record
from tfrecordcli.tfrecords.tensors import only_tensor

SPLIT: Final = "split"
# Keys that are read, or told anew by the image itself.
READ: Final = (
    SPLIT, IMAGE_ENCODED, IMAGE_SOURCE_ID, "image/format", "image/height", "image/width",
    "image/channels", "image/key/sha256", "image/colorspace",
)  # fmt: skip
_MOST_IMAGES: Final = 1_000  # of a record that are looked at
_BEGIN: Final = 64  # bytes by which an image is found in its record
_MAX_FILENAME: Final = 1_000  # bytes
FILENAMES: Final = (IMAGE_FILENAME, "image_name", "filename", "file_name", "image/file_name")

Features = Mapping[str, FeatureValues]


def part_of(name: str, record: Record, features: Features) -> tuple[RecordPart | None, tuple[str, ...]]:
    """Where the image of a record stands in its file, None when it holds none; and the keys that tell it."""
    assert record.payload is not None
    raw = None
    key, data = image_of(features)
    keys: tuple[str, ...] = (key,)
    if not data:
        found = find_raw(features)
        if found is None:
            return None, keys
        data, keys = found.data, (found.key, *found.size_keys)
        raw = RawShape(found.height, found.width, found.channels, found.kind == RAW_BASE64)
    at = record.payload.find(data[:_BEGIN])
    while not record.payload.startswith(data, at):
        at = record.payload.find(data[:_BEGIN], at + 1)
    offset = record.offset + HEADER_BYTES + at
    return RecordPart(name, record.number, offset, len(data), google_crc32c.value(data), raw), keys


def image_of(features: Features) -> tuple[str, bytes]:
    """The image file of a record and its key; none where it holds raw pixels, or a tensor as `image/encoded`.

    Of several a photo and not its mask, then the first by key; a key of several images, as `frames`, comes
    last unless its name says that it is the image.
    """
    named = features.get(IMAGE_ENCODED)
    if named is not None and named.kind == "bytes" and len(named.values) == 1:
        data = named.values[0]
        assert isinstance(data, bytes)
        if looks_like_image(data):
            return IMAGE_ENCODED, data
        if find_raw(features) is None:
            return IMAGE_ENCODED, b"" if only_tensor(named) else data
    images = [*islice(find_images(features), _MOST_IMAGES)]
    counts = Counter(key for key, _ in images)

    def rank(image: tuple[str, bytes]) -> tuple[bool, bool, bool, str]:
        is_other, is_beside, key = image_rank(image[0])
        is_series = counts[key] > 1 and key.rpartition("/")[2] != "image"
        return is_beside, is_other, is_series, key

    return min(images, key=rank, default=("", b""))


def counts_of_images(features: Features) -> Counter[str]:
    """How many images each key of a record holds."""
    return Counter(key for key, _ in islice(find_images(features), _MOST_IMAGES))


def image_keys(features: Features) -> tuple[str, ...]:
    """The keys of the image of a record, and of its masks and further ones."""
    if image_of(features)[1]:
        return tuple({key for key, _ in islice(find_images(features), _MOST_IMAGES)})
    raw = find_raw(features)
    return (raw.key, *raw.size_keys) if raw is not None else ()


def filename_of(features: Features) -> str:
    """The name that a record gives its image; empty when it gives none that a list can hold."""
    for key in FILENAMES:
        feature = features.get(key)
        if feature is None or feature.kind != "bytes" or len(feature.values) != 1:
            continue
        value = feature.values[0]
        assert isinstance(value, bytes)
        if len(value) <= _MAX_FILENAME:
            text = value.decode(errors="replace").strip()
            if text.isprintable() and "\ufffd" not in text:
                return text
    return ""


def split_of(features: Features) -> str:
    """The split that a record itself names, as TFRecorder's do; empty when it names none."""
    feature = features.get(SPLIT)
    if feature is None or feature.kind != "bytes" or len(feature.values) != 1:
        return ""
    return known_split(feature.values[0][:20].decode(errors="replace"))  # type: ignore[index]


def source_id_of(features: Features) -> int | None:
    feature = features.get(IMAGE_SOURCE_ID)
    if feature is None or feature.kind != "bytes" or len(feature.values) != 1:
        return None
    text = feature.values[0]
    assert isinstance(text, bytes)
    return int(text) if text.isdigit() and len(text) < 10 else None
