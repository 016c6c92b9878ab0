"""Folders of Open Images: lists of boxes, a list of names, images in folders of splits."""

from __future__ import annotations

import shlex
from pathlib import Path

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
