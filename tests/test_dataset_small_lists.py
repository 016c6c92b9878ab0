"""Small lists that lose a split, and options that do nothing: both are said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from converting import convert_json, jpeg, shell, tfrec, write_csv
from test_dataset_samples import Made, plan_from, plan_of

import tfrecordcli
from tfrecordcli.errors import MissingPackageError, UsageError
from tfrecordcli.given_options import make_options
from tfrecordcli.planning import split_shares
from tfrecordcli.runners.beam import options as beam_options
from tfrecordcli.schema import SPLITS
from tfrecordcli.verify_options import make_verify_options


def lines(rows: int, split: str = "") -> list[str]:
    return [f"{split},photo {number}.jpg,{'ab'[number % 2]}" for number in range(rows)]


def lost(made: Any) -> list[str]:
    return [warning for warning in made.plan.warnings if "splits came out" in warning]


def counts(made: Any) -> dict[str, int]:
    return {split.split: split.planned for split in made.plan.splits}


@pytest.mark.parametrize("rows", [3, 5, 8, 12])
def test_a_lost_split_is_said_with_a_seed_that_cures_it(rows: int, tmp_path: Path) -> None:
    made = plan_of(tmp_path, lines(rows), split_seed=_losing_seed(rows, tmp_path))
    (warning,) = lost(made)
    assert f"{rows} rows without a split are few for train=80,validation=10,test=10" in warning
    told = re.search(r"--split-seed (\d+) makes it train (\d+), validation (\d+), test (\d+)", warning)
    assert told is not None
    cured = plan_of(tmp_path, lines(rows), split_seed=told[1])
    assert lost(cured) == []
    assert counts(cured) == dict(
        zip(("train", "validation", "test"), map(int, told.groups()[1:]), strict=True)
    )
    assert int(told[2]) == max(int(part) for part in told.groups()[1:]) or rows == 3


@pytest.mark.parametrize("rows", [2, 3, 5, 12])
@pytest.mark.parametrize("named", [[], ["TRAIN"], ["VALIDATION", "TEST"]], ids=len)
def test_the_search_for_a_seed_ends_at_the_best_one(
    rows: int, named: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = [*lines(rows), *(f"{split},{split}.jpg,a" for split in named)]
    found = lost(plan_of(tmp_path, listed, split_seed=_losing_seed(rows, tmp_path)))
    monkeypatch.setattr(split_shares, "_least_off", lambda *_: -1.0)  # which no seed reaches: all are tried
    assert lost(plan_of(tmp_path, listed, split_seed=_losing_seed(rows, tmp_path))) == found


def _losing_seed(rows: int, tmp_path: Path) -> int:
    return next(
        seed for seed in range(99) if len(counts(plan_of(tmp_path, lines(rows), split_seed=seed))) < 3
    )


def test_less_than_half_of_a_share_is_told_and_half_is_not(tmp_path: Path) -> None:
    """24 rows give test a share of 2.4: one row is less than half of it, two are not."""
    seen = set()
    for seed in range(40):
        made = plan_of(tmp_path, lines(24), split_seed=seed)
        least = min(counts(made).get("validation", 0), counts(made).get("test", 0))
        seen.add(least)
        assert bool(lost(made)) == (least < 2 or counts(made)["train"] < 10)
    assert {1, 2} <= seen


def test_two_rows_cannot_fill_three_splits(tmp_path: Path) -> None:
    (warning,) = lost(plan_of(tmp_path, lines(2)))
    assert "--split-seed" not in warning
    assert "larger share by --splits" in warning
    assert lost(plan_of(tmp_path, lines(2), splits="train=1")) == []


def test_a_tiny_share_of_many_rows(tmp_path: Path) -> None:
    (warning,) = lost(plan_of(tmp_path, lines(1500), splits="train=100000,test=1"))
    assert "test 0" in warning
    assert "give test a larger share by --splits" in warning


@pytest.mark.parametrize(
    "rows",
    [
        lines(12, "TRAIN"),
        [*lines(12, "TRAIN"), "TEST,t.jpg,a", "VALIDATION,v.jpg,a", ",u.jpg,a"],
        [f",{n}.jpg,a" for n in range(400)],
    ],
    ids=["named", "one is dealt", "many"],
)
def test_nothing_is_said_where_no_split_is_lost(rows: list[str], tmp_path: Path) -> None:
    assert lost(plan_of(tmp_path, rows)) == []


def _patients(folder: Path, **options: Any) -> Made:
    """A plan of eight patients with some images each."""
    rows = [f"{n}.jpg,{'ab'[n % 2]},p{n % 8}" for n in range(60) if n % 8 < 7 or n < 20]
    return plan_of(folder, ["image,label,patient", *rows], split_by="patient", **options)


def test_groups_that_miss_a_split_get_a_seed_that_gives_each_split_some(tmp_path: Path) -> None:
    seeds = [seed for seed in range(20) if len(counts(_patients(tmp_path, split_seed=seed))) < len(SPLITS)]
    assert seeds
    for seed in seeds[:3]:
        (warning,) = lost(_patients(tmp_path, split_seed=seed))
        told = re.search(r"--split-seed (\d+) makes it train (\d+), validation (\d+), test (\d+)$", warning)
        assert told
        cured = _patients(tmp_path, split_seed=told[1])
        assert [counts(cured)[split] for split in SPLITS] == [*map(int, told.groups()[1:])]
        assert lost(cured) == []


def test_a_split_without_a_group_is_the_one_to_get_a_larger_share(tmp_path: Path) -> None:
    rows = [f"{n}.jpg,{'ab'[n % 2]},p{n % 2}" for n in range(60)]
    empty = set()
    for seed in range(12):
        made = plan_of(tmp_path, ["image,label,patient", *rows], split_by="patient", split_seed=seed)
        (warning,) = lost(made)
        larger = re.search("give (\\w+) a larger share", warning)
        assert larger
        assert counts(made).get(larger[1], 0) == 0
        empty.add(larger[1])
    assert len(empty) > 1


def test_a_folder_loses_splits_as_a_list_does(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"in/{'ab'[number]}").mkdir(parents=True)
        (tmp_path / f"in/{'ab'[number]}/{number}.jpg").write_bytes(jpeg(number))
    run = tfrec("convert", tmp_path / "in", tmp_path / "out")
    assert run.code == 0
    assert "warning: the splits came out as " in run.err


# --- options that do nothing ---

# options, words of the only note
LIST_NOTES: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "splits": ("TRAIN", {"splits": "train=1"}, ["--splits is not used", "every row"]),
    "split seed": ("TRAIN", {"split_seed": 3}, ["--split-seed is not used"]),
    "both": ("TRAIN", {"splits": "train=1", "split_seed": 3}, ["--splits, --split-seed are not used"]),
    "label folder": ("TRAIN", {"label_folder": "last"}, ["--label-folder is not used: the source is a list"]),
    "boxes": (
        "TRAIN", {"boxes": "strict", "box_unit": "pixels"}, ["--box-unit, --boxes are not used: no box is"]
    ),
    "box frame": ("TRAIN", {"box_frame": "stored"}, ["--box-frame is not used"]),
    "empty images": ("TRAIN", {"empty_images": "skip"}, ["--empty-images is not used"]),
    "gate": (
        "TRAIN", {"check": "structure", "gate": "portable", "admit": "dc_range"},
        ["--gate, --admit are not used: --check structure"],
    ),
    "map": ("TRAIN", {"map": "x/=y/,z/=y/"}, ["--map x/=y/,z/=y/ are not used: no path"]),
    "map behind another": (
        "TRAIN", {"map": "p=im/p,photo=b/"}, ["--map photo=b/ is not used: an entry before takes all paths"]
    ),
    "several rows": ("TRAIN", {"multi_label": True}, ["--multi-label is not used: no image has other"]),
    "several labels": (
        "TRAIN", {"label_separator": ";"}, ["--label-separator is not used: no row has several labels"]
    ),
    "split map": (
        "TRAIN", {"split_map": "TRAIN=train,dev=test"}, ["--split-map dev=test is not used: no row has"]
    ),
    "shard size": ("TRAIN", {"num_shards": 2, "shard_size": "1MB"}, ["--shard-size is not used"]),
}  # fmt: skip


@pytest.mark.parametrize(("split", "options", "words"), LIST_NOTES.values(), ids=LIST_NOTES)
def test_what_a_list_has_no_use_for(
    split: str, options: dict[str, Any], words: list[str], tmp_path: Path
) -> None:
    (note,) = plan_of(tmp_path, lines(9, split), **options).plan.remarks
    for word in words:
        assert word in note


@pytest.mark.parametrize(
    "options",
    [{"splits": "train=1"}, {"split_seed": 3}, {"num_shards": "test=1", "shard_size": "1MB"}, {}],
    ids=str,
)
def test_what_is_used_is_not_noted(options: dict[str, Any], tmp_path: Path) -> None:
    rows = [",u.jpg,a", "TEST,t.jpg,a", "TRAIN,v.jpg,a"]
    assert plan_of(tmp_path, rows, **options).plan.remarks == ()


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (["TRAIN,a.jpg,x", "TRAIN,a.jpg,y"], {"multi_label": True}),
        (["TRAIN,a.jpg,x;y", "TRAIN,b.jpg,y"], {"label_separator": ";"}),
        (["TRAIN,a.jpg,x", "TRAIN,b.jpg,y"], {"label_separator": "none"}),
    ],
    ids=str,
)
def test_several_labels_that_were_asked_for_are_not_noted(
    rows: list[str], options: dict[str, Any], tmp_path: Path
) -> None:
    assert plan_of(tmp_path, rows, **options).plan.remarks == ()


@pytest.mark.parametrize(("other", "notes"), [("a", 0), ("b", 1)])
def test_several_rows_of_labels_in_json_are_used(other: str, notes: int, tmp_path: Path) -> None:
    lines = [{"image": "a.jpg", "label": "x", "split": "train"}]
    lines.append({"image": f"{other}.jpg", "label": "y", "split": "train"})
    (tmp_path / "list.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    told = plan_from(tmp_path / "list.jsonl", tmp_path, multi_label=True).plan.remarks
    unused = ["--multi-label is not used: no image has other labels in other rows"]
    assert [*told] == ["this is read as JSON Lines", *unused[:notes]]


def test_empty_labels_may_be_a_class(tmp_path: Path) -> None:
    labels = ["wet", "", " ", "torn", "", "wet"]
    rows = ["split,image,label", *(f"TRAIN,{n}.jpg,{label}" for n, label in enumerate(labels))]
    (said,) = (each for each in plan_of(tmp_path, rows).plan.warnings if "WORD" in each)
    assert said.startswith("3 of 6 rows have no label: where an empty label is a class of its own, write")
    command, _, then = said.partition("WORD: ")[2].partition("; convert ")
    done = shell(command.replace(" WORD", " 'as new'"), tmp_path)
    assert done.code == 0, done
    assert [*pd.read_csv(then)["label"]] == ["wet", "as new", "as new", "torn", "as new", "wet"]
    kept = plan_of(tmp_path, rows, unlabelled="keep").plan
    assert "3 of 6 rows have no label, and are kept without one" in kept.remarks
    one = plan_of(tmp_path, rows[:3], unlabelled="keep").plan
    assert "1 of 2 rows has no label, and is kept without one" in one.remarks
    for plan in (kept, plan_of(tmp_path, [*rows[:3], *[f"TRAIN,{n}.jpg,dry" for n in range(9, 14)]]).plan):
        assert not [each for each in plan.warnings if "WORD" in each]


def test_boxes_have_no_use_for_several_rows_of_labels(tmp_path: Path) -> None:
    rows = ["TRAIN,a.jpg,x,0,0,1,1", "TRAIN,a.jpg,y,0,0,1,1"]
    header = "split,image,label,xmin,ymin,xmax,ymax"
    (tmp_path / "boxes.csv").write_text("\n".join([header, *rows]))
    notes = plan_from(tmp_path / "boxes.csv", tmp_path, multi_label=True, box_unit="fractions").plan.remarks
    assert "--multi-label is not used: each row is a box with a label of its own" in notes


def test_an_image_root_that_no_path_needs(tmp_path: Path) -> None:
    rows = [f"TRAIN,{tmp_path}/a.jpg,x", "TRAIN,gs://b/c.jpg,x"]
    (note,) = plan_of(tmp_path, rows, image_root=str(tmp_path)).plan.remarks
    assert note == "--image-root is not used: every path is absolute"
    assert plan_of(tmp_path, [*rows, "TRAIN,c.jpg,x"], image_root=str(tmp_path)).plan.remarks == ()


def test_what_a_folder_has_no_use_for(tmp_path: Path) -> None:
    for label in "ab":
        (tmp_path / "in" / label).mkdir(parents=True)
        (tmp_path / "in" / label / "1.jpg").write_bytes(jpeg())
    source, splits = str(tmp_path / "in"), "train=1"
    made = plan_from(source, tmp_path, splits=splits, columns="label=x", encoding="cp1252", delimiter=";")
    note = "--columns, --encoding, --delimiter are not used: the source is a folder"
    assert made.plan.remarks == (note,)
    assert plan_from(source, tmp_path, splits=splits, label_folder="last").plan.remarks == ()


def test_what_a_frame_has_no_use_for(tmp_path: Path) -> None:
    frame = pd.DataFrame({"image_uri": ["a.jpg"], "label": ["x"], "split": ["train"]})
    made = plan_from(frame, tmp_path, delimiter=";", label_folder="last", columns="label=label")
    assert made.plan.remarks == ("--delimiter, --label-folder are not used: the source is a DataFrame",)


def test_a_note_is_told_on_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/1.jpg").write_bytes(jpeg())
    source = write_csv(tmp_path / "in/a.csv", [("TRAIN", "1.jpg", "x")], ("split", "image_uri", "label"))
    run = tfrec("convert", source, tmp_path / "out", "--splits", "train=1")
    instead = "to assign all of them anew: --split-map TRAIN=unassigned"
    said = f"note: --splits is not used: every row has a split of its own; {instead}\n"
    assert (run.code, run.err) == (0, said)
    assert convert_json(source, tmp_path / "out", "--splits", "train=1")["warnings"] == []


def test_a_folder_that_names_its_splits_has_no_use_for_a_column(tmp_path: Path) -> None:
    for split in ("train", "test"):
        (tmp_path / "in" / split / "a").mkdir(parents=True)
        (tmp_path / "in" / split / "a" / f"{split}.jpg").write_bytes(jpeg())
    made = plan_from(str(tmp_path / "in"), tmp_path, split_by="x", map="a=b", split_map="a=train")
    assert made.plan.remarks == ("--split-map, --map, --split-by are not used: the source is a folder",)


def test_an_entry_of_several_lists_is_used_where_one_of_them_has_it(tmp_path: Path) -> None:
    for name, row in {"one": "A,old/a.jpg,x", "two": "B,older/b.jpg,y"}.items():
        (tmp_path / f"{name}.csv").write_text(f"split,image_uri,label\n{row}\n")
    words = ["--dry-run", "--map", "older/=./,old/=./,none/=./", "--split-map", "A=train,B=test,C=test"]
    done = tfrec("convert", tmp_path / "one.csv", tmp_path / "two.csv", tmp_path / "out", *words)
    assert done.code == 0, done.err
    notes = [line for line in done.err.splitlines() if "not used" in line]
    assert notes == [
        "note: --map none/= is not used: no path of the list begins so",
        "note: --split-map C=test is not used: no row has such a word for its split",
    ]


def test_a_list_of_rejected_rows_need_not_have_what_all_rows_had(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("split,image_uri,label\nA,old/a.jpg,x\nB,b.jpg,\n")
    (tmp_path / "a.jpg").write_bytes(jpeg())
    words = ["--map", "old/=./", "--split-map", "A=train,B=train"]
    assert tfrec("convert", tmp_path / "list.csv", tmp_path / "out", *words).code == 1
    again = tfrec("convert", tmp_path / "out/rejects.csv", tmp_path / "more", "--dry-run", *words)
    assert "not used" not in again.err


# --- names that are nearly right ---


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("Dirct", "DirectRunner"),
        ("locl", "local"),
        ("DataflwRunner", "DataflowRunner"),
        ("flnk", "FlinkRunner"),
    ],
)
@pytest.mark.parametrize("is_installed", [True, False])
def test_a_runner_is_suggested_before_beam_is_asked_for(
    given: str, near: str, is_installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_installed:
        pytest.importorskip("apache_beam")
    else:
        monkeypatch.setattr(beam_options, "_is_installed", lambda _: False)
    with pytest.raises(UsageError) as caught:
        tfrecordcli.convert(tmp_path / "list.csv", tmp_path / "out", runner=given)
    assert caught.value.message == f'runner="{given}": there is no such runner'
    assert caught.value.hint == f"did you mean {near}?"


@pytest.mark.parametrize("given", ["direct", "DirectRunner", "Dataflow", "my.own.Runner", "zzz"])
def test_beam_is_asked_for_when_a_name_may_be_right(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beam_options, "_is_installed", lambda _: False)
    with pytest.raises(MissingPackageError):
        tfrecordcli.convert(tmp_path / "list.csv", tmp_path / "out", runner=given)


@pytest.mark.parametrize(
    ("make", "given", "near"),
    [
        (make_options, "num_shard", "num_shards"),
        (make_options, "colums", "columns"),
        (make_options, "label", "labels"),
        (make_options, "Splits", "splits"),
        (make_verify_options, "batchsize", "batch_size"),
    ],
)
def test_a_keyword_is_suggested(make: Callable[..., Any], given: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        make({given: 1})
    assert given in caught.value.message
    assert caught.value.hint == f"did you mean {near}?"


def test_a_keyword_of_load_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"did you mean batch_size\?"):
        tfrecordcli.load(tmp_path, batchsize=3)
