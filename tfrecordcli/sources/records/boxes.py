"""Boxes as TFRecords hold them: keys of the Object Detection API, and those of TensorFlow Datasets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import ATTRIBUTES, OBJECT_CORNERS, OBJECT_LABEL, OBJECT_TEXT, attribute_key
from tfrecordcli.sources.boxes.words import WHOLE_WORDS, as_word
from tfrecordcli.sources.listed import ListedBox
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.label_files import LabelIds
from tfrecordcli.tfrecords.label_keys import as_text

# Four numbers a box, ymin, xmin, ymax, xmax (tfds.features.BBoxFeature), beside `label`.
_TFDS: Final = "bbox"
# Last parts of keys that hold boxes in a form which nothing tells, as `as_word` has them.
_CALLED_BOXES: Final = frozenset({"bbox", "bboxes", "box", "boxes", "gtboxes", "gtbboxes", *WHOLE_WORDS})
_SIDES: Final = 4
# Fractions beyond 1 are rounding, or boxes that were not clipped; none of these lie twice a picture away.
_MOST_FRACTION: Final = 2.0

Features = Mapping[str, FeatureValues]


def find_box_keys(sample: Iterable[Features]) -> tuple[tuple[str, ...], str, str]:
    """(keys of corners, of label ids, of label names) in these records; no corners: they hold no boxes."""
    for features in sample:
        if all(key in features for key in OBJECT_CORNERS):
            return OBJECT_CORNERS, OBJECT_LABEL, OBJECT_TEXT
        for key, feature in features.items():
            parent, _, name = key.rpartition("/")
            if name == _TFDS and feature.kind == "float" and len(feature.values) % 4 == 0:
                return (key,), f"{parent}/label" if parent else "label", ""
    return (), "", ""


def find_unread_boxes(sample: Sequence[Features], label: str) -> str:
    """The key of boxes in these records that `find_box_keys` does not know; empty: there is none.

    Args:
      label: key of labels, for each of which every record has four numbers there.
    """
    for key in sorted({key for features in sample for key in features}):
        if as_word(key.rpartition("/")[2]) not in _CALLED_BOXES:
            continue
        found = [features for features in sample if key in features and features[key].values]
        if found and all(_has_box_for_each(features, key, label) for features in found):
            return key
    return ""


def are_in_pixels(sample: Iterable[Features], corner_keys: tuple[str, ...]) -> bool:
    """Whether a quarter of the boxes in these records reach so far that no fractions of a size can."""
    boxes = [box for features in sample for box in _whole_boxes(features, corner_keys)]
    return 4 * sum(max(map(abs, box)) > _MOST_FRACTION for box in boxes) > len(boxes)


def _whole_boxes(features: Features, keys: tuple[str, ...]) -> list[tuple[float, float, float, float]]:
    try:
        return list(_corners(features, keys))
    except Rejected:
        return []


def _has_box_for_each(features: Features, key: str, label: str) -> bool:
    boxes, labels = features[key], features.get(label)
    count = len(labels.values) if labels is not None else 0
    return boxes.kind in ("float", "int64") and len(boxes.values) == _SIDES * count


def boxes_of(
    features: Features, corner_keys: tuple[str, ...], label_key: str, text_key: str, ids: LabelIds
) -> tuple[ListedBox, ...]:
    """The boxes of one record, in its order, as fractions of the picture as it is stored.

    Raises:
      Rejected: ``bad_box``: there are more labels or sides than boxes.
    """
    corners = list(_corners(features, corner_keys))
    labels = _labels(features, label_key, text_key, len(corners), ids)
    values = {name: _values(features, attribute_key(name)) for name in ATTRIBUTES}
    told = {name: each for name, each in values.items() if len(each) == len(corners)}
    return tuple(
        ListedBox(labels[at], box, at, {name: _plain(each[at]) for name, each in told.items()})
        for at, box in enumerate(corners)
    )


def boxes_as_written(
    features: Features, corner_keys: tuple[str, ...], label_key: str, text_key: str, ids: LabelIds
) -> tuple[ListedBox, ...]:
    """The boxes of a record of which `boxes_of` raises, each with those sides and the label that it has."""
    sides = [_values(features, key) for key in corner_keys]
    if len(sides) == 1:
        flat = sides[0]
        sides = [flat[at::4] for at in (1, 0, 3, 2)]
    names = zip_longest(_values(features, label_key), _values(features, text_key) if text_key else ())
    labels = [ids.name(number, as_text(text or b"") or None) for number, text in names]
    found = enumerate(zip_longest(labels, *sides))
    return tuple(_as_written(label or "", corners, at) for at, (label, *corners) in found)


def _as_written(label: str, corners: Sequence[float | None], place: int) -> ListedBox:
    known = [each for each in corners if each is not None]
    if len(known) == _SIDES:
        return ListedBox(label, (known[0], known[1], known[2], known[3]), place)
    written = tuple("" if each is None else repr(each) for each in corners)
    return ListedBox(label, (math.nan,) * 4, place, written=written)


def _corners(features: Features, keys: tuple[str, ...]) -> Iterator[tuple[float, float, float, float]]:
    if len(keys) == 1:
        flat = _values(features, keys[0])
        if len(flat) % _SIDES:
            raise Rejected("bad_box", what=f"of this record has {len(flat)} numbers, not four for each")
        for at in range(0, len(flat) - 3, 4):
            ymin, xmin, ymax, xmax = flat[at : at + 4]
            yield xmin, ymin, xmax, ymax
        return
    sides = [_values(features, key) for key in keys]
    if len(set(map(len, sides))) > 1:
        raise Rejected("bad_box", what=f"of this record has {', '.join(str(len(s)) for s in sides)} sides")
    yield from zip(*sides, strict=True)


def _labels(features: Features, label_key: str, text_key: str, count: int, ids: LabelIds) -> list[str]:
    numbers = _values(features, label_key)
    texts = _values(features, text_key) if text_key else []
    if count and not numbers and not texts:
        raise Rejected("bad_box", what="of this record has no label")
    for each in (numbers, texts):
        if each and len(each) != count:
            raise Rejected("bad_box", what=f"of this record: {len(each)} labels for {count} boxes")
    pairs = zip(numbers or [None] * count, texts or [b""] * count, strict=True)
    return [ids.name(number, as_text(text) or None) for number, text in pairs]


def _values(features: Features, key: str) -> Sequence[Any]:
    feature = features.get(key)
    return feature.values if feature is not None else ()


def _plain(value: Any) -> int | float | str:
    return as_text(value) if isinstance(value, bytes) else value
