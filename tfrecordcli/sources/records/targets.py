"""Which feature of TFRecords holds numbers to predict, and what is said where it is not certain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import IMAGE_TARGET
from tfrecordcli.shell import command_line
from tfrecordcli.sources.records.image import Features
from tfrecordcli.tfrecords.label_keys import NO_LABEL_ALONE, label_rank, labels_of
from tfrecordcli.units import join_pairs

_FEW: Final = 3  # keys that are proposed one by one


def target_key(sample: Sequence[Features]) -> str:
    """The likeliest key of a float an image that is called as a label is; empty: there is none."""
    keys = {key for features in sample for key in features if _is_called_so(key)}
    return min(
        (key for key in keys if _are_numbers(sample, key, "float")),
        key=lambda key: (key != IMAGE_TARGET, label_rank(key) or NO_LABEL_ALONE, key),
        default="",
    )


def are_measured(sample: Sequence[Features], key: str) -> bool:
    """Whether a key has a float an image, and not all of them are whole."""
    return _are_numbers(sample, key, "float") and not all(map(float.is_integer, _numbers(sample, key)))


def need_target(name: str, sample: Sequence[Features], free: Sequence[str]) -> str:
    """The key of the number to predict.

    Args:
      name: of the source, for messages.
      free: keys that may hold it.

    Raises:
      InputError: no key is called so; with the options that take others.
    """
    key = target_key(sample)
    if not key:
        of_numbers = [key for kind in ("float", "int64") for key in free if _are_numbers(sample, key, kind)]
        what = "no numbers to predict: no feature with a float an image is called as a label is"
        how = ", ".join(f"{_option(key)} --task regression takes {key}" for key in of_numbers[:_FEW])
        raise InputError(f"{name}: {what}", how or "convert the list that they were made of")
    return key


def options_for_targets(sample: Sequence[Features], free: Sequence[str]) -> Iterator[str]:
    """Options that take keys of other names for numbers to predict: of floats that are not whole."""
    keys = (key for key in free if are_measured(sample, key) and len({*_numbers(sample, key)}) > 1)
    for key, _ in zip(keys, range(_FEW), strict=False):
        yield f"{_option(key)} --task regression takes {key} for a number to predict"


def text_of_target(features: Features, key: str) -> str:
    """The number to predict of a record, as a list has it; empty where it has none, or NaN.

    Raises:
      Rejected: ``bad_value``: there are several.
    """
    feature = features.get(key)
    if feature is None or not len(feature.values):
        return ""
    if len(feature.values) > 1:
        what = f"has {len(feature.values)} values, where one number is to be predicted"
        raise Rejected("bad_value", column=key, what=what)
    if feature.kind == "bytes":
        return labels_of(features, key)[0].name
    return "" if feature.values[0] != feature.values[0] else repr(feature.values[0])


def float_of(features: Features, key: str) -> float | None:
    """The one float under a key; None: it is none, or no number."""
    feature = features.get(key)
    is_one = feature is not None and feature.kind == "float" and len(feature.values) == 1
    number = float(feature.values[0]) if is_one else math.nan  # type: ignore[union-attr]
    return None if math.isnan(number) else number


def _option(key: str) -> str:
    return command_line(["--columns", join_pairs([("label", key)])])


def _is_called_so(key: str) -> bool:
    ranks = (label_rank(key), label_rank(key.rpartition("/")[2]))
    return key == IMAGE_TARGET or any(0 < rank < NO_LABEL_ALONE for rank in ranks)


def _are_numbers(sample: Sequence[Features], key: str, kind: str) -> bool:
    """Whether a key has one number of a kind in each record that has any."""
    found = [features[key] for features in sample if key in features and len(features[key].values)]
    return bool(found) and all(each.kind == kind and len(each.values) == 1 for each in found)


def _numbers(sample: Sequence[Features], key: str) -> list[float]:
    """The finite numbers under a key."""
    values = (value for features in sample if key in features for value in features[key].values)
    return list(filter(math.isfinite, map(float, values)))
