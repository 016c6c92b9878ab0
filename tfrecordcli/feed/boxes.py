"""Boxes in the graph of a feed: as they stand in a record, moved with the image, in the format asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tfrecordcli.errors import UsageError
from tfrecordcli.feed.graph import middle_of, place_in
from tfrecordcli.feed.options import BoxFormat, FeedOptions
from tfrecordcli.feed.tensorflow import import_tensorflow
from tfrecordcli.schema import IMAGE_HEIGHT, IMAGE_WIDTH, OBJECT_CORNERS, OBJECT_LABEL

# What a record is parsed for, beside its image.
KEYS: Final = (*OBJECT_CORNERS, OBJECT_LABEL, IMAGE_HEIGHT, IMAGE_WIDTH)
BOXES, LABELS = "boxes", "labels"
# Fills boxes and labels up where an image has fewer than a batch has room for: so do Keras's
# densify_bounding_boxes and the Model Garden's clip_or_pad_to_fixed_size.
FILLING: Final = -1


def graph_boxes(example: Mapping[str, Any], options: FeedOptions) -> dict[str, Any]:
    """The boxes of one record on its image as it is fed.

    Args:
      example: parsed for `KEYS`.

    Returns:
      ``boxes`` float32 [n, 4] in ``options.box_format``; ``labels`` int64 [n], from 1. Boxes of which
      ``resize="crop"`` leaves nothing are left out.
    """
    tf = import_tensorflow()
    xmin, ymin, xmax, ymax = (example[key] for key in OBJECT_CORNERS)
    boxes = tf.stack([ymin, xmin, ymax, xmax], axis=-1)
    labels = example[OBJECT_LABEL]
    shape = tf.cast(tf.stack([example[IMAGE_HEIGHT], example[IMAGE_WIDTH]]), tf.int32)
    size = None if options.raw else options.height_width
    if size is not None and options.resize != "stretch":
        boxes = _moved(boxes, shape, size, options)
        if options.resize == "crop":
            is_there = tf.reduce_all(boxes[:, 2:] > boxes[:, :2], axis=-1)
            boxes, labels = tf.boolean_mask(boxes, is_there), tf.boolean_mask(labels, is_there)
    return {BOXES: in_format(boxes, options.box_format, shape if size is None else size), LABELS: labels}


def _moved(boxes: Any, shape: Any, size: tuple[int, int], options: FeedOptions) -> Any:
    """Boxes, rel_yxyx, of an image of one shape where `resize` puts them on one of ``size``."""
    tf = import_tensorflow()
    whole = tf.cast(shape, tf.float32)
    if options.resize == "pad":
        begin, inner = (tf.cast(pair, tf.float32) for pair in place_in(shape, size))
        scale, offset = inner / size, begin / size
    else:
        begin, inner = (tf.cast(pair, tf.float32) for pair in middle_of(shape, size))
        scale, offset = whole / inner, -begin / inner
    return tf.clip_by_value(boxes * tf.tile(scale, [2]) + tf.tile(offset, [2]), 0.0, 1.0)


def in_format(boxes: Any, box_format: BoxFormat, size: Any) -> Any:
    """Boxes, rel_yxyx, float32 [n, 4], in another of the formats that Keras names.

    Args:
      size: (height, width) of their image, for those in pixels.
    """
    tf = import_tensorflow()
    if not box_format.startswith("rel_"):
        boxes = boxes * tf.tile(tf.cast(size, tf.float32), [2])
    ymin, xmin, ymax, xmax = tf.unstack(boxes, axis=-1)
    height, width = ymax - ymin, xmax - xmin
    columns = {
        "yxyx": (ymin, xmin, ymax, xmax),
        "xyxy": (xmin, ymin, xmax, ymax),
        "xywh": (xmin, ymin, width, height),
        "center_xywh": (xmin + width / 2, ymin + height / 2, width, height),
    }[box_format.removeprefix("rel_")]
    return tf.stack(columns, axis=-1)


def padded(objects: Mapping[str, Any], most: int) -> dict[str, Any]:
    """The first ``most`` boxes and labels, filled up with `FILLING`: float32 [most, 4], int64 [most]."""
    tf = import_tensorflow()

    def fill(values: Any, shape: list[int]) -> Any:
        values = values[:most]
        rest = [[0, most - tf.shape(values)[0]], *[[0, 0]] * (len(shape) - 1)]
        return tf.ensure_shape(tf.pad(values, rest, constant_values=FILLING), shape)

    return {**objects, BOXES: fill(objects[BOXES], [most, 4]), LABELS: fill(objects[LABELS], [most])}


def need_objects(label: Any) -> dict[str, Any]:
    """What an augment returned in the place of boxes and labels.

    Raises:
      UsageError: it is no such dictionary.
    """
    if not isinstance(label, Mapping) or not {BOXES, LABELS} <= label.keys():
        hint = 'as in return image, {"boxes": boxes, "labels": labels}'
        raise UsageError("augment must return the dictionary of boxes and labels beside the image", hint)
    tf = import_tensorflow()
    return {
        **label,
        BOXES: tf.ensure_shape(tf.cast(label[BOXES], tf.float32), [None, 4]),
        LABELS: tf.ensure_shape(tf.cast(label[LABELS], tf.int64), [None]),
    }
