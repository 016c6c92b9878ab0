"""Bytes on disk, without TensorFlow: TFRecord framing, tf.train.Example, content digests.

Nothing in here knows what a dataset is.
"""
