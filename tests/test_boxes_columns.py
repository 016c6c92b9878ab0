"""Columns of boxes as people call them, and what is no list of boxes."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from boxing import CAT, DOG, HEADER, HEIGHT, WIDTH, boxes_of, convert, photos, records, write
from converting import manifest, shell, tfrec

import tfrecordcli
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.boxes.corners_in_pairs import corners_in_pairs
from tfrecordcli.sources.boxes.four_corners import are_four_corners
from tfrecordcli.sources.boxes.in_text import parted_strings
from tfrecordcli.sources.csv_shape import detect_shape
from tfrecordcli.sources.sizes_of_boxes import with_sizes_of_images

_AS_ABOVE = "a.png,8,4,40,20,cat\na.png,16,8,80,40,dog\nb.png,8,4,40,20,cat\n"
OTHER_NAMES = {
    "class ids beside names": "image,x1,y1,x2,y2,category_id,category_name\n"
    "a.png,8,4,40,20,3,cat\na.png,16,8,80,40,7,dog\nb.png,8,4,40,20,3,cat\n",
    "breed": f"image,xmin,ymin,xmax,ymax,breed\n{_AS_ABOVE}",
    "from zero": f"image,x0,y0,x1,y1,class\n{_AS_ABOVE}",
    "from zero, beside sizes of images": "image,x0,y0,x1,y1,width,height,class\n"
    "a.png,8,4,40,20,80,40,cat\na.png,16,8,80,40,80,40,dog\nb.png,8,4,40,20,80,40,cat\n",
    "corners, beside their own sizes": "image,x1,y1,x2,y2,width,height,class\n"
    "a.png,8,4,40,20,32,16,cat\na.png,16,8,80,40,64,32,dog\nb.png,8,4,40,20,32,16,cat\n",
    "an extent from zero": "image_id,x0,y0,width,height,label\n"
    "a.png,8,4,32,16,cat\na.png,16,8,64,32,dog\nb.png,8,4,32,16,cat\n",
    "pdfplumber": "image,x0,y0,x1,y1,top,bottom,label\n"
    "a.png,8,20,40,36,4,20,cat\na.png,16,0,80,32,8,40,dog\nb.png,8,20,40,36,4,20,cat\n",
    "pdfplumber, in points of a page": "image,x0,top,x1,bottom,page_width,page_height,label\n"
    "a.png,4,2,20,10,40,20,cat\na.png,8,4,40,20,40,20,dog\nb.png,4,2,20,10,40,20,cat\n",
    "beside a page that holds not all": "image,x0,top,x1,bottom,page_width,page_height,label\n"
    "a.png,8,4,40,20,60,30,cat\na.png,16,8,80,40,60,30,dog\nb.png,8,4,40,20,60,30,cat\n",
    "start and end": f"image,startX,startY,endX,endY,class\n{_AS_ABOVE}",
    "top left": f"image,top_left_x,top_left_y,bottom_right_x,bottom_right_y,class\n{_AS_ABOVE}",
    "LISA": "Filename;Upper left corner X;Upper left corner Y;Lower right corner X;Lower right corner Y;"
    f"Annotation tag;Occluded,On another road\n{_AS_ABOVE}".replace(",", ";").replace(
        "Occluded;", "Occluded,"
    ),
    "of a tool": f"image,upper_left_x,upper_left_y,lower_right_x,lower_right_y,label\n{_AS_ABOVE}",
    "with a word before": f"image,faceX1,faceY1,faceX2,faceY2,label\n{_AS_ABOVE}",
    "with a word behind": f"image,xmin_px,ymin_px,xmax_px,ymax_px,label\n{_AS_ABOVE}",
    "sides": f"image,box.left,box.top,box.right,box.bottom,label\n{_AS_ABOVE}",
    "axis and side": f"image,x_left,y_top,x_right,y_bottom,label\n{_AS_ABOVE}",
    "corners by letters": f"image,tl_x,tl_y,br_x,br_y,label\n{_AS_ABOVE}",
    "corner and extent": "image,top_left_x,top_left_y,box_w,box_h,label\n"
    "a.png,8,4,32,16,cat\na.png,16,8,64,32,dog\nb.png,8,4,32,16,cat\n",
    "corner and a length": "image,TopLeftCornerX,TopLeftCornerY,Length,Height,label\n"
    "a.png,8,4,32,16,cat\na.png,16,8,64,32,dog\nb.png,8,4,32,16,cat\n",
    "corner of a word and extent": "image,UpperLeftCornerX,UpperLeftCornerY,Width,Height,label\n"
    "a.png,8,4,32,16,cat\na.png,16,8,64,32,dog\nb.png,8,4,32,16,cat\n",
    "centre": "image,obj_x_centre,obj_y_centre,obj_width,obj_height,label\n"
    "a.png,24,12,32,16,cat\na.png,48,24,64,32,dog\nb.png,24,12,32,16,cat\n",
    "numbered": f"image,bbox1_x1,bbox1_y1,bbox1_x2,bbox1_y2,label\n{_AS_ABOVE}",
    "corner and extent of a number": "image,bbox1_x,bbox1_y,bbox1_w,bbox1_h,label\n"
    "a.png,8,4,32,16,cat\na.png,16,8,64,32,dog\nb.png,8,4,32,16,cat\n",
    "a number behind": "image,x_1,y_1,w_1,h_1,label\n"
    "a.png,8,4,32,16,cat\na.png,16,8,64,32,dog\nb.png,8,4,32,16,cat\n",
    "beside outlines": "image,xmin,ymin,xmax,ymax,x0,y0,x1,y1,x2,y2,label\n"
    "a.png,8,4,40,20,8,4,40,9,20,20,cat\na.png,16,8,80,40,16,8,80,9,20,40,dog\nb.png,8,4,40,20,8,4,40,9,9,20,cat\n",
    "beside a centroid, by ImageJ": "image, ,X,Y,BX,BY,Width,Height,class\n"
    "a.png,1,24,12,8,4,32,16,cat\na.png,2,48,24,16,8,64,32,dog\nb.png,3,24,12,8,4,32,16,cat\n",
    "a centre beside a corner": "image,xc,yc,x,y,w,h,label\n"
    "a.png,24,12,8,4,32,16,cat\na.png,48,24,16,8,64,32,dog\nb.png,24,12,8,4,32,16,cat\n",
    "a corner beside another x": "image,x,xmin,ymin,width,height,label\n"
    "a.png,1,8,4,32,16,cat\na.png,2,16,8,64,32,dog\nb.png,3,8,4,32,16,cat\n",
    "corners beside another xmin, and w": "image,xmin,w,x1,y1,x2,y2,label\n"
    "a.png,1,5,8,4,40,20,cat\na.png,2,5,16,8,80,40,dog\nb.png,3,5,8,4,40,20,cat\n",
    "an extent by words beside another y": "image,y,left,top,box_w,box_h,label\n"
    "a.png,1,8,4,32,16,cat\na.png,2,16,8,64,32,dog\nb.png,3,8,4,32,16,cat\n",
    "an extent by two kinds of words beside the image": "image,x,y,w,box_height,width,height,label\n"
    "a.png,8,4,32,16,80,40,cat\na.png,16,8,64,32,80,40,dog\nb.png,8,4,32,16,80,40,cat\n",
    "label beside y": "image_id,x,y,width,height,target\n"
    "a.png,8,4,32,16,cat\na.png,16,8,64,32,dog\nb.png,8,4,32,16,cat\n",
}


@pytest.mark.parametrize("first", ["0,0,160,80,160,80", "4,4,164,84,165,90"])
def test_sizes_of_images_stay_such_where_boxes_fill_these(first: str) -> None:
    header = ["image", "x1", "y1", "x2", "y2", "width", "height", "class"]
    shape = detect_shape(header, ",", ReadOptions())
    rows = [f"a.png,{box},cat".split(",") for box in (first, "1,1,160,80,160,80", ",,,,160,80")]
    assert with_sizes_of_images(shape, rows) == shape
    assert shape.boxes is not None
    assert shape.boxes.size == (5, 6)


@pytest.mark.parametrize(
    ("names", "field", "are_corners"),
    [
        (("Bottom-Left", "Top-Right"), "(5, 4)", True),
        (("topLeft", "bottomRight"), "[np.float64(5.5), np.float64(4)]", True),
        (("bbox_min", "bbox_max"), "(5,-4)", True),
        (("corner1", "corner2"), "(5, 4)", True),
        (("tl", "br"), "(5, 4)", True),
        (("left_eye", "right_eye"), "(5, 4)", False),
        (("left corner", "right corner"), "(5, 4)", False),
        (("min", "max"), "(0, 255)", False),
        (("left", "right"), "(5, 4)", False),
        (("start", "end"), "(5, 4)", False),
        (("top_left", "bottom_right"), "(5, 4, 6)", False),
    ],
)
def test_two_columns_of_points_are_corners_by_their_names(
    names: tuple[str, str], field: str, are_corners: bool
) -> None:
    assert corners_in_pairs({name: ["", field] for name in names}) == [*names] * are_corners


@pytest.mark.parametrize("names", OTHER_NAMES)
def test_columns_are_found_by_the_names_that_people_use(names: str, tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png", "b.png"), OTHER_NAMES[names])
    assert convert(source, tmp_path / "out").records == 2
    found = records(tmp_path / "out")
    assert (boxes_of(found["a.png"]), boxes_of(found["b.png"])) == ([CAT, DOG], [CAT])


@pytest.mark.parametrize(
    ("corner", "options"),
    [("8.0,4", ""), ("24,12", "--features left,top"), ("24,12", "--box-format xywh")],
    ids=["equal", "asked for", "said"],
)
def test_of_two_corners_beside_one_extent_one_is_known(corner: str, options: str, tmp_path: Path) -> None:
    text = f"image,x,y,left,top,width,height,label\na.png,8,4,{corner},32,16,cat\n"
    source = write(photos(tmp_path, "a.png"), text)
    done = tfrec("convert", source, tmp_path / "out", *options.split())
    assert done.code == 0, done.err
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT]


@pytest.mark.parametrize("names", ["left,top", "bx,by"])
def test_of_two_corners_beside_one_extent_none_is_chosen(names: str, tmp_path: Path) -> None:
    text = f"image,x,y,{names},width,height,label\na.png,24,12,8,4,32,16,cat\n"
    source = write(photos(tmp_path, "a.png"), text)
    refused = tfrec("convert", source, tmp_path / "out")
    assert refused.code == 2
    assert f"could be where boxes begin: x, y or {names.replace(',', ', ')}" in refused.err
    command = (
        refused.err.partition("top are the corner: ")[2] or refused.err.partition("by are the corner: ")[2]
    )
    assert shell(command.partition("; --task")[0], tmp_path).code == 0
    convert(tmp_path / "list-boxes.csv", tmp_path / "out")
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT]


@pytest.mark.parametrize(
    "header",
    [
        "image,label,left_eye_x,left_eye_y,right_eye_x,right_eye_y",
        "image,label,mouth_left_x,mouth_left_y,mouth_right_x,mouth_right_y",
        "image,label,sepal_width,sepal_height,x,y",
        "image,label,x,y,length,height",
        "image,label,haut,bas,alto,ancho",
        "image,label,Breite,Höhe,x,y",
    ],
)
def test_four_columns_of_points_are_no_box(header: str, tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f"{header}\na.png,cat,8,4,40,20\n")
    assert convert(source, tmp_path / "out").records == 1
    assert records(tmp_path / "out")["a.png"]["image/class/text"] == [b"cat"]


OF_OTHER_THINGS = {
    "tiles": "tile_x,tile_y,tile_w,tile_h",
    "lines": "lane_x1,lane_y1,lane_x2,lane_y2",
    "arrows": "from x,from y,to x,to y",
    "strokes": "x_begin,y_begin,x_end,y_end",
}


@pytest.mark.parametrize("names", OF_OTHER_THINGS.values(), ids=OF_OTHER_THINGS)
def test_sides_of_what_may_be_no_box_are_boxes_where_it_is_said(names: str, tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f"image,label,{names}\na.png,cat,8,4,40,20\n")
    doubted = tfrec("convert", source, tmp_path / "out")
    assert doubted.code == 0
    assert records(tmp_path / "out")["a.png"]["image/class/text"] == [b"cat"]
    said = f"columns {names.replace(',', ', ')} may be boxes"
    assert f"{said}: --task detection reads them" in doubted.err
    convert(source, tmp_path / "boxes", task="detection")
    assert len(boxes_of(records(tmp_path / "boxes")["a.png"])) == 1
    assert said not in str(convert(source, tmp_path / "labels", task="classification").remarks)


@pytest.mark.parametrize(
    ("names", "sides"), [("lewo,gora,szer,wys", "x, y, w, h"), ("a,b,c,d", "xmin, ymin, xmax, ymax")]
)
def test_numbers_of_rows_of_one_image_may_be_boxes_before_they_are_labels(
    names: str, sides: str, tmp_path: Path
) -> None:
    one, other = ("40,20", "41,21") if "xmax" in sides else ("9,3", "8,4")
    rows = f"a.png,0,17,cat,8,4,{one}\na.png,0,18,dog,10,7,{other}\nb.png,1,18,dog,7,2,{one}\n"
    source = write(photos(tmp_path, "a.png", "b.png"), f"image,site,code,label,{names}\n{rows}")
    done = tfrec("convert", source, tmp_path / "out")
    called = f"if they are, call them {sides} as they are"
    assert f"columns {names.replace(',', ', ')} may be boxes of objects: {called}" in done.err
    command = done.err.partition("and convert that: ")[2].partition("; where an image")[0]
    assert shell(command, tmp_path).code == 0
    assert convert(tmp_path / "list-boxes.csv", tmp_path / "boxes").records == 2
    same = rows.replace(f"10,7,{other}", f"8,4,{one}")  # of the whole image: no boxes
    no_extent = rows.replace(f"{other}", "0,0")
    answers = "a.png,0,17,cat,8,4,9,6\na.png,0,18,dog,7,2,8,4\nb.png,1,18,dog,7,2,9,3\n"
    for none in (same, no_extent, answers):
        write(tmp_path, f"image,site,code,label,{names}\n{none}")
        assert "may be boxes" not in tfrec("convert", source, tmp_path / "out", "--dry-run").err


@pytest.mark.parametrize("names", ["left,right,top,bottom", "gauche,droite,haut,bas"])
def test_sides_that_are_named_as_labels_are_none_of_boxes(names: str, tmp_path: Path) -> None:
    source = write(photos(tmp_path, "a.png", "b.png"), f"image,{names}\na.png,1,0,0,0\nb.png,0,0,1,0\n")
    assert tfrec("convert", source, tmp_path / "out", "--one-hot", names).code == 0
    assert manifest(tmp_path / "out")["labels"].keys() == {*names.split(",")[::2]}


@pytest.mark.parametrize("box", ["[1,2,30,40]", "1 2 30 40"])
def test_a_column_of_whole_boxes_is_none_of_labels(box: str, tmp_path: Path) -> None:
    rows = f'a.png,"{box}"\na.png,"{box.replace("1", "2")}"\nb.png,\n'
    source = write(photos(tmp_path, "a.png", "b.png"), f"image,bbox\n{rows}")
    refused = tfrec("convert", source, tmp_path / "out", "--columns", "label=bbox")
    assert refused.code == 2
    assert f"takes for the label, holds boxes, as {box}" in refused.err
    assert "leave label=bbox out" in refused.err
    assert convert(source, tmp_path / "boxes").records == 2


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        (("yes", "no"), "--columns label=bbox"),
        (("0", "1"), "--columns label=bbox"),
        (("[0 1 0 0]", "[1 0 0 0]"), "--columns label=bbox"),
        (("1 2 3 4", "5 6 7 8"), "--columns label=bbox --label-separator blank"),
        (("0", "1"), "--one-hot bbox --unlabelled keep"),
        (("train", "test"), "--columns split=bbox --unlabelled keep"),
        (("a.png", "b.png"), "--columns image_uri=bbox --unlabelled keep"),
    ],
)
def test_a_column_called_bbox_without_boxes_is_what_options_say(
    fields: tuple[str, str], options: str, tmp_path: Path
) -> None:
    source = write(photos(tmp_path, "a.png", "b.png"), f"image,bbox\na.png,{fields[0]}\nb.png,{fields[1]}\n")
    done = tfrec("convert", source, tmp_path / "out", *options.split())
    assert done.code == 0, done
    assert "boxes" not in done.out + done.err


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_sides_of_boxes_are_named_in_the_header(sign: str, tmp_path: Path) -> None:
    table = "image,data,a,b,c,größe's\na.png,cat,1,2,30,40\n".replace(",", sign)
    (photos(tmp_path, "a.png") / "LIST.csv").write_text(table, encoding="utf-8")
    sides = "image_uri=image,label=data,xmin=a,ymin=b,xmax=c,ymax=größe's"
    refused = tfrec("convert", "LIST.csv", "out", "--columns", sides, cwd=tmp_path)
    assert shell(refused.err.partition("write them there: ")[2], tmp_path).code == 0
    header = (tmp_path / "LIST-boxes.csv").read_text(encoding="utf-8").partition("\n")[0]
    assert header == "image,data,xmin,ymin,xmax,ymax"


UNKNOWN_LABELS = {
    "kind": "kind",
    "Defect Type": "'Defect Type'",
    "klasse": "klasse",
    "supercategory": "supercategory",
}


@pytest.mark.parametrize("name", UNKNOWN_LABELS)
def test_boxes_beside_a_column_of_words_are_of_one_class_only_where_it_is_said(
    name: str, tmp_path: Path
) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png", "c.png")
    rows = "a.png,cat,8,4,40,20\nb.png,dog,8,4,40,20\nc.png,fox,8,4,40,20\n"
    source = write(folder, f"filename,{name},xmin,ymin,xmax,ymax\n{rows}")
    refused = tfrec("convert", source, tmp_path / "out")
    assert refused.code == 2
    assert f"no column of labels is known, and column {name} holds words (cat, dog, fox)" in refused.err
    option = f"--columns label={UNKNOWN_LABELS[name]}" if " " not in name else f"--columns 'label={name}'"
    assert f"{option}; --unlabelled keep takes all boxes for one class" in refused.err
    for options, labels in (
        (("--columns", f"label={name}"), ["cat", "dog", "fox"]),
        (("--unlabelled", "keep"), ["object"]),
    ):
        out = tmp_path / options[0]
        assert tfrec("convert", source, out, *options).code == 0
        assert list(manifest(out)["labels"]) == labels


@pytest.mark.parametrize(
    "name", ["object_class", "Object Name", "obj_class", "annotation label", "species name"]
)
def test_words_of_the_labels_of_boxes_are_known(name: str, tmp_path: Path) -> None:
    source = write(
        photos(tmp_path / "in", "a.png"),
        f"filename,{name},xmin,ymin,xmax,ymax,source\na.png,cat,8,4,40,20,x\na.png,dog,8,4,40,20,x\n",
    )
    assert convert(source, tmp_path / "out").exit_code == 0
    assert list(manifest(tmp_path / "out")["labels"]) == ["cat", "dog"]


BOXES_OF_WORDS = {
    "several columns of words": (
        "sku_id,gt_brand,gt_name",
        ["s1,acme,tea", "s1,acme,tea", "s2,zeta,soap", "s1,acme,tea"],
        "column gt_name holds words (soap, tea), as do columns that are not read either: gt_brand",
        "gt_name",
    ),
    "digits": (
        "DigitLabel",
        ["3", "10", "3", "10"],
        "column DigitLabel holds numbers (10, 3)",
        "DigitLabel",
    ),
    "numbers of a class": (
        "env_class",
        ["3", "0", "3", "0"],
        "column env_class holds numbers (0, 3)",
        "env_class",
    ),
    "lists": (
        "finding_categories",
        ["['cat']", "\"['cat', 'dog']\"", "['dog']", "['No finding']"],
        "column finding_categories holds words (No finding, cat, dog)",
        "finding_categories",
    ),
    "lists of a word by another name": (
        "seen",
        ["['cat']", "['dog']", "['dog']", "['cat']"],
        "column seen holds words (cat, dog)",
        "seen",
    ),
}


@pytest.mark.parametrize("what", BOXES_OF_WORDS)
def test_boxes_beside_words_that_come_again_are_asked_for_their_labels(what: str, tmp_path: Path) -> None:
    names, fields, said, label = BOXES_OF_WORDS[what]
    folder = photos(tmp_path / "in", "a.png", "b.png")
    boxes = ["a.png,8,4,40,20", "a.png,16,8,80,40", "b.png,8,4,40,20", "b.png,16,8,80,40"]
    rows = "".join(f"{box},{field}\n" for box, field in zip(boxes, fields, strict=True))
    source = write(folder, f"filename,xmin,ymin,xmax,ymax,{names}\n{rows}")
    refused = tfrec("convert", source, tmp_path / "out")
    assert refused.code == 2
    assert said in refused.err
    assert f"--columns label={label}; --unlabelled keep takes all boxes for one class" in refused.err
    assert convert(source, tmp_path / "out", unlabelled="keep").labels == ("object",)


NO_LABELS = {
    "of the image": ("site", ["north", "north", "south"]),
    "where it was taken": ("camera", ["left", "right", "left"]),
    "numbers": ("track", ["1", "2", "3"]),
    "one word": ("word", ["cat", "cat", "cat"]),
    "days": ("day", ["2020-01-01", "2020-01-02", "2020-01-03"]),
    "paths": ("mask", ["m/a.png", "m/b.png", "m/c.png"]),
    "codes": ("code", ["#ff0000", "12ab", "7f"]),
    "words of images": ("habitat", ["wood", "wood", "field"]),
    "texts that are read": ("sign_text", ["stop", "go", "stop"]),
    "lists of what it is like": ("looks", ["\"['wet', 'red']\"", "\"['wet', 'old']\"", "\"['old', 'red']\""]),
    "numbers of no class": ("score_kind", ["1", "2", "1"]),
}


@pytest.mark.parametrize("what", NO_LABELS)
def test_boxes_beside_columns_that_hold_no_labels_are_of_one_class(what: str, tmp_path: Path) -> None:
    name, (one, two, three) = NO_LABELS[what]
    folder = photos(tmp_path / "in", "a.png", "b.png")
    rows = f"a.png,8,4,40,20,{one}\na.png,16,8,80,40,{two}\nb.png,8,4,40,20,{three}\n"
    source = write(folder, f"filename,xmin,ymin,xmax,ymax,{name}\n{rows}")
    assert convert(source, tmp_path / "out").records == 2
    assert list(manifest(tmp_path / "out")["labels"]) == ["object"]


@pytest.mark.parametrize("last", ["a.png,1,2,3,4,total", "b.png,1,2,3,4,date"])
def test_fields_of_forms_may_be_labels_of_boxes_and_those_of_farms_are_none(
    last: str, tmp_path: Path
) -> None:
    photos(tmp_path, "a.png", "b.png", "c.png")
    rows = f"a.png,8,4,40,20,date\n{last}\nc.png,5,6,7,8,total\nc.png,1,2,30,20,total\n"
    write(tmp_path, f"file,x0,top,x1,bottom,field\n{rows}")
    told = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert (told.code, "--columns label=field" in told.err) == ((2, True) if last[0] == "a" else (0, False))


def test_ends_of_several_lines_or_boxes_are_pointed_out(tmp_path: Path) -> None:
    names = "car_x1,car_y1,car_x2,car_y2,lane_x1,lane_y1,lane_x2,lane_y2"
    source = write(photos(tmp_path / "in", "a.png"), f"image,label,{names}\na.png,cat,8,4,40,20,1,2,3,4\n")
    doubted = tfrec("convert", source, tmp_path / "out")
    assert doubted.code == 0
    assert "there may be several boxes a row (car_x1, lane_x1): make a row of each box: python" in doubted.err
    assert records(tmp_path / "out")["a.png"]["image/class/text"] == [b"cat"]


@pytest.mark.parametrize(
    ("name", "field", "said"),
    [
        ("bbox_xyxy", "[8, 4, 40, 20]", "--box-format xyxy"),
        ("box", "8 4 40 20", "--box-format xyxy where they are corners"),
        ("boundingBoxes", "[[8, 4, 40, 20]]", "make a row of each box"),
    ],
)
def test_boxes_in_a_column_that_is_not_read_are_no_classes(
    name: str, field: str, said: str, tmp_path: Path
) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f'image,label,{name}\na.png,cat,"{field}"\n')
    refused = tfrec("convert", source, tmp_path / "out")
    assert refused.code == 2
    assert f"column {name} holds boxes" in refused.err
    assert said in refused.err
    of_image = tfrec("convert", source, tmp_path / "out", "--columns", "image_uri=image")
    assert (of_image.code, f"column {name} holds boxes" in of_image.err) == (2, True)
    assert convert(source, tmp_path / "named", columns=[("label", "label")]).records == 1
    assert convert(source, tmp_path / "labels", task="classification").records == 1
    (tmp_path / "in/list.csv").write_text(f"image,label,{name}\na.png,cat,12\n")
    assert convert(source, tmp_path / "numbers").records == 1


_RECTS = ("8, top=4, width=32, height=16", "16, top=8, width=64, height=32")
_REFUSED = {
    "pyzbar's": ("label,rect,polygon", *(f'"Rect(left={rect})","[Point(x=8, y=4)]"' for rect in _RECTS)),
    "without a known label": ("what,rect", *(f'"Rect(left={rect})"' for rect in _RECTS)),
    "of another column": (
        "label,found",
        "BBox(x_max=40 y_max=20 x_min=8.0 y_min=4)",
        "BBox(x_max=80 y_max=40 x_min=16.0 y_min=np.float64(8))",
    ),
    "C#'s": ("label,roi", '"{X=8,Y=4,Width=32,Height=16}"', '"{X=16,Y=8,Width=64,Height=32}"'),
    "of centres": ("label,box", '"cx: 24, cy: 12, w: 32, h: 16"', '"cx: 48, cy: 24, w: 64, h: 32"'),
    "in a column of any name": ("what,crop", '"x=8, y=4, w=32, h=16"', '"x=16, y=8, w=64, h=32"'),
    "in a column of boxes": ("label,bbox", *(f'"left={rect}"' for rect in _RECTS)),
    "PostgreSQL's": ("label,bbox", '"(40,20),(8,4)"', '"(80.0,4e1),(16,8)"'),
    "PostgreSQL's of another name": ("label,box", '"(40, 20), (8, 4)"', '"(80,40),(16,8)"'),
    "PostGIS's": ("what,bbox", '"BOX(8 4,40 20)"', '"BOX(16 8,80 40)"'),
    "a tuple beside outlines": ("label,rect,polygon", '"(8, 4, 32, 16)","[[8, 4]]"', '"(16, 8, 64, 32)",-'),
}


@pytest.mark.parametrize(("names", "cat", "dog"), _REFUSED.values(), ids=_REFUSED)
def test_boxes_in_one_text_get_the_command_that_makes_columns_of_them(
    names: str, cat: str, dog: str, tmp_path: Path
) -> None:
    blank = "," * names.count(",")
    text = f"image,{names}\na.png,cat,{cat}\na.png,dog,{dog}\nb.png,{blank}\n"
    source = write(photos(tmp_path / "in", "a.png", "b.png"), text)
    refused = tfrec("convert", source, tmp_path / "out")
    assert refused.code == 2
    assert "holds boxes, as" in refused.err
    command = refused.err[refused.err.index("python -c ") :].partition("; --task")[0]
    assert shell(command.partition(", and convert")[0], tmp_path).code == 0
    columns = [("label", "what")] * ("what" in names)
    assert convert(tmp_path / "in/list-boxes.csv", tmp_path / "out", columns=columns).records == 2
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT, DOG]


@pytest.mark.parametrize(
    "field",
    ["(1,2),(3,4),(5,6)", "Point(x=8, y=4)", "left=1, top=2, gain=3, iso=4", "x=1, y=2, w=3, h=4, t=a"],
)
@pytest.mark.parametrize("name", ["box", "crop"])
def test_named_numbers_that_are_no_sides_are_no_boxes(name: str, field: str, tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f'image,label,{name}\na.png,cat,"{field}"\n')
    assert convert(source, tmp_path / "out").records == 1


def test_lists_in_all_columns_of_boxes_get_the_command_that_makes_a_row_of_each(tmp_path: Path) -> None:
    rows = 'a.png,"[\'cat\', \'dog\']","[8, 16]","[4, 8]","[40, 80]","[20, 40]"\nb.png,[],[],[],[],[]\n'
    source = write(photos(tmp_path / "in", "a.png", "b.png"), f"image,brand,xmin,ymin,xmax,ymax\n{rows}")
    refused = tfrec("convert", source, tmp_path / "out")
    assert "hold lists, as [8, 16]: a number for each of several boxes" in refused.err
    assert shell(refused.err[refused.err.index("python -c ") :], tmp_path).code == 0
    columns = [("label", "brand")]
    assert convert(tmp_path / "in/list-boxes.csv", tmp_path / "out", columns=columns).records == 2
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT, DOG]


def test_empty_lists_beside_lists_of_boxes_are_images_without_any(tmp_path: Path) -> None:
    rows = "b.png,[],[],test\na.png,\"[[8, 4, 40, 20], [16, 8, 80, 40]]\",\"['cat', 'dog']\",train\n"
    source = write(photos(tmp_path / "in", "a.png", "b.png"), f"image,boxes,labels,split\n{rows}")
    for _ in ("a row of each box", "another name of the column"):
        refused = tfrec("convert", source, tmp_path / "out")
        assert "column boxes holds boxes" in refused.err
        command = refused.err[refused.err.index("python -c ") :]
        shell(command.partition("; --task")[0].partition(", and convert")[0], tmp_path)
        source = max((tmp_path / "in").glob("*.csv"), key=lambda path: len(path.name))
    assert convert(source, tmp_path / "out", box_format="xyxy").records == 2
    found = records(tmp_path / "out")
    assert [boxes_of(found[f"{name}.png"]) for name in "ab"] == [[CAT, DOG], []]


@pytest.mark.parametrize("task", ["auto", "detection"])
def test_numbered_columns_of_a_box_may_hold_words_for_none(task: str, tmp_path: Path) -> None:
    names = "imageFilename,species,bbox_1,bbox_2,bbox_3,bbox_4"
    rows = "a.png,cat,8,4,40,20\na.png,dog,16,8,80,40\nb.png,,NaN,NaN,NaN,NaN\n"
    source = write(photos(tmp_path / "in", "a.png", "b.png"), f"{names}\n{rows}")
    refused = tfrec("convert", source, tmp_path / "out", "--task", task)
    assert (refused.code, "bbox_4 look like the four numbers of a box" in refused.err) == (2, True)
    command = refused.err[refused.err.index("python -c ") :].partition(", and convert")[0]
    assert shell(command, tmp_path).code == 0
    assert convert(tmp_path / "in/list-boxes.csv", tmp_path / "out", box_format="xyxy").records == 2
    found = records(tmp_path / "out")
    assert [boxes_of(found[f"{name}.png"]) for name in "ab"] == [[CAT, DOG], []]
    empty = write(tmp_path / "in", f"{names}\na.png,cat,NaN,NaN,NaN,NaN\nb.png,dog,,,,\n", "empty.csv")
    assert convert(empty, tmp_path / "labels").records == 2


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("location", "[-122.4, 37.7, -122.3, 37.8]"),
        ("position", "0 0 0 1"),
    ],
)
def test_four_numbers_of_another_place_are_no_boxes(name: str, field: str, tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png"), f'image,label,{name}\na.png,cat,"{field}"\n')
    assert convert(source, tmp_path / "out").records == 1


@pytest.mark.parametrize(
    "rows",
    [
        ["[10, 20, 30, 40]"] * 3 + ["[-1, 20, 30, 40]"],
        ["[10, 20, 30, 40]"] * 3 + ["[0, 0, 0, 0]"],
        ["[10.5, 20.25, 30.5, 40]"] * 3,
        ["[10 20 30 40\n]"] * 3,
    ],
    ids=["one beyond an edge", "one for none", "percent", "a line break"],
)
def test_what_may_be_boxes_in_most_rows_is_asked_about(rows: list[str], tmp_path: Path) -> None:
    text = "".join(f'{number}.png,cat,"{field}"\n' for number, field in enumerate(rows))
    refused = tfrec("convert", write(tmp_path, f"image,label,coords\n{text}"), tmp_path / "out")
    assert "column coords may be boxes" in refused.err
    assert "--task classification" in refused.err


def test_a_place_that_an_option_uses_is_no_box_that_is_passed_over(tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png"), 'image,label,region\na.png,cat,"0 0 256 256"\n')
    refused = tfrec("convert", source, tmp_path / "out")
    assert "column region may be boxes, as 0 0 256 256" in refused.err
    assert convert(source, tmp_path / "out", split_by="region").records == 1
    assert convert(source, tmp_path / "out2", features=["region"]).records == 1


def test_commands_read_the_encoding_of_the_list_and_options_stay(tmp_path: Path) -> None:
    source = photos(tmp_path / "in", "a.png") / "list.csv"
    source.write_text('image,label,box\na.png,Käse,"8 4 40 20"\n', encoding="cp1252")
    refused = tfrec("convert", source, tmp_path / "out", "--encoding", "cp1252")
    assert (
        "; --task classification takes whole images without boxes; what that writes is UTF-8" in refused.err
    )
    assert convert(source, tmp_path / "out", encoding="cp1252", task="classification").records == 1
    command = "python -c" + refused.err.partition("python -c")[2].partition("; --task")[0]
    assert shell(command, tmp_path).code == 0
    convert(source.with_name("list-boxes.csv"), tmp_path / "boxes")
    assert records(tmp_path / "boxes")["a.png"]["image/object/class/text"] == ["Käse".encode()]


def test_no_side_of_a_box_is_proposed_for_a_label(tmp_path: Path) -> None:
    source = write(tmp_path, "patientId,x,y,width,height,Target\np1,,,,,0\np2,4,5,10,8,1\np3,4,5,9,8,1\n")
    assert "--columns image_uri=patientId,label=Target" in tfrec("convert", source, tmp_path / "out").err


def test_further_corners_beside_a_box_are_left_alone(tmp_path: Path) -> None:
    text = "image,label,x1,y1,x2,y2,x1_norm,y1_norm,x2_norm,y2_norm\na.png,cat,8,4,40,20,0.1,0.1,0.5,0.5\n"
    assert convert(write(photos(tmp_path / "in", "a.png"), text), tmp_path / "out").exit_code == 0
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT]


def test_a_triangle_under_a_name_is_no_box(tmp_path: Path) -> None:
    text = "image,label,p_x0,p_y0,p_x1,p_y1,p_x2,p_y2\na.png,cat,8,4,40,20,3,3\n"
    source = write(photos(tmp_path / "in", "a.png"), text)
    assert "may be boxes" not in str(convert(source, tmp_path / "out").remarks)
    assert records(tmp_path / "out")["a.png"]["image/class/text"] == [b"cat"]
    with pytest.raises(tfrecordcli.InputError, match=r"outlines.*p_x2, p_y2"):
        convert(source, tmp_path / "boxes", task="detection")


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_list_of_retinanet_may_name_splits_first(delimiter: str, tmp_path: Path) -> None:
    rows = (
        "TRAIN,a.png,8,4,40,20,cat\nTEST,b.png,8,4,40,20,cat\nTRAIN,a.png,16,8,80,40,dog\nTEST,c.png,,,,,\n"
    )
    source = write(photos(tmp_path / "in", "a.png", "b.png", "c.png"), rows.replace(",", delimiter))
    assert convert(source, tmp_path / "out").records == 3
    found = records(tmp_path / "out")
    assert [boxes_of(found[f"{name}.png"]) for name in "abc"] == [[CAT, DOG], [CAT], []]
    counts = manifest(tmp_path / "out")["splits"]
    assert {split: each["records"] for split, each in counts.items()} == {"train": 1, "test": 2}


@pytest.mark.parametrize(
    ("first", "row"),
    [
        ("a.png,,,,,", "b.png,8,4,40,20,cat"),
        ("TRAIN,a.png,,,,,", "TRAIN,b.png,8,4,40,20,cat"),
        ("TRAIN,a.png", "TRAIN,b.png,cat,0.1,0.1,,,0.5,0.5,,"),
    ],
)
def test_the_format_of_a_list_whose_first_image_shows_nothing_is_proposed(
    first: str, row: str, tmp_path: Path
) -> None:
    source = write(photos(tmp_path / "in", "a.png", "b.png"), f"{first}\n{row}\n")
    with pytest.raises(tfrecordcli.InputError, match="this row has a box") as caught:
        convert(source, tmp_path / "out")
    (form,) = (each for each in ("automl", "retinanet") if each in caught.value.hint)
    assert convert(source, tmp_path / "out", format=form).records == 2
    assert [len(boxes_of(records(tmp_path / "out")[name])) for name in ("a.png", "b.png")] == [0, 1]


def test_class_ids_alone_are_the_labels(tmp_path: Path) -> None:
    source = write(
        photos(tmp_path / "in", "a.png"), "image,class_id,xmin,ymin,xmax,ymax\na.png,5,8,4,40,20\n"
    )
    assert convert(source, tmp_path / "out").records == 1
    assert records(tmp_path / "out")["a.png"]["image/object/class/label"] == [5]


def test_a_side_of_boxes_is_never_their_label(tmp_path: Path) -> None:
    text = "image_id,x,y,width,height\na.png,8,4,32,16\n"
    assert convert(write(photos(tmp_path / "in", "a.png"), text), tmp_path / "out").records == 1
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [("object", CAT[1])]


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        (("\"['cat', 'dog']\"", "['dog']", "\"['dog', 'cat']\"", "['No finding']"), ()),
        (('"[cat, dog]"', "[dog]", '"[dog,cat]"', ""), ()),
        (("cat|dog", "dog", "dog | cat", ""), ("--label-separator", "|")),
    ],
)
def test_a_box_of_several_labels_gets_a_row_for_each(
    labels: tuple[str, ...], options: tuple[str, ...], tmp_path: Path
) -> None:
    boxes = (f"a.png,{labels[0]},8,4,40,20", f"a.png,{labels[1]},16,8,80,40", f"b.png,{labels[2]},8,4,40,20")
    folder = photos(tmp_path / "in", "a.png", "b.png", "c.png")
    source = write(folder, HEADER + "\n".join([*boxes, f"c.png,{labels[3]},,,,", ""]))
    refused = tfrec("convert", source, tmp_path / "out", *options)
    assert (refused.code, "2 boxes of the first 3 have several labels in column" in refused.err) == (2, True)
    made, _, then = refused.err.partition("the same box: ")[2].partition("; then: ")
    assert shell(made, tmp_path).code == 0
    assert then.strip() == f"tfrec convert {folder}/list-one-label.csv OUTPUT_DIR"
    assert convert(folder / "list-one-label.csv", tmp_path / "out").records == 3
    found = records(tmp_path / "out")
    assert sorted(name for name, _ in boxes_of(found["a.png"])) == ["cat", "dog", "dog"]
    assert sorted(name for name, _ in boxes_of(found["b.png"])) == ["cat", "dog"]
    assert boxes_of(found["c.png"]) == []
    source.write_text(HEADER + "\n".join([*boxes[1:2], f"c.png,{labels[1]},8,4,40,20", ""]))
    assert tfrec("plan", source, tmp_path / "one", *options).code == 0


@pytest.mark.parametrize("before", [1, 1_200])
def test_a_single_box_of_several_labels_gets_a_row_for_each(before: int, tmp_path: Path) -> None:
    header = "image,signs,left,top,w,h"
    rows = ["a.png,['cat'],8,4,32,16"] * before + [
        "a.png,\"['cat', 'dog']\",16,8,64,32",
        "b.png,['No finding'],,,,",
    ]
    folder = photos(tmp_path / "in", "a.png", "b.png")
    source = write(folder, "\n".join([header, *rows, ""]))
    options = ("--columns", "label=signs", "--box-unit", "pixels", "--splits", "train=1")
    refused = tfrec("convert", source, tmp_path / "out", *options)
    assert "has several labels in column signs, as cat, dog, and a box has one" in refused.err
    made, _, then = refused.err.partition("the same box: ")[2].strip().partition("; then: tfrec ")
    assert shell(made, tmp_path).code == 0
    words = shlex.split(then.replace("; your other options, where they still fit:", ""))
    assert set(options) < {*words}
    assert tfrec(*(word.replace("OUTPUT_DIR", str(tmp_path / "out")) for word in words)).code == 0
    found = records(tmp_path / "out")
    assert sorted(boxes_of(found["a.png"])) == [CAT, ("cat", DOG[1]), DOG]  # equal ones are one
    assert boxes_of(found["b.png"]) == []


def test_a_slip_in_columns_of_labels_is_no_second_label(tmp_path: Path) -> None:
    rows = ("a.png,8,4,40,20,1,1", "b.png,16,8,80,40,0,1", "b.png,8,4,40,20,1,0")
    folder = photos(tmp_path / "in", "a.png", "b.png")
    source = write(folder, "\n".join(["image,xmin,ymin,xmax,ymax,red,tall", *rows, ""]))
    assert tfrec("plan", source, tmp_path / "out", "--one-hot", "red,tall").code == 0  # one is rejected


@pytest.mark.parametrize(
    ("header", "labels", "options"),
    [
        ("red,round,tall", ("1,1,0", "0,0,1", "1,1,0", "0,0,0"), ("--one-hot", "red,round,tall")),
        ("hue,form", ("red,round", ",tall", "red,round", ","), ("--columns", "label=hue,label=form")),
    ],
)
def test_a_box_of_labels_in_several_columns_gets_a_row_for_each(
    header: str, labels: tuple[str, ...], options: tuple[str, ...], tmp_path: Path
) -> None:
    boxes = ("a.png,8,4,40,20", "a.png,16,8,80,40", "b.png,8,4,40,20", "c.png,,,,")
    rows = [",".join(row) for row in zip(boxes, labels, strict=True)]
    folder = photos(tmp_path / "in", "a.png", "b.png", "c.png")
    source = write(folder, "\n".join([f"image,xmin,ymin,xmax,ymax,{header}", *rows, ""]))
    refused = tfrec("convert", source, tmp_path / "out", *options)
    told = f"2 boxes of the first 3 have several labels in columns {header.replace(',', ', ')}, as red, round"
    assert (refused.code, told in refused.err) == (2, True)
    made, _, then = refused.err.partition("the same box: ")[2].partition("; then: ")
    assert then.strip() == f"tfrec convert {folder}/list-one-label.csv OUTPUT_DIR"
    assert shell(made, tmp_path).code == 0
    assert convert(folder / "list-one-label.csv", tmp_path / "out").records == 3
    found = records(tmp_path / "out")
    assert sorted(name for name, _ in boxes_of(found["a.png"])) == ["red", "round", "tall"]
    assert sorted(name for name, _ in boxes_of(found["b.png"])) == ["red", "round"]
    assert boxes_of(found["c.png"]) == []


def test_flags_of_which_each_box_has_one_may_be_its_class(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "a.png", "b.png")
    header = "image,xmin,ymin,xmax,ymax,cat,dog,occluded"
    rows = ("a.png,8,4,40,20,1,0,1", "a.png,16,8,80,40,0,1,0", "b.png,8,4,40,20,0,1,0")
    source = write(folder, "\n".join([header, *rows, ""]))
    refused = tfrec("convert", source, tmp_path / "out")
    assert "of columns cat, dog each box has 1 in one alone" in refused.err
    assert "if they are the classes: --one-hot cat,dog; --unlabelled keep takes all boxes" in refused.err
    assert convert(source, tmp_path / "out", one_hot=["cat", "dog"]).records == 2
    assert manifest(tmp_path / "out")["labels"].keys() == {"cat", "dog"}
    write(
        folder, "\n".join([header.replace("cat,dog", "blurred,wet"), *rows[:2], f"{rows[2][:-5]}0,0,0", ""])
    )
    assert convert(source, tmp_path / "one").records == 2


@pytest.mark.parametrize(
    ("word", "is_told"), [("car", True), ("bbox", False), ("manual", False), ("1", False)]
)
def test_one_word_that_is_no_label_may_be_the_class_of_all_boxes(
    word: str, is_told: bool, tmp_path: Path
) -> None:
    rows = "".join(f"a.png,8,4,{side},20,{word}\n" for side in (30, 40))
    source = write(photos(tmp_path / "in", "a.png"), f"image,xmin,ymin,xmax,ymax,type\n{rows}")
    done = convert(source, tmp_path / "out")
    told = f'column type has {word!r} for all boxes, and is not used: columns="label=type" calls them so'
    assert (told in done.warnings, list(manifest(tmp_path / "out")["labels"])) == (is_told, ["object"])
    done = convert(source, tmp_path / "named", columns="label=type")
    assert list(manifest(tmp_path / "named")["labels"]) == [word]


def test_images_without_a_finding_show_nothing(tmp_path: Path) -> None:
    text = f"{HEADER}a.png,cat,8,4,40,20\nb.png,No finding,,,,\n"
    done = convert(write(photos(tmp_path / "in", "a.png", "b.png"), text), tmp_path / "out")
    assert (done.exit_code, done.records) == (0, 2)
    assert boxes_of(records(tmp_path / "out")["b.png"]) == []


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_numbers_below_0_under_a_label_of_their_own_show_nothing(delimiter: str, tmp_path: Path) -> None:
    text = f"{HEADER}a.png,cat,8,4,40,20\nb.png,rien,-1,-1,-2,-2\nc.png,rien,-1.0,-1.0,-2.0,-2.0\n"
    source = write(photos(tmp_path / "in", "a.png", "b.png", "c.png"), text.replace(",", delimiter))
    refused = tfrec("convert", source, tmp_path / "out")
    assert "numbers below 0 in place of a box have 'rien'" in refused.err
    assert shell(refused.err.partition("need no label: ")[2].strip(), tmp_path).code == 0
    assert convert(tmp_path / "in/list-negatives.csv", tmp_path / "out").records == 3
    assert boxes_of(records(tmp_path / "out")["b.png"]) == []
    source.write_text(
        text.replace("b.png,rien", "b.png,cat").replace(",", delimiter)
    )  # only one, or no own label
    assert tfrec("convert", source, tmp_path / "out", "--dry-run").code != refused.code


NO_BOXES = {
    "outlines": ("image,class,x1,y1,x2,y2,x3,y3,x4,y4\na.png,cat,8,4,40,4,40,20,8,20\n", "outlines"),
    "VIA": (
        "filename,region_id,region_shape_attributes,region_attributes\n"
        'a.png,0,"{""name"":""rect"",""x"":1}","{""class"":""cat""}"\n',
        "VGG Image Annotator",
    ),
    "Label Studio": (
        'image,id,label\na.png,1,"[{""x"": 10.5, ""y"": 20, ""rectanglelabels"": [""cat""]}]"\n',
        "JSON object",
    ),
    "outlines under a name": (
        "image,class,gt_x1,gt_y1,gt_x2,gt_y2,gt_x3,gt_y3\na.png,cat,8,4,40,4,40,20\n",
        "outlines.*gt_x3",
    ),
    "a corner of an outline": (
        "image,label,face_x1,face_y1,face_x2,face_y2,face_x3\na.png,cat,8,4,40,20,3\n",
        "outlines.*: face_x3",
    ),
    "a triangle": ("image,label,x0,y0,x1,y1,x2,y2\na.png,cat,8,4,40,20,3,3\n", "outlines"),
    "a triangle under a name": (
        "image,label,obj_x0,obj_y0,obj_x1,obj_y1,obj_x2,obj_y2\na.png,cat,8,4,40,20,3,3\n",
        "outlines.*: obj_x2, obj_y2",
    ),
    "numbered boxes side by side": (
        "image,box1_x1,box1_y1,box1_x2,box1_y2,box2_x1,box2_y1,box2_x2,box2_y2\na.png,1,2,3,4,1,2,3,4\n",
        "several boxes .box1_x1, box2_x1.",
    ),
    "numbered corners and extents": (
        "image,bbox1_x,bbox1_y,bbox1_w,bbox1_h,bbox2_x,bbox2_y,bbox2_w,bbox2_h\na.png,1,2,3,4,1,2,3,4\n",
        "several boxes",
    ),
    "boxes side by side": (
        "image,face_x1,face_y1,face_x2,face_y2,body_x1,body_y1,body_x2,body_y2\na.png,1,2,3,4,1,2,3,4\n",
        "several boxes .face_x1, body_x1.",
    ),
    "numbered extents, whose corners are none": (
        "image,label,x1,y1,width1,height1,x2,y2,width2,height2\na.png,cat,1,2,3,4,5,6,7,8\n",
        "several boxes .x1, x2.",
    ),
    "boxes of names that say nothing": (
        "image,label,a_xmin,a_ymin,a_xmax,a_ymax,b_xmin,b_ymin,b_xmax,b_ymax\na.png,cat,1,2,3,4,5,6,7,8\n",
        "several boxes .a_xmin, b_xmin.",
    ),
    "one side twice": (
        "image,class,upper left x,upper_left_x,upper_left_y,lower_right_x,lower_right_y\n"
        "a.png,cat,8,8,4,9,20\n",
        "same side of boxes: upper left x, upper_left_x",
    ),
    "two labels": ("image,breed,species,xmin,ymin,xmax,ymax\na.png,pug,dog,8,4,40,20\n", "breed, species"),
}


@pytest.mark.parametrize("case", NO_BOXES)
def test_what_is_no_list_of_boxes_is_refused_by_name(case: str, tmp_path: Path) -> None:
    text, words = NO_BOXES[case]
    with pytest.raises(tfrecordcli.InputError, match=words) as caught:
        convert(write(photos(tmp_path / "in", "a.png"), text), tmp_path / "out")
    assert caught.value.hint


def test_a_decimal_comma_is_pointed_out(tmp_path: Path) -> None:
    text = "filename;class;xmin;ymin;xmax;ymax\na.png;cat;8,5;4;40;20\nb.png;cat;8;4;40;20\n"
    convert(write(photos(tmp_path / "in", "a.png", "b.png"), text), tmp_path / "out")
    assert "a comma for the decimal point? write 8.5" in (tmp_path / "out" / "rejects.csv").read_text()


def test_no_folder_is_proposed_where_several_have_the_image(tmp_path: Path) -> None:
    photos(tmp_path / "in", "one/a.png", "two/a.png")
    source = write(tmp_path / "in", "filename,class,xmin,ymin,xmax,ymax\na.png,cat,8,4,40,20\n")
    with pytest.raises(tfrecordcli.InputError) as caught:
        convert(source, tmp_path / "out")
    assert caught.value.hint == "one and two have such a file each: write the folder into the paths, as one/…"


def test_a_column_tells_which_of_several_folders_has_the_image(tmp_path: Path) -> None:
    photos(tmp_path / "in", "one/a.png", "two/a.png")
    source = write(tmp_path / "in", "folder,filename,class,xmin,ymin,xmax,ymax\none,a.png,cat,8,4,40,20\n")
    with pytest.raises(tfrecordcli.InputError) as caught:
        convert(source, tmp_path / "out")
    assert 't["filename"] = t["folder"].str.strip() + "/" + t["filename"].str.strip()' in caught.value.hint


def test_paths_of_a_json_list_are_mapped_and_options_without_use_are_said(tmp_path: Path) -> None:
    photos(tmp_path / "in", "a.png")
    annotations = {
        "images": [{"id": 1, "file_name": "C:\\bob\\a.png", "width": WIDTH, "height": HEIGHT}],
        "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [8, 4, 32, 16]}],
        "categories": [{"id": 1, "name": "cat"}],
    }
    source = write(tmp_path / "in", json.dumps(annotations), "a.json")
    done = convert(source, tmp_path / "out", map={"C:\\bob\\": "./"}, delimiter=";")
    assert done.exit_code == 0
    assert "delimiter= is not used: the source is a list in JSON" in done.remarks
    assert boxes_of(records(tmp_path / "out")["a.png"]) == [CAT]


def test_three_sides_of_a_box_are_none(tmp_path: Path) -> None:
    source = write(photos(tmp_path / "in", "a.png"), "image,label,Xmin,Xmax,Ymin,high\na.png,cat,8,40,4,20\n")
    with pytest.raises(tfrecordcli.InputError, match="none is ymax"):
        convert(source, tmp_path / "out")
    assert convert(source, tmp_path / "out", task="classification").exit_code == 0


def test_all_boxes_of_an_image_in_one_text_are_refused(tmp_path: Path) -> None:
    source = write(
        photos(tmp_path / "in", "a.png"), "image_name,BoxesString,label\na.png,1 2 3 4;5 6 7 8,x\n"
    )
    with pytest.raises(tfrecordcli.InputError, match="column BoxesString holds all boxes"):
        convert(source, tmp_path / "out")
    assert convert(source, tmp_path / "out", task="classification").exit_code == 0


@pytest.mark.parametrize("text", ["1,2,30,40;5,6,20,20", "5 6 2e1 20", "1 2 3 4;5 6 7", "none"])
def test_the_command_for_boxes_in_one_text_loses_none(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "image,boxes,label\na.png,1 2 3.5 4;5 6 7 8,x\nb.png,no_box,\nc.png,,\n"
    write(tmp_path, rows)
    made = Path("list-boxes.csv")
    code = shlex.split(parted_strings("list.csv", ",", "boxes").partition(": ")[2])[2]
    exec(code, {})
    assert made.read_text().split() == [
        "image,label,xmin,ymin,xmax,ymax", "a.png,x,1,2,3.5,4", "a.png,x,5,6,7,8", "b.png,,,,,", "c.png,,,,,",
    ]  # fmt: skip
    made.unlink()
    write(tmp_path, f'{rows}d.png,"{text}",x\n')
    with pytest.raises(AssertionError, match="no four numbers"):
        exec(code, {})
    assert not made.exists()


@pytest.mark.parametrize(
    ("row", "are_corners"),
    [
        ("3,2,14,3,13,9,2,10", True),
        ("2,10,13,9,14,3,3,2", True),
        ("3,2,14,3,13,9", False),
        ("3,2,14,9,20,2,34,9", False),  # two boxes side by side
        ("1,1,2,2,3,3,4,4", False),
        ("3,2,14,3,13,9,2,cat", False),
    ],
)
def test_eight_numbers_are_corners_where_one_turns_one_way_at_each(row: str, are_corners: bool) -> None:
    assert are_four_corners([[field] * 3 for field in row.split(",")]) == are_corners
    assert not are_four_corners([[field] * 2 for field in row.split(",")])


@pytest.mark.parametrize("corner", ["3,20", "3,"])
def test_outlines_without_four_sides_have_the_command_that_writes_rectangles(
    corner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(photos(tmp_path, "a.png", "b.png"))
    rows = f"a.png;80;8;4;40;4;{corner.replace(',', ';')};cat\nb.png;80;;;;;;;\n"
    write(tmp_path, f"image;width;x0;y0;x1;y1;x2;y2;label\n{rows}")
    with pytest.raises(tfrecordcli.InputError, match="are of outlines") as caught:
        convert(Path("list.csv"), tmp_path / "out")
    assert "classification takes whole images without boxes" in caught.value.hint.replace('"', "")
    code = shlex.split(caught.value.hint.partition(": ")[2])[2].removesuffix(";")
    if corner.endswith(","):
        with pytest.raises(AssertionError, match="half a corner"):
            exec(code, {})
        return
    exec(code, {})
    convert(Path("list-boxes.csv"), tmp_path / "out")
    found = records(tmp_path / "out")
    assert [boxes_of(found[name]) for name in ("a.png", "b.png")] == [[("cat", (3.0, 4.0, 40.0, 20.0))], []]


@pytest.mark.parametrize(
    ("names", "row", "labels"),
    [
        ("obj{}_class,obj{}_left,obj{}_top,obj{}_width,obj{}_height", "a,8,4,32,16,b,8,4,9,9", ["a", "b"]),
        ("det{}_id,det{}_name,det{}_x1,det{}_y1,det{}_x2,det{}_y2", "7,a,8,4,40,20,9,b,8,4,9,9", ["a", "b"]),
        ("object_{},object_{}_x,object_{}_y,object_{}_w,object_{}_h", "a,8,4,32,16,b,8,4,9,9", ["a", "b"]),
        ("obj{}_x,obj{}_y,obj{}_w,obj{}_h", "8,4,32,16,8,4,9,9", ["object"]),
        ("car{}_x,car{}_y,car{}_w,car{}_h", "8,4,32,16,8,4,9,9", ["object"]),
    ],
)  # fmt: skip
def test_several_boxes_a_row_have_the_class_of_each_and_no_numbers_for_classes(
    names: str, row: str, labels: list[str], tmp_path: Path
) -> None:
    photos(tmp_path, "a.png", "b.png")
    header = ",".join(names.replace("{}", str(number)) for number in (1, 2))
    blank = "," * header.count(",")
    write(tmp_path, f"file,{header}\na.png,{row}\nb.png,{blank}\n")
    told = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert told.code == 2
    command = told.err.partition("make a row of each box: ")[2].partition("; --task")[0]
    assert shell(command, tmp_path).code == 0
    assert tfrec("convert", "list-boxes.csv", "out", cwd=tmp_path).code == 0
    assert [*manifest(tmp_path / "out")["labels"]] == labels
    found = records(tmp_path / "out")
    assert (labels[0], (8, 4, 40, 20)) in boxes_of(found["a.png"])
    assert boxes_of(found["b.png"]) == []


def test_words_before_several_boxes_a_row_are_their_classes_without_numbers(tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    sides = ",".join(f"{name}_{side}" for name in ("car1", "car2", "truck1") for side in "xywh")
    write(tmp_path, f"file,{sides}\na.png,8,4,32,16,9,4,9,9,1,2,3,4\n")
    told = tfrec("convert", "list.csv", "out", cwd=tmp_path).err
    command = told.partition("make a row of each box: ")[2].partition("; --task")[0]
    assert shell(command, tmp_path).code == 0
    rows = (tmp_path / "list-boxes.csv").read_text().split()
    assert [row.rpartition(",")[2] for row in rows] == ["label", "car", "car", "truck"]
