"""Frames in folders that are called like their videos, of which a list beside them tells."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from boxing import photos, records
from converting import convert_json, manifest, shell, tfrec

_VIDEOS = [f"a{number}b.mp4" for number in range(6)]
_SAYS = {video: ["FAKE", "REAL"][number % 2] for number, video in enumerate(_VIDEOS)}


def _frames(folder: Path) -> None:
    photos(folder, *(f"{video[:-4]}/{frame:03}.png" for video in _VIDEOS for frame in range(2)))


def _followed(folder: Path, *given: str) -> tuple[str, list[str]]:
    """The list, and options, that the command of a refusal makes."""
    hint = convert_json(*given, "out", cwd=folder)["error"]["hint"]
    command, _, then = hint.partition("of it: ")[2].partition("; then: tfrec convert ")
    assert shell(command, folder).code == 0
    made, _, options = then.partition(" OUTPUT_DIR")
    return made, options.partition(";")[0].split()


@pytest.mark.parametrize("below", ["frames", "x/frames", "."])
@pytest.mark.parametrize("is_json", [True, False])
def test_a_list_of_videos_becomes_one_of_their_frames(is_json: bool, below: str, tmp_path: Path) -> None:
    """DFDC's metadata.json tells of videos, and what faces are cut out of is a folder for each."""
    _frames(tmp_path / below)
    if is_json:
        told = json.dumps({video: {"label": label, "split": "train"} for video, label in _SAYS.items()})
        (tmp_path / "metadata.json").write_text(told, encoding="utf-8")
        source, _ = _followed(tmp_path, "metadata.json")
    else:
        rows = "".join(f"v/{video},{label}\n" for video, label in _SAYS.items())
        (tmp_path / "list.csv").write_text(f"filename,label\n{rows}", encoding="utf-8")
        source = "list.csv"
    made, options = _followed(tmp_path, source)
    convert_json(made, "out", *options, "--split-by", "video", cwd=tmp_path)
    found = records(tmp_path / "out")
    assert len(found) == 2 * len(_VIDEOS)
    for name, record in found.items():
        assert record["image/class/text"] == [_SAYS[f"{name.split('/')[-2]}.mp4"].encode()]


def test_a_video_without_frames_is_told_of(tmp_path: Path) -> None:
    _frames(tmp_path / "frames")
    rows = "".join(f"{video},{label}\n" for video, label in [*_SAYS.items(), ("lost.mp4", "REAL")])
    (tmp_path / "list.csv").write_text(f"filename,label\n{rows}", encoding="utf-8")
    made, options = _followed(tmp_path, "list.csv")
    done = convert_json(made, "out", *options, cwd=tmp_path)
    assert (done["records"], done["rejected"]) == (12, 1)


def test_names_of_videos_are_warned_of_as_labels(tmp_path: Path) -> None:
    _frames(tmp_path / "in/frames")
    other = tfrec("convert", "in", "other", cwd=tmp_path)
    assert "called like videos" not in other.err
    told = json.dumps({video: {"label": label} for video, label in _SAYS.items()})
    (tmp_path / "in/metadata.json").write_text(told, encoding="utf-8")
    run = tfrec("convert", "in", "out", cwd=tmp_path)
    assert "folders are called like videos of which in/metadata.json tells (a0b), and these names" in run.err
    assert "tfrec convert in/metadata.json OUTPUT_DIR reads what it tells" in run.err
    assert len(manifest(tmp_path / "out")["labels"]) == len(_VIDEOS)


@pytest.mark.parametrize("encoding", ["gb2312", "shift_jis", "of-nobody"])
def test_xml_of_other_encodings_beside_images_is_no_bug(encoding: str, tmp_path: Path) -> None:
    """VeRi's labels are XML that says it is gb2312."""
    photos(tmp_path / "in/images", "1.png", "2.png")
    items = "".join(f'<Item imageName="{number}.png" vehicleID="{number}"/>' for number in (1, 2))
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n<Images><Items>{items}</Items></Images>\n'
    (tmp_path / "in/labels.xml").write_text(text, encoding="ascii")
    assert tfrec("convert", "in", "out", cwd=tmp_path).code == 2


