"""Boxes and labels in arrays beside each other under keys that are not read: a way to both is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from boxing import are_boxes, photos, witnessed, write
from converting import convert_json
from following import OF_NO_BOXES, Person, follow

import tfrecordcli
from tfrecordcli.errors import InputError

BOXES = {
    "a.png": [("cat", (8, 4, 40, 20)), ("dog", (20, 10, 76, 36))],
    "b.png": [("dog", (2, 6, 30, 38))],
    "c.png": [],
}


def written(form: str, corners: tuple[int, int, int, int]) -> list[float]:
    left, top, right, bottom = corners
    if form == "center_xywh":
        return [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top]
    return [left, top, right - left, bottom - top] if form == "xywh" else [*corners]


@pytest.mark.parametrize("are_lines", [True, False])
@pytest.mark.parametrize(
    ("image", "boxes", "labels", "form"),
    [
        ("image", "gt_boxes", "labels", "xyxy"),
        ("image", "boxes", "cls", "xyxy"),
        ("frame", "boxes_cxcywh", "cls", "center_xywh"),
        ("file_name", "dets_xyxy", "gt_classes", "xyxy"),
        ("image", "bboxes", "names", "xywh"),
    ],
)
def test_no_boxes_are_lost(
    image: str, boxes: str, labels: str, form: str, are_lines: bool, tmp_path: Path, tf: Any
) -> None:
    photos(tmp_path, *BOXES)
    rows = [
        {
            image: name,
            "camera": 7,
            boxes: [written(form, corners) for _, corners in found],
            labels: [label for label, _ in found],
        }
        for name, found in BOXES.items()
    ]
    text = "".join(f"{json.dumps(row)}\n" for row in rows) if are_lines else json.dumps(rows)
    write(tmp_path, text, "list.json")
    end = follow(Person(lambda done, output: _judged(tf, output), OF_NO_BOXES), tmp_path, ("list.json",))
    assert end.judgement == "right", end


@pytest.mark.parametrize("as_array", [True, False])
def test_a_frame_with_arrays_of_boxes_has_the_code_that_makes_a_row_of_each(
    as_array: bool, tmp_path: Path, tf: Any
) -> None:
    photos(tmp_path, *BOXES)
    boxes = [[corners for _, corners in found] for found in BOXES.values()]
    cells = [np.array(each, np.float32).reshape(-1, 4) for each in boxes] if as_array else boxes
    labels = [[label for label, _ in found] for found in BOXES.values()]
    frame = pd.DataFrame({"path": [tmp_path / name for name in BOXES], "bboxes": cells, "labels": labels})
    with pytest.raises(InputError) as refused:
        tfrecordcli.convert(frame, tmp_path / "out")
    code = refused.value.hint.partition("make a row of each box: ")[2].partition(" (")[0]
    names: dict[str, Any] = {"df": frame}
    exec(code, names)
    tfrecordcli.convert(names["df"], tmp_path / "out")
    found = {Path(name).name: values for name, values in witnessed(tf, tmp_path / "out").items()}
    assert found.keys() == BOXES.keys()
    assert all(are_boxes(values, BOXES[name]) for name, values in found.items())


def test_corners_in_another_order_are_not_proposed_as_corners(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    row = {"image": "a.png", "boxes": [[50, 20, 20, 16], [40, 18, 30, 10]], "labels": ["cat", "dog"]}
    write(tmp_path, json.dumps(row) + "\n", "list.jsonl")
    hint = convert_json("list.jsonl", "out", cwd=tmp_path)["error"]["hint"]
    assert "--box-format center_xywh: " in hint
    assert "--box-format xywh: " in hint
    assert "xyxy" not in hint


def test_a_frame_with_boxes_under_any_name_is_not_taken_for_labels(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    frame = pd.DataFrame({
        "image": [tmp_path / "a.png", tmp_path / "b.png"],
        "corners": [[[8, 4, 40, 20], [1, 2, 30, 20]], [[2, 6, 30, 38]]],
        "labels": [["cat", "dog"], ["dog"]],
    })  # fmt: skip
    with pytest.raises(InputError, match="boxes and their labels are in arrays"):
        tfrecordcli.convert(frame, tmp_path / "out")
    assert tfrecordcli.convert(frame, tmp_path / "out", task="classification").records == 2


def _judged(tf: Any, output: Path) -> str:
    found = witnessed(tf, output)
    are_right = found.keys() == BOXES.keys() and all(
        "image/object/bbox/xmin" in values and are_boxes(values, BOXES[name])
        for name, values in found.items()
    )
    return "right" if are_right else "wrong"


@pytest.mark.parametrize(
    "row",
    [
        {"labels": ["cat", "dog"], "colours": [[1, 2, 3, 255]]},
        {"labels": ["cat"], "palette": [[1, 2, 3]]},
        {"labels": ["cat"], "gt_boxes": []},
    ],
    ids=["fewer than labels", "three numbers", "none"],
)
def test_other_arrays_beside_labels_are_no_boxes(row: dict[str, object], tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    write(tmp_path, json.dumps({"image": "a.png", **row}) + "\n", "list.jsonl")
    assert convert_json("list.jsonl", "out", cwd=tmp_path)["records"] == 1
