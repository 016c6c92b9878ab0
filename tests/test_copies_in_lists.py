"""Copies of photos in lists of any kind are told of, where they may come into several splits."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Final

import pytest
from boxing import examples_by_split, photos
from converting import convert_json, jpeg, shell
from recording import foreign

_COUNT: Final = 24
# Roboflow's three copies of each photo.
NAMES: Final = [f"photo-{n // 3}_jpg.rf.{n * 7919:032x}.jpg" for n in range(_COUNT)]
_BOX: Final = "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>8</ymax></bndbox>"


def _list(kind: str, folder: Path) -> str:
    """Writes one; returns what is to be converted."""
    if kind == "tfrecords":
        records = [
            {"image/encoded": [jpeg(n)], "image/class/label": [1], "image/filename": [name.encode()]}
            for n, name in enumerate(NAMES)
        ]
        foreign(folder / "in/a.tfrecord", *records)
        return "in"
    photos(folder, *(f"in/{name}" for name in NAMES))
    texts = {}
    if kind == "coco.json":
        images = [{"id": n, "file_name": f"in/{name}"} for n, name in enumerate(NAMES)]
        boxes = [{"id": n, "image_id": n, "category_id": 1, "bbox": [1, 2, 9, 8]} for n in range(_COUNT)]
        coco = {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "cat"}]}
        texts = {kind: json.dumps(coco)}
    elif kind == "list.jsonl":
        rows = ({"image": f"in/{name}", "label": "ab"[n % 2]} for n, name in enumerate(NAMES))
        texts = {kind: "".join(json.dumps(row) + "\n" for row in rows)}
    elif kind == "voc":
        xml = f"<annotation><object><name>cat</name>{_BOX}</object></annotation>"
        texts = {f"in/{name[:-4]}.xml": xml for name in NAMES}
    elif kind == "yolo":
        texts = {"in/classes.txt": "cat\n"} | {f"in/{name[:-4]}.txt": "0 .5 .5 .2 .2\n" for name in NAMES}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return kind if "." in kind else "in"


@pytest.mark.parametrize(
    ("kind", "has_command"),
    [("coco.json", True), ("list.jsonl", True), ("voc", False), ("yolo", False), ("tfrecords", False)],
)
def test_copies_are_told_of(kind: str, *, has_command: bool, tmp_path: Path) -> None:
    source = _list(kind, tmp_path)
    told = convert_json(source, "out", "--dry-run", cwd=tmp_path)["warnings"]
    (warning,) = (each for each in told if "8 images and copies made of them" in each)
    assert ("python -c" in warning) == has_command
    if not has_command:
        return
    command = warning[warning.index("python -c") :]
    command, _, options = command.partition(", and convert that with ")
    assert shell(command, tmp_path).code == 0
    (made,) = tmp_path.glob("*-groups.*")
    assert convert_json(made.name, "out", *shlex.split(options), cwd=tmp_path)["records"] == _COUNT
    splits: dict[str, set[str]] = {}
    for split, values in examples_by_split(tmp_path / "out"):
        splits.setdefault(values["image/filename"][0].decode().partition("_jpg")[0], set()).add(split)
    assert [*map(len, splits.values())] == [1] * 8
