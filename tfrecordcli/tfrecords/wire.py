"""The wire format of protobuf messages (protobuf.dev/programming-guides/encoding), strictly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

VARINT, FIXED64, DELIMITED, GROUP, GROUP_END, FIXED32 = 0, 1, 2, 3, 4, 5
_DEEPEST: Final = 100  # of groups in groups, as in protobuf
_LARGEST_TAG: Final = (1 << 32) - 1
_LONGEST_TAG: Final = 5  # bytes


class NotAnExample(ValueError):
    """The bytes are no serialised tf.train.Example; the message says why, in a few words."""


def fields_of(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(field number, start, end) of the length-delimited fields of a message; others are skipped."""
    at = start
    while at < end:
        tag = data[at]
        if tag == 1 << 3 | DELIMITED or tag == 2 << 3 | DELIMITED:  # nearly all fields are one of these
            first, at = read_delimited(data, at + 1, end)
        else:
            tag, at = read_tag(data, at, end)
            first, at = skip_field(data, tag, at, end)
        if tag & 7 == DELIMITED:
            yield tag >> 3, first, at


def tagged_fields_of(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(tag, start, end) of all fields of a message."""
    at = start
    while at < end:
        tag, at = read_tag(data, at, end)
        first, at = skip_field(data, tag, at, end)
        yield tag, first, at


def delimited_fields_of(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The same of a message that has no others.

    Raises:
      NotAnExample: it has others.
    """
    for tag, first, after in tagged_fields_of(data, start, end):
        if tag & 7 != DELIMITED:
            raise NotAnExample("a field of another kind")
        yield tag >> 3, first, after


def read_tag(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A field's number and wire type in one, and the position after them."""
    tag, after = read_varint(data, at, end)
    if not 8 <= tag <= _LARGEST_TAG or after - at > _LONGEST_TAG:
        raise NotAnExample("a field of an impossible number")
    return tag, after


def skip_field(data: bytes, tag: int, at: int, end: int) -> tuple[int, int]:
    """(start of the content, position after it) of a field whose tag was just read."""
    wire_type = tag & 7
    if wire_type == DELIMITED:
        return read_delimited(data, at, end)
    if wire_type == VARINT:
        return at, read_varint(data, at, end)[1]
    if wire_type == FIXED64:
        return at, _within(at + 8, end)
    if wire_type == FIXED32:
        return at, _within(at + 4, end)
    if wire_type == GROUP:
        return at, _skip_group(data, tag, at, end)
    raise NotAnExample(f"wire type {wire_type}")


def _skip_group(data: bytes, tag: int, at: int, end: int) -> int:
    """The position after a group, with all groups in it."""
    open_groups = [tag >> 3]
    while open_groups:
        tag, at = read_tag(data, at, end)
        if tag & 7 == GROUP:
            open_groups.append(tag >> 3)
        elif tag & 7 == GROUP_END:
            if open_groups.pop() != tag >> 3:
                raise NotAnExample("groups that overlap")
        else:
            _, at = skip_field(data, tag, at, end)
        if len(open_groups) > _DEEPEST:
            raise NotAnExample("too many groups in groups")
    return at


def read_delimited(data: bytes, at: int, end: int) -> tuple[int, int]:
    """(start, end) of the content of a delimited field whose tag ends here."""
    if at < end and data[at] < 0x80:  # nearly all are as short as that
        stop = at + 1 + data[at]
        if stop <= end:
            return at + 1, stop
    length, at = read_varint(data, at, end)
    return at, _within(at + length, end)


def _within(at: int, end: int) -> int:
    if at > end:
        raise NotAnExample("a field runs beyond its message")
    return at


def read_varint(data: bytes, at: int, end: int) -> tuple[int, int]:
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
