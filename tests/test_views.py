"""Folders of views of the same things are warned of as labels, and classes are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_dataset_layouts import make
from test_dataset_samples import plan_from

from tfrecordcli.sources.folders.names_again import NamesAgain
from tfrecordcli.sources.folders.views import ViewSearch


@pytest.mark.parametrize(
    ("folders", "count"),
    [
        ("before after", 1),
        ("left right disp", 1),
        ("HR LR_x2", 1),
        ("train/A train/B train/label", 1),
        ("left right other", 0),
        ("cat dog", 0),
    ],
)
def test_views_of_the_same_things_are_warned_of(folders: str, count: int, tmp_path: Path) -> None:
    places = ("hill", "lake", "mill", "port")
    root = make(tmp_path / "in", *(f"{folder}/{place}.jpg" for folder in folders.split() for place in places))
    told = [told for told in plan_from(root, tmp_path).plan.warnings if "like views of the same" in told]
    assert len(told) == count
    assert all("(hill, …)" in each for each in told)
    assert [("OUTPUT_DIR" in each) for each in told] == [not folders.startswith("train/")] * count


@pytest.mark.parametrize(("name", "count"), [("1", 0), ("site", 0), ("site1", 1)])
def test_two_letters_are_views_only_of_things_with_a_name(name: str, count: int, tmp_path: Path) -> None:
    root = make(tmp_path / "in", *(f"{letter}/{name}{at}.jpg" for letter in "AB" for at in range(4)))
    assert sum("like views" in told for told in plan_from(root, tmp_path).plan.warnings) == count


def test_classes_called_so_with_images_of_other_names_are_none(tmp_path: Path) -> None:
    root = make(tmp_path / "in", *(f"{side}/{side}{at}.jpg" for side in ("left", "right") for at in range(4)))
    assert not any("like views" in told for told in plan_from(root, tmp_path).plan.warnings)


@pytest.mark.parametrize(
    ("folders", "count"),
    [
        ("left right", 1), ("after Before", 1), ("HR LR_x2", 1), ("rgb depth", 1), ("A B label", 1),
        ("left right front back", 0), ("clear rain hazy", 0), ("high low", 0), ("A B", 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["{}", "img_{}", "IMG_{:04}", "{:06}"])
def test_numbers_are_names_of_classes_but_for_certain_views(
    folders: str, count: int, name: str, tmp_path: Path
) -> None:
    search = ViewSearch()
    for folder in folders.split():
        for at in range(12):
            search.add(f"{folder}/{name.format(at)}.jpg", folder)
    told = [*search.doubts("in", [""])]
    assert ["may be views of the same things" in each for each in told] == [True] * count
    assert not any("tfrec convert" in each for each in told)


@pytest.mark.parametrize(
    ("folders", "count"),
    [
        ("clean ground render", 1),
        ("RGB depth", 1),
        ("cat dog", 0),
        ("clean hazy", 0),
        ("clean dirty", 0),
        ("left right", 0),
    ],
)
@pytest.mark.parametrize("name", ["{0}{1:04}", "{0}_{1}", "{1:04}-{0}"])
def test_names_of_views_may_be_in_those_of_images(folders: str, count: int, name: str) -> None:
    search = ViewSearch()
    for folder in folders.split():
        for at in range(12):
            search.add(f"{folder}/{name.format(folder.lower(), at)}.jpg", folder)
    assert len([*search.doubts("in", [""])]) == count


@pytest.mark.parametrize(
    ("names", "is_label"),
    [
        ("left right", True), ("oak elm", True), ("cat car", True), ("one two three", False),
        ("january february march", False), ("xaa xab", False), ("img_a img_b img_c", False),
        ("train test", False),
    ],
)  # fmt: skip
def test_names_that_number_images_are_no_labels(names: str, is_label: bool) -> None:
    again = NamesAgain("in", [])
    for folder in "abcdef":
        for name in names.split():
            again.add(folder, f"{folder}/{name}.jpg")
    assert bool(again.shown()) == is_label
