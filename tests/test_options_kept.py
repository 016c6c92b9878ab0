"""A proposed command is not to lose what the user asked for: the options that it leaves out are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos, write
from converting import convert_json

BEHIND = "; your other options, where they still fit: "
OBJECT = "[{'xmin': 8, 'ymin': 4, 'xmax': 40, 'ymax': 20}]"
TEXTS = f'image,label,objects\na.png,cat,"{OBJECT}"\nb.png,dog,"{OBJECT}"\n'


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((), ""),
        (("--workers", "1", "--delimiter", ","), ""),
        (("--max-side", "32", "--num-shards", "train=2"), "--max-side 32 --num-shards train=2"),
        (("--split-by", "my column"), ""),
        (("--admit", "dc_range"), "--admit dc_range"),
        (("--exif", "keep", "--stratify"), "--exif keep"),
    ],
)
def test_options_that_a_proposed_command_leaves_out_are_named(
    given: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, TEXTS)
    hint = convert_json("list.csv", "out", *given, cwd=tmp_path)["error"]["hint"]
    assert "; then: tfrec convert " in hint
    assert hint.partition(BEHIND)[2] == named


def test_options_of_a_proposed_command_are_not_named_again(tmp_path: Path) -> None:
    photos(tmp_path / "photos", "a.png", "b.png")
    write(tmp_path, TEXTS)
    given = ("--image-root", "photos", "--task", "detection", "--exif", "keep")
    hint = convert_json("list.csv", "out", *given, cwd=tmp_path)["error"]["hint"]
    assert "OUTPUT_DIR --task detection --image-root photos" in hint
    assert hint.partition(BEHIND)[2] == "--exif keep"


def test_hints_without_a_command_name_none(tmp_path: Path) -> None:
    write(tmp_path, "", "empty.csv")
    assert BEHIND not in convert_json("empty.csv", "out", "--exif", "keep", cwd=tmp_path)["error"]["hint"]
