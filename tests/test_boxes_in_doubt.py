"""Boxes of folders and of JSON are doubted as those of a CSV are: by the sizes of their images."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from boxing import boxes_of, photo, records, write
from converting import convert_json, manifest, shell, tfrec

Numbers = tuple[float, ...]
# Boxes in images of 80 x 40, as fractions: of corners and of top left corner, width, height, which as centre,
# width, height reach beyond their images.
CORNERS = [(0.1, 0.2, 0.5, 0.6), (0.5, 0.25, 0.95, 0.7), (0.05, 0.1, 0.6, 0.9), (0.12, 0.21, 0.53, 0.62)]
TOP_LEFT = [(0.12, 0.08, 0.4, 0.5), (0.55, 0.0, 0.4, 0.9), (0.1, 0.1, 0.8, 0.3), (0.0, 0.0, 0.5, 0.5)]
CENTERS = [(0.3, 0.4, 0.4, 0.5), (0.75, 0.45, 0.4, 0.9), (0.5, 0.25, 0.8, 0.3), (0.25, 0.25, 0.5, 0.5)]


def scaled(boxes: list[Numbers], width: float, height: float) -> list[Numbers]:
    return [(a * width, b * height, c * width, d * height) for a, b, c, d in boxes]


def yolo(folder: Path, boxes: list[Numbers]) -> Path:
    for number, box in enumerate(boxes):
        photo(folder / "images" / f"{number}.png", colour=number)
        write(folder / "labels", f"0 {' '.join(map(str, box))}\n", f"{number}.txt")
    write(folder, "cat\n", "classes.txt")
    return folder


def createml(folder: Path, boxes: list[Numbers], size: tuple[int, int] = (80, 40)) -> Path:
    images = []
    for number, box in enumerate(boxes):
        photo(folder / f"{number}.png", size, number)
        coordinates = dict(zip(("x", "y", "width", "height"), box, strict=True))
        annotations = [{"label": "cat", "coordinates": coordinates}]
        images.append({"image": f"{number}.png", "annotations": annotations})
    return write(folder, json.dumps(images), "list.json")


def stored(folder: Path, *numbers: int, name: str = "{}.png") -> list[Numbers]:
    """The first box in each of these images, in pixels."""
    found = records(folder)
    return [boxes_of(found[name.format(number)])[0][1] for number in numbers]


@pytest.mark.parametrize(
    ("boxes", "is_told"),
    [
        (
            [(3, 40, 2, 30), (9, 20, 5, 20), (30, 60, 1, 9), (40, 70, 10, 38), (8, 9, 20, 30), (5, 50, 1, 5)],
            True,
        ),
        (
            [(40, 3, 2, 30), (9, 20, 5, 30), (60, 30, 1, 9), (40, 7, 10, 38), (8, 9, 20, 30), (50, 5, 1, 8)],
            False,
        ),
        (
            [(3, 4, 40, 30), (5, 6, 20, 20), (3, 30, 60, 39), (4, 5, 7, 8), (8, 9, 20, 30), (5, 7, 50, 9)],
            False,
        ),
    ],
)
def test_corners_that_were_said_to_be_such_and_may_be_both_x_first_are_told(
    boxes: list[Numbers], is_told: bool, tmp_path: Path
) -> None:
    photo(tmp_path / "a.png")
    rows = "".join(f"a.png,{','.join(map(str, box))},cat\n" for box in boxes)
    source = write(tmp_path, f"image,xmin,ymin,xmax,ymax,label\n{rows}")
    done = convert_json(source, "out", "--dry-run", "--box-format", "xyxy", cwd=tmp_path)
    told = [each for each in done["warnings"] if "boxes end before they begin" in each]
    assert bool(told) == is_told
    if told:
        assert told[0].startswith("5 of the first 6 boxes")
        assert shell(told[0].partition("xmax to ymin: ")[2], tmp_path).code == 0
        done = convert_json("list-boxes.csv", "out", cwd=tmp_path)
        assert (done["boxes"]["stored"], done["boxes"]["swapped"]) == (6, 0)


@pytest.mark.parametrize(("boxes", "form"), [(CORNERS, "xyxy"), (TOP_LEFT, "xywh")])
def test_label_files_that_only_fit_in_another_form_are_refused(
    boxes: list[Numbers], form: str, tmp_path: Path
) -> None:
    source = yolo(tmp_path / "data", boxes)
    done = tfrec("convert", source, tmp_path / "out")
    assert done.code == 2, done
    assert f"{source}: many boxes reach beyond their image as centre x, centre y, width, height" in done.err
    assert f"--box-format {form} takes them so" in done.err
    convert_json(source, tmp_path / "out", "--box-format", form)
    a, b, c, d = boxes[1]
    corners = (a, b, c, d) if form == "xyxy" else (a, b, a + c, b + d)
    assert stored(tmp_path / "out", 1, name="images/{}.png") == [
        pytest.approx(scaled([corners], 80, 40)[0], abs=0.01)
    ]


def test_label_files_nearly_all_of_which_reach_beyond_are_refused(tmp_path: Path) -> None:
    done = tfrec("convert", yolo(tmp_path / "data", [(0.1, 0.5, 0.3, 0.4)] * 4), tmp_path / "out")
    assert done.code == 2, done
    assert "all fit as x, y, width, height" in done.err


def test_label_files_are_taken_as_they_are_where_that_is_said(tmp_path: Path) -> None:
    source = yolo(tmp_path / "data", CORNERS)
    convert_json(source, tmp_path / "out", "--box-format", "center_xywh")
    assert manifest(tmp_path / "out")["boxes"]["clipped"] == 4


@pytest.mark.parametrize(
    "boxes",
    [
        CENTERS,
        [*CENTERS, (0.1, 0.1, 0.3, 0.3), (0.05, 0.5, 0.2, 0.2)],  # a few reach beyond, as people draw
        [*CORNERS, (0.9, 0.9, 0.2, 0.2)],  # many do, and one fits as a centre alone
        [(0.1, 0.5, 0.3, 0.4), (0.5, 0.5, 0.2, 0.2)] * 4,  # half of them do, by 5 % of their image
    ],
    ids=["centres", "two beyond", "one as a centre alone", "a little beyond"],
)
def test_centres_are_read_as_before(boxes: list[Numbers], tmp_path: Path) -> None:
    convert_json(yolo(tmp_path / "data", boxes), tmp_path / "out")
    assert manifest(tmp_path / "out")["boxes"]["stored"] == len(boxes)


def test_centres_of_createml_that_only_fit_as_corners_are_refused(tmp_path: Path) -> None:
    source = createml(tmp_path, scaled(TOP_LEFT, 80, 40))
    done = tfrec("convert", source, tmp_path / "out")
    assert done.code == 2, done
    assert "all fit as x, y, width, height" in done.err
    convert_json(source, tmp_path / "out", "--box-format", "xywh")
    assert stored(tmp_path / "out", 1) == [pytest.approx((44, 0, 76, 36), abs=0.01)]


def test_centres_of_createml_are_read_as_before(tmp_path: Path) -> None:
    convert_json(createml(tmp_path, scaled(CENTERS, 80, 40)), tmp_path / "out")
    assert stored(tmp_path / "out", 0) == [pytest.approx((8, 6, 40, 26), abs=0.01)]


def voc(folder: Path, boxes: list[Numbers], size: tuple[int, int] = (80, 40)) -> Path:
    for number, box in enumerate(boxes):
        photo(folder / f"{number}.png", size, number)
        sides = zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
        box_text = "".join(f"<{side}>{value:g}</{side}>" for side, value in sides)
        found = f"<object><name>cat</name><bndbox>{box_text}</bndbox></object>"
        write(folder, f"<annotation><filename>{number}.png</filename>{found}</annotation>", f"{number}.xml")
    return folder


def coco(folder: Path, boxes: list[Numbers], size: tuple[int, int] = (80, 40)) -> Path:
    for number in range(len(boxes)):
        photo(folder / f"{number}.png", size, number)
    sides = {"width": size[0], "height": size[1]}
    images = [{"id": n, "file_name": f"{n}.png", **sides} for n in range(len(boxes))]
    found = [{"id": n, "image_id": n, "category_id": 1, "bbox": box} for n, box in enumerate(boxes)]
    content = {"images": images, "annotations": found, "categories": [{"id": 1, "name": "cat"}]}
    return write(folder, json.dumps(content), "list.json")


# Each with one box in its own form.
KINDS = [
    (voc, (0.505, 0.25, 0.955, 0.7)),
    (coco, (0.505, 0.25, 0.45, 0.45)),
    (createml, (0.73, 0.475, 0.45, 0.45)),
]


@pytest.mark.parametrize(("make", "box"), KINDS)
@pytest.mark.parametrize(("unit", "whole"), [("fractions", 1), ("percent", 100)])
def test_boxes_in_another_unit_than_lists_of_their_kind_have_are_refused(
    make: Any, box: Numbers, unit: str, whole: int, tmp_path: Path
) -> None:
    size = (400, 200)
    source = make(tmp_path / "data", scaled([box], whole, whole) * 10, size)
    done = tfrec("convert", source, tmp_path / "out", "--dry-run")
    assert done.code == 2, done
    assert str(source) in done.err
    assert f"--box-unit {unit}" in done.err
    convert_json(source, tmp_path / "out", "--box-unit", unit)
    assert stored(tmp_path / "out", 1) == [pytest.approx((202, 50, 382, 140), abs=0.1)]
    convert_json(source, tmp_path / "pixels", "--box-unit", "pixels")
    assert stored(tmp_path / "pixels", 1)[0][2] == pytest.approx(0.955 * whole, abs=0.1)


@pytest.mark.parametrize("make", [voc, coco, createml])
@pytest.mark.parametrize(
    ("boxes", "size"),
    [
        ([(20.0, 15.0, 30.0, 26.0)] * 10, (400, 200)),  # whole numbers
        ([(20.5, 15.0, 30.0, 26.0)] * 9, (400, 200)),  # a few
        ([(20.5, 15.0, 30.0, 26.0)] * 10, (150, 150)),  # of small images
        ([(20.5, 15.0, 30.0, 26.0)] * 9 + [(60.0, 70.0, 105.0, 100.0)], (400, 200)),
        ([(0.0, 0.0, 2.0, 2.0)] * 3, (80, 40)),
        ([(20.5, 16.5, 30.0, 26.0)] * 10, (400, 200)),
    ],
    ids=["whole", "few", "small", "one further", "at the origin", "in a corner"],
)
def test_pixels_are_read_as_before(
    make: Any, boxes: list[Numbers], size: tuple[int, int], tmp_path: Path
) -> None:
    convert_json(make(tmp_path / "data", boxes, size), tmp_path / "out")
    assert manifest(tmp_path / "out")["boxes"]["stored"] == len(boxes)


def csv_list(folder: Path, boxes: list[Numbers], size: tuple[int, int] = (80, 40), head: str = "") -> Path:
    for number in range(len(boxes)):
        photo(folder / f"{number}.png", size, number)
    rows = [f"{n}.png,{','.join(f'{value:g}' for value in box)},cat\n" for n, box in enumerate(boxes)]
    return write(folder, head + "".join(rows), "list.csv")


def with_header(folder: Path, boxes: list[Numbers]) -> Path:
    return csv_list(folder, boxes, head="image,xmin,ymin,xmax,ymax,label\n")


@pytest.mark.parametrize("make", [voc, with_header])
def test_boxes_of_larger_pictures_are_refused(make: Any, tmp_path: Path) -> None:
    source = make(tmp_path / "data", [(40.0 + n, 10.0, 120.0, 70.0) for n in range(6)])
    done = tfrec("convert", source, tmp_path / "out")
    assert done.code == 2, done
    assert (
        f"{source}: 6 of the first 6 boxes lose more than a quarter at the right and lower edges" in done.err
    )
    assert "--box-unit pixels takes them as they are" in done.err
    assert ("--task classification takes labels without boxes" in done.err) == (make is with_header)
    convert_json(source, tmp_path / "out", "--box-unit", "pixels")
    assert manifest(tmp_path / "out")["boxes"]["clipped"] == 6


def test_boxes_that_are_upside_down_are_told_of(tmp_path: Path) -> None:
    boxes = [(4.0 + number, 30.0, 20.0, 10.0 + number) for number in range(6)]
    source = with_header(tmp_path / "data", boxes)
    warnings = convert_json(source, tmp_path / "out", "--box-format", "xyxy")["warnings"]
    assert [told for told in warnings if "6 of 6 boxes had corners in another order" in told]
    few = with_header(
        tmp_path / "few", [(4.0, 10.0, 20.0, 30.0 + number) for number in range(22)] + boxes[:5]
    )
    assert not any("another order" in told for told in convert_json(few, tmp_path / "out2")["warnings"])


# Under x1,x2,y1,y2: corners with both y in the places of an x, some of which end before they begin.
RIGHT = [(50.0, 5.0, 70.0, 15.0 + number) for number in range(5)]
TURNED = [*RIGHT, (10.0, 2.0, 20.0, 30.0), (2.0, 10.0, 8.0, 30.0)]


@pytest.mark.parametrize(
    ("boxes", "code", "is_told"),
    [
        (TURNED, 2, True),
        ([*TURNED, *TURNED[-1:] * 5], 0, True),  # half of them are in order as they are called
        (RIGHT, 0, True),  # drawn from their far corner, as it seems
        ([(4.0, 8.0, 70.0 + number, 20.0) for number in range(6)], 0, False),  # upside down
        ([(4.0, 20.0 + number, 8.0, 30.0) for number in range(6)], 0, False),
        ([*TURNED[:-1], (60.0, 70.0, 20.0, 30.0)], 0, False),
        ([*RIGHT[:2], (10.0, 2.0, 20.0, 30.0)], 0, False),
    ],
)
def test_corners_in_order_as_other_columns_get_the_command_that_calls_them_so(
    boxes: list[Numbers], code: int, is_told: bool, tmp_path: Path
) -> None:
    source = csv_list(tmp_path, boxes, (80, 80), "image,x1,x2,y1,y2,label\n")
    done = tfrec("convert", source, tmp_path / "out", "--dry-run")
    assert (done.code, "x1 to xmin, y1 to xmax, x2 to ymin, y2 to ymax: " in done.err) == (code, is_told)
    if code:
        assert "--box-format xyxy takes them as they are" in done.err
        command = done.err.partition("y2 to ymax: ")[2].partition("; --box-format")[0]
        assert shell(command, tmp_path).code == 0
        convert_json(tmp_path / "list-boxes.csv", tmp_path / "out")
        assert manifest(tmp_path / "out")["boxes"]["swapped"] == 0
        assert boxes_of(records(tmp_path / "out")["5.png"])[0][1] == pytest.approx((10, 2, 20, 30))


@pytest.mark.parametrize(
    ("names", "is_told"), [("crop_image,frame_image", True), ("side_image,frame_image", False)]
)
def test_images_that_were_cut_out_of_others_are_no_images_of_boxes(
    names: str, is_told: bool, tmp_path: Path
) -> None:
    for number in range(6):
        photo(tmp_path / f"cut/{number}.png", (8, 8), number)
    rows = "".join(
        f"2025-10-0{n + 1},{'cat' if n % 2 else 'dog'},0.{n + 1},30,10,60,40,cut/{n}.png,all/{n}.png\n"
        for n in range(6)
    )
    write(tmp_path, f"taken,true_label,confidence,x1,y1,x2,y2,{names}\n{rows}", "list.csv")
    told = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    option = "--task classification --columns image_uri=crop_image,label=true_label"
    assert (told.code, f"where crop_image holds what was cut out: {option}; " in told.err) == (2, is_told)
    if is_told:
        convert_json("list.csv", "out", *option.split(), cwd=tmp_path)
        made = manifest(tmp_path / "out")
        assert (made["num_labels"], "boxes" in made) == (2, False)


@pytest.mark.parametrize("make", [voc, with_header])
@pytest.mark.parametrize(
    "boxes",
    [
        [(40.0, 10.0, 120.0, 70.0)] * 4,
        [(40.0, 10.0, 120.0, 70.0)] * 2 + [(10.0, 10.0, 30.0, 30.0)] * 6,
        [(40.0, 10.0, 90.0, 40.0)] * 8,
        [(40.0, 10.0, 120.0, 70.0)] * 7 + [(-20.0, 10.0, 20.0, 30.0)],
        [(40.0, 5.0, 81.0, 41.0)] * 8,
    ],
    ids=["four", "a quarter", "a fifth of each", "drawn beyond all edges", "rounding"],
)
def test_boxes_drawn_beyond_edges_are_read_as_before(make: Any, boxes: list[Numbers], tmp_path: Path) -> None:
    convert_json(make(tmp_path / "data", boxes), tmp_path / "out")
    assert manifest(tmp_path / "out")["boxes"]["stored"] == len(boxes)


@pytest.mark.parametrize(
    ("boxes", "may_be_extents"),
    [
        ([(10.0 + n, 70.0, 5.0, 30.0) for n in range(6)], False),
        ([(4.0 + n, 20.0, 8.0, 18.0) for n in range(6)], True),
    ],
)
def test_rows_with_both_x_first_are_refused(
    boxes: list[Numbers], may_be_extents: bool, tmp_path: Path
) -> None:
    source = csv_list(tmp_path, boxes)
    done = tfrec("convert", source, tmp_path / "out", "--dry-run")
    assert done.code == 2, done
    assert "all fit as xmin, xmax, ymin, ymax" in done.err
    assert ("--box-format xywh takes them" in done.err) == may_be_extents
    assert ("--box-format xyxy takes them" in done.err) == may_be_extents
    command = done.err.partition("make a CSV of it: ")[2].partition("; then: ")[0]
    subprocess.run(command, shell=True, check=True)
    convert_json(tmp_path / "list-as-csv.csv", tmp_path / "out")
    a, b, c, d = boxes[1]
    assert stored(tmp_path / "out", 1) == [pytest.approx((a, c, b, d))]


def test_boxes_of_json_with_both_x_first_have_no_command_for_columns(tmp_path: Path) -> None:
    csv_list(tmp_path, boxes := [(10.0 + n, 70.0, 5.0, 30.0) for n in range(6)])
    keys = ("xmin", "ymin", "xmax", "ymax")
    lines = [
        json.dumps({"image": f"{n}.png", "boxes": [{"label": "cat", **dict(zip(keys, box, strict=True))}]})
        for n, box in enumerate(boxes)
    ]
    done = tfrec("convert", write(tmp_path, "\n".join(lines), "list.jsonl"), tmp_path / "out")
    assert "all fit as xmin, xmax, ymin, ymax\n       write each box as xmin, ymin, xmax, ymax\n" in done.err


def test_columns_of_sides_with_both_x_first_are_renamed_by_the_command(tmp_path: Path) -> None:
    """CrowdAI's header is xmin, xmax, ymin, ymax above the corners; one box has no width."""
    boxes = [(4.0 + n, 3.0, 70.0, 25.0) for n in range(8)]
    boxes[5] = (30.0, 3.0, 30.0, 25.0)
    source = csv_list(tmp_path, boxes, head="image,xmin,xmax,ymin,ymax,label\n")
    done = tfrec("convert", source, tmp_path / "out")
    assert (done.code, "--box-format" in done.err) == (2, False), done
    assert shell(done.err.partition("rename ymin to xmax, xmax to ymin: ")[2].strip(), tmp_path).code == 0
    convert_json(tmp_path / "list-boxes.csv", tmp_path / "out")
    assert stored(tmp_path / "out", 1) == [pytest.approx(boxes[1])]


