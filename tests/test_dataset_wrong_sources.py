"""What is given for a list and is none, and lists whose images are not where they say."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import shlex
import shutil
import sqlite3
import struct
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from converting import convert_json, jpeg, read_csv, shell, tfrec
from PIL import Image
from sampling import first
from test_dataset_samples import read, write
from verifying import framed

import tfrecordcli
from tfrecordcli.errors import InputError
from tfrecordcli.sources.image_paths import PathRules, with_endings
from tfrecordcli.sources.proposals.missing_images import missing_hint


def zipped(*names: str, content: bytes = b"x") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, content)
    return file.getvalue()


def ods() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    return file.getvalue()


def npz() -> bytes:
    file = io.BytesIO()
    np.savez(file, x=np.zeros(3))
    return file.getvalue()


def npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


def tar() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.jpg"))
    return file.getvalue()


def sqlite() -> bytes:
    base = sqlite3.connect(":memory:")
    base.execute("create table t (image text)")
    return base.serialize()


def picture(kind: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (5, 4)).save(file, kind)
    return file.getvalue()


RECORD = framed(b"example")
EXCEL = ("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/worksheets/sheet1.xml")

# content, what the message calls it, a word of the way out
FILES: dict[str, tuple[bytes, str, str]] = {
    "xlsx": (zipped(*EXCEL, content=b"x" * 90_000), "an Excel workbook", "openpyxl): python -c"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "an Excel workbook", "pd.read_excel("),
    "ods": (ods(), "an OpenDocument spreadsheet", "CSV"),
    "zip": (zipped("photos/a.jpg", "list.csv"), "a zip archive", "unpack it"),
    "empty zip": (zipped(), "a zip archive", "unpack it"),
    "npz": (npz(), "a NumPy archive", "images to files"),
    "npy": (npy(), "a NumPy array", "images to files"),
    "parquet": (b"PAR1\x15\x04\x15\x10" + bytes(99) + b"PAR1", "a Parquet file", "pd.read_parquet("),
    "feather": (b"ARROW1\0\0" + bytes(99), "an Arrow (Feather) file", "pd.read_feather("),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(99), "an HDF5 file", "images to files"),
    "SQLite": (sqlite(), "an SQLite database", "CSV"),
    "pickle": (pickle.dumps([1]), "a Python pickle", "pd.read_pickle("),
    "old pickle": (pickle.dumps([1], 2), "a Python pickle", "pd.read_pickle("),
    "tar": (tar(), "a tar archive", "unpack it"),
    "tar.gz": (gzip.compress(tar()), "a tar archive compressed by gzip", "unpack it"),
    "csv.gz": (gzip.compress(b"a.jpg,x\n"), "a file compressed by gzip", "gunzip -c"),
    "damaged gzip": (b"\x1f\x8b\x08\0nonsense", "a file compressed by gzip", "gunzip -c"),
    "TFRecord": (RECORD, "a TFRecord file", "tfrec convert FILE"),
    "TFRecord.gz": (gzip.compress(RECORD), "a TFRecord file compressed by gzip", "tfrec convert FILE"),
    "JPEG": (jpeg(), "an image", "the folder"),
    "PNG": (picture("PNG"), "an image", "the folder"),
    "GIF": (picture("GIF"), "an image", "the folder"),
    "BMP": (picture("BMP"), "an image", "the folder"),
    "TIFF": (picture("TIFF"), "an image", "the folder"),
    "WebP": (picture("WEBP"), "an image", "the folder"),
    "MP4": (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", "a video", "extract its frames"),
    "AVIF": (b"\0\0\0\x1cftypavif\0\0\0\0mif1avif", "an image", "the folder"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3", "a PDF document", "CSV"),
    "COCO": (b'{"info": {"year": 2017}, "images": [{"id": 1}]}', "a COCO dataset (JSON)", "CSV"),
    "COCO in one line": (b'{"images": [{"id": 1}], "annotations": []}\n', "a COCO dataset", "each box"),
    "COCO in lines": (b'\xef\xbb\xbf{\n  "categories": [\n', "a COCO dataset", "each box"),
    "CreateML": (b'[{"image": "a.jpg", "annotations": [{"label": "x"}]}]', "a CreateML dataset", "each box"),
    "notebook": (b'{"cells": [{"cell_type": "code"}], "nbformat": 4}', "a Jupyter notebook", "the list"),
    "notebook in lines": (b'{\n "cells": [],\n', "a Jupyter notebook", "the list"),
    "VOC": (b"<annotation>\n<folder>x</folder>", "an XML file of annotations", "folder"),
    "CVAT": (b'<?xml version="1.0"?>\n<annotations>', "CVAT's own XML", "COCO"),
    "nested": (b"<?xml ?><a><i f='1.jpg' y='1'/><i f='2.jpg' y='1'><j/></i></a>", "an XML file", "CSV"),
    "LFS": (b"version https://git-lfs.github.com/spec/v1\noid a1\n", "a Git LFS pointer", "git lfs pull"),
    "zeros": (bytes(500), "a file of zero bytes", "again"),
    "web page": (b"\n<!DOCTYPE html><html>", "a web page", "download"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "what", "way_out"), FILES.values(), ids=FILES)
def test_files_that_are_no_list_are_told_by_their_first_bytes(
    content: bytes, what: str, way_out: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    assert caught.value.message.startswith(f"list.csv: this is {what}")
    assert way_out in caught.value.hint


@pytest.mark.parametrize("name", first(["it's a list.pkl"], ["my list.csv", "list"]))
def test_the_line_that_makes_a_csv_of_a_table_runs(name: str, tmp_path: Path) -> None:
    """It leaves the file and others as they are, and the CSV beside it, where paths in it are relative to."""
    (tmp_path / "lists").mkdir()
    (tmp_path / "list.csv").write_text("mine")
    table = tmp_path / "lists" / name
    pd.DataFrame({"image": ["a.jpg"], "label": ["x"]}).to_pickle(table)
    before = table.read_bytes()
    done = convert_json(table, tmp_path / "out")
    assert "Python pickle" in done["error"]["message"]
    command = done["error"]["hint"].removeprefix("make a CSV of it (pip install pandas): ")
    assert shell(command, tmp_path).code == 0
    assert table.with_name(f"{table.stem}-as-text.csv").read_text() == "image,label\na.jpg,x\n"
    assert (table.read_bytes(), (tmp_path / "list.csv").read_text()) == (before, "mine")
    assert shell(command, tmp_path).code != 0


def test_other_files_on_standard_input(tmp_path: Path) -> None:
    run = tfrec("convert", "-", tmp_path / "out", stdin=jpeg())
    assert run.code == 2
    assert "standard input: this is an image" in run.err


def test_a_table_on_standard_input_is_read_by_the_command_that_is_proposed(tmp_path: Path) -> None:
    """It has no name there, so that a pipe reads it."""
    pd.DataFrame({"image": ["a.jpg"], "label": ["x"]}).to_pickle(tmp_path / "list.pkl")
    run = tfrec("convert", "-", tmp_path / "out", stdin=(tmp_path / "list.pkl").read_bytes())
    assert "standard input: this is a Python pickle" in run.err
    command, _, then = run.err[run.err.index("python -c") :].strip().partition(" < FILE | ")
    assert then == "tfrec convert - OUTPUT_DIR"
    assert shell(f"{command} < list.pkl", tmp_path).out == "image,label\na.jpg,x\n"
    zipped = tfrec("convert", "-", tmp_path / "out", stdin=gzip.compress(b"a.jpg,x\n"))
    assert "gunzip -c FILE | tfrec convert - OUTPUT_DIR" in zipped.err


# lists that begin like something else
LISTS = ["PAR1.jpg,x\n", "BM/a.jpg,x\n", "GIF89a.jpg,x\n", "ORC/1.jpg,x\n", "RIFF/a.jpg,x\n", "BZh.jpg,x\n",
         "ID3.jpg,x\n", "MM.jpg,x\n", "<a>.jpg,x\n", "7z.jpg,x\n", "1234ftyp.jpg,x\n"]  # fmt: skip


@pytest.mark.parametrize("content", LISTS)
def test_lists_that_begin_like_something_else_are_lists(content: str, tmp_path: Path) -> None:
    (row,) = read(tmp_path, content)[1]
    assert (row.image_uri, row.labels) == (content.partition(",")[0], ("x",))


@pytest.mark.parametrize("start", ["train,", ""])
def test_a_label_that_is_called_image_makes_no_header(start: str, tmp_path: Path) -> None:
    further = "" if start else ",x"
    (row,) = read(tmp_path, f"{start}img/001,image,cat{further}\n")[1]
    assert (row.image_uri, row.labels) == ("img/001", ("image", "cat", *filter(None, [further[1:]])))


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("TRAIN,a\u0308\xe4.jpg,x\n".encode("utf-16-le"), "--encoding utf-16-le"),
        ("TRAIN,\xe4.jpg,x\n".encode("utf-16-be"), "--encoding utf-16-be"),
        (b"TRAIN,\xe4.jpg,x\n", "--encoding cp1252"),
        (b"\x00\x01\xff\xfe" * 99, "this is a binary file"),
    ],
)
def test_bytes_that_are_not_utf_8_are_guessed_at(content: bytes, word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    assert word in str(caught.value)


# --- images that are not there ---


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """A folder with train/1.jpg, train/b.JPG and test/2.png."""
    for name in ("train/1.jpg", "train/b.JPG", "test/2.png"):
        (tmp_path / "photos" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "photos" / name).write_bytes(jpeg())
    return tmp_path / "photos"


COCO = """{"images": [{"id": 1, "file_name": "%s"}], "categories": [{"id": 1, "name": "cat"}],
"annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 10, 10]}]}"""
# files of a folder that is refused, and the splits that the command in its message gives
FOLDERS: dict[str, tuple[dict[str, str], dict[str, int]]] = {
    "COCO's own": (
        {
            "annotations/instances_train2017.json": COCO % "a.jpg",
            "annotations/instances_val2017.json": COCO % "b.jpg",
            "train2017/a.jpg": "",
            "val2017/b.jpg": "",
        },
        {"train": 1, "validation": 1},
    ),
    "a metadata.csv for each split": (
        {
            "train/metadata.csv": "file_name,label\na.jpg,x\n",
            "test/metadata.csv": "file_name,label\nb.jpg,x\n",
            "train/a.jpg": "",
            "test/b.jpg": "",
        },
        {"train": 1, "test": 1},
    ),
    "splits in the names of folders, unzipped twice": (
        {f"seg_{split}/seg_{split}/{label}/{split}.jpg": "" for split in ("train", "test") for label in "ab"},
        {"train": 2, "test": 2},
    ),
    "COCO's files that are called by their splits": (
        {
            "annotations/train.json": COCO % "a.jpg",
            "annotations/test.json": COCO % "b.jpg",
            "images/train/a.jpg": "",
            "images/test/b.jpg": "",
        },
        {"train": 1, "test": 1},
    ),
    "COCO's files that name images from above": (
        {
            "annotations/train.json": COCO % "images/train/a.jpg",
            "annotations/test.json": COCO % "images/test/b.jpg",
            "images/train/a.jpg": "",
            "images/test/b.jpg": "",
        },
        {"train": 1, "test": 1},
    ),
    "COCO's own beside others": (
        {
            f"annotations/{kind}_{split}2017.json": COCO % f"{split}.jpg"
            for kind in ("captions", "person_keypoints", "stuff", *"abcde", "instances")
            for split in ("train", "val")
        }
        | {"train2017/train.jpg": "", "val2017/val.jpg": ""},
        {"train": 1, "validation": 1},
    ),
    "parts of a set beside its list": (
        {"set_part_1/a.jpg": "", "set_part_2/b.jpg": "", "list.csv": "file_name,label\nset_part_1/a.jpg,x\n"},
        {"train": 1},
    ),
    "doubled parts in two spellings": (
        {
            "A_part_1/A_part_1/a.jpg": "",
            "a_part_2/a_part_2/b.jpg": "",
            "list.csv": "file_name,label\nA_part_1/A_part_1/a.jpg,x\n",
        },
        {"train": 1},
    ),
}


@pytest.mark.parametrize(("files", "splits"), FOLDERS.values(), ids=FOLDERS)
def test_the_command_in_the_message_for_a_folder_works(
    files: dict[str, str], splits: dict[str, int], tmp_path: Path
) -> None:
    for number, (path, text) in enumerate(files.items()):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text.encode() or jpeg(number))
    hint = convert_json(".", "out", cwd=tmp_path)["error"]["hint"]
    words = shlex.split(hint.partition("tfrec convert ")[2].partition(" OUTPUT_DIR")[0])
    done = convert_json(*words, "out", "--splits", "train=1", cwd=tmp_path)
    assert done["exit_code"] == 0, done
    assert {
        split: counts["records"] for split, counts in done["splits"].items() if counts["records"]
    } == splits


