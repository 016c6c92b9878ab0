"""What TensorFlow's parser makes of an Example, where that is not what protobuf makes of it.

tf.io.parse_example has a parser of its own (tensorflow/core/util/example_proto_fast_parsing.cc), which knows
what writers of Examples write, and little else: of a feature it reads the first list, of a list the first
packed numbers, and it refuses most fields that it does not know.
"""

from __future__ import annotations

import itertools
import struct
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from tfrecordcli.tfrecords.example_parser import ManyFeatures
from tfrecordcli.tfrecords.feature import KINDS, SMALL, FeatureValues
from tfrecordcli.tfrecords.wire import (
    DELIMITED,
    FIXED32,
    VARINT,
    read_delimited,
    read_tag,
    read_varint,
    skip_field,
)

# Tags of one byte.
_FIRST: Final = 1 << 3 | DELIMITED
_SECOND: Final = 2 << 3 | DELIMITED
_KIND_OF: Final = {number << 3 | DELIMITED: kind for number, kind in KINDS.items()}
_FLOAT_BYTES: Final = 4

Span = tuple[int, int]


class Deviation(NamedTuple):
    """What TensorFlow makes otherwise of a record, or of one feature of it.

    Attributes:
      refused: whether its parser refuses the record, if asked for this feature; else it gives other values.
      detail: what it does.
      key: of the feature; None when it is about the whole record.
    """

    refused: bool
    detail: str
    key: str | None = None


def problem_of(deviation: Deviation) -> tuple[str, dict[str, Any]]:
    """The code of a problem, and what fills its text in."""
    code = "tensorflow_refuses" if deviation.refused else "tensorflow_differs"
    return code, {"key": deviation.key, "detail": deviation.detail}


class _Place(NamedTuple):
    """Where the features of one name stand.

    Attributes:
      last: the last one.
      full: the last one that is not empty, if there is one.
      is_unknown: whether one of them begins with a field that TensorFlow does not know.
    """

    last: Span
    full: Span
    is_unknown: bool


class _Refused(Exception):
    """Why TensorFlow refuses it."""


def deviations(data: bytes, features: Mapping[str, FeatureValues]) -> Iterator[Deviation]:
    """What TensorFlow's parser makes otherwise of a record than protobuf: nothing of what most writers make.

    Args:
      data: the record, which is an Example.
      features: those that protobuf finds in it.
    """
    if _is_plain(data, len(features)):
        return
    try:
        for key, feature, place in _placed_features(data, features):
            deviation = _of_feature(data, key, feature, place)
            if deviation is not None:
                yield deviation
    except _Refused as refused:
        yield Deviation(True, str(refused))


# --- what usual writers write, told quickly ---


def _is_plain(data: bytes, keys: int) -> bool:
    """Whether a record has so many features in the one form about which all parsers agree."""
    at, end, entries = 0, len(data), 0
    while at < end:
        if data[at] not in (_FIRST, _SECOND):
            return False
        is_features = data[at] == _FIRST
        at, stop = read_delimited(data, at + 1, end)
        while is_features and at < stop:
            if data[at] != _FIRST:
                return False
            at, entry_end = read_delimited(data, at + 1, stop)
            if entry_end - at <= SMALL:
                is_plain = _is_plain_small(data[at:entry_end])
            else:
                is_plain = _is_plain_entry(data, at, entry_end)
            if not is_plain:
                return False
            at = entry_end
            entries += 1
        at = stop
    return entries == keys  # or else a key occurs twice


@lru_cache(maxsize=4096)
def _is_plain_small(data: bytes) -> bool:
    return _is_plain_entry(data, 0, len(data))


def _is_plain_entry(data: bytes, at: int, end: int) -> bool:
    """Whether an entry is a key and a feature, which is nothing or one list."""
    for tag in (_FIRST, _SECOND):
        if at == end or data[at] != tag:
            return False
        first, at = read_delimited(data, at + 1, end)
    if at != end or first == end:
        return at == end
    kind = _KIND_OF.get(data[first])
    if kind is None:
        return False
    at, stop = read_delimited(data, first + 1, end)
    if stop != end:
        return False
    if kind != "bytes":
        return at == end or (data[at] == _FIRST and read_delimited(data, at + 1, end)[1] == end)
    while at < end and data[at] == _FIRST:
        at = read_delimited(data, at + 1, end)[1]
    return at == end


# --- all else, as TensorFlow goes through it ---


def _placed_features(
    data: bytes, features: Mapping[str, FeatureValues]
) -> Iterator[tuple[str, FeatureValues, _Place | None]]:
    """Key, feature, and where TensorFlow finds those of this name.

    Raises:
      _Refused: before the first.
    """
    if isinstance(features, ManyFeatures):
        deque(_read(data), maxlen=0)
        for key, feature, entries in features.spans():
            place = None
            for entry in entries:
                place = _placed(data, _read_entry(data, *entry)[1], place)
            yield key, feature, place
        return
    places: dict[str, _Place] = {}
    for key, span in _read(data):
        places[key] = _placed(data, span, places.get(key))
    for key, feature in features.items():
        yield key, feature, places.get(key)


