"""UA-DETRAC's XML, a file for each video: refused with the list of its boxes, from wherever it is given."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from boxing import boxes_of, photos, records
from converting import manifest, shell, tfrec
from foreign_files import write_files

_BOX: Final = '<box left="8" top="4" width="32" height="16"/><attribute vehicle_type="{}"/>'
_OTHER: Final = '<occlusion><region_overlap left="1" top="1" width="2" height="2"/></occlusion>'


def _video(name: str, frame: int, kind: str) -> str:
    """A file of a video of which one frame has an object."""
    target = f'<target id="1">{_BOX.format(kind)}{_OTHER}</target>'
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<sequence name="{name}">\n <sequence_attribute v="1"/>\n'
        ' <ignored_region>\n  <box left="5" top="2" width="20" height="14"/>\n </ignored_region>\n'
        f' <frame density="1" num="{frame}"><target_list>{target}</target_list></frame>\n</sequence>\n'
    )


XML: Final = {
    "in/Train-XML/MVI_11.xml": _video("MVI_11", 2, "car"),
    "in/Train-XML/MVI_12.xml": _video("MVI_12", 1, "bus"),
}
FRAMES: Final = tuple(f"in/frames/MVI_1{video}/img0000{number}.jpg" for video in (1, 2) for number in (1, 2))


@pytest.mark.parametrize(
    "source",
    ["in", "in/Train-XML", "in/Train-XML/MVI_11.xml", "in/frames", "."],
    ids=lambda path: path or ".",
)
def test_videos_with_boxes_become_a_list_from_wherever_they_are_given(source: str, tmp_path: Path) -> None:
    photos(tmp_path, *FRAMES)
    write_files(tmp_path, XML)
    error = tfrec("convert", source, "out", cwd=tmp_path).err
    assert "boxes in the frames of a video, as UA-DETRAC has" in error
    assert ("use --label-folder last" in error) == (not source.endswith(".xml"))
    command, _, then = error.partition("list of its boxes: ")[2].partition("; then: ")
    assert shell(command, tmp_path).code == 0
    then = then.partition(";")[0]
    assert then == "tfrec convert in/list.csv OUTPUT_DIR --split-by sequence"
    assert shell(then.replace("OUTPUT_DIR", "out"), tmp_path).code == 0
    found = {name.partition("/")[2]: boxes_of(values) for name, values in records(tmp_path / "out").items()}
    box = (8.0, 4.0, 40.0, 20.0)
    assert found == {
        "MVI_11/img00001.jpg": [],
        "MVI_11/img00002.jpg": [("car", box)],
        "MVI_12/img00001.jpg": [("bus", box)],
        "MVI_12/img00002.jpg": [],
    }


def test_splits_of_folders_of_videos_are_kept_and_two_files_of_a_video_are_not_joined(tmp_path: Path) -> None:
    frames = [name.replace("frames", "frames_train") for name in FRAMES]
    photos(tmp_path, *frames, "in/frames_test/MVI_13/img00001.jpg")
    write_files(tmp_path, {**XML, "in/Test-XML/MVI_13.xml": _video("MVI_13", 1, "car")})
    error = tfrec("convert", "in", "out", cwd=tmp_path).err
    command = error.partition("list of its boxes: ")[2].partition("; then: ")[0]
    assert shell(command, tmp_path).code == 0
    assert tfrec("convert", "in/list.csv", "out", "--split-by", "sequence", cwd=tmp_path).code == 0
    splits = {name: split["records"] for name, split in manifest(tmp_path / "out")["splits"].items()}
    assert splits == {"train": 4, "test": 1}
    write_files(tmp_path, {"in/Old-XML/MVI_11.xml": _video("MVI_11", 2, "van")})
    done = shell(command, tmp_path)
    assert (done.code, "MVI_11.xml: several files or folders are called so" in done.err) == (1, True)
    write_files(tmp_path, {"far/off/from/it/MVI_9.xml": _video("MVI_9", 1, "car")})
    error = tfrec("convert", "far/off/from/it", "new", cwd=tmp_path).err
    assert "convert the folder that holds such files and those of frames" in error


@pytest.mark.parametrize(
    "xml",
    [_video("cats", 1, "car").replace("<sequence_attribute", "<note"), _video("MVI_13", 1, "car")],
    ids=["another kind", "of another video"],
)
def test_folders_of_classes_beside_other_xml_are_read(xml: str, tmp_path: Path) -> None:
    photos(tmp_path, "in/classes/cats/1.jpg", "in/classes/dogs/2.jpg")
    write_files(tmp_path, {"in/meta/cats.xml" if "cats" in xml else "in/meta/MVI_13.xml": xml})
    assert tfrec("convert", "in/classes", "out", cwd=tmp_path).code == 0
    assert [*manifest(tmp_path / "out")["labels"]] == ["cats", "dogs"]