@pytest.mark.parametrize("others", [("train_b",), ("extra",), ("train_and_val",)])
def test_no_command_is_proposed_that_leaves_out_a_folder(others: tuple[str, ...], tmp_path: Path) -> None:
    for number, folder in enumerate(("train_a", "val_a", *others)):
        for label in "xy":
            (tmp_path / folder / "deep" / label).mkdir(parents=True)
            (tmp_path / folder / "deep" / label / "a.jpg").write_bytes(jpeg(number))
    hint = convert_json(".", "out", cwd=tmp_path)["error"]["hint"]
    assert "--label-folder first" in hint
    assert "tfrec convert" not in hint


def test_no_command_is_proposed_that_leaves_out_a_file_of_coco(tmp_path: Path) -> None:
    (tmp_path / "annotations").mkdir()
    (tmp_path / "images").mkdir()
    for name in ("cats", "dogs"):
        (tmp_path / f"annotations/{name}.json").write_text(COCO % f"{name}.jpg")
        (tmp_path / f"images/{name}.jpg").write_bytes(jpeg())
    hint = convert_json(".", "out", cwd=tmp_path)["error"]["hint"]
    assert "give those of annotations/cats.json, annotations/dogs.json that you want to tfrec convert" in hint


@pytest.mark.parametrize("copies", [(), ("part_2/deep/er", "part_3")])
def test_images_in_several_folders_are_linked_into_one_by_the_command_that_is_proposed(
    copies: tuple[str, ...], tmp_path: Path
) -> None:
    for number, folder in enumerate(("part_1", "part_1", "part_2/deep/er", *copies)):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / f"a{number % 3}.jpg").write_bytes(jpeg(number % 3))
    (tmp_path / "list.csv").write_text("image_id,label\na0,nv\na1,bkl\na2,nv\n")
    error = convert_json("list.csv", "out", cwd=tmp_path)["error"]
    assert "images are in several folders (part_1, part_2/deep/er)" in error["hint"]
    command, option = error["hint"].partition("into one: ")[2].split("; then ")
    shell(command, tmp_path)
    done = convert_json("list.csv", "out", *option.split(), cwd=tmp_path)
    assert (done["exit_code"], done["records"]) == (0, 3)


