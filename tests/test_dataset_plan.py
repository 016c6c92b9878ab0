"""The plan: the order of its rows, and which shard each goes to."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_dataset_samples import LINES, check_sums, plan_of

from tfrecordcli.dataset.plan import Plan, PlannedRow, parse_planned_row, plan_splits
from tfrecordcli.errors import InputError, OutageError, UsageError
from tfrecordcli.options import ShardOptions
from tfrecordcli.planning import record_size
from tfrecordcli.schema import SPLITS
from tfrecordcli.storage import remote
from tfrecordcli.workdir.job import Job, load_plan
from tfrecordcli.workdir.workspace import Workspace

# --- the order, and the shards ---


def test_every_row_is_planned_once(tmp_path: Path) -> None:
    made = plan_of(tmp_path, LINES, num_shards=7)
    rows = [row for split in SPLITS for row in made.rows(split)]
    assert sorted(row.line for row in rows) == list(range(1, 2001))
    assert all(row.image_uri == f"p/{row.line - 1}.jpg" for row in rows)
    assert all(row.label_ids == ((row.line - 1) % 5,) for row in rows)


def test_the_order_of_the_source_does_not_matter(tmp_path: Path) -> None:
    made, again = plan_of(tmp_path, LINES), plan_of(tmp_path, reversed(LINES))
    for split in SPLITS:
        assert made.uris(split) == again.uris(split)


def test_rows_are_mixed(tmp_path: Path) -> None:
    """Also within a shard: neighbours of the source are no neighbours, labels do not come in runs."""
    uris = [int(uri[2:-4]) for uri in plan_of(tmp_path, LINES).uris("train")]
    assert uris != sorted(uris)
    rises = sum(a < b for a, b in pairwise(uris))
    assert 0.4 < rises / len(uris) < 0.6
    assert sum(a % 5 == b % 5 for a, b in pairwise(uris)) < 0.35 * len(uris)


def test_another_seed_gives_another_order_of_the_same_rows(tmp_path: Path) -> None:
    made, other = plan_of(tmp_path, LINES), plan_of(tmp_path, LINES, seed=1)
    for split in SPLITS:
        assert made.uris(split) != other.uris(split)
        assert sorted(made.uris(split)) == sorted(other.uris(split))
    assert made.plan.identity != other.plan.identity


def test_another_split_seed_moves_only_rows_without_a_split(tmp_path: Path) -> None:
    made, other = plan_of(tmp_path, LINES), plan_of(tmp_path, LINES, split_seed=1)
    moved = set(made.uris("train")) ^ set(other.uris("train"))
    assert moved
    assert all(int(uri[2:-4]) % 3 == 2 for uri in moved)


def test_adding_rows_keeps_the_order_of_the_others(tmp_path: Path) -> None:
    more = [f"new/{n}.jpg,1" for n in range(200)]
    made, grown = plan_of(tmp_path, LINES), plan_of(tmp_path, [*more, *LINES])
    for split in SPLITS:
        assert [uri for uri in grown.uris(split) if not uri.startswith("new/")] == made.uris(split)


@pytest.mark.parametrize("shards", [1, 2, 3, 7, 16, 250, 666])
def test_shards_differ_by_at_most_one_row(shards: int, tmp_path: Path) -> None:
    made = plan_of(tmp_path, [f"TRAIN,p/{n}.jpg,x" for n in range(666)], num_shards=shards)
    lengths = [len(rows) for rows in made.shards.values()]
    assert list(made.shards) == [f"train-{index:05d}-of-{shards:05d}" for index in range(shards)]
    assert max(lengths) - min(lengths) <= 1
    assert sum(lengths) == 666
    assert [(str(name), length) for name, length in made.plan.shards()] == [
        (f"{name}.tfrecord", length) for name, length in zip(made.shards, lengths, strict=True)
    ]


def test_cutting_into_other_shards_keeps_the_order(tmp_path: Path) -> None:
    assert plan_of(tmp_path, LINES, num_shards=3).uris("train") == plan_of(tmp_path, LINES).uris("train")


# planned rows by split, options, mean size of an image, shards by split
SHARD_COUNTS: list[tuple[dict[str, int], dict[str, Any], float, dict[str, int]]] = [
    ({"train": 1}, {}, 100_000, {"train": 1}),
    ({"train": 199}, {}, 100_000, {"train": 1}),
    ({"train": 200}, {}, 100_000, {"train": 2}),  # rows // 100
    ({"train": 1600, "test": 300}, {}, 1000, {"train": 16, "test": 3}),
    ({"train": 100_000}, {}, 1000, {"train": 16}),  # never more than 16 for the sake of cores
    ({"train": 100_000}, {}, 0, {"train": 16}),  # no image of the sample is there
    ({"train": 100_000}, {}, 128 * 2**20 / 1000, {"train": 100}),  # by size
    ({"train": 100_000}, {}, 128 * 2**20 / 1000 + 1, {"train": 101}),
    ({"train": 1000}, {"shard_size": 1}, 1000, {"train": 1000}),  # at most one a row
    ({"train": 1000}, {"shard_size": 100_000}, 1000, {"train": 10}),
    ({"train": 5}, {"num_shards": (("", 5),)}, 1000, {"train": 5}),
    ({"train": 50, "test": 5}, {"num_shards": (("train", 8),)}, 1000, {"train": 8, "test": 1}),
    ({"train": 50, "test": 5}, {"num_shards": (("train", 8), ("test", 2))}, 1000, {"train": 8, "test": 2}),
    ({}, {"num_shards": (("train", 8),)}, 0, {}),  # no row can be used: that is what is to be said
]


@pytest.mark.parametrize(("planned", "options", "mean", "expected"), SHARD_COUNTS)
def test_number_of_shards(
    planned: dict[str, int], options: dict[str, Any], mean: float, expected: dict[str, int]
) -> None:
    splits = plan_splits(planned, ShardOptions(**options), mean)
    assert {split.split: split.num_shards for split in splits} == expected
    assert all(min(map(split.shard_length, range(split.num_shards))) >= 1 for split in splits)
    assert {split.split: sum(map(split.shard_length, range(split.num_shards))) for split in splits} == planned


# --num-shards, words of the error; train has 3 rows, test has 1
BAD_COUNTS = [
    (4, ["train", "3 rows", "4 shards"]),
    (2, ["test", "1 row,", "2 shards", "--num-shards test=1"]),
    ("train=4", ["train", "3 rows"]),
    ("validation=1", ["no row goes to validation"]),
]


@pytest.mark.parametrize(("count", "words"), BAD_COUNTS)
def test_more_shards_than_rows(count: Any, words: list[str], tmp_path: Path) -> None:
    lines = ["TRAIN,a.jpg,x", "TRAIN,b.jpg,x", "TRAIN,c.jpg,x", "TEST,d.jpg,x"]
    with pytest.raises(UsageError) as caught:
        plan_of(tmp_path, lines, num_shards=count)
    for word in ("--num-shards", *words):
        assert word in str(caught.value)


@pytest.mark.parametrize("slash", ["/", "\\"])
def test_the_size_of_shards_comes_from_the_images(slash: str, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    for number in range(20):
        (tmp_path / f"p/{number}.jpg").write_bytes(bytes(1000))
    made = plan_of(tmp_path, [f"TRAIN,p{slash}{n}.jpg,x" for n in range(20)], shard_size="5kB")
    assert [len(rows) for rows in made.shards.values()] == [5, 5, 5, 5]


def test_a_store_that_does_not_answer_is_asked_for_no_further_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def size(url: str) -> int:
        asked.append(url)
        if len(asked) == 1:
            return 1000
        raise OutageError("no answer after all retries")

    monkeypatch.setattr(remote, "remote_size", size)
    monkeypatch.setattr(record_size, "map_ahead", map)
    lines = [f"TRAIN,https://h.example/{number}.jpg,x" for number in range(20)]
    made = plan_of(tmp_path, lines, shard_size="5kB")
    assert len(asked) == 2
    assert [len(rows) for rows in made.shards.values()] == [5, 5, 5, 5]  # by the one size that was told


def test_no_usable_row_is_a_plan_of_nothing(tmp_path: Path) -> None:
    made = plan_of(tmp_path, ["TRIAN,a.jpg,x", "TRAIN,,x"], num_shards="train=4")
    assert (made.plan.planned, made.shards, made.plan.splits) == (0, {}, ())
    assert made.codes == {1: "unknown_split", 2: "no_image_uri"}
    check_sums(made)


@pytest.mark.parametrize("content", ["image_uri,label\n", "image_uri,label\n\n,,\n  \n"])
def test_a_header_without_a_row(content: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no row"):
        plan_of(tmp_path, content)


def test_a_quote_never_closed_stops_the_plan(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3"):
        plan_of(tmp_path, ["TRAIN,a.jpg,x", "TRAIN,b.jpg,x", 'TRAIN,"c.jpg,x', "TRAIN,d.jpg,x"])


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    rows = ['TRIAN,a.jpg,x,"1\r\n2"', 'TRAIN,b.jpg,x,"\r\n"', ",,,", "TRAIN,c.jpg,x", ""]
    content = "split,image_uri,label,note\r\n\r\n" + "\r\n".join(rows)
    made = plan_of(tmp_path, content)
    assert made.codes == {3: "unknown_split"}
    assert {row.image_uri: row.line for row in made.rows("train")} == {"b.jpg": 5, "c.jpg": 8}


# options that change the output, and so the identity; and those that do not
CHANGES = [
    {"seed": 1},
    {"split_seed": 1},
    {"splits": "train=1"},
    {"num_shards": 2},
    {"shard_size": "1MiB"},
    {"check": "structure"},
    {"exif": "keep"},
    {"max_side": 9},
    {"compression": "gzip"},
    {"index": True},
    {"label_type": "name"},
    {"unlabelled": "keep"},
    {"max_pixels": 5},
    {"image_root": "/"},
]
KEEPS: list[dict[str, Any]] = [
    {"workers": 3},
    {"max_rejects": "5%"},
    {"fail_fast": True},
    {"dry_run": True},
    {"overwrite": True},
]


@pytest.mark.parametrize("options", CHANGES + KEEPS, ids=str)
def test_identity(options: dict[str, Any], tmp_path: Path) -> None:
    lines = ["TRAIN,a.jpg,1", "TRAIN,b.jpg,2"]
    same = plan_of(tmp_path, lines).plan.identity == plan_of(tmp_path, lines, **options).plan.identity
    assert same is (options in KEEPS)


def test_identity_follows_the_bytes_of_the_source(tmp_path: Path) -> None:
    one, two = plan_of(tmp_path, "TRAIN,a.jpg,x\n"), plan_of(tmp_path, "TRAIN,a.jpg,x\r\n")
    assert one.plan.identity != two.plan.identity


def test_a_plan_is_loaded_as_it_was_made(tmp_path: Path) -> None:
    made = plan_of(tmp_path, [*LINES[:50], "TRIAN,x.jpg,1"])
    assert made.plan == made.planned.plan
    assert isinstance(made.plan, Plan)
    assert load_plan(tmp_path) is None


def test_the_sample_holds_planned_rows(tmp_path: Path) -> None:
    made = plan_of(tmp_path, ["TRIAN,x.jpg,1", "DISCARD,y.jpg,1", *LINES])
    assert len(made.plan.sample) == 32
    assert {uri for _, uri in made.plan.sample} <= {u for split in SPLITS for u in made.uris(split)}


def test_tasks_name_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = plan_of(tmp_path, LINES, num_shards=2, compression="gzip", index=False)
    monkeypatch.chdir(tmp_path)
    tasks = list(Job(Workspace(Path("out")), made.plan, "/images").tasks())
    assert [(str(task.name), task.planned) for task in tasks] == [(str(n), c) for n, c in made.plan.shards()]
    for task in tasks:
        assert task.shard_path == str(tmp_path / "out" / str(task.name))
        assert task.shard_path.endswith(".tfrecord.gz")
        for path in (task.rows_path, task.temporary_path, task.done_path):
            assert path.startswith(str(tmp_path / "out/_tfrec/"))


@given(
    st.integers(1, 10**9),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1),
    st.lists(
        st.tuples(
            st.integers(0, 2**63 - 1),
            st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1),
        )
    ),
)
def test_a_line_of_a_task_file_is_read_back(line: int, uri: str, labels: list[tuple[int, str]]) -> None:
    row = PlannedRow(line, uri, tuple(i for i, _ in labels), tuple(t for _, t in labels))
    assert row.to_line().count("\n") == 1
    assert parse_planned_row(row.to_line()) == row
