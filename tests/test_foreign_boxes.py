"""Boxes of well-known sets and tools in a grammar of their own are refused by name."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from boxing import boxes_of, convert, photos, records, write
from converting import manifest, shell, tfrec

from tfrecordcli.sources.foreign.fields_of_boxes import FIELDS_OF_BOXES
from tfrecordcli.sources.foreign.opencv import need_no_list_of_opencv

DOTA = "8 4 40 4 40 20 8 20 plane 0\n"
BOX = (8.0, 4.0, 40.0, 20.0)
OBJECTS: Mapping[str, Any] = {
    "Visual Genome": [
        {
            "image_id": 1,
            "objects": [{"synsets": ["cat.n.01"], "names": ["cat"], "x": 8, "y": 4, "w": 32, "h": 16}],
        },
        {"image_id": 2, "objects": []},
        {
            "image_id": 3,
            "objects": [{"merged_object_ids": [], "names": [], "x": 8, "y": 4, "w": 32, "h": 16}],
        },
    ],
    "MMDetection 2": [
        {"filename": "1.jpg", "width": 80, "height": 40, "ann": {"bboxes": [[8, 4, 40, 20]], "labels": [1]}},
        {"filename": "2.jpg", "width": 80, "height": 40, "ann": {"bboxes": [], "labels": []}},
    ],
    "MMDetection 3": {
        "metainfo": {"classes": ["dog", "cat"]},
        "data_list": [
            {"img_path": "1.jpg", "instances": [{"bbox": [8, 4, 40, 20], "bbox_label": 1, "ignore_flag": 0}]},
            {"img_path": "2.jpg", "instances": []},
        ],
    },
    "MMDetection 3, older": {
        "metainfo": {"CLASSES": ["dog", "cat"]},
        "data_list": [
            {"img_path": "1.jpg", "instances": [{"bbox": [8, 4, 40, 20], "bbox_label": 1}]},
            {"img_path": "2.jpg"},
        ],
    },
    "BDD100K or Scalabel": [
        {
            "name": "1.jpg",
            "attributes": {"weather": "clear"},
            "timestamp": 1,
            "labels": [
                {"category": "lane", "poly2d": [{"vertices": [[1, 2], [3, 4]]}], "id": 1},
                {"category": "cat", "attributes": {}, "box2d": {"x1": 8, "y1": 4, "x2": 40, "y2": 20}},
            ],
        },
        {"name": "2.jpg", "labels": [{"category": "lane", "poly2d": [], "box2d": None}]},
    ],
    "BDD100K or Scalabel, with frames": {
        "config": {"categories": [{"name": "cat"}]},
        "frames": [
            {"name": "2.jpg", "labels": None},
            {
                "name": "1.jpg",
                "labels": [{"box2d": {"x1": 8, "y1": 4, "x2": 40, "y2": 20}, "category": "cat"}],
            },
        ],
    },
    "Detectron2": [
        {"file_name": "1.jpg", "annotations": [{"bbox": [8, 4, 32, 16], "bbox_mode": 1, "category_id": 1}]},
        {"file_name": "2.jpg", "annotations": []},
    ],
    "Detectron2, in lines": (
        '{"file_name": "2.jpg", "image_id": 2, "annotations": []}\n'
        '{"file_name": "1.jpg", "image_id": 1, "annotations": '
        '[{"bbox": [8, 4, 40, 20], "bbox_mode": 0, "category_id": 1}]}\n'
    ),
}


def test_images_far_from_a_folder_of_annotations_are_found_where_one_folder_has_all(tmp_path: Path) -> None:
    photos(tmp_path, "images/100k/train/1.jpg", "images/100k/train/2.jpg", "images/100k/val/3.jpg")
    (tmp_path / "labels").mkdir()
    write(tmp_path / "labels", "image,label\n1.jpg,cat\n2.jpg,dog\n", "list.csv")
    done = tfrec("convert", "labels/list.csv", "out", cwd=tmp_path)
    assert f"they are there with --image-root {tmp_path}/images/100k/train\n" in done.err
    write(tmp_path / "labels", "image,label\n1.jpg,cat\n3.jpg,dog\n", "list.csv")
    assert "--image-root" not in tfrec("convert", "labels/list.csv", "out", cwd=tmp_path).err


def command_in(message: str) -> str:
    return re.split(r"\n|; then: |; --task", message.partition("make a CSV of it: ")[2])[0].strip()


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # as a process of its own, the command ends
@pytest.mark.parametrize("kind", OBJECTS)
def test_a_list_in_json_is_refused_with_the_command_that_makes_a_csv(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    photos(tmp_path, "1.jpg", "2.jpg", "3.jpg")
    text = OBJECTS[kind] if isinstance(OBJECTS[kind], str) else json.dumps(OBJECTS[kind], indent=1)
    write(tmp_path, text, "list.json")
    done = tfrec("convert", "list.json", "out", cwd=tmp_path)
    assert done.code == 2
    assert f"{kind.partition(',')[0]} (JSON), which is not read" in done.err
    _, _, code, name, _, target = shlex.split(command_in(done.err))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["-c", name])
    exec(code, {})
    Path(target).write_text(capsys.readouterr().out)
    done = tfrec("convert", target, "out", "--max-rejects", "1", cwd=tmp_path)
    assert done.code == 0, done
    assert ("3.jpg: the box has no label" in done.err) == (kind == "Visual Genome")  # an object without names
    found = records(tmp_path / "out")
    assert [box for _, box in boxes_of(found["1.jpg"])] == [BOX]
    assert found["1.jpg"]["image/object/class/text"] in ([b"cat"], [b"1"])
    assert boxes_of(found["2.jpg"]) == []


@pytest.mark.parametrize(
    ("files", "source", "images", "labels"),
    [
        (
            {"train/_annotations.txt": "a.jpg 8,4,40,20,3\nb.jpg\n"},
            "train",
            ("train/a.jpg", "train/b.jpg"),
            ["3"],
        ),
        (
            {"labels/a.txt": "cat 0.3 0.3 0.4 0.4\r\n", "labels/b.txt": "", "labels/classes.txt": "cat\n"},
            ".",
            ("images/a.jpg", "images/b.jpg"),
            ["cat"],
        ),
        (
            {"gt_a.txt": "\ufeff8,20,40,20,40,4,8,4,a, b\n", "gt_b.txt": "\n"},
            ".",
            ("a.jpg", "b.jpg"),
            ["text"],
        ),
        (
            {"labelTxt/a.txt": f"gsd:0.1\n{DOTA}", "labelTxt/b.txt": ""},
            "labelTxt/a.txt",
            ("images/a.jpg", "images/b.jpg"),
            ["plane"],
        ),
        (
            {"gt/info.dat": "my pics/a.jpg  1  8 4 32 16 \nb.jpg 0\nc.jpg 2 1 1 5 5   4 4 6 6\n"},
            "gt/info.dat",
            ("gt/my pics/a.jpg", "gt/b.jpg", "gt/c.jpg"),
            ["object"],
        ),
    ],
    ids=[
        "Roboflow's for keras-yolo3",
        "names for classes",
        "ICDAR",
        "DOTA by a file",
        "OpenCV",
    ],
)
def test_files_that_tell_boxes_are_refused_with_the_command_that_makes_a_csv(
    files: Mapping[str, str], source: str, images: tuple[str, ...], labels: list[str], tmp_path: Path
) -> None:
    photos(tmp_path, *images)
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path.parent, text, path.name)
    done = tfrec("convert", source, "out", cwd=tmp_path)
    assert done.code == 2
    command = command_in(done.err)
    assert shell(command, tmp_path).code == 0
    target = tmp_path / shlex.split(command)[-1]
    root = tmp_path / images[0]
    options = {} if target.parent.name in ("gt", root.parent.name) else {"image_root": str(root.parent)}
    convert(target, tmp_path / "out", max_rejects=1, **options)
    found = records(tmp_path / "out")
    (values,) = (values for name, values in found.items() if Path(name).name == Path(images[0]).name)
    assert boxes_of(values) == [(labels[0], BOX)]
    assert manifest(tmp_path / "out")["records"] == len(images)


@pytest.mark.parametrize(
    "text",
    ["a.jpg 0\nb.jpg 0\n", "a.jpg 1 8 4 40 20\n", "a.jpg 2 5\nb.jpg 1\n", "a.jpg 1 7 8 9 9\nb.jpg 1 3\n"],
    ids=["labels", "a class before corners", "several labels", "sets of labels"],
)
def test_numbers_behind_images_are_no_boxes_of_opencv_unless_they_are_as_many_as_said(text: str) -> None:
    need_no_list_of_opencv(text, "list.txt")


OWN_MODES: Mapping[str, Any] = {
    "in objects of Hugging Face": {"objects": [{"bbox": [8, 4, 32, 16], "category": "cat", "bbox_mode": 1}]},
    "beside a label": {"label": "cat", "bbox_mode": 1},
    "in boxes": {"boxes": [{"label": "cat", "xmin": 8, "ymin": 4, "xmax": 40, "ymax": 20, "bbox_mode": 0}]},
}


@pytest.mark.parametrize("line", OWN_MODES.values(), ids=OWN_MODES)
def test_a_mode_of_boxes_alone_makes_no_list_of_detectron2(line: Mapping[str, Any], tmp_path: Path) -> None:
    photos(tmp_path, "1.jpg", "2.jpg")
    lines = [json.dumps({"file_name": name} | dict(line)) + "\n" for name in ("1.jpg", "2.jpg")]
    convert(write(tmp_path, "".join(lines), "list.jsonl"), tmp_path / "out")
    found = records(tmp_path / "out")
    assert len(found) == 2
    for values in found.values():
        assert (
            boxes_of(values) == [("cat", BOX)]
            if "label" not in line
            else values["image/class/text"] == [b"cat"]
        )


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # as above
def test_the_command_for_detectron2_stops_at_an_image_without_its_annotations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos(tmp_path, "1.jpg", "3.jpg")
    write(tmp_path, json.dumps([*OBJECTS["Detectron2"], {"file_name": "3.jpg"}]), "list.json")
    done = tfrec("convert", "list.json", "out", cwd=tmp_path)
    _, _, code, name, _, _ = shlex.split(command_in(done.err))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["-c", name])
    with pytest.raises(KeyError, match="annotations"):
        exec(code, {})


def test_files_without_boxes_before_others_say_nothing(tmp_path: Path) -> None:
    names = [f"images/{i}.png" for i in range(8)]
    for kind, text in (("yolo", "0 0.5 0.5 0.2 0.2\n"), ("dota", DOTA)):
        photos(tmp_path / kind, *names)
        write(tmp_path / kind, "cat\n", "classes.txt")
        for i in range(8):
            write(tmp_path / kind / "labels", text * (i == 7), f"{i}.txt")
    assert convert(tmp_path / "yolo", tmp_path / "out").exit_code == 0
    assert manifest(tmp_path / "out")["records"] == 8
    assert "DOTA" in tfrec("convert", tmp_path / "dota", tmp_path / "other").err


def test_oriented_boxes_are_refused_with_a_list_of_the_rectangles_around_them(tmp_path: Path) -> None:
    photos(tmp_path, *(f"{split}/images/a.png" for split in ("train", "val")))
    for split in ("train", "val"):
        write(tmp_path / split / "labelTxt-v1.0/labelTxt", f"gsd:0.1\n{DOTA}", "a.txt")
    done = tfrec("convert", ".", "out", cwd=tmp_path)
    assert shell(done.err.partition("list of its boxes: ")[2].partition("; then: ")[0], tmp_path).code == 0
    convert(tmp_path / "list.csv", tmp_path / "out")
    found = records(tmp_path / "out")
    assert [boxes_of(values) for values in found.values()] == [[("plane", BOX)]] * 2
    assert {split["records"] for split in manifest(tmp_path / "out")["splits"].values()} == {1}


@pytest.mark.parametrize("head", ["", "imagesource:GoogleEarth\ngsd:0.1\n"])
@pytest.mark.parametrize("source", [".", "labels/a.txt"])
def test_oriented_boxes_are_refused_in_any_folder(head: str, source: str, tmp_path: Path) -> None:
    photos(tmp_path, "images/a.png")
    write(tmp_path / "labels", head + DOTA, "a.txt")
    done = tfrec("convert", source, "out", cwd=tmp_path)
    assert done.code == 2
    assert "DOTA" in done.err


@pytest.mark.parametrize(
    "value",
    [
        [
            {
                "id": 1,
                "regions": [{"region_id": 1, "phrase": "a cat", "x": 1, "y": 2, "width": 3, "height": 4}],
            }
        ],
        [{"image_id": 1, "url": "https://x.org/1.jpg", "coco_id": None, "flickr_id": None}],
    ],
)
def test_other_files_of_visual_genome_are_called_that(value: Any, tmp_path: Path) -> None:
    done = tfrec("convert", write(tmp_path, json.dumps(value), "list.json"), tmp_path / "out")
    assert done.code == 2
    assert "Visual Genome" in done.err
    assert "objects.json" in done.err


def test_text_that_looks_like_such_a_file_only_at_first_does_not_hide_classes(tmp_path: Path) -> None:
    photos(tmp_path, "cat/a.png", "dog/b.png")
    write(tmp_path, "1,1,8,4,32,16\n", "notes.txt")
    assert convert(tmp_path, tmp_path / "out").records == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "ann.json",
            '{"images": [{"id": 1, "file_name": "a.png", "width": 80, "height": 40}], "annotations": '
            '[{"id": 1, "image_id": 1, "category_id": 1, "bbox": [8, 4, 32, 16]}], '
            '"categories": [{"id": 1, "name": "cat"}]}',
        ),
        (
            "rows.jsonl",
            '{"image": "a.png", "boxes": [{"label": "cat", "xmin": 8, "ymin": 4, "xmax": 40, "ymax": 20}]}\n',
        ),
    ],
)
def test_the_list_of_a_flat_folder_is_named_with_its_command(name: str, text: str, tmp_path: Path) -> None:
    photos(tmp_path, "a.png")
    write(tmp_path, "See a.png\n", "README.txt")
    write(tmp_path, text, name)
    done = tfrec("convert", ".", "out", cwd=tmp_path)
    assert done.code == 2
    assert f"is ./{name} the list of these images? tfrec convert ./{name} OUTPUT_DIR" in done.err
    assert convert(tmp_path / name, tmp_path / "out").records == 1


@pytest.mark.parametrize(
    ("files", "sources"),
    [
        ({"info.labels": '{"files": [{"path": "cat.1.png"}, {"path": "dog.1.png"}]}'}, "./info.labels"),
        ({"train/my.ann": "cat.1.png cat\ncat.2.png cat\n", "test/my.ann": "dog.1.png dog\ndog.2.png dog\n"},
         "test=./test/my.ann train=./train/my.ann"),
        ({"few.ann": "cat.1.png cat\n"}, ""),
        ({"notes.about": "cat.1.png was drawn by me\ndog.1.png was drawn by Joe\n"}, ""),
        ({"page.html": "{'cat.1.png', 'cat.2.png', 'dog.1.png', 'dog.2.png'}"}, ""),
        ({"sums.md5": "d41d8cd9 cat.1.png\nd41d8cd9 cat.2.png\nd41d8cd9 dog.1.png\n"}, ""),
        ({"a.bin": "\0'cat.1.png', 'cat.2.png', 'dog.1.png', 'dog.2.png'"}, ""),
    ],
)  # fmt: skip
def test_a_list_of_any_ending_is_asked_about_before_the_begins_of_names(
    files: dict[str, str], sources: str, tmp_path: Path
) -> None:
    folder = next(iter(files)).rpartition("/")[0]
    photos(tmp_path, *(f"{folder}/{name}.{i}.png".lstrip("/") for name in ("cat", "dog") for i in (1, 2)))
    (tmp_path / "test").mkdir(exist_ok=True)
    for name, text in files.items():
        write(tmp_path, text, name)
    done = tfrec("convert", ".", "out", cwd=tmp_path)
    asked = f"the list of these images? tfrec convert {sources} OUTPUT_DIR"
    assert (done.code, asked in done.err, "names begin with" in done.err) == (2, bool(sources), not sources)


@pytest.mark.parametrize(
    "text",
    [
        "a.jpg, 1 0 0 1\nb.jpg, 0 1 0 0\n",
        "a.jpg,0.1 0.2 0.3 0.4\nb.jpg,0.7 0.1 0.1 0.1\n",
        "a.jpg,3 4 5 2\nb.jpg,1 5 4 4\n",
        "Id,Target\na.jpg,25 0 12 3\nb.jpg,25\n",
        "image,bbox\na.jpg,8 4 40 20\n",
        "a.jpg,cat\nb.jpg,16 148 68 282\n",
        "a.jpg,b c d e 20\n",
    ],
)
def test_fields_of_other_numbers_are_no_boxes(text: str) -> None:
    assert not any(kind.sign.match(text) for kind in FIELDS_OF_BOXES)
