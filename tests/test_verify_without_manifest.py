"""Folders without a manifest: shards of ours that were copied alone, conversions at work, mixed folders."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest
from converting import convert_json, image_list, jpeg, tfrec
from verifying import content, flip, found, framed, store, verify

from tfrecordcli.errors import InputError
from tfrecordcli.formats.example import encode_example

RECORD = framed(encode_example({"image/encoded": [jpeg(1)]}))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    assert convert_json(image_list(folder / "in", 6), folder / "out", "--num-shards", "2")["exit_code"] == 0
    return folder / "out"


@pytest.fixture
def dataset(sound: Path, tmp_path: Path) -> Path:
    shutil.copytree(sound, tmp_path / "out")
    return tmp_path / "out"


def test_shards_that_were_copied_alone(dataset: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    copied.mkdir()
    for path in dataset.glob("*.tfrecord"):
        shutil.copy(path, copied)
    report = verify(copied, strict=True)
    assert (report.exit_code, report.records, report.problems) == (0, 6, ())
    assert any("no manifest.json" in sentence for sentence in report.not_checked)
    one = next(copied.glob("*.tfrecord"))
    assert verify(one, strict=True).exit_code == 0
    assert tfrec("inspect", copied).code == 0
    store(one, flip(content(one), 60))
    assert found(verify(copied)) == [("payload_damaged", one.name, 0, 0)]


def test_a_dataset_that_lost_its_manifest_is_read_and_warned_about(dataset: Path) -> None:
    (dataset / "manifest.json").unlink()
    report = verify(dataset)
    assert (report.exit_code, report.records) == (0, 6)
    assert found(report, "warning") == [("manifest_missing", "manifest.json", None, None)]
    assert verify(dataset, strict=True).exit_code == 1
    done = tfrec("verify", "--no-feed", dataset)
    assert "not finished" not in done.out


def test_a_copy_that_lacks_a_shard(dataset: Path) -> None:
    lost = "train-00001-of-00002.tfrecord"
    for name in ("manifest.json", "shards.jsonl", lost):
        (dataset / name).unlink()
    assert found(verify(dataset)) == [("file_missing", lost, None, None)]  # dataset_info.json counts it
    (dataset / "dataset_info.json").unlink()
    report = verify(dataset)
    assert found(report) == [("shards_missing", "", None, None)]
    assert "train has 1 of 2 shards" in report.problems[0].message
    assert report.records == 3


def test_a_plan_names_the_steps_that_finish_it(dataset: Path, tmp_path: Path) -> None:
    output = tmp_path / "planned out"
    assert tfrec("plan", image_list(tmp_path / "in", 4), output, "--num-shards", "2").code == 0
    report = verify(output)
    assert found(report) == [("unfinished", "", None, None)]
    assert f"tfrec write-shards '{output}', then tfrec finish '{output}'" in report.problems[0].message
    (output / "_tfrec" / "plan" / "plan.json").unlink()
    message = verify(output).problems[0].message
    assert "write-shards" not in message
    assert "no plan" in message


def test_a_shard_of_a_conversion_at_work(dataset: Path) -> None:
    (dataset / "manifest.json").unlink()
    (dataset / "_tfrec").mkdir()
    report = verify(dataset / "train-00000-of-00002.tfrecord")
    assert (found(report), report.records) == ([("unfinished", "", None, None)], 3)


# --- folders in which other things are too ---

OTHERS = {
    "train-00000-of-00001.parquet": b"PAR1 and more",
    "model.ckpt.data-00000-of-00001": b"\x01\x02weights" * 9,
    "tfrecord_viewer.html": b"<html></html>",
    "make_tfrecord.ipynb": b"{}",
    "my-tfrecords.zip": b"PK\x03\x04",
    "a.tfrecord.sha256": b"abc a.tfrecord",
    "tfrecords/photo.jpg": b"\xff\xd8\xff\xe0",
    "tfrecords/notes.doc": b"notes",
}


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def test_only_what_is_one_is_read(tmp_path: Path) -> None:
    names = ("a.tfrecord", "tfrecords/b.tfrec", "old_tfrecord_data", "c.tfrecord.old")
    sound = dict.fromkeys(names, RECORD)
    write(tmp_path, sound | OTHERS)
    report = verify(tmp_path, strict=True, ignore=("duplicate_image",))
    assert (report.exit_code, report.records) == (0, len(sound))
    (sentence,) = [each for each in report.not_checked if "named" in each]
    for name in OTHERS:  # those whose own name has nothing of a TFRecord in it are nobody's business
        assert (name in sentence) == (not name.startswith("tfrecords/")), name


@pytest.mark.parametrize(
    "name",
    ["a.tfrecord", "a.TFRecords.gz", "a.tfr", "a.record", "x-00000-of-00001", "m.tfrecord-00000-of-00001"],
)
def test_what_is_named_like_one_must_be_one(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"sound.tfrecord": RECORD, name: b"<html>not found</html>"})
    assert ("not_tfrecord", name, None, None) in found(verify(tmp_path))


@pytest.mark.parametrize("name", ["a.tfrecords.gz", "train_tfrecord.bin"])
def test_one_that_is_asked_for_is_read_whatever_it_is(tmp_path: Path, name: str) -> None:
    write(tmp_path, {name: gzip.compress(b"no")})
    assert verify(tmp_path / name).exit_code == 1


def test_a_folder_of_nothing_like_it(tmp_path: Path) -> None:
    write(tmp_path, OTHERS)
    with pytest.raises(InputError, match="there is no TFRecord file in it"):
        verify(tmp_path)


def test_thousands_of_others_make_no_long_line(tmp_path: Path, dataset: Path) -> None:
    for number in range(2_000):
        (tmp_path / "mixed" / f"some folder of photos {number}").mkdir(parents=True)
    write(tmp_path / "mixed", {f"{number} of my tfrecord notes.doc": b"" for number in range(500)})
    write(tmp_path / "mixed", {"a.tfrecord": RECORD})
    shutil.copytree(dataset, tmp_path / "mixed", dirs_exist_ok=True)
    for path in (tmp_path / "mixed", dataset):
        report = verify(path)
        assert all(len(sentence) < 400 for sentence in report.not_checked)
    (tmp_path / "mixed" / "manifest.json").unlink()
    report = verify(tmp_path / "mixed")
    assert all(len(sentence) < 400 for sentence in report.not_checked)
    assert any("500 files" in sentence for sentence in report.not_checked)


def test_many_datasets_in_a_folder(tmp_path: Path, sound: Path) -> None:
    for number in range(30):
        folder = tmp_path / f"dataset {number:02}"
        folder.mkdir()
        for name in ("manifest.json", "shards.jsonl"):
            shutil.copy(sound / name, folder)
    with pytest.raises(InputError) as caught:
        verify(tmp_path)
    assert "dataset 00, dataset 01" in caught.value.message
    assert "25 more" in caught.value.message
