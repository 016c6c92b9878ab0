"""What `--export` does not write is said: boxes, further features, feature lists."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from converting import image_list, jpeg, tfrec
from verifying import write_shard

from tfrecordcli.formats.example import encode_example

BOXES = {f"image/object/bbox/{side}": [0.25] for side in ("xmin", "xmax", "ymin", "ymax")}


def exported(folder: Path, *features: dict[str, Any]) -> tuple[str, list[str]]:
    """What the command says, and `left_out` of its JSON."""
    records = [encode_example({"image/encoded": [jpeg(n)], **each}) for n, each in enumerate(features)]
    write_shard(folder / "a.tfrecord", records)
    done = tfrec("inspect", folder / "a.tfrecord", "--export", folder / "some")
    assert done.code == 0
    values = tfrec("inspect", folder / "a.tfrecord", "--export", folder / "again", "--json").json
    return done.out, values["export"]["left_out"]


def test_boxes_are_named(tmp_path: Path) -> None:
    out, left_out = exported(tmp_path, {**BOXES, "image/class/label": [1]}, {"image/class/label": [0]})
    assert left_out == sorted(BOXES)
    assert "not exported: image/object/bbox/xmax, image/object/bbox/xmin, " in out


def test_what_the_files_and_the_csv_have_is_not(tmp_path: Path) -> None:
    image = {f"image/{word}": [7] for word in ("height", "width", "channels")}
    texts = {"image/format": [b"jpeg"], "image/filename": [b"a.jpg"], "split": [b"train"]}
    labels = {"image/class/label": [1], "image/class/text": [b"cat"]}
    out, left_out = exported(tmp_path, {**image, **texts, **labels})
    assert left_out == []
    assert "not exported" not in out


def test_a_second_name_is(tmp_path: Path) -> None:
    names = {"image/filename": [b"a.jpg"], "image/source_id": [b"17"], "age": [3.5]}
    assert exported(tmp_path, names)[1] == ["age", "image/source_id"]


def test_many_are_not_all_named(tmp_path: Path) -> None:
    out, left_out = exported(tmp_path, {f"feature{number:02}": [1] for number in range(30)})
    assert len(left_out) == 30
    assert "feature07 and 22 more" in out


def test_a_dataset_of_ours_loses_nothing(tmp_path: Path) -> None:
    assert tfrec("convert", image_list(tmp_path / "in", 3), tmp_path / "out").code == 0
    done = tfrec("inspect", tmp_path / "out", "--export", tmp_path / "some")
    assert "not exported" not in done.out


def test_labels_are_written_as_they_are(tmp_path: Path) -> None:
    """A spreadsheet may run them, as the docs say; changed, they would be other labels."""
    label = '=cmd|"/c calc"!A1'
    exported(tmp_path, {"image/class/label": [0], "image/class/text": [label.encode()]})
    with (tmp_path / "some" / "data.csv").open(encoding="utf-8", newline="") as file:
        assert [row["label"] for row in csv.DictReader(file)] == [label]
    assert tfrec("convert", tmp_path / "some" / "data.csv", tmp_path / "out").code == 0
    assert (tmp_path / "out" / "labels.txt").read_text() == label + "\n"