# names of the images in folders; the one that is in two of them
TWICE: dict[str, tuple[dict[str, tuple[str, ...]], str]] = {
    "an image that is listed": ({"cats": ("1", "2"), "dogs": ("1", "3")}, "1.jpg"),
    "a further one": ({"cats": ("1", "4"), "dogs": ("2", "3", "4")}, "4.jpg"),
}


@pytest.mark.parametrize(("folders", "twice"), TWICE.values(), ids=TWICE)
def test_nothing_is_linked_where_two_folders_have_a_name(
    folders: dict[str, tuple[str, ...]], twice: str, tmp_path: Path
) -> None:
    for number, (folder, stems) in enumerate(folders.items()):
        (tmp_path / folder).mkdir()
        for stem in stems:
            (tmp_path / folder / f"{stem}.jpg").write_bytes(jpeg(number))
    (tmp_path / "list.csv").write_text("file_name,label\n1.jpg,cat\n2.jpg,cat\n3.jpg,dog\n")
    hint = convert_json("list.csv", "out", cwd=tmp_path)["error"]["hint"]
    assert f"{twice} is in cats and in dogs: the list has to tell the folder of each image" in hint
    assert "ln -s" not in hint


@pytest.mark.parametrize(
    ("folders", "told"),
    [
        ({"img": "123456", "img_resized": "123456", "img1": "1", "img2": "26"}, ["img", "img_resized"]),
        ({"img": "123456", "faces": "12"}, ["img"]),
        ({"cats": "123456", "dogs": "123456"}, None),  # classes
        ({"train": "12345", "test": "126"}, None),
    ],
)
def test_a_folder_that_has_all_images_of_which_others_have_some_is_named(
    folders: dict[str, str], told: list[str] | None, tmp_path: Path
) -> None:
    names = _named_twice(folders, tmp_path)
    hint = missing_hint(names[0], str(tmp_path), names)
    options = " or ".join(f"--image-root {tmp_path / folder}" for folder in told or ())
    assert hint.endswith(f": {options}") if told else "--image-root" not in hint


