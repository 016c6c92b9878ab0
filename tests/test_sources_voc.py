"""Folders of Pascal VOC's kind as rows: the files, where their images are, the splits, and what is wrong."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from converting import convert_json, shell
from storing import running

from tfrecordcli.errors import InputError
from tfrecordcli.sources.folders import voc_sets
from tfrecordcli.sources.folders.kind import kind_of_folder
from tfrecordcli.sources.folders.voc import read_voc
from tfrecordcli.sources.folders.voc_xml import MOST_BYTES
from tfrecordcli.sources.listed import Findings, ListedImage
from tfrecordcli.storage.stores import forget_stores

RACCOON = Path(__file__).parents[2] / "shared/data/detection/raccoon"
ZOO = RACCOON.parent / "format_zoo_datumaro"
BOX = "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax></bndbox>"
CAT = f"<object><name>cat</name>{BOX}</object>"


def xml(body: str = CAT, filename: str = "", size: str = "") -> bytes:
    named = f"<filename>{filename}</filename>" if filename else ""
    return f"<annotation>{named}{size}{body}</annotation>".encode()


def put(root: Path, files: dict[str, bytes] | list[str]) -> str:
    """Files below a folder; those in a list are images, whose content no reader looks at."""
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files[name] if isinstance(files, dict) else b"image")
    return str(root)


def read(root: str, findings: Findings | None = None) -> list[ListedImage]:
    return list(read_voc(root, Findings() if findings is None else findings))


@contextmanager
def on_store(folder: Path) -> Iterator[str]:
    """The URL of a folder on a store that holds the files of a local one."""
    with running("oss") as store, pytest.MonkeyPatch.context() as patch:
        store.fill(folder, "data")
        for name, value in store.env.items():
            patch.setenv(name, value)
        forget_stores()
        yield f"{store.url}/data"
    forget_stores()


def told(images: list[ListedImage]) -> list[tuple[object, ...]]:
    """What two readings of a dataset have to agree in."""
    return [(image.place, image.image_uri, image.split, image.boxes, str(image.problem)) for image in images]


def one(tmp_path: Path, data: bytes, findings: Findings | None = None) -> ListedImage:
    put(tmp_path, ["JPEGImages/a.jpg"])
    (image,) = read(put(tmp_path, {"Annotations/a.xml": data}), findings)
    assert (image.place, image.image_uri) == ("Annotations/a.xml", "JPEGImages/a.jpg")
    return image


# --- one file ---


def test_children_are_taken_by_name_and_parts_have_boxes_of_their_own(tmp_path: Path) -> None:
    body = (
        "<object><part><name>head</name><bndbox><xmin>9</xmin><ymin>9</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>"
        "</part><bndbox><ymax>40.5</ymax><xmax>30</xmax><ymin>2e1</ymin><xmin> 10 </xmin></bndbox>"
        "<pose>Left</pose><difficult>1</difficult><truncated/><name> big cat </name></object>"
        f"<object><name>dog</name><occluded>0</occluded><truncated>maybe</truncated>{BOX}</object>"
    )
    size = "<size><depth>3</depth><height>50</height><width>60</width></size>"
    image = one(tmp_path, xml(body, size=size))
    assert image.problem is None
    assert (image.width, image.height, image.unit) == (60, 50, "pixels")
    cat, dog = image.boxes or ()
    assert (cat.label, cat.corners, cat.place) == ("big cat", (10.0, 20.0, 30.0, 40.5), 0)
    assert cat.attributes == {"difficult": 1, "truncated": 0, "view": "Left"}
    assert (dog.label, dog.corners, dog.place, dog.attributes) == ("dog", (1, 2, 3, 4), 1, {"occluded": 0})


@pytest.mark.parametrize(
    "size",
    ["", "<size/>", "<size><width>0</width><height>0</height></size>", "<size><width>?</width></size>"],
)
def test_a_size_that_says_nothing_is_none(size: str, tmp_path: Path) -> None:
    image = one(tmp_path, xml(size=size))
    assert (image.width, image.height, image.problem) == (None, None, None)


def test_a_file_without_objects_says_that_its_image_shows_nothing(tmp_path: Path) -> None:
    assert one(tmp_path, xml("")).boxes == ()


@pytest.mark.parametrize(
    "encoding", ["gb2312", "latin-1", "windows-1252", "utf-8", "utf-16", "utf-8-sig", "shift_jis"]
)
def test_names_are_read_in_the_encoding_that_is_declared(encoding: str, tmp_path: Path) -> None:
    name = "café" if encoding in ("latin-1", "windows-1252") else "中"
    text = f'<?xml version="1.0" encoding="{encoding}"?>{xml().decode()}'.replace("cat", name)
    (box,) = one(tmp_path, text.encode(encoding)).boxes or ()
    assert box.label == name


NESTED = b"<annotation>" + b"<a>" * 40 + b"</a>" * 40 + b"</annotation>"
# a file, and a word of the reason
UNUSABLE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "well-formed"),
    "cut short": (xml()[:-5], "well-formed"),
    "a bare ampersand": (xml().replace(b"cat", b"cat & dog"), "line 1"),
    "other XML": (b"<project/>", "'project'"),
    "a document type": (b"<!DOCTYPE annotation>" + xml(), "DOCTYPE"),
    "an external entity": (
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + xml().replace(b"cat", b"&x;"),
        "DOCTYPE",
    ),
    "nested deeply": (NESTED, "nested deeper than 32"),
    "Latin-1 that is not declared": (xml().replace(b"cat", b"caf\xe9"), "utf-8"),
    "an unknown encoding": (b'<?xml version="1.0" encoding="klingon"?>' + xml(), "klingon"),
    "a codec that is no encoding of text": (b'<?xml version="1.0" encoding="punycode"?>' + xml(), "punycode"),
    "no corner": (xml().replace(b"<xmax>3</xmax>", b""), "has no xmax"),
    "a blank corner": (xml().replace(b"<xmax>3</xmax>", b"<xmax/>"), "'' for xmax"),
    "a decimal comma": (xml().replace(b"<ymin>2<", b"<ymin>2,5<"), "'2,5' for ymin"),
    "not a number": (xml().replace(b"<ymin>2<", b"<ymin>nan<"), "'nan'"),
    "more than a double": (xml().replace(b"<ymin>2<", b"<ymin>1e999<"), "'1e999'"),
    "objects in an element": (
        xml().replace(b"<object>", b"<objects><object>").replace(b"</object>", b"</object></objects>"),
        "its objects are in objects, and not right in the annotation",
    ),
    "a field twice": (xml().replace(b"<ymin>2<", b"<xmin>7</xmin><ymin>2<"), "two elements xmin"),
    "two boxes in an object": (
        xml().replace(b"</object>", BOX.encode() + b"</object>"),
        "two elements bndbox",
    ),
    "no name": (xml().replace(b"<name>cat</name>", b""), "object[0] has no name"),
    "a line break in a name": (xml().replace(b"cat", b"cat\ndog"), "line break"),
    "an object without a box": (xml(CAT + "<object><name>dog</name></object>"), "object[1] has no bndbox"),
}


@pytest.mark.parametrize(("data", "word"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_file_that_cannot_be_used_rejects_its_image(data: bytes, word: str, tmp_path: Path) -> None:
    put(tmp_path, ["JPEGImages/b.jpg"])
    put(tmp_path, {"Annotations/b.xml": xml()})
    put(tmp_path, ["JPEGImages/a.jpg"])
    image, other = read(put(tmp_path, {"Annotations/a.xml": data}))
    assert other.problem is None
    assert image.image_uri == "JPEGImages/a.jpg"
    assert image.problem is not None
    assert image.problem.code in ("bad_annotation", "bad_box")
    assert word in image.problem.reason
    assert len(image.boxes or ()) == data.count(b"<object>")


def test_what_other_elements_call_an_object_leaves_those_of_the_annotation(tmp_path: Path) -> None:
    relation = "<relation><subject>1</subject><object>2</object></relation>"
    for objects in (CAT + relation, relation + CAT, relation + "<object/>"):
        image = one(tmp_path, xml(objects))
        assert image.problem is None
        assert [box.label for box in image.boxes or ()] == ["cat"] * objects.count(CAT)


def test_a_folder_of_files_in_utf_16_is_known(tmp_path: Path) -> None:
    root = put(tmp_path, ["images/a.jpg"])
    put(tmp_path, {"annotations/a.xml": xml().decode().encode("utf-16")})
    kind = kind_of_folder(root)
    assert kind is not None
    assert (kind.name, kind.sign) == ("voc", "annotations/a.xml")
    (image,) = read(root)
    assert image.problem is None


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    put(tmp_path, ["a.jpg"])
    path = tmp_path / "a.xml"
    with path.open("wb") as file:
        file.write(xml())
        file.truncate(MOST_BYTES + 1)
    (image,) = read(str(tmp_path))
    assert image.problem is not None
    assert f"{MOST_BYTES + 1} bytes" in image.problem.reason


def test_oriented_boxes_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="oriented"):
        one(tmp_path, xml("<object><name>ship</name><robndbox><cx>1</cx></robndbox></object>"))


# --- where the images are ---

# images, XML files, and the image of each file
PLACES: dict[str, tuple[list[str], list[str], list[str]]] = {
    "as VOC has it": (
        ["VOC2012/JPEGImages/a.jpg", "VOC2012/SegmentationClass/a.png"],
        ["VOC2012/Annotations/a.xml"],
        ["VOC2012/JPEGImages/a.jpg"],
    ),
    "two of them": (
        ["VOC2007/JPEGImages/a.jpg", "VOC2012/JPEGImages/a.jpg"],
        ["VOC2007/Annotations/a.xml", "VOC2012/Annotations/a.xml"],
        ["VOC2007/JPEGImages/a.jpg", "VOC2012/JPEGImages/a.jpg"],
    ),
    "images and annotations": (["images/a.png"], ["annotations/a.xml"], ["images/a.png"]),
    "a folder below": (
        ["images/a.jpg", "annotations/trimaps/a.png"],
        ["annotations/xmls/a.xml"],
        ["images/a.jpg"],
    ),
    "beside": (["a.jpg", "b.JPG"], ["a.xml", "b.xml"], ["a.jpg", "b.JPG"]),
    "splits, beside": (
        ["train/a.jpg", "valid/a.jpg"],
        ["train/a.xml", "valid/a.xml"],
        ["train/a.jpg", "valid/a.jpg"],
    ),
    "the same folders on both sides": (
        ["images/train/a.jpg", "images/val/a.jpg"],
        ["annotations/train/a.xml", "annotations/val/a.xml"],
        ["images/train/a.jpg", "images/val/a.jpg"],
    ),
    "one folder of annotations for two of images": (
        ["images/train/a.jpg", "images/val/b.jpg"],
        ["annotations/a.xml", "annotations/b.xml"],
        ["images/train/a.jpg", "images/val/b.jpg"],
    ),
    "images called otherwise": (["scans/a.tif"], ["Annotations/a.xml"], ["scans/a.tif"]),
    "images at the top": (["a.jpg"], ["Annotations/a.xml"], ["a.jpg"]),
    "dots in names": (["images/a.b.jpg"], ["annotations/a.b.xml"], ["images/a.b.jpg"]),
}


@pytest.mark.parametrize(("images", "files", "expected"), PLACES.values(), ids=PLACES)
def test_images_are_found(images: list[str], files: list[str], expected: list[str], tmp_path: Path) -> None:
    put(tmp_path, images)
    root = put(tmp_path, dict.fromkeys(files, xml()))
    assert [(image.place, image.image_uri, image.problem) for image in read(root)] == [
        (file, image, None) for file, image in zip(files, expected, strict=True)
    ]
    kind = kind_of_folder(root)
    assert kind is not None
    assert (kind.name, kind.sign) == ("voc", files[0])


# filename in a.xml, images, the one that is meant
NAMED: dict[str, tuple[str, list[str], str]] = {
    "as it is": ("a.jpg", ["a.jpg", "b.jpg"], "a.jpg"),
    "another stem": ("b.jpg", ["b.jpg", "c.jpg"], "b.jpg"),
    "without an extension": ("b", ["b.jpg"], "b.jpg"),
    "another extension": ("a.png", ["a.jpg"], "a.jpg"),
    "renamed since": ("IMG_0001.jpg", ["a.jpg"], "a.jpg"),
    "upper case": ("b.jpg", ["B.JPG"], "B.JPG"),
    "a path of Windows": (r"C:\Users\bob\b.jpg", ["b.jpg"], "b.jpg"),
    "an absolute path": ("/home/bob/b.jpg", ["b.jpg"], "b.jpg"),
    "dots": ("b.1", ["b.1.jpg", "b.2.jpg"], "b.1.jpg"),
}


@pytest.mark.parametrize(("filename", "images", "expected"), NAMED.values(), ids=NAMED)
def test_the_filename_counts_and_else_the_name_of_the_file(
    filename: str, images: list[str], expected: str, tmp_path: Path
) -> None:
    put(tmp_path, [f"JPEGImages/{name}" for name in images])
    findings = Findings()
    (image,) = read(put(tmp_path, {"Annotations/a.xml": xml(filename=filename)}), findings)
    assert (image.image_uri, image.problem) == (f"JPEGImages/{expected}", None)
    by_stem = expected == "a.jpg" and filename == "IMG_0001.jpg"
    assert any("by the name of the XML file" in note for note in findings.notes) == by_stem


def test_the_path_counts_where_there_is_no_filename(tmp_path: Path) -> None:
    put(tmp_path, ["JPEGImages/b.jpg"])
    (image,) = read(put(tmp_path, {"Annotations/a.xml": xml(r"<path>C:\x\b.jpg</path>")}))
    assert image.image_uri == "JPEGImages/b.jpg"


# images, filename in a.xml, words of the reason
DOUBTFUL: dict[str, tuple[list[str], str, list[str]]] = {
    "filename and name of the file lead to two images": (["a.jpg", "b.jpg"], "b.jpg", ["i/b.jpg", "i/a.jpg"]),
    "two extensions": (["a.jpg", "a.png"], "", ["i/a.jpg", "i/a.png"]),
    "no such image": (["c.jpg"], "a.jpg", ["file not found"]),
}


@pytest.mark.parametrize(("images", "filename", "words"), DOUBTFUL.values(), ids=DOUBTFUL)
def test_an_image_that_is_not_certain_is_rejected(
    images: list[str], filename: str, words: list[str], tmp_path: Path
) -> None:
    put(tmp_path, ["i/z.jpg", *(f"i/{name}" for name in images)])
    image, _ = read(put(tmp_path, {"annotations/a.xml": xml(filename=filename), "annotations/z.xml": xml()}))
    assert image.problem is not None
    for word in words:
        assert word in image.problem.reason


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        (["validation/images/x/a.jpg"], "called so is validation/images/x/a.jpg"),
        (["b/a.jpg", "c/a.jpg"], "file not found"),
    ],
)
def test_the_only_image_of_that_name_is_told(others: list[str], reason: str, tmp_path: Path) -> None:
    put(tmp_path, ["train/images/x/z.jpg", *others])
    files = {f"train/annotations/{name}.xml": xml(filename=f"{name}.jpg") for name in "az"}
    image, there = read(put(tmp_path, files))
    assert (image.image_uri, image.split, there.problem) == ("train/images/x/a.jpg", "train", None)
    assert image.problem is not None
    assert reason in image.problem.reason


def test_an_image_has_one_file(tmp_path: Path) -> None:
    put(tmp_path, ["images/a.jpg"])
    files = {"annotations/a.xml": xml(), "annotations/a-copy.xml": xml(filename="a.jpg")}
    problems = [image.problem for image in read(put(tmp_path, files))]
    assert [problem is None for problem in problems] == [True, False]


def test_one_name_in_two_folders_of_images_is_refused(tmp_path: Path) -> None:
    put(tmp_path, ["images/train/a.jpg", "images/val/a.jpg"])
    with pytest.raises(InputError, match=r"images/train/a\.jpg and images/val/a\.jpg"):
        read(put(tmp_path, {"annotations/a.xml": xml()}))


def test_images_without_a_file_are_unlabelled_and_counted(tmp_path: Path) -> None:
    put(tmp_path, ["images/a.jpg", "images/b.jpg", "images/c.jpg"])
    findings = Findings()
    images = read(put(tmp_path, {"annotations/a.xml": xml()}), findings)
    assert [image.image_uri for image in images] == ["images/a.jpg"]
    assert any(note.startswith("2 images without an XML file") for note in findings.notes)


@pytest.mark.parametrize("images", [[], ["images/other.jpg"]])
def test_no_image_at_all_is_refused(images: list[str], tmp_path: Path) -> None:
    put(tmp_path, images)
    with pytest.raises(InputError, match="image"):
        read(put(tmp_path, {"annotations/a.xml": xml()}))


def test_the_output_is_left_out(tmp_path: Path) -> None:
    put(tmp_path, ["a.jpg", "out/b.jpg"])
    put(tmp_path, {"a.xml": xml(), "out/b.xml": xml()})
    images = list(read_voc(str(tmp_path), Findings(), skip=str(tmp_path / "out")))
    assert [image.place for image in images] == ["a.xml"]


# --- splits ---

# files of ImageSets/Main, split of a, b and c
SETS: dict[str, tuple[dict[str, str], list[str]]] = {
    "all": ({"train": "a", "val": "b", "trainval": "a\nb", "test": "c"}, ["train", "validation", "test"]),
    "trainval alone": ({"trainval": "a\nb", "test": "c"}, ["train", "train", "test"]),
    "train and trainval": ({"train": "a", "trainval": "a\nb", "test": "c"}, ["train", "validation", "test"]),
    "val and trainval": ({"val": "b", "trainval": "a\nb", "test": "c"}, ["train", "validation", "test"]),
    "in none": ({"train": "a\nb"}, ["train", "train", "discard"]),
    "files of classes": ({"cat_train": "a 1\nb -1", "train": "a\nb\nc"}, ["train"] * 3),
    "comments and blanks": (
        {"train": "\n# note\n a \r\nb.jpg\nAnnotations/c.xml\n"},
        ["train", "train", "discard"],
    ),
    "signs": ({"train": "a  1\nb -1\nc  0"}, ["train"] * 3),
}


@pytest.mark.parametrize(("sets", "expected"), SETS.values(), ids=SETS)
def test_sets_say_the_splits(sets: dict[str, str], expected: list[str], tmp_path: Path) -> None:
    put(tmp_path, [f"JPEGImages/{name}.jpg" for name in "abc"])
    put(tmp_path, {f"Annotations/{name}.xml": xml() for name in "abc"})
    findings = Findings()
    root = put(tmp_path, {f"ImageSets/Main/{name}.txt": text.encode() for name, text in sets.items()})
    images = [image for image in read(root, findings) if image.place.startswith("Annotations")]
    assert [image.split for image in images] == expected
    assert any("1 image that none of them names: discarded" in note for note in findings.notes) == (
        "discard" in expected
    )


def test_images_that_no_set_names_and_cannot_be_used_are_not_told_as_discarded(tmp_path: Path) -> None:
    put(tmp_path, [f"JPEGImages/{name}.jpg" for name in "abc"])
    put(tmp_path, {f"Annotations/{name}.xml": xml() for name in "ab"})
    findings = Findings()
    sets = {"ImageSets/Main/train.txt": b"a", "Annotations/c.xml": xml("<object><name>x</name></object>")}
    images = read(put(tmp_path, sets), findings)
    assert [(image.split, image.problem is None) for image in images if "XML" not in image.place] == [
        ("train", True), ("discard", True), ("discard", False),
    ]  # fmt: skip
    assert "1 image that none of them names: discarded" in findings.notes


# folder of ImageSets -> its train.txt and val.txt; splits of a to e, or words of what is refused
BESIDE_MAIN: dict[str, tuple[dict[str, tuple[str, str]], list[str] | str]] = {
    "people": ({"Layout": ("a 1\na 2\nb 11\nc 1", "d 1\ne 3")}, [*"tttvv"]),
    "actions": ({"Action": ("a  1\nb  2 -1\nc 1", "d  1\ne 2")}, [*"tttvv"]),
    "names that end in numbers": ({"Segmentation": ("a\nb\nc", "d\ne 7")}, [*"tttvd"]),
    "beside Main": ({"Main": ("a\nb", "c"), "Layout": ("d 1", "e 1")}, [*"ttvdd"]),
    "several": ({"Layout": ("a 1\nb 1", "c 1"), "Action": ("c 1", "d 1")}, "Action and Layout, none in Main"),
    "few images": ({"Layout": ("a 1\na 2", "d 1")}, "name 2 of 5 XML files"),
}  # fmt: skip


@pytest.mark.parametrize(("folders", "expected"), BESIDE_MAIN.values(), ids=BESIDE_MAIN)
def test_sets_beside_main_are_taken_where_they_are_certain(
    folders: dict[str, tuple[str, str]], expected: list[str] | str, tmp_path: Path
) -> None:
    put(tmp_path, [f"JPEGImages/{name}.jpg" for name in "abcde"])
    put(tmp_path, {f"Annotations/{name}.xml": xml() for name in "abcde"})
    put(tmp_path, {"ImageSets/Action/jumping_train.txt": b"a 1 -1", "ImageSets/Main/cat_train.txt": b"a -1"})
    for folder, texts in folders.items():
        files = zip(("train", "val"), texts, strict=True)
        put(tmp_path, {f"ImageSets/{folder}/{name}.txt": text.encode() for name, text in files})
    if isinstance(expected, list):
        findings = Findings()
        images = [image for image in read(str(tmp_path), findings) if image.place.startswith("Annotations")]
        assert [image.split[0] for image in images] == expected
        (note,) = (note for note in findings.notes if note.startswith("the splits are those of"))
        assert f"ImageSets/{next(iter(folders))}/train.txt" in note
        return
    with pytest.raises(InputError, match=expected) as refused:
        read(str(tmp_path))
    hint = refused.value.hint
    (way,) = re.findall("--exclude ([A-Za-z,]+)(?: takes those of Layout| assigns all images.*; for)", hint)
    images = list(read_voc(str(tmp_path), Findings(), exclude=way.split(",")))
    assert [image.split[:1] for image in images][:3] == ([*"ttv"] if len(folders) > 1 else [""] * 3)
    if "; for these alone: " in hint:
        assert shell(hint.partition("; for these alone: ")[2], tmp_path).code == 0
        assert [image.split[0] for image in read(str(tmp_path))] == [*"tddvd"]


# Lines of train.txt and val.txt beside the folders, of a below x, and of b and c.
ELSEWHERE: dict[str, tuple[str, str]] = {
    "pairs": (
        "./JPEGImages/x/a.jpg ./Annotations/x/a.xml\n./JPEGImages/b.jpg ./Annotations/b.xml\n",
        "JPEGImages/c.jpg\tAnnotations/c.xml",
    ),
    "names": ("x/a\r\nb\r\n", "c\r\n"),
    "boxes": ("/home/me/VOC/JPEGImages/x/a.jpg 1,2,3,4,0\n/home/me/VOC/JPEGImages/b.jpg", "./c.jpg,1"),
}


@pytest.mark.parametrize(("train", "val"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_sets_elsewhere_are_told_with_their_command(train: str, val: str, tmp_path: Path) -> None:
    put(tmp_path, [f"d/JPEGImages/{name}.jpg" for name in ("x/a", "b", "c")])
    put(tmp_path, {f"d/Annotations/{name}.xml": xml() for name in ("x/a", "b", "c")})
    texts = {"train_list": train, "val_list": val, "test": "other\n", "labels": "cat\n"}
    root = put(tmp_path, {f"d/{name}.txt": text.encode() for name, text in texts.items()}) + "/d"
    findings = Findings()
    assert {image.split for image in read(root, findings)} == {""}
    (command,) = findings.splits_beside
    assert shell(command, tmp_path).code == 0
    findings = Findings()
    assert {image.image_uri[11:]: image.split for image in read(root, findings)} == {
        "x/a.jpg": "train",
        "b.jpg": "train",
        "c.jpg": "validation",
    }
    assert not findings.splits_beside


@pytest.mark.parametrize(
    ("annotations", "texts", "splits"),
    [
        # HollywoodHeads, and Stanford 40 Actions, which has sets of each action beside.
        ("Annotations", {"Splits/train": "a\nb\n", "Splits/val": "c\n"}, "ttv"),
        (
            "XMLAnnotations",
            {
                "ImageSplits/train": "a.jpg\nb.jpg\n",
                "ImageSplits/test": "c.jpg\n",
                "ImageSplits/run_train": "a.jpg\n",
                "ImageSplits/run_test": "c.jpg\n",
                "ImageSplits/actions": "run 3\n",
            },
            "ttt",
        ),
        ("XMLAnnotations", {"ImageSets/Main/train": "a\nb\n", "ImageSets/Main/val": "c\n"}, "ttv"),
        ("Annotations", {"trainval": "a\nb\n", "test": "c\n"}, "ttt"),
        ("my_annotations", {"ImageSets/Main/train": "a\nb\n", "ImageSets/Main/val": "c\n"}, "ttv"),
    ],
)
def test_sets_in_folders_of_other_names(
    annotations: str, texts: dict[str, str], splits: str, tmp_path: Path
) -> None:
    put(tmp_path, [f"d/JPEGImages/{name}.jpg" for name in "abc"])
    put(tmp_path, {f"d/{annotations}/{name}.xml": xml() for name in "abc"})
    root = put(tmp_path, {f"d/{name}.txt": text.encode() for name, text in texts.items()}) + "/d"
    if not any(name.startswith("ImageSets") for name in texts):
        told = convert_json("d", "out", "--dry-run", cwd=tmp_path)
        (warning,) = (each for each in told["warnings"] if "name the images of splits" in each)
        command = warning.partition("whatever these say: ")[2].removesuffix(
            " makes sets of them, which are read"
        )
        assert shell(command, tmp_path).code == 0
    assert [image.split[:1] for image in read(root, Findings())] == [*splits]


def test_a_folder_above_may_be_called_like_one_of_annotations(tmp_path: Path) -> None:
    base = "in/my_annotations"
    put(tmp_path, [f"{base}/JPEGImages/{name}.jpg" for name in "abc"])
    put(tmp_path, {f"{base}/Annotations/{name}.xml": xml() for name in "abc"})
    put(tmp_path, {f"{base}/ImageSets/Main/{k}.txt": v for k, v in (("train", b"a\nb\n"), ("test", b"c\n"))})
    assert [image.split for image in read(str(tmp_path / "in"), Findings())] == ["train", "train", "test"]


def test_empty_objects_and_elements_without_use(tmp_path: Path) -> None:
    """HollywoodHeads writes an empty object where there is no head, Stanford 40 an action beside the name."""
    put(tmp_path, ["a.jpg", "b.jpg"])
    box = b"<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>8</ymax></bndbox>"
    person = b"<object><name>person</name><action>run</action>" + box + b"</object>"
    texts = {"a.xml": b"<annotation><object>\n\t</object></annotation>", "b.xml": person}
    put(tmp_path, texts | {"b.xml": b"<annotation>" + person + b"</annotation>"})
    findings = Findings()
    first, second = read(str(tmp_path), findings)
    assert (first.problem, first.boxes, [box.label for box in second.boxes or ()]) == (None, (), ["person"])
    assert findings.counts == {"objects without elements": 1}
    assert "elements of objects that are not used: action" in findings.notes


@pytest.mark.parametrize("place", ["splits.json", "d/splits.json"])
@pytest.mark.parametrize("folders", ["JPEGImages Annotations", ". ."])
def test_json_of_splits_is_told_with_what_makes_sets_of_it(folders: str, place: str, tmp_path: Path) -> None:
    images, annotations = folders.split()
    put(tmp_path, [f"d/{images}/{name}.jpg" for name in "abc"])
    put(tmp_path, {f"d/{annotations}/{name}.xml": xml() for name in "abc"})
    other = b'{"train": ["x.xml"], "val": ["y.xml"]}'
    put(tmp_path, {place: b'{"train": ["a.xml", "b.xml"], "val": ["c.xml"]}', "d/a.json": other})
    root = str(tmp_path) if place == "splits.json" else str(tmp_path / "d")
    findings = Findings()
    assert {image.split for image in read(root, findings)} == {""}
    (command,) = findings.splits_beside
    assert shell(command, tmp_path).code == 0
    assert [image.split[:1] for image in read(root, Findings())] == [*"ttv"]


def test_json_that_is_too_large_is_no_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, ["a.jpg"])
    put(tmp_path, {"a.xml": xml(), "splits.json": b'{"train": ["a.xml"], "val": ["b.xml"]}'})
    monkeypatch.setattr(voc_sets, "_MOST_BYTES", 20)
    findings = Findings()
    assert [image.split for image in read(str(tmp_path), findings)] == [""]
    assert not findings.splits_beside


def test_lists_of_other_images_are_no_sets(tmp_path: Path) -> None:
    put(tmp_path, ["JPEGImages/a.jpg"])
    texts = {"Annotations/a.xml": xml(), "train.txt": b"b\n", "val.txt": b"a\nc\n", "test.txt": b""}
    findings = Findings()
    read(put(tmp_path, texts), findings)
    assert not findings.splits_beside


def test_names_in_sets_of_images_in_folders_need_no_file(tmp_path: Path) -> None:
    put(tmp_path, ["JPEGImages/x/a.jpg", "JPEGImages/x/b.jpg"])
    files = {
        "Annotations/x/a.xml": xml(),
        "ImageSets/Main/train.txt": b"x/a",
        "ImageSets/Main/test.txt": b"x/b",
    }
    (image,) = read(put(tmp_path, files))
    assert (image.image_uri, image.split, image.problem) == ("JPEGImages/x/a.jpg", "train", None)


def test_a_name_in_two_sets_is_rejected(tmp_path: Path) -> None:
    put(tmp_path, ["JPEGImages/a.jpg"])
    put(tmp_path, {"Annotations/a.xml": xml(), "ImageSets/Main/train.txt": b"a"})
    (image,) = read(put(tmp_path, {"ImageSets/Main/test.txt": b"a"}))
    assert image.problem is not None
    assert "test and of train" in image.problem.reason


def test_names_in_sets_without_anything_are_rejected(tmp_path: Path) -> None:
    put(tmp_path, ["JPEGImages/a.jpg", "JPEGImages/unlabelled.jpg"])
    files = {"Annotations/a.xml": xml(), "ImageSets/Main/train.txt": b"a\nunlabelled\ngone"}
    _, gone = read(put(tmp_path, files))
    assert (gone.place, gone.image_uri, gone.split) == ("ImageSets/Main/train.txt", "gone", "train")
    assert gone.problem is not None
    assert gone.problem.code == "not_found"


def test_sets_of_other_names_are_refused(tmp_path: Path) -> None:
    put(tmp_path, ["JPEGImages/a.jpg"])
    with pytest.raises(InputError, match="name none of the 1 XML file"):
        read(put(tmp_path, {"Annotations/a.xml": xml(), "ImageSets/Main/train.txt": b"000001"}))


@pytest.mark.parametrize("place", ["train/images/a.jpg", "images/train/a.jpg", "train/a.jpg"])
def test_folders_say_the_splits(place: str, tmp_path: Path) -> None:
    put(tmp_path, [place])
    (image,) = read(put(tmp_path, {place.replace("images", "annotations").replace(".jpg", ".xml"): xml()}))
    assert image.split == "train"


# --- real ones ---


def test_raccoon_equals_its_csv() -> None:
    if not RACCOON.is_dir():
        pytest.skip(f"the raccoon data are not beside this checkout (looked in {RACCOON})")
    findings = Findings()
    images = read(str(RACCOON), findings)
    listed: dict[str, list[tuple[str, ...]]] = {}
    with (RACCOON / "data/raccoon_labels.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            corners = (row[name] for name in ("width", "height", "class", "xmin", "ymin", "xmax", "ymax"))
            listed.setdefault(row["filename"], []).append(tuple(corners))
    found = {
        image.image_uri.removeprefix("images/"): [
            (*map(str, (image.width, image.height)), box.label, *(f"{corner:g}" for corner in box.corners))
            for box in image.boxes or ()
        ]
        for image in images
    }
    assert len(images) == 200
    assert not any(image.problem for image in images)
    assert {name: sorted(boxes) for name, boxes in found.items()} == {
        name: sorted(boxes) for name, boxes in listed.items()
    }
    keys = {"name", "pose", "truncated", "difficult", "bndbox"}
    assert findings == Findings(keys_of_boxes=keys)


# --- on a store ---


def test_a_folder_on_a_store_is_read_alike(tmp_path: Path) -> None:
    put(tmp_path, ["set/JPEGImages/a.jpg", "set/JPEGImages/b.jpg", "set/JPEGImages/c.jpg"])
    put(tmp_path, {"set/Annotations/a.xml": xml(), "set/Annotations/b.xml": b"<"})
    put(tmp_path, {"set/ImageSets/Main/train.txt": b"a\nb"})
    here, there = Findings(), Findings()
    with on_store(tmp_path) as url:
        assert told(read(str(tmp_path), here)) == told(read(url, there))
        assert kind_of_folder(url) == kind_of_folder(str(tmp_path))
    assert here == there
    assert here.notes


# --- kinds ---


def test_an_annotation_among_classes_is_no_dataset_of_boxes(tmp_path: Path) -> None:
    put(tmp_path, ["cat/1.jpg", "dog/2.jpg"])
    assert kind_of_folder(put(tmp_path, {"cat/1.xml": xml()})) is None


@pytest.mark.parametrize(
    ("name", "data", "word"),
    [
        (
            "annotations.xml",
            b'<?xml version="1.0"?><annotations><version>1.1</version></annotations>',
            "CVAT",
        ),
        (
            "Annotations/a.xml",
            b"<annotation><object><polygon><pt/></polygon></object></annotation>",
            "LabelMe",
        ),
    ],
)
def test_what_is_not_read_is_refused_by_name(name: str, data: bytes, word: str, tmp_path: Path) -> None:
    put(tmp_path, ["a.jpg"])
    with pytest.raises(InputError, match=word) as caught:
        kind_of_folder(put(tmp_path, {name: data}))
    assert name in caught.value.message


def test_boxes_of_two_kinds_are_not_guessed(tmp_path: Path) -> None:
    put(tmp_path, ["images/a.jpg"])
    root = put(tmp_path, {"annotations/a.xml": xml(), "labels/a.txt": b"0 .5 .5 .1 .1\n"})
    with pytest.raises(InputError, match=r"labels/a\.txt") as caught:
        kind_of_folder(root)
    assert "--format voc" in caught.value.hint


def test_the_zoo_is_read_or_refused(tmp_path: Path) -> None:
    if not ZOO.is_dir():
        pytest.skip(f"the samples of formats are not beside this checkout (looked in {ZOO})")
    counts = {"voc_dataset/voc_dataset1": 1, "voc_dataset/voc_dataset3": 1, "roboflow_dataset/voc": 3}
    for name, count in counts.items():
        images = read(str(ZOO / name))
        assert len([image for image in images if image.problem is None]) == count
    first = read(str(ZOO / "voc_dataset/voc_dataset1"))[0]
    assert [box.corners for box in first.boxes or ()] == [(1, 2, 3, 4), (4, 5, 6, 7)]
    with pytest.raises(InputError, match="no image"):
        read(str(ZOO / "voc_dataset/voc_dataset2"))
    copy = shutil.copytree(ZOO / "voc_dataset/voc_dataset2", tmp_path / "two")
    put(copy, ["JPEGImages/a.jpg"])
    assert {image.split for image in read(str(copy))} == {"train"}
