"""Pixels in TFRecords whose size no feature tells: refused, with the command for squares of 8 bits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.records.commands import ON_STORE, writing_pngs
from tfrecordcli.sources.records.files import RecordFiles
from tfrecordcli.sources.records.image import Features, image_of
from tfrecordcli.storage.uris import is_on_store
from tfrecordcli.tfrecords.image_features import find_raw, find_tensor, image_rank
from tfrecordcli.units import some_of

_LEAST: Final = 64  # bytes
_CHANNELS: Final = (1, 3)
_COMPARED: Final = 8  # images by which the order of channels is told
_NO_SIZE: Final = "no file of an image, and no feature tells its height and width"
_AS_PNG: Final = "where that is what they are, write them as PNG by TensorFlow"
_SIDE: Final = "write height, width and channels beside them, as in image/height, or each by tf.io.encode_png"
# What a tensor of pixels has of these bytes.
_LAST: Final = "tf.reshape({bytes}, ({side}, {side}, {depth}))"
_FIRST: Final = "tf.transpose(tf.reshape({bytes}, ({depth}, {side}, {side})), (1, 2, 0))"
_BYTES: Final = 'tf.io.decode_raw(data, "uint8")'


def need_sizes(sample: Sequence[Features], files: RecordFiles) -> None:
    """Refuses records of which half or more have bytes of one length in the place of the image.

    Raises:
      InputError: with the commands that write records with a PNG for each, if the length tells a square.
    """
    lengths = Counter(found for features in sample if (found := _length_of(features)) is not None)
    if not lengths:
        return
    (key, length), count = lengths.most_common(1)[0]
    several = sorted(each for (_, each), found in lengths.items() if found > 1)
    if len(several) > 1 and 2 * lengths.total() > len(sample):
        sizes = some_of([f"{each:,}" for each in several], 4)
        raise InputError(
            f"{files.given}: {key} holds bytes of several lengths ({sizes}): {_NO_SIZE}",
            "where each file has images of one size, as those of StyleGAN, give one of them alone",
        )
    if count < 2 or 2 * count < len(sample):
        return
    depth = next((each for each in _CHANNELS if length % each == 0 and _is_square(length // each)), 0)
    side = math.isqrt(length // depth) if depth else 0
    told = f", as {side} x {side} pixels{f' of {depth} channels' * (depth > 1)} are" if depth else ""
    raise InputError(
        f"{files.given}: {key} holds {length:,} bytes in each record{told}: {_NO_SIZE}",
        _way_out(files, key, side, depth, [_bytes_of(each, key) for each in sample if key in each]),
    )


def _length_of(features: Features) -> tuple[str, int] | None:
    """The key of what may be the pixels of a record without an image, and how many bytes they are."""
    if image_of(features)[1] or find_raw(features) is not None or find_tensor(features) is not None:
        return None
    long = (key for key in features if len(_bytes_of(features, key)) >= _LEAST)
    key = min((key for key in long if not _is_text(_bytes_of(features, key))), key=image_rank, default=None)
    return None if key is None else (key, len(_bytes_of(features, key)))


def _bytes_of(features: Features, key: str) -> bytes:
    feature = features[key]
    value = feature.values[0] if feature.kind == "bytes" and len(feature.values) == 1 else b""
    assert isinstance(value, bytes)
    return value


def _is_text(data: bytes) -> bool:
    try:
        return data.decode().isprintable()
    except UnicodeDecodeError:
        return False


def _is_square(count: int) -> bool:
    return math.isqrt(count) ** 2 == count


def _way_out(files: RecordFiles, key: str, side: int, depth: int, values: Sequence[bytes]) -> str:
    if not depth:
        return _SIDE
    if is_on_store(files.folder):
        return ON_STORE
    if depth == 1:
        return f"{_AS_PNG}: {_written(files, key, _LAST, side, depth)}"
    orders = [("channels last", _LAST), ("channels first", _FIRST)]
    if _is_smoother_by_planes(values[:_COMPARED], depth):
        orders.reverse()
    ways = [f"{name}: {_written(files, key, form, side, depth)}" for name, form in orders]
    return f"{_AS_PNG}, with {'; where it is otherwise, '.join(ways)}"


def _written(files: RecordFiles, key: str, form: str, side: int, depth: int) -> str:
    pixels = form.format(bytes=_BYTES, side=side, depth=depth)
    return writing_pngs(files, key, f"tf.io.encode_png({pixels})")


def _is_smoother_by_planes(values: Sequence[bytes], depth: int) -> bool:
    """Whether neighbours are more alike where channels are taken to come one behind the other."""
    planes = sum(abs(one - other) for data in values for one, other in pairwise(data))
    pixels = sum(abs(one - other) for data in values for one, other in zip(data, data[depth:], strict=False))
    return planes < pixels
