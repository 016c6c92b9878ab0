"""`load(features=)`: further columns beside images, in their place, among boxes; shapes of elements."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boxing import HEADER, convert, photos, write
from converting import convert_json, jpeg, write_csv

import tfrecordcli
from tfrecordcli.errors import InputError, UsageError

ROWS = [
    ("TRAIN", "0.jpg", "a", "31", "1.5", "007", "red;blue", "x"),
    ("TRAIN", "1.jpg", "b", "", "", "010", "", ""),
    ("TRAIN", "2.jpg", "a", "-4", "2", "011", "red", "y"),
]
TYPES = "age:int,size:float,zip:text,tags:text[;],note:text"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three images with columns of each type, of which the second lacks all but one."""
    folder = tmp_path_factory.mktemp("columns")
    for number in range(3):
        (folder / f"{number}.jpg").write_bytes(jpeg(number))
    header = ("split", "image_uri", "label", "age", "size", "zip", "tags", "note")
    source = write_csv(folder / "list.csv", ROWS, header)
    assert convert_json(source, folder / "out", "--features", TYPES)["exit_code"] == 0
    return folder / "out"


def batch_of(folder: Path, **options: Any) -> Any:
    return next(iter(tfrecordcli.load(folder, shuffle=False, **{"image_size": 16, **options})["train"]))


def by_name(inputs: Any, key: str) -> dict[bytes, Any]:
    """File name -> value of a column."""
    values = inputs[key].to_list() if hasattr(inputs[key], "to_list") else inputs[key].numpy().tolist()
    return dict(zip(inputs["image/filename"].numpy().tolist(), values, strict=True))


def test_columns_stand_beside_the_image(dataset: Path, tf: Any) -> None:
    names = ("image/filename", "age", "size", "zip", "note")
    inputs, labels = batch_of(dataset, features=names, defaults={"age": np.int64(-1), "note": "none"})
    assert inputs["image"].shape == (3, 16, 16, 3)
    assert {key: inputs[key].dtype.name for key in names[1:]} == {
        "age": "int64",
        "size": "float32",
        "zip": "string",
        "note": "string",
    }
    assert by_name(inputs, "age") == {b"0.jpg": 31, b"1.jpg": -1, b"2.jpg": -4}
    assert by_name(inputs, "zip") == {b"0.jpg": b"007", b"1.jpg": b"010", b"2.jpg": b"011"}
    assert by_name(inputs, "note") == {b"0.jpg": b"x", b"1.jpg": b"none", b"2.jpg": b"y"}
    sizes = by_name(inputs, "size")
    assert (sizes[b"0.jpg"], math.isnan(sizes[b"1.jpg"]), sizes[b"2.jpg"]) == (1.5, True, 2.0)
    found = dict(zip(inputs["image/filename"].numpy(), labels.numpy(), strict=True))
    assert found == {b"0.jpg": 0, b"1.jpg": 1, b"2.jpg": 0}


def test_lists_are_ragged_and_all_are_all(dataset: Path, tf: Any) -> None:
    inputs, _ = batch_of(dataset, features="all", defaults={"age": -1})
    assert set(inputs) == {"image", "age", "size", "zip", "tags", "note"}
    assert inputs["image"].shape == (3, 16, 16, 3)
    assert sorted(inputs["tags"].to_list()) == [[], [b"red"], [b"red", b"blue"]]


def test_columns_go_with_raw_files_augment_and_no_labels(dataset: Path, tf: Any) -> None:
    inputs, _ = batch_of(dataset, features="zip", raw=True, image_size=None)
    assert {inputs[key].dtype.name for key in inputs} == {"string"}
    assert all(file.startswith(b"\xff\xd8") for file in inputs["image"].numpy())
    inputs = batch_of(dataset, features=["zip"], label_mode="none", augment=lambda image: image[:8] / 255)
    assert inputs["image"].shape == (3, 8, 16, 3)
    assert sorted(inputs["zip"].numpy()) == [b"007", b"010", b"011"]


