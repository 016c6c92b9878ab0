"""Tensors in features of bytes, as `tf.io.serialize_tensor` writes them (TensorFlow's TensorProto)."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from tfrecordcli.tfrecords.feature import FeatureValues, packed_ints
from tfrecordcli.tfrecords.wire import (
    DELIMITED,
    VARINT,
    NotAnExample,
    fields_of,
    read_delimited,
    read_varint,
    tagged_fields_of,
)

# DataType -> name, and the code of struct for its values; none of those without are read.
_TYPES: Final = {
    1: ("float32", "f"), 2: ("float64", "d"), 3: ("int32", "i"), 4: ("uint8", "B"), 5: ("int16", "h"),
    6: ("int8", "b"), 7: ("string", ""), 8: ("complex64", ""), 9: ("int64", "q"), 10: ("bool", "?"),
    11: ("qint8", ""), 12: ("quint8", ""), 13: ("qint32", ""), 14: ("bfloat16", ""), 15: ("qint16", ""),
    16: ("quint16", ""), 17: ("uint16", "H"), 18: ("complex128", ""), 19: ("float16", "e"),
    22: ("uint32", "I"), 23: ("uint64", "Q"),
}  # fmt: skip
CODES: Final = {name: code for name, code in _TYPES.values() if code}
_DTYPE: Final = b"\x08"  # how each of them begins
_SHAPE: Final = 2 << 3 | DELIMITED
_CONTENT: Final = 4
# Fields of values one by one, as `tf.make_tensor_proto` writes a single one, and their code, if any.
_FIELDS: Final = {
    "float32": (5, "f"), "float64": (6, "d"), "string": (8, ""), "int64": (10, ""), "bool": (11, ""),
    "uint32": (16, ""), "uint64": (17, ""),
}  # fmt: skip
_INTS: Final = (7, "")  # of all others that are whole
_MOST_SIDES: Final = 254  # as in TensorFlow
_MOST_VALUES: Final = 10_000  # that are taken for labels, boxes and the like
_LARGEST: Final = (1 << 63) - 1
_CHANNELS: Final = (1, 3, 4)
_LONGEST_SIDE: Final = 999_999  # that a URI of raw pixels has room for


class Tensor(NamedTuple):
    """What is told of a tensor by its head.

    Attributes:
      dtype: as NumPy calls it.
      shape: its sides.
      start, end: of its content in the value: its values as in memory, the last side first to go on.
      fault: why it cannot be read; empty where it can.
    """

    dtype: str
    shape: tuple[int, ...]
    start: int = 0
    end: int = 0
    fault: str = ""

    def __str__(self) -> str:
        """As `uint8 (480, 640, 3)`."""
        if self.fault and not self.shape:
            return self.dtype
        return f"{self.dtype} {self.shape}" if self.shape else f"one {self.dtype}"

    def picture(self) -> tuple[int, int, int] | None:
        """Height, width and channels, if it has the shape of an image; of one by itself in a batch, too."""
        shape = self.shape[1:] if len(self.shape) == 4 and self.shape[0] == 1 else self.shape
        if self.fault or len(shape) not in (2, 3) or not 1 <= min(shape) <= max(shape) <= _LONGEST_SIDE:
            return None
        height, width, channels = (*shape, 1)[:3]
        return (height, width, channels) if channels in _CHANNELS else None

    def pixels(self) -> tuple[int, int, int] | None:
        """The same, if its content is pixels as they are read."""
        is_read = self.dtype == "uint8" and len(self.shape) < 4 and self.start < self.end
        return self.picture() if is_read else None


def tensor_in(value: bytes) -> Tensor | None:
    """The tensor that a value is; None: it is something else."""
    if value[:1] != _DTYPE:
        return None
    try:
        number, at = read_varint(value, 1, len(value))
        if number not in _TYPES or value[at] != _SHAPE:
            return None
        start, end = read_delimited(value, at + 1, len(value))
        shape = tuple(_sides(value, start, end))
    except (IndexError, NotAnExample):
        return None
    tensor = Tensor(_TYPES[number][0], shape)
    if len(shape) > _MOST_SIDES or min(shape, default=0) < 0 or math.prod(shape) > _LARGEST:
        return tensor._replace(shape=(), fault="it has an impossible shape")
    try:
        return _with_content(tensor, value, end)
    except (IndexError, NotAnExample):
        return tensor._replace(fault="it is cut short or damaged")


def _sides(value: bytes, start: int, end: int) -> Iterator[int]:
    """The sides of a shape; one of which nothing is known is -1, as those of an unknown rank."""
    for tag, first, stop in islice(tagged_fields_of(value, start, end), _MOST_SIDES + 1):
        if tag == _SHAPE:
            yield _side(value, first, stop)
        elif tag == 3 << 3 | VARINT:
            yield -1
        else:
            raise NotAnExample("no shape")


def _side(value: bytes, start: int, end: int) -> int:
    sizes = [at for tag, at, _ in tagged_fields_of(value, start, end) if tag == 1 << 3 | VARINT]
    return next(packed_ints(value, sizes[-1], end)) if sizes else 0


def _with_content(tensor: Tensor, value: bytes, at: int) -> Tensor:
    spans = [(first, stop) for number, first, stop in fields_of(value, at, len(value)) if number == _CONTENT]
    start, end = spans[-1] if spans else (0, 0)
    code = CODES.get(tensor.dtype)
    size = math.prod(tensor.shape) * struct.calcsize(f"<{code}") if code else end - start
    if end > start and end - start != size:
        return tensor._replace(fault=f"its content is of {end - start:,} bytes, not of {size:,}")
    return tensor._replace(start=start, end=end)


def opened(features: Mapping[str, FeatureValues]) -> Mapping[str, FeatureValues]:
    """Features, of which those that are a tensor of few numbers, or of texts, hold these themselves.

    Tensors of several sides stay what they are, but for one row of values and for rows of four, as of boxes.
    """
    if not isinstance(features, dict):  # thousands of features are nobody's tensors
        return features
    found = {key: held for key, feature in features.items() if (held := _held(feature)) is not None}
    return {**features, **found} if found else features


def only_tensor(feature: FeatureValues | None) -> Tensor | None:
    """The tensor that is the only value of a feature; None: it has none, or others."""
    if feature is None or feature.kind != "bytes" or len(feature.values) != 1:
        return None
    return tensor_in(feature.values[0])  # type: ignore[arg-type]


def _held(feature: FeatureValues) -> FeatureValues | None:
    """What such a feature holds; None: no tensor, or one that stays what it is."""
    tensor = only_tensor(feature)
    if tensor is None or tensor.fault or not _is_row(tensor) or math.prod(tensor.shape) > _MOST_VALUES:
        return None
    value: Any = feature.values[0]
    count = math.prod(tensor.shape)
    try:
        values: list[Any] = [*islice(_values(tensor, value), count + 1)]
    except (NotAnExample, struct.error):
        return None
    values += values[-1:] * (count - len(values))  # the last stands for all after it
    kind = "bytes" if tensor.dtype == "string" else "float" if "float" in tensor.dtype else "int64"
    if len(values) != count or (kind == "int64" and max(values, default=0) > _LARGEST):
        return None
    return FeatureValues(kind, values)


def _is_row(tensor: Tensor) -> bool:
    if len(tensor.shape) == 2:
        return tensor.shape[0] == 1 or (tensor.shape[1] == 4 and tensor.dtype != "uint8")
    return len(tensor.shape) < 2


def _values(tensor: Tensor, value: bytes) -> Iterator[Any]:
    """The values of a tensor in its content, or one by one in the field of its type."""
    if tensor.start < tensor.end:
        of_content = CODES.get(tensor.dtype, "")
        content = value[tensor.start : tensor.end] if of_content else b""
        for (number,) in struct.iter_unpack(f"<{of_content}", content):
            yield int(number) if of_content == "?" else number
        return
    field, code = _FIELDS.get(tensor.dtype, _INTS)
    for tag, start, end in tagged_fields_of(value, 0, len(value)):
        if tag >> 3 != field:
            continue
        if tensor.dtype == "string":
            yield value[start:end]
        elif code:
            yield from (number for (number,) in struct.iter_unpack(f"<{code}", value[start:end]))
        else:
            yield from packed_ints(value, start, end)
