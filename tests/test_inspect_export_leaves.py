"""What `--export` does not write is said: boxes, further features, feature lists."""

from __future__ import annotations

import csv
import errno
import os
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from boxing import records
from converting import SPLITS, convert_json, image_list, jpeg, manifest, read_records, tfrec, write_csv
from verifying import write_shard

from tfrecordcli.errors import OutputError, ResourceError
from tfrecordcli.formats.example import encode_example
from tfrecordcli.inspecting import export as exporting
from tfrecordcli.inspecting import image_files
from tfrecordcli.inspecting.images import StoredImage
from tfrecordcli.inspecting.inspection import inspect

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


@pytest.mark.parametrize("export_format", ["csv", "coco"])
def test_a_number_to_predict_beside_boxes_is_named(export_format: str, tmp_path: Path) -> None:
    labels = {"image/object/class/label": [1], "image/object/class/text": [b"cat"]}
    record = {"image/encoded": [jpeg(1)], **BOXES, **labels, "image/target": [0.5], "weights": [0.1, 0.2]}
    write_shard(tmp_path / "a.tfrecord", [encode_example(record)])
    some = ("--export", tmp_path / "some", "--export-format", export_format)
    done = tfrec("inspect", tmp_path / "a.tfrecord", *some)
    assert "  not exported: image/target, weights\n" in done.out


def test_what_the_files_and_the_csv_have_is_not(tmp_path: Path) -> None:
    image = {f"image/{word}": [7] for word in ("height", "width", "channels")}
    texts = {"image/format": [b"jpeg"], "image/filename": [b"a.jpg"], "split": [b"train"]}
    labels = {"image/class/label": [1], "image/class/text": [b"cat"]}
    out, left_out = exported(tmp_path, {**image, **texts, **labels})
    assert left_out == []
    assert "not exported" not in out


def test_a_second_name_is(tmp_path: Path) -> None:
    names = {"image/filename": [b"a.jpg"], "image/source_id": [b"17"], "age": [3.5]}
    assert exported(tmp_path, names)[1] == ["image/source_id"]
    assert (tmp_path / "some" / "data.csv").read_text() == "split,image_uri,age,label\n,a.jpg,3.5,\n"


def test_many_are_not_all_named(tmp_path: Path) -> None:
    out, left_out = exported(tmp_path, {f"feature{number:02}": [1, 2] for number in range(30)})
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


# --- further columns ---


def converted_again(out: str, folder: Path) -> Path:
    """Runs the command that an export ends with; where it wrote."""
    command = shlex.split(out.splitlines()[-1])
    again = tfrec(*(str(folder) if word == "OUTPUT_DIR" else word for word in command[1:]))
    assert again.code == 0, again.err
    return folder


def contents(tf: Any, folder: Path) -> Counter[tuple[str, bytes]]:
    """(split, record) of all records but for the name of the file, which an export makes again."""
    found: Counter[tuple[str, bytes]] = Counter()
    for split in SPLITS:
        for record in read_records(tf, folder, split):
            example = tf.train.Example.FromString(record.raw)
            del example.features.feature["image/filename"]
            found[split, example.SerializeToString(deterministic=True)] += 1
    return found


@pytest.mark.parametrize("header", ["image,label", "image,label,xmin,ymin,xmax,ymax"])
def test_names_that_are_numbers_convert_back(header: str, tmp_path: Path) -> None:
    box = ",1,2,9,8" if "xmin" in header else ""
    rows = []
    for number in (5, 7):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
        rows.append(f"{number}.jpg,{number}{box}\n")
    (tmp_path / "list.csv").write_text(f"{header}\n{''.join(rows)}")
    assert tfrec("convert", tmp_path / "list.csv", tmp_path / "out", "--label-type", "name").code == 0
    done = tfrec("inspect", tmp_path / "out", "--export", tmp_path / "some")
    assert " --label-type name " in done.out
    again = converted_again(done.out, tmp_path / "again")
    assert manifest(again)["labels"] == manifest(tmp_path / "out")["labels"]


@pytest.mark.thorough
def test_columns_and_numbers_to_predict_convert_back(sample_data: Path, tmp_path: Path, tf: Any) -> None:
    regression = ("--task", "regression", "--columns", "label=covered")
    for name, words in (("labels", ()), ("numbers", regression)):
        folder = tmp_path / name
        words = (*words, "--features", "area,note" if words else "all")
        convert_json(sample_data / "sizes.csv", folder / "out", *words)
        done = tfrec("inspect", folder / "out", "--export", folder / "some", "--num-records", 30)
        assert "not exported" not in done.out
        assert "left out" not in done.out
        again = converted_again(done.out, folder / "again")
        found = contents(tf, folder / "out")
        assert sum(found.values()) == 30
        assert contents(tf, again) == found


def test_columns_of_boxes_convert_back(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
    header = ("split", "filename", "class", "xmin", "ymin", "xmax", "ymax", "rain: mm", "place")
    rows = [
        ("TRAIN", "0.jpg", "cat", "1", "2", "3", "4", "0.1", "a, b"),
        ("TRAIN", "0.jpg", "dog", "2", "2", "9", "9", "0.1", "a, b"),
        ("TEST", "1.jpg", "", "", "", "", "", "", "c"),
    ]
    source = write_csv(tmp_path / "list.csv", rows, header)
    assert convert_json(source, tmp_path / "out", "--features", "all")["exit_code"] == 0
    done = tfrec("inspect", tmp_path / "out", "--export", tmp_path / "some")
    assert records(converted_again(done.out, tmp_path / "again")) == records(tmp_path / "out")
    done = tfrec("inspect", tmp_path / "out", "--export", tmp_path / "coco", "--export-format", "coco")
    assert "  not exported: place, rain: mm\n" in done.out


# --- an export that fails ---


@pytest.mark.parametrize("export_format", ["csv", "coco"])
def test_one_that_fails_takes_away_what_it_wrote_alone(
    export_format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = [{"image/encoded": [jpeg(number)]} for number in range(3)]
    objects = {**BOXES, "image/object/class/label": [1], "image/object/class/text": [b"cat"]}
    write_shard(tmp_path / "a.tfrecord", [encode_example({**each, **objects}) for each in images])
    folder, made = tmp_path / "some", []

    def fails(stored: StoredImage) -> tuple[bytes, str]:
        if made:
            (folder / "of-others.jpg").write_bytes(b"theirs")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        made.append(stored)
        return stored.data, ".jpg"

    monkeypatch.setattr(image_files, "_file_of", fails)
    with pytest.raises(ResourceError, match="no space left"):
        exporting.export(inspect(tmp_path / "a.tfrecord"), folder, 9, export_format)
    assert [path.name for path in folder.iterdir()] == ["of-others.jpg"]


def test_one_that_finds_a_file_of_labels_there_leaves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    convert_json(image_list(tmp_path / "in", 3), tmp_path / "out")
    labels = tmp_path / "some" / "labels.txt"

    def meanwhile(stored: StoredImage) -> tuple[bytes, str]:
        labels.write_text("theirs")
        return stored.data, ".jpg"

    monkeypatch.setattr(image_files, "_file_of", meanwhile)
    with pytest.raises(OutputError, match="File exists"):
        exporting.export(inspect(tmp_path / "out"), labels.parent, 9)
    assert [path.name for path in labels.parent.iterdir()] == ["labels.txt"]
    assert labels.read_text() == "theirs"