def test_images_at_their_own_size_are_dense_beside_lists(dataset: Path, tf: Any) -> None:
    for style in ("tuple", "keras"):
        splits = tfrecordcli.load(dataset, features="tags", image_size=None, batch_size=1, style=style)  # type: ignore[arg-type]
        batches = [element if style == "keras" else element[0] for element in splits["train"]]
        images = [inputs["images" if style == "keras" else "image"] for inputs in batches]
        assert [image.numpy().shape for image in images] == [(1, 16, 24, 3)] * 3
        assert sorted(inputs["tags"].to_list()[0] for inputs in batches) == [[], [b"red"], [b"red", b"blue"]]


def test_shapes_of_elements_for_keras(dataset: Path, tf: Any) -> None:
    for style in ("keras", "keras_cv"):
        element = batch_of(dataset, style=style, features="size", label_mode="multi_hot")
        assert {key: values.shape for key, values in element.items()} == {
            "images": (3, 16, 16, 3),
            "labels": (3, 2),
            "size": (3,),
        }


@pytest.mark.parametrize(
    ("options", "told", "hint"),
    [
        ({"features": "aeg"}, "the records have no 'aeg'", "did you mean age?"),
        ({"features": "qqq"}, "the records have no 'qqq'", "stored columns: age, size"),
        ({"features": 3}, "features must be names of columns", ""),
        ({"features": "age"}, "some rows have none: age", "load with defaults={'age': -1}"),
        ({"features": "zip", "defaults": {"age": 1}}, "'age' is not among features", "name it"),
        ({"features": "age", "defaults": {"age": "x"}}, "'age' must be a whole number, got 'x'", ""),
        ({"features": "tags", "defaults": {"tags": "x"}}, "'tags' holds lists", "leave it out"),
        ({"features": "zip", "device": "gpu"}, "a GPU holds neither texts nor lists", "device='cpu'"),
        ({"defaults": 3}, "defaults must be values by column", ""),
        ({"style": "kears"}, "style must be one of tuple, keras, keras_cv", ""),
        ({"crowd": "drop"}, "crowd is for boxes", "leave it out"),
        ({"first_label": 0}, "first_label is for boxes", "leave it out"),
        ({"first_label": 2}, "first_label must be 0 or 1, got 2", ""),
    ],
)
def test_what_is_refused(options: dict[str, Any], told: str, hint: str, dataset: Path, tf: Any) -> None:
    with pytest.raises((UsageError, InputError)) as caught:
        tfrecordcli.load(dataset, **options)  # type: ignore[arg-type]
    assert told in caught.value.message
    assert hint in caught.value.hint


def test_a_column_called_like_the_image_is_refused(tmp_path: Path, tf: Any) -> None:
    photos(tmp_path, "a.png")
    source = write_csv(tmp_path / "list.csv", [("a.png", "a", "7")], ("image_uri", "label", "image"))
    options = {"columns": "image_uri=image_uri", "features": "image:int", "splits": "train=1"}
    assert convert(source, tmp_path / "out", **options).exit_code == 0
    with pytest.raises(UsageError, match="is what the image is called"):
        tfrecordcli.load(tmp_path / "out", features="image")
    element = batch_of(tmp_path / "out", features="image", style="keras")
    assert element["image"].numpy().tolist() == [7]


def test_some_columns_of_a_table(tmp_path: Path, tf: Any) -> None:
    rows = [("TRAIN", "1", "2.5", "a"), ("TRAIN", "", "3.5", "b")]
    source = write_csv(tmp_path / "list.csv", rows, ("split", "age", "fare", "label"))
    convert_json(source, tmp_path / "out", "--task", "tabular")
    splits = tfrecordcli.load(tmp_path / "out", features="fare")
    columns, _ = next(iter(splits["train"]))
    assert list(columns) == ["fare"]
    splits = tfrecordcli.load(tmp_path / "out", defaults={"age": -1})
    columns, _ = next(iter(splits["train"]))
    assert sorted(columns["age"].numpy()) == [-1, 1]
    with pytest.raises(UsageError, match="style='keras' is for images"):
        tfrecordcli.load(tmp_path / "out", features="fare", style="keras")


