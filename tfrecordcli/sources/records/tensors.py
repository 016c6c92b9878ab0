"""Serialized tensors in TFRecords that are not read: refused, with the command for those of other pixels."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.records.commands import ON_STORE, writing_pngs
from tfrecordcli.sources.records.files import RecordFiles
from tfrecordcli.sources.records.image import Features, image_of
from tfrecordcli.storage.record_parts import RawShape
from tfrecordcli.storage.uris import is_on_store
from tfrecordcli.tfrecords.image_features import find_raw, find_tensor, one_int
from tfrecordcli.tfrecords.label_keys import NO_LABEL_ALONE, label_rank
from tfrecordcli.tfrecords.tensors import CODES, Tensor

OTHER_SHAPE: Final = "height, width or channels beside a tensor are not those of the tensor, which are taken"
_PIXELS: Final = "uint8 of shape (height, width) or (height, width, channels), 1, 3 or 4 of these"
_ENDS: Final = 1 << 12  # bytes at either end of a tensor whose values are looked at
# What a tensor of such a type is as PNG, the largest of its values given.
_AS_PNG: Final = (
    '(x := tf.cast(tf.io.parse_tensor(data, "KIND"), "float64"), '
    'tf.debugging.assert_non_negative(x), tf.debugging.assert_less_equal(x, tf.constant(TOP, "float64")), '
    'tf.io.encode_png(tf.reshape(tf.cast(tf.round(x * SCALE), "uint8"), (*x.shape[-3:], 1)[:3])))[-1]'
)


def need_pixels(sample: Sequence[Features], files: RecordFiles) -> None:
    """Refuses records of which half or more have a tensor of other values in the place of the image.

    Raises:
      InputError: with the command that writes records with a PNG for each, if the values tell how.
    """
    found = [(features, *each) for features in sample if (each := _unread(features)) is not None]
    whole = [each for each in found if not each[2].fault]
    if not whole or 2 * len(whole) < len(sample):
        return
    _, key, tensor = whole[0]
    of_key = [(features, held) for features, name, held in whole if name == key]
    ends = [_ends(features[key].values[0], held) for features, held in of_key]  # type: ignore[arg-type]
    values = [value for each in ends for value in each]
    low, high = min(values, default=math.nan), max(values, default=math.nan)
    told = f", with values from {low:.6g} to {high:.6g} in those looked at" if values else ""
    what = (
        f"{key} holds serialized tensors, {tensor}{told}; as pixels are read {_PIXELS}, and none are scaled"
    )
    raise InputError(f"{files.given}: {what}", _way_out(files, key, [held for _, held in of_key], low, high))


def unread_tensor(features: Features) -> Rejected | None:
    """Why the tensor that a record without an image holds is none, if it holds one."""
    found = _unread(features)
    if found is None:
        return None
    key, tensor = found
    return Rejected("tensor_in_record", key=key, tensor=tensor, why=tensor.fault or f"pixels are {_PIXELS}")


def no_label(key: str, tensor: Tensor) -> Rejected:
    """Why a tensor under the key of the label is none."""
    why = tensor.fault or "a label is one number or text, or a row of 0 and 1"
    return Rejected("tensor_in_record", key=key, tensor=tensor, why=why)


def is_told_otherwise(features: Features, shape: RawShape, size_keys: Sequence[str]) -> bool:
    """Whether the keys of height, width and channels tell others than those of the pixels."""
    told = [one_int(features, key) for key in size_keys]
    return told != [*shape[: len(told)]]


def _unread(features: Features) -> tuple[str, Tensor] | None:
    """The tensor in the place of an image that is not read, and its key."""
    if image_of(features)[1] or find_raw(features) is not None:
        return None
    found = find_tensor(features)
    return None if found is None or 0 < label_rank(found[0]) < NO_LABEL_ALONE else found


def _ends(value: bytes, tensor: Tensor) -> list[float]:
    """The finite values at the begin and the end of a tensor."""
    code = CODES.get(tensor.dtype)
    if code is None or tensor.start == tensor.end:
        return []
    size = struct.calcsize(f"<{code}")
    parts = value[tensor.start : _ENDS], value[-_ENDS:]
    if len(value) <= 2 * _ENDS:
        parts = value[tensor.start : tensor.end], b""
    cut = parts[0][: len(parts[0]) // size * size], parts[1][len(parts[1]) % size :]
    return [each for part in cut for (each,) in struct.iter_unpack(f"<{code}", part) if math.isfinite(each)]


def _way_out(files: RecordFiles, key: str, tensors: Sequence[Tensor], low: float, high: float) -> str:
    kinds = {tensor.dtype for tensor in tensors}
    is_plain = len(kinds) == 1 and all(tensor.picture() is not None for tensor in tensors)
    if not is_plain or not 0 <= low <= high <= 255:
        return f"write them as {_PIXELS}, by tf.io.serialize_tensor, or each by tf.io.encode_png"
    if is_on_store(files.folder):
        return ON_STORE
    (kind,) = kinds
    is_fraction = kind == "bool" or ("float" in kind and high <= 1)
    top, scale = ("1", "255") if is_fraction else ("255", "1")
    png = _AS_PNG.replace("KIND", kind).replace("TOP", f"{top}.0").replace("SCALE", scale)
    return f"write them as PNG, 0 to {top} as 0 to 255, by TensorFlow: {writing_pngs(files, key, png)}"
