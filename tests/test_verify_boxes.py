"""What verify tells of boxes: in datasets of ours, and in records that somebody else wrote."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boxing import HEADER, convert, photos, sideways, write
from converting import jpeg, tfrec
from verifying import change_features, features_of, found, frames_of, verify, write_shard

from tfrecordcli.formats.example import Empty, encode_example
from tfrecordcli.integrity.duplicates import ImageKeys, find_twice, source_ids_folder
from tfrecordcli.problems import Problem
from tfrecordcli.schema import detection

SHARD = "train-00000-of-00001.tfrecord"
BOX = "image/object/bbox/"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("boxes")
    rows = "a.png,cat,8,4,40,20\na.png,dog,16,8,80,40\nb.png,dog,16,8,80,40\nc.png,,,,,\n"
    source = write(photos(folder / "in", "a.png", "b.png", "c.png"), HEADER + rows)
    assert convert(source, folder / "out", splits="train=1").exit_code == 0
    return folder / "out"


@pytest.fixture
def dataset(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "out"))


def record_of(folder: Path, name: str) -> int:
    names = [features_of(frame)["image/filename"] for frame in frames_of(folder / SHARD)]
    return names.index([name.encode()])


def of_records(folder: Path) -> list[Problem]:
    """Problems of records, without those of the file that was changed."""
    return [problem for problem in verify(folder).problems if problem.record is not None]


DAMAGE: dict[str, tuple[dict[str, Any], str, str]] = {
    "a corner too few": (
        {f"{BOX}ymax": [0.5]},
        "box_lengths",
        "bbox/xmin 2, bbox/ymin 2, bbox/xmax 2, bbox/ymax 1, class/label 2, class/text 2",
    ),
    "a text too many": ({"image/object/class/text": [b"cat", b"dog", b"dog"]}, "box_lengths", "text 3"),
    "an area too few": ({"image/object/area": [5.0]}, "box_lengths", "area 1"),
    "corners in another order": (
        {f"{BOX}xmin": [0.1, 1.0], f"{BOX}xmax": [0.5, 0.5]},
        "box_corners",
        "box 1",
    ),
    "beyond the image": ({f"{BOX}xmax": [0.5, 1.001]}, "box_corners", "1.001"),
    "below zero": ({f"{BOX}ymin": [-0.001, 0.2]}, "box_corners", "box 0"),
    "not a number": ({f"{BOX}ymin": [float("nan"), 0.2]}, "box_corners", "nan"),
    "without end": ({f"{BOX}xmax": [0.5, float("inf")]}, "box_corners", "inf"),
    "of another kind": ({f"{BOX}xmax": [1, 1]}, "feature_kind", "xmax holds int64 instead of float"),
    "gone": ({f"{BOX}xmax": None}, "feature_missing", "xmax is missing"),
    "a label that nobody knows": ({"image/object/class/label": [1, 7]}, "label_unknown", "label 7"),
    "another name": ({"image/object/class/text": [b"dog", b"dog"]}, "label_text", "'dog' in the record"),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_record_of_ours_that_was_changed(case: str, dataset: Path) -> None:
    changes, code, words = DAMAGE[case]
    number = record_of(dataset, "a.png")
    change_features(
        dataset / SHARD, number, **{key.replace("/", "__"): each for key, each in changes.items()}
    )
    (problem,) = of_records(dataset)
    assert (problem.code, problem.path, problem.record) == (code, SHARD, number)
    assert words in problem.message
    assert problem.severity == "error"


def test_a_list_of_an_image_without_objects_is_as_long_as_the_others(dataset: Path) -> None:
    number = record_of(dataset, "c.png")
    frames = frames_of(dataset / SHARD)
    values = features_of(frames[number])
    assert values[f"{BOX}xmin"] == []
    kinds = {f.key: f.kind for f in detection().features}
    changed = {key: each or Empty[kinds[key]] for key, each in values.items()} | {"image/object/area": [4.0]}
    payloads = [frame[12:-4] for frame in frames]
    payloads[number] = encode_example(changed)
    write_shard(dataset / SHARD, payloads)
    (problem,) = of_records(dataset)
    assert (problem.code, problem.record) == ("box_lengths", number)


def test_a_number_of_two_images(dataset: Path) -> None:
    first, second = sorted((record_of(dataset, "a.png"), record_of(dataset, "b.png")))
    frames = frames_of(dataset / SHARD)
    taken = features_of(frames[first])["image/source_id"]
    change_features(dataset / SHARD, second, image__source_id=taken)
    (problem,) = of_records(dataset)
    assert (problem.code, problem.record, problem.severity) == ("source_id_twice", second, "error")
    assert problem.message == f"image/source_id is that of record {first} of {SHARD} too"


def test_numbers_of_images_never_meet_images(tmp_path: Path) -> None:
    """What is kept of each is found by itself, however alike their bytes are."""
    for folder in (str(tmp_path), source_ids_folder(str(tmp_path))):
        with ImageKeys(folder, 0) as keys:
            keys.add(b"12", 0, 0)
    assert [*find_twice(str(tmp_path)), *find_twice(source_ids_folder(str(tmp_path)))] == []
    with ImageKeys(source_ids_folder(str(tmp_path)), 1) as keys:
        keys.add(b"12", 5, 50)
    (pair,) = find_twice(source_ids_folder(str(tmp_path)))
    assert (pair.second.shard, pair.second.record) == (1, 5)
    assert list(find_twice(str(tmp_path))) == []


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (None, "label_map_edited", "it is missing"),
        ("gone", "label_map_edited", "it is no label map"),
        (
            "item { id: 1 name: 'cat' }\nitem { id: 3 name: 'dog' }\n",
            "label_map_edited",
            "'dog' is 3 instead of 2",
        ),
        ("item { id: 1 name: 'cat' }\n", "label_map_edited", "'dog' is absent instead of 2"),
        ("item { id: 1 name: 'cat' }\nitem { id: 2 name: 'dog' }\n", "side_file_edited", "it was edited"),
    ],
)
def test_the_label_map_beside_the_shards(text: str | None, code: str, words: str, dataset: Path) -> None:
    path = dataset / "label_map.pbtxt"
    path.unlink() if text is None else path.write_text(text)
    (problem,) = verify(dataset).problems
    assert (problem.code, problem.path) == (code, "label_map.pbtxt")
    assert words in problem.message


# --- records of others ---


def foreign(path: Path, *boxes: tuple[float, ...], **changes: Any) -> Path:
    """A record as the Object Detection API's own scripts write it."""
    sides = {
        f"{BOX}{name}": [float(box[side]) for box in boxes] or Empty["float"]
        for side, name in enumerate(("xmin", "ymin", "xmax", "ymax"))
    }
    features: dict[str, Any] = {
        "image/encoded": [jpeg(1)],
        "image/height": [16],
        "image/width": [24],
        **sides,
        "image/object/class/label": [1] * len(boxes) or Empty["int64"],
        "image/object/class/text": [b"cat"] * len(boxes) or Empty["bytes"],
    }
    features |= {name.replace("__", "/"): values for name, values in changes.items()}
    write_shard(path, [encode_example({key: value for key, value in features.items() if value is not None})])
    return path