@pytest.mark.parametrize(
    ("folders", "count"),
    [
        ({"train": "123456", "test": "12"}, "all 6"),
        ({"train": "123456", "val": "1234"}, "all 6"),  # behind it in the order of names
        ({"train": "12345", "val": "12", "test": "3"}, "5 of 6"),
        ({"cats": "123456", "dogs": "1234"}, "all 6"),
    ],
)
def test_a_folder_that_has_all_images_is_a_guess_where_others_have_many_of_other_pictures(
    folders: dict[str, str], count: str, tmp_path: Path
) -> None:
    names = _named_twice(folders, tmp_path)
    hint = missing_hint(names[0], str(tmp_path), names)
    one, *others = folders
    assert hint.startswith(f"{count} images tried are in {one}, and other images of such names in ")
    assert f": --image-root {tmp_path / one} where the list is of {one} alone; else write" in hint
    for folder in others:
        shutil.rmtree(tmp_path / folder)
    assert missing_hint(names[0], str(tmp_path), names).endswith(f"there with --image-root {tmp_path / one}")


def _named_twice(folders: dict[str, str], tmp_path: Path) -> list[str]:
    """Names of images, of which each folder has those that it has of its own."""
    for number, (folder, stems) in enumerate(folders.items()):
        (tmp_path / folder).mkdir()
        for stem in stems:
            (tmp_path / folder / f"{stem}.jpg").write_bytes(jpeg(number))
    return [f"{stem}.jpg" for stem in range(1, 7)]


