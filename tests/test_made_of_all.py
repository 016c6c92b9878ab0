"""Several lists that need the same command each: it is given for all of them, with what is converted then."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from boxing import photos, write
from converting import convert_json, manifest, shell


def rows(first: int, behind: str = "") -> str:
    return "".join(f"{at}.jpg, {at % 6 + 3}, {at % 3}{behind}\n" for at in range(first, first + 12))


TRAIN, VAL = rows(0), rows(12)
NUMBERS = {"train.txt": TRAIN, "sets/val.txt": VAL}
THEN = "; then: tfrec convert "


def converted(folder: Path, lists: dict[str, str], *sources: str) -> tuple[str, str]:
    """The command and what is to be converted then."""
    for name, text in lists.items():
        photos((folder / name).parent, *re.findall(r"[0-9]+[.]jpg", text))
        write((folder / name).parent, text, Path(name).name)
    hint = convert_json(*sources, "out", cwd=folder)["error"]["hint"]
    command, then, rest = hint.partition(" of each: ")[2].partition(THEN)
    assert then, hint
    return command, rest.partition(" OUTPUT_DIR")[0]


@pytest.mark.parametrize("lists", [NUMBERS, {"my a.txt": TRAIN, "-b.txt": VAL}])
def test_lists_that_need_the_same_command_have_it_for_all(lists: dict[str, str], tmp_path: Path) -> None:
    splits = ("train", "validation")
    sources = [f"{split}={name}" for split, name in zip(splits, lists, strict=True)]
    command, then = converted(tmp_path, lists, *sources)
    assert command.startswith("for f in ")
    assert shell(command, tmp_path).code == 0
    done = shell(f"tfrec convert {then} made --json", tmp_path).json
    assert {split: counts["records"] for split, counts in done["splits"].items()} == dict.fromkeys(splits, 12)
    assert [*manifest(tmp_path / "made")["labels"]] == [*"345678"]


def test_a_list_that_is_read_as_it_is_stays_beside_what_is_made(tmp_path: Path) -> None:
    lists = {**NUMBERS, "test.csv": "image,label\n24.jpg,3\n"}
    command, then = converted(tmp_path, lists, *lists)
    assert then == "train-as-csv.csv sets/val-as-csv.csv test.csv"
    assert re.fullmatch(r'for f in train.txt sets/val.txt; do .* > "\$\{f%\.\*\}-as-csv\.csv"; done', command)


@pytest.mark.parametrize(
    "other",
    ["image,label\n2.jpg,cat\n", rows(12, ", 5"), "# what is this\n2.jpg 5\n"],
    ids=["is read", "more numbers", "something else"],
)
def test_lists_that_need_no_or_another_command_have_each_their_own(other: str, tmp_path: Path) -> None:
    photos(tmp_path, *(f"{at}.jpg" for at in range(24)))
    write(tmp_path, TRAIN, "train.txt")
    write(tmp_path, other, "other.csv")
    hint = convert_json("train.txt", "other.csv", "out", cwd=tmp_path)["error"]["hint"]
    assert "make a CSV of it: (echo image,label,column_3; cat train.txt) > train-as-csv.csv" in hint


def test_the_task_and_the_folders_of_images_that_were_given_hold_for_what_is_made(tmp_path: Path) -> None:
    photos(tmp_path / "photos", "1.jpg", "2.jpg")
    write(tmp_path, "1.jpg 3.62\n", "train.txt")
    write(tmp_path, "2.jpg 1.75\n", "test.txt")
    given = ("--task", "regression", "--image-root", "train=photos", "--image-root", "photos")
    hint = convert_json("train=train.txt", "test=test.txt", "out", *given, cwd=tmp_path)["error"]["hint"]
    command, _, then = hint.partition(" of each: ")[2].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    done = shell(then.replace("OUTPUT_DIR", "made --json"), tmp_path).json
    assert {split: counts["records"] for split, counts in done["splits"].items()} == {"train": 1, "test": 1}
