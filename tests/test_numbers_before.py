"""Several numbers before the image of each row: nothing says which is the label, and points are none."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, manifest, shell

IMAGES = ("a.png", "7 b c.png")
# name -> (text, how many numbers stand before each image)
SEVERAL = {
    "two": ("\ufeff1 5 a.png\r\n2  6 7 b c.png\r\n", 2),
    "points": ("".join(f"{'1.5 ' * 196}{image}\n" for image in IMAGES), 196),
    "a face without its box": (
        "".join(f"{'1.5 ' * 196}9 9 3 4 {'0 ' * 6}{image}\n" for image in IMAGES),
        206,
    ),
}


@pytest.mark.parametrize(("text", "count"), SEVERAL.values(), ids=SEVERAL)
def test_the_user_says_which_of_several_numbers_is_the_label(text: str, count: int, tmp_path: Path) -> None:
    photos(tmp_path, *IMAGES)
    (tmp_path / "list.txt").write_text(text, newline="")
    error = convert_json("list.txt", "out", cwd=tmp_path)["error"]
    assert f"its rows have {count} numbers and then an image" in error["message"]
    assert ("points, as of faces, are not stored" in error["hint"]) == (count > 2)
    one, alone = (part.partition(" > list-as-csv.csv")[0] for part in error["hint"].split("of it: ")[1:])
    told = shell(one, tmp_path)
    assert (told.code, told.err) == (1, f"n: 1 to {count}\n")
    made = shell(one.replace("NUMBER", "2"), tmp_path).out.splitlines()
    second = [line.split()[1] for line in text.splitlines()]
    assert [*csv.reader(made)] == [["image", "label"], *map(list, zip(IMAGES, second, strict=True))]
    (tmp_path / "alone.csv").write_text(shell(alone, tmp_path).out)
    convert_json("alone.csv", "out", "--unlabelled", "keep", cwd=tmp_path)
    assert manifest(tmp_path / "out")["records"] == 2


def test_one_number_before_images_whose_names_begin_with_one_is_told_as_one(tmp_path: Path) -> None:
    photos(tmp_path, "7 b.png", "8 c.png")
    (tmp_path / "list.txt").write_text("1 7 b.png\n0 8 c.png\n")
    told = convert_json("list.txt", "out", cwd=tmp_path)["error"]["message"]
    assert told == "list.txt: its rows have a number, a blank and an image, in this order"
