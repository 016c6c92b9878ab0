"""Well-known sets are found below wrappers, and above the folder of their images."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, shell
from folder_lists import OF_NO_CLASSES
from following import proposals

BIRDS = Path(__file__).with_name("lists") / "cub-200"
CUB = "CUB_200_2011"


def _birds(above: Path) -> None:
    shutil.copytree(BIRDS, above / CUB)
    photos(above / CUB, *json.loads((BIRDS / "expected.json").read_text())["images"])


@pytest.mark.parametrize("source", [".", "sets", f"sets/cub/{CUB}", f"sets/cub/{CUB}/images/"])
def test_birds_keep_their_splits_wherever_one_begins(source: str, tmp_path: Path) -> None:
    _birds(tmp_path / "sets/cub")
    (tmp_path / "sets/cub/attributes.txt").write_text("1 has_bill_shape::curved\n")
    told = convert_json(source, "out", cwd=tmp_path)["error"]
    assert "labels and splits are in files by the numbers of images" in told["message"]
    first = next(proposals(told["hint"], OF_NO_CLASSES))
    assert shell(first.command, tmp_path).code == 0
    done = convert_json(*first.made, "out", cwd=tmp_path)
    assert {split: counts["records"] for split, counts in done["splits"].items()} == {"train": 2, "test": 1}
    done = convert_json(source, "out", "--label-folder", "last", "--overwrite", cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 3)


def test_birds_are_found_beside_another_folder(tmp_path: Path) -> None:
    _birds(tmp_path / "cub")
    photos(tmp_path / "cub/segmentations/001.Albatross", "a_1.png")
    assert CUB in convert_json("cub", "out", cwd=tmp_path)["error"]["message"]


def test_other_sets_are_found_below_a_wrapper(tmp_path: Path) -> None:
    folder = tmp_path / "in/oxford-iiit-pet"
    photos(folder / "images", "Abyssinian_1.jpg", "great_pyrenees_1.jpg")
    (folder / "annotations").mkdir()
    for name in ("trainval.txt", "test.txt"):
        (folder / "annotations" / name).write_text("Abyssinian_1 1 1 1\ngreat_pyrenees_1 17 2 9\n")
    assert "as in Oxford-IIIT Pets" in convert_json("in", "out", cwd=tmp_path)["error"]["message"]
    photos(tmp_path / "in", "mine.jpg")  # now the set is not all that is there
    assert "Pets" not in str(convert_json("in", "out", cwd=tmp_path)["error"])


def test_a_folder_of_images_without_such_files_above_is_read(tmp_path: Path) -> None:
    photos(tmp_path / "images", "cat/1.jpg", "dog/2.jpg")
    (tmp_path / "classes.txt").write_text("1 cat\n2 dog\n")
    assert convert_json("images", "out", cwd=tmp_path)["records"] == 2