def _read(data: bytes) -> Iterator[tuple[str, Span]]:
    """Key and span of every feature.

    Raises:
      _Refused
    """
    at, end = 0, len(data)
    while at < end:
        if data[at] == _FIRST:
            at, stop = read_delimited(data, at + 1, end)
            yield from _read_features(data, at, stop)
            at = stop
        else:  # the same tag in more bytes than it needs too
            tag, at = read_tag(data, at, end)
            if tag & 7 not in (VARINT, 1, DELIMITED, FIXED32):
                raise _Refused("there is a group in it")
            _, at = skip_field(data, tag, at, end)


def _placed(data: bytes, span: Span, before: _Place | None) -> _Place:
    is_empty = span[0] == span[1]
    is_unknown = not is_empty and data[span[0]] not in _KIND_OF
    if before is None:
        return _Place(span, span, is_unknown)
    return _Place(span, before.full if is_empty else span, is_unknown or before.is_unknown)


def _read_features(data: bytes, at: int, end: int) -> Iterator[tuple[str, Span]]:
    while at < end:
        if data[at] != _FIRST:
            raise _Refused("a field that it does not know stands between the features")
        at, stop = read_delimited(data, at + 1, end)
        yield _read_entry(data, at, stop)
        at = stop


def _read_entry(data: bytes, at: int, end: int) -> tuple[str, Span]:
    """Two fields in any order; of two of one kind the last counts."""
    key, span = "", (end, end)
    for _ in range(2):
        tag, at = read_tag(data, at, end) if at < end else (0, at)
        if tag not in (_FIRST, _SECOND):
            raise _Refused("an entry is not one name and one feature")
        first, at = read_delimited(data, at, end)
        if tag == _FIRST:
            key = data[first:at].decode()
        else:
            span = first, at
    if at != end:
        raise _Refused("an entry is not one name and one feature")
    return key, span


def _of_feature(data: bytes, key: str, feature: FeatureValues, place: _Place | None) -> Deviation | None:
    if place is None:
        return Deviation(False, "it does not find it", key) if feature.values else None
    if place.is_unknown:
        return Deviation(True, f"it does not know what begins the feature {key}", key)
    start, end = place.last
    if start == end and _has_values(data, place.full):
        return Deviation(False, "it is there several times, and empty at the end", key)
    kind = _KIND_OF[data[start]] if start < end else ""
    try:
        count, is_same = _compared(_values(data, start, end), feature.values)
    except _Refused as refused:
        return Deviation(True, f"{refused} {key}", key)
    if kind != feature.kind:
        return Deviation(False, f"it takes the {kind} values, which are not the last", key)
    if count != len(feature.values):
        return Deviation(False, f"it takes {count} of {len(feature.values)} values", key)
    return None if is_same else Deviation(False, "it takes other values", key)


def _compared(values: Iterator[Any], expected: Iterable[Any]) -> tuple[int, bool]:
    """How many there are, and whether they are the first of those expected."""
    count, is_same = 0, True
    others = iter(expected)
    for value in values:
        count += 1
        for other in itertools.islice(others, int(is_same)):
            is_same = bool(value == other or (value != value and other != other))  # NaN is not itself
    return count, is_same


def _has_values(data: bytes, full: Span) -> bool:
    """Whether some of its ways of reading find values in the last that is not empty."""
    try:
        return next(_values(data, *full), None) is not None
    except _Refused:
        return True


def _values(data: bytes, start: int, end: int) -> Iterator[Any]:
    """The values of a feature one by one: of its first list, whatever follows.

    Raises:
      _Refused
    """
    if start == end:
        return
    kind = _KIND_OF[data[start]]
    at, end = read_delimited(data, start + 1, end)
    if kind != "bytes" and at < end and data[at] == _FIRST:  # packed
        at, stop = read_delimited(data, at + 1, end)
        while at < stop:
            value, at = _number(data, kind, at, stop)
            yield value
        return
    tag = {"bytes": _FIRST, "float": 1 << 3 | FIXED32, "int64": 1 << 3 | VARINT}[kind]
    while at < end:
        if data[at] != tag:
            raise _Refused("there is more than plain values in the list of")
        value, at = _number(data, kind, at + 1, end)
        yield value


def _number(data: bytes, kind: str, at: int, end: int) -> tuple[Any, int]:
    """A value, and the position after it; bytes without a copy of them."""
    if kind == "bytes":
        first, at = read_delimited(data, at, end)
        return memoryview(data)[first:at], at
    if kind == "float":
        return struct.unpack_from("<f", data, at)[0], at + _FLOAT_BYTES
    value, at = read_varint(data, at, end)
    return value - (1 << 64) if value >> 63 else value, at
