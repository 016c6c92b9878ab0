"""Columns of boxes as text, one for each class, become records by the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import CAT, DOG, boxes_of, convert, photos, records, write
from converting import shell, tfrec

# What is said of columns in which no boxes are seen.
_NO_BOXES = "name the columns, as in --columns image_uri=file,label=NAME"


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
        ['a.png,7,"[016, 08, 80, 40]","[8, 4, 40, 20]"', "b.png,8,None,nan"],
        ['a.png,7,"[[16, 8, 80, 40],]","[8, 4, 40, 20]"', "b.png,8,N/A,<NA>"],
        ['a.png,7,"[16, 8, 80, 40]","[8, 4, 40, 20]"', r'b.png,8,\N,"[nan, nan, nan, nan]"'],
    ],
)
def test_lists_of_each_class(rows: list[str], tmp_path: Path) -> None:
    write(photos(tmp_path, "a.png", "b.png"), "\n".join(["file,site,dog,cat", *rows, ""]), "list.csv")
    assert "columns dog, cat hold boxes as text" in tfrec("convert", "list.csv", "out", cwd=tmp_path).err
    need_both(made_of("list.csv", tmp_path), tmp_path)


def test_other_text_among_lists_is_never_lost(tmp_path: Path) -> None:
    rows = 'file,dog,cat\na.png,"[16, 8, 80, 40]","[8, 4, 40, 20]"\n'
    path = write(photos(tmp_path, "a.png"), rows, "list.csv")
    refused = tfrec("convert", path, "out", cwd=tmp_path).err
    command = refused.partition("python -c ")[2].partition("; then: tfrec convert ")[0]
    write(tmp_path, rows + "a.png,two of them,[]\n", "list.csv")
    done = shell(f"python -c {command}", tmp_path)
    assert (done.code, "['two of them']" in done.err) == (1, True), done.err


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ('"[[1, 2, 3, 4]]","[[1, 2], [3, 4]]"', "column dog holds boxes as text"),  # beside outlines
        ('"[0.1, 0.2, 0.3, 0.4]","[0.4, 0.3, 0.2, 0.1]"', _NO_BOXES),
        ('"[0, 1, 0, 0]","[0, 0, 1, 0]"', _NO_BOXES),
        ("\"['a', 'b']\",\"['c']\"", _NO_BOXES),
    ],
)
def test_lists_of_something_else(fields: str, told: str, tmp_path: Path) -> None:
    write(photos(tmp_path, "a.png"), f"file,dog,cat\na.png,{fields}\n", "list.csv")
    refused = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert (refused.code, told in refused.err) == (2, True), refused.err
    assert "columns dog, cat hold boxes" not in refused.err


def test_numbered_columns_of_a_box_are_no_classes(tmp_path: Path) -> None:
    rows = 'file,b1,b2\na.png,"[8, 4, 40, 20]","[16, 8, 80, 40]"\n'
    write(photos(tmp_path, "a.png"), rows, "list.csv")
    refused = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert (refused.code, _NO_BOXES in refused.err) == (2, True), refused.err
    assert "hold boxes" not in refused.err
