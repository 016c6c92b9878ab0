"""The dataset as a whole: what is right, what is missing, doubled, leaked or badly mixed."""

from __future__ import annotations

import gzip
import random
import shutil
from pathlib import Path

import pytest
from converting import convert_json, jpeg, write_csv
from damaging import OURS, PLAIN, Set, copy_of
from verifying import content, flip, found, framed, frames_of, offset_of, store, verify, write_shard

from tfrecordcli.errors import InputError
from tfrecordcli.formats.example import encode_example
from tfrecordcli.naming import SIDE_FILES

pytestmark = pytest.mark.usefixtures("nothing_left_open")


def test_sound_sets_are_right(each: Set) -> None:
    report = verify(each.folder, strict=True)
    assert (report.exit_code, report.problems, report.problem_counts) == (0, (), {})
    assert report.records == (20 if each.whose == OURS else 18)
    assert report.splits["train"] == {
        "records": 12,
        "shards": 2,
        "bytes": each.target.stat().st_size + each.other.stat().st_size,
    }
    if each.whose == OURS:
        assert report.not_checked == ()
    else:  # it finds the images by itself, under a key that nobody told it, and decodes them
        assert report.integrity["images_per_second"] > 0
        assert any("manifest" in sentence for sentence in report.not_checked)
        assert not any("images:" in sentence for sentence in report.not_checked)


def test_an_unfinished_dataset_is_never_taken_for_a_foreign_one(ours: Set) -> None:
    (ours.folder / "manifest.json").unlink()
    assert "manifest_missing" in verify(ours.folder).problem_counts
    (ours.folder / "_tfrec").mkdir()
    assert found(verify(ours.folder)) == [("unfinished", "", None, None)]


def test_a_set_that_lacks_a_shard(each: Set) -> None:
    for name in SIDE_FILES:
        (each.folder / name).unlink(missing_ok=True)
    each.other.unlink()
    report = verify(each.folder)
    assert (report.exit_code, found(report)) == (1, [("shards_missing", "", None, None)])
    assert "1 of 2" in report.problems[0].message


def test_shards_of_ours_that_are_all_damaged_or_empty(ours: Set) -> None:
    for path in [*(ours.folder / name for name in SIDE_FILES), *ours.folder.glob("*.idx")]:
        path.unlink(missing_ok=True)
    for path in ours.folder.glob("*.tfrecord"):
        path.write_bytes(b"".join(flip(frame, 30) for frame in frames_of(path)))
    report = verify(ours.folder)
    assert {place[0] for place in found(report)} == {"payload_damaged"}
    for path in ours.folder.glob("*.tfrecord"):
        path.write_bytes(b"")
    assert found(verify(ours.folder)) == [("no_records", "", None, None)]


def test_one_shard_of_an_unfinished_dataset(ours: Set) -> None:
    (ours.folder / "manifest.json").unlink()
    (ours.folder / "shards.jsonl").unlink()
    (ours.folder / "_tfrec").mkdir()
    report = verify(ours.target)
    assert (report.exit_code, found(report)) == (1, [("unfinished", "", None, None)])
    assert report.records == 6  # and it is read all the same


def test_a_manifest_of_another_program_says_nothing(foreign: Set) -> None:
    (foreign.folder / "manifest.json").write_text('{"name": "web app", "icons": []}')
    assert (verify(foreign.folder).exit_code, verify(foreign.target).exit_code) == (0, 0)


def test_files_in_folders_count_too(foreign: Set, sound: dict[tuple[str, str], Path]) -> None:
    (foreign.folder / "train").mkdir()
    (foreign.folder / "test").mkdir()
    for path in foreign.folder.glob("*.tfrecord"):
        split, _, rest = path.name.partition("-")
        path.rename(foreign.folder / split / rest)
    report = verify(foreign.folder)
    assert (report.exit_code, report.records, sorted(report.splits)) == (0, 18, ["test", "train"])
    target = foreign.folder / "train" / "00000-of-00002.tfrecord"
    store(target, flip(content(target), 30))
    assert found(verify(foreign.folder)) == [("payload_damaged", "train/00000-of-00002.tfrecord", 0, 0)]
    shutil.copytree(sound[OURS, PLAIN], foreign.folder / "mine")
    report = verify(foreign.folder)
    assert report.records == 18
    assert any("mine" in sentence for sentence in report.not_checked)


def test_datasets_in_a_folder_are_verified_one_at_a_time(
    tmp_path: Path, sound: dict[tuple[str, str], Path]
) -> None:
    for name in ("first", "second"):
        shutil.copytree(sound[OURS, PLAIN], tmp_path / name)
    with pytest.raises(InputError, match="first, second"):
        verify(tmp_path)


@pytest.mark.parametrize("name", ["a.tfr", "records", "records.bin", "a.TFRECORD.GZ"])
def test_names_that_people_give(tmp_path: Path, name: str) -> None:
    data = framed(encode_example({"image/encoded": [jpeg(1)]}))
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("GZ") else data)
    (tmp_path / "notes").write_text("nothing to see")
    report = verify(tmp_path, strict=True)
    assert (report.exit_code, report.records) == (0, 1)


def test_series_are_no_splits(tmp_path: Path) -> None:
    for name in ("cats-00000-of-00001.tfrecord", "dogs-00000-of-00001.tfrecord"):
        labelled(tmp_path, name, [0] * 60 if "cats" in name else [1] * 60, 0)
    assert {*verify(tmp_path).problem_counts} == {"duplicate_image"}


