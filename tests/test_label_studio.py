"""Label Studio's exports: one annotation an image, turned rectangles, images as the files here are called."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any, Final

import pytest
from boxing import boxes_of, photos, records
from converting import shell, tfrec

SIZES: Final = {"original_width": 160, "original_height": 80}  # photos here are half as large
# Percents of 160 x 80, of which the second is turned about its corner and ends left of it.
PLAIN: Final = {"x": 10, "y": 10, "width": 40, "height": 40, "rotation": 0, "rectanglelabels": ["cat"]}
TURNED: Final = {"x": 50, "y": 10, "width": 40, "height": 10, "rotation": 90, "rectanglelabels": ["dog"]}
OUTLINE: Final = {"points": [[10, 10], [50, 10], [30, 50]], "polygonlabels": ["cat"]}
CAT: Final = ("cat", (8.0, 4.0, 40.0, 20.0))
DOG: Final = ("dog", (36.0, 4.0, 40.0, 36.0))
# What is stored of images: of `c` the first annotation, though another stands before it; nothing is in `d`.
STORED: Final = {"a.png": [CAT, DOG], "b c.png": [CAT], "c.png": [CAT], "d.png": []}
ANNOTATIONS: Final = (
    ("a.png", 1, [PLAIN, TURNED]),
    ("b c.png", 2, [OUTLINE]),
    ("c.png", 10, [TURNED]),
    ("c.png", 9, [PLAIN]),
    ("d.png", 4, []),
    ("e.png", None, []),
)
NAMES: Final = {
    "uploads that kept their names": ("/data/upload/3/1a2b3c4d-%s", "up/1a2b3c4d-%s"),
    "uploads": ("/data/upload/3/1a2b3c4d-%s", "%s"),
    "files that it serves": ("/data/local-files/?d=photos/%s", "photos/%s"),
}


def _json(form: str) -> str:
    tasks: dict[str, list[Any]] = {}
    for name, number, values in ANNOTATIONS:
        result = [{**SIZES, "value": v, "from_name": "label", "to_name": "image"} for v in values]
        told = {"id": number, "was_cancelled": number is None, "result": result}
        tasks.setdefault(form % name, []).append(told)
    return json.dumps([{"id": 1, "annotations": v, "data": {"image": k}} for k, v in tasks.items()])


def _rows(form: str) -> list[dict[str, Any]]:
    return [
        {"image": form % name, "annotation_id": number, "label": [{**v, **SIZES} for v in values]}
        for name, number, values in ANNOTATIONS
    ]


def _csv(form: str) -> str:
    text = io.StringIO()
    written = csv.DictWriter(text, ["image", "annotation_id", "label"])
    written.writeheader()
    written.writerows({**row, "label": json.dumps(row["label"])} for row in _rows(form))
    return text.getvalue()


def _followed(folder: Path, name: str, text: str) -> str:
    """Converts as the message says, and gives what the command that makes the list told."""
    (folder / name).write_text(text, encoding="utf-8")
    refused = tfrec("convert", name, "out", cwd=folder)
    assert refused.code == 2, refused
    command, _, then = refused.err.partition("make a CSV of it: ")[2].partition("; then: ")
    made = shell(command, folder)
    assert made.code == 0, made
    done = shell(then.partition("; or export")[0].strip().replace("OUTPUT_DIR", "out"), folder)
    assert done.code == 0, done
    return made.err


@pytest.mark.parametrize("kind", ["json", "min", "csv"])
@pytest.mark.parametrize(("listed", "there"), NAMES.values(), ids=NAMES)
def test_an_annotation_of_each_image_is_stored(kind: str, listed: str, there: str, tmp_path: Path) -> None:
    photos(tmp_path, *(there % name for name in STORED))
    texts = {"json": _json(listed), "min": json.dumps(_rows(listed)), "csv": _csv(listed)}
    told = _followed(tmp_path, "list.csv" if kind == "csv" else "list.json", texts[kind])
    assert "1 without an annotation left out" in told
    assert "1 images have several annotations: the ground truth is taken, else the first by its id" in told
    found = {name: boxes_of(values) for name, values in records(tmp_path / "out").items()}
    assert found == {there % name: boxes for name, boxes in STORED.items()}


def test_the_ground_truth_comes_before_other_annotations(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    told = [
        {"id": number, "ground_truth": number == 2, "result": [{**SIZES, "value": v, "from_name": "label"}]}
        for number, v in enumerate((PLAIN, TURNED), 1)
    ]
    _followed(tmp_path, "list.json", json.dumps([{"annotations": told, "data": {"image": "a.png"}}]))
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [DOG]


@pytest.mark.parametrize("several", [False, True])
def test_choices_are_labels(several: bool, tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    choices = [["cat"], ["dog", "cat"] if several else ["dog"]]
    tasks = [
        {"annotations": [{"id": 1, "result": [{"value": {"choices": c}, "from_name": "kind"}]}], "data": data}
        for data, c in zip(({"image": "a.png"}, {"image": "b.png"}), choices, strict=True)
    ]
    assert _followed(tmp_path, "list.json", json.dumps(tasks)) == ""
    found = records(tmp_path / "out")
    assert [sorted(values["image/class/text"]) for _, values in sorted(found.items())] == [
        sorted(map(str.encode, c)) for c in choices
    ]


@pytest.mark.parametrize(
    ("value", "told"),
    [({"format": "rle", "rle": [1], "brushlabels": ["cat"]}, "no box: "), ({}, "no boxes, and no choices")],
)
def test_what_is_no_box_is_told(value: dict[str, Any], told: str, tmp_path: Path) -> None:
    tasks = [{"annotations": [{"id": 1, "result": [{"value": value, "from_name": "k"}]}],
              "data": {"image": "a.png"}}]  # fmt: skip
    (tmp_path / "list.json").write_text(json.dumps(tasks), encoding="utf-8")
    refused = tfrec("convert", "list.json", "out", cwd=tmp_path)
    made = shell(refused.err.partition("make a CSV of it: ")[2].partition("; then: ")[0], tmp_path)
    assert made.code
    assert told in made.err


def test_a_project_without_images_has_no_command(tmp_path: Path) -> None:
    tasks = [{"annotations": [{"id": 1, "result": []}], "data": {"text": "a word"}}]
    (tmp_path / "list.json").write_text(json.dumps(tasks), encoding="utf-8")
    refused = tfrec("convert", "list.json", "out", cwd=tmp_path).err
    assert "export of Label Studio" in refused
    assert "make a CSV" not in refused
