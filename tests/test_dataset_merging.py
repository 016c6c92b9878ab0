"""What several rows say of one image: one record or a contradiction, in memory as on disk; no row is lost."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sampling import examples
from test_dataset_samples import LINES, Made, check_sums, plan_of, write

from tfrecordcli.planning import buckets, merging
from tfrecordcli.planning.image_key import image_key
from tfrecordcli.schema import SPLITS
from tfrecordcli.sources.row import Row

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
    # Some orders of blank splits are those of merged cells, which are refused unless they are said.
    options["split_map"] = "TRAIN=train,VAL=validation,test=test"
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
    monkeypatch.setattr(buckets, "_LINES_AT_ONCE", 10)
    many = plan_of(tmp_path, lines)
    assert many.shards == one.shards
    assert many.plan == one.plan
    assert sorted(many.problems, key=lambda p: p.line) == sorted(one.problems, key=lambda p: p.line)
    assert many.plan.total("merged") == 298  # but for p/0 and p/1, which are conflicts


def test_the_rows_of_a_bucket_are_planned_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is planned of a bucket takes more memory than its lines; rows of one image stay together."""
    monkeypatch.setattr(buckets, "_LINES_AT_ONCE", 10)
    filled = buckets.Buckets(tmp_path, 0, 0)
    for n in range(300):
        filled.add(Row(n, "train", f"{n % 200}.jpg", ("x",), None), "train")
    filled.flush()
    parts = [list(part) for part in filled.take()]
    hashes = [{line.split("\t")[0] for line in part} for part in parts]
    assert sum(map(len, parts)) == 300
    assert max(map(len, parts)) <= 11
    assert sum(map(len, hashes)) == len(set().union(*hashes)) == 200


@pytest.mark.parametrize("count", [1, 21, 219, 1000])
def test_each_bucket_has_as_many_hashes_as_the_others(count: int, tmp_path: Path) -> None:
    """The largest one is what planning takes memory for."""
    fan = buckets.Buckets(tmp_path, count * buckets._BUCKET_BYTES, 0)._fan
    assert len(set(Counter(map(id, fan._by_digits.values())).values())) == 1
    assert len(fan._lines) >= min(count, 256)


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
