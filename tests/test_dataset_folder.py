"""Folders of images as sources."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, jpeg, manifest, shell, tfrec
from hypothesis import given
from hypothesis import strategies as st
from test_dataset_samples import plan_from, plan_of

from tfrecordcli.errors import InputError
from tfrecordcli.given_options import make_options
from tfrecordcli.schema import SPLITS
from tfrecordcli.sources.folders.local import FolderListing
from tfrecordcli.sources.folders.name_sorter import in_order
from tfrecordcli.sources.opened_source import open_source

JPEG, PNG = b"\xff\xd8\xff\xe0....JFIF", b"\x89PNG\r\n\x1a\n...."


def make(root: Path, *names: str | bytes, data: bytes = JPEG) -> str:
    """Files below a folder, which are made with their folders."""
    for name in names:
        path = os.path.join(os.fsencode(root), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
    return str(root)


def listed(root: str, **options: Any) -> list[tuple[str, str, str]]:
    return list(FolderListing(root, make_options(options).read).rows())


# files, and (split word, path, label) of each row
LAYOUTS: dict[str, tuple[list[str], list[tuple[str, str, str]]]] = {
    "split and label": (
        ["train/cat/1.jpg", "train/dog/2.png", "test/cat/3.jpg"],
        [
            ("test", "test/cat/3.jpg", "cat"),
            ("train", "train/cat/1.jpg", "cat"),
            ("train", "train/dog/2.png", "dog"),
        ],
    ),
    "split words in any case": (
        ["TRAIN/cat/1.jpg", "Val/cat/2.jpg", "Discard/cat/3.jpg"],
        [
            ("Discard", "Discard/cat/3.jpg", "cat"),
            ("TRAIN", "TRAIN/cat/1.jpg", "cat"),
            ("Val", "Val/cat/2.jpg", "cat"),
        ],
    ),
    "label": (["dog/1.jpg", "cat/2.jpg"], [("", "cat/2.jpg", "cat"), ("", "dog/1.jpg", "dog")]),
    "flat": (["2.jpg", "1.jpg"], [("", "1.jpg", ""), ("", "2.jpg", "")]),
    "flat in a split": (
        ["train/1.jpg", "test/2.jpg"],
        [("test", "test/2.jpg", ""), ("train", "train/1.jpg", "")],
    ),
    "flat in a split in itself": (
        ["train/cat/1.jpg", "test/test/2.jpg", "val/VAL/3.jpg", "val/dog/4.jpg"],
        [
            ("test", "test/test/2.jpg", ""),
            ("train", "train/cat/1.jpg", "cat"),
            ("val", "val/VAL/3.jpg", "VAL"),
            ("val", "val/dog/4.jpg", "dog"),
        ],
    ),
    "images beside labels have none": (["cat/1.jpg", "2.jpg"], [("", "2.jpg", ""), ("", "cat/1.jpg", "cat")]),
    "extensions in any case": (
        ["cat/1.JPG", "cat/2.JpEg"],
        [("", "cat/1.JPG", "cat"), ("", "cat/2.JpEg", "cat")],
    ),
    "names with commas, quotes and other scripts": (
        ['a,b/1 "x".jpg', "猫/é.jpg"],
        [("", 'a,b/1 "x".jpg', "a,b"), ("", "猫/é.jpg", "猫")],
    ),
}


@pytest.mark.parametrize(("names", "expected"), LAYOUTS.values(), ids=LAYOUTS)
def test_layouts(names: list[str], expected: list[tuple[str, str, str]], tmp_path: Path) -> None:
    assert listed(make(tmp_path / "in", *names), unlabelled="keep") == expected


@pytest.mark.parametrize("others", [["cats/1.jpg"], ["trian/cat/1.jpg"], ["annotations/x.xml", "docs/y.txt"]])
def test_split_folders_beside_others(others: list[str], tmp_path: Path) -> None:
    root = make(tmp_path / "in", "train/cat/1.jpg", "test/cat/2.jpg", *others)
    with pytest.raises(InputError) as caught:
        listed(root)
    for word in ("test, train", ", ".join(sorted({name.split("/")[0] for name in others})), "CSV"):
        assert word in str(caught.value)


# files that are no images, and whether they are passed over
NO_IMAGES = [
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
    "notes.txt",
    "labels.csv",
    "a.xml",
    "a.json",
    "README.md",
    "x.yaml",
    "train.log",
    ".hidden.jpg",
    "._a.jpg",
    "movie.mp4",
    "model.bin",
    "archive.zip",
    "Makefile",
    "no_extension",
]


@pytest.mark.parametrize("name", NO_IMAGES)
def test_what_is_no_image_is_passed_over_and_said(name: str, tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg")
    make(tmp_path / "in", f"cat/{name}", data=b"text")
    made = plan_from(root, tmp_path)
    assert made.plan.rows == 1
    assert [w for w in made.plan.remarks if "passed over" in w] == [
        f"passed over 1 entry that is no image: cat/{name}"
    ]


@pytest.mark.parametrize("extension", ["cur", "DDS", "icns", "j2k", "pcx", "psd", "qoi", "sgi", "xbm", "xpm"])
def test_every_format_that_is_read_is_taken(extension: str, tmp_path: Path) -> None:
    """docs/images.md has them; what cannot be read after all is rejected by name."""
    root = make(tmp_path / "in", "cat/1.jpg", f"cat/2.{extension}")
    assert listed(root) == [("", f"cat/{name}", "cat") for name in ("1.jpg", f"2.{extension}")]


@pytest.mark.parametrize("head", [b"DDS |", b"qoif", b"8BPS\0", b"icns", b"\0\0\0\x0cjP  \r\n\x87\n"])
def test_so_it_is_by_its_first_bytes(head: bytes, tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg")
    make(tmp_path / "in", "cat/2", data=head + bytes(100))
    assert listed(root) == [("", "cat/1.jpg", "cat"), ("", "cat/2", "cat")]


def test_many_that_are_passed_over_are_counted(tmp_path: Path) -> None:
    root = make(
        tmp_path / "in", "cat/1.jpg", *(f".git/{n}" for n in range(9)), *(f"cat/{n}.txt" for n in range(30))
    )
    (note,) = [w for w in plan_from(root, tmp_path).plan.remarks if "passed over" in w]
    assert "31 entries" in note  # .git counts once
    assert note.endswith(", …")


@pytest.mark.parametrize(
    ("data", "taken"),
    [(JPEG, True), (PNG, True), (b"GIF89a..", True), (b"....ftypheic", True), (b"text", False), (b"", False)],
)
def test_without_extension_the_first_bytes_tell(data: bytes, taken: bool, tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg")
    make(tmp_path / "in", "cat/image", "cat/a.b c", data=data)
    assert [path for _, path, _ in listed(root)] == (
        ["cat/1.jpg", "cat/a.b c", "cat/image"] if taken else ["cat/1.jpg"]
    )


def test_a_damaged_image_is_not_passed_over(tmp_path: Path) -> None:
    """Its extension says that it was meant to be one: it must show as a reject later."""
    make(tmp_path / "in", "cat/1.jpg", data=b"")
    (tmp_path / "in/cat/2.jpg").symlink_to("gone.jpg")
    assert [path for _, path, _ in listed(str(tmp_path / "in"))] == ["cat/1.jpg", "cat/2.jpg"]


# links below in/, which has cat/1.jpg and dog/2.jpg: name -> target; images that are found
LINKS: dict[str, tuple[dict[str, str], list[str]]] = {
    "to the folder it stands in": ({"in/cat/loop": "."}, ["cat/1.jpg", "dog/2.jpg"]),
    "to the root": ({"in/cat/loop": ".."}, ["cat/1.jpg", "dog/2.jpg"]),
    "above the root": ({"in/cat/loop": "../.."}, ["cat/1.jpg", "dog/2.jpg"]),
    "two that lead to each other": (
        {"in/cat/dogs": "../dog", "in/dog/cats": "../cat"},
        ["cat/1.jpg", "cat/dogs/2.jpg", "dog/2.jpg", "dog/cats/1.jpg"],
    ),
    "to a folder outside with a loop of its own": (
        {"in/cow": "../out there", "out there/loop": "."},
        ["cat/1.jpg", "cow/3.jpg", "dog/2.jpg"],
    ),
    "to another label": ({"in/cow": "cat"}, ["cat/1.jpg", "cow/1.jpg", "dog/2.jpg"]),
    "to itself": ({"in/cat/x": "x", "in/cat/y.jpg": "y.jpg"}, ["cat/1.jpg", "cat/y.jpg", "dog/2.jpg"]),
}


@pytest.mark.parametrize("through_a_link", [False, True], ids=["", "root is a link"])
@pytest.mark.parametrize(("links", "expected"), LINKS.values(), ids=LINKS)
def test_links(links: dict[str, str], expected: list[str], through_a_link: bool, tmp_path: Path) -> None:
    make(tmp_path, "in/cat/1.jpg", "in/dog/2.jpg", "out there/3.jpg")
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    root = tmp_path / "in"
    if through_a_link:
        root = tmp_path / "link"
        root.symlink_to("in")
    assert [path for _, path, _ in listed(str(root), label_folder="first")] == expected


def test_names_that_are_no_text(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 cannot stand in a CSV or a record; they are named, not dropped."""
    root = make(tmp_path / "in", "cat/1.jpg", b"cat/\xff.jpg", b"d\xf6g/2.jpg")
    made = plan_from(root, tmp_path)
    assert made.plan.rows == 1
    (said,) = [w for w in made.plan.warnings if "passed over" in w]
    assert (
        "passed over 2 images and folders by names that are not UTF-8 (cat/\\udcff.jpg, d\\udcf6g);" in said
    )
    assert f"convmv -r -f latin1 -t utf8 --notest {root} renames them" in said
    assert said.isprintable()
    with pytest.raises(InputError, match="there is no image in this folder") as caught:
        plan_from(make(tmp_path / "lost", b"c\xe4t/1.jpg", "notes.txt"), tmp_path)
    assert "convmv -r" in caught.value.hint


