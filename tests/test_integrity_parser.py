"""`parse_example` against TensorFlow's own parser; and on bytes that are none of its own."""

from __future__ import annotations

import struct
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from tfrecordcli.tfrecords.example_parser import parse_example
from tfrecordcli.tfrecords.wire import NotAnExample

KINDS = {"bytes_list": "bytes", "float_list": "float", "int64_list": "int64", None: ""}
Parsed = dict[str, tuple[str, list[Any]]]


def ours(data: bytes) -> Parsed:
    return {key: (kind, _comparable(values)) for key, (kind, values) in parse_example(data).items()}


def tensorflows(tf: Any, data: bytes) -> Parsed:
    parsed = {}
    for key, feature in tf.train.Example.FromString(data).features.feature.items():
        which = feature.WhichOneof("kind")
        values = list(getattr(feature, which).value) if which else []
        parsed[key] = (KINDS[which], _comparable(values))
    return parsed


def _comparable(values: Any) -> list[Any]:
    """NaN is not equal to itself."""
    return [struct.pack("<f", value) if isinstance(value, float) else value for value in values]


# --- messages in parts, as any writer of protobuf may put them together ---


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, body: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(body)) + body


UNKNOWN = st.builds(
    lambda number, kind, value: {
        0: varint(number << 3) + varint(value),
        1: varint(number << 3 | 1) + (value % (1 << 64)).to_bytes(8, "little"),
        2: field(number, varint(value)),
        3: varint(number << 3 | 3) + field(7, b"in a group") + varint(number << 3 | 4),
        5: varint(number << 3 | 5) + (value % (1 << 32)).to_bytes(4, "little"),
    }[kind],
    st.sampled_from((4, 5, 16, 2047, 2048, (1 << 29) - 1)),
    st.sampled_from((0, 1, 2, 3, 5)),
    st.integers(0, (1 << 64) - 1),
)
INT64 = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-2, 300))
FLOAT = st.floats(width=32)
BYTES_LIST = st.lists(st.binary(max_size=300).map(lambda value: field(1, value)), max_size=4)
INT_LIST = st.lists(
    st.one_of(
        INT64.map(lambda value: varint(1 << 3) + varint(value)),  # not packed
        st.lists(INT64, max_size=5).map(lambda values: field(1, b"".join(map(varint, values)))),
    ),
    max_size=4,
)
FLOAT_LIST = st.lists(
    st.one_of(
        FLOAT.map(lambda value: varint(1 << 3 | 5) + struct.pack("<f", value)),
        st.lists(FLOAT, max_size=5).map(lambda values: field(1, struct.pack(f"<{len(values)}f", *values))),
    ),
    max_size=4,
)


def with_unknown(parts: st.SearchStrategy[list[bytes]]) -> st.SearchStrategy[bytes]:
    """The parts of a message with fields between them that nobody knows."""
    between = st.lists(UNKNOWN, max_size=1).map(b"".join)
    return parts.flatmap(
        lambda found: st.lists(between, min_size=len(found) + 1, max_size=len(found) + 1).map(
            lambda gaps: b"".join(gap + part for gap, part in zip(gaps, [*found, b""], strict=True))
        )
    )


FEATURE = with_unknown(
    st.lists(
        st.one_of(
            with_unknown(BYTES_LIST).map(lambda body: field(1, body)),
            with_unknown(FLOAT_LIST).map(lambda body: field(2, body)),
            with_unknown(INT_LIST).map(lambda body: field(3, body)),
        ),
        max_size=3,
    )
)
KEY = st.sampled_from(("image/encoded", "a", "", "日本")).map(lambda key: field(1, key.encode()))
# No unknown fields in here: protobuf for Python then sets the whole entry aside.
ENTRY = st.one_of(
    st.tuples(KEY, FEATURE.map(lambda body: field(2, body))),
    st.tuples(FEATURE.map(lambda body: field(2, body)), KEY),  # in the other order
    st.tuples(KEY),
    st.tuples(FEATURE.map(lambda body: field(2, body))),
    st.tuples(KEY, FEATURE.map(lambda body: field(2, body)), FEATURE.map(lambda body: field(2, body))),
).map(b"".join)
FEATURES = with_unknown(st.lists(ENTRY.map(lambda body: field(1, body)), max_size=5))
EXAMPLE = with_unknown(st.lists(FEATURES.map(lambda body: field(1, body)), max_size=2))


