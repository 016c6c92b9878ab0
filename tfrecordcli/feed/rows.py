"""Rows without images as a feed gives them: a dictionary of columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.feed.tensorflow import import_tensorflow
from tfrecordcli.schema import Feature, Schema
from tfrecordcli.shell import command_line
from tfrecordcli.units import some_of

# What stands for a value that a row lacks; no whole number can.
_NOTHING: Final[Mapping[str, bytes | float]] = {"bytes": b"", "float": math.nan}


def graph_row(example: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The columns of one record, in the graph.

    Returns:
      key -> int64, float32 or string []: nan or an empty text where the row has none; [n] of a column of
      lists.
    """
    return {feature.key: _column(example[feature.key], feature) for feature in schema.columns}


def _column(values: Any, feature: Feature) -> Any:
    tf = import_tensorflow()
    if feature.required or feature.count is None:
        return values
    nothing = tf.constant([_NOTHING.get(feature.kind, 0)], values.dtype)
    return tf.concat([values, nothing], 0)[0]


def has_lists(schema: Schema) -> bool:
    """Whether a column holds several values a row, so that batches of it are ragged."""
    return any(feature.count is None for feature in schema.columns)


def need_whole_numbers(schema: Schema) -> None:
    """Refuses columns of whole numbers with gaps: none of these numbers says that there is none.

    Raises:
      InputError
    """
    gaps = [each.key for each in schema.columns if each.kind == "int64" and not each.required and each.count]
    if gaps:
        missing = command_line(["--missing", f"{gaps[0]}=-1"])
        raise InputError(
            f"columns of whole numbers in which some rows have none: {some_of(gaps)}",
            f"convert with {missing}, or parse the records of raw=True by tf.io.parse_example and parse_spec",
        )
