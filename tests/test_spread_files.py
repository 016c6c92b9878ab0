"""Folders over which files are spread by how their names begin are doubted as labels, and classes are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_dataset_layouts import make
from test_dataset_samples import plan_from


@pytest.mark.parametrize(
    ("names", "is_told"),
    [
        ([f"{at:02}/{at:02}{at * 7919 % 10_007:05}.jpg" for at in range(10, 20)], True),
        ([f"{at:02x}/{at:02x}/{at:02x}{at:02x}{at * 7919 % 65_521:04x}.jpg" for at in range(10, 20)], True),
        ([f"{at:02}/{at:02}{image:05}.jpg" for at in range(10, 20) for image in range(3)], False),
        ([f"{at}/{at}{at * 7919 + image:05}.jpg" for at in range(6) for image in range(3)], False),
        ([f"{at}/{at}_{at * 7919}.jpg" for at in range(10, 20)], False),
        (
            [
                f"{name}/{name}{at * 7919:05}.jpg"
                for at, name in enumerate(["oak", "elm", "ash", "fir", "yew"])
            ],
            False,
        ),
    ],
    ids=["by ids", "by digests, in two levels", "numbered classes", "digits", "ids behind a class", "words"],
)
def test_files_spread_by_their_names(names: list[str], is_told: bool, tmp_path: Path) -> None:
    root = make(tmp_path / "in", *names)
    told = plan_from(root, tmp_path, label_folder="first").plan.warnings
    assert any("the names of all images begin with their labels" in each for each in told) is is_told
