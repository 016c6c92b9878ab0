"""`load` of datasets with boxes: where they lie on the image as it is fed, in each format and batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boxing import HEADER, convert, photos, write
from converting import tfrec
from PIL import Image, ImageDraw
from verifying import change_features

import tfrecordcli
from tfrecordcli.errors import UsageError
from tfrecordcli.feed.boxes import in_format
from tfrecordcli.feed.options import BOX_FORMATS, FeedOptions
from tfrecordcli.feed.proof import prove
from tfrecordcli.feed.splits import open_dataset
from tfrecordcli.storage.store_path import place_of

# On each photo a red box of "cat", and a blue one of "dog" at its left edge.
RED, BLUE, GROUND = (230, 20, 20), (20, 20, 230), (20, 160, 20)
CAT, DOG = (30, 20, 60, 50), (0, 30, 12, 60)
SIZES = {"wide.png": (120, 80), "high.png": (80, 120)}


def draw(path: Path, size: tuple[int, int]) -> None:
    image = Image.new("RGB", size, GROUND)
    for (x0, y0, x1, y1), colour in ((CAT, RED), (DOG, BLUE)):
        ImageDraw.Draw(image).rectangle((x0, y0, x1 - 1, y1 - 1), colour)
    image.save(path)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two photos with two boxes each, one that shows nothing."""
    folder = tmp_path_factory.mktemp("boxes")
    (folder / "in").mkdir()
    Image.new("RGB", (50, 50), GROUND).save(folder / "in" / "empty.png")
    rows = "empty.png,,,,,\n"
    for name, size in SIZES.items():
        draw(folder / "in" / name, size)
        rows += f"{name},cat,{','.join(map(str, CAT))}\n{name},dog,{','.join(map(str, DOG))}\n"
    assert convert(write(folder / "in", HEADER + rows), folder / "out", splits="train=1").exit_code == 0
    return folder / "out"


def batch_of(folder: Path, **options: Any) -> tuple[Any, Any]:
    return next(iter(tfrecordcli.load(folder, shuffle=False, **options)["train"]))


def share_of_colour(image: Any, box: Any, colour: tuple[int, int, int]) -> float:
    """How much of the inside of a box (rel_yxyx) has this colour; its border, where colours mix, left out."""
    height, width = image.shape[:2]
    top, left, bottom, right = (round(float(v)) for v in box * [height, width, height, width])
    inside = image[top + 2 : bottom - 2, left + 2 : right - 2].astype(int)
    assert inside.size
    return float((np.abs(inside - colour).max(axis=-1) < 60).mean())


@pytest.mark.parametrize("resize", ["pad", "crop", "stretch"])
@pytest.mark.parametrize("size", [64, (100, 60), (60, 100), 333])
def test_boxes_go_where_the_image_goes(resize: str, size: Any, dataset: Path, tf: Any) -> None:
    images, objects = batch_of(dataset, image_size=size, resize=resize)
    assert objects["boxes"].dtype == "float32"
    assert objects["boxes"].shape == (3, 100, 4)
    assert objects["labels"].dtype == "int64"
    assert objects["labels"].shape == (3, 100)
    counts = []
    for image, boxes, labels in zip(
        images.numpy(), objects["boxes"].numpy(), objects["labels"].numpy(), strict=True
    ):
        is_there = labels >= 0
        counts.append(int(is_there.sum()))
        assert (boxes[~is_there] == -1).all()
        for box, label in zip(boxes[is_there], labels[is_there], strict=True):
            assert 0 <= box.min() <= box.max() <= 1
            if min(box[2:] - box[:2]) * min(image.shape[:2]) >= 6:  # enough inside to look at
                assert share_of_colour(image, box, RED if label == 1 else BLUE) == 1.0
        # Outside of all boxes nothing has their colours.
        rest = image.copy()
        for top, left, bottom, right in boxes[is_there] * np.tile(image.shape[:2], 2):
            rest[max(0, int(top) - 2) : int(bottom) + 3, max(0, int(left) - 2) : int(right) + 3] = 0
        assert (rest[..., 0] < 100).all()
        assert (rest[..., 2] < 100).all()
    assert sorted(counts)[0] == 0
    assert sum(counts) == 4 or resize == "crop"


