"""The label map: numbering, ids that stay, vocabularies that are fixed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from converting import image_list, tfrec
from converting import manifest as manifest_of
from hypothesis import given
from hypothesis import strategies as st
from test_dataset_samples import plan_of, write

from tfrecordcli.dataset.labels import (
    LabelMap,
    build_label_map,
    extended,
    is_canonical_id,
    read_labels_file,
)
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.planning.label_warnings import label_warnings
from tfrecordcli.reasons import Rejected

# labels, --label-type, (kind, ids)
MAPS: dict[str, tuple[list[str], str, tuple[str, dict[str, int]]]] = {
    "names are sorted": (["dog", "cat"], "auto", ("name", {"cat": 0, "dog": 1})),
    "by code point, capitals first": (["b", "a", "B"], "auto", ("name", {"B": 0, "a": 1, "b": 2})),
    "beyond ASCII": (["é", "z", "e"], "auto", ("name", {"e": 0, "z": 1, "é": 2})),
    "ids stay": (["2", "0", "1"], "auto", ("id", {"0": 0, "1": 1, "2": 2})),
    "ids are sorted as numbers": (["10", "9", "2"], "auto", ("id", {"2": 2, "9": 9, "10": 10})),
    "the highest int64": (["9223372036854775807"], "auto", ("id", {"9223372036854775807": 2**63 - 1})),
    "above int64 they are names": (
        ["9223372036854775808", "1"],
        "auto",
        ("name", {"1": 0, "9223372036854775808": 1}),
    ),
    "a leading zero makes names": (["007", "1"], "auto", ("name", {"007": 0, "1": 1})),
    "a sign makes names": (["-1", "1"], "auto", ("name", {"-1": 0, "1": 1})),
    "a point makes names where names are": (["1.5", "a", "b"], "auto", ("name", {"1.5": 0, "a": 1, "b": 2})),
    "whole floats are ids": (["10.0", "9.0", "2.0"], "auto", ("id", {"2": 2, "9": 9, "10": 10})),
    "the highest whole float": (
        ["9223372036854775807.0"],
        "auto",
        ("id", {"9223372036854775807": 2**63 - 1}),
    ),
    "whole floats as names": (["1.0", "2"], "name", ("name", {"1.0": 0, "2": 1})),
    "floats as names": (["0.5", "-1e3"], "name", ("name", {"-1e3": 0, "0.5": 1})),
    "whole floats among ids that were asked for": (["1.0", "1", "2.0", "x"], "id", ("id", {"1": 1, "2": 2})),
    "other digits make names": (["١", "2"], "auto", ("name", {"2": 0, "١": 1})),
    "one name makes names": (["0", "1", "cat"], "auto", ("name", {"0": 0, "1": 1, "cat": 2})),
    "numbers as names": (["10", "9"], "name", ("name", {"10": 0, "9": 1})),
    "ids that were asked for": (["3", "cat", "03"], "id", ("id", {"3": 3})),
    "no label at all": ([], "auto", ("name", {})),
}


@pytest.mark.parametrize(("names", "label_type", "expected"), MAPS.values(), ids=MAPS)
def test_map(names: list[str], label_type: str, expected: tuple[str, dict[str, int]]) -> None:
    for order in (names, names[::-1]):
        labels = build_label_map(order, label_type)
        assert (labels.kind, labels.ids) == expected
        assert list(labels.ids.values()) == sorted(labels.ids.values())


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1), unique=True))
def test_map_is_a_bijection_onto_the_first_ids(names: list[str]) -> None:
    labels = build_label_map(names, "name")
    assert sorted(labels.ids.values()) == list(range(len(names)))
    assert [labels.id_of(name) for name in sorted(names)] == list(range(len(names)))


@given(st.integers(-(2**70), 2**70))
def test_canonical_ids(number: int) -> None:
    assert is_canonical_id(str(number)) is (0 <= number < 2**63)
    assert not is_canonical_id(f"0{number}")
    assert not is_canonical_id(f"{number}\n")


ID_OF: dict[str, tuple[LabelMap, str, str]] = {
    "a name that is not there": (LabelMap("name", {"cat": 0}, "l.txt"), "dog", "unknown_label"),
    "not an id": (LabelMap("id", {"3": 3}), "cat", "bad_label_id"),
    "not as a program prints it": (LabelMap("id", {"3": 3}), "03", "bad_label_id"),
    "above int64": (LabelMap("id", {"3": 3}), str(2**63), "bad_label_id"),
    "an id that is not there": (LabelMap("id", {"3": 3}, "l.txt"), "4", "unknown_label"),
}


@pytest.mark.parametrize(("labels", "name", "code"), ID_OF.values(), ids=ID_OF)
def test_id_of_what_is_not_in_the_map(labels: LabelMap, name: str, code: str) -> None:
    with pytest.raises(Rejected) as caught:
        labels.id_of(name)
    assert caught.value.code == code
    assert repr(name) in caught.value.reason
    assert labels.source in caught.value.reason


# content of --labels, --label-type, (kind, ids)
FILES: dict[str, tuple[str | bytes, str, tuple[str, dict[str, int]]]] = {
    "id is the line": ("dog\ncat\n", "auto", ("name", {"dog": 0, "cat": 1})),
    "no line end at the end": ("dog\ncat", "auto", ("name", {"dog": 0, "cat": 1})),
    "CRLF": ("dog\r\ncat\r\n", "auto", ("name", {"dog": 0, "cat": 1})),
    "byte order mark": ("\ufeffdog\ncat\n", "auto", ("name", {"dog": 0, "cat": 1})),
    "blank lines at the end": ("dog\ncat\n\n \n", "auto", ("name", {"dog": 0, "cat": 1})),
    "outer blanks": (" dog \n\tcat\n", "auto", ("name", {"dog": 0, "cat": 1})),
    "blanks inside": ("big dog\n", "auto", ("name", {"big dog": 0})),
    "capitals apart": ("Dog\ndog\n", "auto", ("name", {"Dog": 0, "dog": 1})),
    "ids": ("10\n2\n", "auto", ("name", {"10": 0, "2": 1})),
    "ids as names": ("10\n2\n", "name", ("name", {"10": 0, "2": 1})),
    "ids that were asked for": ("10\n2\n", "id", ("id", {"2": 2, "10": 10})),
    "leading zeros": ("007\n1\n", "auto", ("name", {"007": 0, "1": 1})),
}


@pytest.mark.parametrize(("content", "label_type", "expected"), FILES.values(), ids=FILES)
def test_labels_file(
    content: str | bytes, label_type: str, expected: tuple[str, dict[str, int]], tmp_path: Path
) -> None:
    labels = read_labels_file(str(write(tmp_path, content, "labels.txt")), label_type)
    assert (labels.kind, labels.ids) == expected


def test_the_labels_of_a_dataset_keep_their_ids(tmp_path: Path) -> None:
    first, second = image_list(tmp_path / "a", 6), image_list(tmp_path / "b", 1)
    assert tfrec("convert", first, tmp_path / "out").code == 0
    manifest = tmp_path / "out" / "manifest.json"
    assert tfrec("convert", second, tmp_path / "more", "--labels", manifest).code == 0
    assert manifest_of(tmp_path / "more")["labels"] == manifest_of(tmp_path / "out")["labels"]
    with pytest.raises(InputError, match="its ids begin at 0, those of this list at 1"):
        read_labels_file(str(manifest), "auto", 1)
    with pytest.raises(InputError, match="its labels are names"):
        read_labels_file(str(manifest), "id")
    manifest.write_text(manifest.read_text().replace("{", "{ ", 1).replace('"rows"', '"row"'))
    with pytest.raises(InputError, match=r"manifest\.json"):
        read_labels_file(str(manifest), "auto")


# content of --labels, --label-type, words of the error
BAD_FILES: dict[str, tuple[str | bytes, str, list[str]]] = {
    "empty": ("", "auto", ["no label"]),
    "blank": ("\n \n", "auto", ["no label"]),
    "a blank line between": ("dog\n\ncat\n", "auto", ["line 2", "empty"]),
    "a blank line first": ("\ndog\n", "auto", ["line 1", "empty"]),
    "doubled": ("dog\ncat\ndog\n", "auto", ["line 3", "'dog'", "line 1"]),
    "doubled but for blanks": ("dog\ndog \n", "auto", ["line 2", "'dog'", "line 1"]),
    "doubled id": ("7\n7\n", "auto", ["line 2", "'7'", "line 1"]),
    "control character": ("dog\nc\x07at\n", "auto", ["line 2"]),
    "not UTF-8": (b"dog\nK\xe4se\n", "auto", ["byte 5", "UTF-8"]),
    "names where ids were asked for": ("3\ncat\n", "id", ["line 2", "'cat'", "--label-type name"]),
    "too large where ids were asked for": (f"3\n{2**63}\n", "id", ["line 2", str(2**63)]),
}


@pytest.mark.parametrize(("content", "label_type", "words"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_labels_file(content: str | bytes, label_type: str, words: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_labels_file(str(write(tmp_path, content, "labels.txt")), label_type)
    for word in ("labels.txt", *words):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "make", [lambda p: p / "gone", lambda p: p, lambda p: f"{p}/a\0b"], ids=["gone", "folder", "NUL"]
)
def test_labels_file_that_cannot_be_read(make: Callable[[Path], Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--labels"):
        read_labels_file(str(make(tmp_path)), "auto")


# labels, a word of the only warning ("" for none)
WARNINGS: dict[str, tuple[list[str], str]] = {
    "plain names": (["cat", "Dog_2"], ""),
    "look alike": (["cat", "Cat"], "'Cat' and 'cat'"),
    "look alike but for blanks": (["black_cat", "black_Cat"], "look alike"),
    "ids without gaps": (["0", "1", "2"], ""),
    "ids with gaps": (["0", "2"], "the highest is 2"),
    "ids that start at 1": (["1", "2"], "the highest is 2"),
    "a name that AutoML refuses": (["2 cats", "dog"], ""),
    "numbers and one that is no id": (["-1", "0", "1"], "but for '-1'"),
    "numbers among names": (["0", "cat", "dog"], ""),
    "whole floats without gaps": (["0.0", "1.0"], ""),
    "no labels": ([], ""),
}


@pytest.mark.parametrize(("names", "word"), WARNINGS.values(), ids=WARNINGS)
def test_label_warnings(names: list[str], word: str) -> None:
    warnings = label_warnings(build_label_map(names, "auto"), "auto")
    assert len(warnings) == bool(word)
    assert word in "".join(warnings)


# --- through a plan ---


def test_labels_of_all_splits_count_but_not_of_discarded_rows(tmp_path: Path) -> None:
    made = plan_of(tmp_path, ["TRAIN,a.jpg,m", "TEST,b.jpg,c", "DISCARD,c.jpg,a", "VALIDATION,d.jpg,z"])
    assert made.planned.labels.ids == {"c": 0, "m": 1, "z": 2}
    assert made.labels_text == "c\nm\nz\n"
    assert any("'c', 'z'" in warning for warning in made.plan.warnings)  # labels only outside train


@pytest.mark.parametrize(
    "bad",
    ["TRIAN,b.jpg,b", "TRAIN,ftp://x/b.jpg,b", "TRAIN,,b", "TRAIN,b\x01.jpg,b"],
    ids=["unknown split", "a store", "no image", "a control character"],
)
def test_labels_of_rejected_rows_count(bad: str, tmp_path: Path) -> None:
    """So that mending a row, with the labels.txt of the first run, renumbers nothing."""
    made = plan_of(tmp_path, ["TRAIN,a.jpg,a", bad, "TRAIN,c.jpg,c"])
    assert made.plan.total("rejected") == 1
    assert made.planned.labels.ids == {"a": 0, "b": 1, "c": 2}


def test_a_label_that_no_file_can_hold_is_in_no_map(tmp_path: Path) -> None:
    made = plan_of(tmp_path, ["TRAIN,a.jpg,a", "TRAIN,b.jpg,x\x07", "TRAIN,c.jpg,c,d\ne"])
    assert made.labels_text == "a\nc\nd\n"
    assert made.codes == {2: "control_character", 4: "unknown_split"}


def test_the_record_gets_ids_in_the_order_of_its_labels(tmp_path: Path) -> None:
    made = plan_of(tmp_path, ["TRAIN,a.jpg,z,a,m"])
    (row,) = made.rows("train")
    assert (row.label_ids, row.label_texts) == ((2, 0, 1), ("z", "a", "m"))


def test_ids_reach_the_record_as_they_are(tmp_path: Path) -> None:
    made = plan_of(tmp_path, ["TRAIN,a.jpg,9223372036854775807", "TRAIN,b.jpg,5"])
    assert made.plan.label_kind == "id"
    assert {row.label_texts: row.label_ids for row in made.rows("train")} == {
        ("9223372036854775807",): (2**63 - 1,),
        ("5",): (5,),
    }
    assert any("gaps" in warning for warning in made.plan.warnings)


def test_ids_that_were_asked_for_reject_names(tmp_path: Path) -> None:
    made = plan_of(tmp_path, ["TRAIN,a.jpg,5", "TRAIN,b.jpg,cat", "TEST,c.jpg,05"], label_type="id")
    assert made.codes == {2: "bad_label_id", 3: "bad_label_id"}
    assert made.planned.labels.ids == {"5": 5}


def test_fixed_vocabulary(tmp_path: Path) -> None:
    vocabulary = write(tmp_path, "goat\r\ncat\r\n", "vocabulary.txt")
    made = plan_of(
        tmp_path, ["TRAIN,a.jpg,cat", "TRAIN,b.jpg,Cat", "TEST,c.jpg,dog"], labels_file=str(vocabulary)
    )
    assert made.codes == {2: "unknown_label", 3: "unknown_label"}
    assert all("vocabulary.txt" in problem.reason for problem in made.problems)
    assert [row.label_ids for row in made.rows("train")] == [(1,)]
    assert made.labels_text == "goat\ncat\n"


def test_identity_follows_the_content_of_the_vocabulary_not_its_name(tmp_path: Path) -> None:
    files = [
        write(tmp_path, text, name) for text, name in (("a\nb", "1"), ("a\r\nb\n", "2"), ("b\na\n", "3"))
    ]
    first, same, other = (
        plan_of(tmp_path, ["TRAIN,a.jpg,a"], labels_file=str(path)).plan.identity for path in files
    )
    assert first == same != other


# what a row without a label becomes: --unlabelled, (records, rejected, discarded)
UNLABELLED = [("error", (1, 2, 0)), ("keep", (3, 0, 0)), ("skip", (1, 0, 2))]


@pytest.mark.parametrize(("unlabelled", "expected"), UNLABELLED)
def test_unlabelled(unlabelled: str, expected: tuple[int, int, int], tmp_path: Path) -> None:
    made = plan_of(tmp_path, ["TRAIN,a.jpg,x", "TRAIN,b.jpg", "TRAIN,c.jpg,,"], unlabelled=unlabelled)
    outcomes = made.outcomes("train")
    assert (outcomes["records"], outcomes.get("rejected", 0), outcomes.get("discarded", 0)) == expected
    if unlabelled == "keep":
        assert [row.label_ids for row in made.rows("train") if row.image_uri != "a.jpg"] == [(), ()]


# kind and names of a vocabulary, labels that are met, the ids of all
EXTENDED: dict[str, tuple[str, list[str], list[str], dict[str, int]]] = {
    "names": ("name", ["c", "a"], ["b", "a", "B"], {"c": 0, "a": 1, "B": 2, "b": 3}),
    "nothing new": ("name", ["c", "a"], ["a"], {"c": 0, "a": 1}),
    "ids": ("id", ["0", "7"], ["10", "3", "x", "7"], {"0": 0, "3": 3, "7": 7, "10": 10}),
}


@pytest.mark.parametrize(("kind", "names", "met", "ids"), EXTENDED.values(), ids=EXTENDED)
def test_new_labels_move_no_old_one(
    kind: str, names: list[str], met: list[str], ids: dict[str, int], tmp_path: Path
) -> None:
    path = write(tmp_path, "".join(f"{name}\n" for name in names), "labels.txt")
    labels = extended(read_labels_file(str(path), kind), met)
    assert list(labels.ids.items()) == list(ids.items())
    assert sorted(labels.added) == sorted(ids.keys() - set(names))


def test_labels_that_differ_in_the_composing_of_letters_only() -> None:
    """On a screen they are the same."""
    warnings = label_warnings(build_label_map(["caf\u00e9", "cafe\u0301", "tee"], "name"), "name")
    told = "'cafe\\u0301' and 'caf\\xe9' (Unicode normalization)"
    assert warnings[0] == f"labels that look alike are kept apart: {told}"
    both = label_warnings(build_label_map(["Caf\u00e9", "cafe\u0301", "caf\u00e9"], "name"), "name")
    pairs = ("'Caf\\xe9' and 'cafe\\u0301'", "'Caf\u00e9' and 'caf\u00e9'")
    assert both[0] == f"labels that look alike are kept apart: {pairs[0]} (Unicode normalization), {pairs[1]}"


@pytest.mark.parametrize("kind", ["named pipe", "device", "folder", "pipe of a shell"])
def test_labels_that_are_no_regular_file_are_refused(kind: str, tmp_path: Path) -> None:
    """A pipe would be waited for, or be empty when it is read again; some devices have no end."""
    ends = os.pipe()
    os.mkfifo(tmp_path / "pipe")
    path = {
        "named pipe": tmp_path / "pipe", "device": "/dev/zero", "folder": tmp_path,
        "pipe of a shell": f"/dev/fd/{ends[0]}",
    }[kind]  # fmt: skip
    with pytest.raises(UsageError, match=f"--labels {path}: not a regular file") as caught:
        read_labels_file(str(path), "auto")
    assert caught.value.hint
    for end in ends:
        os.close(end)
