"""Lists of several sources that have the same names, of images that are in a folder of each."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Final

import pytest
from boxing import records, write
from converting import jpeg, shell
from joining import convert, refused


def sites(folder: Path, rows: dict[str, list[str]]) -> None:
    """A list for each site in `lists`, and pictures of its names in the site's folder."""
    for seed, (site, (header, *lines)) in enumerate(rows.items()):
        (folder / site).mkdir(parents=True)
        for number, line in enumerate(lines):
            (folder / site / re.split("[,;]", line)[0]).write_bytes(jpeg(9 * seed + number))
        write(folder / "lists", "\n".join([header, *lines, ""]), f"{site}.csv")


_SITES: Final = {
    "north": ["file,species", "1.jpg,boar", "2.jpg,deer", "3.jpg,deer"],
    "south": ["file;species", "1.jpg;fox", "2.jpg;deer"],
}


@pytest.mark.parametrize("options", [(), ("--multi-label",), ("--image-root", ".")])
def test_lists_of_two_sites_with_the_same_names_are_not_taken_for_one(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    sites(tmp_path, _SITES)
    error = refused("lists/north.csv", "lists/south.csv", *options, cwd=tmp_path)
    assert "have images of these names, so it is not certain which of them a list means" in error
    assert "--image-root" not in error
    assert "--multi-label makes" not in error
    commands = error.partition("write it into the names: ")[2].partition("; then give")[0]
    assert shell(commands, tmp_path).code == 0
    values = convert("lists/north-as-csv.csv", "lists/south-as-csv.csv", *options, cwd=tmp_path)
    assert (values["records"], values["rejected"]) == (5, 0)
    texts = {
        Path(name).parts[-2:]: each["image/class/text"] for name, each in records(tmp_path / "out").items()
    }
    assert texts["north", "1.jpg"] == [b"boar"]
    assert texts["south", "1.jpg"] == [b"fox"]


def test_lists_of_two_sites_for_two_splits_have_a_root_each(tmp_path: Path) -> None:
    sites(tmp_path, _SITES)
    error = refused("train=lists/north.csv", "test=lists/south.csv", cwd=tmp_path)
    roots = ("--image-root", "train=north", "--image-root", "test=south")
    assert " ".join(roots) in error
    values = convert("train=lists/north.csv", "test=lists/south.csv", *roots, cwd=tmp_path)
    assert values["records"] == 5


def test_lists_of_splits_whose_images_are_in_folders_of_classes_there(tmp_path: Path) -> None:
    for split, step in (("train", 0), ("val", 9)):
        for number in range(4):
            image = tmp_path / f"set/of/{split}/class {(number + step) % 2}/{number}.jpg"
            image.parent.mkdir(parents=True, exist_ok=True)
            image.write_bytes(jpeg(number + step))
        rows = [f"{number}.jpg,{'audi' if number % 2 else 'bmw'}\n" for number in range(4)]
        write(tmp_path, "".join(["image,label\n", *rows]), f"{split}.csv")
    sources = ("train=train.csv", "validation=val.csv")
    error = refused(*sources, cwd=tmp_path)
    roots = ("--image-root", "train=set/of/train", "--image-root", "validation=set/of/val")
    assert error.strip().endswith(" ".join(roots))
    error = refused(*sources, *roots, cwd=tmp_path)
    hints = error.partition("\n       ")[2].strip().split("; images are")
    linked = [hint.partition("link them into one: ")[2].partition("; then ") for hint in hints]
    assert all(shell(commands, tmp_path).code == 0 for commands, _, _ in linked)
    options = [word for _, _, option in linked for word in shlex.split(option)]
    values = convert(*sources, *options, cwd=tmp_path)
    assert (values["records"], values["splits"]["validation"]["records"]) == (8, 4)


def test_lists_of_other_images_in_the_same_folders_of_classes_are_told_to_link_them(tmp_path: Path) -> None:
    for number in range(6):
        image = tmp_path / f"photos/class {number % 2}/{number}.jpg"
        image.parent.mkdir(parents=True, exist_ok=True)
        image.write_bytes(jpeg(number))
    for name, numbers in (("train", (0, 1, 2)), ("test", (3, 4, 5))):
        rows = [f"{number}.jpg,{'audi' if number % 2 else 'bmw'}\n" for number in numbers]
        write(tmp_path, "".join(["image,label\n", *rows]), f"{name}.csv")
    error = refused("train=train.csv", "test=test.csv", cwd=tmp_path)
    commands, _, option = error.partition("link them into one: ")[2].partition("; then ")
    assert shell(commands, tmp_path).code == 0
    values = convert("train=train.csv", "test=test.csv", *shlex.split(option), cwd=tmp_path)
    assert values["records"] == 6


def test_contradicting_rows_whose_images_are_not_there_tell_that_first(tmp_path: Path) -> None:
    sites(tmp_path, _SITES)
    shutil.rmtree(tmp_path / "south")
    error = refused("lists/north.csv", "lists/south.csv", cwd=tmp_path)
    assert "file not found" in error
    assert "--multi-label" not in error
    values = convert(
        "lists/north.csv", "lists/south.csv", "--image-root", "north", "--multi-label", cwd=tmp_path
    )
    assert values["records"] == 3  # such as two people's lists of the same images, in one folder


def test_one_root_for_lists_of_two_sites_is_told_of_where_they_contradict_each_other(tmp_path: Path) -> None:
    sites(tmp_path, _SITES)
    lists = "lists/north.csv", "lists/south.csv"
    values = convert(*lists, "--image-root", "north", cwd=tmp_path, code=1)
    (warning,) = (each for each in values["warnings"] if "another label than" in each)
    assert "--image-root north gives all of them the images there, though south has such names" in warning
    assert "; where an image has all of these labels, --multi-label makes one record" in warning
    commands = warning.partition("write it into the names: ")[2].partition("; then give")[0]
    assert shell(commands, tmp_path).code == 0
    made = ("lists/north-as-csv.csv", "lists/south-as-csv.csv")
    assert convert(*made, "--overwrite", cwd=tmp_path)["records"] == 5
    texts = {
        Path(name).parts[-2:]: each["image/class/text"] for name, each in records(tmp_path / "out").items()
    }
    assert (texts["north", "1.jpg"], texts["south", "1.jpg"]) == ([b"boar"], [b"fox"])
    by_split = (f"train={lists[0]}", f"test={lists[1]}")
    values = convert(*by_split, "--image-root", "north", "--overwrite", cwd=tmp_path, code=1)
    (warning,) = (each for each in values["warnings"] if "another split than" in each)
    assert warning.endswith("are in south: --image-root train=north --image-root test=south")


def test_folders_of_the_same_names_are_no_doubt_where_the_images_are_as_the_lists_say(tmp_path: Path) -> None:
    sites(tmp_path, _SITES)
    for file in (tmp_path / "north").iterdir():
        shutil.copy(file, tmp_path / "lists")
    values = convert("lists/north.csv", "lists/south.csv", "--multi-label", cwd=tmp_path)
    assert (values["records"], values["rejected"]) == (3, 0)


_BOXED: Final = {
    "north": ["file,species,xmin,ymin,xmax,ymax", "1.jpg,boar,1,1,5,5", "2.jpg,deer,1,1,5,5"],
    "south": ["file,species,xmin,ymin,xmax,ymax", "1.jpg,fox,2,2,6,6", "2.jpg,deer,2,2,6,6"],
}


@pytest.mark.parametrize(
    ("lists", "options", "what"), [(_SITES, ("--multi-label",), "labels"), (_BOXED, (), "boxes")]
)
def test_one_root_for_lists_of_two_sites_is_told_of_where_images_have_what_both_say(
    lists: dict[str, list[str]], options: tuple[str, ...], what: str, tmp_path: Path
) -> None:
    sites(tmp_path, lists)
    given = ("lists/north.csv", "lists/south.csv", *options, "--image-root", "north")
    (warning,) = (each for each in convert(*given, cwd=tmp_path)["warnings"] if "of several sources" in each)
    assert f"have the {what} of all: several sources have 1.jpg, and --image-root north gives" in warning
    commands = warning.partition("write it into the names: ")[2].partition("; then give")[0]
    assert shell(commands, tmp_path).code == 0
    made = ("lists/north-as-csv.csv", "lists/south-as-csv.csv", *options)
    values = convert(*made, "--overwrite", cwd=tmp_path)
    assert not [each for each in values["warnings"] if "of several sources" in each]
    alone = ("lists/north.csv", *options, "--image-root", "north", "--overwrite")
    assert not [each for each in convert(*alone, cwd=tmp_path)["warnings"] if "of several sources" in each]


@pytest.mark.parametrize("above", ["set", "annotations", "set [1]"])
def test_masks_beside_images_in_folders_of_splits_are_not_linked_with_them(
    above: str, tmp_path: Path
) -> None:
    """As in ADE20K: `images/training/1.jpg`, `annotations/training/1.png`, and a list of bare stems."""
    tmp_path = tmp_path / above
    for split, numbers in {"training": range(4), "validation": range(4, 6)}.items():
        for number in numbers:
            for folder, ending in (("images", "jpg"), ("annotations", "png")):
                path = tmp_path / folder / split / f"ADE_{number}.{ending}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(jpeg(number))
    rows = [f"ADE_{number},{'street' if number % 2 else 'misc'}\n" for number in range(6)]
    write(tmp_path, "".join(["image,label\n", *rows]), "list.csv")
    error = refused("list.csv", cwd=tmp_path)
    assert "images are in several folders (images/training, images/validation)" in error
    assert "where these folders are splits, write them into the names of the list instead" in error
    commands, _, option = error.partition("link them into one: ")[2].partition("; then ")
    assert shell(commands, tmp_path).code == 0
    values = convert("list.csv", *shlex.split(option.partition(";")[0]), cwd=tmp_path)
    assert values["records"] == 6
    assert not any((tmp_path / "linked-images").glob("*.png"))


def test_images_in_folders_called_like_annotations_are_linked(tmp_path: Path) -> None:
    for folder, numbers in {"labels/a": (0, 1), "b": (2, 3)}.items():
        for number in numbers:
            path = tmp_path / folder / f"{number}.jpg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(jpeg(number))
    write(tmp_path, "image,label\n" + "".join(f"{n},{'xy'[n % 2]}\n" for n in range(4)), "list.csv")
    commands, _, option = refused("list.csv", cwd=tmp_path).partition("into one: ")[2].partition("; then ")
    assert shell(commands, tmp_path).code == 0
    assert convert("list.csv", *shlex.split(option), cwd=tmp_path)["records"] == 4


def test_masks_of_many_folders_are_left_out_by_one_pattern(tmp_path: Path) -> None:
    names = [f"c{case}_{number}.jpg" for case in range(200) for number in range(2)]
    for name in names:
        for folder, ending in (("images", "jpg"), ("annotations", "png")):
            path = tmp_path / name.partition("_")[0] / folder / f"{name[:-4]}.{ending}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(jpeg(int(name[-5])))
    rows = [f"{name[:-4]},{'ab'[number % 2]}\n" for number, name in enumerate(names)]
    write(tmp_path, "".join(["image,label\n", *rows]), "list.csv")
    error = refused("list.csv", cwd=tmp_path)
    commands = error.partition("link them into one: ")[2].partition("; then ")[0]
    assert commands.count("-not -path") == 2  # right in the root, and below
    assert shell(commands, tmp_path).code == 0
    assert {path.name for path in (tmp_path / "linked-images").iterdir()} == {*names, "list.csv"}
