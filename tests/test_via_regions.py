"""The VGG Image Annotator's CSV with regions, which is read as a list of boxes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from boxing import boxes_of, photos, records
from converting import shell, tfrec

HEADER = "filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_attributes"
RECT = {"name": "rect", "x": 8, "y": 4, "width": 32, "height": 16}
BOX = (8, 4, 40, 20)
NONE: dict[str, Any] = {}


def via(*rows: tuple[str, Any, Any], delimiter: str = ",", header: str = HEADER) -> str:
    """Such a CSV of (image, shape, attributes)."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerows([name, 9, "{}", 1, 0, json.dumps(one), json.dumps(two)] for name, one, two in rows)
    return f"{header}\n{text.getvalue()}"


def kinds(*texts: Any, **others: Any) -> list[tuple[str, Any, Any]]:
    """Rows of a box each, by turns of two images, with these labels of the attribute `kind`."""
    return [
        ("ab"[i % 2] + ".png", RECT, {"kind": text} | {key: each[i] for key, each in others.items()})
        for i, text in enumerate(texts)
    ]


# the text, options, labels and corners of the boxes of a.png
READ = {
    "a box": (via(*kinds("cat", "dog"), ("b.png", NONE, NONE)), "", [("cat", BOX)]),
    "a polygon": (
        via(("a.png", {"name": "polygon", "all_points_x": [16, 80, 20], "all_points_y": [40, 9, 8]}, NONE)),
        "", [("object", (16, 8, 80, 40))],
    ),
    "an ellipse": (
        via(("a.png", {"name": "ellipse", "cx": 24, "cy": 12, "rx": 16, "ry": 8, "theta": 0}, NONE)),
        "", [("object", BOX)],
    ),
    "a turned ellipse": (
        via(("a.png", {"name": "ellipse", "cx": 24, "cy": 12, "rx": 8, "ry": 16, "theta": 1.5707963}, NONE)),
        "", [("object", BOX)],
    ),
    "a circle": (via(("a.png", {"name": "circle", "cx": 24, "cy": 12, "r": 4}, NONE)), "",
                 [("object", (20, 8, 28, 16))]),
    "behind images without any": (via(*[("b.png", NONE, NONE)] * 400, *kinds("cat")), "", [("cat", BOX)]),
    "ticks": (via(*kinds({"cat": True, "dog": False}, {"dog": True})), "", [("cat", BOX)]),
    "a list": (via(*kinds(["cat"], ["dog"])), "", [("cat", BOX)]),
    "numbers as texts": (
        via(("a.png", {"name": "rect", "x": "8", "y": "4", "width": "32", "height": "16"}, NONE)),
        "", [("object", BOX)],
    ),
    "sides that are called so": (via(*kinds("cat")), "--box-format xywh", [("cat", BOX)]),
    "of one pixel alone": (
        via(("a.png", RECT | {"x": 0, "y": 0, "width": 1, "height": 1}, NONE)), "",
        [("object", (0, 0, 1, 1))],
    ),
    "fractions": (
        via(("a.png", RECT | {"x": 0.25, "y": 0.25, "width": 0.5, "height": 0.5}, NONE)),
        "--box-unit fractions", [("object", (20, 10, 60, 30))],
    ),
    "beside a rectangle without extent": (
        via(*kinds("cat"), ("a.png", RECT | {"width": 0, "height": 0}, {"kind": "cat"})), "", [("cat", BOX)],
    ),
    "a line at the end": (via(*kinds("cat")) + "\n", "", [("cat", BOX)]),
    "semicolons": (via(*kinds("cat", "dog"), delimiter=";", header=HEADER.replace(",", ";")), "",
                   [("cat", BOX)]),
    "lines of another system": (via(*kinds("cat")).replace("\n", "\r"), "", [("cat", BOX)]),
    "quotes": (via(*kinds("cat"), header='"' + HEADER.replace(",", '","') + '"'), "", [("cat", BOX)]),
    "a sign before": (via(*kinds("cat"), header=f"\ufeff#{HEADER}"), "", [("cat", BOX)]),
    "beside yes and no": (via(*kinds("cat", "dog", hidden=["yes", "no"])), "", [("cat", BOX)]),
    "beside the same": (via(*kinds("cat", "dog", by=["Tom", "Tom"])), "", [("cat", BOX)]),
    "of a better name": (via(*kinds("1", "2", label=["cat", "dog"])), "", [("cat", BOX)]),
    "named": (via(*kinds("1", "2", pet=["cat", "dog"])), "--columns label=pet", [("cat", BOX)]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "options", "expected"), READ.values(), ids=READ)