# image, words of the hint
MISSING: dict[str, tuple[str, list[str]]] = {
    "no extension": ("train/1", ["has 1.jpg", "leaves out the extension"]),
    "another extension": ("test/2.jpg", ["has 2.png", "another extension"]),
    "small letters": ("train/b.jpg", ["has b.JPG", "capital letters"]),
    "small letters, no extension": ("train/B", ["has b.JPG", "leaves out"]),
    "another name": ("train/7.jpg", ["train has no such file; it holds 1.jpg, b.JPG"]),
    "a folder that is not there": ("images/x/1.jpg", ["photos has no folder images; it holds test, train"]),
    "a folder too few": ("2.png", ["it is there with --image-root", "photos/test"]),
    "a folder too many": ("photos/train/1.jpg", ["it is there with --image-root"]),
    "backslashes": ("train\\1", ["has 1.jpg", "leaves out"]),
    "absolute": ("/nowhere/1.jpg", ["/ has no folder nowhere", "--image-root does not count"]),
    "absolute, of another machine": (
        "/home/bob/photos/train/1.jpg",
        ["train/1.jpg is there with --map /home/bob/photos/=./"],
    ),
    "capital letters of a folder": ("Train/1.jpg", ["has train: write names as the files have them"]),
    "neither folder nor extension": ("1", ["it is there with --image-root", "/train"]),
    "Windows": ("C:\\data\\train\\1.jpg", ["train/1.jpg is there with --map 'C:\\data\\=./'"]),
    "Windows, and nothing here": ("D:\\x\\y.jpg", ["Windows machine", "--image-root does not count"]),
    "a store": ("gs://bucket/photos/test/2.png", ["test/2.png is there with --map gs://bucket/photos/=./"]),
    "a file URL": ("file:///nowhere/1.jpg", ["/ has no folder nowhere"]),
}


