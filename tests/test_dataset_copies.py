"""Folders that hold others again, and folds, which hold the same images: read once, or refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
from converting import convert_json, jpeg, manifest, shell
from test_dataset_layouts import make, put, rows_of
from test_dataset_samples import plan_from

from tfrecordcli.sources.folders import albums


@pytest.mark.parametrize("are_same", [True, False])
@pytest.mark.parametrize("above", ["", "data/"])
def test_folders_that_one_beside_them_holds_again_are_read_without_it(
    above: str, are_same: bool, tmp_path: Path
) -> None:
    root = tmp_path / "cells"
    names = [f"{label}/{number}.jpg" for label in ("sick", "well") for number in range(2)]
    put(root, {f"{above}{name}": jpeg(at) for at, name in enumerate(names)})
    put(root, {f"{above}cells/{name}": jpeg(at + 9 * (not are_same)) for at, name in enumerate(names)})
    hint = convert_json("cells", "out", cwd=tmp_path)["error"]["hint"]
    assert (hint == "--exclude cells passes over it") == are_same
    assert are_same or "--label-folder last 'sick'" in hint
    assert sorted(row[-1] for row in rows_of(str(root), exclude="cells")) == ["sick", "sick", "well", "well"]


SIMPSONS: Final = [f"{label}/{number}.jpg" for label in ("bart", "lisa") for number in range(2)]


@pytest.mark.parametrize("are_same", [True, False])
def test_copies_and_folders_that_hold_themselves_are_seen_from_above(are_same: bool, tmp_path: Path) -> None:
    root = tmp_path / "in"
    put(root, {f"s/{name}": jpeg(at) for at, name in enumerate(SIMPSONS)})
    put(root, {f"s/s/{name}": jpeg(at + 9 * (not are_same)) for at, name in enumerate(SIMPSONS)})
    put(root, {"more/more/bart_1.jpg": jpeg(20)})
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert (hint == "--exclude s/s passes over it") == are_same
    for folder in ("first", "last"):
        warnings = plan_from(str(root), tmp_path, label_folder=folder).plan.warnings
        copies = [each for each in warnings if "--exclude s/s passes over it" in each]
        alone = [each for each in warnings if "--exclude more leaves it out" in each]
        assert (len(copies), len(alone)) == (are_same, folder == "last")
    hint = convert_json("in", "out", "--exclude", "s/s", cwd=tmp_path)["error"]["hint"]
    command, _, told = hint.partition(" OUTPUT_DIR takes bart, lisa, without more")
    assert told
    done = shell(f"{command} out --exclude s --json", tmp_path).json
    assert (done["records"], [*manifest(tmp_path / "out")["labels"]]) == (4, ["bart", "lisa"])


@pytest.mark.parametrize(
    "images",
    [
        ["cat/cat/1.jpg", "dog/dog/2.jpg"],
        ["cat/cat/1.jpg", "dog/2.jpg"],
        ["a/b/1.jpg", "a/c/1.jpg", "d/e/1.jpg"],
    ],
)
def test_folders_that_hold_no_other_images_again_are_read_without_a_word(
    images: list[str], tmp_path: Path
) -> None:
    plan = plan_from(make(tmp_path / "in", *images), tmp_path, label_folder="last").plan
    assert not [each for each in plan.warnings if "--exclude" in each]


# --label-folder, images with what is in them, and what is passed over by the options that warnings have
_COPIES: Final = {
    "augmented classes": ("last", {"a/1": 1, "b/2": 2, "a/augmented/1": 3}, ["augmented"]),
    "augmented beside classes": (None, {"a/1": 1, "b/2": 2, "aug_/1": 3}, ["aug_"]),
    "a backup of all": ("last", {"a/c/1": 1, "b/d/2": 2, "_bak 7/a/c/1": 1}, ["_bak 7"]),
    "a backup of what was changed since": ("first", {"a/1": 1, "b/2": 2, "backup/a/1": 3}, ["backup"]),
    "copies of folders": (
        None,
        {"a/1": 1, "b/2": 2, "Copy of a (2)/1": 1, "b_old/2": 2},
        ["Copy of a (2)", "b_old"],
    ),
    "classes augmented within splits": ("last", {"train/a/1": 1, "train/a/aug/2": 2, "test/b/2": 3}, ["aug"]),
    "augmented within a split": ("first", {"train/a/1": 1, "train/a/aug/2": 2, "test/b/2": 3}, []),
    "nothing but augmented": ("last", {"augmented/a/1": 1, "augmented/b/2": 2}, []),
    "months": (None, {"aug/1": 1, "july/2": 2}, []),
    "an album with some of its own": (
        None,
        {"a/1": 1, "a/2": 2, "b/3": 3, "2023/1": 1, "2023/3": 3, "2023/4": 4},
        ["2023"],
    ),
    "albums of years and others of what is shown": (
        None,
        {"a/1": 1, "a/2": 2, "b/3": 3, "b/4": 4, "2023/1": 1, "2023/3": 3, "Of 2022/2": 2, "Of 2022/4": 4},
        ["2023", "Of 2022"],
    ),
    "images of two classes": (
        None,
        {"a/1": 1, "a/2": 2, "a/3": 3, "b/4": 4, "b/5": 5, "b/6": 6, "c/1": 1, "c/4": 4},
        ["c"],
    ),
    "an album of all, chosen": ("last", {"a/1": 1, "b/2": 2, "all/1": 1, "all/2": 2}, ["all"]),
    "an album of all, in splits": (
        "last",
        {
            f"{split}/{top}/{n}": n
            for split in ("train", "test")
            for n in (1, 2)
            for top in ("ab"[n - 1], "all")
        },
        ["all"],
    ),
    "numbers that go on": (None, {"a/1": 1, "b/2": 2, "c/1": 3, "c/2": 4}, []),
    "numbers in each": (None, {f"{top}/{n}": n for top in "abc" for n in (1, 2)}, []),
    "files that begin alike": (None, {"a/1": 1, "b/2": 2, "c/1": -1, "c/2": -2}, []),
    "copies of one class": (None, {"a/1": 1, "b/2": 2, "c/1": 1, "c/4": 4}, []),
    "ages": (None, {"old/1": 1, "young/1": 2, "years_old/1": 3, "years/1": 4}, []),
    "other words": (None, {"august/1": 1, "backpack/2": 2, "augite/3": 3, "copycat/4": 4}, []),
}


def _image(number: int) -> bytes:
    """Far behind its begin, that of a negative number is other than that of its opposite."""
    return jpeg(abs(number)) + b"0" * 100_000 + number.to_bytes(2, "big", signed=True)


@pytest.mark.parametrize("name", _COPIES)
def test_folders_of_copies_are_warned_of(name: str, tmp_path: Path) -> None:
    label_folder, images, excluded = _COPIES[name]
    put(tmp_path / "in", {f"{path}.jpg": _image(number) for path, number in images.items()})
    plan = plan_from(str(tmp_path / "in"), tmp_path, label_folder=label_folder).plan
    found = [
        each for warning in plan.warnings for each in re.findall("--exclude ('.*?'|[^ ]+) passes", warning)
    ]
    assert [each.strip("'") for each in found] == excluded


def test_an_album_of_all_classes_is_no_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where so many images are listed that not all names are kept."""
    names = {f"{'ab'[n % 2]}/{n}": n for n in range(40)} | {f"all, but/{n}": n for n in range(40)}
    put(tmp_path / "in", {f"{path}.jpg": jpeg(number) for path, number in names.items()})
    monkeypatch.setattr(albums, "_MOST_NAMES", 50)
    error = convert_json("in", "out", cwd=tmp_path)["error"]
    assert "the folder 'all, but' is no class: its images are again those of a, b (" in error["message"]
    option = error["hint"].partition(" passes over it")[0]
    assert shell(f"tfrec convert in out {option} --json", tmp_path).json["records"] == 40
    assert [*manifest(tmp_path / "out")["labels"]] == ["a", "b"]


