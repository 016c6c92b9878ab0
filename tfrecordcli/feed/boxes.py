"""Boxes in the graph of a feed: as they stand in a record, moved with the image, in the format asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tfrecordcli.errors import UsageError
from tfrecordcli.feed.graph import middle_of, place_in, ranks_of
from tfrecordcli.feed.options import BoxFormat, FeedOptions
from tfrecordcli.feed.tensorflow import import_tensorflow
from tfrecordcli.schema import IMAGE_HEIGHT, IMAGE_WIDTH, OBJECT_CORNERS, OBJECT_LABEL, attribute_key

# What a record is parsed for, beside its image.
_CROWD: Final = attribute_key("is_crowd")
KEYS: Final = (*OBJECT_CORNERS, OBJECT_LABEL, IMAGE_HEIGHT, IMAGE_WIDTH, _CROWD)
BOXES, LABELS = "boxes", "labels"
# Fills boxes and labels up where an image has fewer than a batch has room for: so do Keras's
# densify_bounding_boxes and the Model Garden's clip_or_pad_to_fixed_size.
FILLING: Final = -1


def graph_boxes(
    example: Mapping[str, Any], options: FeedOptions, more: Sequence[str] = (), ids: Sequence[int] = ()
) -> dict[str, Any]:
    """The boxes of one record on its image as it is fed.

    Args:
      example: parsed for `KEYS` and ``more``.
      more: keys of further values of each box.
      ids: where labels are to be their ranks among them; empty: labels are ids.

    Returns:
      ``boxes`` float32 [n, 4] in ``options.box_format``; ``labels`` int64 [n]; the further values, [n], by
      the last word of their key. Boxes of which ``resize="crop"`` leaves nothing are left out, and those of
      crowds unless they are wanted.
    """
    tf = import_tensorflow()
    xmin, ymin, xmax, ymax = (example[key] for key in OBJECT_CORNERS)
    boxes = tf.stack([ymin, xmin, ymax, xmax], axis=-1)
    shape = tf.cast(tf.stack([example[IMAGE_HEIGHT], example[IMAGE_WIDTH]]), tf.int32)
    size = None if options.raw else options.height_width
    if size is not None and options.resize != "stretch":
        boxes = _moved(boxes, shape, size, options)
    found = {BOXES: boxes, LABELS: example[OBJECT_LABEL], **{name_of(key): example[key] for key in more}}
    wanted = []
    if size is not None and options.resize == "crop":
        wanted.append(tf.reduce_all(boxes[:, 2:] > boxes[:, :2], axis=-1))
    if options.crowd == "drop" and _CROWD in example:
        wanted.append(example[_CROWD] == 0)
    if wanted:
        is_kept = tf.reduce_all(wanted, axis=0)
        found = {name: tf.boolean_mask(values, is_kept) for name, values in found.items()}
    if ids:
        found[LABELS] = ranks_of(found[LABELS], ids)
    found[BOXES] = in_format(found[BOXES], options.box_format, shape if size is None else size)
    return found


def name_of(key: str) -> str:
    """What the values of a key are called among the boxes: ``area`` of ``image/object/area``."""
    return key.rpartition("/")[2]


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


def padded(objects: Mapping[str, Any], most: int, more: Sequence[str] = ()) -> dict[str, Any]:
    """The first ``most`` boxes, filled up with `FILLING`, texts with empty ones.

    Returns:
      ``boxes`` float32 [most, 4]; ``labels`` int64 [most]; those of ``more`` that are there, [most].
    """
    tf = import_tensorflow()

    def fill(values: Any, shape: list[int]) -> Any:
        values = values[:most]
        rest = [[0, most - tf.shape(values)[0]], *[[0, 0]] * (len(shape) - 1)]
        filling = "" if values.dtype == tf.string else FILLING
        return tf.ensure_shape(tf.pad(values, rest, constant_values=filling), shape)

    vectors = {name: fill(objects[name], [most]) for name in (LABELS, *more) if name in objects}
    return {**objects, BOXES: fill(objects[BOXES], [most, 4]), **vectors}


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
