"""TFRecords with rows of numbers in which some come again, as those of texts on signs: they are no labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, jpeg, tfrec
from recording import foreign, records_of

_WORDS = ["allee", "foch", "rue", "hotel"]


def _record(number: int, word: str) -> dict[str, Any]:
    letters = [ord(letter) - ord("a") for letter in word]
    return {
        "image/encoded": [jpeg(number)],
        "image/class": [*letters, *[133] * (8 - len(word))],
        "image/unpadded_class": letters,
        "image/text": [word.encode()],
    }


@pytest.fixture
def signs(tmp_path: Path) -> Path:
    return foreign(tmp_path / "train.tfrecord", *(_record(n, word) for n, word in enumerate(_WORDS)))


def test_letters_are_refused_with_the_options_that_keep_them(signs: Path, tmp_path: Path) -> None:
    error = tfrec("convert", signs, tmp_path / "no", "--json").json["error"]
    assert "image/class holds several in a record, of which some come again" in error["message"]
    assert error["hint"].startswith("--columns label=image/text takes image/text for the label; ")
    convert_json(signs, tmp_path / "texts", "--columns", "label=image/text")
    convert_json(signs, tmp_path / "none", "--unlabelled", "keep")
    for folder, word in (("texts", "image/class/text"), ("none", "image/text")):
        found = records_of(tmp_path / folder)
        assert sorted(record[word][0].decode() for record in found) == sorted(_WORDS)
        for record in found:
            number = _WORDS.index(record[word][0].decode())
            assert record["image/class"] == _record(number, _WORDS[number])["image/class"]
    assert all("image/class/label" not in record for record in records_of(tmp_path / "none"))


def test_who_names_the_key_gets_each_once(signs: Path, tmp_path: Path) -> None:
    convert_json(signs, tmp_path / "out", "--columns", "label=image/class")
    assert sorted(len(record["image/class/label"]) for record in records_of(tmp_path / "out")) == [4, 4, 5, 6]


@pytest.mark.parametrize(
    "rows", [[[1, 0, 1], [0, 1, 1], [1, 1, 0]], [[4, 2], [3], [1, 2, 3]], [[1], [2], [1]]]
)
def test_labels_without_order_are_labels(rows: list[list[int]], tmp_path: Path) -> None:
    """Places of 0 and 1, several ids, one id."""
    records = [{"image": [jpeg(n)], "label": row} for n, row in enumerate(rows)]
    assert convert_json(foreign(tmp_path / "a.tfrecord", *records), tmp_path / "out")["records"] == 3
