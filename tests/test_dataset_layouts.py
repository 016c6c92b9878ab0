"""Folders that are laid out otherwise than `<split>/<label>/<file>`: what is read, and what is refused."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from boxing import photos
from converting import convert_json, jpeg, manifest, read_csv, shell, tfrec
from storing import running
from test_dataset_samples import plan_from

from tfrecordcli.bench.listed_files import Listed, list_files
from tfrecordcli.bench.ways import LIST
from tfrecordcli.dataset.manifest import parse_manifest
from tfrecordcli.errors import InputError
from tfrecordcli.given_options import make_options
from tfrecordcli.sources.opened_source import open_source

VOC = b"<annotation>\n<filename>1.jpg</filename></annotation>"
BOX_OF_VOC = (
    b"<annotation><filename>1.jpg</filename><object><name>cat</name><bndbox><xmin>1</xmin><ymin>2</ymin>"
    b"<xmax>9</xmax><ymax>8</ymax></bndbox></object></annotation>"
)
YOLO = b"0 0.5 0.5 0.25 0.25\n3 0.1 0.1 0.2 0.2\n"
COCO = b'{"info": {"year": 2017}, "images": [], "annotations": []}'
YAML = b"train: images/train\nval: images/val\nnc: 2\nnames: ['cat', 'dog']\n"


def make(root: Path, *images: str, **others: bytes) -> str:
    """Image files below a folder, and other files of this content."""
    for number, name in enumerate(images):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jpeg(number))
    return put(root, others)


def put(root: Path, files: dict[str, bytes]) -> str:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return str(root)


def rows_of(root: str, **options: Any) -> list[tuple[Any, ...]]:
    with open_source(root, make_options(options).read, f"{root}-out") as source:
        return [(row.split, row.image_uri, *row.labels) for row in source.rows.read()[1]]


# images, and (split, path, label) of each row
WRAPPED: dict[str, tuple[list[str], list[tuple[str, ...]]]] = {
    "split folders": (
        ["dataset/train/pug/1.jpg", "dataset/test/pug/2.jpg"],
        [("test", "dataset/test/pug/2.jpg", "pug"), ("train", "dataset/train/pug/1.jpg", "pug")],
    ),
    "one split folder": (["dataset/train/pug/1.jpg"], [("train", "dataset/train/pug/1.jpg", "pug")]),
    "label folders": (
        ["dataset/pug/1.jpg", "dataset/beagle/2.jpg"],
        [("", "dataset/beagle/2.jpg", "beagle"), ("", "dataset/pug/1.jpg", "pug")],
    ),
    "wrapped twice": (["a/b/train/pug/1.jpg"], [("train", "a/b/train/pug/1.jpg", "pug")]),
    "flat splits": (["data/train/1.jpg"], [("train", "data/train/1.jpg")]),
    "photos alone": (["dataset/photos/1.jpg"], [("", "dataset/photos/1.jpg")]),
    "photos alone, wrapped twice": (["a/b/images/1.jpg"], [("", "a/b/images/1.jpg")]),
}


@pytest.mark.parametrize(("images", "expected"), WRAPPED.values(), ids=WRAPPED)
def test_a_single_wrapper_is_passed_through_and_said(
    images: list[str], expected: list[tuple[str, ...]], tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *images, "__MACOSX/dataset/._1.jpg")
    assert rows_of(root, unlabelled="keep") == expected
    remarks = plan_from(root, tmp_path, unlabelled="keep").plan.remarks
    below = next(word for word in ("/train", "/pug", "/photos", "/images") if word in images[0])
    wrapper = images[0].partition(below)[0]
    assert any(f"all images are in {wrapper}:" in remark for remark in remarks)


def test_a_class_in_a_wrapper_is_none_of_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not certain which one is the label"):
        rows_of(make(tmp_path / "in", "dataset/cat/1.jpg"), unlabelled="keep")


@pytest.mark.parametrize("folder", ["first", "last"])
def test_a_word_that_is_a_class_is_read_where_that_is_said(folder: str, tmp_path: Path) -> None:
    root = make(tmp_path / "in", "empty/1.jpg", "valid/2.jpg")
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert hint.startswith("--label-folder last takes 'valid' for a label, as those beside it")
    assert [row[0::2] for row in rows_of(root, label_folder=folder)] == [("", "empty"), ("", "valid")]


@pytest.mark.parametrize(
    "images",
    [["cat/1.jpg", "test/2.jpg"], ["cat/1.jpg", "valid/cat/2.jpg"], ["train_1/1.jpg", "valid/2.jpg"]],
)
def test_a_word_of_a_split_is_no_class_else(images: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a split, but this is not"):
        rows_of(make(tmp_path / "in", *images), label_folder="last")


def test_classes_beside_yaml_of_boxes_in_them_are_read_where_that_is_said(tmp_path: Path) -> None:
    text = b"- boxes:\n  - {label: Red, x_max: 9.5, x_min: 2, y_max: 9, y_min: 3}\n  path: ./rgb/a/1.png\n"
    root = make(tmp_path / "in", "a/1.jpg", "b/2.jpg", **{"train.yaml": text})
    with pytest.raises(InputError, match=r"train\.yaml tells of boxes in images"):
        rows_of(root)
    assert [row[-1] for row in rows_of(root, label_folder="last")] == ["a", "b"]
    put(tmp_path / "in", {"train.yaml": b"- boxes:\n  path: notes.txt\n"})
    assert [row[-1] for row in rows_of(root)] == ["a", "b"]


def test_a_stray_image_beside_a_wrapper_of_splits(tmp_path: Path) -> None:
    """It stays refused, with what makes splits of them."""
    root = make(tmp_path / "in", "set/train/cat/1.jpg", "set/test/dog/2.jpg", "readme.png")
    with pytest.raises(InputError, match="set holds further folders with images") as caught:
        rows_of(root)
    assert caught.value.hint.startswith(f"tfrec convert {root}/set OUTPUT_DIR takes test, train for splits;")
    assert {row[0] for row in rows_of(f"{root}/set")} == {"train", "test"}


def test_one_folder_of_images_is_one_class_and_no_wrapper(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg")
    assert rows_of(root) == [("", "cat/1.jpg", "cat")]
    assert plan_from(root, tmp_path).plan.remarks == ()


# images, the labels with --label-folder first and with last
DEEP: dict[str, tuple[list[str], list[str], list[str]]] = {
    "a folder between split and label": (
        ["train/animals/cat/1.jpg", "train/animals/dog/2.jpg", "test/animals/cat/3.jpg"],
        ["animals"] * 3,
        ["cat", "cat", "dog"],
    ),
    "a folder below the label": (
        ["cats/2021/1.jpg", "dogs/2020/2.jpg", "dogs/3.jpg"],
        ["cats", "dogs", "dogs"],
        ["2021", "dogs", "2020"],
    ),
    "one folder in one folder": (["dataset/cat/1.jpg"], ["dataset"], ["cat"]),
    "splits below labels": (["cat/train/1.jpg", "dog/train/2.jpg"], ["cat", "dog"], ["train", "train"]),
    "below a wrapper": (
        ["set/cells/a/s/p1/1.jpg", "set/cells/b/s/p1/2.jpg", "set/cells/b/s/p2/3.jpg"],
        ["a", "b", "b"],
        ["p1", "p1", "p2"],
    ),
    "very deep": (["a/b/c/d/1.jpg", "e/2.jpg"], ["a", "e"], ["d", "e"]),
}


@pytest.mark.parametrize(("images", "first", "last"), DEEP.values(), ids=DEEP)
def test_deeper_folders_are_refused_until_it_is_said_which_is_the_label(
    images: list[str], first: list[str], last: list[str], tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *images)
    with pytest.raises(InputError) as caught:
        rows_of(root)
    folders = images[0].split("/")[:-1]
    deeper = folders[2:] if folders[0] == "train" else folders[1:]
    for word in (*deeper, "--label-folder first"):
        assert word in str(caught.value)
    assert ("--label-folder last" in str(caught.value)) == (last != ["train", "train"])
    assert ("splits" in caught.value.hint) == (deeper == ["train"])
    assert [row[2] for row in rows_of(root, label_folder="first")] == first
    are_meant = {"label_type": "name"} if deeper == ["train"] else {}
    assert [row[2] for row in rows_of(root, label_folder="last", **are_meant)] == last


OF_BDD = [f"images/100k/{split}/{i}.jpg" for split in ("train", "val") for i in range(3)]


def test_folders_of_splits_alone_are_no_labels(tmp_path: Path) -> None:
    root = make(tmp_path / "in", *OF_BDD)
    (tmp_path / "in/labels").mkdir()
    for split in ("train", "val"):
        names = [{"file": f"{i}.jpg", "of": i} for i in range(3)]
        (tmp_path / f"in/labels/set_{split}.json").write_text(json.dumps(names))
    with pytest.raises(InputError) as caught:
        rows_of(root)
    lists = (
        f"tfrec convert train={root}/labels/set_train.json validation={root}/labels/set_val.json OUTPUT_DIR"
    )
    command = f"tfrec convert {root}/images/100k OUTPUT_DIR --unlabelled keep takes"
    assert lists in caught.value.hint
    assert command in caught.value.hint
    assert "--label-folder" not in caught.value.hint
    with pytest.raises(InputError, match="all labels are words of splits: train, val") as caught:
        rows_of(root, label_folder="last")
    assert lists in caught.value.hint
    assert command in caught.value.hint
    assert {row[0] for row in rows_of(f"{root}/images/100k", unlabelled="keep")} == {"train", "validation"}
    with pytest.raises(InputError, match="--label-folder first takes cat, dog for labels"):
        rows_of(make(tmp_path / "pets", "cat/train/1.jpg", "dog/test/2.jpg"), label_folder="last")


def test_magnifications_are_warned_of_and_not_proposed(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "set/a/p1/40X/1.jpg", "set/a/p1/100X/2.jpg", "set/b/p2/40X/3.jpg")
    with pytest.raises(InputError, match="--label-folder first takes 'a'") as caught:
        rows_of(root)
    assert "--label-folder last" not in caught.value.hint
    for way, count in (("first", 0), ("last", 1)):
        plan = plan_from(root, tmp_path, label_folder=way).plan
        assert (plan.num_labels, sum("are magnifications" in told for told in plan.warnings)) == (2, count)
    flat = plan_from(make(tmp_path / "flat", "4x/1.jpg", "10x/2.jpg"), tmp_path).plan.warnings
    assert not any("magnifications" in told for told in flat)


@pytest.mark.parametrize(
    ("images", "count"),
    [
        (["set/A_dataset/cat/1.jpg", "set/NA dataset/cat/2.jpg", "set/NA dataset/dog/3.jpg"], 1),
        (["set/real_dataset/celeb/1.jpg", "set/fake_dataset/gan/2.jpg"], 0),
        (["set/cat/day/1.jpg", "set/dog/day/2.jpg"], 0),
    ],
)
def test_datasets_with_the_same_folders_are_told_from_labels(
    images: list[str], count: int, tmp_path: Path
) -> None:
    plan = plan_from(make(tmp_path / "in", *images), tmp_path, label_folder="first").plan
    assert sum("called like datasets" in told for told in plan.warnings) == count


@pytest.mark.parametrize(
    ("images", "ways"),
    [
        (
            ["cat/cat/1.jpg", "dog/dog/2.jpg"],
            "first takes 'cat' for the label of cat/cat/1.jpg (makes 2 labels: cat of 1 image, dog of 1)",
        ),
        (
            ["cat/cat/1.jpg", "dog/pug/2.jpg"],
            "first takes 'dog' for the label of dog/pug/2.jpg (makes 2 labels: cat of 1 image, dog of 1), "
            "--label-folder last 'pug' (makes 2 labels: cat of 1 image, pug of 1)",
        ),
        (
            [f"{pet}/{year}/{at}.jpg" for pet in ("cat", "dog") for year in range(2018, 2024) for at in "12"],
            "first takes 'cat' for the label of cat/2018/1.jpg (makes 2 labels: cat of 12 images, dog of 12)"
            ", --label-folder last '2018' "
            "(makes 6 labels: 2018 of 4 images, 2019 of 4, 2020 of 4, 2021 of 4, 2022 of 4, …)",
        ),
    ],
)
def test_choices_of_a_label_folder_are_told_with_an_image_for_which_they_differ_and_their_labels(
    images: list[str], ways: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        rows_of(make(tmp_path / "in", *images))
    assert caught.value.hint == f"--label-folder {ways}"


def test_trains_beside_cars_are_a_class(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "day/rails/train/1.jpg", "day/road/car/2.jpg", "night/road/car/3.jpg")
    assert [row[2] for row in rows_of(root, label_folder="last")] == ["train", "car", "car"]


def test_keep_takes_a_folder_of_images_beside_others_without_any(tmp_path: Path) -> None:
    others = {"notes/0.json": b"{}", "splits/train.txt": b"0\n"}
    root = put(tmp_path / "in", {"images/0.jpg": jpeg(0), "images/1.jpg": jpeg(1), **others})
    assert rows_of(root, unlabelled="keep") == [("", "images/0.jpg"), ("", "images/1.jpg")]
    assert tfrec("convert", "in", "out", cwd=tmp_path).code == 2
    put(tmp_path / "in", {"annotations/instances_a.json": b'{"images": [], "annotations": []}'})
    told = tfrec("convert", "in", "out", "--unlabelled", "keep", cwd=tmp_path)
    assert "object-detection dataset of the kind COCO" in told.err


def test_keep_takes_a_folder_of_images_beside_a_class_for_one(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "images/0.jpg", "cats/1.jpg")
    expected = [("", "cats/1.jpg", "cats"), ("", "images/0.jpg", "images")]
    assert rows_of(root, unlabelled="keep") == expected


INTEL = ("seg_pred/seg_pred/0.jpg", "seg_test/seg_test/sea/1.jpg", "seg_train/seg_train/sea/2.jpg")


def test_folders_that_have_the_word_of_a_split_but_for_one_are_told_of(tmp_path: Path) -> None:
    root = make(tmp_path / "in", *INTEL, "seg_test/seg_test/street/3.jpg", "seg_train/seg_train/street/4.jpg")
    refused = tfrec("convert", "in", "out", cwd=tmp_path)
    assert refused.code == 2
    command = "tfrec convert test=in/seg_test train=in/seg_train OUTPUT_DIR"
    assert f"where folders are splits: {command} (without seg_pred); else" in refused.err
    done = convert_json("test=in/seg_test", "train=in/seg_train", "out", cwd=tmp_path)
    assert (done["records"], done["splits"]["test"]["records"]) == (4, 2)
    (Path(root) / "seg_pred/seg_pred/notes.txt").write_text("of 2019")
    told = tfrec("convert", root, "last", "--label-folder", "last", cwd=tmp_path)
    assert "passed over 1 entry that is no image" in told.err
    assert "called like splits" in told.err
    assert "(without seg_pred) takes each for its own" in told.err


def test_classes_of_which_few_have_the_word_of_a_split_are_no_splits(tmp_path: Path) -> None:
    make(tmp_path / "in", "training_shoes/a/0.jpg", "test_tubes/a/1.jpg", "cups/a/2.jpg", "pens/a/3.jpg")
    told = tfrec("convert", "in", "out", "--label-folder", "first", cwd=tmp_path)
    assert told.code == 0
    assert "called like splits" not in told.err
    assert "folders are splits" not in tfrec("convert", "in", "none", cwd=tmp_path).err


def test_deeper_folders_without_images_are_no_obstacle(tmp_path: Path) -> None:
    root = make(
        tmp_path / "in", "cat/1.jpg", "dog/2.jpg", **{"cat/notes/a.txt": b"x", "dog/.thumbs/b.jpg": b"x"}
    )
    assert [row[2] for row in rows_of(root)] == ["cat", "dog"]


# files that are no images, images, the name of the format
ANNOTATED: dict[str, tuple[dict[str, bytes], list[str], str]] = {
    "VOC": (
        {"Annotations/1.xml": VOC, "ImageSets/Main/train.txt": b"1\n"},
        ["JPEGImages/1.jpg", "SegmentationClass/1.png"],
        "Pascal VOC",
    ),
    "VOC as it is unpacked": (
        {"VOCdevkit/VOC2012/Annotations/1.xml": VOC},
        ["VOCdevkit/VOC2012/JPEGImages/1.jpg"],
        "Pascal VOC",
    ),
    "two VOCs": (
        {"VOCdevkit/VOC2007/Annotations/1.xml": VOC, "VOCdevkit/VOC2012/Annotations/1.xml": VOC},
        ["VOCdevkit/VOC2007/JPEGImages/1.jpg", "VOCdevkit/VOC2012/JPEGImages/1.jpg"],
        "Pascal VOC",
    ),
    "Oxford pets": (
        {"annotations/xmls/1.xml": VOC, "annotations/list.txt": b"a 1 1 1\n"},
        ["images/1.jpg", "annotations/trimaps/1.png"],
        "Pascal VOC",
    ),
    "YOLO": ({"labels/1.txt": YOLO}, ["images/1.jpg"], "YOLO"),
    "YOLO by splits": (
        {"labels/train/1.txt": b"", "labels/val/2.txt": YOLO},
        ["images/train/1.jpg", "images/val/2.jpg"],
        "YOLO",
    ),
    "YOLO as Roboflow has it": (
        {"data.yaml": YAML, "train/labels/1.txt": YOLO, "valid/labels/2.txt": YOLO},
        ["train/images/1.jpg", "valid/images/2.jpg"],
        "YOLO",
    ),
    "YOLO in a wrapper": (
        {"my set/train/labels/1.txt": YOLO},
        ["my set/train/images/1.jpg"],
        "YOLO",
    ),
    "only a data.yaml": ({"data.yaml": YAML}, ["pictures a/1.jpg", "pictures b/2.jpg"], "YOLO"),
    "COCO": (
        {"annotations/instances_train2017.json": COCO},
        ["train2017/1.jpg", "val2017/2.jpg"],
        "COCO",
    ),
    "COCO beside split folders": ({"annotations/train.json": COCO}, ["train/1.jpg", "val/2.jpg"], "COCO"),
    "COCO as Roboflow has it": (
        {"train/_annotations.coco.json": COCO},
        ["train/1.jpg", "valid/2.jpg"],
        "COCO",
    ),
    "CreateML": ({"train/_annotations.createml.json": b"[{}]"}, ["train/1.jpg"], "CreateML"),
}


@pytest.mark.parametrize(("others", "images", "name"), ANNOTATED.values(), ids=ANNOTATED)
def test_folders_of_boxes_are_refused_by_name(
    others: dict[str, bytes], images: list[str], name: str, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *images, **others)
    with pytest.raises(InputError) as caught:
        rows_of(root, task="classification")
    assert f"of the kind {name} (" in caught.value.message
    assert any(path in caught.value.message for path in others)
    assert "--label-folder last" in caught.value.hint


@pytest.mark.parametrize(
    ("beside", "others"),
    [
        (BOX_OF_VOC, {}),
        (YOLO.replace(b"\n3", b"\n1"), {"classes.txt": b"cat\ndog\n"}),
    ],
    ids=["VOC", "YOLO"],
)
def test_boxes_beside_images_two_folders_deep_are_read_by_the_command(
    beside: bytes, others: dict[str, bytes], tmp_path: Path
) -> None:
    ending = "xml" if beside == BOX_OF_VOC else "txt"
    names = ["clothes/a b/1", "clothes/c/1", "food/d/1"]
    texts = {f"{name}.{ending}": beside for name in names}
    root = make(tmp_path / "in", *(f"{name}.jpg" for name in names), **texts, **others)
    refused = tfrec("convert", root, "out", cwd=tmp_path)
    assert refused.code == 2
    (command,) = re.findall("its boxes: (tfrec .*?); to classify", refused.err)
    done = shell(command.replace("OUTPUT_DIR", "out") + " --json", tmp_path).json
    assert (done["records"], done["rejected"]) == (3, 0)
    assert done["boxes"]["stored"] == 3 * (beside.count(b"<object>") or 2)


def test_a_voc_folder_that_is_to_be_classes_writes_nothing(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "JPEGImages/1.jpg", **{"Annotations/1.xml": VOC})
    done = convert_json(root, tmp_path / "out", "--task", "classification")
    assert (done["exit_code"], done["error"]["code"]) == (2, "input")
    assert not (tmp_path / "out").exists()


# files that are no annotations of boxes, beside class folders
HARMLESS: dict[str, dict[str, bytes]] = {
    "notes in a class that is called labels": {"labels/readme.txt": b"labels of jars\n"},
    "captions": {"cat/1.txt": b"a cat on a mat\n"},
    "other XML": {"annotations/pom.xml": b"<project/>"},
    "other JSON": {"annotations/a.json": b'{"cat": 1}'},
    "other YAML": {"conf.yaml": b"names: x\nlr: 0.1\n", "ci.yml": b"train: yes\n"},
    "boxes beside images in class folders": {"cat/1.xml": VOC},
    "what Google Photos tells of photos": {
        f"{name}.{ending}": b'{"title": "1.jpg", "geoData": {}, "photoTakenTime": {}}'
        for name in ("cat/1.jpg", "dog/2.jpg", "labels/3.jpg")
        for ending in ("supplemental-metada(1).json", "json")
    },
}


@pytest.mark.parametrize("others", HARMLESS.values(), ids=HARMLESS)
def test_class_folders_beside_other_files_are_read(others: dict[str, bytes], tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg", "dog/2.jpg", "labels/3.jpg", **others)
    assert [row[2] for row in rows_of(root)] == ["cat", "dog", "labels"]


@pytest.mark.parametrize(
    ("folders", "others"),
    [
        (["cat", "dog"], {"cat/1.cls": b"0", "dog/2.cls": b"1"}),
        (["n01440764", "n01443537"], {"n01440764/1.cls": b"0", "n01443537/2.cls": b"1"}),
        (["0", "12"], {"0/1.cls": b"0", "12/2.cls": b"12"}),
        (["0", "1"], {"0/1.json": b'{"caption": "a cat"}', "1/2.json": b'{"caption": "a dog"}'}),
        (["0", "1"], {"0/1.json": b'{"width": 8, "height": 8}', "1/2.json": b'{"width": 8, "height": 8}'}),
    ],
    ids=["class ids", "class ids of ImageNet", "numbers", "captions", "sizes"],
)
def test_files_beside_the_images_of_classes_that_tell_nothing_else(
    folders: list[str], others: dict[str, bytes], tmp_path: Path
) -> None:
    root = make(tmp_path / "in", f"{folders[0]}/1.jpg", f"{folders[1]}/2.jpg", **others)
    assert [row[2] for row in rows_of(root)] == folders


@pytest.mark.parametrize("beside", [("1.cls", b"7"), ("1.json", b'{"label": "cat"}')])
def test_numbered_parts_with_labels_beside_the_images_are_no_classes(
    beside: tuple[str, bytes], tmp_path: Path
) -> None:
    root = make(tmp_path / "in", "0000/1.jpg", "0001/2.jpg", **{f"0000/{beside[0]}": beside[1]})
    with pytest.raises(InputError, match="no label but '0000', '0001'"):
        rows_of(root)


def test_label_folder_admits_what_was_refused_for_annotations(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg", "dog/2.jpg", **{"annotations/1.xml": VOC})
    with pytest.raises(InputError, match="Pascal VOC"):
        rows_of(root, task="classification")
    assert [row[2] for row in rows_of(root, label_folder="last")] == ["cat", "dog"]


@pytest.mark.parametrize(
    "images", [["images/1.jpg"], ["images/1.jpg", "masks/1.png"], ["train/images/1.jpg"], ["IMG/1.jpg"]]
)
def test_folders_that_are_not_called_like_what_they_show_are_no_labels(
    images: list[str], tmp_path: Path
) -> None:
    others = {"labels.csv": b"image,label\n1.jpg,cat\n"}
    if not images[0].startswith("train"):
        others["docs/notes.txt"] = b"a folder without an image gives no label"
    root = make(tmp_path / "in", *images, **others)
    with pytest.raises(InputError) as caught:
        rows_of(root)
    for word in (repr(images[0].split("/")[-2]), "labels.csv", "--label-folder first"):
        assert word in str(caught.value)
    assert len(rows_of(root, label_folder="first")) == len(images)


# images of Tiny ImageNet, of a set with no further folders, and of one with more
SILENT = {
    "first": ["train/cat/images/1.jpg", "train/dog/images/2.jpg", "val/images/3.jpg", "test/images/4.jpg"],
    None: ["train/cat/1.jpg", "train/dog/2.jpg", "val/images/3.jpg", "test/photos/4.jpg"],
    "last": ["train/a/cat/1.jpg", "train/b/dog/2.jpg", "val/a/images/3.jpg", "test/Images, [JPG]/4.jpg"],
}


@pytest.mark.parametrize(("label_folder", "images"), SILENT.items())
def test_a_split_whose_only_folder_says_nothing_has_no_labels(
    label_folder: str | None, images: list[str], tmp_path: Path
) -> None:
    boxes = {f"train/{name}/{name}_boxes.txt": b"1.jpg\t0\t0\t9\t9\n" * 9 for name in ("cat", "dog")}
    annotations = b"".join(b"%d.jpg\tcat\t0\t0\t9\t9\n" % number for number in range(3, 6))
    others = {"val/val_annotations.txt": annotations, "test/notes/read.me": b"no image"}
    root = make(tmp_path / "in", *images, **boxes, **others)
    with pytest.raises(InputError, match=r"not test/[\w, \[\]]+, val/(a/)?images") as caught:
        rows_of(root, label_folder=label_folder)
    assert f"tfrec convert {root}/val/val_annotations.txt OUTPUT_DIR" in caught.value.hint
    kept = rows_of(root, label_folder=label_folder, unlabelled="keep")
    assert [(row[0], *row[2:]) for row in kept] == [
        ("test",),
        ("train", "cat"),
        ("train", "dog"),
        ("validation",),
    ]
    left = rows_of(root, label_folder=label_folder, unlabelled="skip")
    assert sorted(row[0] for row in left if len(row) == 3) == ["train", "train"]
    assert len(left) == 4  # the others are counted as discarded
    assert len({row[2] for row in rows_of(root, label_folder=label_folder, label_type="name")}) > 2
    (exclude,) = shlex.split(caught.value.hint.split("--exclude ")[1].split(" passes")[0])
    assert [row[2] for row in rows_of(root, label_folder=label_folder, exclude=exclude)] == ["cat", "dog"]


@pytest.mark.parametrize("label_folder", [None, "first"])
def test_a_folder_that_is_a_class_of_another_split_is_one_alone(
    label_folder: str | None, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", "train/photos/1.jpg", "train/paintings/2.jpg", "test/photos/3.jpg")
    labels = [row[2] for row in rows_of(root, label_folder=label_folder)]
    assert sorted(labels) == ["paintings", "photos", "photos"]


def test_one_folder_with_a_name_is_enough(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "images/1.jpg", "drawings/1.png")
    assert [row[2] for row in rows_of(root)] == ["drawings", "images"]


# --- the option, everywhere ---


def test_mended_rows_of_a_chosen_label_folder_keep_their_labels(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cats/2021/1.jpg", "cats/2021/3.jpg", "dogs/2.jpg")
    (tmp_path / "in/dogs/bad.jpg").write_bytes(b"")
    done = convert_json(root, tmp_path / "out", "--label-folder", "first")
    assert (done["exit_code"], done["records"], done["rejected"]) == (1, 3, 1)
    (tmp_path / "in/dogs/bad.jpg").write_bytes(jpeg(9))
    assert read_csv(tmp_path / "out/rejects.csv")[0]["label"] == "dogs"
    words = done["mend_command"].split()
    assert tfrec(*words[1:], cwd=tmp_path).code == 0
    assert manifest(tmp_path / "out-mended")["labels"] == {"cats": 0, "dogs": 1}


def test_the_label_folder_is_part_of_what_a_run_is(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cats/a/1.jpg", "dogs/b/2.jpg")
    first = ("--label-folder", "first")
    assert convert_json(root, tmp_path / "out", *first)["status"] == "complete"
    assert convert_json(root, tmp_path / "out", *first)["status"] == "already_complete"
    other = convert_json(root, tmp_path / "out", "--label-folder", "last")
    assert "--label-folder" in other["error"]["message"]


def test_a_dataset_from_before_the_option_is_complete(tmp_path: Path) -> None:
    """Its options say nothing of it, and deeper folders belonged to the first."""
    root = make(tmp_path / "in", "cats/a/1.jpg", "dogs/b/2.jpg")
    identities = {
        options: plan_from(root, tmp_path, **dict(options)).plan.identity
        for options in [(("label_folder", "first"),), (("label_folder", "last"),)]
    }
    assert len(set(identities.values())) == 2
    flat = make(tmp_path / "flat", "cats/1.jpg", "dogs/2.jpg")
    with open_source(flat, make_options({}).read, "out") as source:
        from tfrecordcli.planning.identity import Identity, identity_of

        now = identity_of(source, make_options({}))
    before = json.loads(json.dumps(dict(now.options)))
    del before["read"]["label_folder"]
    assert Identity(now.source, before).digest == now.digest
    assert now.changes_since(Identity(now.source, before).digest, before) == ""


def test_plan_takes_the_label_folder(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cats/a/1.jpg", "dogs/b/2.jpg")
    assert tfrec("plan", root, tmp_path / "out").code == 2
    assert tfrec("plan", root, tmp_path / "out", "--label-folder", "last").code == 0


@pytest.mark.parametrize("label_folder", ["first", "last"])
def test_bench_reads_a_folder_as_it_was_read_then(label_folder: str, tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cats/a/1.jpg", "dogs/b/2.jpg")
    options = ("--label-folder", label_folder, "--splits", "train=1")
    assert convert_json(root, tmp_path / "out", *options)["records"] == 2
    values = manifest(tmp_path / "out")
    if label_folder == "first":  # as a dataset from before the option
        del values["options"]["read"]["label_folder"]
    listed = list_files([str(root)], "train", parse_manifest(values), tmp_path)
    assert listed == Listed(files=2, passed_over=0)
    with (tmp_path / LIST).open(newline="") as file:
        assert [label for _, label in csv.reader(file)] == ["0", "1"]


def test_a_folder_on_a_store_is_read_alike(tmp_path: Path) -> None:
    """Wrappers, deeper folders and annotations."""
    make(tmp_path / "in", "set/train/cat/1.jpg", "__MACOSX/set/2.jpg")
    make(tmp_path / "in/deep", "a/b/1.jpg", "c/2.jpg")
    make(tmp_path / "in/voc", "JPEGImages/1.jpg", **{"Annotations/1.xml": VOC, "Annotations/0.xml": b""})
    make(tmp_path / "in/two", "x/1.jpg", "y/2.jpg", **{"Annotations/0.xml": b"", "notes.yaml": b"names: 1"})
    with running("oss") as store:
        for name in ("set", "__MACOSX"):
            store.fill(tmp_path / "in" / name, f"wrapped/{name}")
        for name in ("deep", "voc", "two"):
            store.fill(tmp_path / "in" / name, name)

        def convert(name: str) -> dict[str, Any]:
            return convert_json(f"{store.url}/{name}", tmp_path / name, "--splits", "train=1", env=store.env)

        wrapped = convert("wrapped")
        assert wrapped["splits"].keys() == {"train"}
        assert any("all images are in set:" in remark for remark in wrapped["remarks"])
        assert "--label-folder last" in convert("deep")["error"]["hint"]
        assert "Pascal VOC (Annotations/" in convert("voc")["error"]["message"]
        assert convert("two")["records"] == 2


def test_notes_are_not_called_warnings(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "set/cat/1.jpg", "set/dog/2.jpg", **{"notes.txt": b"x"})
    run = tfrec("convert", root, tmp_path / "out", "--splits", "train=1")
    assert run.code == 0
    assert run.err.count("note: all images are in set:") == run.err.count("note: passed over 1 entry") == 1
    assert "warning" not in run.err
    again = tfrec("convert", root, tmp_path / "out", "--splits", "train=1", "--json")
    assert again.err.count("note: ") == len(again.json["remarks"]) == 2
    assert again.json["warnings"] == []


@pytest.mark.parametrize(
    ("above", "last", "column"),
    [
        ("", "2010", "folder_2"),
        ("data/", "2010", "folder_3"),
        ("train/", "2010", "folder_3"),
        ("", "train/2010", "folder_2"),
    ],
)
def test_a_folder_between_first_and_last_is_the_label_by_a_list(
    above: str, last: str, column: str, tmp_path: Path
) -> None:
    names = [f"in/{above}{make}/{make}{n}/{last}/{make}{n}.jpg" for make in "ab" for n in (1, 2)]
    photos(tmp_path, *names, f"in/{above}a/a1/{last}/new/x.jpg")
    hint = convert_json("in", "out", "--exclude", "new", cwd=tmp_path)["error"]["hint"]
    command, _, then = hint.partition("make a list of all: ")[2].partition(
        "; then: tfrec convert in/list.csv "
    )
    assert then.startswith(f"OUTPUT_DIR --columns label={column} takes 'a1'")
    assert shell(command, tmp_path).code == 0
    options = ["--columns", f"label={column}", *["--splits", "train=1"] * ("train/" not in above + last)]
    done = convert_json("in/list.csv", "out", *options, cwd=tmp_path)
    assert (done["records"], done["num_labels"], done["splits"]["train"]["records"]) == (4, 4, 4)
