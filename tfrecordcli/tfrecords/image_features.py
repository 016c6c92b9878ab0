"""Which features of a record hold images, and which tell their size. Nothing is decoded here."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tfrecordcli.schema import IMAGE_ENCODED
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.tensors import Tensor, only_tensor

RAW, RAW_BASE64, TENSOR = "raw", "raw_base64", "tensor"

# No text begins like these.
_SIGNATURES: Final = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")
_GIF: Final = re.compile(rb"GIF8[79]a")
_GIF_HEAD: Final = 64  # bytes of which not all are text
_DIB_HEADERS: Final = frozenset((12, 40, 52, 56, 64, 108, 124))  # bytes that they are long

# URL-safe, as TensorFlow writes it, or the standard one.
_BASE64: Final = re.compile(rb"(?:[A-Za-z0-9_-]*|[A-Za-z0-9+/]*)={0,2}")
_CHECKED_BYTES: Final = 4096  # of what may be base64


# Words in the keys of images that stand beside a photo and belong to it.
_BESIDE: Final = re.compile(
    r"(?<![a-z])(masks?|labels?|seg|segmentations?|depth|annotations?|disparity|gt)(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class RawPixels:
    """Pixels without a file format, as a record holds them.

    Attributes:
      key: of the feature.
      data: its value.
      kind: `raw`, `raw_base64` for pixels in base64, `tensor` for those of a serialized tensor.
      height, width, channels: as the record tells, or the tensor.
      size_keys: of the features that tell height, width and channels, as far as they are there.
    """

    key: str
    data: bytes
    kind: str
    height: int
    width: int
    channels: int
    size_keys: tuple[str, ...]


def looks_like_image(data: bytes) -> bool:
    """Whether bytes begin as a JPEG, PNG, GIF, BMP or WebP; a text such as `BMW` does not."""
    if data.startswith(_SIGNATURES):
        return True
    if data.startswith(b"RIFF"):  # sound and films begin so too
        return data[8:12] == b"WEBP"
    if data.startswith(b"BM"):
        return data[6:10] == bytes(4) and int.from_bytes(data[14:18], "little") in _DIB_HEADERS
    return _GIF.match(data) is not None and not all(32 <= byte < 127 for byte in data[:_GIF_HEAD])


def find_images(features: Mapping[str, FeatureValues]) -> Iterator[tuple[str, bytes]]:
    """(key, data) of every image file in a record, one by one; what is under `image/encoded` comes first."""
    if IMAGE_ENCODED in features:
        yield from _images_of(IMAGE_ENCODED, features[IMAGE_ENCODED])
    for key, feature in features.items():
        if key != IMAGE_ENCODED:
            yield from _images_of(key, feature)


def _images_of(key: str, feature: FeatureValues) -> Iterator[tuple[str, bytes]]:
    for value in feature.values if feature.kind == "bytes" else ():
        assert isinstance(value, bytes)
        if looks_like_image(value):
            yield key, value


@functools.lru_cache(4096)
def image_rank(key: str) -> tuple[bool, bool, str]:
    """The less, the more a key looks like that of the photo."""
    return key != IMAGE_ENCODED, is_beside(key), key


def is_beside(key: str) -> bool:
    """Whether a key is called like that of an image which stands beside a photo, as a mask does."""
    return _BESIDE.search(key.lower()) is not None


# --- sizes, and raw pixels, which have nothing else ---


def find_raw(features: Mapping[str, FeatureValues]) -> RawPixels | None:
    """The bytes as long as height x width x channels, which stand beside them; else those of a tensor."""
    for key, feature in features.items():
        if feature.kind != "bytes" or len(feature.values) != 1:
            continue
        data = feature.values[0]
        assert isinstance(data, bytes)
        for names in _size_names(key):
            for depth in ("channels", "depth"):
                size_keys = (*names, names[0].removesuffix("height") + depth)
                height, width, channels = (one_int(features, size_key) or 0 for size_key in size_keys)
                if min(height, width, channels) < 1 or channels > 4:
                    continue
                kind = _raw_kind(data, height * width * channels)
                if kind:
                    return RawPixels(key, data, kind, height, width, channels, size_keys)
    found = find_tensor(features)
    shape = found[1].pixels() if found is not None else None
    if found is None or shape is None:
        return None
    key, tensor = found
    data = features[key].values[0]
    assert isinstance(data, bytes)
    return RawPixels(key, data[tensor.start : tensor.end], TENSOR, *shape, _told_keys(features, key))


def find_tensor(features: Mapping[str, FeatureValues]) -> tuple[str, Tensor] | None:
    """The serialized tensor of a record that looks most like its image, and its key."""

    def rank(found: tuple[str, Tensor]) -> tuple[bool, bool, bool, bool, bool, str]:
        key, tensor = found
        is_other, is_beside, _ = image_rank(key)
        of_grey = len(tensor.shape) == 2
        is_unnamed = "image" not in key.lower()
        return (
            is_beside,
            tensor.picture() is None,
            of_grey,
            is_other and is_unnamed,
            tensor.pixels() is None,
            key,
        )

    tensors = ((key, tensor) for key, feature in features.items() if (tensor := only_tensor(feature)))
    return min(tensors, key=rank, default=None)


def _told_keys(features: Mapping[str, FeatureValues], key: str) -> tuple[str, ...]:
    """The keys that tell height, width and, if there is one, channels of what is under a key."""
    found = find_size(features, key)
    if found is None:
        return ()
    parent = found[0][0].removesuffix("height")
    depths = [parent + name for name in ("channels", "depth") if one_int(features, parent + name) is not None]
    return (*found[0], *depths[:1])


def find_size(
    features: Mapping[str, FeatureValues], key: str
) -> tuple[tuple[str, str], tuple[int, int]] | None:
    """The keys that tell the height and width of an image, and these; None when none do."""
    for names in _size_names(key):
        height, width = one_int(features, names[0]), one_int(features, names[1])
        if height is not None and width is not None:
            return names, (height, width)
    return None


def _size_names(key: str) -> Iterator[tuple[str, str]]:
    """`image_height` beside `image`, `image/height` beside `image/raw`; that and `height` beside anything."""
    parent = key.rpartition("/")[0]
    for stem in dict.fromkeys((f"{key}_", f"{key}/", f"{parent}/", "image/", "")):
        yield f"{stem}height", f"{stem}width"


def one_int(features: Mapping[str, FeatureValues], key: str) -> int | None:
    """The value of a feature that has one, a whole number; else None."""
    feature = features.get(key)
    if feature is None or feature.kind != "int64" or len(feature.values) != 1:
        return None
    return int(feature.values[0])


def _raw_kind(data: bytes, size: int) -> str:
    if len(data) == size:
        return RAW
    lengths = (-(-size // 3) * 4, -(-size * 4 // 3))  # with and without padding
    if len(data) not in lengths or not _BASE64.fullmatch(data[:_CHECKED_BYTES]):
        return ""
    return RAW_BASE64 if _BASE64.fullmatch(data[-_CHECKED_BYTES:]) else ""