def test_crop_leaves_out_what_it_cuts_off(dataset: Path, tf: Any) -> None:
    _, objects = batch_of(dataset, image_size=40, resize="crop")
    pairs = zip(objects["labels"].numpy(), objects["boxes"].numpy(), strict=True)
    kept = {tuple(row[row >= 0]): boxes for row, boxes in pairs}
    assert sorted(kept) == [(), (1,), (1, 2)]  # of the wide photo, 20 pixels on each side are gone
    assert kept[(1,)][0] == pytest.approx((0.25, 10 / 80, 50 / 80, 0.5))


@pytest.mark.parametrize("box_format", BOX_FORMATS)
def test_formats_are_those_of_keras(box_format: Any, tf: Any) -> None:
    convert_format = tf.keras.utils.bounding_boxes.convert_format
    boxes = np.array([[0.1, 0.2, 0.5, 1.0], [0.0, 0.0, 1.0, 0.25]], np.float32)
    mine = in_format(tf.constant(boxes), box_format, (40, 80)).numpy()
    assert mine[0] == pytest.approx(
        {
            "rel_yxyx": (0.1, 0.2, 0.5, 1.0),
            "yxyx": (4, 16, 20, 80),
            "rel_xyxy": (0.2, 0.1, 1.0, 0.5),
            "xyxy": (16, 4, 80, 20),
            "rel_xywh": (0.2, 0.1, 0.8, 0.4),
            "xywh": (16, 4, 64, 16),
            "center_xywh": (48, 12, 64, 16),
        }[box_format]
    )
    theirs = convert_format(boxes, "rel_yxyx", box_format, height=40, width=80)
    assert mine == pytest.approx(np.asarray(theirs))


def test_boxes_in_pixels_of_the_image_as_it_is_fed(dataset: Path, tf: Any) -> None:
    for options in ({"raw": True}, {"image_size": None, "batch_size": 1}):
        splits = tfrecordcli.load(dataset, shuffle=False, box_format="xyxy", **options)  # type: ignore[arg-type]
        found = [tuple(box) for _, each in splits["train"] for box in each["boxes"].numpy().reshape(-1, 4)]
        assert {tuple(np.round(box, 3)) for box in found if box[0] >= 0} == {DOG, CAT}
    _, objects = batch_of(dataset, image_size=(40, 240), resize="stretch", box_format="xywh")
    boxes = objects["boxes"].numpy().reshape(-1, 4).tolist()
    found = {tuple(round(value, 3) for value in box) for box in boxes if box[0] >= 0}
    assert found == {(60, 10, 60, 15), (0, 15, 24, 15), (90, 6.667, 90, 10), (0, 10, 36, 10)}


def test_ragged_batches_and_few_boxes(dataset: Path, tf: Any) -> None:
    images, objects = batch_of(dataset, image_size=32, ragged=True)
    assert images.shape == (3, 32, 32, 3)
    assert sorted(objects["boxes"].row_lengths().numpy()) == [0, 2, 2]
    assert sorted(map(tuple, objects["labels"].to_list())) == [(), (1, 2), (1, 2)]
    alone = tfrecordcli.load(dataset, image_size=None, batch_size=1, ragged=True, shuffle=False)["train"]
    assert sorted(images.numpy().shape for images, _ in alone) == [
        (1, 50, 50, 3),
        (1, 80, 120, 3),
        (1, 120, 80, 3),
    ]
    with pytest.warns(UserWarning, match="an image has 2 boxes, and max_boxes=1 leaves the rest out"):
        _, objects = batch_of(dataset, image_size=32, max_boxes=1)
    assert sorted(objects["labels"].numpy().tolist()) == [[-1], [1], [1]]


