"""What only looks like lists of Oxford-IIIT Pets is told of as any other list or folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos
from converting import tfrec

PETS = "Abyssinian_1 1 1 1\ngreat_pyrenees_1 17 2 9\n"


@pytest.mark.parametrize(
    "text",
    [
        "img_1 0 1 0\nimg_2 1 0 0\nimg_3 0 1 1\n",
        "img_1 1 1 1\nimg_2 1 1 1\n",
        "cat_1 1 1 1\ndog_1 2 1 1\ncat_2 2 1 1\n",
        "cat_1 1 1 1\ndog_1 1 1 1\n",
    ],
    ids=["several flags", "one name", "a name of two numbers", "a number of two names"],
)
def test_a_list_of_other_numbers_is_no_list_of_pets(text: str, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(text)
    done = tfrec("convert", "list.txt", "out", cwd=tmp_path)
    assert done.code == 2
    assert "Pets" not in done.err
    assert "--delimiter" in done.err


def test_a_folder_of_classes_beside_lists_of_pets_keeps_its_own_hint(tmp_path: Path) -> None:
    for name in ("cat", "dog"):
        photos(tmp_path / "in/images" / name, "1.png")
    (tmp_path / "in/annotations").mkdir()
    for name in ("trainval.txt", "test.txt"):
        (tmp_path / "in/annotations" / name).write_text(PETS)
    assert "Pets" not in tfrec("convert", tmp_path / "in", tmp_path / "out").err
    photos(tmp_path / "in/images", "Abyssinian_1.jpg")
    assert "as in Oxford-IIIT Pets" in tfrec("convert", tmp_path / "in", tmp_path / "out").err


def test_a_folder_of_pets_is_told_by_any_of_its_images(tmp_path: Path) -> None:
    (tmp_path / "in/annotations").mkdir(parents=True)
    for name in ("trainval.txt", "test.txt"):
        (tmp_path / "in/annotations" / name).write_text(PETS.rstrip("\n"))
    photos(tmp_path / "in/images", "great_pyrenees_1.jpg")
    assert "as in Oxford-IIIT Pets" in tfrec("convert", tmp_path / "in", tmp_path / "out").err
