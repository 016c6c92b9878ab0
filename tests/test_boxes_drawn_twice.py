"""Images that two people drew boxes on, and those that only look so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from boxing import photos
from converting import convert_json, manifest, shell

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


_BY: Final = "image,xmin,ymin,xmax,ymax,label,WorkerId,AssignmentStatus\n"
_DONE: Final = "Approved"
# the boxes of an image by several people, and whether they are told of
BY_PEOPLE: dict[str, tuple[Sequence[Row], bool]] = {
    "by three": ((*TWICE, (2, 4, 31, 22, "cat", "eve")), True),
    "by four": ((*TWICE, (2, 4, 31, 22, "cat", "eve"), (3, 4, 31, 22, "cat", "joe")), True),
    "one of whom saw more": ((*TWICE, (40, 5, 70, 30, "dog", "bob")), True),
    "near by": (((2, 3, 30, 20, "cat", "ann"), (8, 5, 34, 22, "cat", "bob")), True),
    "beside each other": (((2, 3, 30, 20, "cat", "ann"), (40, 3, 68, 20, "cat", "bob")), False),
    "of a label each": (((2, 3, 30, 20, "cat", "ann"), (3, 3, 30, 21, "head", "bob")), False),
    "one of whom added some": (
        (*TWICE, *((x, 5, x + 9, 30, "dog", "ann") for x in range(35, 75, 10))),
        False,
    ),
    "the same": (((2, 3, 30, 20, "cat", "ann"), (2, 3, 30, 20, "cat", "bob")), False),
    "by one": (((2, 3, 30, 20, "cat", "ann"), (3, 3, 30, 21, "cat", "ann")), False),
}


@pytest.mark.parametrize(("boxes", "is_told"), BY_PEOPLE.values(), ids=BY_PEOPLE)
def test_boxes_of_several_people_upon_each_other_are_told(
    boxes: Sequence[Row], is_told: bool, tmp_path: Path
) -> None:
    photos(tmp_path, "0.png", "1.png", "2.png", "3.png")
    rows = [f"{n}.png,{','.join(map(str, box))},{_DONE}\n" for n in range(2) for box in boxes]
    # An image by one person each; those of a rejected assignment are no second one's.
    rows += ["2.png,2,3,30,20,cat,ann,Approved\n", "3.png,2,3,30,20,cat,bob,Approved\n"]
    rows += ["3.png,2,4,30,20,cat,ann,Rejected\n"]
    (tmp_path / "list.csv").write_text(_BY + "".join(rows), encoding="utf-8")
    warnings = convert_json(tmp_path / "list.csv", tmp_path / "out")["warnings"]
    told = [warning for warning in warnings if "several people drew the same things" in warning]
    assert len(told) == is_told, warnings
    if told:
        assert "in 2 of the first 4 images" in told[0]
        assert shell(f"python{told[0].partition(': python')[2]}", tmp_path).code == 0
        kept = convert_json(tmp_path / "list-of-one.csv", tmp_path / "kept")
        assert kept["boxes"]["stored"] == 2 + 2 * sum(box[-1] == "ann" for box in boxes)
        assert not [warning for warning in kept["warnings"] if "python" in warning]


def test_columns_that_do_not_part_them_are_not_named(tmp_path: Path) -> None:
    photos(tmp_path, *(f"{n}.png" for n in range(4)))
    rows = [
        f"{n}.png,{','.join(map(str, box[:5]))},{n}{i}\n" for n in range(4) for i, box in enumerate(TWICE)
    ]
    (tmp_path / "list.csv").write_text(_HEADER + "".join(rows), encoding="utf-8")
    (told,) = (w for w in convert_json(tmp_path / "list.csv", tmp_path / "out")["warnings"] if _TOLD in w)
    assert told.endswith("each is stored; if they did, keep those of one")


def test_the_command_reads_the_encoding_of_the_list(tmp_path: Path) -> None:
    photos(tmp_path, *(f"{n}.png" for n in range(3)))
    rows = [
        f"{n}.png,2,{3 + i},30,20,caf\xe9,{by}\n" for n in range(3) for i, by in enumerate(("ann", "bob"))
    ]
    (tmp_path / "list.csv").write_text(_HEADER + "".join(rows), encoding="cp1252")
    done = convert_json(tmp_path / "list.csv", tmp_path / "out", "--encoding", "cp1252")
    (told,) = (warning for warning in done["warnings"] if _TOLD in warning)
    command, _, then = told.partition(": python")[2].partition(", and convert that ")
    assert then == "without --encoding"
    assert shell(f"python{command}", tmp_path).code == 0
    kept = convert_json(tmp_path / "list-of-one.csv", tmp_path / "kept")
    labels = [*manifest(tmp_path / "kept")["labels"]]
    assert (kept["boxes"]["stored"], labels) == (3, ["caf\xe9"])


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
