"""`tfrecordcli.formats.digest.record_digest`, computed inside a TensorFlow graph."""

from __future__ import annotations

from typing import Any, Final

from tfrecordcli.feed.quiet import import_tensorflow
from tfrecordcli.formats.digest import GOLDEN, MIX

_WORD: Final = 8


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
