"""Objects with boxes in the JSON file of each image become lines by the command, with splits of folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from boxing import boxes_of, examples_by_split, photos
from converting import convert_json, shell

_ITEMS = [
    {"bounding_box": [8, 4, 40, 20], "category_name": "cat", "category_id": 3, "landmarks": [1, 2, 2]},
    {"bounding_box": [16, 8, 80, 40], "category_name": "dog", "category_id": 1, "landmarks": [4, 5, 1]},
]
_SIDES = [
    {"kind": "cat", "region": {"left": 8, "top": 4, "right": 40, "bottom": 20}},
    {"kind": "dog", "region": {"left": 16, "top": 8, "right": 80, "bottom": 40}},
]
# Of what is inside other things, too; words of the whole photo are called tags.
_CHILDREN = [
    {"tags": ["occluded>10"], "x0": 8, "y0": 4, "x1": 40, "y1": 20, "identity": "cat", "children": []},
    {"tags": [], "x0": 16, "y0": 8, "x1": 80, "y1": 40, "identity": "dog", "children": []},
]
FORMS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    # DeepFashion2
    "apart": (
        {"source": "shop", "pair_id": 1, "item2": _ITEMS[1], "item1": _ITEMS[0]},
        {"source": "user", "pair_id": 2},
        ["--box-format", "xyxy"],
    ),
    # EuroCity Persons
    "beside words of the photo": (
        {"tags": ["rainy"], "children": _CHILDREN, "identity": "frame"},
        {"tags": [], "children": [], "identity": "frame"},
        [],
    ),
    "an array": ({"version": 2, "things": _SIDES}, {"version": 2, "things": []}, []),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("has_more", [False, True], ids=["", "beside a folder with another one in it"])
def test_objects_in_json_of_each_image(form: str, has_more: bool, tmp_path: Path) -> None:
    boxed, empty, options = FORMS[form]
    photos(tmp_path, *(f"set/{split}/image/{name}.png" for split in ("train", "validation") for name in "ab"))
    if has_more:
        photos(tmp_path, "set/test/test/image/c.png")
    for split in ("train", "validation"):
        (tmp_path / f"set/{split}/annos").mkdir()
        for name, fields in (("a", boxed), ("b", empty if split == "train" else [])):
            (tmp_path / f"set/{split}/annos/{name}.json").write_text(json.dumps(fields), encoding="utf-8")
    hint = convert_json("set", "out", cwd=tmp_path)["error"]["hint"]
    command = hint.partition("make a list of the JSON beside: ")[2].partition("; then: ")[0]
    assert shell(command, tmp_path).code == 0
    if options:
        asked = convert_json("set/list.jsonl", "out", cwd=tmp_path)
        assert "nothing says what the four numbers" in asked["error"]["message"]
    done = convert_json("set/list.jsonl", "out", *options, cwd=tmp_path)
    assert (done["exit_code"], done["records"], done["boxes"]["stored"]) == (0, 4, 4)
    found = {
        (split, v["image/filename"][0].decode()): boxes_of(v)
        for split, v in examples_by_split(tmp_path / "out")
    }
    cat, dog = ("cat", (8.0, 4.0, 40.0, 20.0)), ("dog", (16.0, 8.0, 80.0, 40.0))
    for split in ("train", "validation"):
        assert sorted(found[split, f"{split}/image/a.png"]) == [cat, dog]
        assert found[split, f"{split}/image/b.png"] == []


def test_an_object_without_a_label_is_no_background(tmp_path: Path) -> None:
    photos(tmp_path, "in/a.png", "in/b.png")
    for name, item in (("a", _ITEMS[0]), ("b", {"bounding_box": [8, 4, 40, 20]})):
        (tmp_path / f"in/{name}.json").write_text(json.dumps({"by": "x", "item": item}), encoding="utf-8")
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    command = hint.partition("make a list of the JSON beside: ")[2].partition("; then: ")[0]
    assert shell(command, tmp_path).code == 0
    done = convert_json("in/list.jsonl", "out", "--box-format", "xyxy", cwd=tmp_path)
    assert (done["records"], done["rejected"]) == (1, 1)
