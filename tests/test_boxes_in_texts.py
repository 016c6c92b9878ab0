"""Text files called like images whose lines are boxes of no format that is read; and texts that are none."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from boxing import photos
from converting import shell
from foreign_files import write_files
from test_dataset_samples import plan_from

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.folders.local import FolderListing

BOX: Final = "8 4 40 20 cat\n"
OF_NWPU: Final = {
    **{f"ground truth/{i}.txt": "(8,4),(40,20),1 \r\n( 9,  5),( 41, 21), 2\r\n\r\n" for i in (1, 2)},
    "readme.txt": "(x1,y1),(x2,y2),a\n",
}
# Images, texts, and the first two lines of the list that the command makes.
LOST: Final[dict[str, tuple[tuple[str, ...], dict[str, str], str]]] = {
    "NWPU's": (
        ("positive image set/1.jpg", "positive image set/2.jpg", "negative image set/1.jpg"),
        OF_NWPU,
        "image,xmin,ymin,xmax,ymax,label\npositive image set/1.jpg,8,4,40,20,1\n",
    ),
    "as many images of either": (
        ("a/1.jpg", "a/2.jpg", "b/1.jpg", "b/2.jpg", "b/3.jpg"),
        OF_NWPU,
        "image,xmin,ymin,xmax,ymax,label\na/1.jpg,8,4,40,20,1\n",
    ),
    "extents": (
        ("images/1.jpg",),
        {"gt/1.txt": "40,20,8,4,cat\n40,20,90,90,dog"},
        "image,x,y,w,h,label\nimages/1.jpg,40,20,8,4,cat\n",
    ),
    "class first": (
        ("images/1.jpg", "images/2.jpg"),
        {"gt/1.txt": "traffic light 8 4 40 20.5\n", "gt/2.txt": ""},
        "image,label,xmin,ymin,xmax,ymax\nimages/1.jpg,traffic light,8,4,40,20.5\n",
    ),
    "id first": (
        ("a/1.jpg", "b/2.jpg"),
        {"gt/1.txt": "7 8 9 40 20\n7 9 10 12 13\n"},
        "image,label,xmin,ymin,xmax,ymax\na/1.jpg,7,8,9,40,20\n",
    ),
    "beside one class": (
        ("cells/1.jpg",),
        {"cells/1.txt": BOX},
        "image,xmin,ymin,xmax,ymax,label\ncells/1.jpg,8,4,40,20,cat\n",
    ),
    "below their number": (
        ("Images/001/1.jpg", "Images/002/2.jpg", "Images/002/3.jpg"),
        {"Labels/001/1.txt": "1\n8 4 40 20 cat\n", "Labels/002/2.txt": "2\n" + BOX * 2, "Labels/3.txt": "0"},
        "image,xmin,ymin,xmax,ymax,label\nImages/002/3.jpg,,,,,\nImages/001/1.jpg,8,4,40,20,cat\n"
        "Images/002/2.jpg,8,4,40,20,cat\nImages/002/2.jpg,8,4,40,20,cat\n",
    ),
    "below their number, beside examples": (
        ("Images/001/1.jpg", "Images/002/2.jpg", "Examples/demo/0.jpg"),
        {"Labels/001/1.txt": "1\n8 4 40 20 cat\n", "Labels/002/2.txt": "0\n"},
        "image,xmin,ymin,xmax,ymax,label\nImages/001/1.jpg,8,4,40,20,cat\nImages/002/2.jpg,,,,,\n",
    ),
    "around words": (
        ("ch4_test_images/img_1.jpg", "ch4_training_images/img_1.jpg", "ch4_training_images/img_2.jpg"),
        {
            "ch4_training_gt/gt_img_1.txt": "\ufeff8,5,39,4,40,20,9,19,Go, 5\r\n9,5,40,5,40,21,9,21,###",
            "ch4_training_gt/gt_img_2.txt": "9,5,40,5,40,21,9,21,Exit\r\n",
            "Challenge4_Test_GT/gt_img_1.txt": "",
        },
        "image,xmin,ymin,xmax,ymax,label,difficult,split\nch4_test_images/img_1.jpg,,,,,,,test\n"
        "ch4_training_images/img_1.jpg,8.0,4.0,40.0,20.0,text,0,training\n"
        "ch4_training_images/img_1.jpg,9.0,5.0,40.0,21.0,text,1,training\n",
    ),
    "corners with classes": (
        ("images/1.png", "images/2.png"),
        {"boxes/1.txt": "gsd:0.1\n8 5 39 4 40 20 9 19 harbor 1\n", "boxes/2.txt": "9,5,40,5,40,21,9,21,ship"},
        "image,xmin,ymin,xmax,ymax,label,difficult\nimages/1.png,8.0,4.0,40.0,20.0,harbor,1\n",
    ),
    "of Dollár's toolbox": (
        ("images/1.jpg", "images/2.png"),
        {
            "gt/1.jpg.txt": "% bbGt version=3\ncat 8 4 32 16 0 0 0 0 0 1 0\n",
            "gt/2.png.txt": "% bbGt version=3\n",
        },
        "image,label,x,y,w,h,difficult\nimages/1.jpg,cat,8,4,32,16,1\nimages/2.png,,,,,,\n",
    ),
    "with splits by number": (
        ("images/1.jpg", "images/2.png", "images/3.png", "images/4.jpg"),
        {
            **dict.fromkeys(
                ("gt/1.jpg.txt", "gt/2.png.txt", "gt/3.png.txt", "gt/4.jpg.txt"),
                "% bbGt version=3\ncat 8 4 32 16 0 0 0 0 0 1 0\n",
            ),
            "lists/imageclasslist.txt": "Name | Class | Light | Train/Val/Test\n1.jpg 1 2 3\n2.png 1 2 2\n"
            "3.PNG 2 9 1\n",
        },
        "image,label,x,y,w,h,difficult,split\nimages/1.jpg,cat,8,4,32,16,1,test\n"
        "images/2.png,cat,8,4,32,16,1,validation\nimages/3.png,cat,8,4,32,16,1,train\n"
        "images/4.jpg,cat,8,4,32,16,1,\n",
    ),
    "with codes behind": (
        ("train/images/0001.jpg", "train/images/0002.jpg"),
        {
            "train/gt/0001.txt": "12 9 6 5 1 0\n30 20 4 7 3 1\n",
            "train/gt/0002.txt": "",
            "train/image_labels.txt": "0001,2,stadium,0,0\n0002,0,street,1,0\n",
        },
        "image,x,y,w,h,column_5,column_6,split\ntrain/images/0001.jpg,12,9,6,5,1,0,train\n",
    ),
    "in splits": (
        ("train/images/1.jpg", "test/images/1.jpg"),
        {"train/gt/1.txt": BOX, "test/gt/1.txt": ""},
        "image,xmin,ymin,xmax,ymax,label,split\n",
    ),
}  # fmt: skip


# Whole numbers where YOLO's fractions are looked for, and no names of classes.
CORNERS: Final[dict[str, tuple[dict[str, str], str]]] = {
    "class last, with lists": (
        {
            "ImageSets/train.txt": "1\n",
            "ImageSets/test.txt": "2\n",
            "Annotations/1.txt": "8 4 40 20 1\n9 5 41 21 1\n",
            "Annotations/2.txt": "8 4 40 20 1\n",
        },
        "image,xmin,ymin,xmax,ymax,label,split\nImages/1.png,8,4,40,20,1,train\n"
        "Images/1.png,9,5,41,21,1,train\nImages/2.png,8,4,40,20,1,test\n",
    ),
    "class first": (
        {"Annotations/1.txt": "1 8 4 40 20\n", "Annotations/2.txt": "1 20 10 24 12\n"},
        "image,label,xmin,ymin,xmax,ymax\nImages/1.png,1,8,4,40,20\nImages/2.png,1,20,10,24,12\n",
    ),
}


@pytest.mark.parametrize(("texts", "made"), CORNERS.values(), ids=CORNERS)
def test_corners_are_not_yolo(texts: dict[str, str], made: str, tmp_path: Path) -> None:
    photos(tmp_path / "in/data", "Images/1.png", "Images/2.png")
    write_files(tmp_path / "in/data", texts)
    with pytest.raises(InputError, match=r"Annotations/1\.txt: its lines are corners of boxes") as caught:
        plan_from(str(tmp_path / "in"), tmp_path)
    assert shell(_command(caught.value.hint), tmp_path).code == 0
    assert (tmp_path / "in/list.csv").read_text() == made.replace("Images/", "data/Images/")
    plan = plan_from(str(tmp_path / "in/list.csv"), tmp_path).plan
    assert {split.split for split in plan.splits} == ({"train", "test"} if "split" in made else {"train"})


@pytest.mark.parametrize("box", ["0 0.3 0.3 0.4 0.4", "0 1 1 1 1", "0 50 50 98 97"])
def test_other_boxes_without_names_of_classes_are_asked_for_these(box: str, tmp_path: Path) -> None:
    photos(tmp_path / "in", "Images/1.png")
    write_files(tmp_path / "in", {"Annotations/1.txt": f"{box}\n"})
    with pytest.raises(InputError, match="nothing says what the numbers of the classes mean"):
        plan_from(str(tmp_path / "in"), tmp_path, format="yolo")


def test_yolo_with_names_of_classes_is_read_beside_lists(tmp_path: Path) -> None:
    photos(tmp_path / "in", "Images/1.png", "Images/2.png")
    texts = {"Annotations/1.txt": "1 0.3 0.3 0.4 0.4\n", "Annotations/2.txt": "1 0.5 0.5 1 1\n"}
    write_files(tmp_path / "in", {**texts, "ImageSets/train.txt": "1\n", "classes.txt": "cat\ndog\n"})
    assert plan_from(str(tmp_path / "in"), tmp_path).plan.planned == 2


def _command(hint: str) -> str:
    return hint.partition("list of its boxes: ")[2].partition("; then: tfrec convert ")[0]


@pytest.mark.parametrize(("images", "texts", "made"), LOST.values(), ids=LOST)
def test_boxes_in_texts_are_not_lost(
    images: tuple[str, ...], texts: dict[str, str], made: str, tmp_path: Path
) -> None:
    photos(tmp_path / "in", *images)
    write_files(tmp_path / "in", texts)
    with pytest.raises(InputError, match="called like images hold boxes") as caught:
        plan_from(str(tmp_path / "in"), tmp_path)
    done = shell(_command(caught.value.hint), tmp_path)
    assert done.code == 0, done
    assert (tmp_path / "in/list.csv").read_text().startswith(made)
    is_certain = "xmin" not in made or "difficult" in made or texts is OF_NWPU
    assert ("--box-format xywh" in caught.value.hint) != is_certain


def test_boxes_with_codes_behind_are_not_yolo(tmp_path: Path) -> None:
    images, texts, made = LOST["with codes behind"]
    photos(tmp_path / "in", *images)
    write_files(tmp_path / "in", texts)
    with pytest.raises(InputError, match="boxes in pixels with two codes behind") as caught:
        plan_from(str(tmp_path / "in"), tmp_path, format="yolo")
    assert "--box-format center_xywh where the first two" in caught.value.hint
    assert shell(_command(caught.value.hint), tmp_path).code == 0
    assert (tmp_path / "in/list.csv").read_text().startswith(made)
    plan = plan_from(str(tmp_path / "in/list.csv"), tmp_path, box_format="center_xywh").plan
    assert plan.planned == 2


def test_the_list_of_boxes_in_texts_is_read(tmp_path: Path) -> None:
    images, texts, _ = LOST["in splits"]
    photos(tmp_path / "in", *images)
    write_files(tmp_path / "in", texts)
    with pytest.raises(InputError) as caught:
        plan_from(str(tmp_path / "in"), tmp_path)
    assert shell(_command(caught.value.hint), tmp_path).code == 0
    plan = plan_from(str(tmp_path / "in/list.csv"), tmp_path).plan
    assert (plan.rows, plan.planned, {split.split for split in plan.splits}) == (2, 2, {"train", "test"})
    plan = plan_from(str(tmp_path / "in"), tmp_path, task="classification", unlabelled="keep").plan
    assert not any("hold boxes" in warning for warning in plan.warnings)


@pytest.mark.parametrize("folder", ["", "boxes/"])
@pytest.mark.parametrize("options", [{}, {"label_folder": "last"}, {"task": "classification"}])
def test_boxes_in_texts_of_images_in_all_classes_are_warned_of(
    options: dict[str, str], folder: str, tmp_path: Path
) -> None:
    photos(tmp_path / "in", "a/1.png", "b/2.png")
    write_files(tmp_path / "in", {f"{folder}a/1.txt": BOX, f"{folder}b/2.txt": BOX, "README.txt": "boxes"})
    plan = plan_from(str(tmp_path / "in"), tmp_path, **options).plan
    told = [warning for warning in plan.warnings if "hold boxes" in warning]
    assert (plan.num_labels, len(told)) == (2, not options)
    for each in told:
        assert shell(_command(each), tmp_path).code == 0
        assert (tmp_path / "in/list.csv").read_text().splitlines()[2] == "b/2.png,8,4,40,20,cat"


@pytest.mark.parametrize("options", [{}, {"task": "classification"}])
def test_boxes_in_texts_beside_folders_of_classes_come_before_labels(
    options: dict[str, str], tmp_path: Path
) -> None:
    photos(tmp_path / "in", "Dark/cat/1.png", "Dark/dog/2.png")
    write_files(tmp_path / "in", {"Anno/cat/1.png.txt": BOX, "Anno/dog/2.png.txt": BOX})
    with pytest.raises(InputError) as caught:
        plan_from(str(tmp_path / "in"), tmp_path, **options)
    assert "--label-folder last 'cat'" in caught.value.hint
    assert ("texts called like images hold boxes" in caught.value.hint) != bool(options)
    if not options:
        assert shell(_command(caught.value.hint), tmp_path).code == 0
        assert (tmp_path / "in/list.csv").read_text().splitlines()[1:] == [
            "Dark/cat/1.png,8,4,40,20,cat",
            "Dark/dog/2.png,8,4,40,20,cat",
        ]


def test_the_command_stops_at_what_is_no_box(tmp_path: Path) -> None:
    photos(tmp_path / "in", *(f"images/{i}.jpg" for i in range(10)))
    write_files(tmp_path / "in", {f"gt/{i}.txt": BOX for i in range(9)} | {"gt/9.txt": f"{BOX}8 4 cat\n"})
    with pytest.raises(InputError) as caught:
        plan_from(str(tmp_path / "in"), tmp_path)
    done = shell(_command(caught.value.hint), tmp_path)
    assert (done.code, "9.txt: no box: 8 4 cat" in done.err) == (1, True), done
    assert not (tmp_path / "in/list.csv").exists()


@pytest.mark.parametrize(
    "texts",
    [
        {"README.txt": BOX, "a/notes.txt": BOX},
        {"a/1.txt": "two cats on 4 chairs, 1 of 8\n", "b/2.txt": "3 dogs, 2 cats, 1 fox and 1 hen\n"},
        {"a/1.txt": "cat\n", "b/2.txt": "dog\n"},
        {"a/1.txt": "0 0.5 0.5 0.2 0.2\n", "b/2.txt": "0.1 0.2 0.3 0.4 0.5\n"},
        {"gt/1.txt": "1 2 30 40 5 6\n", "gt/2.txt": "1 2 30 40 50 60\n"},
        {"gt/1.txt": "1 2 3 4 5 6\n", "gt/2.txt": "2 1 2 3 0 0\n"},
        {"gt/1.txt": "30.5 2.25 1.5 4.25 5.75\n", "gt/2.txt": "-1 2 3 4 5\n"},
        {"gt/8.txt": BOX, "gt/9.txt": BOX},
        {"gt/1.jpg.txt": "% bbGt version=3\ntwo cats\n", "gt/2.jpg.txt": "two dogs\n"},
        {"gt/1.txt": "", "gt/2.txt": ""},
        {"a/gt_1.txt": "two cats\n", "b/gt_2.txt": "1,2,3,4,5,6,7,8\n"},
        {"gt/gt_1.txt": "0.1,0.1,0.3,0.1,0.3,0.3,0.1,0.3,cat\n"},
    ],
    ids=[
        "read me",
        "captions",
        "words",
        "fractions",
        "six",
        "six of one digit",
        "no class",
        "other names",
        "captions of whole names",
        "empty",
        "behind gt_",
        "corners of fractions",
    ],
)
def test_other_texts_beside_classes_change_nothing(texts: dict[str, str], tmp_path: Path) -> None:
    photos(tmp_path, "a/1.png", "b/2.png")
    write_files(tmp_path, texts)
    listing = FolderListing(str(tmp_path), ReadOptions())
    assert [row[2] for row in listing.rows()] == ["a", "b"]
    assert listing.doubts == []
