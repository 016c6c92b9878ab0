"""Names of images of a list that tell what belongs into one split, and names that tell nothing of that."""

from __future__ import annotations

import json
import re
import shlex
import time
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any, Final

import pytest
from converting import convert_json, jpeg, read_all, shell
from recording import foreign
from test_dataset_layouts import put

from tfrecordcli.sources.names_alike import names_alike

_SIDES: Final = ("left", "right")
# What images are called by their number, and the group of the first and of the last of 24.
GROUPS: Final[dict[str, tuple[Callable[[int], str], str, str]]] = {
    "eyes": (lambda n: f"{n // 2}_{_SIDES[n % 2]}.jpeg", "0", "11"),
    "eyes without an extension": (lambda n: f"{n // 2}_{_SIDES[n % 2]}", "0", "11"),
    "eyes in folders": (lambda n: f"{n % 3}/{n // 2}-{'OD' if n % 2 else 'OS'}.png", "0", "11"),
    "glued": (lambda n: f"P{n // 2:03}{'LR'[n % 2]}.jpg", "P000", "P011"),
    "sides and views": (
        lambda n: f"P_{n // 4:05}_{('LEFT', 'RIGHT')[n % 2]}_{('CC', 'MLO')[n // 2 % 2]}.png",
        "P_00000",
        "P_00005",
    ),
    "words": (lambda n: f"{'abcdefgh'[n // 3]}x-{('front', 'back', 'side')[n % 3]}.jpg", "ax", "hx"),
    "frames": (lambda n: f"mov_{n // 6:03}_{n * 11 + 7:06}.jpeg", "mov_000", "mov_003"),
    "frames of clips": (
        lambda n: f"v_Yo_g{n // 6:02}_c{n // 3 % 2:02}_{n % 3:04}.jpg",
        "v_Yo_g00",
        "v_Yo_g03",
    ),
    "one folder a film": (lambda n: f"f{n // 12}/x{n // 4 % 3}_{n % 4}.jpg", "f0/x0", "f1/x2"),
    "studies of patients": (
        lambda n: f"x/train/patient{n // 3:05}/study{n % 2}/view{n % 3}_frontal.jpg",
        "x/train/patient00000",
        "x/train/patient00007",
    ),
    "frames in folders called so": (lambda n: f"m{n // 6}/m{n // 6}_{n:05}.jpg", "m0", "m3"),
    "frames in folders": (lambda n: f"video_{n // 6}/{n:05}.jpg", "video_0", "video_3"),
    "camera traps": (lambda n: f"cam{n // 6:02}/IMG_{n % 6:04}.JPG", "cam00", "cam03"),
    "frames of few videos": (lambda n: f"video{n // 6}_frame{n:04}.jpg", "video0", "video3"),
    "sides of few patients": (lambda n: f"{n // 8}_{_SIDES[n % 2]}_{n}.jpg", "0", "2"),
    "bursts": (
        lambda n: f"IMG_20200101_1200{n // 3:02}_{n % 3}.jpg",
        "IMG_20200101_120000",
        "IMG_20200101_120007",
    ),
}


@pytest.mark.parametrize(("name", "first", "last"), GROUPS.values(), ids=GROUPS)
def test_names_tell_groups(name: Callable[[int], str], first: str, last: str) -> None:
    names = [*map(name, range(24))]
    found = names_alike({each: ["ab"[n % 5 > 2]] for n, each in enumerate(names)})
    assert found is not None
    groups = [re.sub(found.pattern, "", each) for each in names]
    assert names_alike({**{each: ["a"] for each in names}, "front.jpg": ["a"]}) is not None
    assert (groups[0], groups[-1]) == (first, last)


