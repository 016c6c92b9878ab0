"""LabelMe's JSON, a file an image: the command that is proposed for it makes a list of its boxes."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any, Final

import pytest
from boxing import boxes_of, photos, records
from converting import convert_json, tfrec
from foreign_files import run_bash, write_files

_KEYS: Final = ("label", "points", "shape_type", "group_id")
_BOX: Final = ("dent", [[40, 4], [8, 20]], "rectangle")  # from its upper right corner
_OUTLINE: Final = ("crack", [[8, 12], [40, 4], [20, 20]], "polygon")
_CIRCLE: Final = ("dent", [[24, 20], [27, 24]], "circle")
_POINT: Final = ("tip", [[9, 9]], "point")
_CORNERS: Final = (8.0, 4.0, 40.0, 20.0)


def _labelme(image: str, *shapes: tuple[Any, ...]) -> str:
    """A file as version 5 writes it."""
    told = [dict(zip(_KEYS, shape, strict=False)) | {"flags": {}, "mask": None} for shape in shapes]
    all_ = {"version": "5.4.1", "flags": {"blurry": True}, "shapes": told, "imagePath": image}
    return json.dumps(all_ | {"imageData": None, "imageHeight": 40, "imageWidth": 80}, indent=2)


def _converted(folder: Path, *sources: str) -> dict[str, Any]:
    """What becomes of sources when a person does what the refusal says."""
    told = tfrec("convert", *sources, "out", cwd=folder)
    assert (told.code, "JSON of LabelMe, a file for each image, which is not read" in told.err) == (2, True)
    command, _, then = told.err.partition("left out): ")[2].partition("; then: ")
    run_bash(command, folder)
    words = shlex.split(then.partition(" OUTPUT_DIR")[0])
    return convert_json(*words[2:], "out", cwd=folder)


def test_each_shape_becomes_a_box_but_points(tmp_path: Path) -> None:
    photos(tmp_path, *(f"in/{i}.jpg" for i in range(6)), "in/not-yet.jpg")
    parts = [("crack", [[8, 4], [20, 9]], "rectangle", 0), ("crack", [[30, 9], [40, 20]], "rectangle", 0)]
    shapes = [
        [_BOX, _OUTLINE],
        [_CIRCLE, _POINT],
        [],
        [_POINT],
        [*parts, ("dent", [[1, 1], [2, 2]], "mask", 0)],
    ]
    write_files(tmp_path, {f"in/{i}.json": _labelme(f"{i}.jpg", *each) for i, each in enumerate(shapes)})
    done = _converted(tmp_path, "in")
    found = {name: sorted(boxes_of(values)) for name, values in records(tmp_path / "out").items()}
    assert found == {
        "0.jpg": [("crack", _CORNERS), ("dent", _CORNERS)],
        "1.jpg": [("dent", (19.0, 15.0, 29.0, 25.0))],
        "2.jpg": [],
        "4.jpg": [("crack", _CORNERS), ("dent", (1.0, 1.0, 2.0, 2.0))],
    }
    assert done["records"] == 4


@pytest.mark.parametrize(
    ("image", "file", "path"),
    [
        ("in/{}.jpg", "in/{}.json", "{}.jpg"),
        ("in/{}.jpg", "in/{}.json", "C:\\Users\\me\\{}.jpg"),
        ("in/{}.png", "in/{}.json", "/home/me/old-{}.jpg"),
        ("in/images/{}.jpg", "in/annotations/{}.json", "..\\images\\{}.jpg"),
        ("in/images/{}.jpg", "in/labels/{}.json", "{}.jpg"),
        ("in/{}.jpg", "in/json/{}.json", "/home/me/{}.jpg"),
        ("in/crack/{}.jpg", "in/crack/{}.json", "{}.jpg"),
        ("in/cat{}/1.jpg", "in/cat{}/1.json", "1.jpg"),
        ("in/a {}/1.jpg", "in/a {}/1.json", "gone.jpg"),
    ],
)
def test_the_image_is_found_wherever_it_is(image: str, file: str, path: str, tmp_path: Path) -> None:
    photos(tmp_path, *(image.format(i) for i in "12"))
    write_files(tmp_path, {file.format(i): _labelme(path.format(i), _BOX) for i in "12"})
    _converted(tmp_path, "in")
    assert [boxes_of(values) for values in records(tmp_path / "out").values()] == [[("dent", _CORNERS)]] * 2


@pytest.mark.parametrize("sources", [("in",), ("in/train", "in/my val/")], ids=["all", "several"])
def test_folders_of_splits_are_kept_apart(sources: tuple[str, ...], tmp_path: Path) -> None:
    images = ("in/train/1.jpg", "in/train/2.jpg", "in/my val/1.jpg")
    photos(tmp_path, *images)
    write_files(tmp_path, {
        re.sub("jpg$", "json", image): _labelme(image[-5:], _BOX) for image in images
    })  # fmt: skip
    done = _converted(tmp_path, *sources)
    assert {name: split["records"] for name, split in done["splits"].items()} == {"train": 2, "validation": 1}


def test_folders_of_which_one_is_read_are_not_looped_over(tmp_path: Path) -> None:
    photos(tmp_path, "a/1.jpg", "b/cat/1.jpg", "b/dog/2.jpg")
    write_files(tmp_path, {"a/1.json": _labelme("1.jpg", _BOX)})
    told = tfrec("convert", "a", "b", "out", cwd=tmp_path).err
    assert ("for f in" in told, " a > a/list.csv.part" in told) == (False, True)


def test_a_file_alone_leads_to_its_folder(tmp_path: Path) -> None:
    photos(tmp_path, "1.jpg")
    write_files(tmp_path, {"1.json": _labelme("1.jpg", _BOX)})
    told = tfrec("convert", "1.json", "out", cwd=tmp_path).err
    assert "a LabelMe file, which is not read" in told
    assert "give the folder that has these files and the images" in told


def test_files_of_labelme_left_beside_labels_of_yolo_change_nothing(tmp_path: Path) -> None:
    photos(tmp_path, "in/1.png", "in/2.png")
    texts = {f"in/{i}.txt": "0 0.5 0.5 0.2 0.2\n" for i in "12"} | {"in/classes.txt": "dent\n"}
    write_files(tmp_path, texts | {f"in/{i}.json": _labelme(f"{i}.png", _BOX) for i in "12"})
    assert tfrec("convert", "in", "out", cwd=tmp_path).code == 0
    assert [len(boxes_of(values)) for values in records(tmp_path / "out").values()] == [1, 1]
