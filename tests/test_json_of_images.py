"""JSON of other tools, a file for each image, beside images: boxes in it are not passed over."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
from boxing import boxes_of, photos, records
from converting import shell, tfrec
from foreign_files import DARWIN, EXTENT, darwin, mapillary, super_annotate, write_files
from test_dataset_samples import plan_from

from tfrecordcli.errors import InputError

_FRAME: Final = {
    "frame": {"x": 8, "y": 4, "w": 16, "h": 32}, "rotated": True, "sourceSize": {"w": 40, "h": 40},
}  # fmt: skip


def _sheet(frames: object) -> str:
    """A file of TexturePacker."""
    return json.dumps({"frames": frames, "meta": {"image": "1.png", "scale": "1"}}, indent=1)


_STREETS: Final = [
    f"leftImg8bit/{city}_0_19_leftImg8bit.png" for city in ("train/aachen/aachen", "val/ulm/ulm")
]
_OUTLINE: Final = [[8, 20], [40, 12], [20, 4]]


def _streets(ending: str, **told: object) -> dict[str, str]:
    """Files of Cityscapes' two images: one with an object, and one without."""
    folder = re.split("[_.]", ending)[0]
    objects = [[{"label": "cat", **told}], []]
    paths = (
        path.replace("leftImg8bit/", f"{folder}/").replace("leftImg8bit.png", ending) for path in _STREETS
    )
    of_all = {"imgHeight": 40, "imgWidth": 80}
    return {path: json.dumps(of_all | {"objects": each}) for path, each in zip(paths, objects, strict=True)}


# Folders of images with the boxes in JSON, a file an image, which would be passed over; and options.
LEFT: Final[dict[str, tuple[list[str], dict[str, str], dict[str, str]]]] = {
    "no labels": (["images/1.png"], {"images/1.json": DARWIN}, {"unlabelled": "keep"}),
    "no folder": (
        ["1.png"],
        {"1.png.json": super_annotate("1.png", [8, 4, 40, 20], "polygon")},
        {"unlabelled": "keep"},
    ),
    "a folder of them": (["images/1.jpg"], {"annotations/1.json": mapillary(1)}, {"unlabelled": "keep"}),
    "sprites": (["1.png"], {"1.json": _sheet({"cat_01.png": _FRAME})}, {}),
    "sprites in an array": (
        ["1.png"],
        {"1.json": _sheet([{"filename": "cat 1.png", **_FRAME}])},
        {"unlabelled": "keep"},
    ),
    "CityPersons": (_STREETS, _streets("gtBboxCityPersons.json", bbox=[8, 4, 32, 16]), {}),
    "Cityscapes": (
        [*_STREETS, "gtFine/train/aachen/aachen_0_19_gtFine_color.png"],
        _streets("gtFine_polygons.json", polygon=_OUTLINE),
        {},
    ),
    "one class": (["cat/1.jpg"], {"cat/1.json": mapillary(1)}, {}),
    "in each class": (
        ["a/1.png", "b/2.png"],
        {"a/1.json": DARWIN, "b/2.json": darwin("2.png", {"tag": {}})},
        {},
    ),
}


@pytest.mark.parametrize(("images", "files", "options"), LEFT.values(), ids=LEFT)
def test_boxes_in_json_of_each_image_are_not_passed_over(
    images: list[str], files: dict[str, str], options: dict[str, str], tmp_path: Path
) -> None:
    photos(tmp_path / "in", *images)
    write_files(tmp_path / "in", files)
    with pytest.raises(InputError, match="a file for each image, which is not read") as caught:
        plan_from(str(tmp_path / "in"), tmp_path, **options)
    command = caught.value.hint.partition("list of its boxes: ")[2].partition("; then")[0]
    assert shell(command, tmp_path).code == 0
    made = (tmp_path / "in/list.csv").read_text().splitlines()
    assert made[1].startswith(f"{images[0]},cat,8,4,40,20")


@pytest.mark.parametrize("options", [{}, {"label_folder": "last"}, {"task": "classification"}])
def test_boxes_in_json_of_images_in_several_classes_are_warned_of(
    options: dict[str, str], tmp_path: Path
) -> None:
    photos(tmp_path / "in", "a/1.png", "b/2.png")
    write_files(tmp_path / "in", {"a/1.json": mapillary(1), "b/2.json": mapillary(1), "b/x.json": "{}"})
    plan = plan_from(str(tmp_path / "in"), tmp_path, **options).plan
    told = [warning for warning in plan.warnings if "JSON of Mapillary" in warning]
    assert (plan.num_labels, len(told)) == (2, not options)
    assert all("list of its boxes: python -c" in each and "--label-folder last" in each for each in told)


