"""A list without a header takes that of a list beside it that has one for its rows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest
from converting import convert_json, shell

from tfrecordcli.sources.proposals.headers_beside import header_beside_or

# The header, and a row by its number: AffectNet's, whose semicolons part nothing.
LISTS: Final = {
    "AffectNet": ("path,face_x,face_y,marks,expression,valence", "{i}.jpg,7,6,1.5;2.5;3.5,{i},0.25"),
    "semicolons": ("no;path;species;age", "{i};{i}.jpg;a cat;7"),
    "two numbers": ("image,valence,arousal,expression", "{i}.jpg,0.{i},0.5,{i}"),
}


def _write(folder: Path, header: str, row: str, encoding: str = "utf-8") -> list[str]:
    lines = [row.format(i=i) for i in range(6)]
    (folder / "training.csv").write_text("\n".join([header, *lines[:3]]), encoding=encoding)
    (folder / "validation.csv").write_text("\n".join(lines[3:]) + "\n", encoding=encoding)
    return lines[3:]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize(("header", "row"), LISTS.values(), ids=LISTS)
def test_the_header_of_the_list_beside(header: str, row: str, encoding: str, tmp_path: Path) -> None:
    lines = _write(tmp_path, header, row, encoding)
    (tmp_path / "other.csv").write_text("a,b,c\n1,2,3\n", encoding="utf-8")
    hint = convert_json("validation.csv", "out", cwd=tmp_path)["error"]["hint"]
    assert hint.startswith("training.csv has a header for such rows: make a CSV of it: ")
    command = hint.partition("make a CSV of it: ")[2].partition("; then: ")[0]
    assert shell(command, tmp_path).code == 0
    made = (tmp_path / "validation-as-csv.csv").read_text(encoding="utf-8-sig")
    assert made.splitlines() == [header, *lines]
    assert "\ufeff" not in made


@pytest.mark.parametrize(
    ("beside", "text"),
    [
        ("a.txt", "path,x,y,label\n1.jpg,2,3,4\n"),  # of another kind
        ("a.csv", "path,x,y\n1.jpg,2,3\n"),  # of other columns
        ("a.csv", "path,x,y,label\n1.jpg,2,3,cat\n"),
        ("a.csv", "0.jpg,2,3,4\n1.jpg,2,3,4\n"),  # no header
        ("a.csv", "\npath,x,y,label\n1.jpg,2,3,4\n"),  # which the command would not take
        ("a.csv", "path,x,y,label\r1.jpg,2,3,4\r"),
        ("a.csv", 'path,x,y,"the\nlabel"\n1.jpg,2,3,4\n'),
        ("a.csv", ""),
        ("a.csv", "path,x,y,label\n"),
    ],
)
def test_what_is_beside_has_no_header_for_it(beside: str, text: str, tmp_path: Path) -> None:
    (tmp_path / beside).write_text(text, encoding="utf-8")
    (tmp_path / "list.csv").write_text("5.jpg,6,7,8\n", encoding="utf-8")
    assert header_beside_or("write one", str(tmp_path / "list.csv")) == "write one"


@pytest.mark.parametrize("texts", [("a,b\n1,2\n", "3,4\n"), ("a,b,c\nx,y,z\n", "u,v,w\n")])
def test_few_columns_and_words_alone_tell_nothing(texts: tuple[str, str], tmp_path: Path) -> None:
    for name, text in zip(("a.csv", "list.csv"), texts, strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert header_beside_or("write one", str(tmp_path / "list.csv")) == "write one"


def test_what_is_beside_and_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    _write(tmp_path, *LISTS["semicolons"])
    os.mkfifo(tmp_path / "a.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "gone.csv")
    (tmp_path / "c.csv").write_bytes(b"\xff\x00" * 9)
    (tmp_path / "d.csv").mkdir()
    assert header_beside_or("write one", str(tmp_path / "validation.csv")).startswith("training.csv has")
    assert header_beside_or("", str(tmp_path / "validation.csv")) == ""
    assert header_beside_or("write one", "gs://none/x.csv") == "write one"
