"""Folders of Open Images: lists of boxes, a list of names, images in folders of splits."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from boxing import photos
from converting import manifest, tfrec

HEADER = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated,IsGroupOf"


def test_a_folder_of_open_images_is_refused_with_the_command_that_reads_it(tmp_path: Path) -> None:
    lists = tmp_path / "in/annotations"
    lists.mkdir(parents=True)
    (lists / "oidv6-class-descriptions.csv").write_text("LabelName,DisplayName\n/m/0,Cat\n/m/1,Dog\n")
    for split, name, code, prefix in (("train", "a", "/m/0", "oidv6-"), ("validation", "b", "/m/1", "")):
        photos(tmp_path / "in/images" / split, f"{name}.png")
        row = f"{name},xclick,{code},1,0.1,0.5,0.1,0.5,0,0,0"
        (lists / f"{prefix}{split}-annotations-bbox.csv").write_text(f"{HEADER}\n{row}\n")
    refused = tfrec("convert", tmp_path / "in", tmp_path / "out")
    assert refused.code == 2
    assert "as in Open Images" in refused.err
    command = refused.err.partition("convert these: tfrec ")[2].partition(" OUTPUT_DIR")[0]
    assert tfrec(*shlex.split(command), tmp_path / "out").code == 0
    assert set(manifest(tmp_path / "out")["labels"]) == {"Cat", "Dog"}
    for path in lists.iterdir():
        path.unlink()
    assert "Open Images" not in tfrec("convert", tmp_path / "in", tmp_path / "other").err


@pytest.mark.parametrize(
    ("images", "lists", "names"),
    [
        ("{}", "{}-annotations-bbox.csv", "class-descriptions-boxable.csv"),
        ("{}/data", "{}/labels/detections.csv", "{}/metadata/classes.csv"),
    ],
    ids=["beside folders of splits", "FiftyOne"],
)
def test_other_layouts_are_read_by_the_command_too(
    images: str, lists: str, names: str, tmp_path: Path
) -> None:
    for split in ("train", "validation"):
        photos(tmp_path / "in" / images.format(split), f"{split}.png")
        for path, text in (
            (lists, f"{HEADER}\n{split},xclick,/m/0,1,0.1,0.5,0.1,0.5,0,0,0\n"),
            (names, "/m/0,Cat\n"),
        ):
            file = tmp_path / "in" / path.format(split)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    refused = tfrec("convert", tmp_path / "in", tmp_path / "out")
    command = refused.err.partition("convert these: tfrec ")[2].partition(" OUTPUT_DIR")[0]
    assert tfrec(*shlex.split(command), tmp_path / "out").code == 0
    assert [manifest(tmp_path / "out")[key] for key in ("labels", "records")] == [{"Cat": 1}, 2]


@pytest.mark.parametrize("beside", ["csv_folder", "."])
def test_images_in_folders_of_classes_keep_their_own_hint(beside: str, tmp_path: Path) -> None:
    for name in ("Apple", "Pear"):
        photos(tmp_path / "in/train" / name, f"{name}.png")
    lists = tmp_path / "in" / beside
    lists.mkdir(exist_ok=True)
    (lists / "train-annotations-bbox.csv").write_text(f"{HEADER}\nApple,x,/m/0,1,0.1,0.5,0.1,0.5,0,0,0\n")
    (lists / "class-descriptions-boxable.csv").write_text("/m/0,Apple\n")
    assert "Open Images" not in tfrec("convert", tmp_path / "in", tmp_path / "out").err