@pytest.mark.parametrize("delimiter", [";", " "])
def test_lists_without_a_header_that_name_folders_of_frames(delimiter: str, tmp_path: Path) -> None:
    """As Jester's `34870;Thumb Up`, or those of TSN: a folder, how many frames are in it, and a class."""
    videos = {"train": ["34870", "7", "118562"], "val": ["56557", "29381"]}
    for names in videos.values():
        photos(tmp_path, *(f"frames/{name}/{number:05}.jpg" for name in names for number in (1, 2)))
    for split, names in videos.items():
        behind = ["2 1", "2 0", "2 1"] if delimiter == " " else ["Thumb Up", "Swipe", "Thumb Up"]
        rows = [f"{name}{delimiter}{what}\n" for name, what in zip(names, behind, strict=False)]
        (tmp_path / f"{split}.csv").write_text("".join(rows), encoding="utf-8")
    then = "train=train.csv validation=val.csv out"
    for _ in range(2):
        refused = tfrec("convert", *shlex.split(then), cwd=tmp_path)
        assert refused.code == 2
        command, _, then = refused.err.strip().partition(": for f in ")[2].partition("; then: tfrec convert ")
        assert shell(f"for f in {command}", tmp_path).code == 0
        then = then.replace("OUTPUT_DIR", "out")
    done = convert_json(*shlex.split(then), cwd=tmp_path)
    assert {name: split["records"] for name, split in done["splits"].items()} == {"train": 6, "validation": 4}
    found = {name.split("/")[-2]: record for name, record in records(tmp_path / "out").items()}
    first, second = (b"1", b"0") if delimiter == " " else (b"Thumb Up", b"Swipe")
    labels = {name: record["image/class/text"] for name, record in found.items()}
    assert labels == {"34870": [first], "7": [second], "118562": [first], "56557": [first], "29381": [second]}


@pytest.mark.parametrize(
    ("behind", "header"),
    [
        ("0 30 {}", "image,column_2,column_3,label"),
        ("0 30 0 {}", "image,column_2,column_3,column_4,label"),
        ("walk {} 7", "image,label,column_3,column_4"),
    ],
)
def test_numbers_between_a_folder_of_frames_and_the_last_field_are_no_label(
    behind: str, header: str, tmp_path: Path
) -> None:
    """As mmaction's lists: a folder, where its frames begin, how many there are, and the class."""
    photos(tmp_path, *(f"frames/v{video}/{number:05}.jpg" for video in range(4) for number in (1, 2)))
    rows = "".join(f"v{video} {behind.format(video % 2)}\n" for video in range(4))
    (tmp_path / "list.txt").write_text(rows, encoding="utf-8")
    hint = convert_json("list.txt", "out", cwd=tmp_path)["error"]["hint"]
    assert f"(echo {header};" in hint
    assert ("with the names that are true" in hint) == header.startswith("image,label")


def test_lists_without_an_extension_of_folders_are_made_beside_each(tmp_path: Path) -> None:
    photos(tmp_path, *(f"frames/v{video}/{number:05}.jpg" for video in range(4) for number in (1, 2)))
    for split, videos in {"train": (0, 1), "test": (2, 3)}.items():
        rows = "".join(f"frames/v{video},{'ab'[video % 2]}\n" for video in videos)
        (tmp_path / split).write_text(f"image,label\n{rows}", encoding="utf-8")
    hint = convert_json("train=train", "test=test", "out", cwd=tmp_path)["error"]["hint"]
    command, _, then = hint.partition(": for f in ")[2].partition("; then: tfrec convert ")
    assert shell(f"for f in {command}", tmp_path).code == 0
    done = convert_json(*shlex.split(then.replace("OUTPUT_DIR", "new")), cwd=tmp_path)
    assert {name: split["records"] for name, split in done["splits"].items()} == {"train": 4, "test": 4}


def test_a_list_of_nothing_but_folders_of_frames_keeps_its_first_row(tmp_path: Path) -> None:
    """As that of Jester's test videos: a number a line."""
    names = ["70206", "8838", "107"]
    photos(tmp_path, *(f"frames/{name}/{number:05}.jpg" for name in names for number in (1, 2)))
    (tmp_path / "test.csv").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    hint = convert_json("test.csv", "out", cwd=tmp_path)["error"]["hint"]
    command, _, options = hint.partition(" of it: ")[2].partition(", and convert that with ")
    assert shell(command, tmp_path).code == 0
    refused = convert_json("test-as-csv.csv", "out", *options.split(), cwd=tmp_path)["error"]["hint"]
    assert (
        shell(refused.partition("each image in them: ")[2].partition(", and convert")[0], tmp_path).code == 0
    )
    done = convert_json("test-as-csv-by-image.csv", "out", *options.split(), cwd=tmp_path)
    assert done["records"] == 6
    given = "--columns", "image_uri=70206", "--image-root", "frames", "--unlabelled", "keep"
    warned = tfrec("convert", "test.csv", "new", *given, cwd=tmp_path).err
    assert "the first row is taken for a header, and 70206 is a folder of images as those below are" in warned
