"""tf.train.Example in the protobuf wire format, written and read without protobuf or TensorFlow.

The messages (tensorflow/core/example/feature.proto)::

    Example   { Features features = 1; }
    Features  { map<string, Feature> feature = 1; }      a map entry is { key = 1; value = 2; }
    Feature   { oneof { BytesList bytes_list = 1; FloatList float_list = 2; Int64List int64_list = 3; } }
    BytesList { repeated bytes value = 1; }
    FloatList { repeated float value = 1 [packed]; }
    Int64List { repeated int64 value = 1 [packed]; }

A second `tensorflow.Example` in protobuf's default pool breaks every process that also imports
TensorFlow, and importing TensorFlow costs seconds; the wire format itself is small.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache

# A feature's values; the list's type decides the kind: bytes, int (int64) or float.
Values = Sequence[bytes] | Sequence[int] | Sequence[float]

# Tag bytes: field number << 3 | wire type (2 = length-delimited).
_FIELD_1 = b"\x0a"
_FIELD_2 = b"\x12"
_BYTES_LIST = b"\x0a"
_FLOAT_LIST = b"\x12"
_INT64_LIST = b"\x1a"

_UINT64 = (1 << 64) - 1


def encode_example(features: Mapping[str, Values]) -> bytes:
    """Serialises features to the bytes that TensorFlow's deterministic serialisation gives.

    Args:
      features: key -> non-empty list of bytes, ints (-2**63 to 2**63-1) or floats. Keys are
        written sorted.

    Raises:
      TypeError: for an empty list (its kind is unknown) or a value of another type.
    """
    parts: list[bytes] = [b""]
    for key in sorted(features):
        _append_entry(parts, key, features[key])
    parts[0] = _FIELD_1 + _varint(sum(map(len, parts)))
    return b"".join(parts)


def _append_entry(parts: list[bytes], key: str, values: Values) -> None:
    """Appends one map entry to ``parts``, in pieces so that an image is copied only once."""
    tag, body = _list_body(key, values)
    body_size = sum(map(len, body))
    list_head = tag + _varint(body_size)
    head = _key_head(key) + _varint(len(list_head) + body_size) + list_head
    parts += (_FIELD_1 + _varint(len(head) + body_size), head, *body)


@lru_cache(maxsize=1024)
def _key_head(key: str) -> bytes:
    """The key of a map entry and the tag of its value; records repeat the same few keys."""
    name = key.encode()
    return _FIELD_1 + _varint(len(name)) + name + _FIELD_2


def _list_body(key: str, values: Values) -> tuple[bytes, list[bytes]]:
    """The tag of a list's kind, and its encoded content in pieces."""
    first = values[0] if values else None
    if isinstance(first, bytes):
        body: list[bytes] = []
        for value in values:
            body += (_FIELD_1 + _varint(len(value)), value)  # type: ignore[arg-type]
        return _BYTES_LIST, body
    if isinstance(first, int):
        packed = b"".join(_varint(value & _UINT64) for value in values)  # type: ignore[operator]
        return _INT64_LIST, [_FIELD_1, _varint(len(packed)), packed]
    if isinstance(first, float):
        packed = struct.pack(f"<{len(values)}f", *values)
        return _FLOAT_LIST, [_FIELD_1, _varint(len(packed)), packed]
    raise TypeError(f"feature {key!r} needs a non-empty list of bytes, int or float, got {values!r}")


_SMALL_VARINTS = tuple(bytes((n,)) for n in range(128))


def _varint(value: int) -> bytes:
    """Base-128 varint of 0 <= value < 2**64."""
    if value < 128:
        return _SMALL_VARINTS[value]
    out = bytearray()
    while value > 127:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
