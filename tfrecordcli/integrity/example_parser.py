"""tf.train.Example out of bytes, strictly: any deviation from the wire format is told.

Follows the protobuf encoding (protobuf.dev/programming-guides/encoding): unknown fields are skipped,
of a repeated map key the last entry counts, a message that comes in parts is merged, numbers may be
packed or not.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

_KINDS: Final = {1: "bytes", 2: "float", 3: "int64"}

_VARINT, _FIXED64, _BYTES, _GROUP, _GROUP_END, _FIXED32 = 0, 1, 2, 3, 4, 5
_DEEPEST: Final = 100  # of groups in groups, as in protobuf
_SMALL: Final = 64  # bytes of a map entry above which it is hardly ever seen again
_MANY: Final = 1 << 16  # bytes of numbers from which on they are kept in an array
_LARGEST_TAG: Final = (1 << 32) - 1


class NotAnExample(ValueError):
    """The bytes are no serialised tf.train.Example."""


class Feature(NamedTuple):
    """One feature: its kind (bytes, float, int64, or "" when none is set) and values.

    Numbers of more than 64 KiB in a record are an array, which takes a fifth of the memory of a list.
    """

    kind: str
    values: list[bytes] | list[float] | list[int]


_NOTHING: Final = Feature("", [])


def parse_example(data: bytes) -> dict[str, Feature]:
    """The features of an Example.

    Raises:
      NotAnExample
    """
    return parse_record(data)[0]


def parse_record(data: bytes) -> tuple[dict[str, Feature], bool]:
    """The features of an Example, or the context of a SequenceExample, and whether it is the latter.

    Its feature lists, which an Example does not have, are passed over.

    Raises:
      NotAnExample
    """
    features: dict[str, Feature] = {}
    is_sequence = False
    try:
        for number, start, end in _fields(data, 0, len(data)):
            if number == 1:
                _parse_features(data, start, end, features)
            elif number == 2:
                is_sequence = True
    except (IndexError, UnicodeDecodeError) as error:
        raise NotAnExample(str(error)) from error
    return features, is_sequence


def _parse_features(data: bytes, start: int, end: int, features: dict[str, Feature]) -> None:
    for number, entry, entry_end in _fields(data, start, end):
        if number != 1:
            continue
        if entry_end - entry <= _SMALL:
            key, value = _remembered_entry(data[entry:entry_end])
            features[key] = Feature(value.kind, value.values[:])
        else:
            key, value = _parse_entry(data, entry, entry_end)
            features[key] = value


@lru_cache(maxsize=4096)
def _remembered_entry(data: bytes) -> tuple[str, Feature]:
    """Records repeat formats, sizes and labels."""
    return _parse_entry(data, 0, len(data))


def _parse_entry(data: bytes, start: int, end: int) -> tuple[str, Feature]:
    key, value = "", _NOTHING
    for field, at, stop in _fields(data, start, end):
        if field == 1:
            key = data[at:stop].decode()
        elif field == 2:
            value = _parse_feature(data, at, stop, value)
    return key, value


def _parse_feature(data: bytes, start: int, end: int, before: Feature) -> Feature:
    """A feature, merged with what came before it in the same map entry."""
    feature = before
    for number, at, stop in _fields(data, start, end):
        kind = _KINDS.get(number)
        if kind is None:
            continue
        values: Any
        if number == 1:
            values = [data[a:b] for field, a, b in _fields(data, at, stop) if field == 1]
        elif number == 2:
            values = _parse_floats(data, at, stop)
        else:
            values = _parse_ints(data, at, stop)
        feature = Feature(kind, _together(feature.values, values) if kind == feature.kind else values)
    return feature


def _together(before: Any, values: Any) -> Any:
    return before + values if type(before) is type(values) else [*before, *values]


def _parse_ints(data: bytes, start: int, end: int) -> list[int] | array[int]:
    values: list[int] | array[int] = array("q") if end - start > _MANY else []
    at = start
    while at < end:
        tag, at = _tag(data, at, end)
        if tag == 1 << 3 | _BYTES:
            length, at = _varint(data, at, end)
            stop = _within(at + length, end)
            while at < stop:
                value, at = _varint(data, at, stop)
                values.append(value - (1 << 64) if value >> 63 else value)
        elif tag == 1 << 3 | _VARINT:
            value, at = _varint(data, at, end)
            values.append(value - (1 << 64) if value >> 63 else value)
        else:
            _, at = _skip(data, tag, at, end)
    return values


def _parse_floats(data: bytes, start: int, end: int) -> list[float] | array[float]:
    values = array("f")
    at = start
    while at < end:
        tag, at = _tag(data, at, end)
        first, at = _skip(data, tag, at, end)
        if tag in (1 << 3 | _BYTES, 1 << 3 | _FIXED32):
            if (at - first) % values.itemsize:
                raise NotAnExample("a float is cut")
            values.frombytes(memoryview(data)[first:at])
    if sys.byteorder == "big":
        values.byteswap()
    return values if end - start > _MANY else values.tolist()


def _fields(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(field number, start, end) of the length-delimited fields of a message; others are skipped."""
    at = start
    while at < end:
        tag = data[at]
        if tag == 1 << 3 | _BYTES or tag == 2 << 3 | _BYTES:  # nearly all fields are one of these
            at += 1
        else:
            tag, at = _tag(data, at, end)
        first, at = _skip(data, tag, at, end)
        if tag & 7 == _BYTES:
            yield tag >> 3, first, at


def _tag(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A field's number and wire type in one, and the position after them."""
    tag, at = _varint(data, at, end)
    if not 8 <= tag <= _LARGEST_TAG:
        raise NotAnExample("a field of an impossible number")
    return tag, at


def _skip(data: bytes, tag: int, at: int, end: int) -> tuple[int, int]:
    """(start of the content, position after it) of a field whose tag was just read."""
    wire_type = tag & 7
    if wire_type == _BYTES:
        length, at = _varint(data, at, end)
        return at, _within(at + length, end)
    if wire_type == _VARINT:
        return at, _varint(data, at, end)[1]
    if wire_type == _FIXED64:
        return at, _within(at + 8, end)
    if wire_type == _FIXED32:
        return at, _within(at + 4, end)
    if wire_type == _GROUP:
        return at, _skip_group(data, tag, at, end)
    raise NotAnExample(f"wire type {wire_type}")


def _skip_group(data: bytes, tag: int, at: int, end: int) -> int:
    """The position after a group, with all groups in it."""
    open_groups = [tag >> 3]
    while open_groups:
        tag, at = _tag(data, at, end)
        if tag & 7 == _GROUP:
            open_groups.append(tag >> 3)
        elif tag & 7 == _GROUP_END:
            if open_groups.pop() != tag >> 3:
                raise NotAnExample("groups that overlap")
        else:
            _, at = _skip(data, tag, at, end)
        if len(open_groups) > _DEEPEST:
            raise NotAnExample("too many groups in groups")
    return at


def _within(at: int, end: int) -> int:
    if at > end:
        raise NotAnExample("a field runs beyond its message")
    return at


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A base-128 number of at most 64 bits, and the position after it."""
    if at < end and data[at] < 0x80:  # nearly all are one byte long
        return data[at], at + 1
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