# What images are called by their number, and their label.
OTHERS: Final[dict[str, tuple[Callable[[int], str], Callable[[int], str]]]] = {
    "running numbers": (lambda n: f"img_{n:04}.jpg", lambda n: "ab"[n % 2]),
    "classes": (lambda n: f"{('cat', 'dog', 'cow')[n % 3]}_{n}.jpg", lambda n: "ab"[n % 2]),
    "ids of classes": (lambda n: f"n0{n % 4}_{n}.jpg", lambda n: f"class {n % 4}"),
    "classes behind": (lambda n: f"{n // 3}_{('cat', 'dog', 'cow')[n % 3]}.jpg", lambda n: "abc"[n % 3]),
    "classes and sides": (
        lambda n: f"{'abcd'[n // 6]}x_{'lr'[n % 2]}{n // 2 % 3}.jpg",
        lambda n: "abcd"[n // 6],
    ),
    "hashes": (lambda n: f"{n * 7919 % 65536:04x}{n * 104729:08x}.jpg", lambda n: "ab"[n % 2]),
    "hashes in parts": (lambda n: f"{n % 9:04x}-{n * 104729:08x}.jpg", lambda n: "ab"[n % 2]),
    "times": (lambda n: f"IMG_2020010{n % 5 + 1}_12{n:02}{n:02}.jpg", lambda n: "ab"[n % 2]),
    "times in parts": (lambda n: f"2020-01-0{n % 5 + 1}_12-{n:02}-{n:02}.jpg", lambda n: "ab"[n % 2]),
    "days": (lambda n: f"IMG-2020010{n % 5 + 1}-WA{n:04}.jpg", lambda n: "ab"[n % 2]),
    "years": (lambda n: f"200{n % 5 + 1}_{n:06}.jpg", lambda n: "ab"[n % 2]),
    "parts": (lambda n: f"batch{n // 6}_{n:04}.jpg", lambda n: "ab"[n % 2]),
    "faces": (lambda n: f"{20 + n // 4}_1_2_201701{n:011}.jpg", lambda n: "ab"[n % 2]),
    "places": (lambda n: f"{40 + n // 6}.71_-{n}.25.jpg", lambda n: "ab"[n % 2]),
    "ids of folders": (lambda n: f"{'abcd'[n // 6]} pose/{n // 6}_{n}.jpg", lambda n: "ab"[n // 12]),
    "persons in folders": (lambda n: f"person{n // 6}/{n}.jpg", lambda n: f"{n // 6}"),
    "folders": (lambda n: f"{n // 6:03}/{n:06}.jpg", lambda n: "ab"[n % 2]),
    "one part": (lambda n: f"COCO_train2014_{n:012}.jpg", lambda n: "ab"[n % 2]),
    "levels": (lambda n: f"level{n % 4}_{n:04}.jpg", lambda n: "ab"[n % 2]),
    "digits": (lambda n: f"digit_{n % 8}_{n:04}.jpg", lambda n: "ab"[n % 2]),
    "sizes": (lambda n: f"{(224, 256, 512)[n % 3]}_{n // 3:04}.jpg", lambda n: "ab"[n % 2]),
    "versions": (lambda n: f"v{n % 3}_img_{n:04}.jpg", lambda n: "ab"[n % 2]),
    "two movies": (lambda n: f"mov_{n // 12:03}_{n:06}.jpg", lambda n: "ab"[n % 2]),
    "nearly all one movie": (lambda n: f"mov_{max(n - 16, 0) // 2:03}_{n:06}.jpg", lambda n: "ab"[n % 2]),
    "uploads": (lambda n: f"photo ({n}).jpg", lambda n: "ab"[n % 2]),
    "numbers": (lambda n: f"{n:05}.jpg", lambda n: "ab"[n % 2]),
}


@pytest.mark.parametrize(("name", "label"), OTHERS.values(), ids=OTHERS)
def test_names_that_tell_no_groups(name: Callable[[int], str], label: Callable[[int], str]) -> None:
    assert names_alike({name(n): [label(n)] for n in range(24)}) is None


def test_numbers_that_many_images_begin_with_are_no_groups() -> None:
    """As of cameras, whose folders have 100 and more; a few images with one are a burst, or of a thing."""
    many, few = ({f"{n // each:03}_{n:05}.jpg": ["ab"[n % 2]] for n in range(400)} for each in (50, 25))
    assert names_alike(many) is None
    assert names_alike(few) is not None


def test_long_names_take_no_long_time() -> None:
    begun = time.process_time()
    assert names_alike({f"{'-' * 20_000}/{n}.jpg": ["ab"[n % 2]] for n in range(10)}) is None
    assert time.process_time() - begun < 5


_NAMES: Final = [f"{n // 2}_{_SIDES[n % 2]}" for n in range(24)]
_LEVELS: Final = ["ab"[n % 5 > 2] for n in range(24)]


def _lists(folder: Path) -> dict[str, str]:
    """The same images in lists of several forms."""
    boxes = [{"id": n, "image_id": n, "category_id": 1, "bbox": [1, 2, 9, 8]} for n in range(24)]
    images = [{"id": n, "file_name": f"in/{name}.jpg"} for n, name in enumerate(_NAMES)]
    lines = [
        json.dumps({"path": f"in/{each}.jpg", "label": level})
        for each, level in zip(_NAMES, _LEVELS, strict=True)
    ]
    coco = {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "cat"}]}
    rows = (f"{each},{level}\n" for each, level in zip(_NAMES, _LEVELS, strict=True))
    corners = (f"in/{each}.jpg,cat,{n},2,9,8\n" for each in _NAMES for n in (1, 3))
    return {
        "list.csv": "".join(["image,label\n", *rows]),
        "bare.csv": "".join(f"in/{each}.jpg,{level}\n" for each, level in zip(_NAMES, _LEVELS, strict=True)),
        "bare.tsv": "".join(
            f"\tin/{each}.jpg\t{level}\n" for each, level in zip(_NAMES, _LEVELS, strict=True)
        ),
        "boxes.csv": "".join(["image,label,xmin,ymin,xmax,ymax\n", *corners]),
        "lines.jsonl": "".join(f"{line}\n" for line in lines),
        "array.json": f"[{', '.join(lines)}]",
        "coco.json": json.dumps(coco),
    }


@pytest.mark.parametrize("source", _lists(Path()))
def test_the_command_of_the_warning_keeps_groups_in_one_split(source: str, tmp_path: Path, tf: Any) -> None:
    put(tmp_path, {f"in/{name}.jpg": jpeg(n) for n, name in enumerate(_NAMES)})
    (tmp_path / source).write_text(_lists(tmp_path)[source], encoding="utf-8")
    options = ("--image-root", "in") if source == "list.csv" else ()
    done = convert_json(source, "out", *options, "--dry-run", cwd=tmp_path)
    (told,) = (each for each in done["warnings"] if "begin alike" in each)
    assert "0_left.jpg and " in told
    command, _, by = told[told.index(": python ") + 2 :].partition(", and convert that with ")
    assert shell(command, tmp_path).code == 0
    made = source.replace(".", "-groups.").replace(".tsv", ".csv")
    done = convert_json(made, "out", *options, *by.split(), "--splits", "train=1,test=1", cwd=tmp_path)
    assert not any("begin alike" in each for each in done["warnings"])
    assert done["records"] == 24
    begins = [
        {PurePath(record.filename).name.partition("_")[0] for record in records}
        for records in read_all(tf, tmp_path / "out").values()
    ]
    assert len(begins) == 2
    assert begins[0].isdisjoint(begins[1])


def _groups_made(folder: Path, source: str, *options: str) -> tuple[Path, list[str]]:
    """The list that the command of the warning makes, and the options that it is converted with then."""
    done = convert_json(source, "out", *options, "--dry-run", cwd=folder)
    (told,) = (each for each in done["warnings"] if "begin alike" in each)
    command, _, then = told[told.index(": python ") + 2 :].partition(", and convert that with ")
    run = shell(command, folder)
    assert run.code == 0, run.err
    (made,) = folder.glob("*-groups.*")
    return made, shlex.split(then)


_ROWS: Final = [*zip(_NAMES, _LEVELS, strict=True)]
_GROUP_IS_LABEL: Final[dict[str, str]] = {
    "list.csv": "image,Group\n" + "".join(f"in/{name}.jpg,{level}\n" for name, level in _ROWS),
    "list.jsonl": "".join(
        json.dumps({"path": f"in/{name}.jpg", "group": level}) + "\n" for name, level in _ROWS
    ),
    "list.json": json.dumps([{"path": f"in/{name}.jpg", "group": level} for name, level in _ROWS]),
}


@pytest.mark.parametrize("source", _GROUP_IS_LABEL)
def test_a_column_that_is_called_group_stays(source: str, tmp_path: Path) -> None:
    put(tmp_path, {f"in/{name}.jpg": jpeg(n) for n, name in enumerate(_NAMES)})
    (tmp_path / source).write_text(_GROUP_IS_LABEL[source], encoding="utf-8")
    of_label = ("--columns", "label=Group" if source == "list.csv" else "label=group")
    made, by = _groups_made(tmp_path, source, *of_label)
    assert by == ["--split-by", "group_2"]
    done = convert_json(made.name, "out", *of_label, *by, cwd=tmp_path)
    assert done["records"] == 24
    labels = (tmp_path / "out/labels.txt").read_text(encoding="utf-8").split()
    assert labels == ["a", "b"]


def test_lines_without_an_image_stay_as_they_are(tmp_path: Path) -> None:
    lines = [{"path": f"in/{name}.jpg", "label": level} for name, level in _ROWS]
    lines[10] = {"label": "a"}
    lines[12] = {"path": None, "label": "a"}
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "list.jsonl").write_text(text, encoding="utf-8")
    made, _ = _groups_made(tmp_path, "list.jsonl")
    found = [json.loads(line) for line in made.read_text(encoding="utf-8").splitlines()]
    assert [{key: each[key] for key in each if key != "group"} for each in found] == lines
    assert [n for n, each in enumerate(found) if "group" not in each] == [10, 12]