def test_a_size_that_nothing_is_brought_to_is_warned_of(dataset: Path, tmp_path: Path, tf: Any) -> None:
    source = write_csv(tmp_path / "list.csv", [("TRAIN", "1", "a")], ("split", "age", "label"))
    convert_json(source, tmp_path / "out", "--task", "tabular")
    for option in ({"image_size": 96}, {"image_size": None}, {"resize": "crop"}):
        (name,) = option
        with pytest.warns(UserWarning, match=f"^{name}= is not used: these rows have no images") as told:
            tfrecordcli.load(tmp_path / "out", **option)
        assert [each.filename for each in told] == [__file__]
    with pytest.warns(UserWarning, match="^image_size= is not used: images keep their size"):
        tfrecordcli.load(dataset, raw=True, image_size=96)
    tfrecordcli.load(dataset, raw=True, image_size=None)  # which says just that


# --- boxes ---


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image with three boxes, one of them a crowd, ids 2 and 7; one image without a box."""
    folder = photos(tmp_path_factory.mktemp("of-boxes"), "a.png", "b.png")
    header = HEADER.strip() + ",is_crowd,area,weather\n"
    rows = "a.png,cat,0,0,8,8,0,11,sun\na.png,dog,8,4,40,20,1,,sun\na.png,dog,40,0,60,30,0,13,sun\n"
    source = write(folder, f"{header}{rows}b.png,,,,,,,,rain\n")
    labels = "item { id: 2 name: 'cat' }\nitem { id: 7 name: 'dog' }\n"
    options = {"labels": write(folder, labels, "map.pbtxt"), "features": "weather", "splits": "train=1"}
    assert convert(source, folder / "out", **options).exit_code == 0
    return folder / "out"


def test_keys_of_boxes_stand_among_them(boxes: Path, tf: Any) -> None:
    more = ("image/object/area", "image/object/class/text", "weather")
    inputs, objects = batch_of(boxes, features=more, max_boxes=5)
    assert sorted(inputs["weather"].numpy()) == [b"rain", b"sun"]
    assert {key: values.shape for key, values in objects.items()} == {
        "boxes": (2, 5, 4),
        "labels": (2, 5),
        "area": (2, 5),
        "text": (2, 5),
    }
    full = int(objects["labels"].numpy()[:, 0].argmax())
    assert objects["area"][full].numpy().tolist() == [11, 32 * 16, 13, -1, -1]
    assert objects["text"][full].numpy().tolist() == [b"cat", b"dog", b"dog", b"", b""]
    _, objects = batch_of(boxes, features=more, ragged=True, crowd="drop")
    assert sorted(objects["area"].to_list()) == [[], [11.0, 13.0]]


def test_crowds_are_left_out_and_what_is_cut_off_with_them(boxes: Path, tf: Any) -> None:
    _, objects = batch_of(boxes, ragged=True, crowd="drop")
    assert sorted(objects["labels"].to_list()) == [[], [2, 7]]
    _, objects = batch_of(boxes, ragged=True, crowd="drop", resize="crop")  # 20 of 80 pixels on each side
    assert sorted(objects["labels"].to_list()) == [[], [7]]


def test_labels_without_gaps_from_0(boxes: Path, tf: Any) -> None:
    splits = tfrecordcli.load(boxes, first_label=0, ragged=True, image_size=16)
    assert (splits.class_names, splits.num_classes) == (["cat", "dog"], 2)
    (_, objects), *_ = splits["train"]
    assert sorted(objects["labels"].to_list()) == [[], [0, 1, 1]]
    splits = tfrecordcli.load(boxes, first_label=0, label_mode="multi_hot", image_size=16)
    (_, present), *_ = splits["train"]
    assert sorted(present.numpy().tolist()) == [[0, 0], [1, 1]]
    assert tfrecordcli.load(boxes).num_classes == 8


def test_boxes_for_the_layers_of_keras(boxes: Path, tf: Any) -> None:
    element = batch_of(boxes, style="keras_cv", features="weather")
    assert set(element) == {"images", "weather", "bounding_boxes"}
    assert set(element["bounding_boxes"]) == {"boxes", "classes"}
    element = batch_of(boxes, style="keras", box_format="xyxy", max_boxes=3)
    larger = tf.keras.layers.Resizing(32, 48, bounding_box_format="xyxy")
    before, after = element["bounding_boxes"], larger(element)["bounding_boxes"]
    is_box = element["bounding_boxes"]["labels"].numpy() >= 0
    assert is_box.sum() == 3
    assert np.allclose(after["boxes"].numpy()[is_box], before["boxes"].numpy()[is_box] * [3, 2, 3, 2])
