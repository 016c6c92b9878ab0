"""Further features of TFRecords that are stored again: numbers and texts beside image, labels and boxes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from tfrecordcli.schema import IMAGE_FILENAME, IMAGE_TARGET, Feature, Schema
from tfrecordcli.sources.column_words import FEATURE_COLUMN
from tfrecordcli.tfrecords import feature as parsed

_MOST: Final = 100  # features
_MOST_BYTES: Final = 1_000  # of a text
_MOST_VALUES: Final = 1_000  # of one record
_MOST_CHARACTERS: Final = 10_000  # of a field of several texts
# What parts several values in a field: of texts a sign that occurs in none of them.
_BETWEEN: Final = {"int64": " ", "float": " ", "bytes": "\u241f"}

Features = Mapping[str, parsed.FeatureValues]


def further_features(
    sample: Iterable[Features], used: Collection[str], schema: Schema | None
) -> list[Feature]:
    """The features that are stored again, sorted by key.

    Args:
      sample: a few records.
      used: keys that are taken otherwise.
      schema: of a dataset of ours; None: each feature that has a short text or numbers in every record of the
        sample that has any value of it.
    """
    if schema is not None:
        return [
            replace(each, column=FEATURE_COLUMN + each.key)
            for each in schema.columns
            if each.key != IMAGE_FILENAME
        ]
    kinds: dict[str, str] = {}
    several: set[str] = set()
    for features in sample:
        for key, value in features.items():
            if len(value.values) and key not in used and not key.startswith("image/object/"):
                separator = _between(value)
                fits = kinds.get(key, value.kind) == value.kind and text_of(value, separator) is not None
                kinds[key] = value.kind if fits else ""
                several.update([key] if separator else [])
    chosen = sorted(key for key, kind in kinds.items() if kind and key != IMAGE_TARGET)[:_MOST]
    return [_feature(key, kinds[key], has_several=key in several) for key in chosen]


def _between(value: parsed.FeatureValues) -> str:
    """What parts several values in a field; empty for one."""
    return _BETWEEN[value.kind] if 1 < len(value.values) <= _MOST_VALUES else ""


def _feature(key: str, kind: str, *, has_several: bool) -> Feature:
    shape, separator = ((None,), _BETWEEN[kind]) if has_several else ((), "")
    doc = "as the source's own record has it"
    return Feature(key, kind, shape, False, doc, FEATURE_COLUMN + key, separator)  # type: ignore[arg-type]


def texts_of(features: Features, further: Iterable[Feature], counts: Counter[str]) -> tuple[str, ...]:
    """The field of each further feature; empty where a record does not have it.

    Args:
      counts: of values that cannot be a field are added to.
    """
    texts = []
    for each in further:
        value = features.get(each.key)
        text = "" if value is None or not len(value.values) else None
        if value is not None and text is None and value.kind == each.kind:
            text = text_of(value, each.separator)
        if text is None:
            counts[f"values of {each.key} are left out: they are no {each.kind} that a list can hold"] += 1
        texts.append(text or "")
    return tuple(texts)


def text_of(value: parsed.FeatureValues, separator: str) -> str | None:
    """The field that a feature's values are in a list; None when they cannot be one."""
    if (len(value.values) != 1 and not separator) or len(value.values) > _MOST_VALUES:
        return None
    texts = [_text(each) for each in value.values]
    if None in texts or (separator and any(separator in text for text in filter(None, texts))):
        return None
    field = separator.join(filter(None, texts))
    is_too_long = separator == _BETWEEN["bytes"] and len(field) > _MOST_CHARACTERS
    return None if is_too_long else field


def _text(value: Any) -> str | None:
    if isinstance(value, bytes):
        text = value[: _MOST_BYTES + 1].decode(errors="replace")
        is_text = len(value) <= _MOST_BYTES and text.isprintable() and "\ufffd" not in text
        return text if is_text and text == text.strip() and text else None
    return repr(value) if math.isfinite(value) else None
