"""tf.train.Example out of bytes, strictly: any deviation from the wire format is told.

Follows the protobuf encoding (protobuf.dev/programming-guides/encoding): unknown fields are skipped,
of a repeated map key the last entry counts, numbers may be packed or not.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

_KINDS: Final = {1: "bytes", 2: "float", 3: "int64"}

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class NotAnExample(ValueError):
    """The bytes are no serialised tf.train.Example."""


class Feature(NamedTuple):
    """One feature: its kind (bytes, float, int64, or "" when none is set) and values."""

    kind: str
    values: list[bytes] | list[float] | list[int]


def parse_example(data: bytes) -> dict[str, Feature]:
    """The features of an Example.

    Raises:
      NotAnExample
    """
    features: dict[str, Feature] = {}
    try:
        for number, start, end in _fields(data, 0, len(data)):
            if number == 1:
                _parse_features(data, start, end, features)
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise NotAnExample(str(error)) from error
    return features


def _parse_features(data: bytes, start: int, end: int, features: dict[str, Feature]) -> None:
    for number, entry, entry_end in _fields(data, start, end):
        if number != 1:
            continue
        key, value = "", Feature("", [])
        for field, at, stop in _fields(data, entry, entry_end):
            if field == 1:
                key = data[at:stop].decode()
            elif field == 2:
                value = _parse_feature(data, at, stop)
        features[key] = value


def _parse_feature(data: bytes, start: int, end: int) -> Feature:
    feature = Feature("", [])
    for number, at, stop in _fields(data, start, end):
        kind = _KINDS.get(number)
        if kind == "bytes":
            values = [data[a:b] for field, a, b in _fields(data, at, stop) if field == 1]
            feature = Feature(kind, values)
        elif kind == "int64":
            feature = Feature(kind, _parse_ints(data, at, stop))
        elif kind == "float":
            feature = Feature(kind, _parse_floats(data, at, stop))
    return feature


def _parse_ints(data: bytes, start: int, end: int) -> list[int]:
    values: list[int] = []
    at = start
    while at < end:
        tag, at = _varint(data, at, end)
        if tag == 1 << 3 | _BYTES:
            length, at = _varint(data, at, end)
            stop = _within(at + length, end)
            while at < stop:
                value, at = _varint(data, at, stop)
                values.append(value)
        elif tag == 1 << 3 | _VARINT:
            value, at = _varint(data, at, end)
            values.append(value)
        else:
            _, at = _skip(data, tag & 7, at, end)
    return [value - (1 << 64) if value >> 63 else value for value in values]


def _parse_floats(data: bytes, start: int, end: int) -> list[float]:
    values: list[float] = []
    at = start
    while at < end:
        tag, at = _varint(data, at, end)
        first, at = _skip(data, tag & 7, at, end)
        if tag >> 3 == 1 and tag & 7 in (_BYTES, _FIXED32):
            values += struct.unpack(f"<{(at - first) // 4}f", data[first:at])
    return values


def _fields(data: bytes, start: int, end: int) -> list[tuple[int, int, int]]:
    """(field number, start, end) of the length-delimited fields of a message; others are skipped."""
    fields = []
    at = start
    while at < end:
        tag, at = _varint(data, at, end)
        first, at = _skip(data, tag & 7, at, end)
        if tag & 7 == _BYTES:
            fields.append((tag >> 3, first, at))
    return fields


def _skip(data: bytes, wire_type: int, at: int, end: int) -> tuple[int, int]:
    """(start of the content, position after it) of a field whose tag was just read."""
    if wire_type == _BYTES:
        length, at = _varint(data, at, end)
        return at, _within(at + length, end)
    if wire_type == _VARINT:
        return at, _varint(data, at, end)[1]
    if wire_type == _FIXED64:
        return at, _within(at + 8, end)
    if wire_type == _FIXED32:
        return at, _within(at + 4, end)
    raise NotAnExample(f"wire type {wire_type}")


def _within(at: int, end: int) -> int:
    if at > end:
        raise NotAnExample("a field runs beyond its message")
    return at


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A base-128 number of at most 64 bits, and the position after it."""
    value = shift = 0
    while True:
        if at >= end or shift > 63:
            raise NotAnExample("a number is cut or too long")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
