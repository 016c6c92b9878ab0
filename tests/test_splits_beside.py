"""Files beside a list, or a dataset of boxes, that name the images of each split."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest
from boxing import photos
from converting import convert_json, shell, tfrec
from foreign_files import write_files

from tfrecordcli.sources import files_of_splits
from tfrecordcli.sources.splits_in_one_text import names_in_one_text

_COUNT: Final = 12
_LABELS: Final = [f"{'ab'[number % 2]}" for number in range(_COUNT)]
_TOLD: Final = "files beside name the images of splits"


def _images(folder: Path, pattern: str = "images/my {}.png") -> list[str]:
    names = [pattern.format(number) for number in range(_COUNT)]
    photos(folder, *names)
    return names


def _texts(names: list[str], shown: str) -> dict[str, str]:
    """A text for each split, with what is shown of each image in it."""
    texts = {"train": "", "test": ""}
    for number, name in enumerate(names):
        stem = name.rpartition("/")[2].removesuffix(".png")
        texts["train" if number % 3 else "test"] += shown.format(name=name, stem=stem) + "\n"
    return texts


# How texts beside a list show an image, where they are, and whether the list has a header.
SHOWN: Final = {
    "paths": ("{name}", "{}.txt", True),
    "names": ("/home/me/{stem}.png", "splits/{}_files.lst", True),
    "stems below no header": ("{stem}", "{}.txt", False),
    "behind a mark of UTF-8": ("\ufeff{name}", "splits/{}.txt", True),
    "fields": ("{stem}.png,1", "{}_ids.csv", True),
}


# The same in JSON.
OF_JSON: Final = {
    "paths in JSON": ("{name}", "splits.json", True),
    "names in JSON": ("/home/me/{stem}.png", "splits/split.json", True),
    "stems in JSON below no header": ("{stem}", "splits.json", False),
}


@pytest.mark.parametrize(("shown", "place", "has_header"), (SHOWN | OF_JSON).values(), ids=SHOWN | OF_JSON)
def test_files_of_splits_beside_a_list_are_told_with_what_reads_them(
    shown: str, place: str, has_header: bool, tmp_path: Path
) -> None:
    names = _images(tmp_path)
    header = "image,label\n" * has_header
    rows = "".join(f"{name},{label}\n" for name, label in zip(names, _LABELS, strict=True))
    texts = _texts(names, shown)
    if place.endswith(".json"):
        words = json.dumps({word: text.splitlines() for word, text in texts.items()})
        write_files(tmp_path, {"list.csv": header + rows, place: words})
    else:
        files = {place.format(word): text for word, text in texts.items()}
        files |= {place.format("classes"): "a\nb\n", "train.md": names[0], "train_labels.csv": "a\n"}
        write_files(tmp_path, {"list.csv": header + rows, **files})
    warned = tfrec("convert", "list.csv", "out", cwd=tmp_path).err
    (command,) = re.findall(f"{_TOLD}.*: make a CSV of it: (.*), and convert that", warned)
    assert shell(command, tmp_path).code == 0
    done = convert_json("list-as-csv.csv", "new", cwd=tmp_path)
    assert {split: each["records"] for split, each in done["splits"].items()} == {"train": 8, "test": 4}
    assert (tmp_path / "new" / "labels.txt").read_text(encoding="utf-8").split() == ["a", "b"]
    for option, is_told in (("--splits", "train=1"), False), (("--split-seed", "3"), True):
        said = tfrec("convert", "list.csv", "out2", "--dry-run", *option, cwd=tmp_path)
        assert (_TOLD in said.err) == is_told


# Files beside a list of which nothing is said.
OTHERS: Final = {
    "of one split": {"train.txt": "{all}", "test.txt": "x.png\n"},
    "of both": {"train.txt": "{all}", "test.txt": "{all}"},
    "of other images": {"train.txt": "u.png\n", "test.txt": "v.png\n"},
    "of labels": {"classes.json": '{"a": ["my 0.png"], "b": ["my 1.png"]}'},
    "with words of no splits": {"cats.txt": "my 0.png\n", "dogs.txt": "my 1.png\n"},
    "numbers by split": {"splits.json": '{"train": 9, "test": 3}'},
    "JSON cut off": {"splits.json": '{"train": ["my 0.png'},
}


@pytest.mark.parametrize("files", OTHERS.values(), ids=OTHERS)
def test_of_other_files_nothing_is_said(files: dict[str, str], tmp_path: Path) -> None:
    names = _images(tmp_path)
    rows = "".join(f"{name},{label}\n" for name, label in zip(names, _LABELS, strict=True))
    texts = {name: text.replace("{all}", "\n".join(names)) for name, text in files.items()}
    write_files(tmp_path, {"list.csv": f"image,label\n{rows}", **texts})
    assert _TOLD not in tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path).err


# Texts that name some of twelve images, and what becomes of these and of all others.
SOME: Final = {
    "test alone": ({"test_images.txt": (0, 3)}, {"train": 10, "test": 2}),
    "below a header": ({"test_images.txt": ("path", 0, 3, 5)}, {"train": 9, "test": 3}),
    "test and validation": (
        {"validation_list.txt": (0, 1), "testing_list.txt": (4, 5, 6)},
        {"train": 7, "validation": 2, "test": 3},
    ),
    "of training too": ({"train.txt": (0, 1, 2, 3), "test.txt": (4, 5)}, {"train": 4, "test": 2}),
}


@pytest.mark.parametrize(("texts", "splits"), SOME.values(), ids=SOME)
def test_texts_that_name_some_images_are_told_with_what_becomes_of_the_others(
    texts: dict[str, tuple[str | int, ...]], splits: dict[str, int], tmp_path: Path
) -> None:
    names = _images(tmp_path)
    rows = "".join(f"{name},{label}\n" for name, label in zip(names, _LABELS, strict=True))
    files = {
        text: "".join(f"{names[each] if isinstance(each, int) else each}\n" for each in of)
        for text, of in texts.items()
    }
    write_files(tmp_path, {"list.csv": f"image,label\n{rows}", **files})
    warned = tfrec("convert", "list.csv", "out", "--dry-run", cwd=tmp_path).err
    (command,) = re.findall(f"{_TOLD}.*: make a CSV of it: (.*), and convert that", warned)
    assert shell(command, tmp_path).code == 0
    done = convert_json("list-as-csv.csv", "new", cwd=tmp_path)["splits"]
    assert {split: each["records"] for split, each in done.items() if each["records"]} == splits


def test_the_rest_of_a_list_of_one_split_is_of_no_other(tmp_path: Path) -> None:
    names = _images(tmp_path)
    rows = "".join(f"{name},{label}\n" for name, label in zip(names, _LABELS, strict=True))
    # As of Kaggle, whose images to be predicted have numbers of their own in another folder.
    write_files(tmp_path, {"train.csv": f"image,label\n{rows}", "test.csv": "\n".join(names[:4])})
    assert _TOLD not in tfrec("convert", "train.csv", "out", "--dry-run", cwd=tmp_path).err


def test_images_of_the_same_names_are_told_by_their_folders(tmp_path: Path) -> None:
    names = [f"{folder}/{number}.png" for folder in ("one", "two") for number in range(4)]
    photos(tmp_path, *names)
    rows = "".join(f"{name},{'ab'[number % 2]}\n" for number, name in enumerate(names))
    split = json.dumps({"train": [f"/data/{name}" for name in names[:5]], "val": names[5:]})
    write_files(tmp_path, {"list.csv": f"image,label\n{rows}", "split.json": split})
    warned = tfrec("convert", "list.csv", "out", cwd=tmp_path).err
    (command,) = re.findall("make a CSV of it: (.*), and convert that", warned)
    assert shell(command, tmp_path).code == 0
    assert convert_json("list-as-csv.csv", "new", cwd=tmp_path)["splits"]["validation"]["records"] == 3


@pytest.mark.parametrize("form", ["texts", "stems", "fields", "json", "json of stems", "own", "own notes"])
def test_files_of_splits_beside_a_dataset_of_yolo_are_told(form: str, tmp_path: Path) -> None:
    names = _images(tmp_path, "images/{}.png")
    labels = {f"labels/{number}.txt": f"{number % 2} 0.5 0.5 0.2 0.2\n" for number in range(_COUNT)}
    forms = {"fields": '"{stem}.png","80"'} | dict.fromkeys(("stems", "json of stems", "own"), "{stem}")
    texts = _texts(names, forms.get(form, "{stem}.png"))
    header = "file,size\n" * (form == "fields")
    splits = {f"splits/{word}.csv": header + text for word, text in texts.items()}
    own: dict[str, str] = {}
    if form == "own":  # where lists are read, of another form
        own = splits = {f"{word}.txt": text for word, text in texts.items()}
    if form == "own notes":
        own = {"train.txt": "what I tried\n"}
    if form.startswith(("json", "own notes")):
        splits = {"splits.json": json.dumps({word: text.split() for word, text in texts.items()})}
    write_files(tmp_path, {**labels, **splits, **own, "classes.txt": "a\nb\n"})
    warned = tfrec("convert", ".", "out", "--dry-run", cwd=tmp_path).err
    ((command, kept),) = re.findall(
        f"{_TOLD}.* whatever these say: (.*) makes lists of them that are read(; .* kept as .orig)?", warned
    )
    assert bool(kept) == bool(own)
    for _ in range(1 if form == "texts" else 2):
        assert shell(command, tmp_path).code == 0
        orig = {name: (tmp_path / f"{name}.orig").read_text(encoding="utf-8") for name in own}
        assert orig == own
        if form == "own":
            break  # what it was made of is what it made
    done = convert_json(".", "new", cwd=tmp_path)
    assert {split: each["records"] for split, each in done["splits"].items()} == {"train": 8, "test": 4}
    assert done["boxes"]["stored"] == _COUNT


def test_a_list_of_another_form_has_its_splits_told_without_a_command(tmp_path: Path) -> None:
    names = _images(tmp_path)
    rows = [{"image": name, "label": label} for name, label in zip(names, _LABELS, strict=True)]
    texts = {f"{word}.txt": text for word, text in _texts(names, "{name}").items()}
    write_files(tmp_path, {"list.jsonl": "".join(json.dumps(row) + "\n" for row in rows), **texts})
    warned = tfrec("convert", "list.jsonl", "out", "--dry-run", cwd=tmp_path).err
    assert f"{_TOLD} (test.txt, train.txt)" in warned
    assert "whatever these say: write the split of each image into the list" in warned


_VOC: Final = (
    "<annotation><filename>{name}</filename><size><width>80</width><height>40</height></size><object>"
    "<name>a</name><bndbox><xmin>8</xmin><ymin>4</ymin><xmax>40</xmax><ymax>20</ymax></bndbox></object>"
    "</annotation>"
)


def _boxes(kind: str, names: list[str]) -> tuple[str, dict[str, str]]:
    """What is given of boxes of a kind, and its files."""
    if kind == "voc":
        return ".", {f"annotations/{Path(name).stem}.xml": _VOC.format(name=name) for name in names}
    if kind == "yolo":
        labels = {f"labels/{Path(name).stem}.txt": "0 0.3 0.3 0.4 0.4\n" for name in names}
        return ".", {**labels, "classes.txt": "a\n"}
    images = [{"id": i, "file_name": name, "width": 80, "height": 40} for i, name in enumerate(names)]
    boxes = [{"id": i, "image_id": i, "category_id": 1, "bbox": [8, 4, 32, 16]} for i in range(len(names))]
    categories = [{"id": 1, "name": "a"}]
    return "all.json", {
        "all.json": json.dumps({"images": images, "annotations": boxes, "categories": categories})
    }


@pytest.mark.parametrize("kind", ["voc", "yolo", "coco"])
def test_lists_of_boxes_by_splits_beside_are_told_with_what_reads_them(kind: str, tmp_path: Path) -> None:
    names = _images(tmp_path, "images/{}.png")
    source, files = _boxes(kind, names)
    lists = {f"data/{word}_boxes.csv": text for word, text in _texts(names, "{stem}.png,a,8,4,40,20").items()}
    header = "filename,class,xmin,ymin,xmax,ymax\n"
    lists = {name: header + text for name, text in lists.items()} | {"data/boxes.csv": header}
    write_files(tmp_path, {**files, **lists})
    warned = tfrec("convert", source, "out", "--dry-run", cwd=tmp_path).err
    (command,) = re.findall(f"{_TOLD}.* whatever these say: (.*) reads these instead", warned)
    assert shell(command.replace("OUTPUT_DIR", "new"), tmp_path).code == 0
    report = json.loads((tmp_path / "new" / "manifest.json").read_text(encoding="utf-8"))
    assert {split: each["records"] for split, each in report["splits"].items()} == {"train": 8, "test": 4}
    assert report["boxes"]["stored"] == _COUNT
    for words in ([source, "--splits", "train=1"], [f"train={source}"]):
        assert _TOLD not in tfrec("convert", *words, "out", "--dry-run", cwd=tmp_path).err
    write_files(tmp_path, {"data/test_boxes.csv": f"{header}other.png,a,8,4,40,20\n"})
    assert _TOLD not in tfrec("convert", source, "out", "--dry-run", cwd=tmp_path).err


# What a text of all splits says of an image by the number of that split, below what header, and where it is.
_OF_ALL: Final = {
    "CelebA": ("{0}.png {1}", "", "in/list_eval_partition.txt", "012"),
    "CelebA behind a mark of UTF-8": ("{0}.png {1}", "\ufeff", "in/list_eval_partition.txt", "012"),
    "CelebA of Kaggle": ("{0}.png,{1}", "image_id,partition\n", "in/list_eval_partition.csv", "012"),
    "DeepFashion": (
        "images/{0}.png    {1}",
        "12\nimage_name  status\n",
        "Eval/all.txt",
        ("train", "val", "test"),
    ),
}


@pytest.mark.parametrize(("line", "header", "path", "words"), _OF_ALL.values(), ids=_OF_ALL)
def test_a_text_of_all_splits_beside_a_list_is_told_with_what_reads_it(
    line: str, header: str, path: str, words: str, tmp_path: Path
) -> None:
    names = _images(tmp_path / "in", "images/{}.png")
    splits = {str(n): min(n // 4, 2) for n in range(_COUNT)}
    said = "".join(line.format(stem, words[number]) + "\n" for stem, number in splits.items())
    rows = "".join(f"{name},{label}\n" for name, label in zip(names, _LABELS, strict=True))
    write_files(tmp_path, {path: header + said, "in/list.csv": f"image,label\n{rows}"})
    told = tfrec("convert", "in/list.csv", "out", cwd=tmp_path).err
    command = re.search(r"files beside name .* it: (python .*), and convert that", told)
    assert command, told
    assert shell(command[1], tmp_path).code == 0
    convert_json("in/list-as-csv.csv", "kept", cwd=tmp_path)
    kept = json.loads((tmp_path / "kept/manifest.json").read_text(encoding="utf-8"))["splits"]
    assert [kept[split]["records"] for split in ("train", "validation", "test")] == [4, 4, 4]


@pytest.mark.parametrize("said", ["{0}.png 1", "{0}.png cat", "{0}.png {1}", "x{0}.png train"])
def test_a_text_of_something_else_is_none_of_splits(said: str, tmp_path: Path) -> None:
    names = _images(tmp_path, "images/{}.png")
    lines = "".join(said.format(number, number % 3) + "\n" for number in range(_COUNT))
    rows = "".join(f"{name},{label}\n" for name, label in zip(names, _LABELS, strict=True))
    write_files(tmp_path, {"classes.txt": lines, "list.csv": f"image,label\n{rows}"})
    assert _TOLD not in tfrec("convert", "list.csv", "out", cwd=tmp_path).err


def test_the_mark_of_utf_8_is_no_part_of_the_first_name() -> None:
    found = names_in_one_text(b"\xef\xbb\xbfa.png train\nb.png test\n", "all.txt")
    assert found == {"train": ["a.png"], "test": ["b.png"]}


@pytest.mark.parametrize("numbers", ["012", "002", "111222000"])
def test_numbers_are_splits_where_most_are_of_training(numbers: str) -> None:
    """CelebA's are; where another number is the most frequent, or one is missing, they may be anything."""
    text = "".join(f"{n}.png {number}\n" for n, number in enumerate(numbers * 2 + "1" * (numbers[0] == "1")))
    found = names_in_one_text(text.encode(), "list_eval_partition.txt")
    assert bool(found) == (numbers == "012")


def test_long_texts_of_something_else_are_not_read_to_their_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = _images(tmp_path, "images/{}.png")
    rows = "".join(f"{name},{label}\n" for name, label in zip(names, _LABELS, strict=True))
    write_files(tmp_path, {"other.csv": "x.png,1.5\n" * 50_000, "list.csv": f"image,label\n{rows}"})
    read: list[int] = []
    head = b"x.png,1.5\n" * 9
    monkeypatch.setattr(files_of_splits, "read_file", lambda path, most=0: read.append(most) or head)
    assert not files_of_splits.files_of_splits(str(tmp_path), str(tmp_path / "list.csv"), names)
    assert read
    assert all(read)
