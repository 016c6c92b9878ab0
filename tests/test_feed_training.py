"""A model learns from what `load` gives: images, labels and their map belong together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from converting import write_csv
from PIL import Image

import tfrecordcli
from tfrecordcli.feed.pipeline import load

# By name, not in the order of their ids.
COLOURS = {"yellow": (220, 220, 30), "red": (220, 30, 30), "blue": (30, 30, 220), "green": (30, 220, 30)}


def coloured_images(folder: Path) -> Path:
    """40 training and 12 validation images of one noisy colour each, of different sizes."""
    random = np.random.default_rng(1)
    rows = []
    for number in range(52):
        name = list(COLOURS)[number % 4]
        height, width = random.integers(16, 40, 2)
        pixels = np.array(COLOURS[name]) + random.integers(-30, 31, (height, width, 3))
        image = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
        image.save(folder / f"{number}.png")
        rows.append(("TRAIN" if number < 40 else "VAL", f"{number}.png", name))
    return write_csv(folder / "list.csv", rows, ("split", "image_uri", "label"))


def test_a_model_trained_through_load_knows_the_classes_by_name(tf: Any, tmp_path: Path) -> None:
    tfrecordcli.convert(coloured_images(tmp_path), tmp_path / "out")
    splits = load(tmp_path / "out", batch_size=8, image_size=16, seed=3)
    tf.keras.utils.set_random_seed(7)
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [layers.Rescaling(1 / 255), layers.GlobalAveragePooling2D(), layers.Dense(splits.num_classes)]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(0.2), loss, metrics=["accuracy"])
    model.fit(splits["train"], validation_data=splits["val"], epochs=25, shuffle=False, verbose=0)
    # Four colours that do not overlap: a right feed reaches 1.0. If labels and images did not belong
    # together, an accuracy of 0.9 on 12 images would be a chance of less than one in 10,000.
    _, accuracy = model.evaluate(splits["val"], verbose=0)
    assert accuracy >= 0.9
    # And the names: what the model says of a pure colour it has never seen.
    for name, colour in COLOURS.items():
        image = np.broadcast_to(np.array(colour, np.uint8), (1, 16, 16, 3))
        guess = int(model.predict(image, verbose=0).argmax())
        assert splits.class_names[guess] == name
