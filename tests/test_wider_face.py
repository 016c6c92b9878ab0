"""Folders of WIDER FACE: lists of boxes for each split, images in folders of events."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, manifest, shell

BLOCK = "{0}--Parade/{1}.png\n1\n8 4 32 16 0 0 0 0 0 0\n"
SPLITS = {"train": ("1", "2"), "val": ("3",)}


def make(root: Path, lists: str) -> None:
    (root / lists).mkdir(parents=True, exist_ok=True)
    for split, names in SPLITS.items():
        photos(root / f"WIDER_{split}/images", *(f"{name}--Parade/{name}.png" for name in names))
        text = "".join(BLOCK.format(name, name) for name in names)
        (root / lists / f"wider_face_{split}_bbx_gt.txt").write_text(text)


@pytest.mark.parametrize("lists", ["", "wider_face_split"])
@pytest.mark.parametrize("options", [(), ("--label-folder", "last")])
@pytest.mark.parametrize("source", ["in", "in/WIDER_train"])
def test_a_folder_of_events_beside_boxes_is_no_classes(
    source: str, options: tuple[str, ...], lists: str, tmp_path: Path
) -> None:
    make(tmp_path / "in", lists)
    error = convert_json(source, "out", *options, cwd=tmp_path)["error"]
    assert "as in WIDER FACE" in error["message"]
    command, classes = error["hint"].split("; ")[-2:]
    assert classes == "--task classification takes folders for labels"
    for line in error["hint"].split("make a CSV of it: ")[1:]:
        assert shell(line.partition("; then: ")[0].removesuffix("; "), tmp_path).code == 0
    assert shell(command.removeprefix("then: "), tmp_path).code == 0
    done = manifest(tmp_path / "OUTPUT_DIR")
    assert done["labels"] == {"face": 1}
    assert {name: split["records"] for name, split in done["splits"].items()} == {"train": 2, "validation": 1}
    again = convert_json("in", "out", "--task", "classification", "--label-folder", "last", cwd=tmp_path)
    assert again["records"] == 3


def test_a_list_of_images_that_are_elsewhere_says_nothing_of_classes(tmp_path: Path) -> None:
    photos(tmp_path / "in", "cat/1.png", "dog/2.png")
    (tmp_path / "in/wider_face_train_bbx_gt.txt").write_text(BLOCK.format(7, 7))
    assert convert_json("in", "out", cwd=tmp_path)["records"] == 2


def test_a_list_in_a_folder_that_is_left_out_is_named(tmp_path: Path) -> None:
    photos(tmp_path / "in", *(f"data_{split}/cat/{split}.png" for split in ("train", "val", "test")))
    (tmp_path / "in/split_lists").mkdir()
    (tmp_path / "in/split_lists/boxes.csv").write_text("image,label\n../data_val/cat/val.png,dog\n")
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    listed = "(without split_lists; is in/split_lists/boxes.csv the list of these images? tfrec convert"
    assert listed in hint
    command = hint.partition("of these images? ")[2].partition(")")[0]
    assert shell(f"{command} --splits train=1", tmp_path).code == 0
