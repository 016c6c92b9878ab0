"""Sides of boxes as keys of JSON Lines, beside image and label, get a command for a CSV of them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from boxing import boxes_of, photos, records
from converting import shell, tfrec

CORNERS, EXTENT = (8, 4, 40, 20), (8, 4, 32, 16)
SIDES = {
    "German": ("links oben rechts unten", CORNERS),
    "axes": ("X links,Y oben,X rechts,Y unten", CORNERS),
    "axes alone": ("xg yh xd yb", CORNERS),
    "rows": ("min_col min_row max_col max_row", CORNERS),
    "rows and an extent": ("col row width height", EXTENT),
    "known": ("xmin ymin xmax ymax", CORNERS),
    "numbered": ("x1 y1 x2 y2", CORNERS),
    "an extent": ("x y width height", EXTENT),
}


def lines(names: str, numbers: tuple[int, ...], *, is_array: bool) -> str:
    keys = names.split("," if "," in names else " ")
    rows: list[dict[str, Any]] = [
        {"image": "a.png", "label": label, **dict(zip(keys, (n - i, *map(float, rest)), strict=True))}
        for i, label in enumerate("abcde")
        for n, *rest in [numbers]
    ]
    rows.append({"image": "b.png", "label": None, **dict.fromkeys(keys)})
    return json.dumps(rows) if is_array else "".join(f"{json.dumps(row)}\n" for row in rows)


@pytest.mark.parametrize("is_array", [False, True])
@pytest.mark.parametrize(("names", "numbers"), SIDES.values(), ids=SIDES)
def test_sides_of_boxes_in_lines_get_a_command_for_a_csv(
    names: str, numbers: tuple[int, ...], is_array: bool, tmp_path: Path
) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    text = lines(names, numbers, is_array=is_array)
    (folder / "list.jsonl").write_text(text)
    told = tfrec("convert", "list.jsonl", "../out", cwd=folder).err
    code = shlex.split(told[told.index("python -c") :])[2]
    assert shell(f"python -c {shlex.quote(code)}", folder).code == 0
    (made,) = folder.glob("*.csv")
    done = tfrec("convert", made.name, "../out", "--splits", "train=1", cwd=folder)
    assert done.code == 0, done.err
    found = records(tmp_path / "out")
    end = 0 if numbers == CORNERS else 1
    wanted = [(label, (8 - i, 4, 40 - end * i, 20)) for i, label in enumerate("abcde")]
    assert sorted(boxes_of(found["a.png"])) == [(label, pytest.approx(box)) for label, box in wanted]
    assert boxes_of(found["b.png"]) == []
    options = ("--task", "classification", "--unlabelled", "skip", "--multi-label", "--splits", "train=1")
    assert tfrec("convert", "list.jsonl", "../whole", *options, cwd=folder).code == 0


NO_SIDES = {
    "sizes of images": {"width": 80, "height": 40},
    "words": {"links": "ja", "oben": "nein", "rechts": "ja", "unten": "nein"},
    "flags": {"left": 0, "top": 1, "right": 1, "bottom": 0},
    "a point": {"x": 3, "y": 4},
    "no numbers": {"x1": None, "y1": None, "x2": None, "y2": None},
    "asked for": {"x": 1, "y": 2, "w": 3, "h": 4},
    "plants": {"row": 3, "col": 9, "height": 4.5, "width": 2.5},
}


@pytest.mark.parametrize("case", NO_SIDES)
def test_other_keys_beside_labels_are_no_sides(case: str, tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    rows = [{"image": f"{name}.png", "label": name, **NO_SIDES[case]} for name in "ab"]
    (folder / "list.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    options = ("--features", "x:int,y:int,w:int,h:int") if case == "asked for" else ()
    done = tfrec("convert", "list.jsonl", "../out", "--splits", "train=1", *options, cwd=folder)
    assert done.code == 0, done.err
    assert len(records(tmp_path / "out")) == 2
