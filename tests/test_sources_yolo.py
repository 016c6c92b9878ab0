"""Folders of YOLO's kind as rows: label files, where they are, what describes them, and what is wrong."""

from __future__ import annotations

import math
import re
import subprocess
from pathlib import Path

import pytest
from converting import shell
from test_sources_voc import ZOO, on_store, put, told

from tfrecordcli.errors import InputError
from tfrecordcli.sources.folders.kind import FolderKind, kind_of_folder
from tfrecordcli.sources.folders.sorted_names import SortedNames
from tfrecordcli.sources.folders.tree import Tree
from tfrecordcli.sources.folders.yolo import read_yolo
from tfrecordcli.sources.listed import Findings, ListedImage

BOX = b"0 0.5 0.5 0.25 0.25\n"
NAMES = b"cat\ndog\n"
YAML = b"train: images/train\nval: images/val\nnc: 2\nnames: ['cat', 'dog']\n"


def read(root: str | Path, findings: Findings | None = None) -> list[ListedImage]:
    return list(read_yolo(str(root), Findings() if findings is None else findings))


def make(root: Path, images: list[str], files: dict[str, bytes]) -> str:
    put(root, images)
    return put(root, files)


def one(tmp_path: Path, labels: bytes, findings: Findings | None = None) -> ListedImage:
    """The image of one label file, beside another that is right."""
    files = {"labels/a.txt": labels, "labels/z.txt": BOX, "classes.txt": NAMES}
    image, other = read(make(tmp_path, ["images/a.jpg", "images/z.jpg"], files), findings)
    assert other.problem is None
    assert (image.place, image.image_uri, image.unit) == ("labels/a.txt", "images/a.jpg", "fractions")
    return image


# --- one file ---


def test_a_path_that_is_not_there_is_told_with_what_stands_below_it(tmp_path: Path) -> None:
    text = "path: ../datasets/coco128\ntrain: images/train\nval: images/val\nnames: [person]\n"
    (tmp_path / "coco128.yaml").write_text(text)
    with pytest.raises(
        InputError, match=r"train, which it names for train below .*datasets/coco128 .path."
    ) as caught:
        list(read_yolo(str(tmp_path / "coco128.yaml"), Findings()))
    assert "beside the images" in str(caught.value.hint)


def test_centre_and_size_become_corners(tmp_path: Path) -> None:
    image = one(tmp_path, b"1 0.617 0.35944 0.114 0.17382\r\n\r\n\t0\t.5 5e-1 1 0\t\r\n")
    first, second = image.boxes or ()
    assert (first.label, first.place, second.label, second.place) == ("dog", 1, "cat", 3)
    expected = (0.617 - 0.057, 0.35944 - 0.08691, 0.617 + 0.057, 0.35944 + 0.08691)
    assert all(math.isclose(*pair) for pair in zip(first.corners, expected, strict=True))
    assert second.corners == (0.0, 0.5, 1.0, 0.5)


def test_outlines_become_the_boxes_around_them(tmp_path: Path) -> None:
    findings = Findings()
    lines = b"0 0.1 0.2 0.3 0.9 0.2 0.4\n1 0.5 0.5 0.5 0.25\n0 .1 .1 .2 .1 .2 .2 .1 .2\n"
    image = one(tmp_path, lines, findings)
    assert [box.corners for box in image.boxes or ()] == [
        (0.1, 0.2, 0.3, 0.9),
        (0.25, 0.375, 0.75, 0.625),  # two points are no outline
        (0.1, 0.1, 0.2, 0.2),
    ]
    (note,) = (note for note in findings.notes if note.startswith("2 outlines (1 of 4 points"))
    assert "; 1 line of four numbers in files of outlines taken for boxes" in note


@pytest.mark.parametrize("number", ["-0.01", "1.01"])
def test_values_a_little_outside_are_taken_as_they_are(number: str, tmp_path: Path) -> None:
    image = one(tmp_path, f"0 {number} 0.5 0.5 0.5\n".encode())
    (box,) = image.boxes or ()
    assert box.corners[0] == float(number) - 0.25


