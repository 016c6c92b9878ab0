"""Rows read in blocks are those that are read one by one."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import get_args
from unittest.mock import patch

import pytest
from boxing import photos, write
from converting import tfrec
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples

from tfrecordcli.boxes import image_text
from tfrecordcli.given_options import make_options
from tfrecordcli.planning import shuffle
from tfrecordcli.planning.box_merging import neighbours_joined
from tfrecordcli.sources import csv_file
from tfrecordcli.sources.boxes import blocks as boxes_of_blocks
from tfrecordcli.sources.boxes.blocks import plain_boxes
from tfrecordcli.sources.boxes.columns import BoxColumns, BoxFormat
from tfrecordcli.sources.boxes.fields import box_parser
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.plain_rows import PlainRows
from tfrecordcli.sources.row import Row

# What a field holds now and then in the place of what it should; of all columns.
ODD = (
    "", " ", " padded ", "DISCARD", "UNASSIGNED", "trian", "gs://bucket/a.jpg", "gs://bucket/", "ftp://a/b",
    "C:/a.jpg", "a\x01b", "\u2028", '"quoted, twice"', '"broken"x', "one,more", "007", "1.5", "-1",
    "9999999999", "1", "0.00001", "-0.0", "0.30718954248366015", "10.", "[1, 2, 3, 4.50]", '"[1, 2; 3, 4]"',
)  # fmt: skip
CLASSES = ("TRAIN", "img/a.jpg", "cat")
BOX = ("img/a.jpg", "cat", "640", "480", "10", "20", "30", "40")
BOXES = "filename,class,width,height,xmin,ymin,xmax,ymax"
KINDS = {
    "header": ("split,image_uri,label", CLASSES),
    "no split": ("image_uri,label", CLASSES[1:]),
    "no header": ("", CLASSES),
    "neither": ("", CLASSES[1:]),
    "boxes": (BOXES, BOX),
    "boxes and splits": (f"set,{BOXES}", ("TRAIN", *BOX)),
    "fractions": ("image,label,xmin,ymin,xmax,ymax", ("img/a.jpg", "cat", "0.10", ".25", "3e-1", "0.5")),
    "pixels with fractions": (BOXES, (*BOX[:2], "", "480.0", "10.25", "+20", "30.5", "40.125")),
    "extents": ("image,label,x,y,w,h", ("img/a.jpg", "cat", "10", "20", "30", "40")),
    "centres": ("image,label,cx,cy,w,h", ("img/a.jpg", "cat", "0.5", "0.5", "0.2", "0.1")),
    "four numbers in a field": (
        "image_id,width,height,bbox,source",
        ("img/a.jpg", "1024", "1024", '"[834.0, 222.5, 56.0, 36.0]"', "usask"),
    ),
    "four whole numbers": ("image_id,bbox,label", ("img/a.jpg", '"[834, 222, 56, 36]"', "cat")),
    "AutoML": ("", ("TRAIN", "img/a.jpg", "cat", "0.1", "0.2", "", "", "0.5", "0.6", "", "")),
    "AutoML without splits": ("", ("img/a.jpg", "cat", "0.1", "0.2", "", "", "0.5", "0.6", "", "")),
    "RetinaNet": ("", ("img/a.jpg", "10", "20", "30", "40", "cat")),
    "RetinaNet and splits": ("", ("VALIDATION", "img/a.jpg", "10.5", "20", "30", "40", "cat")),
}


# Boxes are read in C where it was built, and in Python elsewhere.
READERS = [*filter(None, [boxes_of_blocks._boxes]), None]
by_each_reader = pytest.mark.parametrize("reader", READERS, ids=lambda reader: "C" if reader else "Python")


def row_file(folder: Path, header: str, rows: list[str]) -> RowFile:
    path = folder / "list.csv"
    path.write_text("\n".join([header, *rows] if header else rows) + "\n", encoding="utf-8")
    return RowFile(str(path), "list.csv", make_options({}).read)


def told(rows: Iterable[Row]) -> list[tuple[object, ...]]:
    return [(*row[:4], repr(row.problem), *row[5:]) for row in rows]


@by_each_reader
@pytest.mark.parametrize("kind", KINDS)
@given(st.lists(st.tuples(st.integers(0, 199), st.integers(0, 8), st.sampled_from(ODD)), max_size=4))
@settings(max_examples=examples(100))
def test_the_rows_of_blocks_are_those_of_the_list(
    kind: str,
    reader: ModuleType | None,
    tmp_path_factory: pytest.TempPathFactory,
    changes: list[tuple[int, int, str]],
) -> None:
    header, fields = KINDS[kind]
    table = [list(fields) for _ in range(200)]
    for line, column, odd in changes:
        if line:  # the first row tells the shape of a list without a header
            table[line][column % len(fields)] = odd
    rows = row_file(tmp_path_factory.mktemp("rows"), header, [",".join(each) for each in table])
    shape, one_by_one = rows.read()
    expected = told(one_by_one)
    with patch.object(boxes_of_blocks, "_boxes", reader):
        shape_of_blocks, blocks = rows.read_blocks()
        assert told(chain.from_iterable(blocks)) == expected
    assert shape_of_blocks == shape  # the least and most of all corners, too


# Numbers as lists have them, of one kind in a column mostly; what else may stand there.
NUMBERS = {
    "whole": st.integers(0, 4_000).map(str),
    "whole floats": st.integers(0, 4_000).map("{}.0".format),
    "pixels": st.floats(-5, 4_000).map("{:.2f}".format),
    "fractions": st.floats(0, 1.02).map("{:.6f}".format),
    "a few fractions": st.sampled_from(["0", "1", "0.0", "1.0", "1.01", "1.0100", "1.02", "0.5", "0.000100"]),
    "as Python writes": st.floats(0, 2).map(repr),
    "more digits than a float keeps": st.floats(0, 3).map("{:.17f}".format),
}
NO_PLAIN_NUMBERS = (
    "-1", "007", "+1", "1.", ".5", "-0", "-0.00", "1e3", "0.00001", "0.00009990", "123456789012", "1_0", "",
    "x", "\ud800", "nan", "1e999", "9" * 400, " 1", "1\n2", "1,5", "\u0661",
    "0.1000000000000000055511151231257827", "99999.0",
)  # fmt: skip


@by_each_reader
@pytest.mark.parametrize("form", get_args(BoxFormat))
@pytest.mark.parametrize("kind", NUMBERS)
@given(st.data())
@settings(max_examples=examples(60))
def test_the_boxes_of_a_block_are_those_of_its_rows(
    kind: str, form: BoxFormat, reader: ModuleType | None, data: st.DataObject
) -> None:
    rows = data.draw(st.lists(st.lists(NUMBERS[kind], min_size=4, max_size=4), min_size=1, max_size=8))
    is_odd = data.draw(st.booleans())
    if is_odd:
        odd = data.draw(st.sampled_from(NO_PLAIN_NUMBERS))
        data.draw(st.sampled_from(rows))[data.draw(st.integers(0, 3))] = odd
    sizes = data.draw(st.sampled_from([("640", "480"), (" 640", "x"), ("640.0", "")]))
    at_once, one_by_one = (BoxColumns((0, 1, 2, 3), form, (4, 5)) for _ in range(2))
    parse = box_parser(one_by_one, ())
    *corners, widths, heights = zip(*([*row, *sizes] for row in rows), strict=True)
    for lines in (range(2, len(rows) + 2), range(90, len(rows) + 90)):  # also when some were met before
        before = replace(at_once.extremes)
        with patch.object(boxes_of_blocks, "_boxes", reader):
            fields = plain_boxes(lines, at_once, corners, (widths, heights))
        if fields is None:
            assert at_once.extremes == before
            assert is_odd or kind == "pixels"  # whose widths may be negative
            return
        stripped = [list(map(str.strip, (*row, *sizes))) for row in rows]
        assert fields == [parse(line, row, True) for line, row in zip(lines, stripped, strict=True)]
        assert at_once.extremes == one_by_one.extremes


PIECES = st.sampled_from(
    ["0", "1", "12", "9" * 15, "-", "+", ".", "e", "E-3", "e9", " ", ",", "; ", "[", ")", "\t", "_", "é"]
)
ANY_NUMBER = st.sampled_from(["1", "-2.50", "0.00004", "1e3", ".5", "7.", *NO_PLAIN_NUMBERS]) | st.lists(
    PIECES, max_size=4
).map("".join)
FOURS = st.tuples(
    st.sampled_from(["", "[", "(", " [ ", "[["]),
    st.lists(ANY_NUMBER, min_size=3, max_size=5),
    st.sampled_from([",", ", ", " ", ";", "\t,", "", "\xa0"]),
    st.sampled_from(["", "]", " )", "] ", ",]"]),
).map(lambda parts: parts[0] + parts[2].join(parts[1]) + parts[3])


@pytest.mark.skipif(len(READERS) == 1, reason="needs the native module (a C compiler)")
@pytest.mark.parametrize("form", get_args(BoxFormat))
@given(
    st.lists(st.tuples(*[ANY_NUMBER] * 4), min_size=1, max_size=3)
    | st.lists(st.tuples(FOURS), min_size=1, max_size=2)
)
@settings(max_examples=examples(400))
def test_both_readers_take_the_same_texts(form: BoxFormat, rows: list[tuple[str, ...]]) -> None:
    found = []
    for reader in READERS:
        boxes = BoxColumns(tuple(range(len(rows[0]))), form)
        with patch.object(boxes_of_blocks, "_boxes", reader):
            fields = plain_boxes(range(len(rows)), boxes, list(zip(*rows, strict=True)))
        found.append((fields, boxes.extremes))
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_that_takes_a_closer_look_leaves_the_others_plain(kind: str, tmp_path: Path) -> None:
    header, fields = KINDS[kind]
    rows = [",".join(fields)] * 2_000
    blocks = list(row_file(tmp_path, header, rows).read_blocks()[1])
    assert all(isinstance(block, PlainRows) for block in blocks)
    rows[700] = ",".join(fields[:-1])
    blocks = list(row_file(tmp_path, header, rows).read_blocks()[1])
    assert 0 < sum(len(block) for block in blocks if not isinstance(block, PlainRows)) <= 32
    assert sum(map(len, blocks)) == 2_000


@pytest.mark.parametrize("short", ["TRAIN,img/c.jpg,none", "img/c.jpg,none"])
@pytest.mark.parametrize("count", [0, 511])
def test_rows_of_boxes_without_a_header_may_have_no_box(short: str, count: int, tmp_path: Path) -> None:
    box = "TRAIN,img/a.jpg,cat,10,20,,,30,40,,"
    rows = row_file(
        tmp_path, "", [box] + [box.replace("a.jpg", f"{n}.jpg") for n in range(count)] + [short] * 600
    )
    _, one_by_one = rows.read()
    assert told(chain.from_iterable(rows.read_blocks()[1])) == told(one_by_one)


def boxes_in_any_order(chance: random.Random) -> str:
    """A list with boxes of few images, mostly neighbours: equal ones, contradictions, what is odd."""
    rows = ["split,filename,width,height,class,xmin,ymin,xmax,ymax"]
    for image in sorted(chance.choices(range(90), k=700)) + chance.choices(range(90), k=60):
        split = "TRAIN" if image % 3 else ""
        x, y = chance.randrange(4), chance.randrange(4)
        box = [f"{number}" for number in (x, y, x + 50, y + 30)]
        if chance.random() < 0.01:
            box = [box[2], box[3], box[0], box[1]]
        if chance.random() < 0.004:
            box[chance.randrange(4)] = chance.choice(["", "-1", "007", "1.5", "x"])
        if chance.random() < 0.004:
            split = chance.choice(["", "TEST", "trian", "DISCARD"])
        size = chance.choices(["80,40", "80,41"], [200, 1])[0]
        path = chance.choices([f"{image}.jpg", f"./{image}.jpg"], [20, 1])[0]
        rows.append(",".join([split, path, size, chance.choice("ab"), *box]))
    return "\n".join(rows) + "\n"


def files_of_plan(folder: Path, *options: str) -> dict[str, bytes]:
    out = folder / "out"
    tfrec("plan", folder / "list.csv", out, "--max-rejects", "100%", *options)
    plan = out / "_tfrec" / "plan"
    found = {str(path.relative_to(plan)): path.read_bytes() for path in plan.rglob("*") if path.is_file()}
    assert len(found) > 4
    shutil.rmtree(out)
    return found


@pytest.mark.parametrize(
    ("seed", "options"), [(1, ()), (2, ("--stratify",)), (3, ("--empty-images", "skip"))]
)
def test_boxes_in_blocks_make_the_plan_of_single_rows(
    seed: int, options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos(tmp_path, *(f"{number}.jpg" for number in range(90)))
    write(tmp_path, boxes_in_any_order(random.Random(seed)))
    in_blocks = files_of_plan(tmp_path, *options)
    monkeypatch.setattr(csv_file, "block_parser", lambda *_: None)
    monkeypatch.setattr(shuffle, "merge_plain", lambda lines: [*lines[0].split("\t", 2)[:2], "", ""])
    assert files_of_plan(tmp_path, *options) == in_blocks


def test_neighbours_of_one_image_go_as_one_row(tmp_path: Path) -> None:
    paths = ("a.jpg", "a.jpg", "b.jpg", "a.jpg", "c.jpg", "c.jpg", "d.jpg", "d.jpg")
    corners = ("1,2,3,4", "2,2,3,4", "1,2,3,4", "1,2,3,4", "1,2,3,4", "3,4,1,2", "5,6,7,8", "5,6,7,9")
    rows = [f"{path},cat,{size}" for path, size in zip(paths, corners, strict=True)]
    (block,) = row_file(tmp_path, "filename,class,xmin,ymin,xmax,ymax", rows).read_blocks()[1]
    assert isinstance(block, PlainRows)
    joined = neighbours_joined(block)
    # Equal but for the order of their corners: which of them counts is settled row by row.
    assert list(joined.uris) == ["a.jpg", "b.jpg", "a.jpg", "c.jpg", "c.jpg", "d.jpg"]
    assert list(joined.lines) == [2, 4, 5, 6, 7, 8]
    assert joined.labels[0] == "cat\x1fcat"
    assert joined.boxes[0] == block.boxes[0] + block.boxes[1].removeprefix(image_text())


@pytest.mark.parametrize("reader", READERS)
def test_long_texts_that_are_nearly_four_numbers_are_none_at_once(reader: object) -> None:
    text = f"[{', '.join(['9' * 5_000] * 4)}, x]"  # once a day's work for a pattern that gives digits back
    with patch.object(boxes_of_blocks, "_boxes", reader):
        assert plain_boxes(range(1), BoxColumns((0,), "xyxy"), [(text,)]) is None