def test_augment_gets_the_boxes_and_returns_them(dataset: Path, tf: Any) -> None:
    def flipped(image: Any, objects: Any) -> Any:
        top, left, bottom, right = tf.unstack(objects["boxes"], axis=-1)
        boxes = tf.stack([top, 1 - right, bottom, 1 - left], axis=-1)
        return tf.image.flip_left_right(image), {"boxes": boxes, "labels": objects["labels"]}

    options = {"image_size": 64, "augment": flipped}
    for ragged in (False, True):
        images, objects = batch_of(dataset, ragged=ragged, **options)
        for image, boxes, labels in zip(images.numpy(), objects["boxes"], objects["labels"], strict=True):
            for box, label in zip(boxes.numpy(), labels.numpy(), strict=True):
                assert label == -1 or share_of_colour(image, box, RED if label == 1 else BLUE) == 1.0

    def fewer(image: Any, objects: Any) -> Any:
        return image, {key: values[:1] for key, values in objects.items()}

    _, objects = batch_of(dataset, image_size=64, augment=fewer)
    assert sorted((row >= 0).sum() for row in objects["labels"].numpy()) == [0, 1, 1]
    for wrong in (lambda image, objects: (image, objects["boxes"]), lambda image, objects: image):
        with pytest.raises(UsageError, match="augment must return"):
            tfrecordcli.load(dataset, image_size=64, augment=wrong)


def test_names_modes_and_what_is_refused(dataset: Path, sample_data: Path, tmp_path: Path, tf: Any) -> None:
    splits = tfrecordcli.load(dataset)
    assert list(splits.class_names) == ["background", "cat", "dog"]
    assert splits.num_classes == 3
    assert {"image/object/bbox/xmin", "image/object/class/label"} <= splits.parse_spec.keys()
    images, present = batch_of(dataset, image_size=32, label_mode="multi_hot")
    assert sorted(present.numpy().tolist()) == [[0, 0, 0], [0, 1, 1], [0, 1, 1]]
    assert batch_of(dataset, image_size=32, label_mode="none").shape == images.shape
    for options in ({"ragged": True, "label_mode": "none"}, {"max_boxes": 5, "label_mode": "multi_hot"}):
        with pytest.raises(UsageError, match="is for boxes"):
            tfrecordcli.load(dataset, **options)  # type: ignore[arg-type]
    tfrecordcli.convert(sample_data / "data.csv", tmp_path / "classes", num_shards=1)
    with pytest.raises(UsageError, match="box_format is for boxes"):
        tfrecordcli.load(tmp_path / "classes", box_format="xyxy")
    for options in (
        {"max_boxes": 0},
        {"box_format": "yolo"},
        {"ragged": 1},
        {"ragged": True, "device": "gpu"},
    ):
        with pytest.raises(UsageError):
            FeedOptions(**options)  # type: ignore[arg-type]


def test_verify_proves_and_times_the_feed_of_boxes(dataset: Path) -> None:
    told = tfrec("verify", dataset, "--json", "--feed-seconds", "0.2", "--image-size", "32").json
    assert (told["exit_code"], told["problems"]) == (0, [])
    assert told["feed"]["proof"]["ok"]
    assert told["feed"]["images"] == 3
    assert told["feed"]["images_per_second"] > 0


