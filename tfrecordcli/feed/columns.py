"""Further columns as a feed gives them: beside an image, or as the row itself where there is none."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.tensorflow import import_tensorflow
from tfrecordcli.schema import (
    IMAGE_ENCODED,
    IMAGE_FILENAME,
    IMAGE_TARGET,
    OBJECT_CORNERS,
    Feature,
    Schema,
    is_of_boxes,
)
from tfrecordcli.shell import command_line
from tfrecordcli.units import nearest, some_of

ALL: Final = "all"
# What an image is called where columns stand beside it.
IMAGE: Final = "image"

# What stands for a value that a record lacks; no whole number can.
_NOTHING: Final[Mapping[str, bytes | float]] = {"bytes": b"", "float": math.nan}
_KINDS: Final[Mapping[str, tuple[Any, str]]] = {
    "bytes": ((str, bytes), "a text"),
    "int64": (int, "a whole number"),
    "float": ((int, float), "a number"),
}


def chosen_columns(schema: Schema, options: FeedOptions) -> tuple[Feature, ...]:
    """The features that elements hold beside image, label and corners; of a table all, unless some are named.

    Raises:
      UsageError: a name is that of no such feature.
    """
    further = {each.key: each for each in schema.columns if each.key not in (IMAGE_TARGET, IMAGE_FILENAME)}
    if options.features == (ALL,) or (schema.task == "tabular" and not options.features):
        return tuple(further.values())
    given = {IMAGE_ENCODED, IMAGE_TARGET, schema.label_key, *OBJECT_CORNERS}
    known = {each.key: each for each in schema.features if each.key not in given}
    return tuple(_known(name, known, further) for name in options.features)


def _known(name: str, known: Mapping[str, Feature], further: Mapping[str, Feature]) -> Feature:
    if name in known:
        return known[name]
    hint = "tfrec convert --features all stores further columns"
    if further:
        hint = nearest(name, [*known]) or f"stored columns: {some_of([*further])}"
    raise UsageError(f"features: the records have no {name!r}", hint)


def graph_columns(
    example: Mapping[str, Any], features: Iterable[Feature], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """The columns of one record, in the graph.

    Returns:
      key -> int64, float32 or string []: where the record has none its default, else nan or an empty text;
      [n] of a column of lists.
    """
    return {each.key: _column(example[each.key], each, defaults) for each in features}


def _column(values: Any, feature: Feature, defaults: Mapping[str, Any]) -> Any:
    tf = import_tensorflow()
    if feature.required or feature.count is None:
        return values
    nothing = defaults.get(feature.key, _NOTHING.get(feature.kind, 0))
    return tf.concat([values, tf.constant([nothing], values.dtype)], 0)[0]


def has_lists(features: Iterable[Feature]) -> bool:
    """Whether a column holds several values a record, so that batches of it are ragged."""
    return any(each.count is None and not is_of_boxes(each.key) for each in features)


def stay_on_host(features: Collection[Feature]) -> bool:
    """Whether a column cannot be copied to a GPU: texts and ragged tensors are not."""
    return has_lists(features) or any(each.kind == "bytes" for each in features)


def check_columns(schema: Schema, options: FeedOptions) -> None:
    """Refuses columns that elements cannot hold.

    Raises:
      UsageError: a feature or a default that cannot be right.
      InputError: some records have no value of a column of whole numbers, and none says that there is none.
    """
    features = chosen_columns(schema, options)
    _check_defaults({each.key: each for each in features}, options.defaults)
    taken = {IMAGE} if options.style == "tuple" else {"images", "labels", "bounding_boxes"}
    clash = [each.key for each in features if each.key in taken and schema.task != "tabular"]
    if clash:
        raise UsageError(f"features: {clash[0]!r} is what the image is called", "convert it by another name")
    if options.device.startswith("gpu") and stay_on_host(features):
        raise UsageError("features: a GPU holds neither texts nor lists", "use device='cpu' or 'auto'")
    if not (schema.task == "tabular" and options.raw):
        _need_whole_numbers(features, options.defaults)


def _check_defaults(features: Mapping[str, Feature], defaults: Mapping[str, Any]) -> None:
    for key, value in defaults.items():
        feature = features.get(key)
        if feature is None:
            raise UsageError(f"defaults: {key!r} is not among features", "name it there too")
        if feature.count is None:
            what = "holds lists, which are empty where a record has none"
            raise UsageError(f"defaults: {key!r} {what}", "leave it out")
        kind, called = _KINDS[feature.kind]
        if isinstance(value, bool) or not isinstance(value, kind):
            raise UsageError(f"defaults: {key!r} must be {called}, got {value!r}")


def _need_whole_numbers(features: Iterable[Feature], defaults: Mapping[str, Any]) -> None:
    """Refuses columns of whole numbers with gaps: none of these numbers says that there is none."""
    gaps = [
        each.key
        for each in features
        if each.kind == "int64" and not each.required and each.count and each.key not in defaults
    ]
    if gaps:
        missing = command_line(["--missing", f"{gaps[0]}=-1"])
        raise InputError(
            f"columns of whole numbers in which some rows have none: {some_of(gaps)}",
            f"load with defaults={{{gaps[0]!r}: -1}}, or convert with {missing}",
        )
