"""Names as URLs have them, of files that are called otherwise: never guessed; a command writes them anew."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from boxing import photos
from converting import tfrec
from recording import records_of

BOXES = [{"id": n, "image_id": n, "category_id": 1, "bbox": [1, 1, 8, 8]} for n in (1, 2, 3)]
NAMES = ("x/a%20b.jpg", "x/c.jpg", "y/p%20q.jpg")
COCO = json.dumps(
    {
        "images": [{"id": number, "file_name": name} for number, name in enumerate(NAMES, 1)],
        "annotations": BOXES,
        "categories": [{"id": 1, "name": "cat"}],
    }
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("l.csv", "image,label\n" + "".join(f"{name},cat\n" for name in NAMES)),
        ("l.csv", "".join(f"{name},cat\n" for name in NAMES)),
        ("l.json", COCO),
        ("l.json", f"\ufeff{COCO}"),
    ],
    ids=["header", "no header", "COCO", "mark"],
)
def test_a_name_is_decoded_by_the_command_alone_and_only_where_it_is_no_file(
    name: str, text: str, tmp_path: Path
) -> None:
    for path in ("x/a b.jpg", "x/c.jpg", "y/p%20q.jpg", "y/p q.jpg"):
        photos((tmp_path / path).parent, os.path.basename(path))
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = tfrec("convert", tmp_path / name, tmp_path / "out", "--splits", "train=1")
    assert done.code == 1
    assert stored(tmp_path / "out") == ["x/c.jpg", "y/p%20q.jpg"]
    assert "x/a%20b.jpg is not there, but x/a b.jpg is" in done.err
    command = done.err.partition("write each as its file is called: ")[2]
    command, _, made = command.partition("; then the same command with ")
    python, *words = shlex.split(command)
    assert python == "python"
    subprocess.run([sys.executable, *words], check=True)
    assert tfrec("convert", made.split()[0], tmp_path / "new", "--splits", "train=1").code == 0
    assert stored(tmp_path / "new") == ["x/a b.jpg", "x/c.jpg", "y/p%20q.jpg"]


def test_json_lines_under_the_name_of_json_have_no_command(tmp_path: Path) -> None:
    photos(tmp_path, "a b.jpg", "c.jpg")
    rows = [{"image": name, "label": "cat"} for name in ("a%20b.jpg", "c.jpg")]
    (tmp_path / "l.json").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = tfrec("convert", tmp_path / "l.json", tmp_path / "out", "--splits", "train=1")
    assert "a%20b.jpg is not there, but a b.jpg is" in done.err
    assert "python -c" not in done.err


def stored(out: Path) -> list[str]:
    return sorted(values["image/filename"][0].decode() for values in records_of(out))
