"""TFRecords of segmentation, as DeepLab's scripts write them: a photo and its mask in each record."""

from __future__ import annotations

import io
import shlex
from pathlib import Path

import pytest
from converting import convert_json, jpeg
from PIL import Image
from recording import foreign, records_of

_MASK = "image/segmentation/class/encoded"


def _shard(path: Path, *numbers: int) -> None:
    records = []
    for number in numbers:
        mask = io.BytesIO()
        Image.new("L", (40, 30), number).save(mask, "PNG")
        records.append({
            "image/encoded": [jpeg(number)],
            "image/filename": [f"2007_{number:06}".encode()],
            "image/format": [b"jpeg"],
            _MASK: [mask.getvalue()],
            "image/segmentation/class/format": [b"png"],
        })  # fmt: skip
    foreign(path, *records)


def test_masks_are_no_labels_and_are_told_of(tmp_path: Path) -> None:
    _shard(tmp_path / "in/train-00000-of-00001.tfrecord", 1, 2, 3)
    refused = convert_json("in", "out", cwd=tmp_path)
    assert refused["exit_code"] == 2
    assert f"masks ({_MASK}) are not stored" in refused["error"]["message"]
    done = convert_json("in", "out", "--unlabelled", "keep", cwd=tmp_path)
    assert (done["records"], done["num_labels"]) == (3, 0)
    assert any(f"is taken, none of {_MASK}" in note for note in done["remarks"])
    assert not any(_MASK in record for record in records_of(tmp_path / "out"))


@pytest.mark.parametrize("union", ["trainval", "train_val"])
def test_shards_of_two_splits_beside_those_of_each_are_refused(union: str, tmp_path: Path) -> None:
    for name, numbers in (("train", [1, 2, 3]), ("val", [4]), (union, [1, 2, 3, 4])):
        _shard(tmp_path / f"in/{name}-00000-of-00001.tfrecord", *numbers)
    refused = convert_json("in", "out", "--unlabelled", "keep", cwd=tmp_path)["error"]
    assert f"{union}-00000-of-00001.tfrecord has the records of train and validation" in refused["message"]
    sources = refused["hint"].partition("or tfrec convert ")[2].partition(" OUTPUT_DIR")[0]
    done = convert_json(*shlex.split(sources), "out", "--unlabelled", "keep", cwd=tmp_path)
    assert {name: split["records"] for name, split in done["splits"].items()} == {"train": 3, "validation": 1}
    (tmp_path / "in/val-00000-of-00001.tfrecord").unlink()
    assert convert_json("in", "new", "--unlabelled", "keep", cwd=tmp_path)["exit_code"] == 0


@pytest.mark.parametrize(
    "names",
    [
        "coco_train coco_val voc_trainval_train voc_trainval_val",
        "train val train_val_split2",
        "trainval_train trainval_val",
        "train_val val",
    ],
)
def test_names_in_which_two_splits_are_said_but_of_other_records_are_read(names: str, tmp_path: Path) -> None:
    for number, name in enumerate(names.split()):
        _shard(tmp_path / f"in/{name}-00000-of-00001.tfrecord", 2 * number, 2 * number + 1)
    done = convert_json("in", "out", "--unlabelled", "keep", cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 2 * len(names.split()))


def test_the_union_of_one_of_two_sets_is_refused_alone(tmp_path: Path) -> None:
    names = "voc_train voc_val voc_trainval coco_train coco_val"
    for number, name in enumerate(names.split()):
        _shard(tmp_path / f"in/{name}-{number:05}-of-00009.tfrecord", number)
    refused = convert_json("in", "out", "--unlabelled", "keep", cwd=tmp_path)["error"]["message"]
    assert ": voc_trainval-00002-of-00009.tfrecord has the records of" in refused
