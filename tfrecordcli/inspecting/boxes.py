"""The boxes of records, by the keys of TensorFlow's Object Detection API: how many, of what size, as rows."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tfrecordcli.inspecting.images import StoredImage
from tfrecordcli.schema import (
    IMAGE_SOURCE_ID,
    OBJECT_CORNERS,
    OBJECT_LABEL,
    OBJECT_TEXT,
    attribute_key,
)
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.label_keys import Label, labels_of

# Areas in pixels below which COCO calls an object small or medium (cocoapi, cocoeval.py).
_SMALL, _MEDIUM = 32**2, 96**2
_DIGITS: Final = 10  # after the point, of pixels

# The columns of boxes in a CSV beside split, image_uri and label; the last two are `tfrec convert`'s own.
COLUMNS: Final = ("xmin", "ymin", "xmax", "ymax", "tfrec_unit", "tfrec_source_id")


class Box(NamedTuple):
    """One box: xmin, ymin, xmax, ymax as fractions of the image's size; its label, if it has one."""

    corners: tuple[float, float, float, float]
    label: Label | None


def boxes_of(features: Mapping[str, FeatureValues], *, none_is_empty: bool = False) -> list[Box] | None:
    """The boxes of a record; None when it has lists of different lengths, or no such keys.

    Args:
      none_is_empty: a record without any of the keys has no boxes.
    """
    if none_is_empty and not any(key in features for key in OBJECT_CORNERS):
        return []
    sides = [features.get(key) for key in OBJECT_CORNERS]
    if any(side is None or (side.values and side.kind != "float") for side in sides):
        return None
    values: list[Any] = [side.values for side in sides if side is not None]
    if len({len(each) for each in values}) > 1:
        return None
    labels = labels_of(features, OBJECT_LABEL) or labels_of(features, OBJECT_TEXT)
    if labels and len(labels) != len(values[0]):
        return None
    named: list[Label | None] = [*labels] or [None] * len(values[0])
    return [Box(corners, label) for corners, label in zip(zip(*values, strict=True), named, strict=True)]


@dataclass(frozen=True, slots=True)
class BoxSummary:
    """The boxes of many records.

    Attributes:
      boxes: all of them.
      records: that have the keys of boxes; without: of those, that have no box.
      fewest, most: boxes of one of these records; mean: of all of them.
      small, medium, large: boxes by their area in pixels of the image: below 32 x 32, below 96 x 96, more.
        Those of images whose size cannot be read are in none.
      uneven: records whose lists of boxes differ in length, or are no floats; their boxes are not counted.
    """

    boxes: int = 0
    records: int = 0
    without: int = 0
    fewest: int = 0
    most: int = 0
    mean: float = 0.0
    small: int = 0
    medium: int = 0
    large: int = 0
    uneven: int = 0


class BoxTable:
    """Counts boxes."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()  # by the names of `BoxSummary`
        self._fewest: int | None = None
        self._most = 0

    def add(self, features: Mapping[str, FeatureValues], stored: StoredImage | None) -> None:
        """Takes in one record."""
        if not any(key in features for key in OBJECT_CORNERS):
            return
        boxes = boxes_of(features)
        if boxes is None:
            self._counts["uneven"] += 1
            return
        self._counts.update(records=1, boxes=len(boxes), without=int(not boxes))
        self._most = max(self._most, len(boxes))
        self._fewest = len(boxes) if self._fewest is None else min(self._fewest, len(boxes))
        if stored is None or stored.width is None or stored.height is None:
            return
        for (xmin, ymin, xmax, ymax), _ in boxes:
            area = (xmax - xmin) * (ymax - ymin) * stored.width * stored.height
            self._counts["small" if area < _SMALL else "medium" if area < _MEDIUM else "large"] += 1

    def summary(self) -> BoxSummary | None:
        """None when no record has the keys of boxes."""
        boxes, records = self._counts["boxes"], self._counts["records"]
        if not records + self._counts["uneven"]:
            return None
        mean = round(boxes / records, 3) if records else 0.0
        return BoxSummary(**self._counts, fewest=self._fewest or 0, most=self._most, mean=mean)


# --- as rows of a CSV ---


def box_rows(
    features: Mapping[str, FeatureValues], boxes: list[Box], stored: StoredImage, attributes: tuple[str, ...]
) -> Iterator[tuple[Label | None, list[str]]]:
    """For each box its label, and the fields of `COLUMNS` and of these attributes; one empty row for no box.

    Corners are pixels in as few digits as give the same float32 again once they are divided.
    """
    source_id = source_id_of(features)
    if not boxes:
        yield None, [""] * 4 + ["", source_id] + [""] * len(attributes)
    told = [_texts(features.get(attribute_key(name)), len(boxes)) for name in attributes]
    sides = (stored.width or 1, stored.height or 1) * 2
    for number, (corners, label) in enumerate(boxes):
        pixels = [shortest(value, side) for value, side in zip(corners, sides, strict=True)]
        yield label, [*pixels, "pixels", source_id, *(texts[number] for texts in told)]


def source_id_of(features: Mapping[str, FeatureValues]) -> str:
    """The number of an image in the digits of its record; empty where it has none."""
    feature = features.get(IMAGE_SOURCE_ID)
    value = feature.values[0] if feature is not None and len(feature.values) == 1 else b""
    return value.decode() if isinstance(value, bytes) and value.isdigit() else ""


def _texts(feature: FeatureValues | None, count: int) -> list[str]:
    """The values of an attribute; empty fields where there are not as many as boxes."""
    if feature is None or len(feature.values) != count:
        return [""] * count
    return [text_of(value) for value in feature.values]


def text_of(value: bytes | float | int) -> str:
    """A value as a field of a CSV, a float in as few digits as give the same float32 again."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return shortest(value, 1) if isinstance(value, float) else str(value)


def shortest(value: float, side: int) -> str:
    """``value * side`` in as few digits as give the same float32 again, divided by ``side``."""
    wanted = struct.pack("<f", value)
    for digits in range(_DIGITS):
        text = f"{value * side:.{digits}f}"
        if struct.pack("<f", float(text) / side) == wanted:
            return text
    return repr(value * side)
