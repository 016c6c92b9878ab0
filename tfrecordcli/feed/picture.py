"""Pixels in a TensorFlow graph: decoding an image file and bringing it to size."""

from __future__ import annotations

from typing import Any

from tfrecordcli.feed.options import Resize
from tfrecordcli.feed.quiet import import_tensorflow


def decode(encoded: Any) -> Any:
    """Pixels of an image file, uint8 [height, width, 3]; gray is repeated, alpha dropped."""
    tf = import_tensorflow()
    image = tf.io.decode_image(encoded, channels=3, expand_animations=False)
    return tf.ensure_shape(image, [None, None, 3])


def resize(image: Any, size: tuple[int, int], how: Resize) -> Any:
    """The image at ``size`` (height, width), uint8 [height, width, 3], bilinear.

    ``stretch`` may distort; ``pad`` keeps the whole image and its proportions, in the middle of black;
    ``crop`` keeps proportions too and cuts off what reaches over, equally on both sides.
    """
    tf = import_tensorflow()
    if how == "pad":
        return _pad(image, size)
    if how == "crop":
        image = _middle(image, size)
    return tf.ensure_shape(_scale(image, size), [*size, 3])


def _scale(image: Any, size: Any) -> Any:
    tf = import_tensorflow()
    return tf.cast(tf.round(tf.image.resize(image, size)), tf.uint8)


def _pad(image: Any, size: tuple[int, int]) -> Any:
    tf = import_tensorflow()
    found = tf.cast(tf.shape(image)[:2], tf.float32)
    wanted = tf.constant(size, tf.float32)
    inner = tf.cast(tf.round(found * tf.reduce_min(wanted / found)), tf.int32)
    inner = tf.clip_by_value(inner, 1, size)
    before = (tf.constant(size) - inner) // 2
    after = tf.constant(size) - inner - before
    borders = tf.concat([tf.stack([before, after], axis=1), [[0, 0]]], axis=0)
    return tf.ensure_shape(tf.pad(_scale(image, inner), borders), [*size, 3])


def _middle(image: Any, size: tuple[int, int]) -> Any:
    """The largest part of the image, around its middle, with the proportions of ``size``."""
    tf = import_tensorflow()
    shape = tf.shape(image)[:2]
    found = tf.cast(shape, tf.float32)
    wanted = tf.constant(size, tf.float32)
    inner = tf.cast(tf.round(wanted * tf.reduce_min(found / wanted)), tf.int32)
    inner = tf.clip_by_value(inner, 1, shape)
    begin = (shape - inner) // 2
    return tf.slice(image, tf.concat([begin, [0]], 0), tf.concat([inner, [3]], 0))