def test_a_backup_and_copies_made_of_images_lead_to_what_is_left(tmp_path: Path) -> None:
    images = {f"{top}/{label}/{n}.jpg": jpeg(n) for top in "xy" for n, label in enumerate("aabb")}
    images |= {f"old/{path}": image for path, image in images.items()} | {"x/b/augmented/2_90.jpg": jpeg(9)}
    put(tmp_path / "in", images)
    options: list[str] = []
    for option in (["--exclude", "old"], ["--exclude", "augmented"], ["--label-folder", "last"]):
        assert " ".join(option) in convert_json("in", "out", *options, cwd=tmp_path)["error"]["hint"]
        options += option
    done = convert_json("in", "out", *options, cwd=tmp_path)
    assert (done["records"], [*manifest(tmp_path / "out")["labels"]]) == (8, ["a", "b"])


def _of_folds(root: Path, *, are_same: bool) -> None:
    """Two folders with train/cat, val/dog, … of six images called alike, each in val of one of them."""
    for fold in (1, 2):
        for number in range(6):
            split = "val" if number % 2 == fold - 1 else "train"
            path = f"fold_{fold}/{split}/{'cat' if number < 3 else 'dog'}/{number}.jpg"
            put(root, {path: jpeg(number if are_same else 10 * fold + number)})


