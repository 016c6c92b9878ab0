"""What the graph computes: the digest of a record, and the geometry of resizing."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfrecordcli.feed.graph import graph_digest, graph_label, resize
from tfrecordcli.formats.digest import record_digest

WORD = 2**64


@pytest.fixture(scope="module")
def digest(tf: Any) -> Callable[[bytes], int]:
    compiled = tf.function(graph_digest, input_signature=[tf.TensorSpec([], tf.string)], autograph=False)
    return lambda record: int(compiled(record).numpy()) % WORD


@pytest.mark.parametrize("length", [*range(18), 63, 64, 65, 1000, 4095, 100_003, 300_000])
def test_digest_in_the_graph_is_that_of_the_writer(digest: Callable[[bytes], int], length: int) -> None:
    for record in (os.urandom(length), bytes(length), b"\xff" * length):
        assert digest(record) == record_digest(record)


@given(record=st.binary(max_size=300))
@settings(deadline=None)
def test_digest_of_any_record(digest: Callable[[bytes], int], record: bytes) -> None:
    assert digest(record) == record_digest(record)


def test_labels_in_the_graph(tf: Any) -> None:
    assert graph_label(tf.constant([7], tf.int64), "int", 9).numpy() == 7
    none = tf.constant([], tf.int64)
    assert graph_label(none, "multi_hot", 3).numpy().tolist() == [0, 0, 0]
    assert graph_label(tf.constant([2, 0, 2], tf.int64), "multi_hot", 3).numpy().tolist() == [1, 0, 1]
    for ids in (none, tf.constant([1, 2], tf.int64)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            graph_label(ids, "int", 3)


def bright(tf: Any, height: int, width: int) -> Any:
    return tf.constant(200, tf.uint8, [height, width, 3])


def box_of(image: Any) -> tuple[int, int, int, int]:
    """(top, left, height, width) of what is not black; all of it must be there."""
    rows, columns = np.nonzero(image.max(axis=2))
    top, left = int(rows.min()), int(columns.min())
    height, width = int(rows.max()) - top + 1, int(columns.max()) - left + 1
    assert (image[top : top + height, left : left + width] == 200).all()
    return top, left, height, width


@pytest.mark.parametrize(
    ("height", "width", "size", "box"),
    [
        (50, 100, (40, 40), (10, 0, 20, 40)),
        (100, 50, (40, 40), (0, 10, 40, 20)),
        (10, 20, (40, 40), (10, 0, 20, 40)),
        (30, 30, (40, 60), (0, 10, 40, 40)),
        (1, 1000, (40, 40), (19, 0, 1, 40)),
        (40, 60, (40, 60), (0, 0, 40, 60)),
        (3, 4, (7, 7), (1, 0, 5, 7)),
    ],
)
def test_pad_shows_the_whole_image_in_the_middle(
    tf: Any, height: int, width: int, size: tuple[int, int], box: tuple[int, int, int, int]
) -> None:
    result = resize(bright(tf, height, width), size, "pad").numpy()
    assert result.dtype == np.uint8
    assert result.shape == (*size, 3)
    assert box_of(result) == box


@pytest.mark.parametrize("how", ["stretch", "crop"])
@pytest.mark.parametrize(("height", "width"), [(50, 100), (100, 50), (3, 999), (40, 60), (1, 1)])
def test_stretch_and_crop_fill_the_whole_size(tf: Any, how: Any, height: int, width: int) -> None:
    result = resize(bright(tf, height, width), (40, 60), how).numpy()
    assert result.shape == (40, 60, 3)
    assert (result == 200).all()


def test_crop_keeps_the_middle_and_its_proportions(tf: Any) -> None:
    """Thirds of different brightness: of a wide image only the middle one is left, unscaled."""
    thirds = np.repeat([10, 100, 250], 30).astype(np.uint8)
    wide = np.broadcast_to(thirds[None, :, None], (30, 90, 3))
    assert (resize(tf.constant(wide), (30, 30), "crop").numpy() == 100).all()
    high = np.broadcast_to(thirds[:, None, None], (90, 30, 3))
    assert (resize(tf.constant(high), (30, 30), "crop").numpy() == 100).all()


@pytest.mark.parametrize("how", ["pad", "crop", "stretch"])
def test_an_image_of_the_right_size_is_left_alone(tf: Any, how: Any) -> None:
    image = np.random.default_rng(0).integers(0, 256, (31, 47, 3), np.uint8)
    assert np.array_equal(resize(tf.constant(image), (31, 47), how).numpy(), image)
