"""Boxes beside angles: upright ones are written where no doubt is about the centre, degrees and pixels."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import boxes_of, photos, records, write
from converting import shell, tfrec

HINT = "leave the column angle out"


def test_upright_boxes_around_turned_ones_are_written(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(
        tmp_path,
        "image,label,cx,cy,w,h,angle\na.png,cat,20,20,16,8,90\na.png,cat,40,20,16,8,-180\nb.png,,,,,,\n",
    )
    told = tfrec("convert", "list.csv", "out", cwd=tmp_path).err
    assert shell(told.partition(f"{HINT}: ")[2].strip(), tmp_path).code == 0
    assert tfrec("convert", "list-boxes.csv", "out", cwd=tmp_path).code == 0
    found = {name: boxes_of(values) for name, values in records(tmp_path / "out").items()}
    assert found == {
        "a.png": [("cat", (16.0, 12.0, 24.0, 28.0)), ("cat", (32.0, 16.0, 48.0, 24.0))],
        "b.png": [],
    }


@pytest.mark.parametrize(
    ("columns", "box"),
    [
        ("x,y,w,h", "20,20,16,8,90"),  # about which corner, if any?
        ("cx,cy,w,h", "20,20,16,8,1.57"),  # these may be radians
        ("cx,cy,w,h", "0.5,0.5,0.2,0.2,90"),  # fractions, which are of other lengths across than down
    ],
    ids=["corners", "radians", "fractions"],
)
def test_no_command_is_guessed(columns: str, box: str, tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    write(tmp_path, f"image,label,{columns},angle\na.png,cat,{box}\na.png,cat,{box}\n")
    assert f"{HINT}\n" in tfrec("convert", "list.csv", "out", cwd=tmp_path).err
