"""What TensorFlow has to be told of the features of a record to parse it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tfrecordcli.feed.quiet import import_tensorflow
from tfrecordcli.schema import Feature, Schema


def parse_spec(schema: Schema, keys: Collection[str] | None = None) -> dict[str, Any]:
    """The ``features`` of tf.io.parse_single_example; ``keys`` are those wanted, all when left out."""
    return {each.key: _spec(each) for each in schema.features if keys is None or each.key in keys}


def _spec(feature: Feature) -> Any:
    tf = import_tensorflow()
    kind = {"bytes": tf.string, "int64": tf.int64, "float": tf.float32}[feature.kind]
    if feature.required and feature.count is not None:
        return tf.io.FixedLenFeature(feature.shape, kind)
    return tf.io.RaggedFeature(kind)  # as fast as a fixed one, and good for any number
