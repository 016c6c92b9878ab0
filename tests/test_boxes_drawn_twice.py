"""Images that two people drew boxes on, and those that only look so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json

_TOLD = "as where two people drew them"
_HEADER = "image,xmin,ymin,xmax,ymax,label,by\n"
Row = tuple[int, int, int, int, str, str]
TWICE: Sequence[Row] = ((2, 3, 30, 20, "cat", "ann"), (3, 3, 30, 21, "cat", "bob"))
# the boxes of each image, and whether they are told of
DRAWN: dict[str, tuple[Sequence[Row], int, bool]] = {
    "twice": (TWICE, 3, True),
    "two objects each": ((*TWICE, (40, 5, 70, 30, "dog", "ann"), (41, 5, 71, 30, "dog", "bob")), 3, True),
    "in two images": (TWICE, 2, False),
    "of other labels": (((2, 3, 30, 20, "cat", "ann"), (3, 3, 30, 21, "head", "bob")), 5, False),
    "one beside many of one": (
        (*TWICE, *((x, 5, x + 9, 30, "dog", "ann") for x in range(35, 75, 10))),
        5,
        False,
    ),
    "beside each other": (((2, 3, 30, 20, "cat", "ann"), (20, 3, 48, 20, "cat", "bob")), 5, False),
    "the same": (((2, 3, 30, 20, "cat", "ann"), (2, 3, 30, 20, "cat", "bob")), 5, False),
}


@pytest.mark.parametrize(("boxes", "images", "is_told"), DRAWN.values(), ids=DRAWN)
def test_boxes_upon_others_are_told(boxes: Sequence[Row], images: int, is_told: bool, tmp_path: Path) -> None:
    photos(tmp_path, *(f"{n}.png" for n in range(images)))
    rows = [f"{n}.png,{','.join(map(str, box))}\n" for n in range(images) for box in boxes]
    (tmp_path / "list.csv").write_text(_HEADER + "".join(rows), encoding="utf-8")
    warnings = convert_json(tmp_path / "list.csv", tmp_path / "out")["warnings"]
    told = [warning for warning in warnings if _TOLD in warning]
    assert len(told) == is_told
    assert all("; by tells them apart: " in warning for warning in told)


def test_columns_that_do_not_part_them_are_not_named(tmp_path: Path) -> None:
    photos(tmp_path, *(f"{n}.png" for n in range(4)))
    rows = [
        f"{n}.png,{','.join(map(str, box[:5]))},{n}{i}\n" for n in range(4) for i, box in enumerate(TWICE)
    ]
    (tmp_path / "list.csv").write_text(_HEADER + "".join(rows), encoding="utf-8")
    (told,) = (w for w in convert_json(tmp_path / "list.csv", tmp_path / "out")["warnings"] if _TOLD in w)
    assert told.endswith("each is stored; if they did, keep those of one")


def test_boxes_of_coco_are_looked_at_too(tmp_path: Path) -> None:
    photos(tmp_path, *(f"{n}.png" for n in range(3)))
    boxes = [[2, 3, 28, 17], [3, 3, 27, 18]]
    coco = {
        "images": [{"id": n, "file_name": f"{n}.png", "width": 80, "height": 40} for n in range(3)],
        "annotations": [
            {"id": 2 * n + i, "image_id": n, "category_id": 1, "bbox": box}
            for n in range(3)
            for i, box in enumerate(boxes)
        ],
        "categories": [{"id": 1, "name": "cat"}],
    }
    (tmp_path / "a.json").write_text(json.dumps(coco), encoding="utf-8")
    warnings = convert_json(tmp_path / "a.json", tmp_path / "out")["warnings"]
    assert sum(_TOLD in warning for warning in warnings) == 1