def test_hints_show_names_as_people_write_them(tmp_path: Path) -> None:
    for name in ("基板表_1.jpg", os.fsdecode(b"k\xe4se.jpg")):
        (tmp_path / name).write_bytes(jpeg())
    hint = missing_hint("1.jpg", str(tmp_path))
    told, _, names = hint.partition(" holds ")
    assert told == f"{tmp_path} has no such file; it"
    assert {*names.split(", ")} == {"k\\udce4se.jpg", "基板表_1.jpg"}


def test_hints_tell_of_names_with_percents_only_where_there_are_some(tmp_path: Path) -> None:
    (tmp_path / "y z.jpg").write_bytes(jpeg())
    hint = missing_hint("y%20z.jpg", str(tmp_path))
    assert hint == f"{tmp_path} has y z.jpg: write names as the files have them, not as URLs do"
    (tmp_path / "a%20b.jpg").write_bytes(jpeg())
    assert "y z.jpg, and also names with %: write" in missing_hint("y%20z.jpg", str(tmp_path))


def test_a_name_of_a_url_behind_all_that_were_looked_at_is_no_file_that_is_not_there(tmp_path: Path) -> None:
    for number, name in enumerate(("a.jpg", "y z.jpg")):
        (tmp_path / name).write_bytes(jpeg(number))
    (tmp_path / "list.csv").write_text("image,label\n" + "a.jpg,x\n" * 1_000 + "y%20z.jpg,x\nz%20z.jpg,x\n")
    words = ("--splits", "train=1", "--max-rejects", "2")
    assert tfrec("convert", "list.csv", "out", *words, cwd=tmp_path).code == 0
    codes = {row["image"]: row["tfrec_code"] for row in read_csv(tmp_path / "out" / "rejects.csv")}
    assert codes == {"y%20z.jpg": "encoded_name", "z%20z.jpg": "not_found"}


@pytest.mark.parametrize(("uri", "words"), MISSING.values(), ids=MISSING)
def test_hints_say_what_is_there(uri: str, words: list[str], photos: Path) -> None:
    hint = missing_hint(uri, str(photos))
    for word in words:
        assert word in hint


