"""What comes next is said behind commands that write a list anew, with the options that hold further on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from boxing import boxes_of, photos, records, write
from converting import shell, tfrec

from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import command_line
from tfrecordcli.sources.next_step import options_behind

NAMED = ("--columns", "image_uri=Bild,label=Art")
OBJECT = "[{'xmin': 8, 'ymin': 4, 'xmax': 40, 'ymax': 20}]"
# A list, options, and those that are repeated.
LISTS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "known names": (f'image,label,objects\na.png,cat,"{OBJECT}"\nb.png,dog,"{OBJECT}"\n', (), ""),
    "names that the command changes": (
        "Bild,Art\na.png,cat 8 4 40 20\nb.png,dog 8 4 40 20\n",
        (*NAMED, "--image-root", "."),
        " --image-root .",
    ),
    "decimal commas": (
        "Bild;Art;x;y;w;h\na.png;cat;8,0;4;32;16\nb.png;dog;8,0;4;32;16\n",
        (*NAMED, "--task", "detection"),
        " --columns image_uri=Bild,label=Art --task detection",
    ),
}


@pytest.mark.parametrize(("text", "options", "again"), LISTS.values(), ids=LISTS)
def test_what_a_command_made_is_converted_as_is_said(
    text: str, options: tuple[str, ...], again: str, tmp_path: Path
) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, text)
    told = tfrec("convert", "list.csv", "out", *options, cwd=tmp_path).err
    command, _, then = told[told.index("python -c ") :].partition("; then: ")
    then = then.partition("; --")[0].strip()
    assert then.endswith(f" OUTPUT_DIR{again}")
    assert shell(command, tmp_path).code == 0
    assert shell(then.replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    found = {name: boxes_of(values) for name, values in records(tmp_path / "out").items()}
    assert found == {
        f"{name}.png": [(label, (8.0, 4.0, 40.0, 20.0))]
        for name, label in zip("ab", ("cat", "dog"), strict=True)
    }


def test_a_header_for_numbers_to_predict_comes_before_the_task_again(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    write(tmp_path, "a.png, 6.5\nb.png, 7\n")
    told = tfrec("convert", "list.csv", "out", "--task", "regression", cwd=tmp_path).err
    command, _, then = told.partition("make a CSV of it: ")[2].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    assert shell(then.strip().replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    found = {name: values["image/target"] for name, values in records(tmp_path / "out").items()}
    assert found == {"a.png": [6.5], "b.png": [7.0]}


@pytest.mark.parametrize("image", ["id", "Bild"])
def test_options_of_columns_that_a_command_leaves_are_said_again(image: str, tmp_path: Path) -> None:
    photos(
        tmp_path / "train", *(f"{name}_{colour}.png" for name in ("q7", "q8") for colour in ("green", "red"))
    )
    write(tmp_path, f"{image},Target,Part\nq7,16 0,w1\nq8,7,w2\n")
    (tmp_path / "names.txt").write_text("16,Cytosol\n0,Nuclei\n7,Golgi\n", encoding="utf-8")
    of_image = () if image == "id" else ("--columns", "image_uri=Bild,label=Target,split=Part")
    given = ("--label-separator", "blank", "--label-names", "names.txt", "--splits", "train=1")
    of_splits = ("--split-map", "w1=train,w2=validation") if of_image else ()
    told = tfrec(
        "convert", "list.csv", "out", *of_image, *given, *of_splits, "--exif", "keep", cwd=tmp_path
    ).err
    command, _, then = told[told.index("python -c ") :].partition("; then: ")
    then, _, others = then.partition("; your other options, where they still fit: ")
    assert others.strip() == "--exif keep"
    assert shell(command, tmp_path).code == 0
    assert shell(then.replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    found = {name: values["image/class/text"] for name, values in records(tmp_path / "out").items()}
    assert found == {"train/q7_green.png": [b"Cytosol", b"Nuclei"], "train/q8_green.png": [b"Golgi"]}


_READ = 'import pandas as pd; t = pd.read_csv("list.csv", dtype=str); '
_WRITTEN = '.to_csv("list-new.csv", index=False, mode="x")'
_GIVEN = ReadOptions(
    columns=(("image_uri", "Bild"), ("label", "Art")),
    label_separator="|",
    box_format="xywh",
    features=("n",),
    na=("-",),
    map=(("old/", "new/"),),
)


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        (
            't["Bild"] = "in/" + t["Bild"]; t',
            "--columns image_uri=Bild,label=Art --label-separator '|' --features n --na - --box-format xywh",
        ),
        (
            't["Art"] = t["Art"].str.split("|").str[0]; t',
            "--columns image_uri=Bild,label=Art --map old/=new/ --features n --na - --box-format xywh",
        ),
        (
            't["label"] = t["Bild"].str.split("/").str[0]; t',
            "--columns image_uri=Bild --map old/=new/ --features n --na - --box-format xywh",
        ),
        (
            't["w"] = t["w"].str.strip(); t',
            "--columns image_uri=Bild,label=Art --label-separator '|' --map old/=new/ --features n --na -",
        ),
        (
            't = t.assign(**{"Art": t["Art"].str.split("|")}).explode("Art"); t',
            "--columns image_uri=Bild --map old/=new/ --features n --na -",
        ),
        (
            't.drop(columns=["n"])',
            "--columns image_uri=Bild,label=Art --label-separator '|' --map old/=new/",
        ),
    ],
)
def test_options_hold_for_what_a_command_leaves_as_it_is(change: str, kept: str) -> None:
    assert options_behind(command_line(["python", "-c", _READ + change + _WRITTEN]), _GIVEN) == kept


def test_rows_that_are_copied_keep_their_encoding(tmp_path: Path) -> None:
    photos(tmp_path, "ä.png", "b.png")
    (tmp_path / "list.csv").write_text("ä.png, 6.5\nb.png, 7\n", encoding="latin-1")
    given = ("--task", "regression", "--encoding", "latin-1")
    told = tfrec("convert", "list.csv", "out", *given, cwd=tmp_path).err
    command, _, then = told.partition("make a CSV of it: ")[2].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    assert shell(then.strip().replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    assert records(tmp_path / "out").keys() == {"ä.png", "b.png"}


def test_a_list_without_some_lines_is_converted_with_all_options(tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    (tmp_path / "list.csv").write_text("#Bälle\na.png:rot;weiß\nb.png:rot\n", encoding="latin-1")
    given = ("--encoding", "latin-1", "--delimiter", ":", "--label-separator", ";", "--splits", "train=1")
    told = tfrec("convert", "list.csv", "out", *given, cwd=tmp_path).err
    command, _, then = told[told.index("grep ") :].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    assert shell(then.strip().replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    found = {name: values["image/class/text"] for name, values in records(tmp_path / "out").items()}
    assert found == {"a.png": [b"rot", "weiß".encode()], "b.png": [b"rot"]}


@pytest.mark.parametrize("name", [b"l\xfc.csv", "li\u200bst.csv".encode()])
def test_a_list_whose_name_is_no_plain_text_gets_its_command(name: bytes, tmp_path: Path) -> None:
    photos(tmp_path, "a.png", "b.png")
    path = tmp_path / os.fsdecode(name)
    path.write_text("image;label;x;y;w;h\na.png;cat;8,0;4;32;16\nb.png;dog;8,0;4;32;16\n", encoding="utf-8")
    run = tfrec("convert", path.name, "out", cwd=tmp_path)
    assert (run.code, "python -c" in run.err) == (2, True), run.err