def test_doubled_lines_are_left_to_who_merges_boxes(tmp_path: Path) -> None:
    assert len(one(tmp_path, BOX * 2).boxes or ()) == 2


# lines, and a word of the reason
UNUSABLE: dict[str, tuple[bytes, str]] = {
    "a class without a name": (b"2 .5 .5 .1 .1\n", "line 1: class 2 has no name"),
    "a name for a class": (BOX + b"cat .5 .5 .1 .1\n", "line 2: 'cat'"),
    "a negative class": (b"-1 .5 .5 .1 .1\n", "'-1'"),
    "pixels": (b"0 120 80 30 20\n", "holds 120"),
    "beyond the tolerance": (b"0 0.5 1.02 0.1 0.1\n", "holds 1.02"),
    "below the tolerance": (b"0 -0.02 0.5 0.1 0.1\n", "holds -0.02"),
    "an outline beyond it": (b"0 .1 .1 .2 .1 1.2 .2\n", "reaches 1.2"),
    "not a number": (b"0 nan .5 .1 .1\n", "'nan'"),
    "too large a number": (b"0 1e999 .5 .1 .1\n", "'1e999'"),
    "other digits": ("0 ٠.5 .5 .1 .1\n".encode(), "for a number"),
    "too few": (b"0 .5 .5\n", "3 fields"),
    "commas": (b"0,.5,.5,.1,.1\n", "commas"),
    "eight numbers": (b"0 .1 .1 .2 .1 .2 .2 .1\n", "8 fields"),
    "six in a file of outlines": (b"0 .1 .1 .2 .1 .2 .2\n0 .5 .5 .1 .1 .9\n", "line 2: 6 fields"),
    "corners in a file of outlines": (b"0 .1 .1 .2 .1 .2 .2\n0 .2 .2 .6 .7\n", "line 2, beside outlines"),
    "no text": (b"\xff\xfe0", "UTF-8"),
}


@pytest.mark.parametrize(("lines", "word"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_file_that_cannot_be_used_rejects_its_image(lines: bytes, word: str, tmp_path: Path) -> None:
    image = one(tmp_path, lines)
    assert image.problem is not None
    assert word in image.problem.reason
    assert [box.place for box in image.boxes or ()] == list(range(1, len(lines.splitlines()) + 1))


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        (b"0 .5 .5 .1 .1 .87\n", "sixth number"),
        (b"0 0 10 0 10 10 0 10 plane 0\n", "DOTA"),
        (b"0 0 10 0 10 10 0 10 plane\n", "DOTA"),
    ],
)
def test_other_kinds_are_refused_by_name(lines: bytes, word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=word) as caught:
        one(tmp_path, lines)
    assert "labels/a.txt: line 1" in caught.value.message


def test_numbers_of_tracks_are_taken_out_by_the_command_of_the_refusal(tmp_path: Path) -> None:
    make(tmp_path, ["images/a.jpg"], {"labels/a.txt": b"", "classes.txt": NAMES})
    labels = tmp_path / "labels"
    (labels / "a.txt").write_bytes(b"0 .5 .5 .1 .1 7\r\n0 5e-1 .5 .1 .1 12\n")
    (labels / "b.txt").write_bytes(b"0 .5 .5 .1 .1 .87\n")
    with pytest.raises(InputError, match="line 1 has a sixth number, 7, as of a track") as caught:
        read(tmp_path)
    command = caught.value.hint.partition("numbers of tracks: ")[2].partition("; predictions")[0]
    subprocess.run(["bash", "-ec", command], check=True)
    assert (labels / "a.txt").read_bytes() == b"0 .5 .5 .1 .1\n0 5e-1 .5 .1 .1\n"
    assert (labels / "b.txt").read_bytes() == b"0 .5 .5 .1 .1 .87\n"  # a confidence stays, and is refused
    assert (labels / "a.txt.tracks").read_bytes().endswith(b" 12\n")


# --- images that show nothing, and those without labels ---


