"""Boxes in TFRecords as a source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from boxing import convert, photos, write
from converting import convert_json, jpeg, manifest, tfrec
from PIL import Image
from recording import by_image, foreign, records_of
from verifying import verify

from tfrecordcli.formats.example import Empty

_SIDES = ("xmin", "ymin", "xmax", "ymax")


def test_boxes_converted_again_are_the_same(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png", "c.png")
    header = "image_uri,split,label,xmin,ymin,xmax,ymax,difficult\n"
    rows = "a.png,train,dog,8,4,40,20,1\na.png,train,cat,1,2,77,39,\nb.png,test,cat,8,4,40,20,\n"
    convert(write(tmp_path, f"{header}{rows}c.png,train,,,,,,\n"), tmp_path / "out")
    done = tfrec("convert", tmp_path / "out", tmp_path / "again", "--json")
    assert done.json["records"] == 3
    assert by_image(records_of(tmp_path / "again"), "image/source_id") == by_image(
        records_of(tmp_path / "out"), "image/source_id"
    )
    assert (tmp_path / "again/label_map.pbtxt").read_text() == (tmp_path / "out/label_map.pbtxt").read_text()
    assert verify(tmp_path / "again", strict=True).problems == ()


def test_boxes_of_a_picture_that_is_turned_are_turned_with_it(tmp_path: Path) -> None:
    """Boxes in records are those of the stored pixels, whatever the EXIF data of the picture says."""
    exif = Image.Exif()
    exif[0x0112] = 3
    Image.new("RGB", (80, 40), "red").save(tmp_path / "a.jpg", exif=exif)
    corners = dict(zip(("xmin", "ymin", "xmax", "ymax"), ([0.0], [0.0], [0.25], [0.5]), strict=True))
    boxes = {f"image/object/bbox/{name}": values for name, values in corners.items()}
    labels = {"image/object/class/text": [b"cat"], "image/object/class/label": [1]}
    record = {"image/encoded": [(tmp_path / "a.jpg").read_bytes()], **boxes, **labels}
    foreign(tmp_path / "in/train.tfrecord", record)
    convert_json(tmp_path / "in", tmp_path / "out")
    (turned,) = records_of(tmp_path / "out")
    assert [turned[f"image/object/bbox/{name}"] for name in corners] == [[0.75], [0.5], [1.0], [1.0]]
    convert_json(tmp_path / "in", tmp_path / "kept", "--exif", "keep")
    (kept,) = records_of(tmp_path / "kept")
    assert [kept[f"image/object/bbox/{name}"] for name in corners] == [[0.0], [0.0], [0.25], [0.5]]


def test_boxes_of_tensorflow_datasets(tmp_path: Path) -> None:
    record = {"image": [jpeg(0)], "objects/bbox": [0.25, 0.5, 0.75, 1.0], "objects/label": [2]}
    foreign(tmp_path / "in/voc-train.tfrecord-00000-of-00001", record, {"image": [jpeg(1)]})
    (tmp_path / "in/objects-label.labels.txt").write_text("a\nb\nc\n")
    convert_json(tmp_path / "in", tmp_path / "out")
    found = by_image(records_of(tmp_path / "out"))[jpeg(0)]
    sides = [found[f"image/object/bbox/{name}"][0] for name in ("xmin", "ymin", "xmax", "ymax")]
    assert sides == [0.5, 0.25, 1.0, 0.75]
    assert found["image/object/class/text"] == [b"c"]


def _record(number: int, boxes: int) -> dict[str, list[object]]:
    at = [each / 16 for each in range(boxes)]
    sides = {f"image/object/bbox/{name}": at for name in ("xmin", "ymin")}
    sides |= {f"image/object/bbox/{name}": [each + 0.5 for each in at] for name in ("xmax", "ymax")}
    labels = {"image/object/class/text": [b"cat"] * boxes, "image/object/class/label": [1] * boxes}
    return {"image/encoded": [jpeg(number)], "patient": [b"p"], **sides, **labels}


def test_images_that_were_assigned_are_counted_and_not_their_boxes(tmp_path: Path) -> None:
    source = foreign(tmp_path / "in/train.tfrecord", *(_record(number, 3) for number in range(5)))
    done = convert_json(source, tmp_path / "out", "--split-by", "patient", "--split-map", "train=unassigned")
    (told,) = done["warnings"]
    assert ": 5 rows without a split are few" in told


def test_records_with_boxes_and_without_their_images_are_rejects(tmp_path: Path) -> None:
    imageless = [_record(number, 1) | {"image/encoded": [b""]} for number in range(2)]
    foreign(tmp_path / "in/train.tfrecord", *imageless)
    done = tfrec("convert", tmp_path / "in", tmp_path / "out")
    assert "the record holds no image" in done.out, done.err


def test_nothing_of_boxes_is_taken_for_classification(tmp_path: Path) -> None:
    boxes = {f"image/object/bbox/{name}": [0.5] for name in ("xmin", "ymin", "xmax", "ymax")}
    record = {"image/encoded": [jpeg(1)], **boxes, "image/class/label": [3], "x": Empty["int64"]}
    foreign(tmp_path / "in/train.tfrecord", record)
    convert_json(tmp_path / "in", tmp_path / "out", "--task", "classification")
    assert records_of(tmp_path / "out")[0]["image/class/label"] == [3]
    assert json.loads((tmp_path / "out/manifest.json").read_text())["num_labels"] == 1


@pytest.mark.parametrize("boxes", [[0.3, 0.4, 0.2, 0.2, 0.6, 0.6, 0.1, 0.1], [3, 4, 2, 2, 6, 6, 1, 1]])
def test_boxes_in_a_form_that_nothing_tells_are_no_feature_beside_labels(
    tmp_path: Path, boxes: list[float]
) -> None:
    records = [{"image": [jpeg(i)], "bboxes": boxes, "labels": [1, 2]} for i in range(2)]
    source = foreign(tmp_path / "train.tfrecord", *records, {"image": [jpeg(2)], "labels": [1]})
    refused = tfrec("convert", source, tmp_path / "out")
    assert (refused.code, "bboxes holds four numbers for each of labels" in refused.err) == (2, True)
    done = convert_json(source, tmp_path / "out", "--task", "classification")
    assert (done["records"], manifest(tmp_path / "out")["labels"]) == (3, {"1": 1, "2": 2})


def test_numbers_called_box_that_are_no_four_a_label_are_a_feature(tmp_path: Path) -> None:
    record = {"image": [jpeg(0)], "box": [0.5, 0.25], "label": [1]}
    assert convert_json(foreign(tmp_path / "train.tfrecord", record), tmp_path / "out")["records"] == 1


@pytest.mark.parametrize(("corners", "code"), [((0.0, 50.0, 0.0, 40.0), 2), ((-0.1, 1.2, 0.0, 1.5), 0)])
def test_pixels_under_keys_of_fractions_are_refused(
    corners: tuple[float, ...], code: int, tmp_path: Path
) -> None:
    sides = zip(("xmin", "xmax", "ymin", "ymax"), corners, strict=True)
    boxes = {f"image/object/bbox/{name}": [side] for name, side in sides}
    record = {"image/encoded": [jpeg(1)], **boxes, "image/object/class/label": [3]}
    done = tfrec("convert", foreign(tmp_path / "train.tfrecord", record), tmp_path / "out")
    assert (done.code, "are pixels, where fractions" in done.err) == (code, code == 2), done.err


@pytest.mark.parametrize(("options", "is_told"), [([], True), (["--task", "detection"], False)])
def test_labels_of_whole_images_beside_boxes_are_named(
    options: list[str], *, is_told: bool, tmp_path: Path
) -> None:
    """ImageNet's records have a class of each image, and boxes of some."""
    corners = {f"image/object/bbox/{side}": [0.25 if "min" in side else 0.5] for side in _SIDES}
    record = {"image/encoded": [jpeg(0)], "image/class/label": [7], **corners, "image/object/bbox/label": [7]}
    foreign(tmp_path / "in/train.tfrecord", record, record | {"image/encoded": [jpeg(1)]})
    done = convert_json(tmp_path / "in", tmp_path / "out", *options)
    told = [each for each in done["remarks"] if "(image/class/label) are passed over: --task class" in each]
    assert (len(told), done["boxes"]["stored"]) == (int(is_told), 2)


@pytest.mark.parametrize(("names", "is_told"), [(("val", "eval"), True), (("val", "val-2"), False)])
def test_files_that_call_one_split_by_two_words_are_named(
    names: tuple[str, str], *, is_told: bool, tmp_path: Path
) -> None:
    """CIFAR-10's script calls the test set eval, beside validation."""
    for number, name in enumerate(("train", *names)):
        foreign(tmp_path / f"in/{name}.tfrecord", {"image/encoded": [jpeg(number)], "image/class/label": [1]})
    told = convert_json(tmp_path / "in", tmp_path / "out")["remarks"]
    said = f"{names[1]}.tfrecord and {names[0]}.tfrecord are both taken for validation"
    assert any(each.startswith(said) for each in told) == is_told
