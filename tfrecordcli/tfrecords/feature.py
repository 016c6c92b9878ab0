"""A feature of a tf.train.Example out of its map entry, strictly: any deviation from the wire format is told.

Follows the protobuf encoding (protobuf.dev/programming-guides/encoding): unknown fields are skipped, a
message that comes in parts is merged, numbers may be packed or not. A short entry's values are kept; those of
a long one are counted, and read again from the record by whoever asks for them: they take no memory.
"""

from __future__ import annotations

import itertools
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, overload

from tfrecordcli.tfrecords.wire import (
    DELIMITED,
    FIXED32,
    VARINT,
    NotAnExample,
    fields_of,
    read_delimited,
    read_tag,
    read_varint,
    skip_field,
    tagged_fields_of,
)

KINDS: Final = {1: "bytes", 2: "float", 3: "int64"}
SMALL: Final = 64  # bytes of a map entry above which it is hardly ever seen again

_KEPT: Final = 1 << 10  # bytes of an entry above which its values are not kept, unless it is one of bytes
_CHUNK: Final = 1 << 14  # bytes of packed numbers that are copied at a time
_FLOAT: Final = struct.Struct("<f")
_TOO_LONG: Final = re.compile(rb"[\x80-\xff]{10}")  # in packed numbers: none of 64 bits is longer
_CONTINUED: Final = bytes(range(0x80, 0x100))  # the bytes of a number but its last

_KEY: Final = 1 << 3 | DELIMITED
_VALUE: Final = 2 << 3 | DELIMITED
_BYTES_LIST = _BYTES = _PACKED = 1 << 3 | DELIMITED
_PLAIN_INT: Final = 1 << 3 | VARINT
_PLAIN_FLOAT: Final = 1 << 3 | FIXED32


class FeatureValues(NamedTuple):
    """One feature: its kind (bytes, float, int64, or "" when none is set) and values."""

    kind: str
    values: Sequence[bytes] | Sequence[float] | Sequence[int]


class Values(Sequence[Any]):
    """The values in a map entry, read from the record each time.

    Args:
      start, end: of the entry.
      first: offset of the first list that counts: those before one of another kind do not.
      count: how many values there are.
    """

    __slots__ = ("_count", "_data", "_end", "_first", "_kind", "_start")

    def __init__(self, data: bytes, start: int, end: int, kind: str, first: int, count: int) -> None:
        self._data, self._start, self._end = data, start, end
        self._kind, self._first, self._count = kind, first, count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        for tag, at, stop in tagged_fields_of(self._data, self._start, self._end):
            if tag == _VALUE:
                for number, first, last in fields_of(self._data, at, stop):
                    if first >= self._first and KINDS.get(number) == self._kind:
                        yield from _VALUES_OF[self._kind](self._data, first, last)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        found = range(self._count)[index]
        if isinstance(found, range):
            return list(itertools.islice(self, found.start, max(found.start, found.stop), found.step))
        return next(itertools.islice(self, found, None))


def parse_entry(data: bytes, start: int, end: int) -> tuple[str, FeatureValues] | None:
    """Name and feature of a map entry.

    None for one with other fields in it: protobuf keeps it, whole, among the fields that it does not know.

    Raises:
      NotAnExample, IndexError, UnicodeDecodeError: it is no such message.
    """
    single = _parse_single(data, start, end)
    if single is not None:
        return single
    key = kind = ""
    first = count = 0
    is_known, is_kept = True, end - start <= _KEPT
    values: list[Any] = []
    at = start
    while at < end:
        tag, at = read_tag(data, at, end)
        begin, at = skip_field(data, tag, at, end)
        if tag == _KEY:
            key = data[begin:at].decode()
        elif tag != _VALUE:
            is_known = False
            continue
        else:
            for number, content, stop in fields_of(data, begin, at):
                other = KINDS.get(number)
                if other is None:
                    continue
                if other != kind:
                    kind, first, count, values = other, content, 0, []
                if is_kept:
                    values += _VALUES_OF[kind](data, content, stop)
                else:
                    count += _COUNT_OF[kind](data, content, stop)
    if not is_known:
        return None
    return key, FeatureValues(kind, values if is_kept else Values(data, start, end, kind, first, count))


