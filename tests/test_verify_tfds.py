"""Folders of TensorFlow Datasets: what their own metadata tells is held against the records."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, image_list, jpeg, read_csv, tfrec
from verifying import change_features, features_of, flip, found, frames_of, store, verify, write_shard

from tfrecordcli.formats.example import encode_example
from tfrecordcli.inspecting.inspection import inspect

CLASS = "tensorflow_datasets.core.features."
TRAIN0, TRAIN1 = (f"pets-train.tfrecord-0000{number}-of-00002" for number in (0, 1))
TEST = "pets-test.tfrecord-00000-of-00001"


def tensor(dtype: str, *dimensions: int, encoding: str = "none") -> dict[str, Any]:
    shape = {"dimensions": [str(n) for n in dimensions]} if dimensions else {}
    name = f"{CLASS}tensor_feature.Tensor"
    return {"pythonClassName": name, "tensor": {"shape": shape, "dtype": dtype, "encoding": encoding}}


def class_label(count: int) -> dict[str, Any]:
    name = f"{CLASS}class_label_feature.ClassLabel"
    return {"pythonClassName": name, "classLabel": {"numClasses": str(count)}}


def a_dict(**features: Any) -> dict[str, Any]:
    name = f"{CLASS}features_dict.FeaturesDict"
    return {"pythonClassName": name, "featuresDict": {"features": features}}


def sequence(feature: Any) -> dict[str, Any]:
    name = f"{CLASS}sequence_feature.Sequence"
    return {"pythonClassName": name, "sequence": {"feature": feature, "length": "-1"}}


IMAGE = {"pythonClassName": f"{CLASS}image_feature.Image", "image": {"shape": {}, "dtype": "uint8"}}
TEXT = {"pythonClassName": f"{CLASS}text_feature.Text", "text": {}}
BOX = {"pythonClassName": f"{CLASS}bounding_boxes.BBoxFeature", "boundingBox": {"shape": {}}}

FEATURES = a_dict(
    image=IMAGE,
    label=class_label(3),
    file_name=TEXT,
    weight=tensor("float32"),
    ragged=sequence(sequence(tensor("int64"))),
    two_unknown=tensor("uint8", -1, -1),
    packed=tensor("uint8", 2, 2, encoding="zlib"),
    objects=sequence(a_dict(bbox=BOX, label=class_label(2))),
    unheard_of={"pythonClassName": "my.own.Feature", "json_feature": {"json": "{}"}},
)
INFO = {
    "name": "pets", "version": "1.0.0", "fileFormat": "tfrecord",
    "splits": [
        {"name": "train", "shardLengths": ["3", "2"], "numBytes": "9",
         "filepathTemplate": "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"},
        {"name": "test", "shardLengths": ["2"], "numBytes": "9"},
    ],
}  # fmt: skip


def record(seed: int) -> bytes:
    return encode_example(
        {
            "image": [jpeg(seed)],
            "label": [seed % 3 if seed != 6 else -1],  # of the last one nothing is known, as TFDS has it
            "file_name": [b"%d.jpg" % seed],
            "weight": [0.5],
            "packed": [b"x\x9c"],
            "objects/bbox": [0.0, 0.1, 0.5, 0.6],
            "objects/label": [1],
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "pets" / "1.0.0"
    folder.mkdir(parents=True)
    for name, seeds in ((TRAIN0, range(3)), (TRAIN1, range(3, 5)), (TEST, range(5, 7))):
        write_shard(folder / name, [record(seed) for seed in seeds])
    save(folder, "dataset_info.json", INFO)
    save(folder, "features.json", FEATURES)
    (folder / "label.labels.txt").write_text("cat\ndog\nbird\n")
    (folder / "objects-label.labels.txt").write_text("head\ntail\n")
    return folder


def save(folder: Path, name: str, values: Any) -> None:
    (folder / name).write_text(json.dumps(values))


def test_a_sound_one(folder: Path) -> None:
    report = verify(folder, strict=True)
    assert (report.exit_code, report.records) == (0, 7)
    assert any("dataset_info.json" in note and "7 records" in note for note in report.notes)
    assert any("features.json" in note for note in report.notes)
    assert not any("number of records" in sentence for sentence in report.not_checked)
    assert verify(folder.parent, strict=True).notes == report.notes  # from above, too
    one = verify(folder / TRAIN0, strict=True)
    assert (one.exit_code, one.records) == (0, 3)


def drop_last(path: Path) -> None:
    store(path, b"".join(frames_of(path)[:-1]))


def double_last(path: Path) -> None:
    store(path, b"".join([*frames_of(path), frames_of(path)[-1]]))


@pytest.mark.parametrize(
    ("do", "says"), [(drop_last, "2 records, but dataset_info.json says 3"), (double_last, "4 records, but")]
)
def test_a_count_that_differs(folder: Path, do: Callable[[Path], None], says: str) -> None:
    do(folder / TRAIN0)
    for path in (folder, folder / TRAIN0):
        report = verify(path)
        assert found(report) == [("tfds_count", TRAIN0, None, None)]
        assert says in report.problems[0].message
    assert found(verify(folder.parent)) == [("tfds_count", f"1.0.0/{TRAIN0}", None, None)]


def test_a_file_that_cannot_be_read_to_its_end_is_not_counted(folder: Path) -> None:
    store(folder / TRAIN0, flip(b"".join(frames_of(folder / TRAIN0)), 3))
    assert found(verify(folder)) == [("length_damaged", TRAIN0, 0, 0)]


@pytest.mark.parametrize("name", [TRAIN1, TEST])
def test_a_missing_shard(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert found(verify(folder)) == [("file_missing", name, None, None)]
    assert verify(folder, split="train").exit_code == (name == TRAIN1)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"label": [3]}, "label: 3, but features.json says an id of 0 to 2"),
        ({"label": [-2]}, "label: -2, but features.json says an id of 0 to 2"),
        ({"objects__label": [0, 5]}, "objects/label: 5, but features.json says an id of 0 to 1"),
        ({"label": [0.5]}, "label: float, but features.json says int64"),
        ({"label": [0, 1]}, "label: 2 values, but features.json says one"),
        ({"label": None}, "label: nothing, but features.json says one"),
        ({"weight": [1]}, "weight: int64, but features.json says float"),
        ({"objects__bbox": [b"x"]}, "objects/bbox: bytes, but features.json says float"),
        ({"packed": [1]}, "packed: int64, but features.json says bytes"),
    ],
)
def test_records_that_are_not_as_declared(folder: Path, changes: dict[str, Any], says: str) -> None:
    change_features(folder / TRAIN0, 1, **changes)
    report = verify(folder)
    assert [place[:3] for place in found(report)] == [("not_as_declared", TRAIN0, 1)]
    assert report.problems[0].message == says


@pytest.mark.parametrize("key", ["objects__bbox", "objects__label"])
def test_a_record_may_have_no_objects(folder: Path, key: str) -> None:
    change_features(folder / TRAIN0, 1, **{key: None})
    assert verify(folder).exit_code == 0


NOT_OURS: dict[str, tuple[str, Any]] = {
    "not JSON": ("dataset_info.json", b"{"),
    "of Hugging Face": ("dataset_info.json", b'{"splits": {"train": {"name": "train", "num_examples": 5}}}'),
    "a list": ("features.json", b"[1]"),
    "nested deeper than Python goes": ("features.json", b"[" * 100_000),
    "negative": ("dataset_info.json", b'{"splits": [{"name": "train", "shardLengths": ["-3"]}]}'),
    "no names": ("dataset_info.json", b'{"splits": [{"name": 7, "shardLengths": "33"}]}'),
    "other classes": ("features.json", b'{"featuresDict": {"features": {"label": {"classLabel": 3}}}}'),
}  # fmt: skip


@pytest.mark.parametrize("kind", NOT_OURS)
def test_metadata_that_cannot_be_read_is_left_out_and_said(folder: Path, kind: str) -> None:
    name, data = NOT_OURS[kind]
    (folder / name).write_bytes(data)
    report = verify(folder)
    assert (report.exit_code, report.problem_counts) == (0, {})
    assert any(name in sentence for sentence in report.not_checked)


def test_files_of_other_names_are_not_blamed(folder: Path) -> None:
    """As after a rename: the metadata is about other files."""
    for number, path in enumerate(sorted(folder.glob("pets-*"))):
        path.rename(folder / f"part{number}.tfrecord")
    report = verify(folder)
    assert (report.exit_code, report.records) == (0, 7)
    assert any("dataset_info.json" in sentence for sentence in report.not_checked)


def test_numbers_without_quotes_and_no_version(folder: Path) -> None:
    info = json.loads(json.dumps(INFO).replace('"3"', "3"))
    del info["fileFormat"]
    save(folder, "dataset_info.json", info)
    drop_last(folder / TRAIN0)
    assert found(verify(folder)) == [("tfds_count", TRAIN0, None, None)]


# --- inspect ---


def test_inspect_names_labels_and_kinds(folder: Path) -> None:
    seen = inspect(folder)
    assert seen.labels is not None
    assert (seen.labels.key, seen.labels.names_file) == ("label", "label.labels.txt")
    assert {(label.id, label.text): count for label, count in seen.labels.counts} == {
        (0, "cat"): 2, (1, "dog"): 2, (2, "bird"): 2,
    }  # fmt: skip
    assert seen.labels.records == 6
    kinds = {feature.key: feature.declared for feature in seen.features}
    assert kinds["label"] == "ClassLabel(3)"
    assert kinds["objects/bbox"] == "BBoxFeature"
    assert kinds["file_name"] == "Text"
    done = tfrec("inspect", folder)
    assert "labels in label (names in label.labels.txt)" in done.out
    assert "ClassLabel(3)" in done.out
    assert "bird" in done.out
    values = tfrec("inspect", folder, "--json").json
    assert values["labels"]["names_file"] == "label.labels.txt"
    assert {feature["key"]: feature["declared"] for feature in values["features"]} == kinds


def test_a_label_that_only_features_json_tells(folder: Path) -> None:
    for path in folder.glob("pets-*"):
        records = [features_of(frame) for frame in frames_of(path)]
        write_shard(path, [encode_example({"species": r["label"], "image": r["image"]}) for r in records])
    save(folder, "features.json", a_dict(image=IMAGE, species=class_label(3)))
    (folder / "label.labels.txt").rename(folder / "species.labels.txt")
    seen = inspect(folder)
    assert seen.labels is not None
    assert seen.labels.key == "species"
    assert {label.text for label, _ in seen.labels.counts} == {"cat", "dog", "bird"}


def test_inspect_without_metadata_is_as_before(folder: Path) -> None:
    for path in [*folder.glob("*.json"), *folder.glob("*.txt")]:
        path.unlink()
    seen = inspect(folder)
    assert seen.labels is not None
    assert seen.labels.names_file == ""
    assert {label.text for label, _ in seen.labels.counts} == {None}
    assert {feature.declared for feature in seen.features} == {""}


# --- export ---


def test_an_export_has_the_names_and_converts_with_the_same_ids(folder: Path, tmp_path: Path) -> None:
    done = tfrec("inspect", folder, "--export", tmp_path / "some", "--num-records", 7)
    assert done.code == 0
    rows = read_csv(tmp_path / "some" / "data.csv")
    assert {row["image_uri"]: row["label"] for row in rows} == {
        "0.jpg": "cat", "1.jpg": "dog", "2.jpg": "bird", "3.jpg": "cat", "4.jpg": "dog", "5.jpg": "bird",
        "6.jpg": "",
    }  # fmt: skip
    assert (tmp_path / "some" / "labels.txt").read_text() == "cat\ndog\nbird\n"
    command = done.out.rstrip().rpartition("tfrec convert ")[2]
    assert "--labels" in command
    assert "--unlabelled keep" in command


def test_what_stands_beside_nested_names(folder: Path, tmp_path: Path) -> None:
    """A slash in a name is a point in the name of its file, a level of nesting a hyphen."""
    save(folder, "features.json", a_dict(**{"image/class": a_dict(**{"a/label": class_label(2)})}))
    (folder / "image.class-a.label.labels.txt").write_text("x\ny\n")
    write_shard(folder / TEST, [encode_example({"image/class/a/label": [1]})] * 2)
    seen = inspect(folder / TEST)
    assert seen.labels is not None
    assert seen.labels.counts[0][0].text == "y"


# --- beside a dataset of ours ---

NAMES = "image.class.label.labels.txt"


def test_stale_ones_beside_a_dataset_of_ours(tmp_path: Path) -> None:
    """As after a dataset beside them was replaced: names of labels that are no more, other counts."""
    csv = image_list(tmp_path / "in", 6)
    old, out = tmp_path / "old", tmp_path / "out"
    csv_of_others = image_list(tmp_path / "others", 4)
    csv_of_others.write_text(csv_of_others.read_text().replace(",a\n", ",x\n"))
    convert_json(csv_of_others, old)
    convert_json(csv, out, "--no-tfds")
    for name in ("dataset_info.json", "features.json", NAMES):
        shutil.copy(old / name, out / name)
    assert found(verify(out)) == [
        ("tfds_stale", "dataset_info.json", None, None),
        ("tfds_stale", NAMES, None, None),
    ]
    messages = [problem.message for problem in verify(out).problems]
    assert any("train-00000-of-00001.tfrecord it has 4 records, not 6" in message for message in messages)
    assert any("id 0 is 'b' there, and 'a' in the records" in message for message in messages)
    error = convert_json(csv, out, "--overwrite")["error"]["message"]
    assert "dataset_info.json" in error
    shutil.rmtree(out)
    convert_json(csv, out, "--no-tfds")
    convert_json(csv, tmp_path / "with")
    for name in (
        "dataset_info.json",
        "features.json",
        NAMES,
    ):  # right ones are no problem, whoever put them there
        shutil.copy(tmp_path / "with" / name, out / name)
    assert verify(out, strict=True).problems == ()
    (out / NAMES).write_text("a\n")
    assert found(verify(out)) == [("tfds_stale", NAMES, None, None)]