def test_the_proof_counts_every_box(dataset: Path, tmp_path: Path, tf: Any) -> None:
    """Also of an image with more of them than a batch has room for; and it sees a label that changed."""
    rows = "".join(
        f"a.png,{'cat' if n % 3 else 'dog'},{n / 4:.2f},4,{n / 4 + 5:.2f},20\n" for n in range(160)
    )
    source = write(photos(tmp_path / "in", "a.png"), HEADER + rows)
    assert convert(source, tmp_path / "out", splits="train=1").exit_code == 0
    folder = place_of(tmp_path / "out")
    made = open_dataset(folder)
    assert made.boxes is not None
    assert made.boxes.most > 100
    assert prove(folder, made, FeedOptions(image_size=32)) == []
    (shard,) = (tmp_path / "out").glob("*.tfrecord")
    change_features(shard, 0, image__object__class__label=[1] * made.boxes.most)
    codes = [problem.code for problem in prove(folder, made, FeedOptions(image_size=32))]
    assert (codes, len(made.splits["train"].labels)) == (["feed_labels", "feed_digest"], 2)


# --- a detector ---


def scene(path: Path, rng: Any) -> str:
    """A photo with one square or disc somewhere on it; its rows."""
    side = int(rng.integers(24, 40))
    x0, y0 = (int(rng.integers(0, limit - side)) for limit in (96, 72))
    name = ("square", "disc")[int(rng.integers(2))]
    image = Image.new("RGB", (96, 72), GROUND)
    shape = ImageDraw.Draw(image).rectangle if name == "square" else ImageDraw.Draw(image).ellipse
    shape((x0, y0, x0 + side - 1, y0 + side - 1), RED if name == "square" else BLUE)
    image.save(path)
    return f"{path.name},{name},{x0},{y0},{x0 + side},{y0 + side}\n"


def detector(tf: Any) -> Any:
    """Finds one box: fractions of the image, and scores of its label."""
    tf.keras.utils.set_random_seed(1)
    layers = tf.keras.layers
    image = tf.keras.Input((48, 48, 3))
    features = layers.Rescaling(1 / 255)(image)
    for filters in (8, 16, 16):
        features = layers.MaxPool2D(2)(layers.Conv2D(filters, 3, padding="same", activation="relu")(features))
    features = layers.Dense(64, activation="relu")(layers.Flatten()(features))
    outputs = {
        "boxes": layers.Dense(4, activation="sigmoid", name="boxes")(features),
        "labels": layers.Dense(3, name="labels")(features),
    }
    model = tf.keras.Model(image, outputs)
    losses = {"boxes": "mae", "labels": tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)}
    model.compile(tf.keras.optimizers.Adam(0.003), losses)
    return model


def overlap(mine: Any, theirs: Any) -> Any:
    """Intersection over union of boxes, rel_yxyx, [n, 4] each."""
    begin, end = np.maximum(mine[:, :2], theirs[:, :2]), np.minimum(mine[:, 2:], theirs[:, 2:])
    inside = np.prod(np.clip(end - begin, 0, None), axis=1)
    areas = [np.prod(np.clip(boxes[:, 2:] - boxes[:, :2], 0, None), axis=1) for boxes in (mine, theirs)]
    return inside / (areas[0] + areas[1] - inside)


@pytest.mark.thorough
def test_a_detector_learns_from_what_load_gives(tmp_path: Path, tf: Any) -> None:
    rng = np.random.default_rng(4)
    (tmp_path / "in").mkdir()
    rows = "".join(scene(tmp_path / "in" / f"{number}.png", rng) for number in range(240))
    source = write(tmp_path / "in", HEADER + rows)
    assert convert(source, tmp_path / "out", splits="train=80,validation=20").exit_code == 0
    splits = tfrecordcli.load(tmp_path / "out", image_size=48, batch_size=16, max_boxes=1, seed=2)

    def one(image: Any, objects: Any) -> Any:
        return image, {key: values[:, 0] for key, values in objects.items()}

    model = detector(tf)
    model.fit(splits["train"].map(one), epochs=25, shuffle=False, verbose=0)
    unseen = list(splits["validation"].map(one).unbatch().batch(1000))
    ((images, truth),) = unseen
    guess = model.predict(images, verbose=0)
    assert (guess["labels"].argmax(axis=1) == truth["labels"].numpy()).mean() > 0.9
    assert np.median(overlap(guess["boxes"], truth["boxes"].numpy())) > 0.6
