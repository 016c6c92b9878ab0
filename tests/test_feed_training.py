"""Models learn from what `load` gives of the sample data: images, labels, numbers and columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from converting import manifest
from PIL import Image, ImageDraw

import tfrecordcli

SIDE = 48

# A trained model knows the shapes of all images that it has not seen. The one that guesses gets 9 or more of
# 10 right once in 2,800 times; one that learned other ids than those it is asked for, 4 at most.
WANTED = 0.9


@pytest.fixture(scope="module")
def sample(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "out"
    tfrecordcli.convert(sample_data / "data.csv", folder)
    return folder


def small_model(tf: Any, classes: int) -> Any:
    """A convolutional network that sees what is dark: the shapes are, and nothing around them is."""
    tf.keras.utils.set_random_seed(7)
    layers = tf.keras.layers

    def dark(images: Any) -> Any:
        return tf.sigmoid((110 - tf.reduce_mean(tf.cast(images, tf.float32), -1, keepdims=True)) / 10)

    model = tf.keras.Sequential(
        [
            layers.Lambda(dark),
            *(layers.Conv2D(8, 5, activation="relu"), layers.MaxPool2D(2)),
            *(layers.Conv2D(16, 3, activation="relu"), layers.MaxPool2D(2)),
            *(layers.Flatten(), layers.Dense(classes)),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(0.005), loss, metrics=["accuracy"])
    return model


def train(tf: Any, dataset: Path, relabel: Callable[[Any, Any], Any] | None = None) -> tuple[Any, Any, float]:
    """Trains on the 20 training images; (splits, model, accuracy on the 10 of validation and test).

    Args:
      relabel: (image, label) -> label, of each training image: a label map that is broken.
    """

    def flipped(image: Any, label: Any) -> tuple[Any, Any]:
        wrong = label if relabel is None else relabel(image, label)
        return tf.image.random_flip_left_right(image), wrong

    splits = tfrecordcli.load(dataset, batch_size=20, image_size=SIDE, resize="crop", seed=3, augment=flipped)
    model = small_model(tf, splits.num_classes)
    model.fit(splits["train"], validation_data=splits["val"], epochs=30, shuffle=False, verbose=0)
    unseen = splits["validation"].concatenate(splits["test"])
    _, accuracy = model.evaluate(unseen, verbose=0)
    return splits, model, accuracy


def drawn(name: str) -> Any:
    """A shape of our own, uint8 [1, SIDE, SIDE, 3]."""
    image = Image.new("RGB", (SIDE, SIDE), (170, 210, 230))
    draw = ImageDraw.Draw(image)
    low, high, middle = SIDE // 4, SIDE - SIDE // 4, SIDE // 2
    if name == "circle":
        draw.ellipse((low, low, high, high), (90, 20, 40))
    elif name == "square":
        draw.rectangle((low, low, high, high), (90, 20, 40))
    else:
        draw.polygon([(middle, low - 4), (low - 4, high), (high + 4, high)], (90, 20, 40))
    return np.asarray(image)[np.newaxis]


@pytest.mark.thorough
def test_a_model_trained_through_load_knows_the_classes_by_name(tf: Any, sample: Path) -> None:
    splits, model, accuracy = train(tf, sample)
    assert [manifest(sample)["splits"][split]["records"] for split in splits] == [20, 5, 5]
    assert accuracy >= WANTED
    # A map broken in the same way for all splits would show here only.
    for name in ("circle", "square", "triangle"):
        guess = int(model.predict(drawn(name), verbose=0).argmax())
        assert splits.class_names[guess] == name


@pytest.mark.thorough
@pytest.mark.parametrize("broken", ["ids moved by one", "two ids exchanged"])
def test_a_broken_label_map_does_not_reach_that_accuracy(broken: str, tf: Any, sample: Path) -> None:
    """The proof that the test above can fail."""

    def relabel(image: Any, label: Any) -> Any:
        if broken == "ids moved by one":
            return (label + 1) % 3
        return tf.gather(tf.constant([1, 0, 2], tf.int64), label)

    _, _, accuracy = train(tf, sample, relabel)
    assert accuracy < WANTED - 0.2


@pytest.fixture(scope="module")
def sizes(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pictures with the pixels that each shape covers."""
    folder = tmp_path_factory.mktemp("sizes") / "out"
    options = {"task": "regression", "columns": {"label": "area"}, "features": "covered"}
    assert tfrecordcli.convert(sample_data / "sizes.csv", folder, **options).records == 30
    return folder


def pixels_model(tf: Any) -> Any:
    """The logarithm of an area, from what is dark in the picture and its size, which resizing has hidden."""
    tf.keras.utils.set_random_seed(7)
    layers = tf.keras.layers
    inputs = {
        "image": tf.keras.Input((SIDE, SIDE, 3), name="image"),
        "height": tf.keras.Input((), name="height"),
        "width": tf.keras.Input((), name="width"),
    }

    def logarithms(image: Any, height: Any, width: Any) -> Any:
        dark = tf.sigmoid((130 - tf.reduce_mean(tf.cast(image, tf.float32), -1)) / 10)
        share = tf.reduce_mean(dark, axis=[1, 2])
        return tf.stack([tf.math.log(share) + 1.5, tf.math.log(height) - 4.7, tf.math.log(width) - 4.7], -1)

    facts = layers.Lambda(lambda each: logarithms(*each), output_shape=(3,))([*inputs.values()])
    model = tf.keras.Model(inputs, layers.Dense(1, bias_initializer="ones")(facts))
    model.compile(tf.keras.optimizers.Adam(0.05), "mse")
    return model


def typical_error(tf: Any, dataset: Path, forgotten: tuple[str, ...] = ()) -> float:
    """Median error, as a share of the area, on the 10 pictures of validation and test.

    Args:
      forgotten: columns that are 112 for all pictures.
    """
    columns = ("image/height", "image/width")
    splits = tfrecordcli.load(
        dataset, batch_size=20, image_size=SIDE, resize="stretch", seed=3, features=columns
    )

    def prepared(inputs: Any, area: Any) -> Any:
        sides = {key[6:]: tf.cast(inputs[key], tf.float32) for key in columns}
        sides = {key: side * 0 + 112 if key in forgotten else side for key, side in sides.items()}
        return {"image": inputs["image"], **sides}, tf.math.log(area / 1_000)

    model = pixels_model(tf)
    model.fit(splits["train"].map(prepared).cache().repeat(150), shuffle=False, verbose=0)
    unseen = splits["validation"].concatenate(splits["test"]).map(prepared)
    ((inputs, truth),) = unseen.unbatch().batch(100)
    guess = model.predict(inputs, verbose=0)[:, 0]
    return float(np.median(np.abs(np.exp(guess - truth) - 1)))


@pytest.mark.thorough
def test_a_regressor_learns_from_images_and_columns(tf: Any, sizes: Path) -> None:
    assert typical_error(tf, sizes) < 0.03
    # The proof that this can fail: without the columns it cannot know.
    assert typical_error(tf, sizes, ("height", "width")) > 0.06
