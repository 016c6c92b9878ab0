"""Labels that are the images' own names, the same in every folder, and images beside folders of labels."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, shell
from test_dataset_layouts import make, rows_of
from test_dataset_samples import plan_from

from tfrecordcli.errors import InputError

VIEWS = ("frontal", "OK", "UK")
NAMES = ("Maier", "Lang", "Wolf", "Beck", "Vogt", "Kern")
PATIENTS = [f"{name}/2023-0{at % 3 + 1}-07" for at, name in enumerate(NAMES)]


def photos_of(folders: list[str], *names: str) -> list[str]:
    return [f"{folder}/{name}.jpg" for folder in folders for name in names]


def warned(root: str, folder: Path, said: str, **options: str) -> list[str]:
    return [each for each in plan_from(root, folder, **options).plan.warnings if said in each]


def made(told: str, folder: Path) -> tuple[list[dict[str, str]], list[str]]:
    """The rows of the list that a proposed command makes, and the options it is to be converted with."""
    command, _, then = told.partition(": python ")[2].partition("; then: tfrec convert ")
    assert shell(f"python {command}", folder).code == 0
    source, _, options = then.partition(" OUTPUT_DIR")
    with open(shlex.split(source)[0], encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)], shlex.split(options.partition("; else")[0].partition(" takes ")[0])


@pytest.mark.parametrize(
    ("folders", "group"),
    [(PATIENTS, "folder_1"), ([f"obj00{at}" for at in range(6)], "folder_1"),
     ([f"{'ab'[at % 2]}/{folder}" for at, folder in enumerate(PATIENTS)], "folder_2")],
)  # fmt: skip
def test_a_refusal_proposes_names_that_come_again_first(
    folders: list[str], group: str, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *photos_of(folders, *VIEWS)[1:], f"{folders[1]}/frontal (2).jpg")
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert caught.value.hint.startswith(
        "where names that come again in most folders are what images show (OK, UK, frontal)"
    )
    assert "--label-folder first" in caught.value.hint
    rows, options = made(caught.value.hint.partition("; --label-folder")[0], tmp_path)
    assert {row["label"] for row in rows} == {*VIEWS}
    assert (len(rows), options) == (18, ["--split-by", group])


def test_the_list_of_such_names_is_converted(tmp_path: Path) -> None:
    photos(tmp_path, *(f"in/{each}" for each in photos_of(PATIENTS, *VIEWS)))
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    command, _, then = hint.partition("make a list: ")[2].partition("; else")[0].partition("; then: tfrec ")
    assert shell(command, tmp_path).code == 0
    done = convert_json(*shlex.split(then.replace("OUTPUT_DIR", "out"))[1:], cwd=tmp_path)
    assert (done["records"], done["num_labels"]) == (18, 3)


SAME = "images are called the same"


@pytest.mark.parametrize(
    ("folders", "options"),
    [
        (PATIENTS, {"label_folder": "first"}),
        (PATIENTS, {"label_folder": "last"}),
        ([each.partition("/")[0] for each in PATIENTS], {}),
        ([f"train/{each.partition('/')[0]}" for each in PATIENTS], {}),
    ],
)
def test_folders_as_labels_of_images_with_the_same_names_are_warned_of(
    folders: list[str], options: dict[str, str], tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *photos_of(folders, *VIEWS))
    (told,) = warned(root, tmp_path, SAME, **options)
    rows, split_by = made(told, tmp_path)
    assert {row["label"] for row in rows} == {*VIEWS}
    assert split_by == ([] if "split" in rows[0] else ["--split-by", "folder_1"])


@pytest.mark.parametrize(
    "names",
    [
        *(
            "1 2 3",
            "image_01 image_02",
            "IMG_1234 IMG_1235",
            "img",
            "original thumb",
            "image mask",
            "rgb depth",
        ),
        *("a b c", "flair t1 t2", "front thumbnail", "x-1 y-2"),
    ],
)
def test_names_that_tell_nothing_come_again_quietly(names: str, tmp_path: Path) -> None:
    root = make(tmp_path / "in", *photos_of(PATIENTS, *names.split()))
    assert not warned(root, tmp_path, SAME, label_folder="first")


@pytest.mark.parametrize(
    "images",
    [
        photos_of(["cat", "dog", "owl"], "front", "side"),  # as of few folders
        [f"{folder}/{folder} {name}.jpg" for folder in "abcdef" for name in ("front", "side")],
        [f"{folder}/{name}.jpg" for folder in "abcdef" for name in ("front", f"of {folder}", f"at {folder}")],
    ],
)
def test_other_names_are_those_of_images(images: list[str], tmp_path: Path) -> None:
    assert not warned(make(tmp_path / "in", *images), tmp_path, SAME)


STREETS = [
    "Nord/Ring/Note 1",
    "Nord/Ring/Note 2",
    "Nord/Weg/Note 1",
    "West/Gasse/Note 2",
    "West/Allee/Note 1",
]
BESIDE = "beside folders of labels"


@pytest.mark.parametrize(
    ("folders", "beside", "level"),
    [
        (STREETS, "Nord/Ring", 3),
        (["Ring/Note 1", "Ring/Note 2", "Weg/Note 1"], "Ring", 2),
        ([f"train/{each}" for each in STREETS], "train/Nord/Ring", 4),
    ],
)
def test_images_beside_folders_of_labels_are_told_with_a_list_that_gives_them_none(
    folders: list[str], beside: str, level: int, tmp_path: Path
) -> None:
    root = make(tmp_path / "in", *photos_of(folders, "1", "2"), f"{beside}/7.jpg")
    with pytest.raises(InputError) as caught:
        rows_of(root)
    (told,) = warned(root, tmp_path, BESIDE, label_folder="last")
    assert f"(1 in {beside})" in told
    for each in (told, caught.value.hint):
        rows, options = made(each, tmp_path)
        assert {f"label=folder_{level}", "--unlabelled", "skip"} <= {*options}
        found = {row["image"]: row[f"folder_{level}"] for row in rows}
        assert found.pop(f"{beside}/7.jpg") == ""
        assert {*found.values()} == {"Note 1", "Note 2"}
    assert not warned(root, tmp_path, BESIDE, label_folder="first")


@pytest.mark.parametrize(
    "images",
    [photos_of(STREETS, "1", "2"), [*photos_of(STREETS, "1"), "7.jpg"],
     [*photos_of([f"train/{each}" for each in STREETS], "1"), "train/7.jpg"],
     ["a/cat/1.jpg", "a/dog/2.jpg", "cow/3.jpg"]],
)  # fmt: skip
def test_other_folders_hold_no_images_beside_those_of_labels(images: list[str], tmp_path: Path) -> None:
    root = make(tmp_path / "in", *images)
    assert not warned(root, tmp_path, BESIDE, label_folder="last")


def test_levels_whose_names_come_again_are_proposed_first(tmp_path: Path) -> None:
    streets = [f"{street}/{side}/{day}" for street in "abc" for side in ("s1", "s2") for day in ("p", "q")]
    named = [f"{each.replace('/s', f'/{each[0]}')}/x" for each in streets]
    root = make(tmp_path / "in", *photos_of(named, "1"), "b/b1/p/y/1.jpg")
    with pytest.raises(InputError) as caught:
        rows_of(root)
    assert "--columns label=folder_3 takes 'p', label=folder_2 'a1'" in caught.value.hint