def test_folds_of_a_cross_validation_are_converted_one_by_one(tmp_path: Path) -> None:
    _of_folds(tmp_path / "cv", are_same=True)
    refused = convert_json("cv", "out", cwd=tmp_path)["error"]
    assert refused["message"] == (
        "cv: fold_1, fold_2 have folders of splits each and hold the same images, as folds do: "
        "fold_1/train/cat/1.jpg, fold_2/val/cat/1.jpg"
    )
    command = refused["hint"].removeprefix("convert one of them: ")
    assert command == "tfrec convert cv/fold_1 OUTPUT_DIR"
    assert shell(command, tmp_path).code == 0
    made = manifest(tmp_path / "OUTPUT_DIR")
    assert {name: split["records"] for name, split in made["splits"].items()} == {"train": 3, "validation": 3}
    assert made["labels"] == {"cat": 0, "dog": 1}


def test_sets_with_splits_of_their_own_and_other_images_are_read_by_the_command(tmp_path: Path) -> None:
    _of_folds(tmp_path / "sites", are_same=False)
    refused = convert_json("sites", "out", cwd=tmp_path)["error"]
    command = "tfrec convert sites/fold_1 sites/fold_2 OUTPUT_DIR"
    assert refused["hint"].startswith(f"where each is a set by itself: {command}; --label-folder")
    done = convert_json("sites/fold_1", "sites/fold_2", "out", cwd=tmp_path)
    assert {name: split["records"] for name, split in done["splits"].items()} == {"train": 6, "validation": 6}


@pytest.mark.parametrize("are_same", [False, True])
def test_folds_in_folders_of_splits_are_no_labels(are_same: bool, tmp_path: Path) -> None:
    _of_folds(tmp_path / "cv", are_same=are_same)
    for path in sorted((tmp_path / "cv").glob("fold_*/*/*")):
        fold, split, label = path.parts[-3:]
        (tmp_path / "sites" / split / fold).mkdir(parents=True, exist_ok=True)
        path.rename(tmp_path / "sites" / split / fold / label)
    refused = convert_json("sites", "out", cwd=tmp_path)["error"]
    command = "tfrec convert train=sites/train/fold_1 validation=sites/val/fold_1 OUTPUT_DIR"
    assert command in refused["hint"]
    assert "--label-folder first" not in refused["hint"]
    assert ("hold the same images" in refused["message"]) == are_same
    assert ("--label-folder last takes 'cat'" in refused["hint"]) != are_same
    assert shell(command, tmp_path).code == 0
    assert manifest(tmp_path / "OUTPUT_DIR")["labels"] == {"cat": 0, "dog": 1}
    told = convert_json("sites", "out", "--label-folder", "first", cwd=tmp_path)["error"]
    assert "all labels are folds: fold_1, fold_2" in told["message"]
    assert "--label-folder last" in told["hint"]


def test_folders_of_folds_alone_are_no_labels(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "fold1/a.jpg", "fold2/b.jpg")
    hint = convert_json(root, "out", cwd=tmp_path)["error"]["hint"]
    done = shell(f"{hint.partition(' takes')[0]} --splits train=1 --json", tmp_path)
    assert json.loads(done.out)["records"] == 2
    assert [row[2] for row in rows_of(root, label_type="name")] == ["fold1", "fold2"]
    assert len(rows_of(make(tmp_path / "good", "fold1/a.jpg", "crease/b.jpg", "manifold1/c.jpg"))) == 3


def test_copies_in_a_list_are_kept_in_one_split_by_the_command_of_the_warning(tmp_path: Path) -> None:
    names = [f"{number}{more}.jpg" for number in range(6) for more in ("", "-fv", "-r90", "_aug2")]
    put(tmp_path, {f"in/{name}": jpeg(place) for place, name in enumerate(names)})
    rows = [f"in/{name},{'ab'[place % 2]}\n" for place, name in enumerate(names)]
    (tmp_path / "list.csv").write_text("".join(["image,label\n", *rows]))
    warnings = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)["warnings"]
    told = next(each for each in warnings if "copies made of them" in each)
    assert told.startswith("6 images and copies made of them, by their names (")
    command, _, options = told.partition("write what each image is made of into a column: ")[2].partition(
        ", and convert that with "
    )
    assert shell(command, tmp_path).code == 0
    made = (tmp_path / "list-groups.csv").read_text().splitlines()
    assert {row.rpartition(",")[2] for row in made[1:]} == {f"in/{number}" for number in range(6)}
    done = convert_json("list-groups.csv", "out", *options.split(), cwd=tmp_path)
    assert done["records"] == 24
    assert not any("copies" in each for each in done["warnings"])


def test_images_of_a_list_that_are_called_otherwise_are_no_copies(tmp_path: Path) -> None:
    names = [f"{plate}-{view}.jpg" for plate in range(6) for view in ("a", "b", "r12", "flipside")]
    put(tmp_path, {name: jpeg(place) for place, name in enumerate(names)})
    (tmp_path / "list.csv").write_text("".join(["image,label\n", *(f"{name},c\n" for name in names)]))
    warnings = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)["warnings"]
    assert not any("copies" in each for each in warnings)
