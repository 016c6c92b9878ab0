"""What a TensorFlow graph computes for each record: its features, pixels, label and digest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from tfrecordcli.feed.options import LabelMode, Resize
from tfrecordcli.feed.tensorflow import import_tensorflow
from tfrecordcli.formats.digest import GOLDEN, MIX
from tfrecordcli.schema import Feature, Schema

_WORD: Final = 8


def parse_spec(schema: Schema, keys: Collection[str] | None = None) -> dict[str, Any]:
    """The ``features`` of tf.io.parse_single_example; ``keys`` are those wanted, all when left out."""
    return {each.key: _spec(each) for each in schema.features if keys is None or each.key in keys}


def _spec(feature: Feature) -> Any:
    tf = import_tensorflow()
    kind = {"bytes": tf.string, "int64": tf.int64, "float": tf.float32}[feature.kind]
    if feature.required and feature.count is not None:
        return tf.io.FixedLenFeature(feature.shape, kind)
    return tf.io.RaggedFeature(kind)  # as fast as a fixed one, and good for any number


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


def place_in(shape: Any, size: tuple[int, int]) -> tuple[Any, Any]:
    """Where ``pad`` puts an image: (top, left) and (height, width), int32 [2], in one of ``size``.

    Args:
      shape: (height, width) of the image, int32 [2].
    """
    tf = import_tensorflow()
    found = tf.cast(shape, tf.float32)
    wanted = tf.constant(size, tf.float32)
    inner = tf.cast(tf.round(found * tf.reduce_min(wanted / found)), tf.int32)
    inner = tf.clip_by_value(inner, 1, size)
    return (tf.constant(size) - inner) // 2, inner


def middle_of(shape: Any, size: tuple[int, int]) -> tuple[Any, Any]:
    """What ``crop`` takes of an image, the largest part around its middle with the proportions of ``size``.

    Args and returns as of `place_in`, in pixels of the image.
    """
    tf = import_tensorflow()
    found = tf.cast(shape, tf.float32)
    wanted = tf.constant(size, tf.float32)
    inner = tf.cast(tf.round(wanted * tf.reduce_min(found / wanted)), tf.int32)
    inner = tf.clip_by_value(inner, 1, shape)
    return (shape - inner) // 2, inner


def _pad(image: Any, size: tuple[int, int]) -> Any:
    tf = import_tensorflow()
    before, inner = place_in(tf.shape(image)[:2], size)
    after = tf.constant(size) - inner - before
    borders = tf.concat([tf.stack([before, after], axis=1), [[0, 0]]], axis=0)
    return tf.ensure_shape(tf.pad(_scale(image, inner), borders), [*size, 3])


def _middle(image: Any, size: tuple[int, int]) -> Any:
    tf = import_tensorflow()
    begin, inner = middle_of(tf.shape(image)[:2], size)
    return tf.slice(image, tf.concat([begin, [0]], 0), tf.concat([inner, [3]], 0))


def graph_digest(record: Any) -> Any:
    """Digest of one record's bytes.

    Args:
      record: string [].

    Returns:
      int64 []: the digest's 64 bits, taken as a signed number (there are more kernels for int64).
    """
    tf = import_tensorflow()
    length = tf.strings.length(record)
    # One word at least, since nothing cannot be padded; a word of zeros adds nothing.
    padded = tf.maximum((length + _WORD - 1) // _WORD * _WORD, _WORD)
    words = tf.bitcast(tf.io.decode_raw(record, tf.int64, fixed_length=padded), tf.uint64)
    golden, one = tf.constant(GOLDEN, tf.uint64), tf.constant(1, tf.uint64)
    weights = tf.bitwise.bitwise_or(tf.cast(tf.range(tf.size(words)), tf.uint64) * golden, one)
    total = tf.reduce_sum(words * weights) + tf.cast(length, tf.uint64) * golden
    total = _fold(tf, total, 32) * tf.constant(MIX, tf.uint64)
    return tf.bitcast(_fold(tf, total, 29), tf.int64)


def _fold(tf: Any, value: Any, shift: int) -> Any:
    shifted = tf.bitwise.right_shift(value, tf.constant(shift, tf.uint64))
    return tf.bitwise.bitwise_xor(value, shifted)


def ranks_of(ids: Any, known: Sequence[int]) -> Any:
    """The places of ids, int64 [n], in a sorted list that has all of them: int64 [n], from 0."""
    tf = import_tensorflow()
    return tf.searchsorted(tf.constant(known, tf.int64), ids, out_type=tf.int64)


def graph_label(ids: Any, mode: LabelMode, classes: int) -> Any:
    """The label of one record, in the graph.

    Args:
      ids: int64 [n], as they stand in the record.
      mode: ``int`` or ``multi_hot``.
      classes: length of a multi-hot row.

    Returns:
      int64 [] or float32 [classes]. TensorFlow's InvalidArgumentError when ``int`` and n is not 1.
    """
    tf = import_tensorflow()
    if mode == "int":
        return tf.reshape(ids, [])
    rows = tf.one_hot(ids, classes)  # none of them when there is no id: a sum is 0 then, a maximum not
    return tf.ensure_shape(tf.minimum(tf.reduce_sum(rows, axis=0), 1.0), [classes])
