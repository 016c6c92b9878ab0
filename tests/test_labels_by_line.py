"""Labels and nothing else, a line each, beside images that are numbered."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

import pytest
from converting import convert_json, jpeg, read_csv, shell

_WORDS: Final = [("cat", "wild boar", "dog")[i % 3] for i in range(12)]
_LISTS: Final = {
    "from 1": ([f"{i}.jpg" for i in range(1, 13)], _WORDS, True),
    "from 0, with zeros, in a folder": ([f"my imgs/it's_{i:03d}.jpg" for i in range(12)], _WORDS, True),
    "numbers of classes": ([f"{i}.jpg" for i in range(12)], list("371371371377"), True),
    "names of classes": ([f"{i}.jpg" for i in range(12)], [f"kind {i}" for i in range(12)], False),
    "a line less": ([f"{i}.jpg" for i in range(12)], _WORDS[1:], False),
    "a gap": ([f"{i}.jpg" for i in range(13) if i != 5], _WORDS, False),
    "two folders": ([f"{k}/{i}.jpg" for k in "ab" for i in range(12)], _WORDS, False),
    "another image": ([f"{i}.jpg" for i in range(11)] + ["map.jpg"], _WORDS, False),
}


@pytest.mark.parametrize(("images", "labels", "is_made"), _LISTS.values(), ids=_LISTS)
def test_labels_of_numbered_images_get_the_command_that_writes_these(
    images: list[str], labels: list[str], is_made: bool, tmp_path: Path
) -> None:
    for number, image in enumerate(images):
        (tmp_path / image).parent.mkdir(exist_ok=True)
        (tmp_path / image).write_bytes(jpeg(number))
    (tmp_path / "labels.txt").write_text("\n".join(labels) + "\n", encoding="utf-8")
    hint = convert_json("labels.txt", "out", cwd=tmp_path)["error"]["hint"]
    command = hint.partition(", in the order of their numbers ")[2].partition("make a CSV of it: ")[2]
    assert bool(command) == is_made, hint
    if is_made:
        assert shell(command, tmp_path).code == 0
        rows = read_csv(tmp_path / "labels-as-csv.csv")
        assert [(row["image"], row["label"]) for row in rows] == [*zip(images, labels, strict=True)]
        assert convert_json("labels-as-csv.csv", "out", "--dry-run", cwd=tmp_path)["records"] == 12


_PLACES: Final = [f"{20 + i / 7:.4f}{{0}}{-100 + i / 3:.4f}" for i in range(12)]
_NUMBERS: Final = {
    "two": ([each.format(",") for each in _PLACES], "target,column_2"),
    "two parted by blanks": ([each.format("  ") for each in _PLACES], "target,column_2"),
    "below names": (["lat,lng", *(each.format(",") for each in _PLACES)], "lat,lng"),
    "one": ([each.partition("{")[0] for each in _PLACES], "target"),
    "ids beside them": ([f"{i},{i / 2}" for i in range(12)], ""),
    "four": ([",".join(["8.5", each.format(","), "4.5"]) for each in _PLACES], ""),
    "rows of several lengths": ([*(each.format(",") for each in _PLACES[1:]), "1.5"], ""),
    "a line less": ([each.format(",") for each in _PLACES[1:]], ""),
}


@pytest.mark.parametrize(("lines", "names"), _NUMBERS.values(), ids=_NUMBERS)
def test_numbers_of_numbered_images_get_the_command_that_writes_these(
    lines: list[str], names: str, tmp_path: Path
) -> None:
    for number in range(12):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number))
    (tmp_path / "coords.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    hint = convert_json("coords.txt", "out", cwd=tmp_path)["error"]["hint"]
    command, _, then = hint.partition("make a CSV of it: ")[2].partition(", and convert that with ")
    assert bool(then) == bool(names), hint
    if names:
        assert shell(command, tmp_path).code == 0
        rows = read_csv(tmp_path / "coords-as-csv.csv")
        assert [*rows[0]] == ["image", *names.split(",")]
        assert [row["image"] for row in rows] == [f"{number}.jpg" for number in range(12)]
        assert rows[11][names.split(",")[0]] == "21.5714"
        options = shlex.split(then.partition(", with the names")[0])
        assert convert_json("coords-as-csv.csv", "out", "--dry-run", *options, cwd=tmp_path)["records"] == 12
