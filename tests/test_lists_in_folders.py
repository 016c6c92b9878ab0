"""Lists of images in folders: which are proposed, with which splits, copies, and points in YOLO's texts."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from converting import convert_json, manifest, shell, tfrec
from test_dataset_layouts import make

from tfrecordcli.sources.proposals.missing_images import missing_hint

LABELLED = b"file,label\n%s.jpg,cat\n%s.jpg,dog\n"
TRAIN, TEST, ALONE = LABELLED % (b"1", b"2"), LABELLED % (b"3", b"4"), b"file\n3.jpg\n4.jpg\n"
TWO = "test=in/test/test.csv train=in/train/train.csv"
LISTS: dict[str, tuple[dict[str, bytes], str]] = {
    "of its split in each": ({"train/train.csv": TRAIN, "test/test.csv": TEST}, f"{TWO} OUTPUT_DIR"),
    "and others beside": (
        {"train/train.csv": TRAIN, "test/test.csv": TEST, "train/train_flat.csv": b"7,8\n"},
        f"{TWO} OUTPUT_DIR",
    ),
    "without labels in one": (
        {"train/train.csv": TRAIN, "test/test.csv": ALONE},
        "in/train/train.csv OUTPUT_DIR",
    ),
    "of two splits in one": (
        {"train/train.csv": TRAIN, "train/test.csv": TEST},
        f"{TWO.replace('/test/', '/train/')} OUTPUT_DIR --image-root test=in/test",
    ),
    "of other splits than their folders": (
        {"train/val.csv": TRAIN, "test/train.csv": TEST},
        "in/test/train.csv OUTPUT_DIR",
    ),
    "of all, beside those of splits": (
        {"labels.csv": TRAIN, "train_labels.csv": TRAIN, "test_labels.csv": TEST},
        "in/labels.csv OUTPUT_DIR --image-root in/train, or by splits tfrec convert test=in/test_labels.csv "
        "train=in/train_labels.csv OUTPUT_DIR --image-root test=in/test --image-root train=in/train",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("lists", "proposed"), LISTS.values(), ids=LISTS)
def test_lists_in_folders_of_splits_are_proposed_together(
    lists: dict[str, bytes], proposed: str, tmp_path: Path
) -> None:
    images = ("train/1.jpg", "train/2.jpg", "test/3.jpg", "test/4.jpg")
    make(tmp_path / "in", *images, **lists)
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert f"tfrec convert {proposed}; --unlabelled" in hint
    if "=" in proposed:
        words = proposed.rpartition("tfrec convert ")[2].replace("OUTPUT_DIR", "out").split()
        done = convert_json(*words, cwd=tmp_path)
        assert {split: counts["records"] for split, counts in done["splits"].items()} == {
            "train": 2,
            "test": 2,
        }


def _coco(*numbers: int) -> bytes:
    images = [{"id": number, "file_name": f"{number}.jpg", "width": 24, "height": 16} for number in numbers]
    boxes = [{"id": i, "image_id": i, "category_id": 1, "bbox": [1, 2, 3, 4]} for i in numbers]
    return json.dumps(
        {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "cat"}]}
    ).encode()


VOTT = b'"image","xmin","ymin","xmax","ymax","label"\n"%d.jpg",1,2,4,6,"cat"\n'
AUTO_ML = b"%s,%d.jpg,cat,0.1,0.1,,,0.5,0.5,,\n"
# What is given, the folders of images 1 and 2 in it, lists in it, and records by split.
APART: dict[str, tuple[str, list[str], dict[str, bytes]]] = {
    "of Google beside their only folder": (
        "in",
        ["photos"],
        {"use.csv": AUTO_ML % (b"TEST", 1) + AUTO_ML % (b"TRAIN", 2)},
    ),
    "of splits in each of several folders": (
        "in/",
        ["one", "two"],
        {"one/test-out.csv": VOTT % 1, "one/train-out.csv": VOTT % 2, "two/test-out.csv": VOTT % 1},
    ),
    "of splits in COCO without images": (
        "in/files/",
        ["my photos"],
        {"files/train_boxes.json": _coco(2), "files/test_boxes.json": _coco(1)},
    ),
    "of splits beside one of all without images": (
        "in/files",
        ["photos"],
        {"files/a_l.csv": VOTT % 1, "files/train_l.csv": VOTT % 2, "files/test_l.csv": VOTT % 1},
    ),
}


@pytest.mark.parametrize(("source", "folders", "lists"), APART.values(), ids=APART)
def test_the_command_for_lists_says_where_their_images_are(
    source: str, folders: list[str], lists: dict[str, bytes], tmp_path: Path
) -> None:
    make(tmp_path / "in", *(f"{folder}/{number}.jpg" for folder in folders for number in (1, 2)), **lists)
    hint = convert_json(source, "out", cwd=tmp_path)["error"]["hint"]
    assert "//" not in hint
    commands = re.findall("tfrec convert .*? OUTPUT_DIR(?: --image-root (?:'[^']*'|[^ ,;]+))?", hint)
    words = shlex.split(commands["by splits" in hint].replace("OUTPUT_DIR", "out"))
    assert len(commands) == 1 + ("two" in folders or "by splits" in hint)
    done = convert_json(*words[2:], cwd=tmp_path)
    assert {split: counts["records"] for split, counts in done["splits"].items()} == {"train": 1, "test": 1}
    assert done["boxes"]["stored"] == 2


def test_json_of_each_image_without_images_is_no_list(tmp_path: Path) -> None:
    make(tmp_path / "in", **{f"{number}.json": b'{"imagePath": "%d.jpg"}' % number for number in (1, 2)})
    assert convert_json("in", "out", cwd=tmp_path)["error"]["hint"].endswith("is it the right folder?")


@pytest.mark.parametrize("above", ["", "training/"])
def test_lists_called_after_their_folders_are_proposed_together(above: str, tmp_path: Path) -> None:
    names = [f"{above}A{folder}/plant{number}.jpg" for folder in (1, 2) for number in range(3)]
    lists = {
        f"{above}A{folder}/A{folder}.csv": "".join(f"plant{n}.jpg, {folder + n}\n" for n in range(3)).encode()
        for folder in (1, 2)
    }
    make(tmp_path / "in", *names, **lists)
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert f"tfrec convert in/{above}A1/A1.csv in/{above}A2/A2.csv OUTPUT_DIR, or move it away" in hint


def test_json_lines_of_splits_are_proposed_together_but_for_those_without_labels(tmp_path: Path) -> None:
    names = [f"img/{i}.png" for i in range(9)]
    make(tmp_path / "in", *names)
    for split, (begin, end) in {"train": (0, 4), "dev": (4, 7), "test": (7, 9)}.items():
        label = {} if split == "test" else {"label": 1}
        lines = (json.dumps({"id": i, "img": names[i], **label}) for i in range(begin, end))
        (tmp_path / f"in/{split}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    told = "is in/train.jsonl the list of these images? tfrec convert "
    sources = hint.partition(told)[2].partition(" OUTPUT_DIR")[0].split()
    assert sorted(sources) == ["train=in/train.jsonl", "validation=in/dev.jsonl"]
    done = convert_json(*sources, "out", "--columns", "image_uri=img", "--dry-run", cwd=tmp_path)
    assert {name: each["records"] for name, each in done["splits"].items()} == {"train": 4, "validation": 3}


def _rows(*fields: str, header: str = "image,label", ending: str = ".jpg") -> bytes:
    return "\n".join([header, *(f"{each[:1]}{ending},{each[1:]}" for each in fields), ""]).encode()


OLD, NEW = _rows("1a", "2b", "3a", "4b"), _rows("1b", "2b", "3a", "4b", "5a")
# lists, and the files that are proposed by each command
ALIKE: dict[str, tuple[dict[str, bytes], list[str]]] = {
    "corrected": ({"l.csv": OLD, "l_corrected.csv": NEW}, ["in/l.csv", "in/l_corrected.csv"]),
    "the same again": ({"l.csv": OLD, "l (1).csv": OLD}, ["'in/l (1).csv'"]),
    "of other columns": ({"l.csv": OLD, "m.csv": _rows("1a", header="image,sex")}, ["in/l.csv"]),
    "in parts": ({"l1.csv": _rows("1a", "2b"), "l2.csv": _rows("3a", "4b")}, ["in/l1.csv in/l2.csv"]),
}


@pytest.mark.parametrize("name", ALIKE)
def test_of_lists_alike_none_is_proposed_alone(name: str, tmp_path: Path) -> None:
    lists, proposed = ALIKE[name]
    make(tmp_path / "in", *(f"images/{number}.jpg" for number in range(1, 6)), **lists)
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert re.findall("tfrec convert (.*?) OUTPUT_DIR", hint) == proposed
    assert ("in/l.csv names 4 images (1 with other values than in l_corrected.csv)" in hint) == (
        len(proposed) > 1
    )


@pytest.mark.parametrize("count", [3, 21])
def test_lists_of_one_name_in_many_folders_are_converted_together(count: int, tmp_path: Path) -> None:
    places = [f"s {number}/day" for number in range(count)]
    images = [f"{place}/frames/{number:03}.jpg" for place in places for number in (1, 2)]
    lists = {f"{place}/labels.csv": _rows("1a", "2b", header="frame;state", ending="") for place in places}
    lists = {name: text.replace(b",", b";") for name, text in lists.items()}
    make(tmp_path / "in", *images, **lists)
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    command = re.search("tfrec convert .*? OUTPUT_DIR", hint)[0].replace("OUTPUT_DIR", "out")
    assert ("in/*/*/labels.csv" in command) == (count > 20)
    columns = "--columns image_uri=frame,label=state"
    assert "image_uri=frame,label=" in shell(command, tmp_path).err
    if count == 3:
        told = shell(f"{command} {columns}", tmp_path).err.partition("frames/001.jpg: ")[2]
        run, _, then = told.partition("; then: ")
        assert shell(run, tmp_path).code == 0
        done = shell(then.replace("OUTPUT_DIR", "out --json"), tmp_path).json
        assert (done["records"], [*manifest(tmp_path / "out")["labels"]]) == (6, ["a", "b"])


def test_lists_of_one_name_beside_their_images_are_named_together(tmp_path: Path) -> None:
    lists = {f"{folder}/l.csv": _rows("1a", "2b") for folder in "AB"}
    make(tmp_path / "in", "A/1.jpg", "A/2.jpg", "B/1.jpg", "B/2.jpg", **lists)
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    assert "tfrec convert in/A/l.csv in/B/l.csv OUTPUT_DIR" in hint


def test_a_folder_that_is_named_in_two_ways_is_counted_once(tmp_path: Path) -> None:
    text = b"image,label\n.\\1.jpg,a\n2.jpg,b\n./3.jpg,a\n"
    make(tmp_path / "in", "1.jpg", "2.jpg", "3.jpg", "4.jpg", **{"l.csv": text})
    done = tfrec("convert", "in/l.csv", "out", "--dry-run", cwd=tmp_path)
    assert "/in holds 4 images, and the list names 3: " in done.err


@pytest.mark.parametrize("count", [4, 5])
def test_images_that_a_list_of_labels_leaves_out_are_counted(count: int, tmp_path: Path) -> None:
    make(tmp_path / "in", *(f"{number}.jpg" for number in range(1, count + 1)), **{"l.csv": OLD})
    done = tfrec("convert", "in/l.csv", "out", "--dry-run", cwd=tmp_path)
    assert ("holds 5 images, and the list names 4: the others are in no record\n" in done.err) == (count > 4)


@pytest.mark.parametrize("folder", ["{}/img", "images/{}"])
def test_images_of_lists_of_splits_that_are_elsewhere_have_one_command(folder: str, tmp_path: Path) -> None:
    splits = {"1.jpg": "train", "2.jpg": "train", "3.jpg": "test", "4.jpg": "test"}
    images = [f"{folder.format(splits[name])}/{name}" for name in splits]
    make(tmp_path / "in", *images, **{"train/train.csv": TRAIN, "test/test.csv": TEST})
    assert f"tfrec convert {TWO} OUTPUT_DIR" in convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    run = tfrec("convert", *TWO.split(), "out", cwd=tmp_path)
    told = run.err.splitlines()[0].partition("for all, with the same other options: ")[2]
    words = shlex.split(told.replace("OUTPUT_DIR", "out"))
    assert convert_json(*words[2:], cwd=tmp_path)["records"] == 4


def test_a_list_of_the_images_of_one_is_said_beside_all(tmp_path: Path) -> None:
    lists = {"labels.csv": b"file,label\ncat/1.jpg,a\n", "train_labels.csv": b"file,label\ncat/1.jpg,a\n"}
    make(tmp_path / "in", "cat/1.jpg", **lists, **{"test_labels.csv": b"file,label\ncat/2.jpg,b\n"})
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    splits = "tfrec convert test=in/test_labels.csv train=in/train_labels.csv OUTPUT_DIR"
    assert hint.startswith(f"tfrec convert in/labels.csv OUTPUT_DIR, or by splits {splits}, or move it away")


def test_all_lists_of_the_only_folder_are_named_that_of_training_first(tmp_path: Path) -> None:
    told = (
        b'{"images": [{"file_name": "1.jpg", "id": 1}, {"file_name": "2.jpg", "id": 2}], "annotations": []}'
    )
    names = ("a_test.json", "a_val.json", "b_test.json", "train.json")
    make(tmp_path / "in", "cat/1.jpg", "cat/2.jpg", **{f"files/{name}": told for name in names})
    error = convert_json("in", "out", cwd=tmp_path)["error"]
    shown = "files/train.json, files/a_test.json, files/a_val.json, files/b_test.json"
    assert f"described by lists ({shown})" in error["message"]
    command = "tfrec convert in/files/train.json OUTPUT_DIR --image-root in/cat"
    assert error["hint"].startswith(f"{command} reads it, or tells how")


def test_lists_beside_xml_are_said_to_be_passed_over(tmp_path: Path) -> None:
    xml = b"<annotation><filename>1.jpg</filename></annotation>"
    lists = {"notes.csv": b"day,kg\n1,2\n", "boxes.csv": b"images/1.jpg,1,2,9,9,left\n"}
    make(tmp_path / "in", "images/1.jpg", **{"images/1.xml": xml}, **lists)
    done = convert_json("in", "out", "--unlabelled", "keep", cwd=tmp_path)
    (said,) = (note for note in done["remarks"] if "lists that name images" in note)
    assert "tfrec convert in/boxes.csv OUTPUT_DIR reads these" in said


DIGEST = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    "copy",
    ["cat/{}_augment1.jpg", "dog/aug_0_{}.jpg", "flipped-{}.jpg", f"{{}}.rf.{DIGEST}.jpg", "cat/{}-Flip.jpg"],
)
def test_copies_in_class_folders_are_kept_together_by_what_is_told(copy: str, tmp_path: Path) -> None:
    folder = copy.rpartition("/")[0] or "cat"
    copies = [f"{folder}/{copy.rpartition('/')[2].format(i)}" for i in range(12)]
    make(tmp_path / "in", *(f"{folder}/{i}.jpg" for i in range(12)), "emu/x.jpg", *copies)
    run = tfrec("convert", "in", "plain", cwd=tmp_path)
    told = next(line for line in run.err.splitlines() if "copies made of them" in line)
    assert "12 images" in told
    first, _, second = told.partition("is made of: ")[2].partition(", then ")
    shell(first, tmp_path)
    words = shlex.split(second.replace("OUTPUT_DIR", "out"))
    done = convert_json(*words[2:], "--splits", "train=1,test=1", cwd=tmp_path)
    assert (done["records"], done["num_labels"]) == (25, 2), done
    odd = [split for split, counts in done["splits"].items() if counts["records"] % 2]
    assert len(odd) == 1  # that of the emu, as all others are two


@pytest.mark.parametrize(
    "names",
    [
        ["cat/1.jpg", "cat/2_aug.jpg", "dog/1.jpg", "dog/2.jpg"],
        ["cat/aug.jpg", "cat/august_1.jpg", "dog/1.jpg", "dog/2.jpg"],
        ["cat/1.jpg", "cat/1_aug.jpg", "dog/1.jpg", "dog/2.jpg"],
        ["train/cat/1.jpg", "train/cat/1_aug.jpg", "train/cat/2.jpg", "train/cat/2_aug.jpg"],
        [f"{folder}/{folder}_{i}.jpg" for folder in ("back-flip", "front-flip") for i in range(5)],
        [f"{folder}/2020-Aug-0{i}.jpg" for folder in ("cat", "dog") for i in range(5)],
        [f"flip/{name}{i}.jpg" for name in ("flip_", "") for i in range(5)],
    ],
    ids=["of none", "other words", "of one image", "in one split", "classes", "days", "a class and others"],
)
def test_names_that_tell_of_no_copies_in_several_splits(names: list[str], tmp_path: Path) -> None:
    make(tmp_path / "in", *names)
    assert "copies made" not in tfrec("convert", "in", "out", "--dry-run", cwd=tmp_path).err


SHAPE = b"path: in\ntrain: images\nkpt_shape: [%d, %d]\nnames: {0: cat}\n"
FLAT = b"0 0.4 0.4 0.4 0.4 0.3 0.3 0.5 0.3 0.5 0.5 0.3 0.5\n"  # a box and four points, or an outline of six
PAIRS = b"0 0.4 0.5 0.4 0.6 0.3 0.3 0.5 0.4 0.4 0.7\n0 0.8 0.7 0.1 0.1 0.8 0.68 0.82 0.7 0 0\n"
QUADS = b"0 0.4 0.4 0.5 0.35 0.55 0.45 0.45 0.5 0.42 0.47\n0 0.6 0.4 0.7 0.5 0.65 0.6 0.6 0.6 0.55 0.5\n"
FLAGS = b"0 0.4 0.4 0.4 0.4 0.3 0.3 2 0.5 0.3 1 0 0 0 0.3 0.5 2\n"


@pytest.mark.parametrize(
    ("text", "above", "is_pose"),
    [
        (FLAT, SHAPE % (4, 2), True),
        (FLAGS, b"", True),
        (FLAGS[:27] + b"\n", SHAPE % (1, 3), True),
        (PAIRS * 2, b"", True),
        (QUADS * 2, b"", False),
        (FLAT, SHAPE % (4, 3), False),
        (FLAT, b"", False),
        (b"0 0 0 1 0 1 1 0 1 0 0.5 0 0.2\n", b"", False),
        (FLAGS.replace(b" 2", b" 1"), b"", True),
        (FLAGS + b"0 0.4 0.4 0.4 0.4" + b" 0 0 0" * 4 + b"\n", b"", True),
        (b"0 0.40 0.5 0.60 0.5 1 0.80 1 1 0 1\n", b"", False),  # outlines of five points, some at the edge
        (b"0 0 0 1 0 1 0.2 0 0.2 0 0\n", b"", False),
        (b"0 0 0 0.3 0 0.3 0.2 0 0.2 0 0\n", b"", False),
        (FLAT[:33] + b"\n", b"path: other\n" + SHAPE[9:] % (2, 2), True),  # where the folder was renamed
        (b"0 0.5 0.5 0.3 0.2 0.1 0.2 0.3 0.4\n", b"path: other\n" + SHAPE[9:] % (2, 2), False),
        (FLAT, b"path: out/../images\n" + SHAPE[9:] % (4, 2), True),
        (FLAT, b"path: /a/beside/\n" + SHAPE[9:] % (4, 2), False),
    ],
)
def test_boxes_with_points_are_no_outlines(text: bytes, above: bytes, is_pose: bool, tmp_path: Path) -> None:
    texts = {f"labels/{i}.txt": text for i in range(3)}
    make(tmp_path / "in", *(f"images/{i}.jpg" for i in range(3)), **texts, **{"classes.txt": b"cat\n"})
    (tmp_path / "pose.yaml").write_bytes(above)
    (tmp_path / "beside").mkdir()
    done = convert_json("in", "out", cwd=tmp_path)
    if not is_pose:
        assert (done["exit_code"], done["records"]) == (0, 3), done
        return
    assert "key points behind each box" in done["error"]["message"]
    shell(done["error"]["hint"].partition("copies: ")[2].partition("; where")[0], tmp_path)
    done = convert_json("in", "out", cwd=tmp_path)
    count = len({tuple(line.split()[:5]) for line in text.splitlines()})
    assert (done["records"], done["boxes"]["stored"]) == (3, 3 * count), done
    assert not any("outline" in note for note in done["remarks"])


@pytest.mark.parametrize("text", [FLAT, FLAGS, FLAGS[:27] + b"\n", b"0 0.2 0.2 0.2 0.2\n" + FLAT])
def test_points_that_the_yaml_of_the_folder_tells_of_are_left_out_by_the_command(
    text: bytes, tmp_path: Path
) -> None:
    make(tmp_path / "in", "images/a.jpg", **{"data.yaml": SHAPE % (4, 2), "labels/a.txt": text})
    error = convert_json("in", "out", cwd=tmp_path)["error"]
    assert "in/data.yaml has kpt_shape), which are not read" in error["message"]
    shell(error["hint"].partition("copies: ")[2], tmp_path)
    done = convert_json("in", "out", "--splits", "train=1", cwd=tmp_path)
    assert (done["records"], done["boxes"]["stored"]) == (1, text.count(b"\n")), done


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (["classes/train/a/1.jpg", "classes/train/b/1.jpg"], ["in/classes"]),
        (["classes/a/1.jpg", "classes/b/1.jpg", "det/own.yaml"], ["in/det", "in/classes"]),
        (["test/images/1.jpg", "test/labels/1.txt", "runs/a.jpg", "runs/predict/b.jpg"], []),
    ],
)
def test_datasets_below_a_description_are_told_of(files: list[str], told: list[str], tmp_path: Path) -> None:
    texts = {"data.yaml": b"train: det/images\nnames: {0: cat}\n", "det/labels/1.txt": b"0 0.4 0.4 0.4 0.4\n"}
    texts |= {name: SHAPE % (4, 2) for name in files if name.endswith("yaml")}
    make(tmp_path / "in", "det/images/1.jpg", *(name for name in files if name.endswith("jpg")), **texts)
    done = convert_json("in", "out", "--splits", "train=1", cwd=tmp_path)
    notes = [note for note in done["remarks"] if "datasets of their own" in note]
    assert done["records"] == 1
    assert notes == [
        "data.yaml says what is read; datasets of their own stand below it: "
        + ", ".join(f"tfrec convert {folder} OUTPUT_DIR" for folder in told)
    ] * bool(told)


@pytest.mark.parametrize("other", ["cat", "fuse"])
def test_a_description_beside_the_one_that_is_read_is_told_of_where_it_names_others(
    other: str, tmp_path: Path
) -> None:
    texts = {"dataset.yaml": b"nc: 1\nnames: [cat]\n", "own.yaml": f"nc: 1\nnames: [{other}]\n".encode()}
    make(tmp_path / "in", "images/1.jpg", **texts, **{"labels/1.txt": b"0 0.4 0.4 0.4 0.4\n"})
    done = convert_json("in", "out", "--splits", "train=1", cwd=tmp_path)
    told = [note.rpartition(": ")[2] for note in done["remarks"] if "classes are called as in" in note]
    assert told == ["tfrec convert in/own.yaml OUTPUT_DIR takes these"] * (other == "fuse")
    convert_json("in/own.yaml", "own", "--splits", "train=1", cwd=tmp_path)
    assert [*manifest(tmp_path / "own")["labels"]] == [other]


@pytest.mark.parametrize(
    ("splits", "own", "says", "records"),
    [
        (["test", "train"], 1, "takes the splits alone", {"train": 2, "test": 2}),
        (["test", "train"], 5, ", and takes the others for labels", None),
        (["test"], 5, "takes the others for train", {"train": 10, "test": 2}),
        (["test"], 1, "takes the others for train", {"train": 2, "test": 2}),
        (["test", "val"], 1, "takes the others for train", {"train": 2, "validation": 2, "test": 2}),
    ],
)
def test_folders_called_like_labels_of_splits_are_left_only_where_they_hold_no_more(
    splits: list[str], own: int, says: str, records: dict[str, int] | None, tmp_path: Path
) -> None:
    names = [f"{label}/{i}.jpg" for label in ("cat", "dog") for i in range(own)]
    names += [f"{split}/{label}/1.jpg" for split in splits for label in ("cat", "dog")]
    make(tmp_path / "in", *names)
    hint = convert_json("in", "out", cwd=tmp_path)["error"]["hint"]
    command, way, _ = hint.partition(says)
    assert way
    if records is None:
        assert command == "--exclude test,train passes over them"
        return
    done = convert_json(*shlex.split(command.replace("OUTPUT_DIR", "out"))[2:], cwd=tmp_path)
    found = {split: counts["records"] for split, counts in done["splits"].items() if counts["records"]}
    assert (found, done["num_labels"]) == (records, 2)


@pytest.mark.parametrize(
    ("above", "folder", "train", "val"),
    [
        ("in", ".", "in/thermal_train", "in/thermal_val"),
        ("in", "in/thermal_train", ".", "../thermal_val"),
        ("it's x", ".", "it's x/thermal_train", "it's x/thermal_val"),
    ],
    ids=["folders", "the one here", "an apostrophe"],
)
def test_the_command_for_the_list_of_one_of_several_sources_has_the_others(
    above: str, folder: str, train: str, val: str, tmp_path: Path
) -> None:
    for split in ("train", "val"):
        make(tmp_path / f"{above}/thermal_{split}", f"data/{split}.jpg")
        image = {"id": 1, "file_name": f"data/{split}.jpg", "width": 24, "height": 16}
        box = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [2, 2, 8, 6]}
        coco = {"images": [image], "annotations": [box], "categories": [{"id": 1, "name": "car"}]}
        (tmp_path / f"{above}/thermal_{split}/coco.json").write_text(json.dumps(coco))
    sources, here = [f"train={train}", f"validation={val}"], tmp_path / folder
    for _ in sources:
        hint = convert_json(*sources, tmp_path / "out", cwd=here)["error"]["hint"]
        command = hint.partition("these images? tfrec convert ")[2].partition(" OUTPUT_DIR")[0]
        sources = shlex.split(command)
    done = convert_json(*sources, tmp_path / "out", cwd=here)
    records = {name: split["records"] for name, split in done["splits"].items()}
    assert records == {"train": 1, "validation": 1}
    assert done["boxes"]["stored"] == 2


def test_the_folders_of_splits_that_have_files_of_one_name_are_named(tmp_path: Path) -> None:
    names = ["1.jpg", "2.jpg"]
    make(tmp_path, *(f"{split}/{name}" for split in ("test", "train") for name in names))
    hint = missing_hint(names[0], str(tmp_path), names)
    assert f"--image-root {tmp_path / 'train'} or --image-root {tmp_path / 'test'}" in hint


@pytest.mark.parametrize(
    ("encoding", "names"), [("utf-8", "tamaño, año"), ("latin-1", "tamaño, año"), ("cp1251", "размер, год")]
)
def test_columns_of_lists_beside_folders_are_told_in_their_encoding(
    encoding: str, names: str, tmp_path: Path
) -> None:
    images = [f"photos/{label}/{label}{number}.jpg" for label in ("cat", "dog") for number in range(3)]
    rows = [f"{image.rpartition('/')[2]},{at % 2},{2000 + at % 3}" for at, image in enumerate(images)]
    table = "\n".join([f"file,{names.replace(', ', ',')}", *rows, ""])
    make(tmp_path / "in", *images)
    (tmp_path / "in/list.csv").write_text(table, encoding=encoding)
    told = tfrec("convert", "in", "out", "--dry-run", cwd=tmp_path).err
    assert f"(in/list.csv with {names})" in told
