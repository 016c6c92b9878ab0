"""JSON with boxes under the names of their classes becomes records by the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from boxing import photos, write
from converting import tfrec
from test_csv_boxes_by_class import made_of, need_both

_BOTH = {"dog": [[16, 8, 80, 40]], "cat": [[8, 4, 40, 20]]}
BY_CLASS: dict[str, Any] = {
    "an object in images": [
        {"file": "a.png", "ts": 1714745000.5, "hits": _BOTH},
        {"file": "b.png", "ts": 1714745000.6, "hits": {}},
    ],
    "beside the classes": {
        "classes": ["cat", "dog"],
        "frames": [{"file": "a.png", "detections": _BOTH}, {"file": "b.png", "detections": []}],
    },
    "by their numbers": {
        "classes": ["cat", "dog"],
        "frames": [
            {"file": "a.png", "detections": {"1": _BOTH["dog"], "0": _BOTH["cat"]}},
            {"file": "b.png", "detections": {}},
        ],
    },
    "as objects": [
        {"image": "a.png", "annotations": {k: [{"xyxy": v[0]}] for k, v in _BOTH.items()}},
        {"image": "b.png", "annotations": {}},
    ],
    "one of each": [
        {"image": "a.png", "boxes": {k: v[0] for k, v in _BOTH.items()}},
        {"image": "b.png", "boxes": {}},
    ],
    "in images by name": {"a.png": _BOTH, "b.png": {}},
    "in images by id": {"a": _BOTH, "b": {}},
    "in the images": [{"file": "a.png", "width": 80, **_BOTH}, {"file": "b.png", "width": 80}],
    "beside an object of the image": [
        {"img": {"path": "a.png"}, "hits": _BOTH},
        {"img": {"path": "b.png"}, "hits": {"cat": []}},
    ],
}


CASES = [
    pytest.param(document, are_lines, id=f"{name}{' of lines' * are_lines}")
    for name, document in BY_CLASS.items()
    for are_lines in (False, True)[: 1 + isinstance(document, list)]
]


@pytest.mark.parametrize(("document", "are_lines"), CASES)
def test_json(document: Any, are_lines: bool, tmp_path: Path) -> None:
    text = "".join(json.dumps(row) + "\n" for row in document) if are_lines else json.dumps(document)
    write(photos(tmp_path, "a.png", "b.png"), text, "list.json")
    made = made_of("list.json", tmp_path)
    need_both(made if made.endswith("jsonl") else made_of(made, tmp_path), tmp_path)


def test_scores_make_predictions_of_them(tmp_path: Path) -> None:
    scored = {name: [[*boxes[0], 0.75]] for name, boxes in _BOTH.items()}
    rows = [{"file": "a.png", "found": scored}, {"file": "b.png", "found": {}}]
    write(photos(tmp_path, "a.png", "b.png"), json.dumps(rows), "list.json")
    made = made_of("list.json", tmp_path)
    refused = tfrec("convert", made, "out", "--box-format", "xyxy", cwd=tmp_path)
    assert (refused.code, "score" in refused.err) == (2, True)


@pytest.mark.parametrize("key", ["hits", "detections"])
def test_told_of_where_a_number_is_the_label(key: str, tmp_path: Path) -> None:
    rows = [{"file": "a.png", "ts": 5.5, key: _BOTH}, {"file": "b.png", "ts": 5.6, key: {}}]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    write(photos(tmp_path, "a.png", "b.png"), lines, "list.jsonl")
    words = ("--columns", "image_uri=file,label=ts", "--task", "regression", "--dry-run")
    done = tfrec("convert", "list.jsonl", "out", *words, cwd=tmp_path)
    assert f"boxes under {key} are passed over, for ts is the label of each image" in done.err
