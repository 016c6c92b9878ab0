"""Lists with a row for each image in each fold: the rows of one are taken by the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from converting import convert_json, jpeg, shell

_ROWS = [("a", "train", "test"), ("b", "train", "train"), ("c", "test", "train"), ("d", "train", "train")]


@pytest.mark.parametrize(("column", "is_told"), [("fold", True), ("k_fold", True), ("scale", False)])
def test_the_rows_of_one_fold_are_taken(column: str, is_told: bool, tmp_path: Path) -> None:
    for number, (name, *_) in enumerate(_ROWS):
        (tmp_path / f"{name}.jpg").write_bytes(jpeg(number))
    rows = [f"{i},{splits[i - 1]},{name}.jpg,{name}" for i in (1, 2) for name, *splits in _ROWS]
    (tmp_path / "l.csv").write_text("\n".join([f"{column},grp,filename,of", *rows, ""]))
    columns = ("--columns", "image_uri=filename,label=of,split=grp", "--label-type", "name")
    done = convert_json("l.csv", "out", *columns, "--max-rejects", "99", "--dry-run", cwd=tmp_path)
    told = [each for each in done["warnings"] if "in another split than others do" in each]
    assert len(told) == is_told
    for each in told:
        command, then = each.partition("those of one: ")[2].split(", then ")
        assert shell(command, tmp_path).code == 0
        words = then.replace("OUTPUT_DIR", "out").split()[2:]
        one = convert_json(*words, "--label-type", "name", cwd=tmp_path)
        splits = {split: part["records"] for split, part in one["splits"].items() if part["records"]}
        assert (one["records"], one["rejected"], splits) == (4, 0, {"train": 3, "test": 1})


def test_each_image_in_one_fold_is_told_of_nothing(tmp_path: Path) -> None:
    rows = []
    for number, (name, split, _) in enumerate(_ROWS):
        (tmp_path / f"{name}.jpg").write_bytes(jpeg(number))
        rows.append(f"{number},{split},{name}.jpg,{name}")
    (tmp_path / "l.csv").write_text("\n".join(["fold,split,image,label", *rows, ""]))
    done = convert_json("l.csv", "out", "--label-type", "name", "--dry-run", cwd=tmp_path)
    assert not any("fold" in each for each in done["warnings"])
