"""Folders around the only one that holds images: what is proposed first are labels in their names."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import photos
from converting import convert_json, manifest, shell

PARTS = "where parts of names are the label (part_1: 0, 1), make a list: "
ASKED = "is in/set.json the list of these images?"


@pytest.mark.parametrize(
    ("json", "is_first"), [('{"data": [[245, 3]]}', True), ('[{"p": "a.png"}]', False), ("", True)]
)
def test_parts_of_names_are_proposed_above_their_folder(json: str, is_first: bool, tmp_path: Path) -> None:
    names = (f"{i % 2}__2017{i:04}_{i}a__-122.{i}_37.7.png" for i in range(12))
    photos(tmp_path, *(f"in/set/set/{name}" for name in names))
    if json:
        (tmp_path / "in/set.json").write_text(json)
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert hint.startswith(PARTS) == is_first
    assert (ASKED in hint) == bool(json)
    command, _, rest = hint.partition(PARTS)[2].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    assert shell(rest.partition(", or the part")[0].replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    assert [*manifest(tmp_path / "out")["labels"]] == ["0", "1"]


def test_images_in_two_folders_are_not_together(tmp_path: Path) -> None:
    photos(tmp_path, *(f"in/{name}/{i % 2}_a{i}_{i}.png" for name in ("a/cat", "b/dog") for i in range(6)))
    assert "parts of names" not in convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
