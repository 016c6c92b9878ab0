"""Boxes in pixels of originals whose files were squashed to one size: told of, with what makes fractions."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from boxing import boxes_of, photos, records
from converting import convert_json, shell

HEADER = "image_id,class_name,x_min,y_min,x_max,y_max,width,height\n"
# Photos have 80 x 40 pixels.
SIZES = [(60, 80), (80, 80), (120, 60), (60, 60)]


def listed(folder: Path, scale: int, sizes: list[tuple[int, int]], **options: str) -> None:
    names = [f"{number}.png" for number in range(len(sizes))]
    photos(folder, *names)
    rows = "".join(
        f"{name[0]},cat,{width * 0.1 * scale:g},{height * 0.25 * scale:g},{width * 0.2 * scale:g},"
        f"{height * 0.5 * scale:g},{width},{height}\n"
        for name, (width, height) in zip(names, sizes, strict=True)
    )
    (folder / "list.csv").write_text(f"{HEADER}{rows}{options.get('more', '')}")


@pytest.mark.parametrize("scale", [1, 2])
def test_boxes_of_squashed_files_become_fractions_by_the_command(scale: int, tmp_path: Path) -> None:
    listed(tmp_path, scale, SIZES, more="9,,,,,,60,80\n")
    photos(tmp_path, "9.png")
    error = convert_json("list.csv", "out", cwd=tmp_path)["error"]
    assert "images have 80 x 40 pixels each, and width and height tell other shapes" in error["message"]
    command = error["hint"].partition("fractions of the boxes: ")[2].partition(", and convert")[0]
    assert shell(command, tmp_path).code == 0
    done = convert_json(
        "list-fractions.csv", "out", "--box-unit", "fractions", "--splits", "train=1", cwd=tmp_path
    )
    assert (done["exit_code"], done["records"]) == (0, 5)
    by_name = records(tmp_path / "out")
    assert boxes_of(by_name.pop("9.png")) == []
    for record in by_name.values():
        ((label, corners),) = boxes_of(record)
        assert (label, corners) == ("cat", pytest.approx([end * scale for end in (8, 10, 16, 20)]))
    without = error["hint"].partition("leave these columns out: ")[2].partition("; --box-unit")[0]
    assert bool(without) == (scale == 1)
    if without:
        assert shell(without, tmp_path).code == 0
        with (tmp_path / "list-unsized.csv").open(newline="") as file:
            assert next(csv.reader(file)) == HEADER.strip().split(",")[:6]
    rejected = convert_json("list.csv", "rejected", "--box-unit", "pixels", cwd=tmp_path)
    assert json.dumps(rejected).count("other_size") >= 1


def test_fractions_of_squashed_files_are_taken_without_the_sizes(tmp_path: Path) -> None:
    photos(tmp_path, *(f"{number}.png" for number in range(4)))
    rows = "".join(f"{number},cat,0.1,0.25,0.2,1,{w},{h}\n" for number, (w, h) in enumerate(SIZES))
    (tmp_path / "list.csv").write_text(f"{HEADER}{rows}")
    error = convert_json("list.csv", "out", cwd=tmp_path)["error"]
    command = error["hint"].partition("where files were squashed, leave these columns out: ")[2]
    assert shell(command, tmp_path).code == 0
    done = convert_json("list-unsized.csv", "out", "--splits", "train=1", cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 4)
    assert boxes_of(records(tmp_path / "out")["0.png"]) == [("cat", pytest.approx((8, 10, 16, 40)))]


GOOD = {
    "of the same shape": [(320, 160), (640, 320), (160, 80)],
    "their own": [(80, 40)] * 3,
    "two images": [(60, 80), (80, 80)],
}


@pytest.mark.parametrize("sizes", GOOD.values(), ids=GOOD)
def test_other_lists_with_sizes_are_not_refused(sizes: list[tuple[int, int]], tmp_path: Path) -> None:
    listed(tmp_path, 1, sizes)
    done = convert_json("list.csv", "out", cwd=tmp_path)
    assert done["records"] == (0 if len(sizes) == 2 else 3)
    assert "error" not in done or done["error"] is None
