"""The image and the boxes of a record against what the record says of them.

The keys of boxes are those of TensorFlow's Object Detection API (tensorflow/models, in
research/object_detection/data_decoders/tf_example_decoder.py), which takes values by their place in these
lists.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tfrecordcli import schema
from tfrecordcli.images.checked_image import CheckedImage
from tfrecordcli.images.jpeg import SIGNATURE, walk_jpeg
from tfrecordcli.images.notes import reencoded
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import (
    ATTRIBUTES,
    IMAGE_ENCODED,
    OBJECT_CORNERS,
    OBJECT_LABEL,
    OBJECT_TEXT,
    attribute_key,
)
from tfrecordcli.tfrecords.feature import FeatureValues

_ATTRIBUTE_KEYS: Final = tuple(map(attribute_key, ATTRIBUTES))
_ROUNDING: Final = 1e-6  # of quotients in 32 bits
_SURELY_PIXELS: Final = 2.0  # a box drawn on a photo that lies on its side rarely reaches as far
_QUARTER_TURNS: Final = frozenset({5, 6, 7, 8})


@dataclass(frozen=True, slots=True)
class RecordFinding:
    """Something wrong with a record: a code of `PROBLEMS` and what fills its text in."""

    code: str
    details: dict[str, Any]


# The keys of a height and a width -> what they say wrongly of the first image that they stand beside; None
# when they are right about one of those, or may be.
SizesBeside = dict[tuple[str, str], RecordFinding | None]


def compare_stored(
    image: CheckedImage, data: bytes, features: Mapping[str, FeatureValues]
) -> Iterator[RecordFinding]:
    """An image under `image/encoded` with what stands beside it."""
    stored = first_value(features, schema.IMAGE_FORMAT)
    kept = image.data is data or image.data == data
    image_format = image.format if kept else _format_before(image)
    if isinstance(stored, bytes) and _plain(stored) not in _names_of(image_format):
        yield RecordFinding("image_format", {"found": shown_text(stored), "expected": image_format})
    sizes = {schema.IMAGE_HEIGHT: image.height, schema.IMAGE_WIDTH: image.width}
    if kept:  # the channels of what was encoded again are not those of the source
        sizes[schema.IMAGE_CHANNELS] = image.channels
    found = {key: first_value(features, key) for key in sizes}
    if any(value is not None and value != sizes[key] for key, value in found.items()):
        yield RecordFinding(
            "image_size",
            {"found": _shown(found.values()), "expected": _shown(sizes.values())},
        )


def compare_beside(
    key: str, image: CheckedImage, names: tuple[str, str], size: tuple[int, int]
) -> RecordFinding | None:
    """An image under a key of others with the height and width that stand under these names."""
    if size == (image.height, image.width):
        return None
    found, expected = _shown(size), _shown((image.height, image.width))
    if names == (schema.IMAGE_HEIGHT, schema.IMAGE_WIDTH):
        return RecordFinding("image_size", {"found": found, "expected": expected})
    # These may be those of something else.
    details = {"keys": " and ".join(names), "found": found, "key": key, "expected": expected}
    return RecordFinding("image_size_beside", details)


def first_value(features: Mapping[str, FeatureValues], key: str) -> bytes | float | int | None:
    """The value of a feature that has one."""
    feature = features.get(key)
    return feature.values[0] if feature is not None and len(feature.values) == 1 else None


def _format_before(image: CheckedImage) -> str:
    """The format of an image that was encoded again."""
    notes = (note.removeprefix(reencoded("")) for note in image.notes if note.startswith(reencoded("")))
    return next(notes, image.format)


def _plain(image_format: bytes) -> bytes:
    """`jpg` of `.JPG` and of `image/jpg`."""
    return image_format.lower().removeprefix(b"image/").removeprefix(b".")


def _names_of(image_format: str) -> tuple[bytes, ...]:
    aliases = {"jpeg": b"jpg", "tiff": b"tif", "heif": b"heic", "jpeg2000": b"jp2"}
    name = image_format.encode()
    return name, aliases.get(image_format, name)


def _shown(sizes: Any) -> str:
    return " x ".join("?" if size is None else str(size) for size in sizes)


def shown_text(value: Any) -> str:
    """A value of a bytes feature between quotes, as names are shown; bytes that are no UTF-8 as escapes."""
    if not isinstance(value, bytes):
        return repr(value)
    try:
        return repr(value.decode())
    except UnicodeDecodeError:
        return repr(value).removeprefix("b")


# --- boxes ---


def check_boxes(features: Mapping[str, FeatureValues], *, is_ours: bool) -> Iterator[RecordFinding]:
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
        yield RecordFinding("box_lengths", {"detail": told})
        return
    boxes = [*zip(*(_values(features, key) for key in OBJECT_CORNERS), strict=True)]
    pixels = [] if is_ours else [number for number, corners in enumerate(boxes) if _are_pixels(corners)]
    if 2 * len(pixels) > len(boxes):
        yield RecordFinding("box_pixels", {"number": pixels[0], "corners": _told(boxes[pixels[0]])})
        boxes = []
    for number, corners in enumerate(boxes):
        finding = _corners(number, corners, features, is_ours=is_ours)
        if finding is not None:
            yield finding
    smallest = min(_values(features, OBJECT_LABEL), default=1)
    if smallest < 1:
        yield RecordFinding("box_background", {"label": smallest})


def _lengths(features: Mapping[str, FeatureValues], *, is_ours: bool) -> dict[str, int]:
    """Key -> number of values, of all corners and of what else is told of each box."""
    lengths = {key: len(_values(features, key)) for key in OBJECT_CORNERS}
    for key in (OBJECT_LABEL, OBJECT_TEXT, *_ATTRIBUTE_KEYS):
        if key in features and (is_ours or features[key].values):
            lengths[key] = len(features[key].values)
    return lengths


def _values(features: Mapping[str, FeatureValues], key: str) -> Sequence[Any]:
    """The values of a list of boxes; none where it is of a kind that readers refuse."""
    feature = features.get(key)
    kind = "int64" if key == OBJECT_LABEL else "float"
    return feature.values if feature is not None and feature.kind == kind else ()


def _told(corners: Sequence[float]) -> str:
    return ", ".join(f"{value:.6g}" for value in corners)


def _are_pixels(corners: Sequence[float]) -> bool:
    """Whether a box reaches so far that its numbers can be no fractions."""
    return all(map(math.isfinite, corners)) and max(corners) > _SURELY_PIXELS


def _corners(
    number: int, corners: tuple[float, ...], features: Mapping[str, FeatureValues], *, is_ours: bool
) -> RecordFinding | None:
    xmin, ymin, xmax, ymax = corners
    told = _told(corners)
    is_in_order = xmin <= xmax and ymin <= ymax
    if not all(map(math.isfinite, corners)) or not is_in_order:
        return RecordFinding("box_corners", {"number": number, "corners": told})
    beyond = max(-xmin, -ymin, xmax - 1, ymax - 1)
    if beyond <= (0 if is_ours else _ROUNDING):
        return None
    if is_ours:
        return RecordFinding("box_corners", {"number": number, "corners": told})
    why = _why_beyond(corners, features)
    return RecordFinding("box_beyond", {"number": number, "corners": told, "why": why})


def _why_beyond(corners: Sequence[float], features: Mapping[str, FeatureValues]) -> str:
    """What is known to make such boxes, as the end of a sentence; empty when it is none of that."""
    if _are_pixels(corners):
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
