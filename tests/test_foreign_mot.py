"""Videos with boxes as the MOT Challenge has them become one list of their frames, a video in one split."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from boxing import boxes_of, examples_by_split, photos, write
from converting import convert_json, shell

MOT = (
    "1,1,8,4,32,16,1,2,1\n2,1,8,4,32,16,1,2,1\n2,2,1,1,5,5,0,1,0.3\n"
    "3,1,8,4,32,16,0,2,1\n"  # no object that counts: an image without a box
)
BOX = (8.0, 4.0, 40.0, 20.0)
FRAMES = ("000001.jpg", "000002.jpg", "000003.jpg", "000004.jpg")  # nothing tells of the last


def videos(folder: Path, *names: str, text: str = MOT) -> None:
    for name in names:
        photos(folder, *(f"{name}/img1/{frame}" for frame in FRAMES))
        (folder / name / "gt").mkdir()
        write(folder / name / "gt", text, "gt.txt")


def followed(source: str, folder: Path) -> list[tuple[str, str]]:
    """(split, name) of the records by what is proposed for a source, whose boxes are as they should."""
    hint = convert_json(source, "out", cwd=folder)["error"]["hint"]
    make, _, rest = hint.partition("make a list of its boxes: ")[2].partition("; then: ")
    assert shell(make, folder).code == 0
    words = shlex.split(rest.partition(";")[0])[2:]
    done = convert_json(*words[:1], "out", *words[2:], cwd=folder)
    assert (done["exit_code"], done["rejected"]) == (0, 0), done
    found = []
    for split, values in examples_by_split(folder / "out"):
        name = values["image/filename"][0].decode()
        is_first_two = name.endswith(FRAMES[:2])
        assert boxes_of(values) == ([("2", BOX)] if is_first_two else [])
        found.append((split, name))
    return sorted(found)


def test_all_videos_of_a_folder_are_read_and_detectors_of_one_stay_together(tmp_path: Path) -> None:
    names = ["MOT17-02-FRCNN", "MOT17-02-SDP", "MOT17-04-SDP", "MOT17-09-SDP", "MOT17-10-SDP"]
    videos(tmp_path, *(f"train/{name}" for name in names))
    found = followed("train", tmp_path)
    assert sorted(name for _, name in found) == [f"{name}/img1/{f}" for name in names for f in FRAMES]
    splits: dict[str, set[str]] = {}
    for split, name in found:
        splits.setdefault(name[:8], set()).add(split)
    assert {len(each) for each in splits.values()} == {1}


def test_folders_of_splits_are_those_of_their_videos(tmp_path: Path) -> None:
    videos(tmp_path, "set/train/a", "set/train/b", "set/val/c")
    wanted = [
        (s, f"{s}/{v}/img1/{f}") for s, v in (("train", "a"), ("train", "b"), ("val", "c")) for f in FRAMES
    ]
    assert followed("set", tmp_path) == [(s.replace("val", "validation"), name) for s, name in wanted]


def test_a_mark_and_numbers_with_points_in_another_file(tmp_path: Path) -> None:
    videos(tmp_path, "set/a")
    videos(tmp_path, "set/b", text="\ufeff" + MOT.replace("2,1,8", "2.0,1,8").replace(",1,2,1", ", 1.0,2,1"))
    assert len(followed("set", tmp_path)) == 8


@pytest.mark.parametrize("source", ["set/a", "set/a/gt/gt.txt"])
def test_one_video_is_one_split(source: str, tmp_path: Path) -> None:
    videos(tmp_path, "set/a", "set/b")
    assert followed(source, tmp_path) == [("train", f"img1/{frame}") for frame in FRAMES]


def test_a_file_without_its_frames_has_the_command_of_a_csv(tmp_path: Path) -> None:
    photos(tmp_path, *(f"frames/{frame}" for frame in FRAMES))
    write(tmp_path, MOT.replace(",2,1\n", ",-1,-1,-1\n"), "gt.txt")
    hint = convert_json("gt.txt", "out", cwd=tmp_path)["error"]["hint"]
    command = hint.partition("make a CSV of it: ")[2].partition("; then: ")[0]
    assert shell(command, tmp_path).code == 0
    lines = (tmp_path / "gt-as-csv.csv").read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == [
        *(f"../img1/{FRAMES[i]},8,4,32,16,object" for i in (0, 1)),
        f"../img1/{FRAMES[2]},,,,,",
        "image,x,y,width,height,label",
    ]