def test_a_folder_is_proposed_where_most_of_the_images_are(tmp_path: Path) -> None:
    """Not the first that has one of that name; of two that have as many, none."""
    sets = {"old": "1", "photos": "123", "test": "123", "a/images_raw": "5", "a/images_compressed": "5"}
    for folder, stems in sets.items():
        (tmp_path / folder).mkdir(parents=True)
        for stem in stems:
            (tmp_path / folder / f"{stem}.jpg").write_bytes(jpeg())
    a = tmp_path / "a"
    versions = f"--image-root {a}/images_compressed or --image-root {a}/images_raw, whichever is meant"
    assert versions in missing_hint("5", str(a), ["5"])
    shutil.rmtree(a)
    (tmp_path / "lists").mkdir()
    names = ["1.jpg", "2.jpg", "3.jpg"]
    root = str(tmp_path / "lists")
    asked = f"../photos and ../test have such a file each: --image-root {tmp_path}/photos or --image-root "
    assert asked in missing_hint(names[0], root, names)
    shutil.rmtree(tmp_path / "test")
    assert missing_hint(names[0], root, names) == f"it is there with --image-root {tmp_path}/photos"
    found = f"3 of 4 are there with --image-root {tmp_path}/photos"
    assert missing_hint("gone.jpg", root, ["gone.jpg", *names]) == found
    shutil.rmtree(tmp_path / "photos")
    assert "--image-root" not in missing_hint(names[0], root, names)


def test_files_with_and_without_an_ending_where_the_list_has_none(tmp_path: Path) -> None:
    for name in ("a", "b.jpg", "c"):
        (tmp_path / name).write_bytes(jpeg())
    (tmp_path / "folder").mkdir()  # no image is called so
    rules, told = with_endings(PathRules(), ["a", "b", "c", "folder"], str(tmp_path))
    assert [rules.apply(name) for name in "abc"] == ["a", "b.jpg", "c"]
    assert told == ["images that are not there as the list calls them are looked for with .jpg"]
    assert with_endings(PathRules(), ["folder", "gone.png"], str(tmp_path)) == (PathRules(), [])


def test_passwords_are_in_no_hint(photos: Path) -> None:
    assert "--map https://host/photos/=./" in missing_hint("https://host/photos/train/1.jpg", str(photos))
    assert "secret" not in missing_hint("https://me:secret@host/photos/train/1.jpg", str(photos))


def test_a_root_on_a_store_is_asked_about() -> None:
    assert missing_hint("a.jpg", "gs://bucket/photos") == "is --image-root right?"
    assert "--image-root does not count" in missing_hint("/a/b.jpg", "gs://bucket/photos")


# lines of a list, how many words of the hint are the options that make it work
HINTS: dict[str, list[str]] = {
    "a folder too few": ["1.jpg,x", "b.JPG,y"],
    "neither folder nor extension": ["image,label", "1,x", "b,y"],
    "another machine": ["/home/a.b/photos/train/1.jpg,x", "/home/a.b/photos/test/2.png,y"],
    "Windows": ["C:\\a b\\train\\1.jpg,x", "C:\\a b\\test\\2.png,y"],
}


@pytest.mark.parametrize("rows", HINTS.values(), ids=HINTS)
def test_the_way_out_of_a_hint_works(rows: list[str], photos: Path) -> None:
    write(photos, "".join(f"{row}\n" for row in rows))
    done = convert_json("list.csv", "out", cwd=photos)
    assert (done["exit_code"], done["error"]["code"]) == (2, "no_usable_image")
    options = shlex.split(done["error"]["hint"].partition("is there with ")[2])
    assert convert_json("list.csv", "out", *options, cwd=photos)["records"] == 2


