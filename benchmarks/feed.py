"""The feed of `tfrecordcli.load` against a tf.data pipeline written by hand, in alternating pairs.

    python feed.py DATASET --mode resized --seconds 10 --rounds 7

Prints `{"rounds": [[ours, by hand, by hand again], ...]}`, images a second: the last two differ by the
noise of the machine alone. Modes: `resized` to 224 px (both by the same function), or `full`: decoded at
their own size and reduced to a number an image.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

from tfrecordcli.feed.graph import resize
from tfrecordcli.feed.loading import load

SIZE = 224
BATCH = 64
WARM_SECONDS = 2.0
FEATURES = ("image/encoded", "image/class/label")


def options_of(tf: Any) -> Any:
    """Nothing tuned while it runs: the second of two measurements would profit from the first."""
    options = tf.data.Options()
    options.autotune.enabled = False
    options.deterministic = False
    return options


def as_number(tf: Any, image: Any) -> Any:
    """An image as one number, so that images of any size make a batch and nothing but decoding counts."""
    return tf.reduce_mean(tf.cast(image, tf.float32))


def ours(tf: Any, folder: Path, mode: str, cores: int) -> Any:
    """Batches of `tfrecordcli.load`."""
    if mode == "resized":
        return load(folder, image_size=SIZE, batch_size=BATCH, shuffle=False, device="cpu")["train"]

    splits = load(
        folder,
        image_size=None,
        augment=lambda image, label: (as_number(tf, image), label),
        batch_size=BATCH,
        shuffle=False,
        device="cpu",
    )
    return splits["train"]


def by_hand(tf: Any, folder: Path, mode: str, cores: int) -> Any:
    """The pipeline that tf.data's own performance guide leads to."""
    spec = {
        FEATURES[0]: tf.io.FixedLenFeature([], tf.string),
        FEATURES[1]: tf.io.FixedLenFeature([], tf.int64),
    }

    def parse(record: Any) -> tuple[Any, Any]:
        example = tf.io.parse_single_example(record, spec)
        encoded, label = example[FEATURES[0]], example[FEATURES[1]]
        image = tf.ensure_shape(tf.io.decode_image(encoded, 3, expand_animations=False), [None, None, 3])
        return as_number(tf, image) if mode == "full" else resize(image, (SIZE, SIZE), "pad"), label

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
    """Images a second of ours and twice of the other, each round beginning with another one."""
    import tensorflow as tf

    cores = len(os.sched_getaffinity(0))
    makers = [ours, by_hand, by_hand]
    for maker in makers[:2]:  # TensorFlow's own first steps are nobody's
        rate(maker(tf, folder, mode, cores), WARM_SECONDS)
    found = []
    for number in range(rounds):
        rates = [0.0] * len(makers)
        for turn in range(len(makers)):
            place = (number + turn) % len(makers)
            rates[place] = rate(makers[place](tf, folder, mode, cores), seconds)
        found.append(rates)
    return found


def main() -> None:
    """Measure one mode."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--mode", choices=["resized", "full"], default="resized")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    print(json.dumps({"rounds": measure(options.dataset, options.mode, options.seconds, options.rounds)}))


if __name__ == "__main__":
    main()
