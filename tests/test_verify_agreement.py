"""Records of somebody else that contradict each other, or the label map beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from converting import jpeg
from recording import foreign
from verifying import offset_of, verify

from tfrecordcli.formats.example import Empty
from tfrecordcli.integrity import agreement
from tfrecordcli.integrity.agreement import set_of

BOX = "image/object/bbox/"
MAP = "item { id: 1 name: 'cat' }\nitem { id: 3 name: 'dog' display_name: 'Dog' }\n"


def boxes(number: int, **changes: Any) -> dict[str, Any]:
    """A record of a cat and a dog."""
    features: dict[str, Any] = {
        "image/encoded": [jpeg(number)],
        "image/source_id": [str(number).encode()],
        "image/object/class/label": [1, 3],
        "image/object/class/text": [b"cat", b"dog"],
        "image/object/area": [1.5, 2.0],
        **{BOX + side: [0.1, 0.2] for side in ("xmin", "ymin")},
        **{BOX + side: [0.5, 0.6] for side in ("xmax", "ymax")},
    }
    return features | {key.replace("__", "/"): values for key, values in changes.items()}


def photo(number: int, label: int, text: bytes | None = None, **more: Any) -> dict[str, Any]:
    names = {"image/class/text": [text]} if text else {}
    return {"image/encoded": [jpeg(number)], "image/class/label": [label], **names, **more}


def told(folder: Path) -> list[tuple[str, str, int | None]]:
    """(code, file, record) of the warnings, of which each has its byte."""
    report = verify(folder)
    assert report.exit_code == 0
    for problem in report.problems:
        assert problem.record is not None
        assert problem.offset == offset_of(folder / problem.path, problem.record)
    return [(problem.code, problem.path, problem.record) for problem in report.problems]


def messages(folder: Path) -> str:
    return "\n".join(problem.message for problem in verify(folder).problems)


DAMAGE: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "a name of its own": (
        {"image__object__class__text": [b"cat", b"bogus"]},
        ["names_differ"],
        "image/object/class/label 3 is 'bogus' (records so: 1), but 'dog' elsewhere (3)",
    ),
    "an id of its own": (
        {"image__object__class__label": [1, 77]},
        ["ids_differ"],
        "image/object/class/label of 'dog' is 77 (records so: 1), but 3 elsewhere (3)",
    ),
    "the id of another": (
        {"image__object__class__label": [1, 1]},
        ["names_differ"],
        "image/object/class/label 1 is 'dog' (records so: 1), but 'cat' elsewhere (4)",
    ),
    "another kind": (
        {"image__object__area": [1, 2]},
        ["kinds_differ"],
        "image/object/area holds int64 (records so: 1), but float elsewhere (3)",
    ),
    "an empty list of another kind": ({"image__object__area": Empty["int64"]}, ["kinds_differ"], "int64"),
    "the id of another image": (
        {"image__source_id": [b"0"]},
        ["source_id_again"],
        "image/source_id is that of record 0 of train-00000-of-00002.tfrecord too",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_records_that_contradict_the_others_are_told(damage: str, tmp_path: Path) -> None:
    changes, codes, message = DAMAGE[damage]
    second = tmp_path / "train-00001-of-00002.tfrecord"
    foreign(tmp_path / "train-00000-of-00002.tfrecord", boxes(0), boxes(1))
    foreign(second, boxes(2), boxes(3))
    assert told(tmp_path) == []
    foreign(second, boxes(2), boxes(3, **changes))
    assert told(tmp_path) == [(code, second.name, 1) for code in codes]
    assert message in messages(tmp_path)


def test_labels_of_whole_images_and_of_all_splits(tmp_path: Path) -> None:
    foreign(tmp_path / "train" / "a.tfrecord", photo(0, 0, b"cat"), photo(1, 1, b"dog"))
    foreign(tmp_path / "valid" / "a.tfrecord", photo(2, 1, b"dog"), photo(3, 0, b"dog"))
    assert told(tmp_path) == [("names_differ", "valid/a.tfrecord", 1)]


def test_files_of_other_datasets_have_labels_of_their_own(tmp_path: Path) -> None:
    foreign(tmp_path / "pets_train.record", photo(0, 0, b"cat", n=[1]))
    foreign(tmp_path / "cars_train.record", photo(1, 0, b"bus", n=[1.5]))
    assert told(tmp_path) == []


def test_captions_and_labels_without_names_are_no_contradiction(tmp_path: Path) -> None:
    records = [{"image/encoded": [jpeg(n)], "label": [n % 2], "text": [b"caption %d" % n]} for n in range(4)]
    foreign(tmp_path / "a.tfrecord", *records)
    foreign(tmp_path / "b.tfrecord", photo(5, 0), photo(6, 0, b"cat"))
    assert told(tmp_path) == []


@pytest.mark.parametrize(
    ("ids", "is_right"),
    [
        ([b"", b"", b""], True),
        ([b"a", b"b", b"c"], True),
        ([b"same", b"same", b"same"], False),
    ],
    ids=["none", "each", "all the same"],
)
def test_source_ids_are_told_once(ids: list[bytes], is_right: bool, tmp_path: Path) -> None:
    records = [boxes(number, image__source_id=[each]) for number, each in enumerate(ids)]
    foreign(tmp_path / "a.tfrecord", *records)
    assert told(tmp_path) == ([] if is_right else [("source_id_again", "a.tfrecord", 1)])


def test_source_ids_are_those_of_a_split_and_of_boxes(tmp_path: Path) -> None:
    foreign(tmp_path / "train.record", boxes(0), boxes(1))
    foreign(tmp_path / "test.record", boxes(2, image__source_id=[b"0"]), boxes(3, image__source_id=[b"0"]))
    tiles = {"image/source_id": [b"one"]}
    foreign(tmp_path / "tiles.record", photo(4, 1, **tiles), photo(5, 1, **tiles))
    assert told(tmp_path) == [("source_id_again", "test.record", 1)]


BESIDE: dict[str, tuple[str, str, list[str]]] = {
    "all there": ("label_map.pbtxt", MAP, []),
    "a name for people": ("label_map.pbtxt", MAP.replace("'dog'", "'/m/0bt9lr'").replace("Dog", "dog"), []),
    "an id that is not there": (
        "label_map.pbtxt",
        MAP.replace("3", "4"),
        ["label 3 is not in label_map.pbtxt (records so: 2)"],
    ),
    "another name": (
        "a_label_map.pbtxt",
        MAP.replace("'cat'", "'Katze'"),
        ["label 1 is 'cat', but 'Katze' in a_label_map.pbtxt (records so: 2)"],
    ),
    "lines from 0": ("labels.txt", "background\ncat\ndeer\ndog\n", []),
    "lines from 1": ("labels.txt", "cat\ndeer\ndog\n", []),
    "numbered lines": ("labels.txt", "1:cat\n3:dog\n", []),
    "a line too few": ("labels.txt", "background\ncat\n", ["label 3 is not in labels.txt (records so: 2)"]),
    "nothing of labels": ("pipeline.pbtxt", "model { num_classes: 2 }", []),
}


@pytest.mark.parametrize("case", BESIDE)
@pytest.mark.parametrize("folder", ["", "train"])
def test_a_label_map_beside_or_above_records_is_held_against_them(
    case: str, folder: str, tmp_path: Path
) -> None:
    name, text, expected = BESIDE[case]
    foreign(tmp_path / folder / "a.tfrecord", boxes(0), boxes(1))
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert messages(tmp_path).splitlines() == expected
    assert [code for code, *_ in told(tmp_path)] == ["label_beside" for _ in expected]


@pytest.mark.parametrize(
    ("text", "count"), [("cat\ndog\n", 0), ("cat\n", 1), ("4\n1\n", 0)], ids=["each", "too few", "ids"]
)
@pytest.mark.parametrize("key", ["label", "image/class/label"])
def test_ids_without_names_are_held_against_a_list(key: str, text: str, count: int, tmp_path: Path) -> None:
    ids = (4, 1) if "4" in text else (0, 1)
    records = [{"image/encoded": [jpeg(at)], key: [label]} for at, label in enumerate(ids)]
    foreign(tmp_path / "a.tfrecord", *records)
    (tmp_path / "labels.txt").write_text(text, encoding="utf-8")
    assert [code for code, *_ in told(tmp_path)] == ["label_beside"] * count


def test_what_is_too_much_to_remember_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign(tmp_path / "a.tfrecord", *(photo(n, n, b"name %d" % n) for n in range(4)))
    assert not any("against each other" in each for each in verify(tmp_path).not_checked)
    monkeypatch.setattr(agreement, "_MOST_LABELS", 3)
    assert any("against each other" in each for each in verify(tmp_path).not_checked)


def test_files_of_one_dataset_differ_in_splits_and_numbers() -> None:
    assert set_of("train-00000-of-00002.tfrecord") == set_of("test-00000-of-00001.tfrecord")
    assert set_of("train/pets.record") == set_of("valid/pets.record")
    assert set_of("pets_train.record") != set_of("cars_train.record")
