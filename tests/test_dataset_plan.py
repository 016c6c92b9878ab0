"""The plan: what becomes of every row, and which shard it goes to."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples
from test_dataset_samples import Made, plan_of, write

from tfrecordcli.dataset.plan import Plan, PlannedRow, parse_planned_row, plan_splits
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.options import ShardOptions
from tfrecordcli.planning import buckets, merging
from tfrecordcli.planning.image_key import image_key
from tfrecordcli.schema import SPLITS
from tfrecordcli.workdir.job import Job, load_plan
from tfrecordcli.workdir.workspace import Workspace

# The same image in several rows: lines, then by line its code, and what (split, labels) is planned.
# "b" in the place of a code: the row is in the record that is planned, merged or discarded.
SAME_IMAGE: dict[str, tuple[list[str], dict[int, str], list[tuple[str, tuple[str, ...]]], dict[str, int]]] = {
    "equal rows": (
        ["TRAIN,a.jpg,x", "TRAIN,a.jpg,x", "training,a.jpg,x"],
        {},
        [("train", ("x",))],
        {"merged": 2},
    ),
    "Windows and other slashes": (
        ["TRAIN,s/a.jpg,x", "TRAIN,s\\a.jpg,x"],
        {},
        [("train", ("x",))],
        {"merged": 1},
    ),
    "other spellings of a path": (
        [
            "TRAIN,s/a.jpg,x",
            "TRAIN,./s/a.jpg,x",
            "TRAIN,s//a.jpg,x",
            "TRAIN,.\\s\\.\\a.jpg,x",
            ",s/./a.jpg,x",
        ],
        {},
        [("train", ("x",))],
        {"merged": 4},
    ),
    "another spelling in another split": (
        ["TRAIN,s/a.jpg,x", "TEST,./s/a.jpg,x"],
        {1: "2", 2: "1"},
        [],
        {"rejected": 2},
    ),
    "a path and its URL": (
        ["TRAIN,/s/a b.jpg,x", "TRAIN,file:///s/a%20b.jpg,x", "TRAIN,//s/a b.jpg,x"],
        {},
        [("train", ("x",))],
        {"merged": 2},
    ),
    "what is above a folder depends on links": (
        ["TRAIN,s/../a.jpg,x", "TRAIN,a.jpg,y", "TRAIN,../a.jpg,x"],
        {},
        [("train", ("x",)), ("train", ("x",)), ("train", ("y",))],
        {},
    ),
    "every character of a URL counts": (
        [
            "TRAIN,gs://b/s\\a.jpg,x",
            "TRAIN,gs://b/s/a.jpg,y",
            "TRAIN,https://h/s//a.jpg,z",
            "TRAIN,https://h/s/a.jpg,x",
        ],
        {},
        [("train", (label,)) for label in "xxyz"],
        {},
    ),
    "other case is another image": (
        ["TRAIN,a.jpg,x", "TRAIN,A.jpg,y"],
        {},
        [("train", ("x",)), ("train", ("y",))],
        {},
    ),
    "another label": (
        ["TRAIN,a.jpg,x", "TRAIN,a.jpg,y"],
        {1: "2", 2: "1"},
        [],
        {"rejected": 2},
    ),
    "two against one": (
        ["TRAIN,a.jpg,x", "TRAIN,a.jpg,y", "TRAIN,a.jpg,x"],
        {1: "2", 2: "1, 3", 3: "2"},
        [],
        {"rejected": 3},
    ),
    "another label in a list with several": (
        ["TRAIN,a.jpg,x", "TRAIN,a.jpg,y", "TRAIN,b.jpg,x,z"],
        {},
        [("train", ("x", "y")), ("train", ("x", "z"))],
        {"merged": 1},
    ),
    "labels in another order": (
        ["TRAIN,a.jpg,x,y", "TRAIN,a.jpg,y,x"],
        {},
        [("train", ("x", "y"))],
        {"merged": 1},
    ),
    "another split": (
        ["TRAIN,a.jpg,x", "TEST,a.jpg,x"],
        {1: "2", 2: "1"},
        [],
        {"rejected": 2},
    ),
    "another split in a list with several labels": (
        ["TRAIN,a.jpg,x,y", "TEST,a.jpg,x,y"],
        {1: "2", 2: "1"},
        [],
        {"rejected": 2},
    ),
    "three splits": (
        ["TRAIN,a.jpg,x", "TEST,a.jpg,x", "VAL,a.jpg,x"],
        {1: "2, 3", 2: "1, 3", 3: "1, 2"},
        [],
        {"rejected": 3},
    ),
    "unassigned follows": (
        ["UNASSIGNED,a.jpg,x", "TEST,a.jpg,x", ",a.jpg,x"],
        {},
        [("test", ("x",))],
        {"merged": 2},
    ),
    "unassigned and another label": (
        ["UNASSIGNED,a.jpg,x", "TEST,a.jpg,y"],
        {1: "2", 2: "1"},
        [],
        {"rejected": 2},
    ),
    "unassigned between two splits": (
        ["TRAIN,a.jpg,x", "TEST,a.jpg,x", "a.jpg,x"],
        {1: "2", 2: "1", 3: "1, 2"},
        [],
        {"rejected": 3},
    ),
    "discarded twice": (["DISCARD,a.jpg,x", "DISCARD,a.jpg,y"], {}, [], {"discarded": 2}),
    "discarded and unassigned": (["DISCARD,a.jpg,x", "a.jpg,x"], {}, [], {"discarded": 2}),
    "discarded and unassigned with another label": (["DISCARD,a.jpg,x", "a.jpg,y"], {}, [], {"discarded": 2}),
    "discarded and unassigned with two labels": (
        ["DISCARD,a.jpg,x", "a.jpg,y", "a.jpg,z"],
        {},
        [],
        {"discarded": 3},
    ),
    "discarded and in a split": (
        ["DISCARD,a.jpg,x", "TRAIN,a.jpg,x"],
        {1: "2", 2: "1"},
        [],
        {"rejected": 2},
    ),
    "discarded rows may hold anything": (
        [
            "DISCARD,a.jpg,\tx\ty",
            "DISCARD,ftp://b/c.jpg,x",
            "DISCARD,,x",
            "DISCARD",
            "DISCARD,a\x01.jpg,x",
        ],
        {},
        [],
        {"discarded": 5},
    ),
    "a row without a label joins one with it": (
        ["TRAIN,a.jpg,x", "TRAIN,a.jpg"],
        {},
        [("train", ("x",))],
        {"merged": 1},
    ),
    "a rejected row takes no part": (
        ["TRIAN,a.jpg,x", "TRAIN,a.jpg,y"],
        {1: ""},
        [("train", ("y",))],
        {"rejected": 1},
    ),
}


@pytest.mark.parametrize(("lines", "others", "planned", "outcomes"), SAME_IMAGE.values(), ids=SAME_IMAGE)
def test_rows_of_the_same_image(
    lines: list[str],
    others: dict[int, str],
    planned: list[tuple[str, tuple[str, ...]]],
    outcomes: dict[str, int],
    tmp_path: Path,
) -> None:
    made = plan_of(tmp_path, ["TRAIN,other.jpg,x", *lines], unlabelled="keep")
    others = {
        line + 1: ", ".join(str(int(o) + 1) for o in text.split(", ") if o) for line, text in others.items()
    }
    assert made.codes.keys() == others.keys()
    for problem in made.problems:
        assert others[problem.line] in problem.reason
        if others[problem.line]:
            assert problem.reason.endswith(f"line {others[problem.line]}; keep the right row")
    found = [(split, row.label_texts) for split in SPLITS for row in made.rows(split) if row.line != 1]
    assert sorted(found) == sorted(planned)
    for outcome in ("merged", "rejected", "discarded"):
        assert made.plan.total(outcome) == outcomes.get(outcome, 0)
    check_sums(made)


def test_below_a_url_every_character_counts(tmp_path: Path) -> None:
    lines = [
        "TRAIN,s/a.jpg,x",
        "TRAIN,./s/a.jpg,y",
        "TRAIN,s//a.jpg,x",
        "TRAIN,s\\a.jpg,x",
        "TRAIN,s/a.jpg,x",
    ]
    made = plan_of(tmp_path, lines, image_root="https://127.0.0.1/photos", num_shards=1)
    assert (made.plan.planned, made.plan.total("merged"), made.problems) == (4, 1, [])


def test_one_path_is_dealt_to_one_split_and_recorded_as_its_first_row_has_it(tmp_path: Path) -> None:
    names = [f"{number}.jpg" for number in range(200)]
    spelled = [f"{root}{name}" for name in names for root in ("./s/", "s//", "s/./", ".\\s\\")]
    made = plan_of(tmp_path, [f"{uri},x" for uri in spelled])
    assert made.plan.total("merged") == 600
    assert sorted(uri for split in SPLITS for uri in made.uris(split)) == sorted(spelled[::4])
    plain = plan_of(tmp_path, [f"s/{name},x" for name in names])
    for split in SPLITS:
        assert [uri.removeprefix("./") for uri in made.uris(split)] == plain.uris(split)


def check_sums(made: Made) -> None:
    """rows = records + rejected + merged + discarded, in total and in every split."""
    plan = made.plan
    for split in (*SPLITS, "none"):
        outcomes = made.outcomes(split)
        parts = sum(outcomes.get(outcome, 0) for outcome in ("records", "rejected", "merged", "discarded"))
        assert outcomes.get("rows", 0) == parts, (split, outcomes)
        assert all(count >= 0 for count in outcomes.values())
    assert plan.rows == plan.total("rows")
    assert plan.planned == sum(len(made.rows(split)) for split in SPLITS)
    assert plan.rows == plan.planned + sum(plan.total(f) for f in ("rejected", "merged", "discarded"))
    assert plan.total("rejected") == len(made.problems) == sum(plan.problem_codes.values())
    assert Counter(p.code for p in made.problems) == plan.problem_codes
    assert set(plan.tally) <= {*SPLITS, "none"}


_ROWS = st.lists(
    st.tuples(
        st.sampled_from(["TRAIN", "test", "VAL", "DISCARD", "UNASSIGNED", "", "trian", "\t"]),
        st.sampled_from(
            ["a.jpg", "b.jpg", "s/c.jpg", "s\\c.jpg", ".//d.jpg", "d.jpg", "", "ftp://x/e.jpg", "f\x01.jpg"]
        ),
        st.sampled_from(["x", "y", "x,y", "", "7", "z\x1f9"]),
    ).filter(lambda row: any(map(str.strip, row))),  # blank rows are no rows
    min_size=1,
    max_size=12,
)


@settings(max_examples=examples(150), deadline=None)
@given(
    rows=_ROWS,
    unlabelled=st.sampled_from(["error", "keep", "skip"]),
    label_type=st.sampled_from(["auto", "id"]),
    fixed=st.booleans(),
    order=st.randoms(use_true_random=False),
)
def test_no_row_is_lost(
    rows: list[tuple[str, str, str]],
    unlabelled: str,
    label_type: str,
    fixed: bool,
    order: random.Random,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("plan")
    options: dict[str, Any] = {"unlabelled": unlabelled, "label_type": label_type}
    if fixed:
        options["labels_file"] = str(write(folder, "7\n" if label_type == "id" else "x\n7\n", "labels.txt"))
    made = plan_lines(folder, rows, **options)
    assert made.plan.rows == len(rows)
    check_sums(made)
    shuffled = list(rows)
    order.shuffle(shuffled)
    again = plan_lines(folder, shuffled, **options)
    assert again.plan.tally == made.plan.tally
    assert again.plan.problem_codes == made.plan.problem_codes
    assert again.labels_text == made.labels_text
    for split in SPLITS:
        assert list(map(image_key, again.uris(split))) == list(map(image_key, made.uris(split)))


def plan_lines(folder: Path, rows: list[tuple[str, str, str]], **options: Any) -> Made:
    header = "split,image_uri,label\n"
    return plan_of(folder, header + "".join(f"{s},{u},{n}\n" for s, u, n in rows), **options)


# --- the order, and the shards ---

LINES = [f"{['TRAIN', 'TEST', ''][n % 3]},p/{n}.jpg,{n % 5}" for n in range(2000)]


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


@pytest.mark.parametrize("size", [1, 500, 20_000], ids="{} bytes a bucket".format)
def test_the_number_of_buckets_changes_nothing(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [*LINES, *LINES[:300], "TEST,p/0.jpg,0", "DISCARD,p/1.jpg,1", "TRIAN,x.jpg,1"]
    one = plan_of(tmp_path, lines)
    monkeypatch.setattr(buckets, "_BUCKET_BYTES", size)
    monkeypatch.setattr(buckets, "_MAX_BUCKETS", 7)
    monkeypatch.setattr(buckets, "_MAX_FILE_BYTES", 2 * size)  # so that some are distributed once more
    monkeypatch.setattr(buckets, "_BUFFERED", 4_000)
    many = plan_of(tmp_path, lines)
    assert many.shards == one.shards
    assert many.plan == one.plan
    assert sorted(many.problems, key=lambda p: p.line) == sorted(one.problems, key=lambda p: p.line)
    assert many.plan.total("merged") == 298  # but for p/0 and p/1, which are conflicts


@pytest.mark.parametrize("kept", [1, 10, 1000])
def test_images_of_many_rows_are_settled_on_disk_as_in_memory(
    kept: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = []
    for n in range(300):
        lines += [
            "TRAIN,equal.jpg,x",
            "TRAIN,./s/spelled.jpg,x" if n % 3 else ",s//spelled.jpg,x",
            f"TRAIN,two.jpg,{n % 2}",
            f"TRAIN,all.jpg,{n}",
            f"{'TEST' if n == 200 else ['', 'TRAIN'][n % 2]},splits.jpg,x",
            "DISCARD,out.jpg,x",
            f"TRAIN,single/{n}.jpg,x",
        ]
    in_memory = plan_of(tmp_path, lines)
    monkeypatch.setattr(buckets, "_BUCKET_BYTES", 500)
    monkeypatch.setattr(buckets, "_MAX_BUCKETS", 3)
    monkeypatch.setattr(buckets, "_MAX_FILE_BYTES", 2_000)
    monkeypatch.setattr(buckets, "_MAX_IMAGE_BYTES", 1_000)
    monkeypatch.setattr(merging, "_KEPT", kept)
    left: list[str] = []
    real = buckets._LinesOnDisk
    monkeypatch.setattr(buckets, "_LinesOnDisk", lambda path, point: left.append(point) or real(path, point))
    on_disk = plan_of(tmp_path, lines)
    assert len(set(left)) == len(left) == 6
    assert on_disk.shards == in_memory.shards
    assert on_disk.plan == in_memory.plan
    assert sorted(on_disk.problems, key=lambda p: p.line) == sorted(in_memory.problems, key=lambda p: p.line)
    assert on_disk.plan.problem_codes == {"conflicting_label": 600, "conflicting_split": 300}
    assert [on_disk.plan.total(outcome) for outcome in ("merged", "discarded", "rejected")] == [598, 300, 900]
    assert on_disk.plan.planned == 302


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
