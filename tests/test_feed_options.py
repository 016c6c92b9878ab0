"""`FeedOptions`: what is refused, and how."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from tfrecordcli.errors import UsageError
from tfrecordcli.feed.fit import warn_of_unused
from tfrecordcli.feed.options import FeedOptions

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"batch_size": 0}, "batch_size must be a whole number from 1, got 0"),
    ({"batch_size": 2.5}, "got 2.5"),
    ({"batch_size": True}, "got True"),
    ({"image_size": 0}, "image_size must be pixels, (height, width) or None, got 0"),
    ({"image_size": (224,)}, "got (224,)"),
    ({"image_size": [224, 224.0]}, "got (224, 224.0)"),
    ({"image_size": np.float64(224)}, "image_size must be pixels"),
    ({"image_size": "224"}, "image_size"),
    ({"shuffle": 1}, "shuffle must be True or False, got 1"),
    ({"repeat": 3}, "repeat must be True or False, got 3"),
    ({"seed": "x"}, "seed must be a whole number or None, got x"),
    ({"resize": "fit"}, "resize must be one of pad, stretch, crop, got fit"),
    ({"label_mode": "one_hot"}, "label_mode must be one of int, multi_hot, none, got one_hot"),
    ({"shard": (2, 2)}, "shard must be (i, n) with 0 <= i < n, got (2, 2)"),
    ({"shard": (-1, 2)}, "got (-1, 2)"),
    ({"shard": 1}, "got 1"),
    ({"device": "tpu"}, "device must be auto, cpu, gpu or gpu:N, got 'tpu'"),
    ({"device": "gpu:x"}, "got 'gpu:x'"),
    ({"device": "gpu", "raw": True}, "a GPU cannot hold"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=[str(options) for options, _ in REFUSED])
def test_what_cannot_be_right_is_refused_with_the_rule_and_the_value(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        FeedOptions(**options)
    assert message in caught.value.message
    assert caught.value.exit_code == 2


def test_sizes_as_height_and_width() -> None:
    assert FeedOptions(image_size=32).height_width == (32, 32)
    assert FeedOptions(image_size=(20, 30)).height_width == (20, 30)
    assert FeedOptions(image_size=None, raw=True).height_width is None


def test_numbers_and_pairs_of_other_types_become_plain_ones() -> None:
    options = FeedOptions(
        batch_size=np.int64(8), image_size=[np.int32(20), 30], seed=np.uint8(3), shard=[np.int64(0), 2]
    )
    assert (options.batch_size, options.image_size, options.seed, options.shard) == (8, (20, 30), 3, (0, 2))
    assert {type(options.batch_size), type(options.height_width[0]), type(options.shard[0])} == {int}  # type: ignore[index]
    assert FeedOptions(image_size=np.int64(32)).height_width == (32, 32)


UNUSED: list[tuple[dict[str, Any], bool, list[str]]] = [
    ({"seed": 1, "resize": "crop", "max_boxes": 3}, False, []),
    ({"seed": 1, "shuffle": False}, False, ["seed= is not used: shuffle=False gives one order"]),
    ({"resize": "crop", "raw": True}, False, ["resize= is not used: images keep their size"]),
    ({"resize": "crop", "image_size": None}, False, ["resize= is not used: images keep their size"]),
    ({"max_boxes": 3, "ragged": True}, False, ["max_boxes= is not used: ragged=True gives all boxes"]),
    ({}, True, ["augment_splits= is not used: there is no augment"]),
]


@pytest.mark.parametrize(("options", "are_splits_named", "told"), UNUSED)
def test_options_that_do_nothing_are_warned_of(
    options: dict[str, Any], are_splits_named: bool, told: list[str]
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_unused(FeedOptions(**options), None, are_splits_named, has_images=True)
    assert [str(each.message) for each in caught] == told
