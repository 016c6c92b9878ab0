"""Pascal VOC's files without their ending get it by the command that is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxing import CAT, boxes_of, photos, records
from converting import convert_json, shell

_XML = (
    "<annotation><filename>%s</filename><size><width>80</width><height>40</height></size><object>"
    "<name>cat</name><bndbox><xmin>8</xmin><ymin>4</ymin><xmax>40</xmax><ymax>20</ymax></bndbox>"
    "</object></annotation>"
)


@pytest.mark.parametrize("wrapper", ["", "archive/"])
def test_files_get_their_ending(wrapper: str, tmp_path: Path) -> None:
    for label in ("beagle", "pug"):
        photos(tmp_path / "set" / wrapper, f"Images/{label}/{label}_1.jpg")
        path = tmp_path / "set" / wrapper / "Annotation" / label / f"{label}_1"
        path.parent.mkdir(parents=True)
        path.write_text(_XML % f"{label}_1", encoding="utf-8")
    done = convert_json("set", "out", cwd=tmp_path)
    assert "these are files of Pascal VOC without .xml" in done["error"]["message"]
    command = done["error"]["hint"].partition("that ending: ")[2].partition("; then: ")[0]
    assert shell(command, tmp_path).code == 0
    assert convert_json("set", "out", cwd=tmp_path)["exit_code"] == 0
    found = records(tmp_path / "out")
    assert [boxes_of(values) for values in found.values()] == [[CAT]] * 2


def test_other_files_without_an_ending_are_nothing(tmp_path: Path) -> None:
    photos(tmp_path / "set", "cat/1.jpg", "dog/2.jpg")
    (tmp_path / "set" / "labels").mkdir()
    (tmp_path / "set" / "labels" / "notes").write_text("<p>cats</p>", encoding="utf-8")
    assert convert_json("set", "out", cwd=tmp_path)["records"] == 2
