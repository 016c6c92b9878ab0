"""CreateML files: boxes by their middle, in both spellings; what cannot be read is a problem of its image."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from listing_json import DETECTION, problem_of, read_with, write_json

from tfrecordcli.errors import InputError
from tfrecordcli.sources.json.createml import read_createml
from tfrecordcli.sources.listed import ListedBox, ListedImage

COORDINATES = {"x": 10, "y": 20.5, "width": 4, "height": 3}
BOX = {"label": "big cat", "coordinates": COORDINATES}


def read(folder: Path, content: Any) -> list[ListedImage]:
    images, findings = read_with(read_createml, write_json(folder, content))
    assert not findings.left_out
    return images


@pytest.mark.parametrize(("image", "boxes"), [("image", "annotations"), ("imagefilename", "annotation")])
def test_both_spellings(image: str, boxes: str, tmp_path: Path) -> None:
    content = [{image: "a 1.jpg", boxes: [BOX, {**BOX, "label": 7}]}, {image: "b.jpg", boxes: []}]
    assert read(tmp_path, content) == [
        ListedImage(
            "[0]", "a 1.jpg",
            boxes=(ListedBox("big cat", (8, 19, 12, 22), 0), ListedBox("7", (8, 19, 12, 22), 1)),
        ),
        ListedImage("[1]", "b.jpg", boxes=()),
    ]  # fmt: skip


def test_other_formats_under_these_names(tmp_path: Path) -> None:
    path = write_json(tmp_path, [{"image": "a.jpg", "annotations": [BOX]}])
    for box_format, corners in {"xywh": (10, 20.5, 14, 23.5), "xyxy": (10, 20.5, 4, 3)}.items():
        ((found,), _) = read_with(read_createml, path, box_format=box_format)
        assert found.boxes is not None
        assert found.boxes[0].corners == corners


def test_an_image_without_annotations_is_not_labelled(tmp_path: Path) -> None:
    images = read(tmp_path, [{"image": "a.jpg"}, {"image": "b.jpg", "annotations": None, "age": 3}])
    assert [each.boxes for each in images] == [None, None]
    assert images[1].extras == {"age": 3}


BAD = {
    "no object": (3, "[1] is no object"),
    "no image": ({"annotations": [BOX]}, "the row names no image"),
    "boxes that are none": ({"image": "a.jpg", "annotations": BOX}, "annotations of [1] is no array"),
    "a box that is none": ({"image": "a.jpg", "annotations": ["cat"]}, 'annotations[0] is "cat", not an obj'),
    "no label": (
        {"image": "a.jpg", "annotations": [BOX, {"coordinates": COORDINATES}]},
        "label of annotations[1] is missing",
    ),
    "no coordinates": (
        {"imagefilename": "a.jpg", "annotation": [{"label": "cat"}]}, "annotation[0] has no coordinates"
    ),
    "no height": (
        {"image": "a.jpg", "annotations": [{"label": "cat", "coordinates": {"x": 1, "y": 2, "width": 3}}]},
        "the box of annotations[0] has no height",
    ),
    "NaN": (
        {"image": "a.jpg", "annotations": [{"label": "cat", "coordinates": COORDINATES | {"x": math.nan}}]},
        "has NaN where a number is needed",
    ),
    "a label of two lines": (
        {"image": "a.jpg", "annotations": [{**BOX, "label": "a\nb"}]}, "the label holds a control character"
    ),
    "half a character": (
        {"image": "a.jpg", "annotations": [{**BOX, "label": "\ud800"}]}, "holds half of a character"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("element", "said"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_is_a_problem_of_its_image(element: Any, said: str, tmp_path: Path) -> None:
    good = {"image": "good.jpg", "annotations": [BOX]}
    before, bad, after = read(tmp_path, [good, element, good])
    assert said in problem_of(bad)
    assert bad.place == "[1]"
    assert before.problem is after.problem is None
    found = element.get("annotations", element.get("annotation")) if isinstance(element, dict) else None
    assert len(bad.boxes or ()) == (len(found) if isinstance(found, list) else 0)


def test_another_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="which is an array"):
        read(tmp_path, {"images": []})


@pytest.mark.parametrize("split", ["train", "val"])
def test_real_files(split: str) -> None:
    path = DETECTION / f"format_zoo_datumaro/roboflow_dataset/createml/{split}/_annotations.createml.json"
    if not path.is_file():
        pytest.skip(f"the reference data are not beside this checkout (looked for {path})")
    images, _ = read_with(read_createml, path)
    expected = []
    for each in json.loads(path.read_text()):
        for box in each["annotations"]:
            x, y, width, height = (box["coordinates"][side] for side in ("x", "y", "width", "height"))
            sides = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
            expected.append((each["image"], box["label"], sides))
    assert [(each.image_uri, b.label, b.corners) for each in images for b in each.boxes or ()] == expected
