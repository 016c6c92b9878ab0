"""Sizes and lists as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfrecordcli.errors import UsageError
from tfrecordcli.units import format_size, join_pairs, parse_pairs, parse_size, plural

SIZES = [
    ("1", 1),
    ("1000", 1000),
    (4096, 4096),
    ("1B", 1),
    ("1k", 1024),
    ("1K", 1024),
    ("1kB", 1000),
    ("1KiB", 1024),
    ("128MiB", 128 << 20),
    ("128 MiB", 128 << 20),
    (" 2m ", 2 << 20),
    ("2mb", 2_000_000),
    ("1.5GB", 1_500_000_000),
    ("1.5GiB", 3 << 29),
    ("2t", 2 << 40),
    ("0.5k", 512),
    ("1.9", 1),
]


@pytest.mark.parametrize(("text", "size"), SIZES)
def test_sizes(text: str | int, size: int) -> None:
    assert parse_size(text, "--shard-size") == size


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "MB",
        "-1",
        "+1",
        "0",
        "0MB",
        "0.2",
        "1e9",
        "1.MB",
        ".5MB",
        "1,5MB",
        "1 000",
        "1PB",
        "1MiBs",
        "0x10",
        "inf",
        "nan",
        "9" * 400,
        "9" * 30,
        "9999999999TB",
        True,
        None,
        1.5e300,
    ],
)
def test_bad_sizes(text: str) -> None:
    with pytest.raises(UsageError, match="--shard-size"):
        parse_size(text, "--shard-size")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (99_400, "99.4 kB"),
        (99_600, "100 kB"),
        (999_400, "999 kB"),
        (999_600, "1.0 MB"),
        (1_500_000_000, "1.5 GB"),
        (10**15, "1000 TB"),
    ],
)
def test_sizes_for_people(size: int, text: str) -> None:
    assert format_size(size) == text


def test_plural() -> None:
    assert [plural(n, "row") for n in (0, 1, 2, 2000)] == ["0 rows", "1 row", "2 rows", "2,000 rows"]
    assert plural(2, "entry", "entries") == "2 entries"


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("a=1", [("a", "1")]),
        (" a = 1 , b=2", [("a", "1"), ("b", "2")]),
        ("a=b=c", [("a", "b=c")]),
        ("a=1,a=2", [("a", "1"), ("a", "2")]),
        ('a="x, y",b=2', [("a", "x, y"), ("b", "2")]),
        ('b=2, a = "x, ""y""=z" ', [("b", "2"), ("a", 'x, "y"=z')]),
        ('a=x "y",b=2', [("a", 'x "y"'), ("b", "2")]),
        ('a="x,b=2', [("a", '"x'), ("b", "2")]),
        ('a="x" y,b=2', [("a", '"x" y'), ("b", "2")]),
    ],
)
def test_pairs(text: str, pairs: list[tuple[str, str]]) -> None:
    assert parse_pairs(text, "--splits") == pairs


@pytest.mark.parametrize("text", ["", "a", "a=", "=1", "a=1,", ",a=1", "a=1,,b=2", "a:1", 'a="x,y" z'])
def test_bad_pairs(text: str) -> None:
    with pytest.raises(UsageError, match="--splits"):
        parse_pairs(text, "--splits")


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.text('a,"= ', min_size=1)), min_size=1))
def test_pairs_come_back(pairs: list[tuple[str, str]]) -> None:
    assert parse_pairs(join_pairs(pairs), "--columns") == pairs
