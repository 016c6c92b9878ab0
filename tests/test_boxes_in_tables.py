"""CSV files with boxes, one for each image and called like it: refused with the command that joins them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from boxing import photos
from converting import shell
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
    with pytest.raises(InputError, match="each image has a CSV of its own") as caught:
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
