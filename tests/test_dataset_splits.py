"""Split words, and the dealing of rows that name none."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrecordcli.given_options import make_options
from tfrecordcli.planning.split_assignment import Splitter
from tfrecordcli.split_words import DISCARD, UNASSIGNED, parse_split, suggest_split

URIS = [f"photos/{number:05d}.jpg" for number in range(5000)]


def assigned(shares: object = None, seed: int = 0, uris: list[str] = URIS) -> list[str]:
    splitter = Splitter(make_options({"splits": shares}).read.splits, seed)
    return [splitter.split_of(uri) for uri in uris]


@pytest.mark.parametrize(
    ("word", "split"),
    [
        ("TrAiN", "train"),
        ("VAL", "validation"),
        ("Holdout", "test"),
        ("DISCARD", DISCARD),
        ("", UNASSIGNED),
        ("Unassigned", UNASSIGNED),
        ("trains", None),
        ("tra in", None),
        ("0", None),
        ("ﬁt", None),
    ],
)
def test_words(word: str, split: str | None) -> None:
    assert parse_split(word) == split


@given(st.text(max_size=10))
def test_every_other_word_gets_advice(word: str) -> None:
    assert (
        parse_split(word) is not None
        or "train" in suggest_split(word)
        or "did you mean" in suggest_split(word)
    )


# shares, the part of all rows that each split must get
SHARES = [
    (None, {"train": 0.8, "validation": 0.1, "test": 0.1}),
    ("train=80,validation=10,test=10", {"train": 0.8, "validation": 0.1, "test": 0.1}),
    ("train=8,validation=1,test=1", {"train": 0.8, "validation": 0.1, "test": 0.1}),  # only the ratios count
    ("train=2,test=1", {"train": 2 / 3, "test": 1 / 3}),
    ("validation=1,test=1", {"validation": 0.5, "test": 0.5}),
    ("test=5", {"test": 1.0}),
    ("train=1,test=0", {"train": 1.0}),
]


@pytest.mark.parametrize("seed", [0, 1, -7])
@pytest.mark.parametrize(("shares", "parts"), SHARES)
def test_shares_are_honoured(shares: str | None, parts: dict[str, float], seed: int) -> None:
    counts = Counter(assigned(shares, seed))
    assert counts.keys() == parts.keys()
    for split, part in parts.items():
        # five standard deviations of a fair dealing
        assert abs(counts[split] - part * len(URIS)) <= 5 * (part * (1 - part) * len(URIS)) ** 0.5


def test_what_is_dealt_is_fixed_for_ever() -> None:
    """A release that deals otherwise would move rows between the splits of datasets that exist."""
    uris = [f"{letter}.jpg" for letter in "abcdefghijklmnopqrstuvwxyz"]
    found = {
        split: "".join(u[0] for u, s in zip(uris, assigned(uris=uris), strict=True) if s == split)
        for split in ("validation", "test")
    }
    assert found == {"validation": "e", "test": "bgqsu"}


def test_adding_and_reordering_rows_moves_none() -> None:
    before = dict(zip(URIS, assigned(), strict=True))
    more = [*URIS, *(f"new/{number}.jpg" for number in range(1000))]
    random.Random(0).shuffle(more)
    after = dict(zip(more, assigned(uris=more), strict=True))
    assert before == {uri: after[uri] for uri in URIS}


def test_growing_one_share_moves_rows_only_into_it() -> None:
    before, after = assigned("train=50,test=50"), assigned("train=60,test=40")
    moved = {(old, new) for old, new in zip(before, after, strict=True) if old != new}
    assert moved == {("test", "train")}


def test_slashes_count_alike() -> None:
    assert assigned(uris=[uri.replace("/", "\\") for uri in URIS]) == assigned()


def test_another_seed_deals_otherwise() -> None:
    changed = sum(one != two for one, two in zip(assigned(), assigned(seed=1), strict=True))
    assert 0.2 * len(URIS) < changed < 0.5 * len(URIS)  # 34 in 100 for 80/10/10


def test_the_order_of_shares_as_written_does_not_matter() -> None:
    assert assigned("test=1,train=3") == assigned("train=3,test=1")
