"""Adience's lists of faces: one of all folds, with the person by whom they are kept apart."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

import pytest
from boxing import photos
from converting import convert_json, manifest, read_csv, tfrec
from foreign_files import run_bash, write_files

_HEADER: Final = "user_id\toriginal_image\tface_id\tage\tgender\tx\n"
_FACE: Final = "faces/{0}@N/coarse_tilt_aligned_face.{0}.a.jpg"


def _folds(folder: Path, count: int) -> None:
    """Lists of a face each."""
    photos(folder, *(f"in/{_FACE.format(fold)}" for fold in range(count)))
    write_files(folder, {
        f"in/fold_{fold}_data.txt": f"{_HEADER}{fold}@N\ta.jpg\t{fold}\t(25, 32)\tm\t0\n"
        for fold in range(count)
    })  # fmt: skip


def _made(folder: Path, *words: str) -> tuple[str, list[str]]:
    """What is said of the first list, and the words of what comes once its command was run."""
    told = tfrec("convert", "in/fold_0_data.txt", *words, "out", cwd=folder).err
    command, _, then = told.partition(": (echo")[2].partition("; then: ")
    run_bash(f"(echo{command}", folder)
    return told, shlex.split(then.partition(";")[0])[2:]


def test_the_list_is_of_all_folds_and_has_the_person(tmp_path: Path) -> None:
    _folds(tmp_path, 3)
    write_files(tmp_path, {"in/fold_7_data.txt": "something else\n", "in/fold_x_data.txt": _HEADER})
    told, (made, _, *options) = _made(tmp_path)
    assert "of it and of the rest of the dataset beside it (fold_1_data.txt, fold_2_data.txt): (echo" in told
    assert [row["user_id"] for row in read_csv(tmp_path / made)] == ["0@N", "1@N", "2@N"]
    assert options == ["--columns", "label=age", "--split-by", "user_id"]
    assert convert_json(made, "out", *options, cwd=tmp_path)["records"] == 3
    assert manifest(tmp_path / "out")["labels"] == {"25-32": 0}


def test_a_fold_alone_is_made_a_list_of_it(tmp_path: Path) -> None:
    _folds(tmp_path, 1)
    told, (made, *_) = _made(tmp_path)
    assert ("make a CSV of it: (echo" in told, len(read_csv(tmp_path / made))) == (True, 1)


def test_several_folds_that_are_given_are_made_a_list_each(tmp_path: Path) -> None:
    _folds(tmp_path, 3)
    folds = [f"in/fold_{fold}_data.txt" for fold in (0, 1)]
    told = tfrec("convert", *folds, "out", "--image-root", "in/faces", cwd=tmp_path).err
    assert "for f in in/fold_0_data.txt in/fold_1_data.txt; do" in told
    assert told.count("--image-root in/faces") == 1
    assert "fold_2_data" not in told


@pytest.mark.parametrize(
    ("root", "image"), [("in/faces", _FACE.removeprefix("faces/")), ("in", _FACE)], ids=["faces", "above"]
)
def test_paths_are_from_the_folder_of_images_that_was_given(root: str, image: str, tmp_path: Path) -> None:
    _folds(tmp_path, 2)
    told, (made, _, *options) = _made(tmp_path, "--image-root", root)
    assert [row["image"] for row in read_csv(tmp_path / made)] == [image.format(fold) for fold in range(2)]
    assert (options[:2], "your other options" in told) == (["--image-root", root], False)
    assert convert_json(made, "out", *options, cwd=tmp_path)["records"] == 2


def test_a_folder_without_these_images_is_left_out(tmp_path: Path) -> None:
    _folds(tmp_path, 2)
    photos(tmp_path, "elsewhere/1.jpg")
    told, (made, _, *options) = _made(tmp_path, "--image-root", "elsewhere")
    assert ("--image-root does not fit" in told, "your other options" in told) == (True, False)
    assert convert_json(made, "out", *options, cwd=tmp_path)["records"] == 2