@pytest.mark.parametrize(
    ("files", "is_told"),
    [
        ({"boxes.json": '{"a": {"1": {"xmin": 1, "ymin": 2, "xmax": 9, "ymax": 8}}}'}, True),
        ({"a/1.json": '{"xmin": 1, "ymax": 8}', "a/2.json": '{"xmin": 1, "ymax": 8}'}, False),
        ({"boxes.json": '{"xmin": 1}'}, False),
        ({"boxes.json": '{"images": [{"file": "a/1.png", "detections": [{"bbox": [0.1, 0, 1, 1]}]}]}'}, True),
        ({"boxes.json": '{"bbox": "none"}'}, False),
    ],
    ids=["one file", "a file each", "no box", "MegaDetector's", "a word"],
)
def test_json_with_boxes_beside_class_folders_is_told_of(
    files: dict[str, str], is_told: bool, tmp_path: Path
) -> None:
    photos(tmp_path / "in", "a/1.png", "b/2.png")
    write_files(tmp_path / "in", files)
    plan = plan_from(str(tmp_path / "in"), tmp_path).plan
    told = [warning for warning in plan.warnings if "boxes in boxes.json are passed over" in warning]
    assert (plan.num_labels, len(told)) == (2, is_told)
    assert all(f"tfrec convert {tmp_path}/in/boxes.json OUTPUT_DIR" in each for each in told)


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        ("in/a/1.json", darwin("1.png", {"name": "cat", "line": {}}), "no box"),
        ("in/a/1.json", super_annotate("1.png", {"x": 1, "y": 2}, "point"), "no box"),
        ("in/a/1.json", darwin("2.png", {"name": "cat", "bounding_box": EXTENT}), "0 images called /2.png"),
    ],
    ids=["line", "point", "no image"],
)
def test_the_command_for_files_of_images_stops_at_what_is_no_box(
    path: str, text: str, says: str, tmp_path: Path
) -> None:
    photos(tmp_path, "in/1.png")
    write_files(tmp_path, {path.replace("/a/", "/annotations/"): text})
    told = tfrec("convert", "in", "out", cwd=tmp_path).err
    done = shell(told.partition("list of its boxes: ")[2].partition("; then")[0], tmp_path)
    assert (done.code, says in done.err) == (1, True), done


@pytest.mark.parametrize(
    "text",
    [DARWIN, super_annotate("1.png", [1, 9, 5, 2, 7, 3], "polygon")],
    ids=["V7 Darwin", "SuperAnnotate"],
)
def test_files_of_images_left_beside_boxes_that_are_read_change_nothing(text: str, tmp_path: Path) -> None:
    photos(tmp_path, "in/images/train/1.png", "in/images/val/2.png")
    line = "0 0.5 0.5 0.2 0.2\n"
    write_files(tmp_path / "in", {
        "data.yaml": "train: images/train\nval: images/val\nnames: [cat]\n", "annotations/1.json": text,
        "labels/train/1.txt": line, "labels/val/2.txt": line,
    })  # fmt: skip
    assert tfrec("convert", "in", "out", cwd=tmp_path).code == 0
    assert [len(boxes_of(values)) for values in records(tmp_path / "out").values()] == [1, 1]


def test_one_label_beside_boxes_in_json_is_that_of_each(tmp_path: Path) -> None:
    photos(tmp_path / "in", "1.png", "2.png")
    write_files(
        tmp_path / "in",
        {"1.json": '{"bboxes": [[8, 4, 4, 2], [1, 2, 3, 4]], "label": "cat"}', "2.json": '{"bboxes": []}'},
    )
    with pytest.raises(InputError, match="none of its 2 images") as caught:
        plan_from(str(tmp_path / "in"), tmp_path)
    command, _, then = caught.value.hint.partition("JSON beside: ")[2].partition("; then: ")
    assert then.startswith(f"tfrec convert {tmp_path}/in/list.csv OUTPUT_DIR --box-format xywh; ")
    assert shell(command, tmp_path).code == 0
    assert (tmp_path / "in/list.csv").read_text().splitlines() == [
        "image,label,bbox",
        '1.png,cat,"[8, 4, 4, 2]"',
        '1.png,cat,"[1, 2, 3, 4]"',
        "2.png,,",
    ]
