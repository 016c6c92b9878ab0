"""TFRecords as a source that are damaged, or of which some are missing by what is told of them."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from converting import convert_json, image_list, jpeg, read_csv, tfrec
from recording import foreign, records_of


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A dataset of 12 records with two labels."""
    convert_json(image_list(tmp_path / "list"), tmp_path / "out", "--splits", "train=80,test=20")
    return tmp_path / "out"


def test_a_damaged_record_is_a_reject_by_file_record_and_byte(dataset: Path, tmp_path: Path) -> None:
    (shard,) = dataset.glob("train-*.tfrecord")
    data = bytearray(shard.read_bytes())
    data[200] ^= 255
    shard.write_bytes(data)
    done = tfrec("convert", dataset, tmp_path / "again")
    assert done.code == 1
    assert "mend" not in done.out
    (reject,) = read_csv(tmp_path / "again/rejects.csv")
    assert reject["image_uri"] == f"{shard.name}#0"
    assert reject["tfrec_place"] == f"{shard.name}, record 0, byte 0"
    assert reject["tfrec_code"] == "damaged_record"
    assert len(records_of(tmp_path / "again")) == 11


@pytest.mark.parametrize("further", [True, False])
def test_a_byte_range_that_cannot_be_read_is_one_reject_with_its_bytes(
    further: bool, dataset: Path, tmp_path: Path
) -> None:
    (shard,) = dataset.glob("train-*.tfrecord")
    data = bytearray(shard.read_bytes())
    (length,) = struct.unpack_from("<Q", data)
    begin = 16 + length
    (second,) = struct.unpack_from("<Q", data, begin)
    end = begin + 16 + second
    data[begin] ^= 255  # the length of the second record
    shard.write_bytes(data if further else data[:end])
    others = len(records_of(dataset, "test-*"))
    done = convert_json(dataset, tmp_path / "again", "--max-rejects", "1")
    assert done["reasons"] == {"damaged_record": 1}
    (reject,) = read_csv(tmp_path / "again/rejects.csv")
    assert reject["image_uri"] == f"{shard.name}#1"
    assert f"bytes {begin:,} to {end:,} of the file" in reject["tfrec_reason"]
    assert done["records"] == (11 if further else 1 + others)


def tfds_folder(folder: Path, told: dict[str, list[int]], counts: dict[str, list[int]]) -> Path:
    """Files of TensorFlow Datasets.

    Args:
      told: split -> number of records of each of its files by dataset_info.json.
      counts: the same as they are; 0: the file is not there.
    """
    folder.mkdir()
    seed = 0
    for split, numbers in counts.items():
        for at, count in enumerate(numbers):
            records = [{"image": [jpeg(seed := seed + 1)], "label": [n % 2]} for n in range(count)]
            if records:
                foreign(folder / f"pets-{split}.tfrecord-{at:05}-of-{len(numbers):05}", *records)
    splits = [{"name": name, "shardLengths": list(map(str, lengths))} for name, lengths in told.items()]
    info = {"name": "pets", "version": "1.0.0", "fileFormat": "tfrecord", "splits": splits}
    (folder / "dataset_info.json").write_text(json.dumps(info))
    return folder


@pytest.mark.parametrize("is_one_file", [False, True])
def test_fewer_records_than_dataset_info_tells_are_a_reject(is_one_file: bool, tmp_path: Path) -> None:
    source = tfds_folder(tmp_path / "in", {"train": [5, 3], "test": [2]}, {"train": [3, 3], "test": [2]})
    done = convert_json(next(source.glob("*-00000-of-00002")) if is_one_file else source, tmp_path / "out")
    assert (done["exit_code"], done["records"]) == (1, 3 if is_one_file else 8)
    assert done["reasons"] == {"damaged_record": 1}
    (reject,) = read_csv(tmp_path / "out/rejects.csv")
    assert reject["tfrec_place"] == "pets-train.tfrecord-00000-of-00002, its end"
    assert "3 records in this file, but dataset_info.json says 5" in reject["tfrec_reason"]
    assert reject["split"] == "train"


def test_files_that_dataset_info_tells_of_and_are_missing_are_a_reject_a_split(tmp_path: Path) -> None:
    told = {"train": [3, 3, 4], "test": [2, 0]}
    source = tfds_folder(tmp_path / "in", told, {"train": [3, 0, 0], "test": [2, 0]})
    done = convert_json(source, tmp_path / "out", "--max-rejects", "1")
    assert (done["exit_code"], done["records"], done["reasons"]) == (0, 5, {"damaged_record": 1})
    (reject,) = read_csv(tmp_path / "out/rejects.csv")
    assert "pets-train.tfrecord-00001-of-00003" in reject["tfrec_reason"]
    assert "7 records" in reject["tfrec_reason"]


def test_more_records_than_dataset_info_tells_are_said(tmp_path: Path) -> None:
    done = convert_json(tfds_folder(tmp_path / "in", {"train": [2]}, {"train": [3]}), tmp_path / "out")
    assert (done["exit_code"], done["records"]) == (0, 3)
    assert any("has 3 records, though dataset_info.json says 2" in remark for remark in done["remarks"])


def test_several_versions_of_a_dataset_are_refused_with_the_newest(tmp_path: Path) -> None:
    for version in ("1.9.0", "1.10.0"):
        (tmp_path / "in/pets").mkdir(parents=True, exist_ok=True)
        tfds_folder(tmp_path / "in/pets" / version, {"train": [3]}, {"train": [3]})
    done = convert_json("in", "out", cwd=tmp_path)
    assert "several versions" in done["error"]["message"]
    assert "tfrec convert in/pets/1.10.0 OUTPUT_DIR" in done["error"]["hint"]
    assert convert_json("in/pets/1.10.0", "out", cwd=tmp_path)["records"] == 3


def test_names_of_files_tell_of_others_that_are_missing(tmp_path: Path) -> None:
    for number in (0, 2):
        foreign(tmp_path / f"in/train-{number:05}-of-00003.tfrecord", {"image": [jpeg(number)], "label": [1]})
    done = convert_json(tmp_path / "in", tmp_path / "out")
    assert "of train 2 of 3 files are there" in done["warnings"]
    alone = convert_json(tmp_path / "in/train-00000-of-00003.tfrecord", tmp_path / "one")
    assert not any("files are there" in warning for warning in alone["warnings"])


def test_as_many_records_as_dataset_info_tells_are_well(tmp_path: Path) -> None:
    lengths = {"train": [3, 2], "test": [2]}
    assert convert_json(tfds_folder(tmp_path / "in", lengths, lengths), tmp_path / "out")["rejected"] == 0