def test_no_file_and_an_empty_one_say_that_an_image_shows_nothing(tmp_path: Path) -> None:
    findings = Findings()
    files = {"labels/a.txt": BOX, "labels/b.txt": b" \n", "classes.txt": NAMES}
    images = read(make(tmp_path, [f"images/{name}.jpg" for name in "abcd"], files), findings)
    assert [len(image.boxes or ()) for image in images] == [1, 0, 0, 0]
    assert [image.place for image in images] == [
        "labels/a.txt",
        "labels/b.txt",
        "images/c.jpg",
        "images/d.jpg",
    ]
    (note,) = findings.notes
    assert note.startswith("2 images without a label file and 1 with an empty one")
    assert "more than half" in note


def test_a_few_images_without_a_file_are_no_cause_for_doubt(tmp_path: Path) -> None:
    findings = Findings()
    files = {"labels/a.txt": BOX, "labels/b.txt": BOX, "classes.txt": NAMES}
    assert len(read(make(tmp_path, [f"images/{name}.jpg" for name in "abc"], files), findings)) == 3
    assert [note for note in findings.notes if "more than half" in note] == []
    assert len(findings.notes) == 1


def test_a_folder_without_any_label_file_is_unlabelled(tmp_path: Path) -> None:
    findings = Findings()
    files = {"labels/train/a.txt": BOX, "classes.txt": NAMES}
    images = read(make(tmp_path, ["images/train/a.jpg", "images/test/b.jpg"], files), findings)
    assert [image.image_uri for image in images] == ["images/train/a.jpg"]
    assert any(
        "1 image in folders without any label file left out (images/test)" in note for note in findings.notes
    )


@pytest.mark.parametrize("files", [{}, {"labels/a.txt": b""}, {"labels/other.txt": BOX}])
def test_no_labels_at_all_are_refused(files: dict[str, bytes], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"label"):
        read(make(tmp_path, ["images/a.jpg"], {"classes.txt": NAMES, **files}))


def test_label_files_without_an_image_are_rejected(tmp_path: Path) -> None:
    files = {
        "labels/a.txt": BOX,
        "labels/gone.txt": BOX,
        "labels/notes.txt": b"x\n",
        "labels/classes.txt": NAMES,
    }
    _, gone = read(make(tmp_path, ["images/a.jpg"], files))
    assert (gone.place, gone.image_uri) == ("labels/gone.txt", "images/gone")
    assert gone.problem is not None
    assert gone.problem.code == "not_found"


# --- where the labels are ---

# an image and its label file
PLACES = {
    "images and labels": ("images/a.jpg", "labels/a.txt"),
    "splits below": ("images/train/a.jpg", "labels/train/a.txt"),
    "splits above": ("train/images/a.jpg", "train/labels/a.txt"),
    "images above images": ("images/set/images/a.jpg", "images/set/labels/a.txt"),
    "other cases": ("Images/a.JPG", "Labels/a.txt"),
    "annotations": ("Images/a.jpg", "Annotations/a.txt"),
    "beside": ("a.jpg", "a.txt"),
    "beside, as Darknet has it": ("obj_train_data/a.jpg", "obj_train_data/a.txt"),
    "a wrapper": ("my set/images/a.jpg", "my set/labels/a.txt"),
    "dots": ("images/a.b.c.jpg", "labels/a.b.c.txt"),
    "blanks": ("images/a b.jpg", "labels/a b.txt"),
}


