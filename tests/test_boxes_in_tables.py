"""CSV files with boxes, one for each image and called like it: refused with the command that joins them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from boxing import CAT, DOG, boxes_of, convert, photos, records
from converting import manifest, shell
from foreign_files import write_files
from test_dataset_samples import plan_from

from tfrecordcli.errors import InputError

HEADER: Final = "#item,x,y,dx,dy,label\n"
OF_ACFR: Final = {
    "annotations/1.5a.csv": f"{HEADER}0,8.0,4.0,20.0,10.0,1\n1,9.0,5.0,20.0,10.0,1\n",
    "annotations/2.5b.csv": HEADER,
}
SETS: Final = {"sets/train.txt": "1.5a\n", "sets/val.txt": "2.5b\n", "sets/all.txt": "1.5a\n2.5b\n"}
# Of napari: a rectangle and a path, a row for each of their corners, from the top and from the left.
SHAPES: Final = "index,shape-type,vertex-index,axis-0,axis-1\n"
OF_NAPARI: Final = {
    "shapes/1.5a.csv": f"{SHAPES}0.0,rectangle,0.0,4.5,8.0\n0.0,rectangle,1.0,4.5,20.0\n"
    "0.0,rectangle,2.0,10.0,20.0\n0.0,rectangle,3.0,10.0,8.0\n1.0,path,0.0,9.0,3.0\n1.0,path,1.0,1e0,2.0\n",
    "shapes/2.5b.csv": SHAPES,
}
IMAGES: Final = ("images/1.5a.png", "images/2.5b.png")
CORNERS: Final = "xmin;ymin;xmax;ymax;class\n"
BOXES: Final = {"1.csv": f"{CORNERS}8;4;20;10;cat\n", "2.csv": f"{CORNERS}8;4;20;10;dog\n"}
# Images, other files, the source, options, and how the list of the boxes begins.
JOINED: Final[dict[str, tuple[tuple[str, ...], dict[str, str], str, dict[str, str], str]]] = {
    name: (images, files, source, options, made)
    for name, images, files, source, options, made in (
        (
            "ACFR's",
            IMAGES,
            OF_ACFR | SETS,
            "",
            {},
            "image,#item,x,y,w,h,label,split\nimages/1.5a.png,0,8.0,4.0,20.0,10.0,1,train\n"
            "images/1.5a.png,1,9.0,5.0,20.0,10.0,1,train\nimages/2.5b.png,,,,,,,val\n",
        ),
        *(
            (
                f"napari's, of {source or 'the folder'}",
                IMAGES,
                OF_NAPARI,
                source,
                {},
                "image,xmin,ymin,xmax,ymax\nimages/1.5a.png,8.0,4.5,20.0,10.0\n"
                "images/1.5a.png,2.0,1.0,3.0,9.0\nimages/2.5b.png,,,,\n",
            )
            for source in ("", "shapes/1.5a.csv")
        ),
        *(
            (source, IMAGES, OF_ACFR, source, {}, "image,#item,x,y,w,h,label\nimages/1.5a.png,0,8.0,")
            for source in ("annotations", "images", "annotations/2.5b.csv")
        ),
        ("without labels", IMAGES, OF_ACFR, "", {"unlabelled": "keep"}, "image,#item,x,y,w,h,label\n"),
        (
            "beside one class",
            ("cat/1.jpg", "cat/2.jpg"),
            {f"cat/{name}": text for name, text in BOXES.items()},
            "",
            {},
            "image,xmin,ymin,xmax,ymax,class\ncat/1.jpg,8,4,20,10,cat\ncat/2.jpg,8,4,20,10,dog\n",
        ),
        (
            "the first without a row, some images without a table",
            (*IMAGES, "images/3.png"),
            {"a/1.5a.csv": "", "a/2.5b.csv": BOXES["1.csv"], "a/3.csv": BOXES["2.csv"]},
            "",
            {},
            "image,xmin,ymin,xmax,ymax,class\nimages/1.5a.png,,,,,\nimages/2.5b.png,8,4,20,10,cat\n",
        ),
        (
            "of tabs",
            ("1.jpg", "2.jpg", "3.jpg"),
            {f"{i}.tsv": BOXES[f"{i}.csv"].replace(";", "\t") for i in (1, 2)},
            "",
            {},
            "image,xmin,ymin,xmax,ymax,class\n1.jpg,8,4,20,10,cat\n2.jpg,8,4,20,10,dog\n3.jpg,,,,,\n",
        ),
        (
            "in splits",
            ("images/train/1.jpg", "images/train/2.jpg", "images/test/1.jpg", "images/test/2.jpg"),
            {f"boxes/{split}/{name}": text for split in ("train", "test") for name, text in BOXES.items()},
            "boxes/train/1.csv",
            {},
            "image,xmin,ymin,xmax,ymax,class,split\nimages/test/1.jpg,8,4,20,10,cat,test\n",
        ),
    )
}  # fmt: skip


@pytest.mark.parametrize(("images", "files", "source", "options", "made"), JOINED.values(), ids=JOINED)
def test_tables_of_boxes_are_joined(
    images: tuple[str, ...],
    files: dict[str, str],
    source: str,
    options: dict[str, Any],
    made: str,
    tmp_path: Path,
) -> None:
    photos(tmp_path / "in", *images)
    write_files(tmp_path / "in", files)
    with pytest.raises(InputError, match=r"each image has a [CT]SV of its own") as caught:
        plan_from(str(tmp_path / "in" / source), tmp_path, **options)
    command, _, rest = caught.value.hint.partition("list of its boxes: ")[2].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    (made_list,) = tmp_path.rglob("list.csv")
    assert made_list.read_text().replace("\r", "").startswith(made)
    assert rest.startswith(f"tfrec convert {made_list} OUTPUT_DIR")
    plan = plan_from(str(made_list), tmp_path).plan
    assert plan.planned == len(images)


def test_tables_of_other_columns_are_joined_in_their_folders(tmp_path: Path) -> None:
    for fruit, header in (("apples", "item,c-x,c-y,radius"), ("mangoes", HEADER)):
        photos(tmp_path / fruit, *IMAGES)
        write_files(tmp_path / fruit, dict.fromkeys(OF_ACFR, header))
    ways = ", ".join(f"tfrec convert {tmp_path}/{fruit}" for fruit in ("apples", "mangoes"))
    with pytest.raises(InputError, match="each image has a CSV of its own") as caught:
        plan_from(str(tmp_path), tmp_path)
    assert caught.value.hint.startswith(f"their columns differ, so convert each folder by itself: {ways}; ")


@pytest.mark.parametrize(
    ("files", "is_told"),
    [
        ({f"{k}/{name}": text for k in "ab" for name, text in BOXES.items()}, True),
        ({f"{k}/{i}.csv": "time,value\n1,2\n" for k in "ab" for i in "12"}, False),
        ({f"{k}/{i}.csv": "filename,x,y,w,h,label\n" for k in "ab" for i in "12"}, False),
        ({"a/1.csv": BOXES["1.csv"], "b/x.csv": BOXES["1.csv"], "b/y.csv": BOXES["2.csv"]}, False),
    ],
    ids=["boxes", "what was measured", "lists", "not of images"],
)
def test_tables_beside_the_images_of_classes(files: dict[str, str], is_told: bool, tmp_path: Path) -> None:
    photos(tmp_path / "in", "a/1.jpg", "a/2.jpg", "b/1.jpg", "b/2.jpg")
    write_files(tmp_path / "in", files)
    plan = plan_from(str(tmp_path / "in"), tmp_path).plan
    assert plan.num_labels == 2
    assert any("each image has a CSV of its own" in warning for warning in plan.warnings) == is_told


# Rows of tables without a header, of images of 80 x 40, behind which are an empty one and none; the columns
# of the list that is made, what is told behind it, and the boxes of the first image.
UNNAMED: Final = {
    "the corners, a class and a stem": (
        ("8,4,40,20,0,15,12\n16,8,80,40,1,20,30", "1,4,30,20,255,15,8", "9,8,40,38,0,10,10"),
        "xmin,ymin,xmax,ymax,label,column_7,column_8",
        "",
        [("0", CAT[1]), ("1", DOG[1])],
    ),
    "a word": (
        ("8,4,40,20,cat\n16,8,80,40,dog", "1,4,30,20,cat", "9,8,40,38,dog"),
        "xmin,ymin,xmax,ymax,label",
        "",
        [CAT, DOG],
    ),
    "a class first": (
        ("1,8,4,40,20\n2,16,8,80,40", "1,2,4,30,21\n2,1,4,30,20", "2,9,8,40,38\n1,10,9,40,39"),
        "label,xmin,ymin,xmax,ymax",
        "",
        [("1", CAT[1]), ("2", DOG[1])],
    ),
    "the extents": (
        ("8,4,32,16,cat\n16,8,64,32,dog", "41,4,30,20,cat", "9,22,40,18,dog"),
        "x,y,width,height,label",
        "",
        [CAT, DOG],
    ),
    "either": (
        ("8,4,40,20,cat\n2,3,60,30,dog", "1,4,30,20,cat", "9,8,40,30,dog"),
        "xmin,ymin,xmax,ymax,label",
        "--box-format xywh where the last two numbers are width and height, which fit",
        [CAT, ("dog", (2.0, 3.0, 60.0, 30.0))],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "columns", "told", "boxes"), UNNAMED.values(), ids=UNNAMED)
def test_tables_of_boxes_without_a_header_are_joined(
    rows: tuple[str, ...], columns: str, told: str, boxes: list[Any], tmp_path: Path
) -> None:
    folder = photos(tmp_path / "in", *(f"images/{i}.png" for i in range(5)))
    write_files(folder, {f"boxes/v2/{i}.csv": text for i, text in enumerate((*rows, ""), 0)})
    for source in (folder, folder / "images", folder / "boxes/v2/1.csv"):
        with pytest.raises(
            InputError, match="each image has a CSV of its own, called like it, with boxes"
        ) as caught:
            plan_from(str(source), tmp_path)
        command, _, rest = caught.value.hint.partition("list of its boxes: ")[2].partition("; then: ")
        assert rest.startswith(f"tfrec convert {folder}/list.csv OUTPUT_DIR")
        assert "images without a table get a row that is empty but for them" in rest
        assert told in rest
        assert bool(told) == ("--box-format" in rest)
    assert shell(command, tmp_path).code == 0
    lines = (folder / "list.csv").read_text().split()
    behind = "," * columns.count(",")
    # An empty table, and none, of an image without a box.
    assert [lines[0], *lines[-2:]] == [f"image,{columns}", *(f"images/{i}.png,{behind}" for i in (3, 4))]
    done = convert(folder / "list.csv", tmp_path / "out")
    assert (done.records, done.rejected) == (5, 0)
    found = records(tmp_path / "out")
    assert boxes_of(found["images/0.png"]) == boxes
    assert [len(boxes_of(found[f"images/{i}.png"])) for i in (3, 4)] == [0, 0]


def test_columns_of_which_any_may_be_the_class_are_left_to_be_named(tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "1.png", "2.png")
    write_files(folder, {"1.csv": "8,4,40,20,0,7\n16,8,80,40,1,3", "2.csv": "9,5,40,38,0,3"})
    with pytest.raises(InputError, match="called like it, with boxes") as caught:
        plan_from(str(folder), tmp_path)
    made, _, rest = caught.value.hint.partition("list of its boxes: ")[2].partition("; then: ")
    assert rest.startswith(
        f"tfrec convert {folder}/list.csv OUTPUT_DIR --columns label=column_6 (or label=column_7: it is not "
        "certain which has the labels)"
    )
    assert shell(made, tmp_path).code == 0
    assert (folder / "list.csv").read_text().startswith("image,xmin,ymin,xmax,ymax,column_6,column_7")
    options = {"columns": {"label": "column_7"}}
    assert plan_from(str(folder / "list.csv"), tmp_path, **options).plan.num_labels == 2


# Tables of something else, or of boxes that may be none, and how the list of their rows begins.
OTHERS: Final = {
    "what was measured": (
        ("time,value\n0,5\n1,7\n", "time,value\n0,4\n"),
        "image,time,value\nimages/1.png,0,5\nimages/1.png,1,7\nimages/2.png,0,4\nimages/3.png,,\n",
    ),
    "key points": (("8,4\n16,9\n", "7,3\n"), "image,column_2,column_3\nimages/1.png,8,4\n"),
    "a row of features": (("3.5,7.1,20.2,30.9,0.5", "2.5,7.7,20.1,30.9,1.5"), "image,column_2,"),
    "rows with their time": (("0,1,9,20\n1,3,9,20\n2,1,8,9\n", "0,2,9,20\n1,3,9,20\n"), "image,column_2,"),
    "more than an image has": (("8,4,400,200,cat\n9,4,410,200,dog", "1,2,300,500,cat"), "image,column_2,"),
    "lists of one image": (
        ("image,x,y,w,h,label\n1.png,1,2,3,4,cat\n", "image,x,y,w,h,label\n"),
        "image_path,image,x,y,w,h,label\nimages/1.png,1.png,1,2,3,4,cat\nimages/2.png,,,,,,\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("texts", "made"), OTHERS.values(), ids=OTHERS)
def test_no_table_of_an_image_is_the_list_of_all(texts: tuple[str, ...], made: str, tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", *(f"images/{i}.png" for i in (1, 2, 3)))
    write_files(folder, {f"data/{i}.csv": text for i, text in enumerate(texts, 1)})
    with pytest.raises(InputError, match="give no label but 'images'") as caught:
        plan_from(str(folder), tmp_path)
    assert caught.value.hint.startswith(
        "each image has a CSV of its own, called like it (data/1.csv): make a "
    )
    command, _, rest = caught.value.hint.partition("list of its rows: ")[2].partition("; then: ")
    assert rest.startswith(f"tfrec convert {folder}/list.csv OUTPUT_DIR (images without a table get")
    assert "; --label-folder first takes them for labels all the same; --unlabelled keep" in rest
    assert shell(command, tmp_path).code == 0
    assert (folder / "list.csv").read_text().replace("\r", "").startswith(made)
    assert plan_from(str(folder), tmp_path, unlabelled="keep").plan.planned == 3


@pytest.mark.parametrize("name", ["data/labels.csv", "labels.csv", "all.csv"])
def test_the_list_of_all_is_asked_about_beside_tables_of_each_image(name: str, tmp_path: Path) -> None:
    folder = photos(tmp_path / "in", "images/1.png", "images/2.png")
    tables = dict.fromkeys((f"data/{i}.csv" for i in (1, 2)), "time,value\n0,5\n1,7\n")
    write_files(folder, tables | {name: "image,label\nimages/1.png,cat\nimages/2.png,dog\n"})
    with pytest.raises(InputError, match="give no label but 'images'") as caught:
        plan_from(str(folder), tmp_path)
    assert f"is {folder}/{name} the list of these images? tfrec convert {folder}/{name}" in caught.value.hint


def test_of_several_tables_of_an_image_one_is_chosen(tmp_path: Path) -> None:
    folder = photos(
        tmp_path / "in", *(f"images/{each}.png" for each in ("train/1", "train/2", "test/3", "test/4"))
    )
    rows = ("8,4,40,20,{a}\n16,8,80,40,{b}", "8,4,40,20,{b}")
    for kind, a, b in (("coarse", "crop", "weed"), ("fine", "maize", "vetch")):
        texts = [row.format(a=a, b=b) for row in rows * 2]
        names = [
            f"boxes/{kind}/{split}/{i}.csv" for i, split in enumerate(("train", "train", "test", "test"), 1)
        ]
        write_files(folder, dict(zip(names, texts, strict=True)))
    with pytest.raises(InputError, match="called like it, with boxes") as caught:
        plan_from(str(folder), tmp_path)
    coarse, fine = caught.value.hint.partition("; --task")[0].split("; or ")
    assert coarse.startswith("images have several, so choose one: of those in boxes/coarse/test: make a list")
    assert fine.startswith("of those in boxes/fine/test: make a list of its boxes: ")
    assert shell(fine.partition("boxes: ")[2].partition("; then")[0], tmp_path).code == 0
    assert convert(folder / "list.csv", tmp_path / "out").records == 4
    told = manifest(tmp_path / "out")
    assert [*told["labels"]] == ["maize", "vetch"]
    assert {split: each["records"] for split, each in told["splits"].items()} == {"train": 2, "test": 2}


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("x,y,w,h,label\n1,2,3,4,0\n", {"task": "tabular"}),
        ("filename,x,y,w,h,label\nimages/1.jpg,1,2,3,4,cat\n", {}),
        ("image,label\nimages/1.jpg,cat\n", {}),
    ],
    ids=["tabular", "boxes", "labels"],
)
def test_a_list_that_is_called_like_an_image_is_read(
    text: str, options: dict[str, Any], tmp_path: Path
) -> None:
    photos(tmp_path, "images/1.jpg", "images/2.jpg", "1.jpg", "2.jpg")
    write_files(tmp_path, {"1.csv": text, "2.csv": text})
    assert plan_from(str(tmp_path / "1.csv"), tmp_path, **options).plan.planned == 1


def test_a_list_of_names_alone_leads_to_the_folder(tmp_path: Path) -> None:
    photos(tmp_path, *IMAGES)
    write_files(tmp_path, {"sets/train.txt": "1.5a\n2.5b\n"})
    with pytest.raises(InputError, match="no image and no known column") as caught:
        plan_from(str(tmp_path / "sets/train.txt"), tmp_path)
    assert f"tfrec convert {tmp_path} OUTPUT_DIR reads what tells labels" in caught.value.hint
    command = caught.value.hint.partition("make a CSV of it: ")[2].partition(", and")[0]
    assert shell(command, tmp_path).code == 0
    options = {"unlabelled": "keep", "image_root": str(tmp_path / "images")}
    assert plan_from(str(tmp_path / "sets/train-as-csv.csv"), tmp_path, **options).plan.planned == 2
