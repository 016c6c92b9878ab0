"""Relatives of COCO whose images hold what may be their annotations."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from converting import tfrec
from listing_json import read_with, write_json

from tfrecordcli.errors import InputError
from tfrecordcli.sources.json.coco import read_coco
from tfrecordcli.sources.json.kinds import kind_of_json
from tfrecordcli.sources.listed import Findings

CATEGORIES = [{"id": 3, "name": "cat"}]


def _refused(folder: Path, document: Any) -> InputError:
    path = write_json(folder, document)
    with pytest.raises(InputError) as refused:
        list(read_coco(path, Findings(), path))
    return refused.value


def _run(hint: str) -> subprocess.CompletedProcess[str]:
    words = shlex.split(hint.removeprefix("make COCO of it: "))
    return subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "elements",
    [[{"zone": [1, 2, 30], "class": 3}], [[1, 2, 30, 40]], [{"bbox": [1, 2, 3, 4], "class": 3}, "x"]],
    ids=["another key", "numbers alone", "something else besides"],
)
def test_boxes_that_the_command_would_lose_get_none(elements: list[Any], tmp_path: Path) -> None:
    image = {"id": 1, "file_name": "a.jpg", "objects": elements}
    error = _refused(tmp_path, {"images": [image], "categories": CATEGORIES})
    assert "images hold their annotations (objects)" in error.message
    assert error.hint == (
        "write one array images, and one array annotations with image_id, category_id and bbox of each box"
    )


@pytest.mark.parametrize("element", [{"box": [1, 2, 30, 40]}, ["x"], [10]])
def test_the_command_stops_at_what_it_would_lose(element: Any, tmp_path: Path) -> None:
    error = _refused(
        tmp_path, {"images": [{"id": 1, "file_name": "a.jpg"}], "annotations": {"a.jpg": element}}
    )
    done = _run(error.hint)
    assert done.returncode == 1
    assert done.stderr.startswith("not read: ")
    assert not (tmp_path / "a-as-coco.json").exists()


_OF_TEXT: Final = [
    ({"cats": {}}, {"class": "handwritten", "utf8_string": "Exit"}, "handwritten"),  # COCO-Text
    ({}, {"utf8_string": "Exit", "points": [1, 2, 9, 2, 9, 8]}, "text"),  # TextOCR
    ({"cats": {"7": {"id": 7, "name": "cat"}}}, {"category_id": 7}, "cat"),
]


@pytest.mark.parametrize(("top", "told", "label"), _OF_TEXT, ids=["COCO-Text", "TextOCR", "with categories"])
@pytest.mark.parametrize("is_first", [True, False], ids=["annotations first", "images first"])
def test_the_index_of_coco_becomes_coco_by_the_command(
    top: dict[str, Any], told: dict[str, Any], label: str, tmp_path: Path, *, is_first: bool
) -> None:
    images = {"imgs": {k: {"id": k, "file_name": f"{k}.jpg", "set": "val"} for k in ("a1", "b2")}}
    boxes = {"anns": {"b2_1": {"id": "b2_1", "image_id": "b2", "bbox": [1, 2, 30, 40], **told}}}
    document = top | (boxes | images if is_first else images | boxes) | {"imgToAnns": {"b2": ["b2_1"]}}
    path = write_json(tmp_path, document)
    with pytest.raises(InputError, match="COCO's index") as refused:
        kind_of_json(Path(path).read_bytes(), path)
    assert _run(refused.value.hint).returncode == 0
    (first, second), _ = read_with(read_coco, tmp_path / "a-as-coco.json")
    assert (first.image_uri, first.boxes, second.split) == ("a1.jpg", (), "val")
    assert [(box.label, box.corners) for box in second.boxes or ()] == [(label, (1, 2, 31, 42))]


@pytest.mark.parametrize("own", [{"objects": ["x"]}, {"annotations": [10]}, {"boxes": [10, 11]}])
def test_a_list_of_words_or_ids_in_an_image_is_no_annotation(own: dict[str, Any], tmp_path: Path) -> None:
    document = {
        "images": [{"id": 1, "file_name": "a.jpg"} | own],
        "annotations": [],
        "categories": CATEGORIES,
    }
    (image,), _ = read_with(read_coco, write_json(tmp_path, document))
    assert image.boxes == ()


def test_categories_that_are_names_are_numbered_by_the_command(tmp_path: Path) -> None:
    image = {"file_name": "a.jpg", "objects": [{"bbox": [1, 2, 3, 4], "label": "cat"}]}
    error = _refused(tmp_path, {"categories": ["cat"], "images": [image]})
    assert _run(error.hint).returncode == 0
    (read,), _ = read_with(read_coco, tmp_path / "a-as-coco.json")
    assert read.boxes is not None
    assert [box.label for box in read.boxes] == ["cat"]
    plain = _refused(tmp_path, {"categories": ["cat"], "images": [], "annotations": [{"bbox": [1, 2, 3, 4]}]})
    assert plain.message.endswith("categories[0] has no id")


def test_the_command_is_shown_whole(tmp_path: Path) -> None:
    image = {"file_name": "a.jpg", "objects": [{"bbox": [1, 2, 3, 4], "label": "cat"}]}
    path = Path(write_json(tmp_path, {"categories": ["cat"], "images": [image]}))
    path = path.rename(path.with_name("instances_of_the_second_campaign_of_november.json"))
    done = tfrec("convert", path, tmp_path / "out")
    hint = done.err.partition("\n")[2].strip()
    assert hint.startswith("make COCO of it: ")
    assert _run(hint).returncode == 0
    assert path.with_name(f"{path.stem}-as-coco.json").exists()


def test_names_of_files_under_another_key_get_a_command(tmp_path: Path) -> None:
    document = {
        "images": [{"image_name": f"{i}.jpg", "image_id": i} for i in range(2)],
        "annotations": [{"image_id": 1, "annotations_id": 0, "bbox": [1, 2, 3, 4], "person_id": 7}],
        "persons": [{"person_id": 7, "person_name": "ann"}],
    }
    error = _refused(tmp_path, document)
    assert "no image has a file_name, by which COCO names files; image_name has names" in error.message
    assert _run(error.hint).returncode == 0
    (first, second), _ = read_with(read_coco, str(tmp_path / "a-as-coco.json"))
    assert (first.image_uri, first.boxes) == ("0.jpg", ())
    assert [box.label for box in second.boxes or ()] == ["ann"]


def test_one_image_without_a_file_name_costs_itself_only(tmp_path: Path) -> None:
    document = {
        "images": [{"file_name": "a.jpg", "id": 1}, {"image_name": "b.jpg", "id": 2}],
        "annotations": [{"image_id": 1, "bbox": [1, 2, 3, 4], "category_id": 3}],
        "categories": CATEGORIES,
    }
    images, _ = read_with(read_coco, write_json(tmp_path, document))
    assert [image.image_uri for image in images] == ["a.jpg", ""]


LEVELS: Final[dict[str, Any]] = {
    "annotations": [{"image_id": 1, "bbox": [1, 2, 3, 4], "category_id_1": 1, "category_id_3": 0}],
    "images": [{"file_name": "a.jpg", "id": 1}, {"file_name": "b.jpg", "id": 2}],
    "categories_1": [{"id": 0, "name": "left"}, {"id": 1, "name": "right"}],
    "categories_3": [{"id": 0, "name": "caries"}],
}


def test_categories_of_several_levels_get_a_command_for_each(tmp_path: Path) -> None:
    error = _refused(tmp_path, LEVELS)
    assert "annotations have no category_id but category_id_1, category_id_3, and only one" in error.message
    ways = error.hint.partition("which is it? ")[2].split("; category_id_3 (caries): ")
    assert ways[0].startswith("category_id_1 (left, right): ")
    for way, level, label in zip(ways, (1, 3), ("right", "caries"), strict=True):
        assert _run(way[way.index("make COCO") :]).returncode == 0
        (first, second), _ = read_with(read_coco, str(tmp_path / f"a-by-category_id_{level}.json"))
        assert [box.label for box in first.boxes or ()] == [label]
        assert second.boxes == ()


def test_a_category_beside_those_of_further_levels_is_the_label(tmp_path: Path) -> None:
    told = {**LEVELS["annotations"][0], "category_id": 3}
    document = {**LEVELS, "annotations": [told], "categories": CATEGORIES}
    (first, _), _ = read_with(read_coco, write_json(tmp_path, document))
    assert [box.label for box in first.boxes or ()] == [CATEGORIES[0]["name"]]