@pytest.mark.parametrize(("image", "labels"), PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("names", ["top", "beside"])
def test_labels_are_found(image: str, labels: str, names: str, tmp_path: Path) -> None:
    place = "classes.txt" if names == "top" else str(Path(labels).with_name("classes.txt"))
    root = make(tmp_path, [image], {labels: BOX, place: NAMES})
    (found,) = read(root)
    assert (found.image_uri, found.place, found.problem) == (image, labels, None)
    assert [box.label for box in found.boxes or ()] == ["cat"]
    assert found.split == ("train" if "/train" in f"/{image}" and "obj" not in image else "")
    kind = kind_of_folder(root)
    assert kind is not None
    assert (kind.name, kind.sign) == ("yolo", labels)


# --- names ---

# files, and what the classes are called
NAMED: dict[str, tuple[dict[str, bytes], list[str]]] = {
    "classes.txt": ({"classes.txt": b"cat\r\nbig dog\r\n\r\n"}, ["cat", "big dog"]),
    "obj.names": ({"data/obj.names": b"cat\ndog"}, ["cat", "dog"]),
    "Roboflow's Darknet": ({"_darknet.labels": b"cat\ndog\n"}, ["cat", "dog"]),
    "a list": ({"data.yaml": b"names: [cat, dog]\nnc: 2"}, ["cat", "dog"]),
    "a map": ({"data.yaml": b"names:\n  1: dog\n  0: cat\nnc: 2"}, ["cat", "dog"]),
    "words that YAML takes for others": (
        {"data.yaml": b"nc: 5\nnames: [no, on, 007, 2020-01-01, null]"},
        ["no", "on", "007", "2020-01-01", "null"],
    ),
    "a file": ({"data.yaml": b"nc: 2\nnames: coco.names", "coco.names": NAMES}, ["cat", "dog"]),
    "only how many": ({"data.yaml": b"nc: 2\nnames:"}, ["class_0", "class_1"]),
    "YAML goes before classes.txt": ({"data.yaml": b"nc: 1\nnames: [cat]", "classes.txt": b"x\n"}, ["cat"]),
    "two that agree": ({"classes.txt": NAMES, "labels/classes.txt": b"cat\r\ndog"}, ["cat", "dog"]),
}


@pytest.mark.parametrize(("files", "names"), NAMED.values(), ids=NAMED)
def test_names_are_found(files: dict[str, bytes], names: list[str], tmp_path: Path) -> None:
    findings = Findings()
    (image,) = read(make(tmp_path, ["images/a.jpg"], {"labels/a.txt": BOX, **files}), findings)
    assert [box.label for box in image.boxes or ()] == names[:1]
    assert findings.label_ids == {name: number for number, name in enumerate(names, 1)}


# files, and a word of the message
UNNAMED: dict[str, tuple[dict[str, bytes], str]] = {
    "nothing": ({}, "what the numbers of the classes mean"),
    "two that differ": ({"classes.txt": NAMES, "labels/classes.txt": b"dog\n"}, "labels/classes.txt"),
    "a gap": ({"classes.txt": b"cat\n\ndog\n"}, "class 1 is empty"),
    "one name twice": ({"classes.txt": b"cat\ndog\ncat\n"}, "class 0 and class 2"),
    "another number": ({"data.yaml": b"nc: 3\nnames: [cat, dog]"}, "nc says 3 classes, and names has 2"),
    "names of names": ({"data.yaml": b"nc: 1\nnames: [[cat]]"}, "neither a list nor a map"),
    "names by names": ({"data.yaml": b"nc: 1\nnames: {cat: 0}"}, "neither a list nor a map"),
    "not UTF-8": ({"classes.txt": b"caf\xe9\n"}, "not UTF-8"),
    "no YAML": ({"data.yaml": b"names: [cat\nnc: 1\n  x: ]: ["}, "no YAML"),
    "too deep": ({"data.yaml": b"nc: 1\nnames: " + b"[" * 5_000}, "no YAML"),
    "a map for a path": ({"data.yaml": b"nc: 1\nnames: [cat]\ntrain: {a: b}"}, "train is neither"),
    "two YAML files": (
        {"a.yaml": b"nc: 1\nnames: [cat]", "b.yaml": b"nc: 1\nnames: [dog]"},
        "a.yaml and b.yaml",
    ),
}


@pytest.mark.parametrize(("files", "word"), UNNAMED.values(), ids=UNNAMED)
def test_names_that_are_not_certain_are_refused(files: dict[str, bytes], word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(word)) as caught:
        read(make(tmp_path, ["images/a.jpg"], {"labels/a.txt": BOX, **files}))
    assert str(tmp_path) in caught.value.message


def folds(*images: tuple[str, bytes]) -> dict[str, bytes]:
    """Folders `1`, `2`, … of one image each, with a description of their own."""
    files: dict[str, bytes] = {}
    for number, (name, data) in enumerate(images, 1):
        files |= {f"{number}/set_{number}.yaml": YAML, f"{number}/train/images/{name}.jpg": data}
        files[f"{number}/train/labels/{name}.txt"] = BOX
    return files


# folders, and the sources of the command that is proposed; without it they are one dataset
SEVERAL: dict[str, tuple[dict[str, bytes], str]] = {
    "folds": (folds(("a", b"A"), ("a", b"A")), "{root}/1"),
    "folds below their names": ({"classes.txt": NAMES, **folds(("a", b"A"), ("a", b"A"))}, "{root}/1"),
    "others": (folds(("a", b"A"), ("b", b"A")), "{root}/1 {root}/2"),
    "others of the same names": (folds(("a", b"A"), ("a", b"B")), "{root}/1 {root}/2"),
    "others below their names": ({"classes.txt": NAMES, **folds(("a", b"A"), ("a", b"B"))}, ""),
    "one": ({"notes.pdf": b"", **folds(("a", b"A"))}, "{root}/1"),
}


@pytest.mark.parametrize(("files", "sources"), SEVERAL.values(), ids=SEVERAL)
def test_datasets_in_folders_are_told_and_folds_are_not_one(
    files: dict[str, bytes], sources: str, tmp_path: Path
) -> None:
    root = put(tmp_path, files)
    if not sources:
        assert [image.split for image in read(root)] == ["train", "train"]
        return
    with pytest.raises(InputError, match=r"of (its|their) own") as caught:
        read(root)
    assert caught.value.hint.endswith(f": tfrec convert {sources.format(root=root)} OUTPUT_DIR")
    assert ("the same images" in caught.value.message) is ("convert one" in caught.value.hint)


def test_yaml_runs_nothing_and_has_a_bound(tmp_path: Path) -> None:
    evil = b"download: |\n  import os\nnc: 1\nnames: [!!python/object/apply:os.mkdir [made]]\n"
    root = make(tmp_path, ["images/a.jpg"], {"labels/a.txt": BOX, "data.yaml": evil})
    with pytest.raises(InputError, match="neither a list nor a map"):
        read(root)
    assert not Path("made").exists()
    put(tmp_path, {"data.yaml": b"nc: 1\nnames: [cat]\n#" + b"x" * (1 << 20)})
    with pytest.raises(InputError, match="at most 1048576"):
        read(root)


# --- splits ---

IMAGES = ["train/images/a.jpg", "valid/images/b.jpg", "test/images/c.jpg"]
LABELS = {name.replace("images", "labels").replace("jpg", "txt"): BOX for name in IMAGES}
SPLITS = [("train", IMAGES[0]), ("validation", IMAGES[1]), ("test", IMAGES[2])]
# what data.yaml says of them
WRITTEN = {
    "as they are": "train: train/images\nval: valid/images\ntest: test/images",
    "as Roboflow writes them": "train: ../train/images\nval: ../valid/images\ntest: ../test/images",
    "of another machine": "train: /content/set/train/images\nval: /c/valid/images\ntest: /c/test/images",
    "of Windows": "train: C:\\set\\train\\images\nval: ./valid/images\ntest: test\\images",
    "below a path": "path: .\ntrain: train/images\nval: valid/images/\ntest: [test/images]",
    "below a path that is not there": "path: /a\ntrain: train/images\nval: valid/images\ntest: test/images",
    "the folders above": "train: train\nval: valid\ntest: test",
    "another word": "train: ../training/images\nvalidation: ../val/images\ntest: ../test/images",
    "nothing": "",
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("given", ["folder", "file"])
def test_folders_of_splits_are_found(written: str, given: str, tmp_path: Path) -> None:
    root = make(
        tmp_path / "set", IMAGES, {**LABELS, "data.yaml": f"{written}\nnc: 2\nnames: [cat, dog]\n".encode()}
    )
    images = read(root if given == "folder" else f"{root}/data.yaml")
    assert sorted((image.split, image.image_uri) for image in images) == sorted(SPLITS)


@pytest.mark.parametrize("written", ["images", "/content/set/images", "/content/set", ".", "../images"])
def test_the_only_folder_that_is_named_is_found(written: str, tmp_path: Path) -> None:
    said = f"train: {written}\nval: {written}\nnc: 1\nnames: [cat]"
    root = make(tmp_path / "set", ["images/a.jpg"], {"labels/a.txt": BOX, "data.yaml": said.encode()})
    (image,) = read(root)
    assert (image.split, image.image_uri, len(image.boxes or ())) == ("train", "images/a.jpg", 1)


def test_where_splits_are_elsewhere_the_end_of_a_path_is_not_enough(tmp_path: Path) -> None:
    said = b"train: /content/a/images\nval: /content/b/images\nnc: 1\nnames: [cat]"
    with pytest.raises(InputError, match="which it names for train, is not there"):
        read(make(tmp_path / "set", ["images/a.jpg"], {"labels/a.txt": BOX, "data.yaml": said}))


def test_paths_are_taken_as_written_when_they_lead_somewhere(tmp_path: Path) -> None:
    files = {"train/labels/a.txt": BOX, "set/data.yaml": b"train: ../train/images\nnc: 1\nnames: [cat]"}
    make(tmp_path, ["train/images/a.jpg", "set/train/images/b.jpg"], files)
    (image,) = read(tmp_path / "set")
    assert image.image_uri == "../train/images/a.jpg"


def test_lists_of_images_say_the_splits(tmp_path: Path) -> None:
    lists = {
        "train.txt": b"./images/a.jpg\n\n./images/b.jpg\n",
        "val.txt": b"/home/bob/set/images/c.jpg\n",
        "data.yaml": b"train: [train.txt]\nval: val.txt\nnc: 2\nnames: [cat, dog]",
    }
    root = make(tmp_path, [f"images/{name}.jpg" for name in "abcd"], {**lists, "labels/a.txt": BOX})
    images = read(root)
    assert [(image.split, image.image_uri, len(image.boxes or ())) for image in images] == [
        ("train", "images/a.jpg", 1),
        ("train", "images/b.jpg", 0),
        ("validation", "images/c.jpg", 0),
    ]
    assert [image.place for image in images] == ["labels/a.txt", "train.txt line 3", "val.txt line 1"]


@pytest.mark.parametrize("prefix", ["", "data/", "../darknet/data/", "C:\\darknet\\data\\"])
def test_darknet_says_names_and_lists(prefix: str, tmp_path: Path) -> None:
    data = f"classes = 2\ntrain = {prefix}train.txt\nvalid={prefix}val.txt\nnames = {prefix}obj.names\n"
    lists = {
        "train.txt": f"{prefix}obj/a.jpg\n".encode(),
        "val.txt": f"{prefix}obj/b.jpg\n".encode(),
        "obj.data": data.encode(),
        "obj.names": NAMES,
    }
    root = make(tmp_path, ["obj/a.jpg", "obj/b.jpg"], {**lists, "obj/a.txt": BOX, "obj/b.txt": BOX})
    assert [(image.split, image.image_uri, image.problem) for image in read(root)] == [
        ("train", "obj/a.jpg", None),
        ("validation", "obj/b.jpg", None),
    ]


def test_darknet_below_data(tmp_path: Path) -> None:
    files = {
        "data/obj.data": b"train = data/train.txt\nnames = data/obj.names",
        "data/obj.names": NAMES,
        "data/train.txt": b"data/obj/a.jpg\n",
        "data/obj/a.txt": BOX,
    }
    (image,) = read(make(tmp_path, ["data/obj/a.jpg"], {**files, "cfg/yolo.cfg": b"[net]"}))
    assert (image.split, image.image_uri, image.place) == ("train", "data/obj/a.jpg", "data/obj/a.txt")


def test_lists_beside_names_are_those_of_splits(tmp_path: Path) -> None:
    files = {"train.txt": b"images/a.jpg", "test.txt": b"images/b.jpg", "classes.txt": NAMES}
    labels = {"labels/a.txt": BOX, "labels/b.txt": BOX}
    images = read(make(tmp_path, ["images/a.jpg", "images/b.jpg"], {**files, **labels}))
    assert [(image.split, image.image_uri) for image in images] == [
        ("train", "images/a.jpg"),
        ("test", "images/b.jpg"),
    ]


def test_a_split_that_is_not_there_is_refused_but_for_test(tmp_path: Path) -> None:
    root = make(
        tmp_path, IMAGES[:2], {**LABELS, "data.yaml": b"train: train/images\nval: gone\nnc: 1\nnames: [cat]"}
    )
    with pytest.raises(InputError, match=r"gone, which it names for validation, is not there"):
        read(root)
    with pytest.raises(InputError) as refused:
        read(root)
    command, _, then = refused.value.hint.partition("leave it out: ")[2].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    assert then == f"tfrec convert {root}/data-there.yaml OUTPUT_DIR"
    assert (tmp_path / "data-there.yaml").read_text() == "train: train/images\nnc: 1\nnames: [cat]\n"
    (tmp_path / "data-there.yaml").unlink()
    put(tmp_path, {"data.yaml": b"train: train/images\ntest: gone\nnc: 1\nnames: [cat]"})
    findings = Findings()
    assert len(read(root, findings)) == 1
    assert "data.yaml names gone for test, which is not there" in findings.notes


def test_one_folder_for_two_splits_is_taken_once(tmp_path: Path) -> None:
    yaml = b"train: images\nval: images\nnc: 1\nnames: [cat]"
    findings = Findings()
    (image,) = read(make(tmp_path, ["images/a.jpg"], {"labels/a.txt": BOX, "data.yaml": yaml}), findings)
    assert image.split == "train"
    assert "images is named for train and for validation: taken for train" in findings.notes


def test_a_list_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    files = {"train.txt": b"pics/a.jpg", "classes.txt": NAMES, "labels/a.txt": BOX}
    with pytest.raises(
        InputError, match=r"train\.txt: none of its first images is there, such as pics/a\.jpg"
    ):
        read(make(tmp_path, ["images/b.jpg"], files))


@pytest.mark.parametrize("others", [(), ("copy/ts/a.jpg",), ("copy/ts/a.jpg", "copy/ts/b.jpg")])
def test_a_list_leads_into_the_only_folder_that_has_its_images(
    others: tuple[str, ...], tmp_path: Path
) -> None:
    files = {"test.txt": b"/home/me/ts/b.jpg\n/home/me/ts/a.jpg\n", "classes.txt": NAMES,
             "train.txt": b"/home/me/ts/c.jpg\n/home/me/ts/gone.jpg\n",
             **dict.fromkeys(("ts/ts/a.txt", "ts/ts/b.txt", "ts/ts/c.txt"), BOX)}  # fmt: skip
    root = make(tmp_path, ["ts/ts/a.jpg", "ts/ts/b.jpg", "ts/ts/c.jpg", *others], files)
    with pytest.raises(InputError, match=r"train\.txt: none of its first images is there"):
        read(root)
    (tmp_path / "train.txt").unlink()
    if len(others) > 1:
        with pytest.raises(InputError, match=r"test\.txt: none of its first images is there"):
            read(root)
        return
    assert {(image.image_uri, image.split, len(image.boxes)) for image in read(root)} == {
        ("ts/ts/a.jpg", "test", 1), ("ts/ts/b.jpg", "test", 1)}  # fmt: skip


def test_the_output_is_left_out(tmp_path: Path) -> None:
    files = {"labels/a.txt": BOX, "classes.txt": NAMES, "out/classes.txt": b"x", "out/labels/b.txt": BOX}
    root = make(tmp_path, ["images/a.jpg", "out/images/b.jpg"], files)
    images = list(read_yolo(root, Findings(), skip=str(tmp_path / "out")))
    assert [image.image_uri for image in images] == ["images/a.jpg"]


def test_a_folder_on_a_store_is_read_alike(tmp_path: Path) -> None:
    yaml = b"train: ../train/images\nval: ../valid/images\nnc: 2\nnames: [cat, dog]\n"
    make(tmp_path, [*IMAGES, "train/images/d.jpg"], {**LABELS, "data.yaml": yaml, "train/labels/e.txt": BOX})
    here, there = Findings(), Findings()
    local = read(tmp_path, here)
    assert len(local) == 4
    with on_store(tmp_path) as url:
        assert told(local) == told(read(url, there)) == told(read(f"{url}/data.yaml"))
        assert kind_of_folder(url) == kind_of_folder(str(tmp_path))
    assert here == there


# --- kinds ---


def test_text_among_classes_is_no_dataset_of_boxes(tmp_path: Path) -> None:
    files = {"cat/1.txt": BOX, "labels/readme.txt": b"labels of jars\n"}
    assert kind_of_folder(make(tmp_path, ["cat/1.jpg", "dog/2.jpg", "labels/3.jpg"], files)) is None


def test_a_sign_is_found_among_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many names are known of a folder, those of each kind come first by their order."""
    monkeypatch.setattr("tfrecordcli.sources.folders.kind._KNOWN", 3)
    names = [f"{number:03d}" for number in range(20)]
    files = {f"{name}.txt": BOX for name in names} | {"data.yaml": YAML, "classes.txt": NAMES}
    root = make(tmp_path, [f"{name}.jpg" for name in names], files)
    assert kind_of_folder(root) == FolderKind("yolo", "data.yaml")
    (tmp_path / "data.yaml").unlink()
    assert kind_of_folder(root) == FolderKind("yolo", "000.txt")
    assert Tree(root, most=3).entries().files == sorted(
        [f"{name}{ending}" for name in names[:3] for ending in (".jpg", ".txt")]
    )


def test_folders_of_roboflow_name_their_lists(tmp_path: Path) -> None:
    files = {
        "train/_annotations.coco.json": b"{}",
        "valid/_annotations.coco.json": b"{}",
        "README.roboflow.txt": b"x",
    }
    kind = kind_of_folder(make(tmp_path, ["train/a.jpg"], files))
    assert kind is not None
    assert (kind.name, kind.lists) == (
        "roboflow",
        (("train", "train/_annotations.coco.json"), ("validation", "valid/_annotations.coco.json")),
    )


def test_the_zoo_is_read_or_refused() -> None:
    if not ZOO.is_dir():
        pytest.skip(f"the samples of formats are not beside this checkout (looked in {ZOO})")
    expected = {
        "yolo_dataset/labels": [("train", "images/train/1.jpg"), ("validation", "images/val/1.jpg")],
        "yolo_dataset/annotations": [("", "Images/1.jpg")],
        "yolo_dataset/strict": [("train", "obj_train_data/1.jpg")],
    }
    for name, rows in expected.items():
        images = read(ZOO / name)
        assert [(image.split, image.image_uri) for image in images] == rows
        for image in images:
            assert [box.label for box in image.boxes or ()] == ["label_2", "label_4"]
            assert all(
                math.isclose(found, told, abs_tol=1e-6)
                for found, told in zip((image.boxes or ())[1].corners, (0.2, 0.3, 1 / 3, 0.6), strict=True)
            )
    roboflow = read(ZOO / "roboflow_dataset/yolo")
    assert [(image.split, len(image.boxes or ())) for image in roboflow] == [
        ("train", 1),
        ("train", 1),
        ("validation", 2),
    ]
    with pytest.raises(InputError, match="oriented boxes"):
        read(ZOO / "roboflow_dataset/yolo_obb")


def test_a_name_is_found_by_the_whole_of_its_stem() -> None:
    names = SortedNames(sorted(["a.b.jpg", "a.jpg", "a.png", "ab.jpg", "b", "A.jpg"]))
    assert names.with_stem("a") == ["a.jpg", "a.png"]
    assert names.with_stem("a.b") == ["a.b.jpg"]
    assert names.with_stem("c") == names.with_stem("b") == []
    assert [names.place(name) for name in ("A.jpg", "b", "c")] == [0, 5, None]
