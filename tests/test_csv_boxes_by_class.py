"""Columns of boxes as text, one for each class, become records by the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import CAT, DOG, boxes_of, convert, photos, records, write
from converting import shell, tfrec


def need_both(name: str, folder: Path) -> None:
    """What a command made asks for the form of boxes, and has those of both classes."""
    asked = tfrec("convert", name, "out", cwd=folder)
    assert (asked.code, "--box-format xyxy" in asked.err) == (2, True)
    assert convert(folder / name, folder / "out", box_format="xyxy").records == 2
    found = {image: boxes_of(record) for image, record in records(folder / "out").items()}
    assert found == {"a.png": [CAT, DOG], "b.png": []}


def made_of(name: str, folder: Path) -> str:
    """The list that the command makes of another one."""
    refused = tfrec("convert", name, "out", cwd=folder).err
    command, _, then = refused.partition("python -c ")[2].partition("; then: tfrec convert ")
    assert shell(f"python -c {command}", folder).code == 0
    return then.split()[0]


@pytest.mark.parametrize(
    "rows",
    [
        ['a.png,7,"[[16, 8, 80, 40]]","[[8, 4, 40, 20]]"', "b.png,8,,[]"],
        ['a.png,7,"[16, 8, 80, 40]","(8, 4, 40, 20)"', "b.png,8,,"],
        ['a.png,7,"[(16, 8, 80, 40)]","[8.0, 4.0, 40.0, 20.0]"', "b.png,8,[],"],
    ],
)
def test_lists_of_each_class(rows: list[str], tmp_path: Path) -> None:
    write(photos(tmp_path, "a.png", "b.png"), "\n".join(["file,site,dog,cat", *rows, ""]), "list.csv")
    assert "columns dog, cat hold boxes as text" in tfrec("convert", "list.csv", "out", cwd=tmp_path).err
    need_both(made_of("list.csv", tmp_path), tmp_path)


@pytest.mark.parametrize(
    "fields",
    [
        '"[[1, 2, 3, 4]]","[[1, 2], [3, 4]]"',  # outlines
        '"[0.1, 0.2, 0.3, 0.4]","[0.4, 0.3, 0.2, 0.1]"',
        '"[0, 1, 0, 0]","[0, 0, 1, 0]"',
        "\"['a', 'b']\",\"['c']\"",
    ],
)
def test_lists_of_something_else(fields: str, tmp_path: Path) -> None:
    write(photos(tmp_path, "a.png"), f"file,dog,cat\na.png,{fields}\n", "list.csv")
    assert "columns dog, cat hold boxes" not in tfrec("convert", "list.csv", "out", cwd=tmp_path).err


def test_numbered_columns_of_a_box_are_no_classes(tmp_path: Path) -> None:
    rows = 'file,b1,b2\na.png,"[8, 4, 40, 20]","[16, 8, 80, 40]"\n'
    write(photos(tmp_path, "a.png"), rows, "list.csv")
    assert "hold boxes" not in tfrec("convert", "list.csv", "out", cwd=tmp_path).err
