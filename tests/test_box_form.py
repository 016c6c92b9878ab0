"""Four numbers of a box that only fit into their images as what the list does not call them are refused."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from pathlib import Path

import pytest
from boxing import boxes_of, convert, photos, records, write
from converting import convert_json, manifest, shell, tfrec
from PIL import Image

from tfrecordcli.boxes import box_text, image_text
from tfrecordcli.errors import InputError
from tfrecordcli.sources import sample
from tfrecordcli.sources.boxes.fit import Numbers, have_areas_of_corners
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.misread import forms
from tfrecordcli.sources.misread.corners_as_centers import told_corners

# Corners in images of 80 x 40 pixels; as x, y, width, height the second and third reach beyond.
CORNERS = [(8, 4, 40, 20), (30, 20, 70, 36), (50, 10, 78, 38)]
EXTENTS = [(x, y, right - x, bottom - y) for x, y, right, bottom in CORNERS]
NAMES = ("a.png", "b.png", "c.png")


# Two of five begin at their far corner, and all fit as extents.
FEW_TURNED = [(8, 4, 40, 20), (1, 2, 30, 30), (30, 20, 10, 8), (5, 5, 20, 20), (40, 18, 12, 9)]

# Four of 24 begin at their far corner, all fit as extents, and as x first: all, or all but one.
SWAPPED = [(i, i + 1, i + 5, i + 9) if i % 6 else (i + 5, i + 9, i, i + 1) for i in range(24)]
SWAPPED_ODD = [*SWAPPED[:-1], (12, 1, 30, 20)]


def whole(boxes: Sequence[tuple[float, ...]], size: str = "") -> str:
    """A list with boxes in one column, as Kaggle has them."""
    head = "image_id,label," + ("width,height," if size else "")
    rows = [f'{name},cat,{size}"{list(box)}"\n' for name, box in zip(NAMES, boxes, strict=True)]
    return f"{head}bbox\n" + "".join(rows)


def four(header: str, boxes: list[tuple[float, ...]]) -> str:
    rows = [f"{name},cat,{','.join(map(str, box))}\n" for name, box in zip(cycle(NAMES), boxes, strict=False)]
    return f"image,label,{header}\n" + "".join(rows)


def hugging_face(boxes: Sequence[tuple[float, ...]]) -> str:
    lines = [
        {"file_name": name, "objects": {"bbox": [box], "categories": ["cat"]}}
        for name, box in zip(NAMES, boxes, strict=True)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def plain(boxes: list[tuple[int, ...]]) -> str:
    sides = ("xmin", "ymin", "xmax", "ymax")
    lines = [
        {"image": name, "boxes": [{"label": "cat", **dict(zip(sides, box, strict=True))}]}
        for name, box in zip(cycle(NAMES), boxes, strict=False)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def scaled(boxes: list[tuple[int, ...]]) -> list[tuple[float, ...]]:
    return [(a / 80, b / 40, c / 80, d / 40) for a, b, c, d in boxes]


@pytest.mark.parametrize(
    ("text", "name", "form"),
    [
        (whole(CORNERS), "list.csv", "xyxy"),
        (whole(CORNERS, "80,40,"), "list.csv", "xyxy"),
        (four("x,y,w,h", CORNERS), "list.csv", "xyxy"),
        (four("x,y,w,h", scaled(CORNERS)), "list.csv", "xyxy"),
        (hugging_face(CORNERS), "metadata.jsonl", "xyxy"),
        (plain(EXTENTS), "list.jsonl", "xywh"),
        (four("xmin,ymin,xmax,ymax", EXTENTS), "list.csv", "xywh"),
        (four("xmin,ymin,xmax,ymax", scaled(EXTENTS)), "list.csv", "xywh"),
        (
            "".join(f"{n},{','.join(map(str, b))},cat\n" for n, b in zip(NAMES, EXTENTS, strict=True)),
            "list.csv",
            "xywh",
        ),
    ],
    ids=[
        "one column",
        "sizes listed",
        "four columns",
        "fractions",
        "hugging face",
        "extents in JSON Lines",
        "extents",
        "extents as fractions",
        "retinanet",
    ],
)
def test_boxes_that_only_fit_in_the_other_form_are_refused(
    text: str, name: str, form: str, tmp_path: Path
) -> None:
    photos(tmp_path, *NAMES)
    source = write(tmp_path, text, name)
    done = tfrec("convert", source, tmp_path / "out", "--json")
    assert done.code == 2, done
    error = done.json["error"]
    assert str(source) in error["message"]
    assert "all fit as" in error["message"]
    assert f"--box-format {form} takes them so" in error["hint"]
    convert_json(source, tmp_path / "out", "--box-format", form)
    found = records(tmp_path / "out")
    assert {name: boxes_of(found[name])[0][1] for name in NAMES} == {
        name: pytest.approx(box, abs=0.01) for name, box in zip(NAMES, CORNERS, strict=True)
    }


@pytest.mark.parametrize("rows_looked_at", [1000, 4])
def test_images_without_a_box_tell_nothing_of_the_form(
    rows_looked_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "MOST_ROWS", rows_looked_at)
    photos(tmp_path, *NAMES, *(f"{number}.png" for number in range(9)))
    empty = "".join(f"{number}.png,,\n" for number in range(9))
    head, *rows = whole(CORNERS).splitlines(keepends=True)
    done = tfrec("convert", write(tmp_path, "".join([head, empty, *rows])), tmp_path / "out")
    assert (done.code, "nearly all fit as xmin, ymin, xmax, ymax" in done.err) == (2, True), done
    _, *rows = whole(EXTENTS).splitlines(keepends=True)
    convert(write(tmp_path, "".join([head, empty, *rows])), tmp_path / "out")
    assert manifest(tmp_path / "out")["boxes"]["stored"] == len(EXTENTS)


def test_of_many_boxes_in_one_image_a_few_rows_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = []

    def later_rows(rows: RowFile) -> Iterator[list[str]]:
        for row in sample.later_rows(rows):
            looked_at.append(row)
            yield row

    monkeypatch.setattr(sample, "MOST_ROWS", 4)
    monkeypatch.setattr(forms, "MOST_ROWS", 3)
    monkeypatch.setattr(forms, "later_rows", later_rows)
    photos(tmp_path, *NAMES)
    rows = "".join(f"{NAMES[0]},cat,1,2,{5 + i},6\n" for i in range(30))
    done = tfrec("convert", write(tmp_path, f"image,label,x,y,w,h\n{rows}"), tmp_path / "out", "--dry-run")
    assert (done.code, len(looked_at)) == (0, 4), done


@pytest.mark.parametrize("orientation", [1, 6])
@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_only_an_image_that_exif_turns_holds_boxes_of_its_turned_frame(
    kind: str, orientation: int, tmp_path: Path
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    for name in NAMES:
        more = {"exif": exif} if orientation != 1 else {}
        Image.new("RGB", (80, 40)).save(tmp_path / name, kind, **more)
    # As extents all of them lie within 40 x 80 pixels, and none within 80 x 40.
    boxes = [(2, 20 + i, 30, 36) for i in range(5)]
    done = tfrec("convert", write(tmp_path, four("x,y,w,h", boxes)), tmp_path / "out")
    assert done.code == (2 if orientation == 1 else 0), done


@pytest.mark.parametrize(("beyond", "options"), [(5, []), (4, []), (5, ["--box-format", "xywh"])])
def test_many_boxes_that_are_cut_at_the_edges_are_warned_of(
    beyond: int, options: list[str], tmp_path: Path
) -> None:
    photos(tmp_path, *NAMES)
    boxes = [(70, 2 + i, 13, 3) for i in range(beyond)] + [(1, 2 + i, 20, 5) for i in range(10)]
    done = convert_json(write(tmp_path, four("x,y,w,h", boxes)), tmp_path / "out", *options)
    told = [each for each in done["warnings"] if "reached beyond their images" in each]
    if (beyond, options) != (5, []):
        assert not told
        return
    assert told[0].startswith("5 of 15 boxes reached beyond their images")
    sheet = told[0].partition("(")[2].partition(")")[0]
    assert shell(sheet, tmp_path).code == 0
    assert (tmp_path / "boxes.png").is_file()


# Centre, width and height of boxes as parts of their images; as corner and extent they reach beyond.
AT_EDGES = [(0.8, 0.5, 0.3, 0.4), (0.5, 0.75, 0.3, 0.4), (0.9, 0.5, 0.2, 0.9)]


@pytest.mark.parametrize(
    ("boxes", "given", "fits"),
    [
        (AT_EDGES, "xywh", "center_xywh"),
        (AT_EDGES, "center_xywh", ""),
        (CORNERS, "xywh", "xyxy"),
        (CORNERS, "xyxy", ""),
        (EXTENTS, "xywh", ""),
    ],
)
@pytest.mark.parametrize("name", ["list.csv", "list.jsonl"])
def test_boxes_that_are_not_what_the_user_says_are_warned_of(
    name: str, boxes: list[tuple[float, ...]], given: str, fits: str, tmp_path: Path
) -> None:
    photos(tmp_path, *NAMES)
    text = whole(boxes) if name == "list.csv" else hugging_face(boxes)
    unit = "fractions" if boxes is AT_EDGES else "pixels"
    options = ["--box-format", given, "--box-unit", unit]
    done = convert_json(write(tmp_path, text, name), tmp_path / "out", *options)
    assert done["boxes"]["stored"] == len(NAMES)
    told = [each for each in done["warnings"] if "nearly all fit" in each]
    assert [each.rpartition("--box-format ")[2] for each in told] == ([f"{fits} says"] if fits else [])


@pytest.mark.parametrize(
    ("box", "forms"),
    [
        ((0.3, 0.4, 0.2, 0.2), ["center_xywh", "xywh"]),
        ((0.9, 0.5, 0.2, 0.2), ["center_xywh"]),
        ((30, 20, 10, 10), ["xywh", "center_xywh"]),
        ((0.1, 0.1, 0.4, 0.5), ["xyxy", "center_xywh", "xywh"]),
    ],
)
def test_four_numbers_are_proposed_as_what_they_can_be(
    box: tuple[float, ...], forms: list[str], tmp_path: Path
) -> None:
    photos(tmp_path, "a.png")
    line = {"image": "a.png", "objects": [{"label": "cat", "box": box}]}
    done = tfrec("convert", write(tmp_path, json.dumps(line), "list.jsonl"), tmp_path / "out")
    assert done.code == 2
    assert [each.partition(":")[0] for each in done.err.split("--box-format ")[1:]] == forms


# One box in twelve without a width, beyond its image, or turned.
ODD = {"flat": (30, 8, 30, 20), "over": (50, 10, 83, 38), "turned": (60, 8, 30, 20)}


@pytest.mark.parametrize("name", ["list.csv", "coco.json"])
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_one_odd_box_does_not_hide_that_the_others_are_corners(
    odd: tuple[int, ...], name: str, tmp_path: Path
) -> None:
    photos(tmp_path, *NAMES)
    boxes = [*CORNERS, odd, *CORNERS, *CORNERS, (8, 8, 60, 30), (9, 8, 60, 30)]
    coco = json.loads(_coco(CORNERS))
    coco["annotations"] = [
        {"id": i, "image_id": i % 3, "category_id": 1, "bbox": box} for i, box in enumerate(boxes)
    ]
    text = four("x,y,w,h", boxes) if name == "list.csv" else json.dumps(coco)
    done = tfrec("convert", write(tmp_path, text, name), tmp_path / "out")
    assert (done.code, "nearly all fit as xmin, ymin, xmax, ymax" in done.err) == (2, True), done


@pytest.mark.parametrize("odd", [(30, 4, 20, 8), (8, 30, 40, 8)], ids=["narrow", "low"])
def test_extents_that_nearly_all_would_be_corners_are_read(odd: tuple[int, ...], tmp_path: Path) -> None:
    photos(tmp_path, *NAMES)
    boxes = [(x, 2, 36 + x, 20) for x in range(2, 11)] + [odd, (50, 2, 60, 30)]
    convert(write(tmp_path, four("x,y,w,h", boxes)), tmp_path / "out")
    assert manifest(tmp_path / "out")["boxes"]["stored"] == len(boxes)


def test_the_form_that_is_named_is_not_doubted(tmp_path: Path) -> None:
    photos(tmp_path, *NAMES)
    source = write(tmp_path, whole(CORNERS))
    convert(source, tmp_path / "out", box_format="xywh")
    assert manifest(tmp_path / "out")["boxes"]["clipped"] == 2


def test_one_source_of_several_is_refused_by_name(tmp_path: Path) -> None:
    photos(tmp_path, *NAMES)
    sources = [
        f"train={write(tmp_path, whole(EXTENTS))}",
        f"val={write(tmp_path, whole(CORNERS), 'val.csv')}",
    ]
    done = tfrec("convert", *sources, tmp_path / "out", "--json")
    assert done.code == 2
    assert f"{tmp_path}/val.csv: " in done.json["error"]["message"]


@pytest.mark.parametrize(
    "text",
    [
        whole([(8, 4, 32, 16), (1, 2, 90, 38), (1, 1, 79, 60)]),
        whole([(8, 4, 32, 16), (30, 20, 60, 16), (10, 10, 80, 40)]),
        four("xmin,ymin,xmax,ymax", [(8, 4, 40, 20), (70, 36, 30, 20), (78, 10, 50, 38)]),
        four("xmin,ymin,xmax,ymax", [(8, 4, 40, 20), (40, 20, 8, 4), (1, 1, 2, 2)]),
        four("xmin,ymin,xmax,ymax", CORNERS),
        four("xmin,ymin,xmax,ymax", FEW_TURNED),
        four("xmin,ymin,xmax,ymax", [(a // 2, b // 2, c // 2, d // 2) for a, b, c, d in SWAPPED]),
        four("xmin,ymin,xmax,ymax", [(a // 2, b // 2, c // 2, d // 2) for a, b, c, d in SWAPPED_ODD]),
        plain([(8, 4, 40, 20), (70, 36, 30, 20), (78, 10, 50, 38)]),
        plain(CORNERS),
        whole(EXTENTS),
    ],
    ids=[
        "beyond as corners too",
        "a width below x",
        "turned corners",
        "one turned",
        "corners",
        "a few turned that fit as extents",
        "swapped corners that fit as extents",
        "the same, one of which does not fit as pairs",
        "turned corners in JSON Lines",
        "corners in JSON Lines",
        "extents",
    ],
)
def test_boxes_that_fit_as_they_are_called_are_read(text: str, tmp_path: Path) -> None:
    photos(tmp_path, *NAMES)
    convert(write(tmp_path, text), tmp_path / "out")
    assert manifest(tmp_path / "out")["boxes"]["stored"] == text.count("cat")


# Stored 80 x 40, and turned to 40 x 80: all fit as corners into the first, as extents into the second only.
UPRIGHT = [(10, 25, 20, 40), (5, 30, 15, 35), (2, 20, 30, 38)]


def _coco(boxes: list[tuple[int, ...]]) -> str:
    images = [{"id": i, "file_name": name, "width": 80, "height": 40} for i, name in enumerate(NAMES)]
    found = [{"id": i, "image_id": i, "category_id": 1, "bbox": box} for i, box in enumerate(boxes)]
    return json.dumps({"images": images, "annotations": found, "categories": [{"id": 1, "name": "cat"}]})


@pytest.mark.parametrize("name", ["list.csv", "coco.json"])
def test_boxes_of_photos_as_exif_turns_them_are_read(name: str, tmp_path: Path) -> None:
    for number, each in enumerate(NAMES):
        exif = Image.Exif()
        exif[0x0112] = 6
        Image.new("RGB", (80, 40), (number, 90, 200)).save(tmp_path / each, exif=exif)
    text = four("x,y,width,height", UPRIGHT) if name == "list.csv" else _coco(UPRIGHT)
    convert(write(tmp_path, text, name), tmp_path / "out")
    found = records(tmp_path / "out")
    assert [boxes_of(found[each])[0][1] for each in NAMES] == [
        pytest.approx((x, y, x + width, y + height), abs=0.01) for x, y, width, height in UPRIGHT
    ]


def test_a_list_without_any_box_is_not_doubted(tmp_path: Path) -> None:
    photos(tmp_path, *NAMES)
    convert(write(tmp_path, "image_id,label,bbox\na.png,,\nb.png,,\n"), tmp_path / "out")
    assert manifest(tmp_path / "out")["boxes"]["stored"] == 0


def test_images_that_cannot_be_read_here_decide_nothing(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).write_bytes(b"\x89PNG\r\n\x1a\n, and then no more")
    done = tfrec("convert", write(tmp_path, whole(CORNERS)), tmp_path / "out", "--dry-run", "--json")
    assert "all fit as" not in json.dumps(done.json)


@pytest.mark.parametrize("boxes", [CORNERS, EXTENTS], ids=["corners", "extents"])
def test_images_tell_what_the_boxes_of_coco_are_that_lists_no_sizes(
    boxes: list[tuple[int, ...]], tmp_path: Path
) -> None:
    photos(tmp_path, *NAMES)
    content = json.loads(_coco(boxes))
    content["images"] = [{"id": each["id"], "file_name": each["file_name"]} for each in content["images"]]
    write(tmp_path, json.dumps(content), "list.json")
    done = tfrec("convert", "list.json", "out", cwd=tmp_path)
    if boxes == CORNERS:
        assert done.code == 2
        assert "all fit as xmin, ymin, xmax, ymax" in done.err
        convert_json(tmp_path / "list.json", tmp_path / "out", "--box-format", "xyxy")
    assert boxes_of(records(tmp_path / "out")["b.png"])[0][1] == pytest.approx((30, 20, 70, 36))


@pytest.mark.parametrize("kind", ["JPEG", "WEBP", "BMP", "GIF", "TIFF"])
def test_images_of_any_kind_tell_it(kind: str, tmp_path: Path) -> None:
    photos(tmp_path, *NAMES)
    for name in NAMES:
        Image.open(tmp_path / name).convert("RGB").save(tmp_path / name, kind)
    content = json.loads(_coco(CORNERS))
    content["images"] = [{"id": each["id"], "file_name": each["file_name"]} for each in content["images"]]
    done = tfrec("convert", write(tmp_path, json.dumps(content), "list.json"), tmp_path / "out")
    assert "all fit as xmin, ymin, xmax, ymax" in done.err


@pytest.mark.parametrize("are_areas_of_corners", [True, False])
def test_areas_tell_what_the_boxes_of_coco_are(are_areas_of_corners: bool, tmp_path: Path) -> None:
    photos(tmp_path, *NAMES)
    boxes = [(8, 4, 40, 20), (2, 3, 30, 20), (10, 5, 40, 25)]  # all of which fit into their images as either
    areas = [(c - a) * (d - b) if are_areas_of_corners else c * d for a, b, c, d in boxes]
    told = zip(boxes, areas, strict=True)
    annotations = [
        {"id": i, "image_id": i, "category_id": 1, "bbox": box, "area": area}
        for i, (box, area) in enumerate(told)
    ]
    images = [{"id": i, "file_name": name, "width": 80, "height": 40} for i, name in enumerate(NAMES)]
    coco = {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "cat"}]}
    write(tmp_path, json.dumps(coco), "list.json")
    done = tfrec("convert", "list.json", "out", cwd=tmp_path)
    if not are_areas_of_corners:
        assert done.code == 0
        return
    assert done.code == 2
    assert "areas of boxes are theirs as xmin, ymin, xmax, ymax, and not as x, y, width, height" in done.err
    convert_json(tmp_path / "list.json", tmp_path / "out", "--box-format", "xyxy")
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [("cat", (8.0, 4.0, 40.0, 20.0))]


def areas_of(*boxes: tuple[int, int, int, int]) -> list[tuple[Numbers, float]]:
    """Boxes with the areas that they have as two corners."""
    return [(box, float((box[2] - box[0]) * (box[3] - box[1]))) for box in boxes]


def test_a_box_at_the_origin_tells_nothing_of_the_others() -> None:
    corners = (8, 4, 40, 20), (2, 3, 30, 20), (10, 5, 40, 25)
    assert have_areas_of_corners(areas_of((0, 0, 9, 7), *corners))
    assert have_areas_of_corners(areas_of(*corners, (0, 0, 9, 7)))
    assert not have_areas_of_corners(areas_of((0, 0, 9, 7), (0, 0, 8, 7), (0, 0, 9, 8)))
    assert not have_areas_of_corners([*areas_of((0, 0, 9, 7), *corners), ((8, 4, 12, 16), 12.0 * 16)])


def test_one_box_that_comes_again_tells_no_more_than_once() -> None:
    """The mask of a triangle may have the area that these numbers have as corners."""
    assert not have_areas_of_corners(areas_of(*[(10, 0, 20, 40)] * 4))


# YOLO's centre, width and height, of which one or none reaches beyond its image as corner and extent.
CENTERS = [(0.3, 0.3, 0.4, 0.5), (0.5, 0.4, 0.3, 0.2), (0.4, 0.6, 0.2, 0.4)]
BEYOND = [*CENTERS[:2], (0.8, 0.7, 0.4, 0.4)]


def test_centers_that_only_fit_as_such_are_refused(tmp_path: Path) -> None:
    photos(tmp_path, *NAMES)
    source = write(tmp_path, four("x,y,w,h", BEYOND))
    done = tfrec("convert", source, tmp_path / "out")
    assert done.code == 2
    assert "all fit as centre x, centre y, width, height" in done.err
    assert "--box-format center_xywh takes them so" in done.err
    convert_json(source, tmp_path / "out", "--box-format", "center_xywh")
    assert boxes_of(records(tmp_path / "out")["c.png"])[0][1] == pytest.approx((48, 20, 80, 36))


@pytest.mark.parametrize(
    ("header", "options", "is_doubted"),
    [
        ("x,y,w,h", (), True),
        ("x,y,width,height", (), True),
        ("x,y,w,h", ("--box-format", "xywh"), False),
        ("x,y,w,h", ("--box-format", "center_xywh"), False),
        ("left,top,width,height", (), False),
    ],
)
def test_fractions_that_fit_as_centers_too_are_warned_of(
    header: str, options: tuple[str, ...], is_doubted: bool, tmp_path: Path
) -> None:
    photos(tmp_path, *NAMES)
    done = tfrec("convert", write(tmp_path, four(header, CENTERS)), tmp_path / "out", *options)
    assert done.code == 0, done
    assert ("--box-format center_xywh takes them so" in done.err) == is_doubted


@pytest.mark.parametrize(
    ("header", "boxes"),
    [
        ("x,y,w,h", [(0.1, 0.3, 0.4, 0.5), *CENTERS[1:]]),  # the first begins before its image as a centre
        ("x,y,w,h", [(40, 20, 30, 20), (20, 10, 20, 10), (30, 20, 20, 20)]),  # pixels
    ],
)
def test_corners_with_extents_are_not_warned_of(
    header: str, boxes: list[tuple[float, ...]], tmp_path: Path
) -> None:
    photos(tmp_path, *NAMES)
    done = tfrec("convert", write(tmp_path, four(header, boxes)), tmp_path / "out")
    assert done.code == 0, done
    assert "center_xywh" not in done.err


@pytest.mark.parametrize("name", ["list.csv", "coco.json"])
def test_boxes_that_fit_with_y_first_as_well_have_that_way_named(name: str, tmp_path: Path) -> None:
    photos(tmp_path, *NAMES)
    boxes = [(4, 8, 20, 40), (20, 30, 36, 70), (10, 20, 38, 78)]
    source = write(tmp_path, whole(boxes) if name == "list.csv" else _coco(boxes), name)
    done = tfrec("convert", source, tmp_path / "out")
    assert done.code == 2
    assert "all fit as xmin, ymin, xmax, ymax and as ymin, xmin, ymax, xmax" in done.err
    assert "--box-format yxyx as ymin, xmin, ymax, xmax, --box-format xywh as they are" in done.err
    convert_json(source, tmp_path / "out", "--box-format", "yxyx")
    assert boxes_of(records(tmp_path / "out")["a.png"])[0][1] == pytest.approx((8, 4, 40, 20), abs=0.01)


@pytest.mark.parametrize(
    ("names", "box"),
    [
        ("ymin,xmin,ymax,xmax", "4,8,20,40"),
        ("y1,x1,y2,x2", "4,8,20,40"),
        ("top,left,bottom,right", "4,8,20,40"),
        ("xmin,ymin,xmax,ymax", "4,8,20,40"),
        ("ymin,ymax,xmin,xmax", "8,40,4,20"),
    ],
)
def test_y_first_by_an_option_is_what_names_of_columns_in_that_order_say(
    names: str, box: str, tmp_path: Path
) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f"image,label,{names}\na.png,cat,{box}\n")
    convert_json(source, tmp_path / "out", "--box-format", "yxyx")
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [("cat", pytest.approx((8, 4, 40, 20)))]


def test_corners_that_do_not_fit_with_y_first_have_one_way_named(tmp_path: Path) -> None:
    photos(tmp_path, *NAMES)
    done = tfrec("convert", write(tmp_path, whole(CORNERS)), tmp_path / "out")
    assert "yxyx" not in done.err


@pytest.mark.parametrize("size", ["im_{}", "frame_{}", "photo_{}", "picture_{}"])
@pytest.mark.parametrize("is_short", [False, True])
def test_boxes_are_scaled_by_the_size_that_is_listed_of_their_image(
    size: str, is_short: bool, tmp_path: Path
) -> None:
    photos(tmp_path, "a.png")
    names = ",".join(size.format(side[0] if is_short else side) for side in ("width", "height"))
    source = write(tmp_path, f"image,{names},xmin,ymin,xmax,ymax,label\na.png,160,80,16,8,80,40,cat\n")
    convert(source, tmp_path / "out")
    assert boxes_of(records(tmp_path / "out")["a.png"])[0][1] == pytest.approx((8, 4, 40, 20))


@pytest.mark.parametrize(
    ("header", "size", "box", "is_doubted"),
    [
        ("original_width,original_height", "160,80", "16,8,60,30", True),
        ("orig_w,orig_h", "160,80", "16,8,60,30", True),
        ("src_width,src_height", "160,80", "16,8,60,30", True),
        ("src_width,src_height", "80.0,40.0", "16,8,60,30", False),
        ("orig_width,orig_height", "160,80", "0.1,0.2,0.3,0.4", False),
        ("orig_width,depth", "160,80", "16,8,60,30", False),
    ],
)
def test_a_size_that_may_be_that_before_resizing_is_warned_of(
    header: str, size: str, box: str, is_doubted: bool, tmp_path: Path
) -> None:
    photos(tmp_path, "a.png")
    source = write(tmp_path, f"image,{header},xmin,ymin,xmax,ymax,label\na.png,{size},{box},cat\n")
    done = tfrec("convert", source, tmp_path / "out")
    assert done.code == 0, done
    assert ("call these columns image_width and image_height" in done.err) == is_doubted


@pytest.mark.parametrize("header", ["xmin,ymin,xmax,ymax", "x,y,w,h"])
def test_boxes_in_thousandths_are_refused_with_the_command_that_divides_them(
    header: str, tmp_path: Path
) -> None:
    photos(tmp_path, *NAMES, "d.png")
    boxes = [(100, 100, 500, 500), (375, 500, 625, 400), (625, 250, 300, 700)]
    if header.startswith("xmin"):
        boxes = [(x, y, x + width, y + height) for x, y, width, height in boxes]
    write(tmp_path, four(header, boxes) + "d.png,,,,,\n", "list.csv")
    refused = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert refused.code == 2
    assert "thousandths of the image's size" in refused.err
    command = refused.err.partition("divide them by 1000: python -c '")[2].partition("', and convert")[0]
    assert shell(f"python -c '{command}'", tmp_path).code == 0
    convert_json(tmp_path / "list-fractions.csv", tmp_path / "out", "--box-unit", "fractions")
    assert boxes_of(records(tmp_path / "out")["b.png"])[0][1] == pytest.approx((30, 20, 80, 36))
    as_pixels = tfrec("convert", "list.csv", "other", "--box-unit", "pixels", cwd=tmp_path)
    assert "thousandths" not in as_pixels.err


def test_pixels_of_which_few_end_beyond_their_images_are_no_thousandths(tmp_path: Path) -> None:
    photos(tmp_path, *NAMES)
    boxes = [(8, 4, 40, 20), (30, 20, 70, 36), (50, 10, 600, 38)]
    done = tfrec("convert", write(tmp_path, four("xmin,ymin,xmax,ymax", boxes)), tmp_path / "out")
    assert "thousandths" not in done.err


_OF_ORIGINALS = (
    "image,{w},{h},xmin,ymin,xmax,ymax,label\na.png,160,80,16,8,80,40,cat\nb.png,160,80,100,8,140,60,dog\n"
)


@pytest.mark.parametrize(
    "names", [("original_width", "original_height"), ("image_original_w", "image_original_h")]
)
def test_boxes_that_fit_into_the_size_before_resizing_alone_are_refused(
    names: tuple[str, str], tmp_path: Path
) -> None:
    photos(tmp_path, "a.png", "b.png")
    source = write(tmp_path, _OF_ORIGINALS.format(w=names[0], h=names[1]))
    done = tfrec("convert", source, tmp_path / "out", "--json")
    assert done.code == 2
    assert f"all fit into {', '.join(names)}" in done.json["error"]["message"]
    hint = done.json["error"]["hint"]
    assert "percent" not in hint
    command = hint.partition("are scaled: ")[2].partition("; --box-unit pixels")[0]
    assert shell(command, tmp_path).code == 0
    made = source.with_name(f"{source.stem}-sized.csv")
    convert(made, tmp_path / "out")
    stored = records(tmp_path / "out")
    assert boxes_of(stored["a.png"])[0][1] == pytest.approx((8, 4, 40, 20))
    assert boxes_of(stored["b.png"])[0][1] == pytest.approx((50, 4, 70, 30))


def test_boxes_of_another_size_may_be_percents(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    rows = "a.png,160,80,10,20,50,60,cat\nb.png,160,80,20,30,60,40,dog\n"
    source = write(tmp_path, f"image,original_width,original_height,x,y,width,height,label\n{rows}")
    done = tfrec("convert", source, tmp_path / "out")
    assert (done.code, "--box-unit percent" in done.err) == (2, True)
    convert(source, tmp_path / "out", box_unit="percent")
    assert boxes_of(records(tmp_path / "out")["a.png"])[0][1] == pytest.approx((8, 8, 48, 32))


@pytest.mark.parametrize(
    ("size", "beyond", "options"),
    [("160,80", 1, ()), ("160,80", 12, ("--box-unit", "pixels")), ("100,45", 3, ()), ("80,40", 3, ())],
    ids=["a slip", "as is said", "beyond both", "the size they have"],
)
def test_boxes_beside_a_size_before_resizing_that_tells_nothing_are_read(
    size: str, beyond: int, options: tuple[str, ...], tmp_path: Path
) -> None:
    names = [f"{i}.png" for i in range(12)]
    photos(tmp_path, *names)
    rows = [
        f"{name},{size},{70 if i < beyond else 7},8,{110 if i < beyond else 20},30,cat"
        for i, name in enumerate(names)
    ]
    head = "image,original_width,original_height,xmin,ymin,xmax,ymax,label"
    source = write(tmp_path, "\n".join([head, *rows]) + "\n")
    assert tfrec("convert", source, tmp_path / "out", *options).code == 0


# Of thirty boxes each: (middle, spread, smallest and largest side) of x and of y.
PLACES = {
    "in the middle": ((0.5, 0.05, 0.05, 0.3), (0.5, 0.04, 0.1, 0.3)),
    "anywhere": ((0.5, 0.4, 0.02, 0.2), (0.5, 0.4, 0.02, 0.2)),
    "as large as their images": ((0.5, 0.05, 0.7, 0.9), (0.5, 0.05, 0.7, 0.9)),
    "upright": ((0.5, 0.08, 0.6, 0.8), (0.42, 0.05, 0.5, 0.8)),
    "in the upper left": ((0.12, 0.02, 0.15, 0.2), (0.1, 0.02, 0.12, 0.18)),
    "to the left": ((0.36, 0.04, 0.4, 0.6), (0.42, 0.04, 0.5, 0.8)),
    "small and above the middle": ((0.4, 0.17, 0.04, 0.1), (0.35, 0.17, 0.04, 0.1)),
}
SURE = ["small and above the middle", "anywhere"]
DOUBTED = ["in the middle", "as large as their images"]


def _drawn(name: str, count: int = 30) -> list[Numbers]:
    """Corners of boxes that lie in such places, clipped to the image."""
    chance = random.Random(1)
    boxes = []
    for _ in range(count):
        sides = []
        for middle, spread, least, most in PLACES[name]:
            at, half = chance.uniform(middle - spread, middle + spread), chance.uniform(least, most) / 2
            sides.append((max(0.0, at - half), min(1.0, at + half)))
        (a, c), (b, d) = sides
        boxes.append((a, b, c, d))
    return boxes


def told(centers: Iterable[Numbers]) -> list[str]:
    """What is said of boxes that are taken for centres, all of one image."""
    corners = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for x, y, w, h in centers]
    text = image_text(unit="f") + "".join(box_text(1, map(str, each)) for each in corners)
    return told_corners("fractions", [("a.png", text)], ".")


@pytest.mark.parametrize("name", PLACES)
def test_corners_taken_for_centers_are_doubted_and_centers_are_not(name: str) -> None:
    corners = _drawn(name)
    assert told(map(as_center, corners)) == []
    if name in SURE:
        assert len(told(corners[:6])) == 1
        with pytest.raises(InputError, match="the wider the farther right"):
            told(corners)
    else:
        assert bool(told(corners)) == (name in DOUBTED)


def test_centers_of_faces_in_the_upper_left_are_not_refused() -> None:
    chance = random.Random(3)
    sizes = [(chance.uniform(0.1, 0.9), chance.uniform(0.1, 0.9)) for _ in range(30)]
    boxes = [(w * chance.uniform(0.5, 0.95), h * chance.uniform(0.5, 0.95), w, h) for w, h in sizes]
    assert len(told((min(x, 1 - w / 2), min(y, 1 - h / 2), w, h) for x, y, w, h in boxes)) <= 1


def as_center(corners: Numbers) -> Numbers:
    a, b, c, d = corners
    return (a + c) / 2, (b + d) / 2, c - a, d - b


def test_real_centers_of_large_objects_are_not_doubted() -> None:
    path = Path(__file__).parents[2] / "shared/data/detection/raccoon/data/raccoon_labels.csv"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    with path.open(newline="") as lines:
        rows = [list(map(int, (*row[1:3], *row[4:]))) for row in list(csv.reader(lines))[1:]]
    boxes = [as_center((a / w, b / h, c / w, d / h)) for w, h, a, b, c, d in rows]
    in_order = [(a, b, c, d) for a, b, c, d in boxes if a < c and b < d]
    assert len(in_order) > len(boxes) / 2  # as corners would be
    assert told(in_order) == []


@pytest.mark.parametrize("options", [(), ("--box-format", "xyxy"), ("--box-format", "center_xywh")])
@pytest.mark.parametrize("name", ["in the middle", "small and above the middle"])
def test_label_files_of_corners_are_told_of(name: str, options: tuple[str, ...], tmp_path: Path) -> None:
    photos(tmp_path, "in/images/a.png")
    lines = [f"0 {' '.join(map(str, box))}\n" for box in _drawn(name)]
    write(tmp_path / "in/labels", "".join(lines), "a.txt")
    write(tmp_path / "in", "cat\n", "classes.txt")
    done = tfrec("convert", tmp_path / "in", tmp_path / "out", *options)
    is_refused = name in SURE and not options
    assert (done.code, "--box-format xyxy takes them so" in done.err) == (2 * is_refused, not options), done


# All fit into 80 x 40 pixels as extents, too: corners of objects of like sizes, and extents of close-ups.
_IN_ORDER = {
    "corners": [(i * 3 % 17, i * 2 % 11, 18 + i * 3 % 17, 12 + i * 2 % 11) for i in range(12)],
    "extents": [(i * 3 % 17, i * 2 % 11, 60 - i * 3 % 17, 28 - i * 2 % 11) for i in range(12)],
}


@pytest.mark.parametrize("name", ["list.csv", "list.jsonl", "coco.json"])
@pytest.mark.parametrize("kind", _IN_ORDER)
def test_extents_that_go_together_as_corners_do_are_warned_of(kind: str, name: str, tmp_path: Path) -> None:
    names = [f"{i}.png" for i in range(12)]
    photos(tmp_path, *names)
    pairs = list(zip(names, _IN_ORDER[kind], strict=True))
    texts = {
        "list.csv": "image,label,bbox\n" + "".join(f'{image},cat,"{list(box)}"\n' for image, box in pairs),
        "list.jsonl": "".join(
            json.dumps({"file_name": image, "objects": {"bbox": [box], "categories": ["cat"]}}) + "\n"
            for image, box in pairs
        ),
        "coco.json": json.dumps(
            {
                "images": [{"id": i, "file_name": image} for i, (image, _) in enumerate(pairs)],
                "annotations": [
                    {"id": i, "image_id": i, "category_id": 1, "bbox": box}
                    for i, (_, box) in enumerate(pairs)
                ],
                "categories": [{"id": 1, "name": "cat"}],
            }
        ),
    }
    source = write(tmp_path, texts[name], name)
    done = convert_json(source, tmp_path / "out")
    told = [each for each in done["warnings"] if "may be xmin, ymin, xmax, ymax" in each]
    assert len(told) == (kind == "corners")
    given = convert_json(source, tmp_path / "out2", "--box-format", "xywh")
    assert not any("may be xmin" in each for each in given["warnings"])


@pytest.mark.parametrize("kind", _IN_ORDER)
def test_extents_of_which_a_few_reach_beyond_are_refused_where_they_go_together_as_corners_do(
    kind: str, tmp_path: Path
) -> None:
    names = [f"{i}.png" for i in range(12)]
    photos(tmp_path, *names)
    boxes = [*_IN_ORDER[kind][:9], *[(30, 18, 55, 30) if kind == "corners" else (16, 2, 66, 37)] * 3]
    rows = [
        f'{name},{i < 9},cat,"{list(box)}"\n' for i, (name, box) in enumerate(zip(names, boxes, strict=True))
    ]
    source = write(tmp_path, f"image,is_train,label,bbox\n{''.join(rows)}")
    done = tfrec("convert", source, tmp_path / "out")
    assert done.code == 2 * (kind == "corners"), done
    assert ("nearly all fit as xmin, ymin, xmax, ymax" in done.err) == (kind == "corners")
    split = "--columns split=is_train --split-map True=train,False=validation"
    assert split in done.err
    if kind == "corners":
        assert "--box-format xyxy takes them so, --box-format xywh as they are; a column" in done.err
        made = convert_json(source, tmp_path / "out", "--box-format", "xyxy", *split.split())
        assert made["boxes"]["stored"] == 12
        assert {split: each["records"] for split, each in made["splits"].items()} == {
            "train": 9,
            "validation": 3,
        }


@pytest.mark.parametrize("is_odd", [False, True], ids=["sizes", "a number next to nothing"])
def test_extents_in_images_of_several_sizes_do_not_go_together(*, is_odd: bool, tmp_path: Path) -> None:
    """In larger images all numbers are larger; as parts of their sides these are close-ups."""
    rows = []
    for i in range(8):
        side = 40 * (1 + i % 4)
        Image.new("RGB", (side, side)).save(tmp_path / f"{i}.png")
        place = 0.05 + 0.02 * (i * 3 % 8)
        box = [round(side * part) for part in (place, place, 0.8 - place, 0.8 - place)]
        rows.append(f'{i}.png,cat,"{[1e-170, *box[1:]] if is_odd else box}"\n')
    done = convert_json(write(tmp_path, f"image,label,bbox\n{''.join(rows)}"), tmp_path / "out")
    assert done["boxes"]["stored"] == 8
    assert not any("may be xmin" in each for each in done["warnings"])
