"""Folders of splits in those of labels."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from boxing import examples_by_split, photos
from converting import convert_json, shell
from folder_lists import OF_NO_CLASSES
from following import proposals
from PIL import Image


def _folder(path: Path, *words: str, labels: tuple[str, ...] = ("cat", "dog")) -> Path:
    return photos(path, *(f"{label}/{word}/{label}{word}.jpg" for label in labels for word in words))


def _splits(output: Path) -> Counter[tuple[str, str]]:
    """How many records of which split have which label."""
    return Counter(
        (split, text.decode())
        for split, values in examples_by_split(output)
        for text in values["image/class/text"]
    )


@pytest.mark.parametrize("options", [(), ("--label-folder", "first")])
@pytest.mark.parametrize("wrapper", ["", "archive/set/"])
def test_words_of_splits_are_read(wrapper: str, options: tuple[str, ...], tmp_path: Path) -> None:
    _folder(tmp_path / "in" / wrapper, "train", "Valid", "test")
    done = convert_json(tmp_path / "in", tmp_path / "out", *options)
    assert done["exit_code"] == 0
    assert "the folders of splits stand in those of labels, and are read so" in done["remarks"]
    splits = ("train", "validation", "test")
    assert _splits(tmp_path / "out") == {(split, label): 1 for split in splits for label in ("cat", "dog")}


def test_other_words_get_the_command_that_reads_them(tmp_path: Path) -> None:
    _folder(tmp_path / "in" / "set", "training_set", "test")
    done = convert_json("in", "out", cwd=tmp_path)
    hint = done["error"]["hint"]
    assert hint.startswith("where test, training_set are splits: python -c")
    first = next(proposals(hint, OF_NO_CLASSES))
    assert shell(first.command, tmp_path).code == 0
    assert first.options == (("--split-map", "training_set=train"),)
    options = [word for option in first.options for word in option]
    assert convert_json(*first.made, "out", *options, cwd=tmp_path)["exit_code"] == 0
    assert _splits(tmp_path / "out") == {(s, label): 1 for s in ("train", "test") for label in ("cat", "dog")}


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (("train",), ("cat", "dog")),  # one split may be anything
        (("val", "test"), ("cat", "dog")),
        (("train", "test", "more"), ("cat", "dog")),
        (("train", "test"), ("input", "target")),  # views of the same things
    ],
)
def test_what_is_not_certain_is_refused_as_before(
    words: tuple[str, ...], labels: tuple[str, ...], tmp_path: Path
) -> None:
    _folder(tmp_path / "in", *words, labels=labels)
    done = convert_json(tmp_path / "in", tmp_path / "out")
    assert "so it is not certain which one is the label" in done["error"]["message"]


def test_images_beside_the_splits_are_of_none(tmp_path: Path) -> None:
    _folder(tmp_path / "in", "train", "test")
    photos(tmp_path / "in", "dog/new.jpg")
    assert "so it is not certain" in convert_json(tmp_path / "in", tmp_path / "out")["error"]["message"]


def _masked(path: Path) -> Path:
    """Masks of some images in folders right below these, and a table of them, as DAGM has them."""
    _folder(path, "Train", "Test")
    for label, word in product(("cat", "dog"), ("Train", "Test")):
        photos(path / label / word, f"{label}2.jpg")
        below = path / label / word / "Label"
        below.mkdir()
        Image.new("L", (24, 16)).save(below / f"{label}{word}_label.png")
        (below / "Labels.txt").write_text(
            f"1\n1\t1\t{label}{word}.jpg\t1\t{label}{word}_label.png\n2\t0\t{label}2.jpg\t0\t0\n"
        )
    return path


def test_splits_are_read_without_the_masks_below_their_images(tmp_path: Path) -> None:
    _masked(tmp_path / "in")
    told = convert_json("in", "out", cwd=tmp_path)["error"]
    assert "folders of masks (cat/Test/Label, cat/Train/Label)" in told["message"]
    first = next(proposals(told["hint"], re.compile("--label")))
    assert (first.command, first.options) == ("", (("--exclude", "Label"),))
    done = convert_json("in", "out", "--exclude", "Label", cwd=tmp_path)
    assert done["exit_code"] == 0
    assert _splits(tmp_path / "out") == {(s, label): 2 for s in ("train", "test") for label in ("cat", "dog")}


def test_masks_below_the_images_of_another_class_are_refused(tmp_path: Path) -> None:
    for path in _masked(tmp_path / "in").glob("cat/*/Label"):
        shutil.rmtree(path)
    told = convert_json("in", "out", cwd=tmp_path)["error"]
    assert "folders of masks (dog/Test/Label, dog/Train/Label)" in told["message"]


@pytest.mark.parametrize("source", ["in/cat", "in/cat/Train"])
def test_masks_below_images_without_labels_are_refused(source: str, tmp_path: Path) -> None:
    _masked(tmp_path / "in")
    done = convert_json(source, "out", "--unlabelled", "keep", cwd=tmp_path)
    assert "--exclude Label passes over them" in done["error"]["hint"]


def test_masks_below_images_are_told_of_where_a_folder_is_the_label(tmp_path: Path) -> None:
    _masked(tmp_path / "in")
    done = convert_json("in", "out", "--label-folder", "first", cwd=tmp_path)
    assert any("taken for images: --exclude Label passes over them" in told for told in done["warnings"])


def test_folders_without_images_below_the_splits_change_nothing(tmp_path: Path) -> None:
    _masked(tmp_path / "in")
    done = convert_json("in", "out", "--exclude", "*_label.png", cwd=tmp_path)
    assert any(
        "passed over 4 entries that are no image: cat/Test/Label/Labels.txt" in r for r in done["remarks"]
    )
    assert _splits(tmp_path / "out") == {(s, label): 2 for s in ("train", "test") for label in ("cat", "dog")}


def test_a_table_below_a_number_is_not_taken_for_a_list(tmp_path: Path) -> None:
    _masked(tmp_path / "in")
    (tmp_path / "in/dog/Test").rename(tmp_path / "in/dog/new")  # no split, so that it stays uncertain
    done = convert_json("in", "out", "--exclude", "*_label.png", cwd=tmp_path)
    assert "Labels.txt" not in done["error"]["hint"]


@pytest.mark.parametrize("name", ["Label", "photos"])
def test_photos_below_others_are_no_masks(name: str, tmp_path: Path) -> None:
    _folder(tmp_path / "in", "train", "test")
    pixels = Image.frombytes("RGB", (64, 64), bytes(i * i * 7 // 5 % 256 for i in range(64 * 64 * 3)))
    (tmp_path / "in/cat/train" / name).mkdir()
    pixels.save(tmp_path / "in/cat/train" / name / "cattrain_more.jpg")
    assert "masks" not in str(convert_json("in", "out", cwd=tmp_path)["error"])