def test_the_key_of_paths_is_the_one_with_all_of_them(tmp_path: Path) -> None:
    """Not one with the first path in each, nor one with that of the image before."""
    paths = [f"in/{name}.jpg" for name in _NAMES]
    befores = ["", *paths]
    lines = (
        json.dumps({"reference": paths[0], "before": before, "path": path, "label": level}) + "\n"
        for path, before, level in zip(paths, befores, _LEVELS, strict=False)
    )
    (tmp_path / "list.jsonl").write_text("".join(lines), encoding="utf-8")
    made, _ = _groups_made(tmp_path, "list.jsonl", "--columns", "image_uri=path")
    groups = [json.loads(line)["group"] for line in made.read_text(encoding="utf-8").splitlines()]
    assert groups == [name.partition("_")[0] for name in _NAMES]


def test_paths_within_objects_get_no_command(tmp_path: Path) -> None:
    lines = (json.dumps({"image": {"path": f"in/{name}.jpg"}, "label": level}) for name, level in _ROWS)
    (tmp_path / "list.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = convert_json("list.jsonl", "out", "--columns", "image_uri=image.path", "--dry-run", cwd=tmp_path)
    (told,) = (each for each in done["warnings"] if "begin alike" in each)
    assert told.endswith("a list with a column of these and --split-by group prevents that")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
@pytest.mark.parametrize("source", ["list.csv", "list.jsonl"])
def test_lists_of_another_encoding_are_read_in_it(source: str, encoding: str, tmp_path: Path) -> None:
    put(tmp_path, {f"in/{name}.jpg": jpeg(n) for n, name in enumerate(_NAMES)})
    rows = [(f"in/{name}.jpg", "chaîne" if level == "a" else "vélo") for name, level in _ROWS]
    texts = {
        "list.csv": "image,label\n" + "".join(f"{path},{label}\n" for path, label in rows),
        "list.jsonl": "".join(f'{{"path": "{path}", "label": "{label}"}}\n' for path, label in rows),
    }
    (tmp_path / source).write_text(texts[source], encoding=encoding)
    made, by = _groups_made(tmp_path, source, "--encoding", encoding)
    assert by == ["--split-by", "group", "and", "without", "--encoding"]
    assert convert_json(made.name, "out", *by[:2], cwd=tmp_path)["records"] == 24
    assert (tmp_path / "out/labels.txt").read_text(encoding="utf-8").split() == ["chaîne", "vélo"]


@pytest.mark.parametrize("header", ["image , label", "image, label ", '"image ",label', "image,label"])
def test_blanks_behind_names_of_columns_are_none_of_theirs(header: str, tmp_path: Path) -> None:
    put(tmp_path, {f"in/{name}.jpg": jpeg(n) for n, name in enumerate(_NAMES)})
    rows = (f"in/{name}.jpg , {level} \n" for name, level in _ROWS)
    (tmp_path / "list.csv").write_text(f"\n{header}\n{''.join(rows)}", encoding="utf-8")
    made, by = _groups_made(tmp_path, "list.csv")
    first = made.read_text(encoding="utf-8").splitlines()[1].split(",")
    assert [*map(str.strip, first)] == ["in/0_left.jpg", "a", "0"]
    assert convert_json(made.name, "out", *by, cwd=tmp_path)["records"] == 24


@pytest.mark.parametrize("name", ["{0}/{1:05}_{2:05}.png", "{0}/{3}_{4}.png"], ids=["tracks", "eyes"])
def test_the_command_for_a_folder_keeps_groups_in_one_split(name: str, tmp_path: Path) -> None:
    names = [
        name.format(n // 12, n // 3 % 4, n % 3, n // 2, _SIDES[n % 2])  # tracks are numbered in each class
        for n in range(36)
    ]
    put(tmp_path, {f"in/{each}": jpeg(n) for n, each in enumerate(names)})
    (told,) = (
        each for each in convert_json("in", "out", "--dry-run", cwd=tmp_path)["remarks"] if "alike" in each
    )
    command, _, then = told[told.index(": python ") + 2 :].partition(", then ")
    assert shell(command, tmp_path).code == 0
    rows = (tmp_path / "in/list.csv").read_text().splitlines()[1:]
    assert len({row.rpartition(",")[2] for row in rows}) == (12 if "05" in name else 18)
    assert not any(
        "alike" in each for each in convert_json("in", "out", "--dry-run", cwd=tmp_path)["warnings"]
    )
    assert shell(f"{then} --json", tmp_path).json["records"] == 36


def test_frames_of_a_folder_of_voc_are_warned_of(tmp_path: Path) -> None:
    files = {}
    for n in range(24):
        name = f"mov_{n // 6:03}_{n * 11 + 7:06}"
        box = "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>8</ymax></bndbox>"
        told = f"<filename>{name}.jpg</filename><object><name>head</name>{box}</object>"
        files[f"in/JPEGImages/{name}.jpg"] = jpeg(n)
        files[f"in/Annotations/{name}.xml"] = f"<annotation>{told}</annotation>".encode()
    put(tmp_path, files)
    done = convert_json("in", "out", "--dry-run", cwd=tmp_path)
    (told,) = (each for each in done["warnings"] if "begin alike" in each)
    assert told.endswith("a list with a column of these and --split-by group prevents that")


def test_frames_that_roboflow_renamed_are_those_of_their_videos(tmp_path: Path) -> None:
    names = [f"ride{n // 6}_mp4-{n % 6}_jpg.rf.{n * 7919:032x}.jpg" for n in range(24)]
    put(tmp_path, {name: jpeg(n) for n, name in enumerate(names)})
    rows = (f"{name},{level}\n" for name, level in zip(names, _LEVELS, strict=True))
    (tmp_path / "list.csv").write_text(f"image,label\n{''.join(rows)}", encoding="utf-8")
    told = convert_json("list.csv", "out", "--dry-run", cwd=tmp_path)
    (warning,) = (each for each in told["warnings"] if "whose names begin alike" in each)
    written = warning.partition("write the beginnings of their names into a column: ")[2]
    command = written.partition(", and convert that with ")[0]
    assert shell(command, tmp_path).code == 0
    made = (tmp_path / "list-groups.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert {row.rpartition(",")[2] for row in made} == {f"ride{n}" for n in range(4)}


@pytest.mark.parametrize("is_by_file", [True, False])
def test_frames_in_tfrecords_are_told_of(*, is_by_file: bool, tmp_path: Path) -> None:
    """A file for each drive, as Waymo has them, or drives in shards by turns."""
    files: dict[str, list[dict[str, Any]]] = {}
    for n in range(24):
        record = {
            "image/encoded": [jpeg(n)],
            "image/class/label": [n % 2],
            "image/filename": [f"drive-{n // 6}_of_day_{n % 6}.tfrecord".encode()],
        }
        name = f"drive-{n // 6}_of_day" if is_by_file else f"data-{n % 2:05}-of-00002"
        files.setdefault(name, []).append(record)
    for name, records in files.items():
        foreign(tmp_path / f"in/{name}.tfrecord", *records)
    told = convert_json("in", "out", "--dry-run", cwd=tmp_path)
    (warning,) = (each for each in told["warnings"] if "whose names begin alike" in each)
    assert ("put the files into folders called train and validation" in warning) == is_by_file
    if is_by_file:
        words = shlex.split(warning.partition("as in ")[2].partition(" … ")[0])
        done = convert_json(*words[2:], "out", cwd=tmp_path)
        assert {name: split["records"] for name, split in done["splits"].items()} == {
            "train": 6,
            "validation": 6,
        }
