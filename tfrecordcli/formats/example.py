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
from enum import Enum
from functools import lru_cache

# A feature's values; their type decides the kind: bytes, int (int64) or float.
Values = Sequence[bytes] | Sequence[int] | Sequence[float]

# Tag bytes: field number << 3 | wire type (2 = length-delimited).
_FIELD_1 = b"\x0a"
_FIELD_2 = b"\x12"
_BYTES_LIST = b"\x0a"
_FLOAT_LIST = b"\x12"
_INT64_LIST = b"\x1a"

_UINT64 = (1 << 64) - 1


class Empty(Enum):
    """A list without values, of one kind."""

    bytes = "bytes"
    int64 = "int64"
    float = "float"


_TAGS = {Empty.bytes: _BYTES_LIST, Empty.float: _FLOAT_LIST, Empty.int64: _INT64_LIST}


def encode_example(features: Mapping[str, Values | Empty]) -> bytes:
    """Serialises features to the bytes that TensorFlow's deterministic serialisation gives.

    Args:
      features: key -> non-empty list of bytes, ints (-2**63 to 2**63-1) or floats, or `Empty` with the
        kind of a list without values. Keys are written sorted.

    Raises:
      TypeError: for an empty list (its kind is unknown) or a value of another type.
    """
    return b"".join(example_pieces(features))


def example_pieces(features: Mapping[str, Values | Empty]) -> list[bytes]:
    """The same in a few pieces, of which large values are some, not copied."""
    parts: list[bytes] = [b""]
    for key in sorted(features):
        values = features[key]
        if isinstance(values, Empty):
            parts += _framed(key, _TAGS[values], [])
        elif len(values) == 1 and _is_worth_remembering(values[0]):
            parts.append(_remembered_entry(key, values[0]))
        else:
            parts += _entry(key, values)
    sizes = [*map(len, parts)]
    parts[0] = _FIELD_1 + _varint(sum(sizes))
    return _gathered(parts, sizes)


def _gathered(parts: list[bytes], sizes: list[int]) -> list[bytes]:
    """Parts joined, but for those that are large."""
    pieces: list[bytes] = []
    start = 0
    for at, size in enumerate(sizes):
        if size >= _LARGE:
            pieces += (b"".join(parts[start:at]), parts[at])
            start = at + 1
    pieces.append(b"".join(parts[start:]))
    return pieces


# Bytes above which a value is hardly ever seen again.
_SMALL = 24
# Bytes from which on a value is worth a piece of its own.
_LARGE = 1 << 12


def _is_worth_remembering(value: bytes | int | float) -> bool:
    """Records repeat formats, sizes and labels. (Floats: 0.0 and -0.0 are equal, but not the same.)"""
    kind = type(value)
    return kind is int or (kind is bytes and len(value) <= _SMALL)  # type: ignore[arg-type]


@lru_cache(maxsize=4096)
def _remembered_entry(key: str, value: bytes | int | float) -> bytes:
    """A map entry of one value, in one piece."""
    return b"".join(_entry(key, [value]))  # type: ignore[arg-type]


def _entry(key: str, values: Values) -> list[bytes]:
    """One map entry, in pieces so that no image is copied."""
    return _framed(key, *_list_body(key, values))


def _framed(key: str, tag: bytes, body: list[bytes]) -> list[bytes]:
    body_size = sum(map(len, body))
    list_head = tag + _varint(body_size)
    head = _named(key) + _FIELD_2 + _varint(len(list_head) + body_size) + list_head
    return [_FIELD_1 + _varint(len(head) + body_size) + head, *body]


@lru_cache
def _named(key: str) -> bytes:
    """The field of a map entry that holds its key."""
    name = key.encode()
    return _FIELD_1 + _varint(len(name)) + name


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
    if value < 1 << 7:
        return _SMALL_VARINTS[value]
    if value < 1 << 14:
        return bytes((value & 0x7F | 0x80, value >> 7))
    if value < 1 << 21:
        return bytes((value & 0x7F | 0x80, value >> 7 & 0x7F | 0x80, value >> 14))
    out = bytearray()
    while value > 127:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
