"""Folders of views of the same things are warned of as labels, and classes are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_dataset_layouts import make
from test_dataset_samples import plan_from


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
    root = make(tmp_path / "in", *(f"{folder}/site{at}.jpg" for folder in folders.split() for at in range(4)))
    told = [told for told in plan_from(root, tmp_path).plan.warnings if "like views of the same" in told]
    assert len(told) == count
    assert all("(site0, …)" in each for each in told)
    assert [("OUTPUT_DIR" in each) for each in told] == [not folders.startswith("train/")] * count


@pytest.mark.parametrize(("name", "count"), [("1", 0), ("site1", 1)])
def test_two_letters_are_views_only_of_things_with_a_name(name: str, count: int, tmp_path: Path) -> None:
    root = make(tmp_path / "in", *(f"{letter}/{name}{at}.jpg" for letter in "AB" for at in range(4)))
    assert sum("like views" in told for told in plan_from(root, tmp_path).plan.warnings) == count


def test_classes_called_so_with_images_of_other_names_are_none(tmp_path: Path) -> None:
    root = make(tmp_path / "in", *(f"{side}/{side}{at}.jpg" for side in ("left", "right") for at in range(4)))
    assert not any("like views" in told for told in plan_from(root, tmp_path).plan.warnings)
