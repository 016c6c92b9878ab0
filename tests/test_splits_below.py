"""Folders of splits in those of labels."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from boxing import photos, records
from converting import convert_json, shell
from folder_lists import OF_NO_CLASSES
from following import proposals


def _folder(path: Path, *words: str, labels: tuple[str, ...] = ("cat", "dog")) -> Path:
    return photos(path, *(f"{label}/{word}/{label}{word}.jpg" for label in labels for word in words))


def _splits(output: Path) -> Counter[tuple[str, str]]:
    """How many records of which split have which label."""
    return Counter(
        (path.name.partition("-")[0], text.decode())
        for path in output.glob("*.tfrecord")
        for values in records(path.parent).values()
        for text in values["image/class/text"]
        if values["image/filename"][0] in path.read_bytes()
    )


@pytest.mark.parametrize("options", [(), ("--label-folder", "first")])
@pytest.mark.parametrize("wrapper", ["", "archive/set/"])
def test_words_of_splits_are_read(wrapper: str, options: tuple[str, ...], tmp_path: Path) -> None:
    _folder(tmp_path / "in" / wrapper, "train", "Valid", "test")
    done = convert_json(tmp_path / "in", tmp_path / "out", *options)
    assert done["exit_code"] == 0
    assert "the folders of splits stand in those of labels, and are read so" in done["remarks"]
    splits = ("train", "validation", "test")
    assert _splits(tmp_path / "out") == {(split, label): 1 for split in splits for label in ("cat", "dog")}


def test_other_words_get_the_command_that_reads_them(tmp_path: Path) -> None:
    _folder(tmp_path / "in" / "set", "training_set", "test")
    done = convert_json("in", "out", cwd=tmp_path)
    hint = done["error"]["hint"]
    assert hint.startswith("where test, training_set are splits: python -c")
    first = next(proposals(hint, OF_NO_CLASSES))
    assert shell(first.command, tmp_path).code == 0
    assert first.options == (("--split-map", "training_set=train"),)
    options = [word for option in first.options for word in option]
    assert convert_json(*first.made, "out", *options, cwd=tmp_path)["exit_code"] == 0
    assert _splits(tmp_path / "out") == {(s, label): 1 for s in ("train", "test") for label in ("cat", "dog")}


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (("train",), ("cat", "dog")),  # one split may be anything
        (("val", "test"), ("cat", "dog")),
        (("train", "test", "more"), ("cat", "dog")),
        (("train", "test"), ("input", "target")),  # views of the same things
    ],
)
def test_what_is_not_certain_is_refused_as_before(
    words: tuple[str, ...], labels: tuple[str, ...], tmp_path: Path
) -> None:
    _folder(tmp_path / "in", *words, labels=labels)
    done = convert_json(tmp_path / "in", tmp_path / "out")
    assert "so it is not certain which one is the label" in done["error"]["message"]


def test_images_beside_the_splits_are_of_none(tmp_path: Path) -> None:
    _folder(tmp_path / "in", "train", "test")
    photos(tmp_path / "in", "dog/new.jpg")
    assert "so it is not certain" in convert_json(tmp_path / "in", tmp_path / "out")["error"]["message"]