def test_parts_of_a_list_in_a_folder_of_their_own_are_read_together(tmp_path: Path) -> None:
    """Spark writes a folder of CSVs, each with the header, which are called alike but for a number."""
    for folder in ("images", "export"):
        (tmp_path / folder).mkdir()
    for number in range(9):
        (tmp_path / "images" / f"{number}.jpg").write_bytes(jpeg(number))
    for part in range(3):
        rows = "".join(f"images/{n}.jpg,{'ab'[n % 2]}\n" for n in range(3 * part, 3 * part + 3))
        name = f"part-0000{part}-1b2c3d4e-c000.csv"
        (tmp_path / "export" / name).write_text(f"image_path,label\n{rows}", encoding="utf-8")
    (tmp_path / "export/_SUCCESS").touch()
    error = convert_json(tmp_path / "export", tmp_path / "no")["error"]
    command = (
        error["hint"].partition("images that are elsewhere: ")[2].replace("OUTPUT_DIR", str(tmp_path / "out"))
    )
    assert shell(command, tmp_path).code == 0
    assert manifest(tmp_path / "out")["labels"] == {"a": 0, "b": 1}
    assert sum(split["records"] for split in manifest(tmp_path / "out")["splits"].values()) == 9


def test_parts_of_a_list_in_a_folder_for_each_split_are_given_by_these(tmp_path: Path) -> None:
    """Spark's `partitionBy("split")` leaves the split out of the rows."""
    for folder in ("images", *(f"export/split={word}" for word in ("train", "val", "test"))):
        (tmp_path / folder).mkdir(parents=True)
    for number in range(12):
        (tmp_path / "images" / f"{number}.jpg").write_bytes(jpeg(number))
    for at, (word, part) in enumerate((w, p) for w in ("train", "val", "test") for p in (0, 1)):
        rows = "".join(f"images/{n}.jpg,{'ab'[n % 2]}\n" for n in (2 * at, 2 * at + 1))
        path = tmp_path / f"export/split={word}/part-0000{part}-8f2c-c000.csv"
        path.write_text(f"image_path,label\n{rows}", encoding="utf-8")
    hint = convert_json("export", "no", "--image-root", ".", cwd=tmp_path)["error"]["hint"]
    command = hint.partition("images that are elsewhere: ")[2].partition(" OUTPUT_DIR")[0]
    assert shell(f"{command} out --image-root .", tmp_path).code == 0
    splits = manifest(tmp_path / "out")["splits"]
    assert [splits[split]["records"] for split in ("train", "validation", "test")] == [4, 4, 4]


