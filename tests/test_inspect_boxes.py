"""`tfrec inspect` of records with boxes: counts, sheet, an export that converts back, the parse function."""

from __future__ import annotations

import csv
import json
import runpy
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boxing import HEADER, convert, records, write
from converting import jpeg, tfrec
from PIL import Image
from verifying import features_of, frames_of, write_shard

from tfrecordcli.formats.example import Empty, encode_example
from tfrecordcli.inspecting.boxes import boxes_of
from tfrecordcli.schema import OBJECT_CORNERS
from tfrecordcli.tfrecords.feature import FeatureValues

GREY = (120, 120, 120)
ROWS = (
    "a.png,cat,8,4.3,40,20,1,17.5\na.png,dog,90,20,160,90,0,\nb.png,cat,0.1,0.2,99.7,98.6,0,\n"
    "c.png,dog,1,1,5,5,0,\nd.png,,,,,,,\n"
)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four images with 2, 1, 1 and 0 boxes; one box reaches beyond its image."""
    folder = tmp_path_factory.mktemp("boxes")
    (folder / "in").mkdir()
    for name in "abcd":
        Image.new("RGB", (151, 101), GREY).save(folder / "in" / f"{name}.png")
    header = HEADER.strip() + ",difficult,area\n"
    source = write(folder / "in", header + ROWS)
    options = {"splits": "train=1", "labels": write(folder / "in", "zebra\ndog\ncat\n", "labels.txt")}
    assert convert(source, folder / "out", **options).exit_code == 0
    return folder / "out"


def test_boxes_are_counted(dataset: Path) -> None:
    told = tfrec("inspect", dataset, "--json").json
    sizes = {"small": 2, "medium": 1, "large": 1}
    counts = {"boxes": 4, "records": 4, "without": 1, "fewest": 0, "most": 2, "mean": 1.0, "uneven": 0}
    assert told["boxes"] == {**counts, **sizes}
    assert told["labels"]["counts"] == [
        {"label": 3, "text": "cat", "count": 2},
        {"label": 2, "text": "dog", "count": 2},
    ]
    text = tfrec("inspect", dataset).out
    assert "  boxes: 4 in 4 images, 1 on average\n    0 to 2 in an image; 1 image without one\n" in text
    assert "    small 2, medium 1, large 1 (below 32 x 32 pixels, below 96 x 96, more)\n" in text


def test_a_number_of_one_record_is_a_number(tmp_path: Path) -> None:
    corners = {key: [float(key.endswith("max"))] for key in OBJECT_CORNERS}
    write_shard(tmp_path / "a.tfrecord", [encode_example({"image/encoded": [jpeg()], **corners})])
    assert '"without": 0' in tfrec("inspect", tmp_path, "--json").out


def test_many_boxes_of_one_image_are_labels_too(tmp_path: Path) -> None:
    sides = {key: [float(key.endswith("max"))] * 300 for key in OBJECT_CORNERS}
    features = {"image/encoded": [jpeg()], "image/object/class/label": [7] * 300, **sides}
    write_shard(tmp_path / "a.tfrecord", [encode_example(features)])
    told = tfrec("inspect", tmp_path, "--json").json
    assert (told["boxes"]["most"], told["labels"]["counts"][0]["count"]) == (300, 300)


def test_lists_that_differ_in_length_are_told(tmp_path: Path) -> None:
    sides = {key: [0.5] for key in OBJECT_CORNERS}
    sides["image/object/bbox/xmax"] = [0.5, 0.6]
    payload = encode_example({"image/encoded": [jpeg()], "image/object/class/label": [1], **sides})
    right = {key: [float(key.endswith("max"))] for key in OBJECT_CORNERS}
    other = encode_example({"image/encoded": [jpeg(1)], "image/object/class/label": [1], **right})
    write_shard(tmp_path / "a.tfrecord", [payload, other])
    done = tfrec("inspect", tmp_path, "--export", tmp_path / "some")
    assert "    1 record whose lists of boxes differ in length, not counted\n" in done.out
    assert "  passed over: 1 record whose lists of boxes differ in length or hold no numbers\n" in done.out
    assert "wrote 1 image and data.csv (1 box) into" in done.out
    assert boxes_of({key: FeatureValues("int64", [1]) for key in OBJECT_CORNERS}) is None


def test_an_export_converts_back_to_equal_records(dataset: Path, tmp_path: Path) -> None:
    done = tfrec("inspect", dataset, "--export", tmp_path / "some")
    assert (done.code, done.err) == (0, "")
    assert "wrote 4 images, data.csv and label_map.pbtxt (4 boxes) into" in done.out
    assert "not exported" not in done.out
    with (tmp_path / "some" / "data.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    (first,) = [row for row in rows if row["image_uri"] == "a.png" and row["label"] == "cat"]
    corners = [first[side] for side in ("xmin", "ymin", "xmax", "ymax")]
    assert (corners, first["difficult"], first["area"]) == (["8", "4.3", "40", "20"], "1", "17.5")
    (empty,) = [row for row in rows if row["image_uri"] == "d.png"]
    assert {
        value for key, value in empty.items() if key not in ("split", "image_uri", "tfrec_source_id")
    } == {""}
    command = shlex.split(done.out.splitlines()[-1])
    again = tfrec(*(str(tmp_path / "again") if word == "OUTPUT_DIR" else word for word in command[1:]))
    assert again.code == 0, again.err
    assert records(tmp_path / "again") == records(dataset)
    labels = [(folder / "label_map.pbtxt").read_bytes() for folder in (dataset, tmp_path / "again")]
    assert labels[0] == labels[1]


def test_an_export_of_records_of_others_has_their_ids(dataset: Path, tmp_path: Path) -> None:
    """Without a manifest the map is made of the pairs that the records hold; numbers alone stay numbers."""
    (shard,) = dataset.glob("*.tfrecord")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / shard.name).write_bytes(shard.read_bytes())
    tfrec("inspect", tmp_path / "in", "--export", tmp_path / "named")
    assert (tmp_path / "named" / "label_map.pbtxt").read_text().split() == (
        ["item", "{", "id:", "2", "name:", "'dog'", "}", "item", "{", "id:", "3", "name:", "'cat'", "}"]
    )
    payloads = []
    for frame in frames_of(shard):
        values: dict[str, Any] = features_of(frame)
        del values["image/object/class/text"]
        payloads.append(encode_example({key: each or Empty["float"] for key, each in values.items()}))
    write_shard(tmp_path / "in" / shard.name, payloads)
    done = tfrec("inspect", tmp_path / "in", "--export", tmp_path / "numbers")
    assert "--labels" not in done.out
    assert {
        row.split(",")[2] for row in (tmp_path / "numbers" / "data.csv").read_text().splitlines()[1:]
    } == {
        *("2", "3", ""),
    }


def test_the_sheet_shows_boxes_in_a_colour_a_label(dataset: Path, tmp_path: Path) -> None:
    assert tfrec("inspect", dataset, "--sheet", tmp_path / "sheet.png").code == 0
    with Image.open(tmp_path / "sheet.png") as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    spread = pixels.max(axis=-1) - pixels.min(axis=-1)
    bright = {tuple(colour) for colour in pixels[spread > 100].tolist()}
    plain = {colour for colour in bright if (pixels == colour).all(axis=-1).sum() > 100}
    assert len(plain) == 2  # cat and dog; the photos are grey


def test_the_parse_function_stacks_the_boxes(dataset: Path, tmp_path: Path, tf: Any) -> None:
    done = tfrec("inspect", dataset, "--parse-fn")
    (tmp_path / "reading.py").write_text(done.out)
    module = runpy.run_path(str(tmp_path / "reading.py"))
    examples = list(module["load"]([str(path) for path in dataset.glob("*.tfrecord")]))
    shapes = sorted(tuple(example["boxes"].shape) for example in examples)
    assert shapes == [(0, 4), (1, 4), (1, 4), (2, 4)]
    found = records(dataset)
    for example in examples:
        values = found[example["image/filename"].numpy().decode()]
        sides = [values[f"image/object/bbox/{side}"] for side in ("ymin", "xmin", "ymax", "xmax")]
        assert example["boxes"].numpy().T.tolist() == sides
        assert example["image/object/class/label"].shape == (len(sides[0]),)
    alone = tmp_path / "alone"
    alone.mkdir()
    one = next(
        frame
        for frame in frames_of(next(dataset.glob("*.tfrecord")))
        if len(features_of(frame)["image/object/area"]) == 1
    )
    write_shard(alone / "a.tfrecord", [one[12:-4]])
    code = tfrec("inspect", alone, "--parse-fn").out
    assert '"image/object/bbox/xmin": tf.io.VarLenFeature(tf.float32)' in code


def test_export_in_json(dataset: Path, tmp_path: Path) -> None:
    told = tfrec("inspect", dataset, "--export", tmp_path / "some", "--json").json["export"]
    assert (told["boxes"], told["uneven"], told["images"], told["left_out"]) == (4, 0, 4, [])
    assert told["labels_file"] == str(tmp_path / "some" / "label_map.pbtxt")
    assert json.loads((dataset / "manifest.json").read_text())["boxes"]["stored"] == 4


# --- COCO ---


def converted_again(out: str, tmp_path: Path) -> Path:
    """Runs the command that an export ends with; where it wrote."""
    command = shlex.split(out.splitlines()[-1])
    again = tfrec(*(str(tmp_path / "again") if word == "OUTPUT_DIR" else word for word in command[1:]))
    assert again.code == 0, again.err
    return tmp_path / "again"


def test_an_export_to_coco_converts_back_to_equal_boxes(dataset: Path, tmp_path: Path) -> None:
    done = tfrec("inspect", dataset, "--export", tmp_path / "some", "--export-format", "coco")
    assert (done.code, done.err) == (0, "")
    assert "wrote 4 images and instances_train.json (4 boxes) into" in done.out
    assert "  not exported: image/object/difficult\n" in done.out
    told = json.loads((tmp_path / "some" / "instances_train.json").read_text())
    assert [(each["id"], each["name"]) for each in told["categories"]] == [
        (1, "zebra"),
        (2, "dog"),
        (3, "cat"),
    ]
    numbers = {each["file_name"]: each["id"] for each in told["images"]}
    assert {each["width"] for each in told["images"]} == {151}
    (first,) = [
        each
        for each in told["annotations"]
        if (each["image_id"], each["category_id"]) == (numbers["a.png"], 3)
    ]
    assert (first["bbox"], first["area"], first["iscrowd"]) == ([8, 4.3, 32, 15.7], 17.5, 0)
    before, after = records(dataset), records(converted_again(done.out, tmp_path))
    for values in before.values():
        del values["image/object/difficult"]
    assert after == before
    maps = [(folder / "label_map.pbtxt").read_bytes() for folder in (dataset, tmp_path / "again")]
    assert maps[0] == maps[1]


@pytest.mark.thorough
def test_coco_has_a_file_a_split_and_csv_the_same_boxes(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = []
    for number in range(30):
        width, height = map(int, rng.integers(9, 300, 2))
        Image.new("RGB", (width, height), GREY).save(tmp_path / f"{number}.png")
        for _ in range(3):
            left, top = rng.uniform(0, 6, 2)
            right, bottom = left + rng.uniform(0.1, 3), top + rng.uniform(0.1, 3)
            rows.append(f"{number}.png,{rng.choice(['cat', 'dog'])},{left},{top},{right},{bottom}\n")
    source = write(tmp_path, HEADER + "".join(rows))
    assert convert(source, tmp_path / "out", splits="train=2,test=1").exit_code == 0
    for kind in ("coco", "csv"):
        folder = tmp_path / kind
        done = tfrec(
            *("inspect", tmp_path / "out", "--export", folder, "--export-format", kind, "--num-records", 99)
        )
        assert ("instances_train.json and instances_test.json" in done.out) == (kind == "coco")
        assert records(converted_again(done.out, folder)) == records(tmp_path / "out")


def test_coco_of_records_of_others(tmp_path: Path) -> None:
    """Without names, splits and numbers; a number that two images share; boxes that are no numbers."""
    sides = {key: [float(key.endswith("max"))] for key in OBJECT_CORNERS}
    label = {"image/object/class/label": [0], "image/source_id": [b"7"]}
    payloads = [encode_example({"image/encoded": [jpeg(number)], **label, **sides}) for number in range(2)]
    other = {**label, **sides, "image/object/bbox/xmin": [float("nan")]}
    payloads.append(encode_example({"image/encoded": [jpeg(2)], **other}))
    write_shard(tmp_path / "a.tfrecord", payloads)
    done = tfrec("inspect", tmp_path / "a.tfrecord", "--export", tmp_path / "some", "--export-format", "coco")
    assert "passed over: 1 record whose lists of boxes differ in length or hold no numbers" in done.out
    told = json.loads((tmp_path / "some" / "instances.json").read_text())
    assert told["categories"] == [{"id": 0, "name": "0"}]
    assert [each["id"] for each in told["images"]] == [7, 8]
    assert [each["bbox"] for each in told["annotations"]] == [[0, 0, 24, 16]] * 2


def test_coco_is_for_boxes(sample_data: Path, tmp_path: Path) -> None:
    tfrec("convert", sample_data / "data.csv", tmp_path / "out")
    done = tfrec("inspect", tmp_path / "out", "--export", tmp_path / "some", "--export-format", "coco")
    assert (done.code, (tmp_path / "some").exists()) == (2, False)
    assert "the records have no boxes with labels" in done.err
