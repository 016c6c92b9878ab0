"""Documents in JSON that hold images beside other things: the command of the message makes the right list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from boxing import photos, records
from converting import convert_json, shell
from following import OF_NO_BOXES, proposals

NAMES = ["bolt", "nut"]
LABELS = {"a.png": 0, "b.png": 1, "c.png": 1, "d.png": 0}
SPLITS = {"a.png": "train", "b.png": "train", "c.png": "train", "d.png": "val"}
ROWS = [{"file": name, "subset": SPLITS[name], "label": label} for name, label in LABELS.items()]
BY_SPLIT = {word: [name for name in LABELS if SPLITS[name] == word] for word in ("train", "val")}
INFO = {"n": 4, "authors": ["A", "B"]}
BOX = {"x0": 8, "y0": 4, "x1": 40, "y1": 20}
BY_NAME = {n: {"subset": SPLITS[n], "hw": [48, 64], "objs": [{"cls": c, **BOX}]} for n, c in LABELS.items()}

WITH_LABELS: dict[str, Any] = {
    "an array": {"classes": NAMES, "samples": ROWS},
    "an array called images": {"classes": NAMES, "images": ROWS},
    "an array beside categories": {"categories": NAMES, "images": ROWS},
    "an object beside categories": {"categories": {"0": "bolt", "1": "nut"}, "images": LABELS},
    "items beside categories": {"categories": {"0": "bolt", "1": "nut"}, "items": ROWS, "info": INFO},
    "annotations alone": {"categories": NAMES, "annotations": ROWS},
    "names behind": {"images": ROWS, "info": INFO, "meta": {"class_list": NAMES}},
    "names by number": {"id2label": {"0": "bolt", "1": "nut"}, "data": ROWS},
    "numbers by name": {"class_to_idx": {"bolt": 0, "nut": 1}, "data": ROWS},
    "numbers from 1": {"classes": NAMES, "data": [{**row, "label": row["label"] + 1} for row in ROWS]},  # type: ignore[operator]
    "objects with ids": {
        "classes": [{"id": 1, "name": "nut"}, {"id": 0, "name": "bolt"}],
        "data": {row["file"]: {"label": row["label"], "split": row["subset"]} for row in ROWS},
    },
    "images called as labels": {"labels": LABELS, "class_names": NAMES},
    "pairs by split": {"info": INFO, "classes": NAMES}
    | {word: [[name, LABELS[name]] for name in names] for word, names in BY_SPLIT.items()},
    "numbers and names by split": {
        word: [[name, LABELS[name], NAMES[LABELS[name]]] for name in names]
        for word, names in BY_SPLIT.items()
    },
    "by split under a key": {
        "classes": NAMES,
        "splits": {word: {name: LABELS[name] for name in names} for word, names in BY_SPLIT.items()},
    },
    "an array for each split": {"info": INFO}
    | {word: [{"path": n, "label": NAMES[LABELS[n]]} for n in names] for word, names in BY_SPLIT.items()},
    "by class": {"classes": NAMES, "files": {"0": ["a.png", "d.png"], "1": ["b.png", "c.png"]}},
    "columns": {"classes": NAMES, "data": {key: [row[key] for row in ROWS] for key in ROWS[0]}},
    "a key of another name": {
        "classes": NAMES,
        "images": [{"img": name, "kind": label, "id": 7} for name, label in LABELS.items()],
    },
    "a document that is cut": {"images": [{**row, "note": "x" * 9000} for row in ROWS], "classes": NAMES},
}
WITH_BOXES: dict[str, Any] = {
    "by name": {"created": "2024-02-11", "classes": NAMES, "frames": BY_NAME},
    "by name, called images": {"classes": NAMES, "images": BY_NAME},
    "by split": {
        "classes": NAMES,
        **{word: {name: BY_NAME[name] for name in names} for word, names in BY_SPLIT.items()},
    },
    "items with annotations": {
        "categories": NAMES,
        "items": [
            {"file": name, "annotations": [{"tag": label, "bbox": [8, 4, 32, 16]}]}
            for name, label in LABELS.items()
        ],
    },
    "keys as of VIA": {
        "info": INFO,
        "classes": NAMES,
        "samples": [{"filename": name, "regions": [{"cls": label, **BOX}]} for name, label in LABELS.items()],
    },
    "boxes alone": {"classes": NAMES, "boxes": {name: told["objs"] for name, told in BY_NAME.items()}},
    "arrays with numbers of classes": {
        "classes": NAMES,
        "frames": [{"file": name, "boxes": [[8, 4, 40, 20, label]]} for name, label in LABELS.items()],
    },
    "boxes beside labels": {
        "classes": NAMES,
        "samples": [{"path": n, "boxes": [[8, 4, 40, 20]], "labels": [label]} for n, label in LABELS.items()],
    },
}


@pytest.mark.parametrize("document", WITH_LABELS.values(), ids=WITH_LABELS)
def test_labels_of_a_document_become_lines(document: Any, tmp_path: Path) -> None:
    found = _followed(document, tmp_path)
    texts = {name: values["image/class/text"] for name, values in found.items()}
    assert texts == {name: [NAMES[label].encode()] for name, label in LABELS.items()}


@pytest.mark.parametrize("document", WITH_BOXES.values(), ids=WITH_BOXES)
def test_boxes_of_a_document_become_lines(document: Any, tmp_path: Path) -> None:
    found = _followed(document, tmp_path)
    assert found.keys() == LABELS.keys()
    for name, values in found.items():
        assert values["image/object/class/text"] == [NAMES[LABELS[name]].encode()]
        assert [values[f"image/object/bbox/{side}"][0] for side in ("xmin", "ymax")] == pytest.approx(
            [8 / 80, 20 / 40], abs=0.01
        )


def _followed(document: Any, folder: Path) -> dict[str, Any]:
    """The records by image after what the messages propose first."""
    (photos(folder, *LABELS) / "list.json").write_text(json.dumps(document))
    source, options = "list.json", list[str]()
    for _ in range(4):
        done = convert_json(source, "out", *options, cwd=folder)
        if not done["error"]:
            has_splits = any(word in json.dumps(document) for word in ('"subset"', '"split"', '"val"'))
            assert not has_splits or done["splits"]["validation"]["records"] == 1
            return records(folder / "out")
        told = f"{done['error']['message']}\n{done['error'].get('hint', '')}"
        first = next(proposals(told, OF_NO_BOXES))
        if first.command:
            assert shell(first.command, folder).code == 0
            source = first.made[0]
        options += [word for option in first.options for word in option]
    raise AssertionError(told)


def test_numbers_that_do_not_fit_the_names_stop_the_command(tmp_path: Path) -> None:
    rows = [{**row, "label": 5} for row in ROWS]
    (photos(tmp_path, *LABELS) / "list.json").write_text(json.dumps({"classes": NAMES, "data": rows}))
    told = convert_json("list.json", "out", cwd=tmp_path)["error"]["hint"]
    ran = shell(next(proposals(told, OF_NO_BOXES)).command, tmp_path)
    assert ran.code == 1
    assert "numbers of classes: {5}" in ran.err


def test_images_that_another_array_may_tell_of_get_no_command(tmp_path: Path) -> None:
    images = [{"id": 1, "file": "a.png"}, {"id": 2, "file": "b.png"}]
    beside: tuple[dict[str, Any], ...] = ({"marks": [{"img": 1, "cls": 0}]}, {"marks": {"1": [0, 4]}})
    for other in beside:
        (photos(tmp_path, *LABELS) / "list.json").write_text(json.dumps({"frames": images, **other}))
        assert "python -c" not in convert_json("list.json", "out", cwd=tmp_path)["error"]["hint"]
