"""Lists that pair images with texts of their boxes: the command makes one list of all, with the splits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from boxing import boxes_of, convert, photos, records, write
from converting import convert_json, shell

BOX = (8.0, 4.0, 40.0, 20.0)
ROWS = "".join(f"g/{i}.jpg g_not/{i}.txt\n" for i in range(4))


def hint_of(folder: Path, rows: str, texts: dict[str, str], images: tuple[str, ...]) -> str:
    photos(folder, *images)
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / Path(name).parent, text, Path(name).name)
    write(folder, rows, "list.txt")
    error = convert_json("list.txt", "out", cwd=folder)["error"]
    assert "name an image and a file of annotations each, as g/0.jpg and g_not/0.txt" in error["message"]
    return str(error["hint"])


def run(hint: str, folder: Path) -> None:
    command = re.match(r"make a CSV of it: (.*? > list-as-csv\.csv)", hint)
    assert command
    assert shell(command[1], folder).code == 0


@pytest.mark.parametrize("end", ["", "_test", "_leftImg8bit"])
@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("8 4 40 20 6", "6"),
        ("8 4 40 20 9", "9"),
        ("8,4,40,20,open circuit", "open circuit"),
        ("cat 8 4 40 20", "cat"),
        ("3 0.3 0.3 0.4 0.4", "3"),
    ],
    ids=["class last", "a higher class", "a class of two words", "class first", "YOLO"],
)
def test_rows_of_images_and_texts_become_a_list_of_boxes(
    end: str, line: str, label: str, tmp_path: Path
) -> None:
    texts = {f"g_not/{i}.txt": f"{line}\n" * (i > 0) for i in range(4)}
    besides = [f"g/{i}_temp.jpg" for i in range(4)] * (end == "_test")
    hint = hint_of(tmp_path, ROWS, texts, (*(f"g/{i}{end}.jpg" for i in range(4)), *besides))
    assert ("images are taken as they are called" in hint) == bool(end)
    run(hint, tmp_path)
    convert(tmp_path / "list-as-csv.csv", tmp_path / "out")
    found = {Path(name).name: boxes_of(values) for name, values in records(tmp_path / "out").items()}
    assert found == {f"{i}{end}.jpg": [(label, BOX)] * (i > 0) for i in range(4)}


@pytest.mark.parametrize(
    ("line", "images"),
    [
        ("a cat on a mat", [f"g/{i}.jpg" for i in range(4)]),
        ("3 0.1 0.1 0.2 0.2 0.3 0.1", [f"g/{i}.jpg" for i in range(4)]),
        ("8 4 40 20 6", [f"g/{i}_{end}.jpg" for i in range(4) for end in ("left", "right")]),
        ("8 4 40 20 6", [f"g/{i}_mask.jpg" for i in range(4)]),
        ("8 4 40 20 6", [f"g/{i}{end}.jpg" for i, end in enumerate(("_a", "_b", "_c", "_d"))]),
    ],
    ids=["a caption", "an outline", "two images", "masks", "images called in no common way"],
)
def test_no_command_leads_astray(line: str, images: list[str], tmp_path: Path) -> None:
    hint = hint_of(tmp_path, ROWS, {f"g_not/{i}.txt": f"{line}\n" for i in range(4)}, tuple(images))
    assert hint == "write a list with each image and its boxes, a row each"


def test_other_files_have_the_command_that_takes_no_folder_for_a_class(tmp_path: Path) -> None:
    rows = "".join(f"g/{i}.jpg g_not/{i}.json\n" for i in range(4))
    photos(tmp_path, *(f"g/{i}.jpg" for i in range(4)))
    write(tmp_path, rows, "list.txt")
    hint = convert_json("list.txt", "out", cwd=tmp_path)["error"]["hint"]
    assert hint == "convert the folder that holds both: tfrec convert . OUTPUT_DIR --task detection"