@pytest.mark.parametrize("name", ["a\nb.jpg", "a\tb.jpg", "a\rb.jpg"])
def test_line_breaks_in_names_are_rejects(name: str, tmp_path: Path) -> None:
    made = plan_from(make(tmp_path / "in", "cat/1.jpg", f"cat/{name}"), tmp_path)
    assert list(made.codes.values()) == ["control_character"]
    assert made.plan.planned == 1


@pytest.mark.parametrize(
    "how", [lambda p: p, lambda p: f"{p}/../in", lambda p: f"{p}/"], ids=["", "dots", "slash"]
)
def test_an_output_directory_inside_the_source_is_left_out(how: Callable[[str], str], tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg", "out/old.jpg", "out/_tfrec/2.jpg", "dog/out/3.jpg")
    with open_source(how(root), make_options({"label_folder": "first"}).read, f"{root}/out") as source:
        uris = [row.image_uri for row in source.rows.read()[1]]
    assert uris == ["cat/1.jpg", "dog/out/3.jpg"]
    assert source.notes == ()


def test_an_output_directory_inside_the_source_by_way_of_a_link(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg", "out/old.jpg")
    (tmp_path / "link").symlink_to("in")
    with open_source(root, make_options({}).read, str(tmp_path / "link/out")) as source:
        assert [row.image_uri for row in source.rows.read()[1]] == ["cat/1.jpg"]


def test_source_and_output_are_the_same(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/1.jpg")
    (tmp_path / "link").symlink_to("in")
    for output in (root, f"{root}/", f"{root}/cat/..", str(tmp_path / "link")):
        with (
            pytest.raises(InputError, match="same folder"),
            open_source(root, make_options({}).read, output),
        ):
            pass


@pytest.mark.parametrize("names", [[], ["cat/notes.txt"], [".hidden/1.jpg"]])
def test_a_folder_without_an_image(names: list[str], tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(InputError) as caught:
        plan_from(make(tmp_path / "in", *names), tmp_path)
    assert caught.value.message == f"{tmp_path}/in: there is no image in this folder"


def test_the_plan_of_a_folder_is_that_of_its_list(tmp_path: Path) -> None:
    names = [f"{label}/{number}.jpg" for label in ("cat", "dog") for number in range(60)]
    of_folder = plan_from(make(tmp_path / "in", *names), tmp_path, seed=3)
    lines = [f"{name},{name[:3]}" for name in names]
    of_list = plan_of(tmp_path, ["image_uri,label", *lines], image_root=str(tmp_path / "in"), seed=3)
    assert [of_folder.uris(split) for split in SPLITS] == [of_list.uris(split) for split in SPLITS]
    assert of_folder.labels_text == of_list.labels_text == "cat\ndog\n"


def test_options_for_lists_do_not_touch_a_folder(tmp_path: Path) -> None:
    root = make(tmp_path / "in", "cat/é.jpg")
    made = plan_from(root, tmp_path, columns="image_uri=Pic,label=Kind", encoding="utf-16", delimiter=";")
    assert made.plan.planned == 1


def test_images_of_a_folder_are_relative_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "in", "cat/1.jpg")
    monkeypatch.chdir(tmp_path)
    with open_source("in", make_options({}).read, "out") as source:
        assert source.image_root == str(tmp_path / "in")


def test_files_are_taken_under_their_own_names(tmp_path: Path) -> None:
    odd = [" a.jpg", "a.jpg ", "a.tga ", " x.jpg", "\u3000b.jpg", " "]
    good = ["a.jpg", "a\\b.jpg", "a/b.jpg", "x\\.\\a.jpg", "a/\\b.jpg", '"a.jpg', "a/ b.jpg", "a b.jpg"]
    made = plan_from(make(tmp_path / "in", *odd, *good), tmp_path, unlabelled="keep")
    assert made.plan.rows == len(odd) + len(good)
    assert sorted(uri for split in SPLITS for uri in made.uris(split)) == sorted(good)
    assert made.codes == dict.fromkeys(made.codes, "outer_blanks")
    assert sorted(problem.image_uri for problem in made.problems) == sorted(odd)
    assert made.plan.total("merged") == 0


@given(
    st.lists(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))), st.integers(1, 9)
)
def test_names_come_in_order_however_many_are_in_memory(names: list[str], most: int) -> None:
    assert list(in_order(names, most)) == sorted(names)


def test_names_longer_than_what_is_read_at_a_time() -> None:
    names = [str(number % 7) + "\u00e9" * 3000 + str(number) for number in range(50)]
    assert list(in_order(names, 8)) == sorted(names)


def test_a_finished_folder_tells_its_rejects_by_name(tmp_path: Path) -> None:
    """Also where the folder is not given, as `finish` is not."""
    for name in ("a/1.jpg", "a/2.jpg", "b/3.jpg"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jpeg(len(name)) if name != "a/2.jpg" else b"no image")
    tfrec("convert", path.parents[1], tmp_path / "out", "--splits", "train=100")
    done = tfrec("finish", tmp_path / "out")
    assert "a/2.jpg: " in done.out
    assert "line " not in done.out
    (problem,) = tfrec("finish", tmp_path / "out", "--json").json["problems"]
    assert (problem["line"], problem["image_uri"]) == (None, "a/2.jpg")


def test_hints_for_labels_of_a_folder_name_no_column(tmp_path: Path) -> None:
    for number in range(30):
        path = tmp_path / "in" / f"{number}.jpg" / "1.jpg"
        path.parent.mkdir(parents=True)
        path.write_bytes(jpeg(number))
    done = tfrec("convert", path.parents[1], tmp_path / "out", "--label-folder", "first")
    assert (done.code, "--columns" in done.err) == (2, False)
    assert "labels are names of files ('0.jpg', '1.jpg'): is that the folder of the label?" in done.err
    done = tfrec("plan", path.parents[1], tmp_path / "out", "--label-folder", "first", "--label-type", "name")
    assert (done.code, "--columns" in done.err) == (0, False)
    assert "there are as many labels as rows" in done.err


def test_a_folder_is_not_assigned_by_a_column_but_gets_the_command_for_a_list(tmp_path: Path) -> None:
    names = [
        f"{label}/p{patient}_{n}.jpg" for label in ("cat", "dog") for patient in range(5) for n in range(3)
    ]
    make(tmp_path / "in it", *names, data=jpeg())
    refused = tfrec("convert", "in it", "out", "--split-by", "patient", cwd=tmp_path)
    assert refused.code == 2
    assert "in it: --split-by patient: a folder has no columns" in refused.err
    first, _, second = refused.err.partition("first _ or -: p0, p1, p2, p3, p4: ")[2].partition(", then ")
    subprocess.run(first, shell=True, cwd=tmp_path, check=True, executable="/bin/bash")
    words = shlex.split(second.replace("OUTPUT_DIR", "out"))
    run = tfrec(*words[1:], "--splits", "train=1,test=1", "--json", cwd=tmp_path)
    assert run.code == 0, run.err
    counts = {split: each["records"] for split, each in run.json["splits"].items()}
    assert sum(counts.values()) == 30
    assert all(count % 6 == 0 for count in counts.values())  # a patient has 3 photos of each label
    assert len(counts) == 2
    assert run.json["num_labels"] == 2


PIECES = [f"{n // 6}/a{n}/{side}.jpg" for n in range(24) for side in ("back", "front")]
PATIENTS = [f"p{n}/{label}/{i}.jpg" for n in range(6) for label in ("cat", "dog") for i in range(2)]


@pytest.mark.parametrize(
    ("names", "chosen", "code"),
    [
        (PIECES, "first", '"/".join(q.split("/")[:2])'),
        ([f"in/{name}" for name in PIECES], "first", '"/".join(q.split("/")[:3])'),
        ([name.replace("/a", "/2023/a") for name in PIECES], "first", '"/".join(q.split("/")[:3])'),
        (PATIENTS, "last", '"/".join(q.split("/")[:1])'),
    ],
)
def test_images_of_one_folder_beside_that_of_the_label_may_belong_together(
    names: list[str], chosen: str, code: str, tmp_path: Path
) -> None:
    make(tmp_path / "in", *names, data=jpeg())
    told = ("convert", "in", "out", "--dry-run", "--label-folder", chosen)
    note = tfrec(*told, cwd=tmp_path).err.partition("note: images of one folder (")[2].partition("\n")[0]
    assert ") may be in several splits" in note
    assert code in note
    asked = tfrec(*told, "--split-by", "folder", cwd=tmp_path).err
    command, _, second = note.partition("where they belong together: ")[2].partition(", then ")
    assert f": {command}" in asked
    assert shell(command, tmp_path).code == 0
    options = shlex.split(second.partition(" OUTPUT_DIR ")[2])
    run = tfrec("convert", "in/list.csv", "out", "--dry-run", *options, "--json", cwd=tmp_path)
    assert run.json["rows"] == len(names)
    assert all(each["rows"] % (2 if chosen == "first" else 4) == 0 for each in run.json["splits"].values())


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (
            [f"{label}/{n}/{i}.jpg" for label in "ab" for n in range(2) for i in range(5)],
            "first",
        ),  # two of each
        ([f"{label}/{n}/1.jpg" for label in "ab" for n in range(9)], "first"),  # an image each
        (PIECES, "last"),  # of a label each
        ([f"{label}/{way}/{i}.jpg" for label in "ab" for way in SPLITS for i in range(5)], "first"),
    ],
)
def test_images_of_other_folders_belong_together_no_more_than_others(
    names: list[str], chosen: str, tmp_path: Path
) -> None:
    make(tmp_path / "in", *names, data=jpeg())
    told = tfrec("convert", "in", "out", "--dry-run", "--label-folder", chosen, cwd=tmp_path)
    assert (told.code, "images of one folder" in told.err) == (0, False)


