"""Which features of TFRecords hold boxes: by the keys of two libraries, else by keys and numbers together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Final

from tfrecordcli.boxes import Unit
from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import ATTRIBUTES, OBJECT_CORNERS, OBJECT_LABEL, OBJECT_TEXT, attribute_key
from tfrecordcli.sources.boxes.columns import BoxFormat, find_box_columns
from tfrecordcli.sources.boxes.fit import nearly_all
from tfrecordcli.sources.boxes.words import WHOLE_WORDS, as_word
from tfrecordcli.sources.records.boxes import BoxKeys, Features, is_filling, numbers_of, values_of
from tfrecordcli.sources.records.labels import label_key
from tfrecordcli.tfrecords.label_keys import label_rank, text_key_of

# Four numbers a box, ymin, xmin, ymax, xmax (tfds.features.BBoxFeature), beside `label`.
_TFDS: Final = "bbox"
# Last parts of keys that hold boxes in a form which nothing tells, as `as_word` has them.
_CALLED_BOXES: Final = frozenset({
    "box", "boxes", "boundingboxes", "gtbox", "gtboxes", "gtbbox", "gtbboxes", "rect", "rects", "roi", "rois",
    *WHOLE_WORDS,
})  # fmt: skip
_PLURAL: Final = re.compile(r"(?i)(?:(?<=max)es|(?<=\w)s)$")  # of sides: `xmins`, `xmaxes`
_ATTRIBUTES: Final = frozenset(map(attribute_key, ATTRIBUTES))
_SIDES: Final = 4
_WITH_ID: Final = 5
# Fractions beyond 1 are rounding, or boxes that were not clipped; none of these lie twice a picture away.
_MOST_FRACTION: Final = 2.0


def find_box_keys(sample: Sequence[Features], options: ReadOptions, *, is_tfds: bool) -> BoxKeys | None:
    """The keys of boxes in these records; None: they hold none.

    Args:
      is_tfds: whether TensorFlow Datasets wrote them, as a file beside them tells.

    Returns:
      keys without a form that is certain where there are four numbers for each label.
    """
    unit: Unit | None = None if options.box_unit == "auto" else options.box_unit
    given = dict(options.columns).get("label", "")
    known = _known_keys(sample, unit or "fractions", options.box_format, is_tfds=is_tfds)
    if known is not None:
        has_labels = any(key in features for features in sample for key in (known.label, known.text))
        is_certain = has_labels and not given and (known.text or is_tfds)
        return known if is_certain else _with_labels(sample, known, given) or known
    flat = [key for key in _keys(sample) if _may_be_boxes(sample, key)]
    four = (BoxKeys((key,), "", "", is_told=False) for key in flat)
    others = [*_named_sides(sample, options.box_format), *four]
    labelled = filter(None, (_with_labels(sample, keys, given) for keys in others))
    five = (BoxKeys((key,), key, "", is_told=False) for key in flat if _have_ids(sample, key))
    unlabelled = (keys for keys in others if labels_unnamed(sample, keys) or _are_alone(sample, keys, given))
    found = next(chain(labelled, five, unlabelled), None)
    return replace(found, unit=unit) if found is not None else None


def _known_keys(
    sample: Sequence[Features], unit: Unit, form: BoxFormat | None, *, is_tfds: bool
) -> BoxKeys | None:
    """The keys of the Object Detection API, or of TensorFlow Datasets."""
    if any(all(key in features for key in OBJECT_CORNERS) for features in sample):
        return BoxKeys(OBJECT_CORNERS, OBJECT_LABEL, OBJECT_TEXT, unit=unit)
    for key in _keys(sample):
        parent, _, name = key.rpartition("/")
        label = f"{parent}/label" if parent else "label"
        is_named = is_tfds or (parent and any(label in features for features in sample))
        if name == _TFDS and is_named and _are_four(sample, key):
            return BoxKeys((key,), label, "", form or "yxyx", unit, is_told=is_tfds and form is None)
    return None


def are_in_pixels(sample: Iterable[Features], keys: BoxKeys) -> bool:
    """Whether a quarter of the boxes in these records reach so far that no fractions of a size can."""
    boxes = [box for features in sample for box in whole_boxes(features, keys)]
    return 4 * sum(max(map(abs, box)) > _MOST_FRACTION for box in boxes) > len(boxes)


def whole_boxes(features: Features, keys: BoxKeys) -> list[Sequence[float]]:
    """The four numbers of each box in a record; none where not all boxes have four, or only fill it up."""
    try:
        return [box for box in numbers_of(features, keys) if not is_filling(box)]
    except Rejected:
        return []


def _keys(sample: Iterable[Features]) -> list[str]:
    return sorted({key for features in sample for key in features})


def _are_four(sample: Iterable[Features], key: str) -> bool:
    """Whether a feature of floats has four for each of any boxes in one of these records."""
    found = (features[key] for features in sample if key in features)
    return any(feature.kind == "float" and len(feature.values) % _SIDES == 0 for feature in found)


def _may_be_boxes(sample: Sequence[Features], key: str) -> bool:
    """Whether four numbers a label are boxes: by their key, or because some images have more than others."""
    counts = {len(values_of(features, key)) for features in sample} - {0}
    return as_word(key.rpartition("/")[2]) in _CALLED_BOXES or len(counts) > 1


def _have_ids(sample: Sequence[Features], key: str) -> bool:
    """Whether a feature of boxes has five numbers for each, the last of which is an id: whole, and few."""
    if as_word(key.rpartition("/")[2]) not in _CALLED_BOXES:
        return False
    found = [list(values_of(features, key)) for features in sample]
    if any(len(values) % _WITH_ID for values in found) or "bytes" in _kinds(sample, key):
        return False
    ids = [number for values in found for number in values[_SIDES::_WITH_ID]]
    are_few = 0 < len({*ids}) <= max(2, len(ids) // 2)
    return are_few and all(float(number).is_integer() and number >= 0 for number in ids)


def _are_alone(sample: Sequence[Features], keys: BoxKeys, given: str) -> bool:
    """Whether boxes are called so, and nothing in these records is called as a label is.

    Args:
      given: as of `_with_labels`.
    """
    is_called = len(keys.sides) > 1 or as_word(keys.sides[0].rpartition("/")[2]) in _CALLED_BOXES
    counts = [_count(features, keys.sides) for features in sample]
    return is_called and any(counts) and None not in counts and not given and not label_key(sample, "")


def _named_sides(sample: Sequence[Features], form: BoxFormat | None) -> Iterator[BoxKeys]:
    """Four keys of numbers beside each other that are called as the sides of boxes."""
    by_parent: dict[str, list[str]] = {}
    numbers = {key for features in sample for key, each in features.items() if each.kind not in ("", "bytes")}
    for key in sorted(numbers):
        parent, slash, name = key.rpartition("/")
        by_parent.setdefault(parent + slash, []).append(name)
    for parent, names in by_parent.items():
        with suppress(InputError):
            single = [_PLURAL.sub("", name) for name in names]
            found = find_box_columns(names, form) or find_box_columns(single, form)
            if found is not None and len(found.corners) == _SIDES:
                sides = tuple(parent + names[i] for i in found.corners)
                are_corners = found.form == "xyxy"
                if are_corners or any(len(values_of(each, sides[-1])) > 1 for each in sample):
                    yield BoxKeys(sides, "", "", found.form, is_told=are_corners)


def _with_labels(sample: Sequence[Features], keys: BoxKeys, given: str) -> BoxKeys | None:
    """The same with the keys of as many labels as boxes in each record; None: there are none of these.

    Args:
      given: key of the labels by an option, or empty.
    """
    beside = keys_beside(sample, keys)
    if given in beside:
        return replace(keys, label=given, text="")
    labels = sorted(
        filter(label_rank, beside), key=lambda key: (-_shared(key, keys.sides[0]), label_rank(key), key)
    )
    texts = [key for key in labels if _has_texts(sample, key)]
    label = next((key for key in labels if key not in texts), "")
    text = text_key_of(label, beside)
    text = text if text in beside and _has_texts(sample, text) else next(iter(texts), "")
    return replace(keys, label=label, text=text) if labels else None


def labels_unnamed(sample: Sequence[Features], keys: BoxKeys) -> list[str]:
    """The keys of other names that may hold the labels of boxes."""
    beside = (key for key in keys_beside(sample, keys) if key not in _ATTRIBUTES)
    return [key for key in beside if _kinds(sample, key) <= {"int64", "bytes"} and _is_varied(sample, key)]


def keys_beside(sample: Sequence[Features], keys: BoxKeys) -> list[str]:
    """The keys of which each record with boxes has as many values as boxes; none where sides do not agree."""
    sample = [each for each in sample if any(values_of(each, key) for key in keys.sides)]
    counts = [_count(features, keys.sides) for features in sample]
    if not any(counts) or not nearly_all(count is not None for count in counts):
        return []
    return [
        key
        for key in _keys(sample)
        if key not in keys.sides
        and nearly_all(len(values_of(each, key)) == count for each, count in zip(sample, counts, strict=True))
    ]


def _count(features: Features, sides: Sequence[str]) -> int | None:
    """How many boxes a record has; None: sides of other lengths, or no four numbers each."""
    kinds = {features[key].kind for key in sides if key in features and features[key].values}
    lengths = {len(values_of(features, key)) for key in sides}
    (length,) = lengths if len(lengths) == 1 else (-1,)
    if length < 0 or "bytes" in kinds or (len(sides) == 1 and length % _SIDES):
        return None
    return length // _SIDES if len(sides) == 1 else length


def _shared(key: str, other: str) -> int:
    """How many parts two keys begin with alike."""
    parts, others = key.split("/")[:-1], other.split("/")[:-1]
    return next((at for at, (a, b) in enumerate(zip(parts, others, strict=False)) if a != b), min(
        len(parts), len(others)
    ))  # fmt: skip


def _has_texts(sample: Iterable[Features], key: str) -> bool:
    return "bytes" in _kinds(sample, key)


def _kinds(sample: Iterable[Features], key: str) -> set[str]:
    return {features[key].kind for features in sample if key in features and features[key].values}


def _is_varied(sample: Iterable[Features], key: str) -> bool:
    return len({value for features in sample for value in values_of(features, key)}) > 1