def _parse_single(data: bytes, start: int, end: int) -> tuple[str, FeatureValues] | None:
    """An entry of a key and one value of bytes, as images, names and texts have it; None for all others."""
    if start == end or data[start] != _KEY:
        return None
    key, at = read_delimited(data, start + 1, end)
    key_end = at
    for tag in (_VALUE, _BYTES_LIST, _BYTES):
        if at == end or data[at] != tag:
            return None
        at, stop = read_delimited(data, at + 1, end)
        if stop != end:
            return None
    return data[key:key_end].decode(), FeatureValues("bytes", [data[at:end]])


@lru_cache(maxsize=4096)
def remembered_entry(data: bytes) -> tuple[str, FeatureValues] | None:
    """The same of an entry by itself, for records repeat formats, sizes and labels."""
    return parse_entry(data, 0, len(data))


# --- lists of one kind ---


def _bytes_of(data: bytes, start: int, end: int) -> Iterator[bytes]:
    return (data[a:b] for number, a, b in fields_of(data, start, end) if number == 1)


def _count_bytes(data: bytes, start: int, end: int) -> int:
    return sum(number == 1 for number, _, _ in fields_of(data, start, end))


def _floats_of(data: bytes, start: int, end: int) -> Iterator[float]:
    for first, stop in _float_spans(data, start, end):
        yield from (value for (value,) in _FLOAT.iter_unpack(memoryview(data)[first:stop]))


def _count_floats(data: bytes, start: int, end: int) -> int:
    return sum(stop - first for first, stop in _float_spans(data, start, end)) // _FLOAT.size


def _float_spans(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    for tag, first, stop in tagged_fields_of(data, start, end):
        if tag in (_PACKED, _PLAIN_FLOAT):
            if (stop - first) % _FLOAT.size:
                raise NotAnExample("a float is cut")
            yield first, stop


def _ints_of(data: bytes, start: int, end: int) -> Iterator[int]:
    for tag, first, stop in tagged_fields_of(data, start, end):
        if tag in (_PACKED, _PLAIN_INT):
            yield from packed_ints(data, first, stop)


def packed_ints(data: bytes, at: int, end: int) -> Iterator[int]:
    """Numbers one after another, each as int64.

    Raises:
      NotAnExample: one is cut, or too long.
    """
    while at < end:
        chunk = data[at : min(at + _CHUNK, end)]
        if chunk.isascii():  # each is one byte
            yield from chunk
            at += len(chunk)
            continue
        stop = at + len(chunk)
        while at < stop:
            value, at = read_varint(data, at, end)
            yield value - (1 << 64) if value >> 63 else value


def _count_ints(data: bytes, start: int, end: int) -> int:
    return sum(
        _count_packed(data, first, stop) if tag == _PACKED else tag == _PLAIN_INT
        for tag, first, stop in tagged_fields_of(data, start, end)
    )


def _count_packed(data: bytes, start: int, end: int) -> int:
    if start == end:
        return 0
    if data[end - 1] >= 0x80 or _TOO_LONG.search(data, start, end):
        raise NotAnExample("a number is cut or too long")
    parts = (data[at : min(at + _CHUNK, end)] for at in range(start, end, _CHUNK))
    return sum(len(part.translate(None, _CONTINUED)) for part in parts)


_VALUES_OF: Final[dict[str, Callable[[bytes, int, int], Iterator[Any]]]] = {
    "bytes": _bytes_of,
    "float": _floats_of,
    "int64": _ints_of,
}
_COUNT_OF: Final = {"bytes": _count_bytes, "float": _count_floats, "int64": _count_ints}