def test_regions_are_boxes(text: str, options: str, expected: list[Any], tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    (tmp_path / "via.csv").write_text(text, encoding="utf-8")
    done = tfrec("convert", "via.csv", "out", "--splits", "train=1", *options.split(), cwd=tmp_path)
    assert done.code == 0, done
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [
        (label, pytest.approx(box, abs=1e-4)) for label, box in expected
    ]


def test_regions_in_a_frame_are_boxes_also_below_an_image_without_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos(tmp_path, "a.png", "b.png")
    frame = pd.read_csv(io.StringIO(via(("b.png", NONE, NONE), *kinds("cat"))))
    frame.loc[0, ["region_shape_attributes", "region_attributes"]] = None
    monkeypatch.chdir(tmp_path)
    frame.tensorflow.to_tfrecord(output_dir="out", splits={"train": 1})
    found = records(tmp_path / "out")
    assert [boxes_of(found[name]) for name in ("a.png", "b.png")] == [[("cat", pytest.approx(BOX))], []]


# rows, options, what is said
REFUSED = {
    "several attributes": (kinds("1", "2", pet=["cat", "dog"]), "", "label=kind or --columns label=pet"),
    "a remark beside one class": (kinds("x", "y", label=["cat", "cat"]), "", "label=kind or --columns label"),
    "another attribute": (kinds("1", "2"), "--columns label=pet", "no region has the attribute pet"),
    "no shape": ([("a.png", {"name": "rect", "x": 1}, NONE)], "", "line 2: this is no region"),
    "a column that is made": (kinds("1"), "--features tfrec_source_id", "tfrec_source_id: no column of that"),
    "a group that is made": (kinds("1"), "--split-by tfrec_unit", "tfrec_unit: no column of that"),
    "a column that is not stored": (
        kinds("1"),
        "--features file_size",
        "no column of that name; there is none",
    ),
    "corners that are centres": (kinds("1"), "--box-format center_xywh", "leave --box-format center_xywh"),
    "fractions": (
        [("a.png", RECT | {"x": 0.25, "y": 0, "width": 0.5, "height": 0.5}, NONE)],
        "",
        "--box-unit fractions",
    ),
    "no object": ([("a.png", 5, NONE)], "", "line 2: this is no region"),
}


@pytest.mark.parametrize(("rows", "options", "said"), REFUSED.values(), ids=REFUSED)
def test_regions_that_are_not_certain_are_refused(
    rows: list[Any], options: str, said: str, tmp_path: Path
) -> None:
    photos(tmp_path, "a.png", "b.png")
    (tmp_path / "via.csv").write_text(via(*rows), encoding="utf-8")
    done = tfrec("convert", "via.csv", "out", *options.split(), cwd=tmp_path)
    assert done.code == 2
    assert said in done.err


# a shape, and what stands for its number
NUMBERLESS = {
    "too large": (RECT | {"x": "9" * 400}, "'9999"),
    "too large a circle": ({"name": "circle", "cx": 10**400, "cy": 9, "r": 3}, "inf"),
    "NaN": (RECT | {"width": float("nan")}, "nan"),
    "a flag": (RECT | {"x": True}, "True"),
    "a word": (RECT | {"x": "left"}, "has 'left'"),
    "null": (RECT | {"x": None}, "has 'null'"),
    "a radius of null": ({"name": "circle", "cx": 9, "cy": 9, "r": None}, "has 'null'"),
    "sides of two lengths": ({"all_points_x": [1, 50], "all_points_y": [3]}, "has '2 x and 1 y'"),
    "points in points": ({"all_points_x": [[1, 2]], "all_points_y": [[3]]}, "has '[1.0, 2.0]'"),
    "no point": ({"name": "polygon", "all_points_x": [], "all_points_y": []}, "[]"),
}


@pytest.mark.parametrize(("shape", "shown"), NUMBERLESS.values(), ids=NUMBERLESS)
def test_what_has_no_numbers_is_rejected_by_its_row(shape: Any, shown: str, tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    rows = [*kinds("cat", "dog"), ("a.png", shape, {"kind": "cat"})]
    (tmp_path / "via.csv").write_text(via(*rows), encoding="utf-8")
    done = tfrec("convert", "via.csv", "out", "--splits", "train=1", "--max-rejects", "1", cwd=tmp_path)
    assert "line 4: a.png: the box has " in done.err
    assert shown in done.err
    assert [*records(tmp_path / "out")] == ["b.png"]


def line(*xs: float) -> dict[str, Any]:
    """A line through points."""
    return {"name": "polyline", "all_points_x": [*xs], "all_points_y": [*map(float, range(len(xs)))]}


# regions without an extent, and the word for the first
FLAT: dict[str, tuple[list[dict[str, Any]], str]] = {
    "a point": ([{"name": "point", "cx": 9, "cy": 9}], "point"),
    "a line": ([line(9, 50)], "line"),
    "both": ([line(9.5, 50), {"name": "point", "cx": 9, "cy": 9}], "line"),
}


@pytest.mark.parametrize(("shapes", "word"), FLAT.values(), ids=FLAT)
def test_what_has_no_extent_is_left_out_by_a_command(
    shapes: list[dict[str, Any]], word: str, tmp_path: Path
) -> None:
    photos(tmp_path, "a.png")
    rows = [*kinds("cat"), *(("a.png", each, {"kind": "eye"}) for each in [*shapes, line(1, 9, 4)])]
    (tmp_path / "via.csv").write_text(via(*rows), encoding="utf-8")
    done = tfrec("convert", "via.csv", "out", cwd=tmp_path)
    assert f"via.csv: line 3: a {word} has no extent" in done.err
    assert shell(done.err.partition("make a CSV of it: ")[2].strip(), tmp_path).code == 0
    assert tfrec("convert", "via-as-csv.csv", "out", "--splits", "train=1", cwd=tmp_path).code == 0
    assert boxes_of(records(tmp_path / "out")["a.png"])[1:] == [("eye", (1, 0, 9, 2))]


def test_regions_of_which_none_has_an_extent_are_refused(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    (tmp_path / "via.csv").write_text(via(("a.png", line(9, 50), NONE)), encoding="utf-8")
    done = tfrec("convert", "via.csv", "out", cwd=tmp_path)
    assert "via.csv: line 2: a line has no extent, and no region has" in done.err
    assert "rectangles or polygons" in done.err


def test_attributes_that_are_not_used_are_told(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    (tmp_path / "via.csv").write_text(via(*kinds("cat", "dog", hidden=["yes", "no"])), encoding="utf-8")
    told = "labels are the attribute kind of regions; not used: hidden (--columns label=NAME takes another)"
    assert told in tfrec("convert", "via.csv", "out", cwd=tmp_path).err