def test_records_of_others_that_are_right(tmp_path: Path) -> None:
    path = foreign(tmp_path / "x.tfrecord", (0.0, 0.0, 1.0, 1.0), (0.2, 0.2, 0.2, 1.0000001))
    assert verify(path, strict=True).problems == ()
    partial = {
        "image__object__class__text": None,
        "image__object__area": Empty["float"],
        "image__source_id": [b"1"],
    }
    path = foreign(tmp_path / "y.tfrecord", (0.0, 0.0, 1.0, 1.0), **partial)
    assert verify(path, strict=True).problems == ()
    assert verify(foreign(tmp_path / "z.tfrecord"), strict=True).problems == ()


FOREIGN: dict[str, tuple[tuple[float, ...], dict[str, Any], str, str, str]] = {
    "lengths": ((0.1, 0.1, 1, 1), {"image__object__class__label": [1, 1]}, "error", "box_lengths", "label 2"),
    "a corner is missing": (
        (0.1, 0.1, 1, 1),
        {"image__object__bbox__xmax": None},
        "error",
        "box_lengths",
        "xmax 0",
    ),
    "order": ((0.5, 0.1, 0.4, 1), {}, "error", "box_corners", "box 0"),
    "beyond": ((0.1, 0.1, 1.01, 1), {}, "warning", "box_beyond", "0.1, 0.1, 1.01, 1"),
    "pixels": ((8, 4, 20, 10), {}, "error", "box_pixels", "8, 4, 20, 10"),
    "ids from 0": (
        (0.1, 0.1, 1, 1),
        {"image__object__class__label": [0]},
        "warning",
        "box_background",
        "label 0",
    ),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_what_can_be_told_of_records_of_others(case: str, tmp_path: Path) -> None:
    box, changes, severity, code, words = FOREIGN[case]
    report = verify(foreign(tmp_path / "x.tfrecord", box, **changes))
    assert found(report, severity) == [(code, "x.tfrecord", 0, 0)]
    assert words in report.problems[0].message
    assert report.exit_code == (severity == "error")


def test_records_with_boxes_in_pixels_are_mended_as_the_hint_says(tmp_path: Path) -> None:
    source = foreign(tmp_path / "x.tfrecord", (8, 4, 20, 10))
    text = tfrec("verify", "--no-feed", source).out
    option = re.search(r"tfrec convert of these records with (--box-unit pixels)", text)
    assert option is not None, text
    assert tfrec("convert", source, tmp_path / "out", *option[1].split()).code == 0
    assert verify(tmp_path / "out").problems == ()


def test_one_box_in_pixels_among_others_is_no_record_in_pixels(tmp_path: Path) -> None:
    boxes = (0.1, 0.1, 3, 3), (0.5, 0.5, 0.9, 0.9), (0.6, 0.6, 0.8, 0.8)
    report = verify(foreign(tmp_path / "x.tfrecord", *boxes))
    assert [problem.code for problem in report.problems] == ["box_beyond"]
    assert "these seem to be pixels" in report.problems[0].message


@pytest.mark.parametrize("kind", ["auto", "id"])
def test_boxes_of_the_background_are_told_by_convert_and_verify(kind: str, tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f"{HEADER}a.png,0,8,4,40,20\na.png,1,8,4,20,20\n")
    done = convert(source, tmp_path / "out", label_type=kind, splits="train=1")
    assert any("the background" in told for told in done.warnings) is (kind == "id")
    codes = [each.code for each in verify(tmp_path / "out").problems]
    assert codes == ["box_background"] * (kind == "id")


def test_boxes_of_a_photo_on_its_side_are_told_as_such(tmp_path: Path) -> None:
    """Scripts divide boxes of the upright photo by the size that Pillow tells, which is the stored one."""
    sideways(tmp_path / "6.jpg", 6)
    data = (tmp_path / "6.jpg").read_bytes()
    sizes = {"image__height": [80], "image__width": [40]}
    report = verify(foreign(tmp_path / "x.tfrecord", (0.0, 0.0, 1.6, 0.5), image__encoded=[data], **sizes))
    (problem,) = report.problems
    assert problem.code == "box_beyond"
    assert "EXIF turns the photo" in problem.message
    source = write(tmp_path, f"{HEADER}6.jpg,cat,0,0,64,40\n")
    assert convert(source, tmp_path / "out").exit_code == 0
    assert verify(tmp_path / "out", strict=True).exit_code == 0


def test_kinds_of_boxes_do_not_make_a_shard_odd(tmp_path: Path) -> None:
    """Objects of one image are alike: a few crowded images in a shard are no sign of sorted input."""
    rng = np.random.default_rng(0)
    for shard in range(2):
        payloads = []
        for number in range(40):
            is_crowd = rng.random() < 0.3
            label, count = (2, 30) if is_crowd else (1, 3)
            corners = {
                f"{BOX}{side}": [float(side.endswith("max"))] * count
                for side in ("xmin", "ymin", "xmax", "ymax")
            }
            labels = {"image/object/class/label": [label] * count, "image/class/label": [label] * count}
            payloads.append(encode_example({"n": [shard * 100 + number], **corners, **labels}))
        write_shard(tmp_path / f"train-{shard:05}-of-00002.tfrecord", payloads)
    assert found(verify(tmp_path), "warning") == []


def test_json_and_text_name_the_problem_of_boxes(tmp_path: Path) -> None:
    path = foreign(tmp_path / "x.tfrecord", (0.1, 0.1, 1.5, 1.0))
    told = tfrec("verify", "--no-feed", path, "--json").json
    assert told["problem_counts"] == {"box_beyond": 1}
    text = tfrec("verify", "--no-feed", path).out
    assert "hint for box_beyond: tfrec convert" in text