@given(data=EXAMPLE)
@settings(max_examples=examples(400), deadline=None)
def test_what_tensorflow_reads_we_read(tf: Any, data: bytes) -> None:
    assert ours(data) == tensorflows(tf, data)


@given(data=EXAMPLE.filter(bool), edits=st.lists(st.tuples(st.integers(0), st.integers(0, 255)), max_size=3))
@settings(max_examples=examples(400), deadline=None)
def test_what_tensorflow_refuses_we_refuse(tf: Any, data: bytes, edits: list[tuple[int, int]]) -> None:
    """And the reverse, with bytes of a message changed."""
    changed = bytearray(data)
    for at, value in edits:
        changed[at % len(changed)] = value
    try:
        tf.train.Example.FromString(bytes(changed))
    except Exception:
        with pytest.raises(NotAnExample):
            parse_example(bytes(changed))
    else:
        parse_example(bytes(changed))


@given(data=st.binary(max_size=2000))
@settings(max_examples=examples(1000), deadline=None)
def test_any_bytes_are_an_example_or_not(data: bytes) -> None:
    try:
        features = parse_example(data)
    except NotAnExample:
        return
    assert all(kind in KINDS.values() for kind, _ in features.values())


@pytest.mark.parametrize(
    "data",
    [
        b"\x0a",
        b"\x0a\x05",
        b"\x80" * 11,
        b"\x0a" + b"\xff" * 9 + b"\x01",
        b"\x00\x00",
        b"\x02\x01a",
        b"\x0b",
        b"\x0c",
        b"\x0b\x14",
        b"\x0f",
        b"\x23" * 200,
        field(1, field(1, field(1, b"\xff"))),
        field(1, field(1, field(1, b"a") + field(2, field(2, field(1, b"abc"))))),
        field(1, field(1, field(1, b"a") + field(2, field(3, field(1, b"\x80"))))),
    ],
    ids=lambda data: data[:8].hex(),
)
def test_what_is_no_example(tf: Any, data: bytes) -> None:
    with pytest.raises(NotAnExample):
        parse_example(data)
    with pytest.raises(Exception, match=r"."):
        tf.train.Example.FromString(data)


def test_an_example_of_millions_of_bytes(tf: Any) -> None:
    image = bytes(range(256)) * 20_000
    features = {
        "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image])),
        "ids": tf.train.Feature(int64_list=tf.train.Int64List(value=range(-50_000, 50_000))),
    }
    data = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
    parsed = parse_example(data)
    assert parsed["image"].values == [image]
    assert [*parsed["ids"].values] == list(range(-50_000, 50_000))


def test_many_numbers_are_kept_in_little_room(tf: Any) -> None:
    """And are the same ones; lists and arrays of one feature that comes in parts go together."""
    floats = [0.5, -1.0, float("inf"), *range(20_000)]
    ints = [-1, 2**63 - 1, -(2**63), *range(70_000)]
    example = tf.train.Example()
    example.features.feature["floats"].float_list.value.extend(floats)
    example.features.feature["ints"].int64_list.value.extend(ints)
    found = parse_example(example.SerializeToString())
    assert [*found["floats"].values] == floats
    assert [*found["ints"].values] == ints
    assert sys.getsizeof(found["floats"].values) < 5 * len(floats)
    assert sys.getsizeof(found["ints"].values) < 10 * len(ints)
    few, many = (field(2, field(1, struct.pack(f"<{count}f", *range(count)))) for count in (3, 20_000))
    entry = field(1, field(1, field(1, b"x") + field(2, few + many + few)))
    assert [*parse_example(entry)["x"].values] == [0, 1, 2, *range(20_000), 0, 1, 2]
    with pytest.raises(NotAnExample):
        parse_example(field(1, field(1, field(1, b"x") + field(2, field(2, field(1, bytes(70_001)))))))
