"""tf.train.Example out of bytes, strictly: any deviation from the wire format is told.

Follows the protobuf encoding (protobuf.dev/programming-guides/encoding): unknown fields are skipped,
of a repeated map key the last entry counts, a message that comes in parts is merged, numbers may be
packed or not.
"""

from __future__ import annotations

import sys
from array import array
from functools import lru_cache
from typing import Any, Final, NamedTuple

from tfrecordcli.integrity.wire import (
    DELIMITED,
    FIXED32,
    VARINT,
    NotAnExample,
    fields_of,
    read_delimited,
    read_tag,
    read_varint,
    skip_field,
)

KINDS: Final = {1: "bytes", 2: "float", 3: "int64"}

SMALL: Final = 64  # bytes of a map entry above which it is hardly ever seen again
_MANY: Final = 1 << 16  # bytes of numbers from which on they are kept in an array


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
    features: dict[str, Feature] = {}
    try:
        for number, start, end in fields_of(data, 0, len(data)):
            if number == 1:
                _parse_features(data, start, end, features)
    except IndexError as error:
        raise NotAnExample("it ends too early") from error
    except UnicodeDecodeError as error:
        raise NotAnExample("a name in it is no UTF-8") from error
    return features


def _parse_features(data: bytes, start: int, end: int, features: dict[str, Feature]) -> None:
    for number, entry, entry_end in fields_of(data, start, end):
        if number != 1:
            continue
        if entry_end - entry <= SMALL:
            found = _remembered_entry(data[entry:entry_end])
            if found is not None:
                key, value = found
                features[key] = Feature(value.kind, value.values[:])
        else:
            found = _parse_entry(data, entry, entry_end)
            if found is not None:
                features[found[0]] = found[1]


@lru_cache(maxsize=4096)
def _remembered_entry(data: bytes) -> tuple[str, Feature] | None:
    """Records repeat formats, sizes and labels."""
    return _parse_entry(data, 0, len(data))


def _parse_entry(data: bytes, start: int, end: int) -> tuple[str, Feature] | None:
    """Name and feature of a map entry.

    None for one with other fields in it: protobuf keeps it, whole, among the fields that it does not know.
    """
    key, value, is_known = "", _NOTHING, True
    at = start
    while at < end:
        tag, at = read_tag(data, at, end)
        first, at = skip_field(data, tag, at, end)
        if tag == 1 << 3 | DELIMITED:
            key = data[first:at].decode()
        elif tag == 2 << 3 | DELIMITED:
            value = _parse_feature(data, first, at, value)
        else:
            is_known = False
    return (key, value) if is_known else None


def _parse_feature(data: bytes, start: int, end: int, before: Feature) -> Feature:
    """A feature, merged with what came before it in the same map entry."""
    feature = before
    for number, at, stop in fields_of(data, start, end):
        kind = KINDS.get(number)
        if kind is None:
            continue
        values: Any
        if number == 1:
            values = [data[a:b] for field, a, b in fields_of(data, at, stop) if field == 1]
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
        tag, at = read_tag(data, at, end)
        if tag == 1 << 3 | DELIMITED:
            at, stop = read_delimited(data, at, end)
            while at < stop:
                value, at = read_varint(data, at, stop)
                values.append(value - (1 << 64) if value >> 63 else value)
        elif tag == 1 << 3 | VARINT:
            value, at = read_varint(data, at, end)
            values.append(value - (1 << 64) if value >> 63 else value)
        else:
            _, at = skip_field(data, tag, at, end)
    return values


def _parse_floats(data: bytes, start: int, end: int) -> list[float] | array[float]:
    values = array("f")
    at = start
    while at < end:
        tag, at = read_tag(data, at, end)
        first, at = skip_field(data, tag, at, end)
        if tag in (1 << 3 | DELIMITED, 1 << 3 | FIXED32):
            if (at - first) % values.itemsize:
                raise NotAnExample("a float is cut")
            values.frombytes(memoryview(data)[first:at])
    if sys.byteorder == "big":
        values.byteswap()
    return values if end - start > _MANY else values.tolist()
