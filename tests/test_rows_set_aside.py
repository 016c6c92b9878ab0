"""Rows that a column or key says were deleted are told of: they are converted as all others are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, shell, tfrec

_COUNT = 9


def _rows() -> list[tuple[str, str, bool]]:
    return [(f"{n}.png", "ab"[n % 2], n in (2, 5)) for n in range(_COUNT)]


@pytest.mark.parametrize("name", ["isDeleted", "is_deleted", "archived"])
@pytest.mark.parametrize(("yes", "no"), [("true", "false"), ("1", "0"), ("t", "f"), ("True", "")])
def test_rows_that_were_deleted_are_told_of_with_what_leaves_them_out(
    name: str, yes: str, no: str, tmp_path: Path
) -> None:
    photos(tmp_path, *(image for image, *_ in _rows()))
    rows = "".join(f"{image},{label},{yes if is_out else no}\n" for image, label, is_out in _rows())
    (tmp_path / "list.csv").write_text(f"image,label,{name}\n{rows}", encoding="utf-8")
    told = tfrec("convert", "list.csv", "out", cwd=tmp_path).err
    command = re.search(rf"{name} says yes in 2 rows .*leave them out: (python .*), and convert that", told)
    assert command, told
    assert shell(command[1], tmp_path).code == 0
    assert convert_json("list-kept.csv", "kept", cwd=tmp_path)["records"] == _COUNT - 2


@pytest.mark.parametrize("form", ["{}", '{{"meta": {}}}'])
def test_keys_that_say_so_are_told_of(form: str, tmp_path: Path) -> None:
    photos(tmp_path, *(image for image, *_ in _rows()))
    lines = [
        json.dumps(
            {"image": image, "label": label} | json.loads(form.format(json.dumps({"isDeleted": is_out})))
        )
        for image, label, is_out in _rows()
    ]
    (tmp_path / "list.jsonl").write_text("\n".join(lines), encoding="utf-8")
    told = tfrec("convert", "list.jsonl", "out", cwd=tmp_path).err
    assert re.search("isDeleted says yes of some images", told), told


@pytest.mark.parametrize(
    ("header", "word"),
    [("image,label,deleted", "0"), ("image,label,hidden", "layer"), ("image,label,is_dog", "1")],
)
def test_of_other_columns_nothing_is_said(header: str, word: str, tmp_path: Path) -> None:
    photos(tmp_path, *(image for image, *_ in _rows()))
    rows = "".join(f"{image},{label},{word if n else 0}\n" for n, (image, label, _) in enumerate(_rows()))
    (tmp_path / "list.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    assert "says yes in" not in tfrec("convert", "list.csv", "out", cwd=tmp_path).err
