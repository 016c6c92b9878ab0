"""What comes next is said behind commands that write a list anew, with the options that hold further on."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import boxes_of, photos, records, write
from converting import shell, tfrec

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
