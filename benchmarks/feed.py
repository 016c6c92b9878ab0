"""The feed of `tfrecordcli.load` against a tf.data pipeline written by hand, in alternating pairs.

    python feed.py DATASET --mode resized --seconds 10 --rounds 3

Prints `{"rounds": [[ours, by hand], ...]}`, images a second. Modes: `resized` to 224 px, or `full`: the
encoded bytes decoded at their own size and reduced to a number an image, in the consumer's own map.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

SIZE = 224
BATCH = 64
FEATURES = ("image/encoded", "image/class/label")


def options_of(tf: Any) -> Any:
    """Nothing tuned while it runs: the second of two measurements would profit from the first."""
    options = tf.data.Options()
    options.autotune.enabled = False
    options.deterministic = False
    return options


def reduce_fully(tf: Any, encoded: Any) -> Any:
    """An image at its own size as one number, so that nothing else than decoding costs time."""
    return tf.reduce_mean(tf.cast(tf.io.decode_image(encoded, 3, expand_animations=False), tf.float32))


def ours(tf: Any, folder: Path, mode: str, cores: int) -> Any:
    """Batches of `tfrecordcli.load`."""
    from tfrecordcli.feed.pipeline import load

    if mode == "resized":
        return load(folder, image_size=SIZE, batch_size=BATCH, shuffle=False, resize="pad", raw=False)[
            "train"
        ]
    raw = load(folder, batch_size=BATCH, shuffle=False, raw=True)["train"].unbatch()
    return (
        raw.map(lambda encoded, label: (reduce_fully(tf, encoded), label), num_parallel_calls=cores)
        .batch(BATCH)
        .prefetch(2)
    )


def by_hand(tf: Any, folder: Path, mode: str, cores: int) -> Any:
    """The pipeline that tf.data's own performance guide leads to."""
    spec = {
        FEATURES[0]: tf.io.FixedLenFeature([], tf.string),
        FEATURES[1]: tf.io.FixedLenFeature([], tf.int64),
    }

    def parse(record: Any) -> tuple[Any, Any]:
        example = tf.io.parse_single_example(record, spec)
        encoded, label = example[FEATURES[0]], example[FEATURES[1]]
        if mode == "full":
            return reduce_fully(tf, encoded), label
        image = tf.io.decode_image(encoded, 3, expand_animations=False)
        image = tf.image.resize_with_pad(image, SIZE, SIZE)
        return tf.cast(tf.clip_by_value(tf.round(image), 0, 255), tf.uint8), label

    files = sorted(str(path) for path in folder.glob("train-*.tfrecord"))
    return (
        tf.data.Dataset.from_tensor_slices(files)
        .interleave(
            tf.data.TFRecordDataset, cycle_length=cores, num_parallel_calls=cores, deterministic=False
        )
        .map(parse, num_parallel_calls=cores, deterministic=False)
        .batch(BATCH)
        .prefetch(2)
        .with_options(options_of(tf))
    )


def rate(dataset: Any, seconds: float) -> float:
    """Images a second over at least so long, after two batches; starts over when the data end."""
    images = 0
    batches = iter(dataset.repeat())
    for _ in range(2):
        next(batches)
    start = time.perf_counter()
    while (used := time.perf_counter() - start) < seconds:
        images += int(next(batches)[1].shape[0])
    return images / used


def measure(folder: Path, mode: str, seconds: float, rounds: int) -> list[list[float]]:
    """Images a second of ours and of the other, in turns that begin with one and with the other."""
    import tensorflow as tf

    cores = len(os.sched_getaffinity(0))
    makers = [ours, by_hand]
    found = []
    for number in range(rounds):
        order = makers if number % 2 == 0 else makers[::-1]
        rates = {maker: rate(maker(tf, folder, mode, cores), seconds) for maker in order}
        found.append([rates[ours], rates[by_hand]])
    return found


def main() -> None:
    """Measure one mode."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--mode", choices=["resized", "full"], default="resized")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(json.dumps({"rounds": measure(options.dataset, options.mode, options.seconds, options.rounds)}))


if __name__ == "__main__":
    main()
