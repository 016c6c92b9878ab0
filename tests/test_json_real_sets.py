"""Real COCO and CreateML sets through a whole conversion: box for box what json.load says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from boxing import Boxes, boxes_of, records
from converting import tfrec
from listing_json import DETECTION
from verifying import found, verify

_ZOO = "format_zoo_datumaro"
_COCO = f"{_ZOO}/coco_dataset/coco"
# The list, and where its images are: beside it when empty.
SETS = {
    "rbc, valid": ("rbc_wbc_coco/valid/_annotations.coco.json", ""),
    "rbc, test": ("rbc_wbc_coco/test/_annotations.coco.json", ""),
    "salads": ("salads_automl/json_files/train_annotations.json", "salads_automl/salad_images"),
    "salads, test": ("salads_automl/json_files/test_annotations.json", "salads_automl/salad_images"),
    "instances": (f"{_COCO}/annotations/instances_val.json", f"{_COCO}/images/val"),
    "keypoints": (f"{_COCO}/annotations/person_keypoints_val.json", f"{_COCO}/images/val"),
    "Roboflow": (f"{_ZOO}/roboflow_dataset/coco/train/_annotations.coco.json", ""),
    "CreateML": (f"{_ZOO}/roboflow_dataset/createml/train/_annotations.createml.json", ""),
    "CreateML, val": (f"{_ZOO}/roboflow_dataset/createml/val/_annotations.createml.json", ""),
}  # fmt: skip


def expected(path: Path) -> dict[str, Boxes]:
    """Image -> (label, corners) of its boxes, by the few lines that anybody would write."""
    content: Any = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(content, list):
        return {each["image"]: [_from_middle(box) for box in each["annotations"]] for each in content}
    names = {each["id"]: each["name"] for each in content["categories"]}
    files = {each["id"]: each["file_name"] for each in content["images"]}
    boxes: dict[str, Boxes] = {file: [] for file in files.values()}
    for each in content["annotations"]:
        x, y, width, height = each["bbox"]
        boxes[files[each["image_id"]]].append((names[each["category_id"]], (x, y, x + width, y + height)))
    return boxes


def _from_middle(box: dict[str, Any]) -> tuple[str, tuple[float, ...]]:
    x, y, width, height = (box["coordinates"][side] for side in ("x", "y", "width", "height"))
    return box["label"], (x - width / 2, y - height / 2, x + width / 2, y + height / 2)


@pytest.mark.parametrize(("name", "images"), SETS.values(), ids=SETS)
def test_real_sets_have_the_boxes_of_their_file(name: str, images: str, tmp_path: Path) -> None:
    path = DETECTION / name
    if not path.is_file():
        pytest.skip(f"the reference data are not beside this checkout (looked for {path})")
    root = ["--image-root", DETECTION / images] if images else []
    done = tfrec("convert", path, tmp_path / "out", *root)
    assert done.code == 0, done.err
    assert not found(verify(tmp_path / "out"))
    stored, listed = records(tmp_path / "out"), expected(path)
    assert set(stored) == set(listed)
    for file, boxes in listed.items():
        (width,), (height,) = stored[file]["image/width"], stored[file]["image/height"]
        ours = boxes_of(stored[file])
        assert len(ours) == len(boxes)
        within = sorted((label, _clipped(corners, width, height)) for label, corners in boxes)
        for (label, corners), (listed_label, listed_corners) in zip(ours, within, strict=True):
            assert label == listed_label
            assert corners == pytest.approx(listed_corners, abs=0.01)


def _clipped(corners: tuple[float, ...], width: int, height: int) -> tuple[float, ...]:
    sides = (width, height, width, height)
    return tuple(min(max(corner, 0.0), side) for corner, side in zip(corners, sides, strict=True))
