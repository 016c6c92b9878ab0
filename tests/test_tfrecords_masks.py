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
    command = refused["hint"].partition("or tfrec convert ")[2].replace("OUTPUT_DIR", "out")
    done = convert_json(*shlex.split(command), cwd=tmp_path)
    assert {name: split["records"] for name, split in done["splits"].items()} == {"train": 3, "validation": 1}
    (tmp_path / "in/val-00000-of-00001.tfrecord").unlink()
    assert convert_json("in", "new", "--unlabelled", "keep", cwd=tmp_path)["exit_code"] == 0
