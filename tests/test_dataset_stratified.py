"""Splits that keep the shares of classes, and groups of rows in one split."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from converting import write_csv
from test_dataset_samples import plan_from, plan_of

from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.planning.stratified import StratifiedSplitter

WEIGHTS = (("train", 80.0), ("validation", 10.0), ("test", 10.0))
SHARES = {"train": 0.8, "validation": 0.1, "test": 0.1}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("rows", "classes"), [(1000, 3), (1000, 40), (100, 4), (5000, 7)])
def test_each_split_has_its_share_of_each_class(rows: int, classes: int, seed: int) -> None:
    chance = random.Random(seed)
    labels = [(f"c{int(chance.paretovariate(1)) % classes}",) for _ in range(rows)]
    splitter = StratifiedSplitter(WEIGHTS, rows)
    assigned = Counter((label, splitter.split_of("", label)) for label in labels)
    for split, share in SHARES.items():
        assert sum(n for (_, of), n in assigned.items() if of == split) == pytest.approx(share * rows, abs=1)
        for label, count in Counter(labels).items():
            assert abs(assigned[label, split] - share * count) < 3


@pytest.mark.parametrize(
    ("rows", "expected"),
    [(1, [1, 0, 0]), (2, [1, 1, 0]), (3, [1, 1, 1]), (12, [10, 1, 1]), (24, [19, 3, 2]), (30, [24, 3, 3])],
)
@pytest.mark.parametrize("classes", [1, 2, 30])
def test_no_split_is_empty_where_there_are_enough_rows(rows: int, expected: list[int], classes: int) -> None:
    splitter = StratifiedSplitter(WEIGHTS, rows)
    assigned = Counter(splitter.split_of("", (str(n % classes),)) for n in range(rows))
    assert [assigned[split] for split in SHARES] == expected


def test_a_small_list_is_stratified(tmp_path: Path) -> None:
    rows = [f"{n}.jpg,{'abc'[n % 3]}" for n in range(12)]
    made = plan_of(tmp_path, rows, stratify=True)
    assert {s.split: s.planned for s in made.plan.splits} == {"train": 10, "validation": 1, "test": 1}
    assert any("may move others" in remark for remark in made.plan.remarks)


def test_stratified_splits_are_proposed_where_one_is_lost(tmp_path: Path) -> None:
    rows = [f"{n}.jpg,{'abc'[n % 3]}" for n in range(12)]
    (warning,) = plan_of(tmp_path, rows, splits="train=98,validation=1,test=1").plan.warnings
    assert "--stratify" in warning


def test_labels_outside_train_are_told_of_stratified_splits(tmp_path: Path) -> None:
    made = plan_of(tmp_path, [f"{n}.jpg,c{n}" for n in range(12)], stratify=True)
    (warning,) = [each for each in made.plan.warnings if "only outside train" in each]
    assert warning.count("'c") == 2


def test_rows_of_a_group_stay_in_one_split(tmp_path: Path) -> None:
    rows = [(f"{n}.jpg", "ab"[n % 2], f"p{n // 5}") for n in range(200)]
    source = str(write_csv(tmp_path / "list.csv", rows, ("image", "label", "patient")))
    made = plan_from(source, tmp_path, split_by="patient")
    found = defaultdict(set)
    for split in ("train", "validation", "test"):
        for row in made.rows(split):
            found[int(row.image_uri.removesuffix(".jpg")) // 5].add(split)
    assert len(found) == 40
    assert all(len(splits) == 1 for splits in found.values())
    assert set().union(*found.values()) == {"train", "validation", "test"}
    assert all(feature.column is None for feature in made.plan.schema.features)


def test_groups_with_rows_that_name_a_split_are_pointed_out(tmp_path: Path) -> None:
    rows = [(f"{n}.jpg", "a", "p", "test" if n else "") for n in range(5)]
    source = str(write_csv(tmp_path / "list.csv", rows, ("image", "label", "patient", "split")))
    made = plan_from(source, tmp_path, split_by="patient")
    assert "rows of one patient may be in several splits: some of the rows name theirs" in made.plan.remarks


def test_a_group_needs_its_column(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--split-by patient: no column of that name; the columns"):
        plan_of(tmp_path, ["image,label", "a.jpg,x"], split_by="patient")
    with pytest.raises(UsageError, match="--stratify and --split-by"):
        plan_of(tmp_path, ["a.jpg,x"], split_by="patient", stratify=True)
