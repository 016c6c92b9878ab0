"""Boxes of one record: lists of one length, corners in order and within the image, ids that readers take.

The keys are those of TensorFlow's Object Detection API (tensorflow/models, research/object_detection/
data_decoders/tf_example_decoder.py), which takes values by their place in these lists.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tfrecordcli.images.jpeg import SIGNATURE, walk_jpeg
from tfrecordcli.integrity.image_comparison import Finding, first_value
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import (
    ATTRIBUTES,
    IMAGE_ENCODED,
    OBJECT_CORNERS,
    OBJECT_LABEL,
    OBJECT_TEXT,
    attribute_key,
)
from tfrecordcli.tfrecords.feature import Feature

_ATTRIBUTE_KEYS: Final = tuple(map(attribute_key, ATTRIBUTES))
_ROUNDING: Final = 1e-6  # of quotients in 32 bits
_SURELY_PIXELS: Final = 2.0  # a box drawn on a photo that lies on its side rarely reaches as far
_QUARTER_TURNS: Final = frozenset({5, 6, 7, 8})


def check_boxes(features: Mapping[str, Feature], *, is_ours: bool) -> Iterator[Finding]:
    """What is wrong with the boxes of a record.

    Args:
      is_ours: records of others may lack any key, and what reaches beyond their images is told as such.
    """
    is_there = [key in features for key in OBJECT_CORNERS]
    if not (all(is_there) if is_ours else any(is_there)):
        return
    if is_ours and any(features[key].kind != "float" for key in OBJECT_CORNERS):  # told already
        return
    lengths = _lengths(features, is_ours=is_ours)
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{key.removeprefix('image/object/')} {count}" for key, count in lengths.items())
        yield Finding("box_lengths", {"detail": told})
        return
    sides = [_values(features, key) for key in OBJECT_CORNERS]
    for number, corners in enumerate(zip(*sides, strict=True)):
        finding = _corners(number, corners, features, is_ours=is_ours)
        if finding is not None:
            yield finding
    smallest = min(_values(features, OBJECT_LABEL), default=1)
    if not is_ours and smallest < 1:
        yield Finding("box_background", {"label": smallest})


def _lengths(features: Mapping[str, Feature], *, is_ours: bool) -> dict[str, int]:
    """Key -> number of values, of all corners and of what else is told of each box."""
    lengths = {key: len(_values(features, key)) for key in OBJECT_CORNERS}
    for key in (OBJECT_LABEL, OBJECT_TEXT, *_ATTRIBUTE_KEYS):
        if key in features and (is_ours or features[key].values):
            lengths[key] = len(features[key].values)
    return lengths


def _values(features: Mapping[str, Feature], key: str) -> Sequence[Any]:
    """The values of a list of boxes; none where it is of a kind that readers refuse."""
    feature = features.get(key)
    kind = "int64" if key == OBJECT_LABEL else "float"
    return feature.values if feature is not None and feature.kind == kind else ()


def _corners(
    number: int, corners: tuple[float, ...], features: Mapping[str, Feature], *, is_ours: bool
) -> Finding | None:
    xmin, ymin, xmax, ymax = corners
    told = ", ".join(f"{value:.6g}" for value in corners)
    is_in_order = xmin <= xmax and ymin <= ymax
    if not all(map(math.isfinite, corners)) or not is_in_order:
        return Finding("box_corners", {"number": number, "corners": told})
    beyond = max(-xmin, -ymin, xmax - 1, ymax - 1)
    if beyond <= (0 if is_ours else _ROUNDING):
        return None
    if is_ours:
        return Finding("box_corners", {"number": number, "corners": told})
    why = _why_beyond(max(corners), features)
    return Finding("box_beyond", {"number": number, "corners": told, "why": why})


def _why_beyond(largest: float, features: Mapping[str, Feature]) -> str:
    """What is known to make such boxes, as the end of a sentence; empty when it is none of that."""
    if largest > _SURELY_PIXELS:
        return "; these seem to be pixels, and readers take fractions of width and height"
    image = first_value(features, IMAGE_ENCODED)
    if isinstance(image, bytes) and image.startswith(SIGNATURE) and _lies_on_its_side(image):
        return "; EXIF turns the photo, the box was drawn on it upright and divided by the size as stored"
    return ""


def _lies_on_its_side(jpeg: bytes) -> bool:
    try:
        return walk_jpeg(jpeg).exif.orientation in _QUARTER_TURNS
    except Rejected:  # which is told of the image
        return False
