"""Numbered columns that hold the labels of an image together are proposed together; others are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos, records
from converting import convert_json, shell

SECOND = ("poison", "", "fire", "", "water", "fire", "", "poison")
FIRST = ("grass", "fire", "water", "water", "grass", "poison", "poison", "fire")


def _table(header: str, *columns: tuple[str, ...]) -> str:
    rows = zip((f"a{i}.png" for i in range(8)), *columns, strict=True)
    return "\n".join([f"picture_of,{header}", *map(",".join, rows)])


def _hint(folder: Path, text: str) -> str:
    (folder / "list.csv").write_text(text)
    return str(convert_json("list.csv", "out", cwd=folder)["error"]["hint"])


@pytest.mark.parametrize("names", [("Type1", "Type2"), ("Type 1", "Type 2"), ("kind_1", "kind_2")])
def test_the_second_comes_behind_the_first_and_both_together(names: tuple[str, str], tmp_path: Path) -> None:
    photos(tmp_path, *(f"a{i}.png" for i in range(8)))
    hint = _hint(tmp_path, _table(",".join(names), FIRST, SECOND))
    assert hint.index(f"label={names[0]}") < hint.index(f"label={names[1]}")
    together = hint.partition(f"where {' and '.join(names)} are labels of an image together, ")[2]
    options = together.partition("; --task")[0]
    assert shell(f"tfrec convert list.csv out --splits train=1 {options}", tmp_path).code == 0
    found = records(tmp_path / "out")
    told = [{*found[f"a{i}.png"]["image/class/text"]} for i in range(8)]
    assert told == [{a.encode(), b.encode()} - {b""} for a, b in zip(FIRST, SECOND, strict=True)]


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        ("Type1,Type2", (FIRST, ("", "", "a", "b", "a", "b", "a", "b"))),  # finer classes
        ("Type1,Type2", (FIRST, ("poison", "poison", "fire", "fire", "water", "fire", "water", "poison"))),
        ("Type1,Type2", (FIRST, FIRST)),  # who agree
        ("Type1,Type2", (SECOND, FIRST)),  # the first is empty
        ("Type1,Type2", (tuple("12331223"), ("2", "", "1", "", "2", "1", "", "1"))),
        ("Type1,Kind2", (FIRST, SECOND)),
        ("Type2,Type3", (FIRST, SECOND)),
    ],
)
def test_other_columns_are_not_proposed_together(
    names: str, columns: tuple[tuple[str, ...], ...], tmp_path: Path
) -> None:
    assert "labels of an image together" not in _hint(tmp_path, _table(names, *columns))
