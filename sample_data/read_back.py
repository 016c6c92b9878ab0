"""Reads a dataset back with TensorFlow alone and says what is in it: `read_back.py DATASET_DIR`."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def read_back(folder: Path) -> None:
    """Decodes every record with tf.io.decode_image and prints counts a split."""
    import tensorflow as tf

    spec = {
        "image/encoded": tf.io.FixedLenFeature([], tf.string),
        "image/height": tf.io.FixedLenFeature([], tf.int64),
        "image/width": tf.io.FixedLenFeature([], tf.int64),
        "image/channels": tf.io.FixedLenFeature([], tf.int64),
        "image/class/text": tf.io.VarLenFeature(tf.string),
    }
    for split in ("train", "validation", "test"):
        labels: Counter[str] = Counter()
        shards = sorted(str(path) for path in folder.glob(f"{split}-*.tfrecord"))
        for record in tf.data.TFRecordDataset(shards):
            example = tf.io.parse_single_example(record, spec)
            image = tf.io.decode_image(example["image/encoded"], expand_animations=False)
            stored = [int(example[f"image/{name}"]) for name in ("height", "width", "channels")]
            if image.shape.as_list() != stored:
                sys.exit(f"{split}: stored as {stored}, but decodes to {image.shape.as_list()}")
            labels.update(text.decode() for text in example["image/class/text"].values.numpy())
        counts = ", ".join(f"{label} {count}" for label, count in sorted(labels.items()))
        print(f"TensorFlow reads {split:10} {labels.total():3} records: {counts}")


if __name__ == "__main__":
    read_back(Path(sys.argv[1]))