def test_the_way_out_of_a_data_frame_is_a_keyword(photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(photos)
    df = pd.DataFrame({"image": ["/home/bob's/train/1.jpg", "/home/bob's/test/2.png"], "label": ["x", "y"]})
    with pytest.raises(InputError) as caught:
        tfrecordcli.convert(df, "out", workers=1)
    assert "is there with map=" in caught.value.hint
    assert tfrecordcli.convert(df, "out", workers=1, map={"/home/bob's/": "./"}).records == 2


def test_an_index_of_images_becomes_a_column(photos: Path) -> None:
    df = pd.DataFrame({"label": ["x", "y"]}, index=pd.Index(["a.jpg", "b.jpg"], name="image"))
    indexed = df.set_index(pd.Series([1, 2], name="row"), append=True)
    with pytest.raises(InputError) as caught:
        tfrecordcli.convert(indexed, photos / "out", dry_run=True)
    assert "df.reset_index() makes columns of it ('image', 'row')" in caught.value.hint
    assert tfrecordcli.convert(df.reset_index(), photos / "out", dry_run=True).records == 2


def test_a_folder_that_cannot_be_looked_into(photos: Path) -> None:
    shutil.rmtree(photos)
    assert "has no folder photos" in missing_hint("train/1.jpg", str(photos))
    assert missing_hint("a\0b.jpg", str(photos.parent))


def test_a_record_header_is_needed_for_a_tfrecord(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, struct.pack("<QI", 7, 1234) + b"\xffexample")
    assert "binary file" in caught.value.message


@pytest.mark.parametrize(
    ("files", "names", "root"),
    [
        (["i1.bmp", "I2.bmp"], ["I1.bmp", "I2.bmp"], ""),
        (["A/x.JPG", "A/y.jpg"], ["a/x.jpg", "a/y.jpg"], ""),
        (["i1.bmp", "i2.bmp"], ["I1.bmp", "I2.bmp"], "photos"),
    ],
    ids=["some", "in folders", "with a root"],
)
def test_names_are_written_as_files_have_them(
    files: list[str], names: list[str], root: str, tmp_path: Path
) -> None:
    for number, name in enumerate(files):
        (tmp_path / "photos" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "photos" / name).write_bytes(jpeg(number))
    rows = [f"{name},{label}\n" for name, label in zip(names, "ab", strict=True)]
    (tmp_path / "list.csv").write_text("image,label\n" + "".join(rows))
    options = ["--image-root", root, "--splits", "train=1"][0 if root else 2 :]
    run = tfrec("convert", "list.csv", "out", *options, cwd=tmp_path)
    command = run.err.partition("write such names: ")[2].partition(", and convert that")[0]
    assert shell(command, tmp_path).code == 0, run.err
    assert tfrec("convert", "list-paths.csv", "out", *options, cwd=tmp_path).code == 0
    (tmp_path / "list.csv").write_text("".join(rows))
    run = tfrec("convert", "list.csv", "out2", *options, cwd=tmp_path)
    assert ("--image-root" in run.err) != bool(root), run.err
    assert "write names as the files have them" in run.err


@pytest.mark.parametrize(
    "files", [["a/x.JPG", "a/y.JPG", "b/x.JPG", "b/y.JPG"], ["a/x.JPG", "a/X.jpg", "a/y.JPG"], ["a/x.JPG"]]
)
def test_names_of_which_files_are_not_certain_are_not_written(files: list[str], tmp_path: Path) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(jpeg())
    (tmp_path / "list.csv").write_text("image,label\nx.jpg,a\ny.jpg,b\n")
    run = tfrec("convert", "list.csv", "out", cwd=tmp_path)
    assert (run.code, "capital letters" in run.err) == (2, False), run


@pytest.mark.parametrize("number", [0, 1], ids=["copies", "others"])
def test_paths_that_begin_elsewhere_are_mapped_to_the_outer_of_copies(number: int, tmp_path: Path) -> None:
    names = ["bart/1.jpg", "lisa/1.jpg"]
    for at, name in enumerate(names):
        for folder in ("set", "set/set"):
            (tmp_path / folder / name).parent.mkdir(parents=True)
            (tmp_path / folder / name).write_bytes(jpeg(at + 9 * number * (folder == "set")))
    uris = [f"./characters/{name}" for name in names]
    hint = missing_hint(uris[0], str(tmp_path), uris)
    assert hint.endswith("set/bart/1.jpg is there with --map ./characters/=set/") != number, hint