@pytest.mark.parametrize(
    "name", ["{label}/img_{i}.jpg", "{label}/x/{side}.jpg", "{label}/{side}_1.jpg", "{label}/{label}{i}.jpg"]
)
def test_parts_of_names_that_are_the_same_everywhere_are_no_groups(name: str, tmp_path: Path) -> None:
    each = [(label, side) for label in "abcd" for side in ("front", "back")]
    names = [name.format(label=label, side=side, i=i) for i, (label, side) in enumerate(each)]
    make(tmp_path / "in", *names, data=jpeg())
    refused = tfrec("convert", "in", "out", "--label-folder", "first", "--split-by", "piece", cwd=tmp_path)
    assert "make a CSV of it with a column piece" in refused.err


def test_a_folder_of_boxes_is_not_assigned_by_a_column(tmp_path: Path) -> None:
    make(tmp_path / "in" / "images", "p1_1.jpg", data=jpeg())
    make(tmp_path / "in" / "labels", "p1_1.txt", data=b"0 0.5 0.5 0.2 0.2\n")
    make(tmp_path / "in", "classes.txt", data=b"dog\n")
    refused = tfrec("convert", tmp_path / "in", tmp_path / "out", "--split-by", "patient")
    assert refused.code == 2
    assert "--split-by patient: a folder has no columns" in refused.err
    assert "make a CSV of it with a column patient" in refused.err


