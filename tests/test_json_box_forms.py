"""Boxes in JSON in any form: each has a command that makes lines of them, read as they were drawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from boxing import CAT, DOG, boxes_of, photos, witnessed
from converting import convert_json, shell
from folder_lists import OF_NO_BOXES
from following import proposals

Box = dict[str, Any] | list[Any]
# a box of each form, of two corners and a label
FORMS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "sides": (lambda n, x, y, u, v: {"kind": n, "x1": x, "y1": y, "x2": u, "y2": v}, ()),
    "an extent": (lambda n, x, y, u, v: {"kind": n, "x": x, "y": y, "width": u - x, "height": v - y}, ()),
    "sides in an object": (
        lambda n, x, y, u, v: {"kind": n, "where": {"left": x, "top": y, "right": u, "bottom": v}},
        (),
    ),
    "an array in it": (lambda n, x, y, u, v: {"bbox": [x, y, u - x, v - y], "tag": n}, ()),
    "corners in it": (lambda n, x, y, u, v: {"rect": [x, y, u, v], "tag": n}, ("--box-format", "xyxy")),
    "arrays": (lambda n, x, y, u, v: [x, y, u - x, v - y, n], ("--box-format", "xywh")),
    "the label first": (lambda n, x, y, u, v: [n, x, y, u, v], ("--box-format", "xyxy")),
    "points": (lambda n, x, y, u, v: {"name": n, "p1": [x, y], "p2": [u, v]}, ()),
}


@pytest.mark.parametrize("kind", ["array", "lines", "under a key"])
@pytest.mark.parametrize("key", ["regions", "annotations", "labels", "objects"])
@pytest.mark.parametrize("form", FORMS)
def test_boxes_of_any_form_have_a_command(form: str, key: str, kind: str, tmp_path: Path, tf: Any) -> None:
    write, options = FORMS[form]
    if form == "points" and key == "labels":
        key = "boxes"  # two points under another name may be a line
    boxes = [write(label, *map(int, corners)) for label, corners in (CAT, DOG)]
    rows = [{"image": "a.jpg", key: boxes}, {"image": "b.jpg", key: []}]
    if key == "objects" and form == "an array in it":
        rows = [{"image": "a.jpg", key: [{**box, "shape": "round"} for box in boxes]}, rows[1]]
    photos(tmp_path, "a.jpg", "b.jpg")
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    document: object = {"photos": rows, "version": 1} if kind == "under a key" else rows
    (tmp_path / "list.json").write_text(text if kind == "lines" else json.dumps(document), encoding="utf-8")
    sources: tuple[str, ...] = ("list.json",)
    for _ in range(3):  # lines of an array under a key are made first
        done = convert_json(*sources, "out", *options, "--splits", "train=1", cwd=tmp_path)
        if not done["error"]:
            break
        first = next(proposals(f"{done['error']['message']}\n{done['error']['hint']}", OF_NO_BOXES))
        assert first.command, done["error"]
        assert shell(first.command, tmp_path).code == 0
        sources = first.made or sources
    found = witnessed(tf, tmp_path / "out")
    assert boxes_of(found["a.jpg"]) == sorted((CAT, DOG))
    assert boxes_of(found["b.jpg"]) == []


@pytest.mark.parametrize(
    "row",
    [
        {"image": "a.jpg", "label": "cat", "regions": [{"tag": "ear", "x1": 1, "y1": 2, "x2": 9, "y2": 9}]},
        {"image": "a.jpg", "label": "cat", "sizes": [{"name": "s", "w": 3, "h": 4}]},
        {"image": "a.jpg", "labels": ["cat"], "notes": [["by", 1, 2, 3, 4]]},
    ],
)
def test_labels_of_whole_images_stay_labels(row: dict[str, Any], tmp_path: Path) -> None:
    photos(tmp_path, "a.jpg")
    (tmp_path / "list.jsonl").write_text(json.dumps(row), encoding="utf-8")
    done = convert_json(tmp_path / "list.jsonl", tmp_path / "out")
    assert (done["exit_code"], done["num_labels"]) == (0, 1)
