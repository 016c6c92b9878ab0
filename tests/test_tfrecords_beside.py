"""Files beside TFRecords that may tell of them are told of."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, jpeg, shell
from recording import by_image, foreign, records_of


def _classes(folder: Path, count: int = 4) -> None:
    """A file for each class, as Meta-Dataset has them."""
    for label in range(count):
        records: list[dict[str, Any]] = [
            {"image": [jpeg(10 * label + number)], "label": [label]} for number in range(3)
        ]
        foreign(folder / f"{label}.tfrecords", *records)


def _told(folder: Path, *options: str) -> str:
    done = convert_json(folder.name, "out", *options, "--dry-run", cwd=folder.parent)
    assert done["exit_code"] == 0
    return "\n".join(done["warnings"])


def test_splits_and_names_of_meta_dataset_have_a_command(tmp_path: Path) -> None:
    _classes(tmp_path / "birds")
    spec = {
        "classes_per_split": {"TRAIN": 2, "VALID": 1, "TEST": 1},
        "class_names": {str(label): f"{label}.Bird" for label in range(4)},
        "file_pattern": "{}.tfrecords",
    }
    (tmp_path / "birds/dataset_spec.json").write_text(json.dumps(spec), encoding="utf-8")
    command, _, then = (
        _told(tmp_path / "birds").partition("to have them, ")[2].partition("; then: tfrec convert ")
    )
    assert shell(command, tmp_path).code == 0
    done = convert_json(*then.replace("OUTPUT_DIR", "made").split(), cwd=tmp_path)
    assert {name: split["records"] for name, split in done["splits"].items()} == {
        "train": 6, "validation": 3, "test": 3,
    }  # fmt: skip
    for split, names in {"train": "01", "validation": "2", "test": "3"}.items():
        found = by_image(records_of(tmp_path / "made", f"{split}-*.tfrecord"))
        texts = {record["image/class/text"][0].decode() for record in found.values()}
        assert texts == {f"{label}.Bird" for label in names}


@pytest.mark.parametrize("name", ["classes.json", "names.txt", "dataset_spec.json"])
def test_other_files_are_told_of_unless_they_are_read(name: str, tmp_path: Path) -> None:
    _classes(tmp_path / "in")
    said = f"{name} beside the TFRecords is not read"
    assert said not in _told(tmp_path / "in")
    names = {str(label): f"x{label}" for label in range(4)}
    lines = "".join(f"{label},{text}\n" for label, text in names.items())
    (tmp_path / "in" / name).write_text(
        json.dumps(names) if name.endswith("json") else lines, encoding="utf-8"
    )
    (tmp_path / "in/README.txt").write_text("for people", encoding="utf-8")
    (tmp_path / "in/00000_stats.json").write_text('{"count": 4}', encoding="utf-8")
    (tmp_path / "in/labels.txt").write_text("".join(map("{}\n".format, names.values())), encoding="utf-8")
    assert said in _told(tmp_path / "in")
    (tmp_path / "in/labels.txt").unlink()
    assert said not in _told(tmp_path / "in", "--label-names", f"in/{name}")
    convert_json("in", "own", cwd=tmp_path)
    assert "is not read" not in _told(tmp_path / "own")


def test_folders_and_pipes_beside_are_no_files_to_tell_of(tmp_path: Path) -> None:
    _classes(tmp_path / "in")
    (tmp_path / "in/labels.txt").mkdir()
    os.mkfifo(tmp_path / "in/names.json")
    (tmp_path / "in/gone.csv").symlink_to("nowhere.csv")
    assert "beside the TFRecords" not in _told(tmp_path / "in")
    (tmp_path / "in/classes.txt").symlink_to(__file__)
    assert "classes.txt beside the TFRecords is not read" in _told(tmp_path / "in")


@pytest.mark.parametrize("name", ["coco_testdev", "more"])
def test_files_without_a_split_beside_others_of_one_are_told_of(name: str, tmp_path: Path) -> None:
    """As those of `create_coco_tf_record.py`: nobody trains on images of `testdev`, which have no boxes."""
    for number, file in enumerate(("coco_train", "coco_val", name)):
        records: list[dict[str, Any]] = [
            {"image": [jpeg(10 * number + i)], "label": [i % 2]} for i in range(4)
        ]
        foreign(tmp_path / f"in/{file}.record-00000-of-00001", *records)
    told = _told(tmp_path / "in")
    assert f"{name}.record-00000-of-00001 tells no split by the name, and others do" in told
    of_one = convert_json("train=in", "one", cwd=tmp_path)
    assert of_one["splits"]["train"]["records"] >= 4
    assert "no split by the name" not in "".join(of_one["warnings"])
    command = told.partition("; tfrec convert ")[2].partition(" OUTPUT_DIR")[0]
    done = convert_json(*command.split(), "out", cwd=tmp_path)
    assert {split: counts["records"] for split, counts in done["splits"].items()} == {
        "train": 4, "validation": 4,
    }  # fmt: skip
    for file in ("coco_train", "coco_val"):
        (tmp_path / f"in/{file}.record-00000-of-00001").unlink()
    assert "tells no split" not in _told(tmp_path / "in")


def test_what_tells_of_boxes_and_is_not_taken_over_is_named(tmp_path: Path) -> None:
    """As `image/object/bbox/difficult` of SSD-Tensorflow; also the key of the Object Detection API."""
    sides = {f"image/object/bbox/{side}": [at] for side, at in
             {"xmin": 0.1, "ymin": 0.1, "xmax": 0.5, "ymax": 0.5}.items()}  # fmt: skip
    record: dict[str, Any] = {
        "image/encoded": [jpeg(1)],
        **sides,
        "image/object/class/label": [1],
        "image/object/difficult": [0],
        "image/object/bbox/difficult": [1],
    }
    foreign(tmp_path / "in/a.tfrecord", record)
    (told,) = (
        note
        for note in convert_json("in", "out", "--dry-run", cwd=tmp_path)["remarks"]
        if "not taken over" in note
    )
    assert told.endswith("not taken over: image/object/bbox/difficult, image/object/difficult")