def test_corners_that_end_first_and_fit_once_sorted_are_read_as_before(tmp_path: Path) -> None:
    """The lower left corner, then the upper right one."""
    boxes = [(10.0 + n, 30.0, 40.0, 12.0) for n in range(6)]
    convert_json(csv_list(tmp_path, boxes), tmp_path / "out")
    assert stored(tmp_path / "out", 1) == [pytest.approx((11, 12, 40, 30))]


@pytest.mark.parametrize(
    ("odd", "ways"),
    [
        ((30, 3, 30, 25), ["xmin,ymin,xmax,ymax"]),
        ((60, 3, 30, 25), ["xmin,ymin,xmax,ymax", "x,y,width,height"]),
    ],
    ids=["flat", "turned"],
)
def test_a_header_for_corners_of_which_one_is_odd_is_proposed(
    odd: Numbers, ways: list[str], tmp_path: Path
) -> None:
    boxes = [*((4.0 + n, 3.0, 70.0, 25.0) for n in range(8)), odd]
    rows = [f"{n}.png cat 5 {' '.join(map(str, box))}\n" for n, box in enumerate(boxes)]
    done = tfrec("convert", write(tmp_path, "".join(rows), "list.txt"), tmp_path / "out")
    assert [each.partition(";")[0] for each in done.err.split("echo image,label,column_3,")[1:]] == ways, done
