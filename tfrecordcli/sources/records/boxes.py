"""Boxes as TFRecords hold them: four features of sides, or one with four numbers for each box."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from tfrecordcli.boxes import Unit
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import ATTRIBUTES, attribute_key
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.fields import corners_in_form
from tfrecordcli.sources.column_words import ONE_CLASS
from tfrecordcli.sources.listed import ListedBox
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.label_files import LabelIds
from tfrecordcli.tfrecords.label_keys import as_text

_SIDES: Final = 4

Features = Mapping[str, FeatureValues]


@dataclass(frozen=True, slots=True)
class BoxKeys:
    """Which features of the records hold boxes, and how.

    Attributes:
      sides: four keys, or one with four numbers for each box.
      label, text: keys of ids, or of names in their place, and of names beside ids; empty: there is none. The
        key of the sides: the fifth number of each box is its id.
      form: of the four numbers.
      unit: that the keys tell, or an option; None: the numbers of all boxes tell it.
      is_told: whether the keys tell the form for certain.
      are_of_one_class: whether no key holds labels.
    """

    sides: tuple[str, ...]
    label: str
    text: str
    form: BoxFormat = "xyxy"
    unit: Unit | None = "fractions"
    is_told: bool = True
    are_of_one_class: bool = False

    @property
    def width(self) -> int:
        """How many numbers a box has under one key."""
        return _SIDES + (self.sides == (self.label,))

    @property
    def used(self) -> tuple[str, ...]:
        """All keys that are read."""
        return *self.sides, self.label, self.text


def boxes_of(features: Features, keys: BoxKeys, ids: LabelIds, counts: Counter[str]) -> tuple[ListedBox, ...]:
    """The boxes of one record, in its order, on the picture as it is stored.

    Args:
      counts: of boxes that only fill up the record are added to.

    Raises:
      Rejected: ``bad_box``: there are more labels or sides than boxes, or a size is negative.
    """
    numbers = list(numbers_of(features, keys))
    pairs = _labels(features, keys, len(numbers))
    values = {name: values_of(features, attribute_key(name)) for name in ATTRIBUTES}
    told = {name: each for name, each in values.items() if len(each) == len(numbers)}
    filled = _filled(numbers) if not keys.is_told else len(numbers)
    if filled < len(numbers):
        counts["rows of zeros, or of numbers below 0, that fill up the boxes of a record are left out"] += (
            len(numbers) - filled
        )
    return tuple(
        ListedBox(
            _name(*pairs[at], ids),
            corners_in_form(box, keys.form),
            at,
            {name: _plain(each[at]) for name, each in told.items()},
        )
        for at, box in enumerate(numbers[:filled])
    )


def _filled(boxes: Sequence[Sequence[float]]) -> int:
    """How many boxes there are before those that only fill up a record."""
    return next((at + 1 for at in reversed(range(len(boxes))) if not is_filling(boxes[at])), 0)


def is_filling(box: Sequence[float]) -> bool:
    """Whether the numbers of a box are zeros, or all below 0, where no box in an image lies."""
    return max(box) < 0 or not any(box)


def boxes_as_written(features: Features, keys: BoxKeys, ids: LabelIds) -> tuple[ListedBox, ...]:
    """The boxes of a record of which `boxes_of` raises, each with those sides and the label that it has."""
    sides = [values_of(features, key) for key in keys.sides]
    if len(sides) == 1:
        flat = sides[0]
        sides = [flat[at :: keys.width] for at in range(_SIDES)]
    names = zip_longest(_ids_of(features, keys), values_of(features, keys.text))
    labels = [_name(number, text, ids) for number, text in names]
    found = enumerate(zip_longest(labels, *sides))
    no_label = ONE_CLASS if keys.are_of_one_class else ""
    return tuple(_as_written(label or no_label, numbers, keys.form, at) for at, (label, *numbers) in found)


def _as_written(label: str, numbers: Sequence[float | None], form: BoxFormat, place: int) -> ListedBox:
    known = [each for each in numbers if each is not None]
    with suppress(Rejected):
        if len(known) == _SIDES:
            return ListedBox(label, corners_in_form(known, form), place)
    written = ["" if each is None else repr(each) for each in numbers]
    if form in ("xywh", "center_xywh"):
        return ListedBox(label, (math.nan,) * 4, place, written=(" ".join(written),))
    order = (1, 0, 3, 2) if form == "yxyx" else range(_SIDES)
    return ListedBox(label, (math.nan,) * 4, place, written=tuple(written[at] for at in order))


def numbers_of(features: Features, keys: BoxKeys) -> Iterator[Sequence[float]]:
    """The four numbers of each box in a record.

    Raises:
      Rejected: ``bad_box``: one of them has more or fewer.
    """
    sides = [values_of(features, key) for key in keys.sides]
    if len(sides) == 1:
        flat = list(sides[0])
        if len(flat) % keys.width:
            count = {_SIDES: "four"}.get(keys.width, "five")
            raise Rejected("bad_box", what=f"of this record has {len(flat)} numbers, not {count} for each")
        yield from (flat[at : at + _SIDES] for at in range(0, len(flat), keys.width))
        return
    if len(set(map(len, sides))) > 1:
        raise Rejected("bad_box", what=f"of this record has {', '.join(str(len(s)) for s in sides)} sides")
    yield from zip(*sides, strict=True)


def _labels(features: Features, keys: BoxKeys, count: int) -> list[tuple[Any, bytes | None]]:
    """The id, or a name in its place, and the name beside it of each box."""
    numbers, texts = _ids_of(features, keys), values_of(features, keys.text)
    if keys.are_of_one_class and not numbers and not texts:
        return [(None, ONE_CLASS.encode())] * count
    if count and not numbers and not texts:
        raise Rejected("bad_box", what="of this record has no label")
    for each in (numbers, texts):
        if each and len(each) != count:
            raise Rejected("bad_box", what=f"of this record: {len(each)} labels for {count} boxes")
    return [*zip(numbers or [None] * count, texts or [None] * count, strict=True)]


def _ids_of(features: Features, keys: BoxKeys) -> Sequence[Any]:
    values = values_of(features, keys.label)
    return values if keys.width == _SIDES else list(values)[_SIDES :: keys.width]


def _name(number: Any, text: bytes | None, ids: LabelIds) -> str:
    """How the label of a box is called; both may be names."""
    if isinstance(number, bytes):
        return as_text(text or number)
    whole = None if number is None or not float(number).is_integer() else int(number)
    return ids.name(whole, as_text(text or b"") or None)


def values_of(features: Features, key: str) -> Sequence[Any]:
    """The values of a feature; none where there is no such key."""
    feature = features.get(key)
    return feature.values if feature is not None else ()


def _plain(value: Any) -> int | float | str:
    return as_text(value) if isinstance(value, bytes) else value
