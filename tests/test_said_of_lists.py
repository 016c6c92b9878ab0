"""What a dry run says that a list was taken for: its kind, the unit and the frame of its boxes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from boxing import photos
from converting import convert_json

_COCO: dict[str, Any] = {
    "images": [{"id": 1, "file_name": "a.jpg", "width": 80, "height": 40}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 3, "bbox": [2, 3, 28, 17]}],
    "categories": [{"id": 3, "name": "cat"}],
}
_BOX = {"x": 20, "y": 15, "width": 8, "height": 6}
_PIXELS = "this is read as {}, with boxes in pixels"
_BY_NUMBERS = "coordinates of boxes are pixels, by the numbers of the whole list"
# content of a list, and what is said of it
SAID: dict[str, tuple[Any, list[str]]] = {
    "coco": (_COCO, [_PIXELS.format("COCO")]),
    "createml": (
        [{"image": "a.jpg", "annotations": [{"label": "cat", "coordinates": _BOX}]}],
        [_PIXELS.format("CreateML")],
    ),
    "lines of boxes": (
        {"image": "a.jpg", "boxes": [{"label": "cat", "xmin": 2, "ymin": 3, "xmax": 30, "ymax": 20}]},
        ["this is read as JSON Lines", _BY_NUMBERS],
    ),
    "lines of labels": ({"image": "a.jpg", "label": "cat"}, ["this is read as JSON Lines"]),
}
_FRAMES = {
    "auto": "the photo of the size that the list tells, else the upright one",
    "upright": "the upright photo",
    "stored": "the photo as it is stored",
}


def _planned(content: object, folder: Path, *options: str) -> dict[str, Any]:
    photos(folder, "a.jpg")
    path = folder / ("list.jsonl" if isinstance(content, dict) and "image" in content else "list.json")
    path.write_text(json.dumps(content), encoding="utf-8")
    return convert_json(path, folder / "out", "--dry-run", *options)


@pytest.mark.parametrize(("content", "said"), SAID.values(), ids=SAID)
def test_a_list_in_json_is_told_by_its_kind(content: object, said: list[str], tmp_path: Path) -> None:
    remarks = _planned(content, tmp_path)["remarks"]
    assert [each for each in remarks if "is read as" in each or "coordinates" in each] == said


@pytest.mark.parametrize("frame", _FRAMES)
def test_the_frame_of_boxes_is_told(frame: str, tmp_path: Path) -> None:
    (told,) = (each for each in _planned(_COCO, tmp_path, "--box-frame", frame)["remarks"] if "EXIF" in each)
    assert told == (
        f"of photos that EXIF turns, boxes are taken to be drawn on {_FRAMES[frame]} (--box-frame)"
    )
    done = convert_json(tmp_path / "list.json", tmp_path / "out", "--box-frame", frame)
    assert not any("--box-frame" in each for each in done["remarks"])  # photos are counted instead


def test_labels_have_no_frame(tmp_path: Path) -> None:
    remarks = _planned({"image": "a.jpg", "label": "cat"}, tmp_path)["remarks"]
    assert not any("EXIF" in each for each in remarks)