def test_folders_of_splits_are_assigned_anew_by_the_command_that_is_told(tmp_path: Path) -> None:
    """Files of one name in several of them are several images."""
    for number in range(40):
        split, label = ("train", "test")[number % 2], "ab"[number // 2 % 2]
        path = tmp_path / "in put" / split / label / f"{number // 4}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jpeg(number))
    options = ("--splits", "train=80,test=20")
    run = tfrec("convert", tmp_path / "in put", tmp_path / "out", *options)
    told = run.err.partition("to assign all of them anew: ")[2]
    words = shlex.split(told.partition(", with these options")[0])
    assert words[:2] == ["tfrec", "convert"]
    again = tfrec("convert", *words[2:-1], tmp_path / "again", *options)
    assert (again.code, "--splits is not used" in again.err) == (0, False)
    counts = {split: each["records"] for split, each in manifest(tmp_path / "again")["splits"].items()}
    assert sum(counts.values()) == 40
    assert counts["train"] > counts["test"]


def test_a_split_that_is_not_all_of_a_folder_is_not_assigned_anew(tmp_path: Path) -> None:
    for number, split in enumerate(("train", "test")):
        (tmp_path / "in/data" / split / "a").mkdir(parents=True)
        (tmp_path / "in/data" / split / "a" / "0.jpg").write_bytes(jpeg(number))
    run = tfrec("convert", tmp_path / "in", tmp_path / "out", "--splits", "train=80,test=20")
    assert "every row has a split of its own\n" in run.err
