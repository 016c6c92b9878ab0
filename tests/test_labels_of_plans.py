"""The label map of a list, through its plan: which rows count, and ids that are given."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from converting import jpeg, manifest, shell, tfrec
from test_dataset_samples import plan_of, write

from tfrecordcli.dataset.labels import build_label_map, extended
from tfrecordcli.dataset.labels_file import read_labels_file
from tfrecordcli.errors import UsageError
from tfrecordcli.planning.label_warnings import label_warnings


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


# names, ids in the list, labels of the dataset by each way that is proposed; none: rejected otherwise
NUMBERED = {
    "from 1": ("Acura, RL\nAudi\nBMW", "13", {"from 1": ["Acura, RL", "BMW"]}),
    "from 0": ("Acura, RL\nAudi\nBMW", "02", {"from 0": ["Acura, RL", "BMW"]}),
    "either": ("Acura\nAudi\nBMW", "12", {"from 1": ["Acura", "Audi"], "from 0": ["Audi", "BMW"]}),
    "below a header": ("name\nAcura\nAudi", "12", {"from 1": ["name", "Acura"], "from 0": ["Acura", "Audi"]}),
    "behind their numbers": ("id,name\n1,Audi\n2,BMW", "12", {"by number": ["Audi", "BMW"]}),
    "behind numbers with gaps": ("1,Audi\n5,BMW", "15", {"by number": ["Audi", "BMW"]}),
    "that begin with numbers": (
        "2 Series\n1 Series", "12",
        {"by number": ["Series (1)", "Series (2)"], "from 1": ["1 Series", "2 Series"]},
    ),
    "above blank lines": ("Acura\nAudi\n\n \n", "12", {"from 1": ["Acura", "Audi"]}),
    "fewer than numbers": ("Acura\nAudi", "13", {}),
    "many more than numbers": (
        "Acura\nAudi\nBMW\nFord", "12", {"from 1": ["Acura", "Audi"], "from 0": ["Audi", "BMW"]}
    ),
    "beside a number": ("Acura\nAudi\nBMW", ["3", "Audi"], {}),
    "a number without end": ("Acura\nAudi", ["1", "2" * 5000], {}),
}  # fmt: skip


@pytest.mark.parametrize(("names", "ids", "ways"), NUMBERED.values(), ids=NUMBERED)
def test_numbers_of_the_lines_of_a_vocabulary(
    names: str, ids: Sequence[str], ways: dict[str, list[str]], tmp_path: Path
) -> None:
    for seed, name in enumerate(("a.jpg", "b.jpg")):
        (tmp_path / name).write_bytes(jpeg(seed))
    write(tmp_path, f"image,label\na.jpg,{ids[0]}\nb.jpg,{ids[1]}\n", "list.csv")
    write(tmp_path, names, "names.csv")
    run = tfrec("convert", "list.csv", "out", "--labels", "names.csv", cwd=tmp_path)
    assert run.code in (1, 2)
    assert ("names.csv has names, and labels are numbers" in run.err) == bool(ways)
    told = re.findall(r"(by number|from \d): (?:(python .*?); then )?--label-names (\S+)", run.err)
    assert {way for way, *_ in told} == {*ways}
    for way, command, option in told:
        assert not command or not shell(command, tmp_path).code
        assert not tfrec("convert", "list.csv", f"out {way}", "--label-names", option, cwd=tmp_path).code
        made = manifest(tmp_path / f"out {way}")
        used = {number for split in made["splits"].values() for number in split["labels"]}
        assert sorted(name for name, number in made["labels"].items() if str(number) in used) == sorted(
            ways[way]
        )


def test_numbers_may_be_names_beside_those_of_a_vocabulary(tmp_path: Path) -> None:
    path = write(tmp_path, "cat\ndog\n", "names.txt")
    made = plan_of(tmp_path, ["TRAIN,a.jpg,1"], labels_file=str(path), new_labels="append")
    assert made.labels_text == "cat\ndog\n1\n"


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