def test_names_without_a_suffix_count_too(foreign: Set) -> None:
    for path in list(foreign.folder.iterdir()):
        path.rename(path.with_suffix(""))
    assert verify(foreign.folder).exit_code == 0
    (foreign.folder / "train-00001-of-00002").unlink()
    assert found(verify(foreign.folder)) == [("shards_missing", "", None, None)]


def test_a_split_all_of_whose_rows_were_rejected(tmp_path: Path) -> None:
    rows = []
    for number in range(6):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number) if number < 4 else b"no image")
        rows.append(("TRAIN" if number < 4 else "TEST", f"{number}.jpg", "a"))
    csv = write_csv(tmp_path / "list.csv", rows, ("split", "image_uri", "label"))
    convert_json(csv, tmp_path / "out", "--max-rejects", "2")
    report = verify(tmp_path / "out")
    assert found(report) == [("empty_split", "", None, None)]
    assert "test" in report.problems[0].message


def labelled(folder: Path, name: str, labels: list[int], first: int) -> None:
    write_shard(
        folder / name,
        [
            encode_example({"image/encoded": [jpeg(first + n, 8, 8)], "image/class/label": [label]})
            for n, label in enumerate(labels)
        ],
    )


def test_shards_whose_classes_are_sorted(tmp_path: Path) -> None:
    for number in range(3):
        labelled(tmp_path, f"train-{number:05}-of-00003.tfrecord", [number] * 60, number * 60)
    report = verify(tmp_path)
    assert report.problem_counts == {"class_mix": 3}
    assert (report.exit_code, verify(tmp_path, strict=True).exit_code) == (0, 1)
    assert verify(tmp_path, strict=True, ignore=("class_mix",)).exit_code == 0


def test_shards_whose_classes_are_mixed(tmp_path: Path) -> None:
    labels = [label for label in range(3) for _ in range(60)]
    random.Random(1).shuffle(labels)
    for number in range(3):
        part = labels[number * 60 : number * 60 + 60]
        labelled(tmp_path, f"train-{number:05}-of-00003.tfrecord", part, number * 60)
    labelled(tmp_path, "test-00000-of-00001.tfrecord", [0] * 60, 200)  # another split may be different
    assert verify(tmp_path, strict=True).problem_counts == {}


@pytest.mark.parametrize(
    ("train", "test"),
    [
        ("train-00000-of-00001.tfrecord", "test-00000-of-00001.tfrecord"),
        ("train.record", "test.record"),
        ("set-train.tfrecord-00000-of-00001", "set-test.tfrecord-00000-of-00001"),
        ("training_0000_of_0001", "validation_0000_of_0001"),
    ],
)
def test_the_same_image_twice_and_in_two_splits(tmp_path: Path, train: str, test: str) -> None:
    labelled(tmp_path, train, [0] * 5, 0)
    labelled(tmp_path, test, [0] * 5, 4)
    report = verify(tmp_path)
    name, record = max((train, 4), (test, 0))
    assert found(report, "warning") == [("leakage", name, record, offset_of(tmp_path / name, record))]
    labelled(tmp_path, test, [0] * 5, 10)
    frames = frames_of(tmp_path / train)
    store(tmp_path / train, b"".join([*frames, frames[1]]))
    report = verify(tmp_path)
    assert found(report, "warning") == [("duplicate_image", train, 5, offset_of(tmp_path / train, 5))]
    assert "record 1 of" in report.problems[0].message


def test_raw_pixels_in_two_splits(tmp_path: Path) -> None:
    def record(first: int) -> bytes:
        data = bytes(range(first, first + 12))
        sizes = {"image/height": [2], "image/width": [2], "image/channels": [3]}
        return framed(encode_example({"image/raw": [data], **sizes}))

    store(tmp_path / "train.tfrecord", b"".join(map(record, range(5))))
    store(tmp_path / "test.tfrecord", b"".join(map(record, (7, 3))))
    report = verify(tmp_path)
    leak = max(("train.tfrecord", 3), ("test.tfrecord", 1))
    assert found(report, "warning") == [("leakage", *leak, offset_of(tmp_path / leak[0], leak[1]))]


def test_tfrecorder_sets_are_read(tfrecorder_data: Path) -> None:
    """Raw pixels in base64 under a key of their own: read, and it is said that they cannot be decoded."""
    report = verify(tfrecorder_data / "sample_tfrecords")
    assert (report.exit_code, report.records, found(report)) == (0, 6, [])
    assert any("6 records hold raw pixels" in sentence for sentence in report.not_checked)


def test_files_of_no_split_beside_those_of_splits(tmp_path: Path) -> None:
    """As TFRecorder's empty discarded-data-00000-of-00001."""
    write_shard(tmp_path / "train-00000-of-00001.tfrecord", [encode_example({"x": [1]})])
    write_shard(tmp_path / "rest-00000-of-00001.tfrecord", [encode_example({"x": [2]})])
    assert set(verify(tmp_path).splits) == {"train", "other"}
    (tmp_path / "train-00000-of-00001.tfrecord").unlink()
    assert set(verify(tmp_path).splits) == {"all"}


def test_folders_in_a_dataset_are_told(sound: dict[tuple[str, str], Path], tmp_path: Path) -> None:
    each = copy_of(sound, (OURS, PLAIN), tmp_path)
    assert verify(each.folder).not_checked == ()
    for name in ("_tfrec", "copies", ".git"):
        (each.folder / name).mkdir()
    report = verify(each.folder)
    assert report.ok
    assert report.not_checked == (
        "what is in copies: no part of the dataset",
        "what is in _tfrec: left by a run that died, unless one begins just now; "
        f"tfrec finish {each.folder} clears it up",
    )
