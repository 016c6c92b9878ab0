"""Folders whose names tell of files or splits, and boxes beside images: none becomes a class in silence."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import pytest
from converting import convert_json, manifest, shell
from test_dataset_layouts import VOC, YOLO, make, rows_of
from test_dataset_samples import plan_from

from tfrecordcli.errors import InputError
from tfrecordcli.planning.shortened_labels import shortened
from tfrecordcli.sources.folders.frame_folders import are_sequences
from tfrecordcli.sources.folders.splits_in_names import label_before_split


@pytest.mark.parametrize(
    ("stem", "are"),
    [
        ("GOT-10k_{}_000001", True),
        ("video_0001_{}", True),
        ("{}_001", True),
        ("class_001_{}", False),
        ("{}_class_001", False),
        ("n01440764_{}", False),
        ("showcase_001_{}", False),
        ("digit_{}_7", False),
        ("{}_042 cats", False),
    ],
)
def test_folders_of_frames_are_told_from_classes_with_numbers(stem: str, are: bool) -> None:
    assert are_sequences([stem.format(split) for split in ("train", "Test")]) is are
    assert not are_sequences([*map(stem.format, ("train", "test")), "cats_train"])


@pytest.mark.parametrize(
    "folders",
    [
        ("train_images", "test_images"),
        ("train-data", "val-data"),
        ("train_images", "train_masks"),
        ("images", "labels_mask"),
        ("frames", "frames"),
        ("train_1", "train_2"),
        ("obj_train_data", "obj_valid_data"),
        ("data/train_images", "data/test_images"),
        ("images_compressed", "images_original"),
    ],
)
def test_names_made_of_words_for_files_and_splits_are_no_labels(
    folders: tuple[str, str], tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *(f"{folder}/1.jpg" for folder in folders))
    with pytest.raises(InputError, match="which is not what the images show") as caught:
        rows_of(root)
    assert "--label-folder first" in caught.value.hint


@pytest.mark.parametrize(
    "folders",
    [
        ("with_mask", "without_mask"),
        ("real_images", "fake_images"),
        ("2019", "2020"),
        ("mask", "no mask"),
        ("frames", "lenses"),
        ("raw", "cooked"),
        ("original", "compressed"),
        ("valid", "invalid_data"),
    ],
)
def test_names_with_a_word_of_their_own_are_labels(folders: tuple[str, str], tmp_path: Path) -> None:
    root = make(tmp_path / "in", *(f"group/{folder}/1.jpg" for folder in folders if folder != "valid"))
    expected = sorted(folder for folder in folders if folder != "valid")
    assert [row[2] for row in rows_of(root, label_folder="last")] == expected
    if len(expected) > 1:
        assert [row[2] for row in rows_of(root)] == expected


BESIDE = {
    "VOC as Roboflow has it": (["train/1.jpg", "valid/2.jpg"], {"train/1.xml": VOC}, "Pascal VOC"),
    "VOC in one folder": (["photos of cells/1.jpg"], {"photos of cells/1.xml": VOC}, "Pascal VOC"),
    "YOLO as LabelImg writes it": (
        ["cells/1.jpg"],
        {"cells/1.txt": YOLO, "cells/classes.txt": b"rbc\nwbc\n"},
        "YOLO",
    ),
    "YOLO beside flat images": (["1.jpg", "2.jpg"], {"1.txt": YOLO, "2.txt": b""}, "YOLO"),
}


@pytest.mark.parametrize(("images", "others", "name"), BESIDE.values(), ids=BESIDE)
def test_boxes_beside_images_without_classes_are_refused_by_name(
    images: list[str], others: dict[str, bytes], name: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=f"of the kind {name} "):
        rows_of(make(tmp_path / "in", *images, **others), task="classification")


@pytest.mark.parametrize(
    "others", [{"cat/1.txt": b""}, {"cat/1.txt": b"a cat\n"}, {"cat/1.xml": b"<project/>"}]
)
def test_other_texts_beside_the_images_of_one_class_are_harmless(
    others: dict[str, bytes], tmp_path: Path
) -> None:
    assert [row[2] for row in rows_of(make(tmp_path / "in", "cat/1.jpg", **others))] == ["cat"]


@pytest.mark.parametrize(
    ("images", "label_folder", "told"),
    [
        (["cat/train/1.jpg", "dog/test/2.jpg", "dog/3.jpg"], "first", "test, train"),
        (["cat/train/1.jpg", "dog/test/2.jpg", "dog/odd/3.jpg"], "last", "test, train"),
        (["train-data/cat/1.jpg", "test-data/cat/2.jpg"], "last", "test-data, train-data"),
    ],
)
def test_folders_of_splits_that_are_not_read_as_such_are_told(
    images: list[str], label_folder: str, told: str, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *images)
    warnings = plan_from(root, tmp_path, label_folder=label_folder).plan.warnings
    assert any(f"not read as splits: {told};" in warning for warning in warnings)


def test_folders_of_splits_that_are_read_are_not_told(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "train/train/cat/1.jpg", "test/test/cat/2.jpg")
    remarks = plan_from(root, tmp_path, label_folder="last").plan.remarks
    assert not any("not read as splits" in remark for remark in remarks)
    assert [row[0] for row in rows_of(root, label_folder="last")] == ["test", "train"]
    with pytest.raises(InputError) as caught:
        rows_of(root)
    choice = "--label-folder last takes 'cat' for the label of test/test/cat/2.jpg"
    assert caught.value.hint == f"{choice} (makes 1 label: cat of 2 images, which teaches nothing)"


def test_labels_of_test_that_begin_those_of_train_are_told_with_the_command_that_renames(
    tmp_path: Path,
) -> None:
    root = make(tmp_path / "in", "train/a b_x.1/1.jpg", "train/c/2.jpg", "test/a b/3.jpg", "test/c/44.jpg")
    (told,) = (each for each in plan_from(root, tmp_path).plan.warnings if "only outside train" in each)
    command = told.partition("rename their folders: ")[2]
    assert shell(command, tmp_path).code == 0
    assert {row[2] for row in rows_of(root)} == {"a b_x.1", "c"}
    two = make(tmp_path / "two", "train/a_1/1.jpg", "train/a_2/22.jpg", "test/a/333.jpg")
    assert "labels that occur only outside train: 'a'" in plan_from(two, tmp_path).plan.warnings


def test_classes_that_are_numbered_in_each_folder_are_told_with_a_list_of_paths(tmp_path: Path) -> None:
    letters = [f"{name}/character{number:02}" for name in ("Greek", "Latin") for number in (1, 2)]
    root = make(tmp_path / "in", *(f"{letter}/{at}.png" for letter in letters for at in (1, 2)))
    with pytest.raises(InputError) as caught:
        rows_of(root)
    told = "'character01' is the last folder of several: Greek/character01, Latin/character01; "
    assert told in caught.value.hint
    (warned,) = (
        w for w in plan_from(root, tmp_path, label_folder="last").plan.warnings if "last folder" in w
    )
    assert shell(warned.partition("different classes: ")[2].partition("; then: ")[0], tmp_path).code == 0
    assert {row[2] for row in rows_of(f"{root}/list.csv")} == {*letters}


def test_the_second_parts_of_names_may_be_the_labels(tmp_path: Path) -> None:
    names = [
        f"{who}.{face}{at}.39.jpg" for who in ("KA", "KL") for face in ("AN", "HA", "SA") for at in (1, 2)
    ]
    root = make(tmp_path / "in", *names)
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert "where names begin with the label (KA, KL), make a list: " in caught.value.hint
    made = caught.value.hint.partition("where the next part is (AN, HA, SA): ")[2].partition("; --unl")[0]
    assert shell(made, tmp_path).code == 0
    assert [row[2] for row in rows_of(f"{root}/list.csv")] == ["AN", "AN", "HA", "HA", "SA", "SA"] * 2


@pytest.mark.parametrize(("others", "is_told"), [("ulm bonn", True), ("ulm", False), ("ulm aachen", False)])
def test_splits_that_share_no_label_are_doubted(others: str, is_told: bool, tmp_path: Path) -> None:
    cities = [
        *(f"train/{name}" for name in ("aachen", "bremen")),
        *(f"val/{name}" for name in others.split()),
    ]
    root = make(tmp_path / "in", *(f"{city}/{at}.jpg" for city in cities for at in range(2)))
    (told,) = (each for each in plan_from(root, tmp_path).plan.warnings if "only outside train" in each)
    assert ("train has none of the labels of the other splits: is that the folder of" in told) == is_told


def test_many_begins_of_labels_are_renamed_by_one_command_that_no_message_cuts() -> None:
    names = [f"{i:04}" for i in range(5_000)]
    told = shortened(names, [*names, *(f"{name}.a_{name}" for name in names)], "in")
    assert "(the first 714; then convert again): python -c " in told
    assert (len(told) < 6_000, told.endswith(" 0713")) == (True, True)


OF_PLACES = ["a/airfield", "a/flat/outdoor", "b/beach", "c/church/outdoor", "k/kitchen"]


@pytest.mark.parametrize(
    ("folders", "labels"),
    [
        (OF_PLACES, {"airfield", "flat/outdoor", "beach", "church/outdoor", "kitchen"}),
        ([f"all/{split}/{name}" for split in ("train", "val") for name in OF_PLACES], None),
        (
            ["beach", "church/outdoor", "flat/outdoor", "sky"],
            {"beach", "church/outdoor", "flat/outdoor", "sky"},
        ),
    ],
)
def test_last_folders_of_one_name_that_are_several_classes_are_told_with_a_list_of_paths(
    folders: list[str], labels: set[str] | None, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *(f"{folder}/{i}.jpg" for i, folder in enumerate(folders)))
    with pytest.raises(InputError) as caught:
        rows_of(root)
    (doubt,) = (
        each for each in plan_from(root, tmp_path, label_folder="last").plan.warnings if "one label" in each
    )
    for told in (caught.value.hint, doubt):
        assert "'outdoor' is the last folder of several: " in told
        assert shell(told.partition("different classes: ")[2].partition("; then: ")[0], tmp_path).code == 0
    rows = rows_of(f"{root}/list.csv")
    assert {row[2] for row in rows} == (
        labels or {"airfield", "flat/outdoor", "beach", "church/outdoor", "kitchen"}
    )
    assert {row[0] for row in rows} == ({""} if labels else {"train", "validation"})


def test_lists_of_paths_have_images_without_a_suffix_and_no_other_files(tmp_path: Path) -> None:
    folders = ["beach", "church/outdoor", "flat/outdoor"]
    root = make(
        tmp_path / "in", *(f"{folder}/1.jpg" for folder in folders), "sky/1", **{"sky/README": b"II. "}
    )
    told = convert_json("in", "out", "--dry-run", "--label-folder", "last", cwd=tmp_path)["warnings"][0]
    assert shell(told.partition("different classes: ")[2].partition("; then: ")[0], tmp_path).code == 0
    assert {(row[1], row[2]) for row in rows_of(f"{root}/list.csv")} == {
        *((f"{folder}/1.jpg", folder) for folder in folders),
        ("sky/1", "sky"),
    }


def test_lists_of_paths_of_one_of_several_sources_are_made_of_each(tmp_path: Path) -> None:
    for split in ("train", "test"):
        make(tmp_path / split, "beach/1.jpg", "church/outdoor/1.jpg", "flat/outdoor/1.jpg", "sky/1.jpg")
    given = "train=train", "test=test", "out", "--dry-run"
    told = convert_json(*given, "--label-folder", "last", cwd=tmp_path)["warnings"]
    assert len(told) == 2
    for each in told:
        assert "tfrec convert" not in each
        command, _, then = each.partition("different classes: ")[2].rpartition("; ")
        assert then == "make one of each of the other folders so, and give these lists in their place"
        assert shell(command, tmp_path).code == 0
    done = convert_json("train=train/list.csv", "test=test/list.csv", "out", "--dry-run", cwd=tmp_path)
    assert done["num_labels"] == 4
    assert {split: each["rows"] for split, each in done["splits"].items()} == {"train": 4, "test": 4}


@pytest.mark.parametrize(
    "folders",
    [
        ["s1/cat", "s1/dog", "s2/cat", "s2/dog", "s3/day 2/cat", "s3/day 2/dog"],
        ["cats/2020/a", "cats/2021/a", "cats/2020/b", "dogs/2021/b"],
        ["web/wolf", "web/fox", "web/owl", "own/day 1/cat", "mine/day 1/cat"],
        ["wolf", "fox", "owl", "cat/train", "dog/train"],
        ["train/pets/cat", "test/pets/cat", "train/owl", "train/fox", "train/cow"],
    ],
)
def test_classes_that_stand_again_below_others_are_read_by_the_last_folder(
    folders: list[str], tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *(f"{folder}/{i}.jpg" for i, folder in enumerate(folders)))
    options = {"label_folder": "last", "label_type": "name"}
    assert [row[2] for row in rows_of(root, **options)]
    assert not any("one label" in each for each in plan_from(root, tmp_path, **options).plan.warnings)


def test_folders_called_like_splits_above_labels_are_told_how_to_be_called(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "train-data/cat/1.jpg", "test-data/cat/2.jpg")
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert "folders of splits are called train, validation, test" in caught.value.hint


@pytest.mark.parametrize(
    ("form", "options", "labels"),
    [
        ("{label}/{split}_{i}.jpg", "", "ab"),
        ("in/{label}/{split}-{i}.PNG", "--exclude x,b/y.jpg", "ab"),
        ("{label}/part/{split}_{i}.jpg", "--label-folder first", "ab"),
        ("part/{label}/{split}_{i}.jpg", "--label-folder last", "ab"),
        ("images/{split}_{label}_{i}.jpg", "--unlabelled keep", ""),
    ],
)
def test_splits_that_files_of_classes_are_called_by_are_told_with_the_command_of_a_list(
    form: str, options: str, labels: str, tmp_path: Path
) -> None:
    splits = {"train": 6, "test": 4, "other": 1}
    names = [
        form.format(label=label, split=split, i=i)
        for label in "ab"
        for split, count in splits.items()
        for i in range(count)
        if (split, label) != ("other", "b")
    ]
    make(tmp_path / "photos", *names, "x/train_1.jpg" if "x" in options else names[0])
    words = shlex.split(options)
    told = convert_json("photos", "out", "--dry-run", *words, cwd=tmp_path)
    [warning] = [each for each in told["warnings"] if "begin with words of splits (test, train)" in each]
    command, _, further = warning.partition("a list of them: ")[2].partition(", and convert that")
    assert shell(command, tmp_path).code == 0
    done = convert_json(
        "photos/list.csv", "out", "--dry-run", *shlex.split(further.removeprefix(" with")), cwd=tmp_path
    )
    assert done["rows"] == 21
    with (tmp_path / "photos/list.csv").open(newline="") as file:
        assert {row["label"] for row in csv.DictReader(file) if labels} == {*labels}
    counts = {split: each["rows"] for split, each in done["splits"].items()}
    assert (counts["train"] >= 12, counts["test"] >= 8, sum(counts.values())) == (True, True, 21)


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("a/train_1.jpg", "b/train_2.jpg"), ""),
        (("a/train_1.jpg", "a/test_1.jpg", "b/1.jpg"), ""),
        (("a/trains_1.jpg", "b/tested_1.jpg"), ""),
        (("a/train_1.jpg", "b/test_1.jpg"), "--splits train=90,test=10"),
        (("train/a/test_1.jpg", "test/b/train_1.jpg"), ""),
    ],
)
def test_files_of_classes_that_are_called_otherwise_are_not_told_of(
    names: tuple[str, ...], options: str, tmp_path: Path
) -> None:
    make(tmp_path / "photos", *names)
    told = convert_json("photos", "out", "--dry-run", *shlex.split(options), cwd=tmp_path)
    assert told["rows"] == len(names)
    assert not any("words of splits" in each for each in told["warnings"])


# --- copies of what is in another folder ---

BELOW = [f"{s}/{c}/{n}.jpg" for s in ("train", "test") for c in ("a", "a_thumbnails") for n in (1, 2)]
THUMBNAILS = {
    "as downloaded": (["a b/1.jpg", "a b/x.png", "a b - thumbnail/1.jpg", "a b - thumbnail/x.png"], 2),
    "below splits": (BELOW, 4),
    "beside classes of what is small": (
        [f"{c}/{n}.jpg" for c in ("a", "a - thumbnail", "b", "b_small", "cat_small") for n in (1, 2)], 8
    ),
    "beside a class called so": (
        ["a/1.jpg", "a/2.jpg", "a-thumbnail/1.jpg", "a-thumbnail/2.jpg", "b-thumbnail/1.jpg"], 3
    ),
}  # fmt: skip


@pytest.mark.parametrize(("images", "count"), THUMBNAILS.values(), ids=THUMBNAILS)
def test_thumbnails_are_no_classes(images: list[str], count: int, tmp_path: Path) -> None:
    root = make(tmp_path / "in", *images)
    with pytest.raises(InputError, match="thumbnails, and no class") as caught:
        rows_of(root)
    certain, _, further = caught.value.hint.partition(" leaves them out, and ")
    option, pattern = shlex.split(certain.partition(" leaves")[0])
    assert option == "--exclude"
    assert len(rows_of(root, exclude=pattern)) == count
    assert bool(further) == any("b_small" in image for image in images)
    if further:
        option, pattern = shlex.split(further.partition(" those such as 'b_small', too")[0])
        assert len(rows_of(root, exclude=pattern)) == count - 2
    assert len(rows_of(root, label_folder="last")) == len(images)
    assert any("thumbnail" in doubt for doubt in plan_from(root, tmp_path, label_folder="last").plan.warnings)


@pytest.mark.parametrize("word", ["_thumbs", " (small)", "-resized"])
def test_what_may_be_copies_is_warned_of(word: str, tmp_path: Path) -> None:
    images = [f"{folder}/{number}.jpg" for folder in ("a", f"a{word}", "b") for number in (1, 2)]
    root = make(tmp_path / "in", *images)
    (warning,) = (each for each in plan_from(root, tmp_path).plan.warnings if "copies of them" in each)
    option, pattern = shlex.split(warning.partition("copies of them, ")[2].partition(" leaves")[0])
    assert (option, pattern) == ("--exclude", f"*{word}")
    assert len(rows_of(root, exclude=pattern)) == 4


@pytest.mark.parametrize(
    "images",
    [
        ["apple/1.jpg", "apple/2.jpg", "apple small/3.jpg", "apple small/4.jpg"],
        ["left/1.jpg", "left/2.jpg", "left thumb/1.jpg", "left thumb/3.jpg", "left thumb/4.jpg"],
        ["thumbnail/1.jpg", "thumbnail/2.jpg", "photo/1.jpg", "photo/2.jpg"],
        ["a - thumbnail/1.jpg", "a - thumbnail/2.jpg", "b/1.jpg", "b/2.jpg"],
        ["small/1.jpg", "small/2.jpg", "large/1.jpg", "large/2.jpg"],
    ],
)
def test_classes_that_are_called_like_copies_are_read(images: list[str], tmp_path: Path) -> None:
    root = make(tmp_path / "in", *images)
    assert len(rows_of(root)) == len(images)
    assert not any("copies of them" in warning for warning in plan_from(root, tmp_path).plan.warnings)


# --- lists of what is to be sent in ---


@pytest.mark.parametrize(
    "name", ["sampleSubmission.csv", "sample_submission.csv", "sample_submission_v2.csv"]
)
def test_what_is_to_be_sent_in_is_no_list_of_the_images(name: str, tmp_path: Path) -> None:
    images = [f"train/{word}.{number}.jpg" for word in ("cat", "dog") for number in range(3)]
    root = make(tmp_path / "in", *images, "test1/1.jpg", **{name: b"id,label\n1,0\n"})
    with pytest.raises(InputError) as caught:
        rows_of(root, exclude="test1")
    assert name not in caught.value.hint
    listed = caught.value.hint.partition("make a list: ")[2].partition("; --unlabelled")[0]
    command, _, then = listed.partition("; then: ")
    assert shell(command, tmp_path).code == 0
    assert {row[2] for row in rows_of(f"{root}/list.csv")} == {"cat", "dog"}
    assert shell(then.replace("OUTPUT_DIR", "out"), tmp_path).code == 0


@pytest.mark.parametrize("name", ["submission.csv", "train.csv", "samples.csv"])
def test_lists_called_otherwise_are_asked_about(name: str, tmp_path: Path) -> None:
    lists = {name: b"id,label\n1,0\n", "sample_submission.csv": b"id,label\n1,0\n"}
    root = make(tmp_path / "in", "train/1.jpg", "train/2.jpg", **lists)
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert f"tfrec convert {root}/{name} OUTPUT_DIR" in caught.value.hint


def test_splits_wrapped_in_their_own_names_with_labels_in_names_of_files(tmp_path: Path) -> None:
    test = [f"asl_test/asl_test/{label}_test.jpg" for label in ("A", "B", "space")]
    make(
        tmp_path / "in",
        *test,
        *(f"asl_train/asl_train/{label}/1.jpg" for label in ("A", "B", "del", "space")),
    )
    command = "tfrec convert in out"
    for begin in ("where folders are splits: ", "(A, B, space), make a list: "):
        error = shell(command, tmp_path).err
        assert begin in error
        command = error.partition(begin)[2].partition("; else")[0].replace("OUTPUT_DIR", "out")
    made, _, then = command.partition("; --unlabelled")[0].partition("; then: ")
    assert shell(made, tmp_path).code == 0
    assert then == "tfrec convert test=in/asl_test/list.csv train=in/asl_train out"
    assert shell(then, tmp_path).code == 0
    facts = manifest(tmp_path / "out")
    assert [*facts["labels"]] == ["A", "B", "del", "space"]
    assert {name: split["records"] for name, split in facts["splits"].items()} == {"train": 4, "test": 3}


@pytest.mark.parametrize(("name", "label"), [("dogs_test", ""), ("dogs", "dogs")])
def test_a_folder_called_like_the_source_is_no_label_where_that_is_a_split(
    name: str, label: str, tmp_path: Path
) -> None:
    root = make(tmp_path / name, f"{name}/1.jpg")
    assert [row[2:] for row in rows_of(root, unlabelled="keep")] == [tuple(filter(None, [label]))]
    assert [row[2] for row in rows_of(root, label_folder="first")] == [name]


@pytest.mark.parametrize(
    "names",
    [
        ["a_test.jpg", "b_test.jpg"],
        ["a_test.jpg", "b_test.jpg", "c_train.jpg"],
        ["a_test.jpg", "b_test.jpg", "c.jpg"],
        ["a_big.jpg", "b_big.jpg", "c_big.jpg"],
        ["1_test.jpg", "2_test.jpg", "3_test.jpg"],
        ["latest.jpg", "contest.jpg", "protest.jpg"],
    ],
)
def test_names_that_have_no_label_before_the_word_of_a_split(names: list[str]) -> None:
    assert label_before_split(names) is None
