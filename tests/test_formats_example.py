"""`encode_example`: byte for byte what TensorFlow's deterministic serialisation gives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from tfrecordcli.formats.example import Values, encode_example, example_pieces
from tfrecordcli.schema import CLASSIFICATION

INT64 = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-300, 300),
    st.sampled_from((-(2**63), 2**63 - 1, -1, 0, 127, 128, 2**31, 2**32)),
)
FEATURES = st.dictionaries(
    st.text(max_size=200),
    st.one_of(
        st.lists(st.binary(max_size=300), min_size=1, max_size=5),
        st.lists(INT64, min_size=1, max_size=200),
        st.lists(st.floats(width=32), min_size=1, max_size=200),
    ),
    max_size=8,
)


def tensorflow_bytes(tf: Any, features: dict[str, Values]) -> bytes:
    def feature(values: Sequence[Any]) -> Any:
        if isinstance(values[0], bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        if isinstance(values[0], float):
            return tf.train.Feature(float_list=tf.train.FloatList(value=values))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    table = {key: feature(values) for key, values in features.items()}
    example = tf.train.Example(features=tf.train.Features(feature=table))
    serialized: bytes = example.SerializeToString(deterministic=True)
    return serialized


def has_prefixes(features: dict[str, Values]) -> bool:
    """Whether a key begins another one.

    Those protobuf's Python (upb) sorts longer first, protobuf's C++ shorter first, as we do. No two
    keys of a record are like that.
    """
    keys = sorted(features)
    return any(longer.startswith(key) for key, longer in pairwise(keys))


@given(features=FEATURES.filter(lambda features: not has_prefixes(features)))
@settings(max_examples=examples(300), deadline=None)
def test_bytes_are_those_of_tensorflow(tf: Any, features: dict[str, Values]) -> None:
    assert encode_example(features) == tensorflow_bytes(tf, features)


@given(features=FEATURES)
@settings(deadline=None)
def test_tensorflow_parses_what_it_would_have_written(tf: Any, features: dict[str, Values]) -> None:
    ours = tf.train.Example.FromString(encode_example(features))
    assert ours.SerializeToString(deterministic=True) == tensorflow_bytes(tf, features)


def test_no_key_of_a_record_begins_another() -> None:
    assert not has_prefixes({key: [1] for key in CLASSIFICATION.table()})


@pytest.mark.parametrize("size", [0, 1, 127, 128, 16383, 16384, 2**21 - 1, 2**21, 2**21 + 1])
def test_lengths_around_each_varint_size(tf: Any, size: int) -> None:
    features: dict[str, Values] = {"image/encoded": [bytes(size)], "k" * max(1, size % 300): [1]}
    assert encode_example(features) == tensorflow_bytes(tf, features)


def test_keys_are_sorted_by_code_point_whatever_their_order(tf: Any) -> None:
    keys = ["z", "a/b", "a-b", "Z", "é", "y\u0301", "日本", "\U0001f600", "\uffff"]
    features: dict[str, Values] = {key: [number] for number, key in enumerate(keys)}
    turned = dict(reversed(features.items()))
    assert encode_example(features) == encode_example(turned) == tensorflow_bytes(tf, features)


def test_floats_are_rounded_to_float32_as_tensorflow_does(tf: Any) -> None:
    values = [0.1, 1 / 3, 1e-46, 3.4e38, float("inf"), float("-inf"), -0.0]
    assert encode_example({"f": values}) == tensorflow_bytes(tf, {"f": values})
    parsed = tf.train.Example.FromString(encode_example({"f": [0.1]}))
    assert parsed.features.feature["f"].float_list.value[0] == float(np.float32(0.1))


@pytest.mark.parametrize("values", [[], ["text"], [None]], ids=repr)
def test_a_list_without_a_kind_is_refused(values: Any) -> None:
    with pytest.raises(TypeError, match="key"):
        encode_example({"key": values})


@pytest.mark.parametrize("size", [0, 100, 1 << 12, 100_000])
def test_pieces_do_not_copy_what_is_large(size: int) -> None:
    data = bytes(range(256)) * (size // 256) + bytes(size % 256)
    features: dict[str, Values] = {"a": [1], "image": [data], "more": [b"x", data, data], "z": [0.5]}
    pieces = example_pieces(features)
    assert b"".join(pieces) == encode_example(features)
    is_large = size >= 1 << 12
    assert sum(piece is data for piece in pieces) == 3 * is_large
    assert len(pieces) == (7 if is_large else 1)
