"""Rows without images: `--task tabular`, from the list to TensorFlow."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from converting import SPLITS, convert_json, fingerprint, manifest, read_csv, tfrec, write_csv
from verifying import change_features

import tfrecordcli
from tfrecordcli.errors import InputError
from tfrecordcli.planning import buckets

_TASK = ("--task", "tabular")


def rows_of(tf: Any, folder: Path, split: str = "*") -> list[dict[str, Any]]:
    """The records as TensorFlow parses them: key -> value, or values where there are several."""
    paths = sorted(map(str, folder.glob(f"{split}-*.tfrecord")))
    return [_row(tf.train.Example.FromString(raw.numpy())) for raw in tf.data.TFRecordDataset(paths)]


def _row(example: Any) -> dict[str, Any]:
    row = {}
    for key, feature in example.features.feature.items():
        values = list(getattr(feature, feature.WhichOneof("kind")).value)
        values = [value.decode() if isinstance(value, bytes) else value for value in values]
        row[key] = values[0] if len(values) == 1 else values
    return row


def where(tf: Any, folder: Path, column: str) -> dict[Any, set[str]]:
    """Value of a column -> splits that it is in."""
    found: dict[Any, set[str]] = {}
    for split in SPLITS:
        if list(folder.glob(f"{split}-*")):
            for row in rows_of(tf, folder, split):
                found.setdefault(row[column], set()).add(split)
    return found


def test_equal_rows_stay_apart_in_one_split(tmp_path: Path, tf: Any) -> None:
    rows = [(str(n % 40), "ab"[n % 2]) for n in range(120)]
    source = write_csv(tmp_path / "list.csv", rows, ("x", "label"))
    done = convert_json(source, tmp_path / "out", *_TASK)
    assert (done["records"], done["merged"]) == (120, 0)
    assert Counter(row["x"] for row in rows_of(tf, tmp_path / "out")) == dict.fromkeys(range(40), 3)
    assert {len(splits) for splits in where(tf, tmp_path / "out", "x").values()} == {1}


def test_a_row_stays_in_its_split(tmp_path: Path, tf: Any) -> None:
    """Whatever rows come before it, and in whatever order its columns stand."""
    rows = [(str(n), "ab"[n % 2]) for n in range(100)]
    write_csv(tmp_path / "list.csv", rows, ("x", "label"))
    more = [(b, "", a) for a, b in [("-1", "a"), *rows, ("500", "b")]]
    write_csv(tmp_path / "more.csv", more, ("label", "split", "x"))
    for name in ("list", "more"):
        convert_json(tmp_path / f"{name}.csv", tmp_path / name, *_TASK)
    before, after = (where(tf, tmp_path / name, "x") for name in ("list", "more"))
    assert {len(splits) for splits in before.values()} == {1}
    assert before == {x: after[x] for x in before}


def test_very_many_equal_rows_take_no_memory_together(
    tmp_path: Path, tf: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buckets, "_MAX_FILE_BYTES", 1_000)
    monkeypatch.setattr(buckets, "_MAX_IMAGE_BYTES", 500)
    rows = [("TRAIN", "7", "a")] * 200 + [("TRAIN", str(n), "b") for n in range(20, 40)]
    source = write_csv(tmp_path / "list.csv", rows, ("split", "x", "label"))
    assert convert_json(source, tmp_path / "out", *_TASK)["records"] == 220
    assert Counter(row["x"] for row in rows_of(tf, tmp_path / "out"))[7] == 200


def test_rejected_rows_are_mended_with_the_types_of_the_whole_list(tmp_path: Path, tf: Any) -> None:
    rows = [
        ("TRAIN", "1.5", "007", "a"),
        ("TRAIN", "2", "8", ""),
        ("TRIAN", "3", "9", "b"),
        ("TEST", "4", "10", "b", "surplus"),
        ("TEST", "5", "11", "a"),
        ("TEST", "6", "12", "b"),
    ]
    source = write_csv(tmp_path / "list.csv", rows, ("split", "x", "zip", "label"))
    done = convert_json(source, tmp_path / "out", *_TASK)
    assert done["reasons"] == {"field_count": 1, "no_label": 1, "unknown_split": 1}
    assert [(problem["line"], problem["image_uri"]) for problem in done["problems"]] == [
        (3, ""),
        (4, ""),
        (5, ""),
    ]
    again = convert_json(source, tmp_path / "out", *_TASK)
    assert [problem["line"] for problem in again["problems"]] == [3, 4, 5]
    assert again["status"] == "already_complete"
    mended = [
        {**row, "split": "TRAIN", "label": "b", "tfrec_field_2": ""}
        for row in read_csv(tmp_path / "out" / "rejects.csv")
    ]
    write_csv(tmp_path / "out" / "rejects.csv", (row.values() for row in mended), list(mended[0]))
    command = shlex.split(done["mend_command"])
    assert command[:2] == ["tfrec", "convert"]
    assert tfrec(*command[1:]).code == 0
    (folder,) = (path for path in tmp_path.iterdir() if path.name.endswith("-mended"))
    kinds = {key: entry["kind"] for key, entry in manifest(folder)["features"].items()}
    assert kinds == {"label": "int64", "label_text": "bytes", "x": "float", "zip": "bytes"}
    assert sorted(row["zip"] for row in rows_of(tf, folder)) == ["10", "8", "9"]


def test_a_run_in_steps_goes_on_and_is_the_same(tmp_path: Path) -> None:
    rows = [(str(n), "ab"[n % 2]) for n in range(300)]
    source = write_csv(tmp_path / "list.csv", rows, ("x", "label"))
    words = (*_TASK, "--num-shards", "train=3")
    convert_json(source, tmp_path / "whole", *words)
    assert tfrec("plan", source, tmp_path / "steps", *words).code == 0
    assert tfrec("write-shards", tmp_path / "steps", "--shards", "0").code == 0
    assert convert_json(source, tmp_path / "steps", *words)["resumed_shards"] == 1
    assert fingerprint(tmp_path / "steps") == fingerprint(tmp_path / "whole")


def test_a_size_of_shards_counts_rows(tmp_path: Path) -> None:
    rows = [("TRAIN", f"{n:0100}", "a") for n in range(1_000)]
    source = write_csv(tmp_path / "list.csv", rows, ("split", "text", "label"))
    convert_json(source, tmp_path / "out", *_TASK, "--shard-size", "10kB")
    sizes = [path.stat().st_size for path in (tmp_path / "out").glob("*.tfrecord")]
    assert 5_000 < sum(sizes) / len(sizes) < 20_000


def test_groups_stay_in_one_split(tmp_path: Path, tf: Any) -> None:
    rows = [(str(n % 10), str(n), "a") for n in range(100)]
    source = write_csv(tmp_path / "list.csv", rows, ("family", "x", "label"))
    convert_json(source, tmp_path / "out", *_TASK, "--split-by", "family")
    assert {len(splits) for splits in where(tf, tmp_path / "out", "family").values()} == {1}


def test_it_is_verified_and_loaded(tmp_path: Path, tf: Any) -> None:
    rows = [("TRAIN", "1", "2.5", "red;blue", "x", "a"), ("TRAIN", "2", "", "red", "", "b")]
    source = write_csv(tmp_path / "list.csv", rows, ("split", "id", "size", "tags", "note", "label"))
    convert_json(source, tmp_path / "out", *_TASK, "--features", "id,size,tags:text[;],note")
    report = tfrec("verify", tmp_path / "out", "--json").json
    assert (report["exit_code"], report["not_checked"], report["feed"]["proof"]["ok"]) == (0, [], True)
    datasets = tfrecordcli.load(tmp_path / "out", batch_size=2, shuffle=False)
    (batch,) = datasets["train"]
    columns, labels = batch
    assert {key: column.dtype.name for key, column in columns.items()} == {
        "id": "int64",
        "size": "float32",
        "tags": "string",
        "note": "string",
    }
    found = sorted(
        zip(*(columns[key].numpy().tolist() for key in ("id", "note")), labels.numpy(), strict=True)
    )
    assert found == [(1, b"x", 0), (2, b"", 1)]
    size = dict(zip(columns["id"].numpy(), columns["size"].numpy(), strict=True))
    assert size[1] == 2.5
    assert math.isnan(size[2])
    tags = dict(zip(columns["id"].numpy(), columns["tags"].to_list(), strict=True))
    assert tags == {1: [b"red", b"blue"], 2: [b"red"]}
    raw = tfrecordcli.load(tmp_path / "out", batch_size=2, raw=True)
    (batch,) = raw["train"]
    parsed = tf.io.parse_example(batch[0], raw.parse_spec)
    assert sorted(parsed["id"].numpy()) == [1, 2]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"size": [2]}, "feature_kind"),
        ({"size": [2.5, 3.5]}, "feature_count"),
        ({"id": None}, "feature_missing"),
        ({"label": [7]}, "label_unknown"),
        ({"label_text": [b"b"]}, "label_text"),
    ],
)
def test_what_is_wrong_with_a_row_is_told(changes: dict[str, Any], code: str, tmp_path: Path) -> None:
    source = write_csv(tmp_path / "list.csv", [("TRAIN", "1", "2.5", "a")], ("split", "id", "size", "label"))
    convert_json(source, tmp_path / "out", *_TASK)
    change_features(tmp_path / "out" / "train-00000-of-00001.tfrecord", 0, **changes)
    problems = tfrec("verify", tmp_path / "out", "--no-feed", "--json").json["problems"]
    assert code in {problem["code"] for problem in problems}


def test_a_frame_is_written(tmp_path: Path, tf: Any) -> None:
    """As in TFRecorder: the method of the DataFrame, its columns typed by name."""
    frame = pd.DataFrame(
        {"split": ["TRAIN", "TEST"], "fare": [7.25, 8], "age": [22.0, None], "survived": [0, 1]}
    )
    done = frame.tensorflow.to_tfrecord(
        output_dir=tmp_path / "out",
        task="tabular",
        columns={"label": "survived"},
        features={"fare": "float", "age": "int"},
    )
    assert done.records == 2
    (train,), (test,) = (rows_of(tf, tmp_path / "out", split) for split in ("train", "test"))
    assert train == {"fare": 7.25, "age": 22, "label": 0, "label_text": "0"}
    assert test == {"fare": 8.0, "label": 1, "label_text": "1"}


def test_bench_has_no_images_to_feed(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "list.csv", [("1", "a")], ("x", "label"))
    convert_json(source, tmp_path / "out", *_TASK)
    assert "these rows have none" in tfrec("bench", tmp_path / "out", "--json").json["error"]["message"]


def test_a_list_without_images_names_the_option(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "list.csv", [("TRAIN", "1", "a")], ("split", "x", "label"))
    done = convert_json(source, tmp_path / "out")
    assert "no image column" in done["error"]["message"]
    assert "--task tabular" in done["error"]["hint"]


def test_numbers_to_predict_of_a_table_are_a_further_column(tmp_path: Path, tf: Any) -> None:
    source = write_csv(tmp_path / "list.csv", [("TRAIN", "101.5"), ("TRAIN", "88.25")], ("split", "price"))
    refused = convert_json(source, tmp_path / "out", *_TASK, "--columns", "label=price")["error"]
    assert "stored without --columns label=NAME" in refused["hint"]
    assert "regression" not in refused["hint"]
    convert_json(source, tmp_path / "out", *_TASK)
    assert sorted(row["price"] for row in rows_of(tf, tmp_path / "out", "train")) == [88.25, 101.5]


def test_whole_numbers_with_gaps_are_not_made_up(tmp_path: Path) -> None:
    rows = [("TRAIN", "1", "a"), ("TRAIN", "", "b")]
    source = write_csv(tmp_path / "list.csv", rows, ("split", "age", "label"))
    convert_json(source, tmp_path / "out", *_TASK)
    with pytest.raises(InputError, match="whole numbers in which some rows have none: age") as caught:
        tfrecordcli.load(tmp_path / "out")
    assert 'missing="age=-1"' in caught.value.hint
    convert_json(source, tmp_path / "filled", *_TASK, "--missing", "age=-1")
    (batch,) = tfrecordcli.load(tmp_path / "filled")["train"]
    assert sorted(batch[0]["age"].numpy()) == [-1, 1]


def test_rows_without_labels_are_loaded_alone(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "list.csv", [("TRAIN", "1"), ("TRAIN", "2")], ("split", "x"))
    done = convert_json(source, tmp_path / "out", *_TASK)
    assert any("no column is called label" in remark for remark in done["remarks"])
    assert tfrec("verify", tmp_path / "out").code == 0
    (batch,) = tfrecordcli.load(tmp_path / "out")["train"]
    assert sorted(batch["x"].numpy()) == [1, 2]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--stratify",), "part equal rows"),
        (("--columns", "image_uri=x"), "have no image"),
        (("--features", "y"), "no column of that name"),
        (("--columns", "split=label,label=x", "--features", "x"), "read already"),
    ],
)
def test_what_a_table_cannot_be_is_refused(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    source = write_csv(tmp_path / "list.csv", [("1", "a")], ("x", "label"))
    done = convert_json(source, tmp_path / "out", *_TASK, *words)
    assert told in done["error"]["message"]


def test_a_list_of_splits_alone_is_refused(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "list.csv", [("TRAIN",)], ("split",))
    assert "no column is left" in convert_json(source, tmp_path / "out", *_TASK)["error"]["message"]


def test_sources_that_are_no_table_are_refused(tmp_path: Path) -> None:
    (tmp_path / "list.jsonl").write_text('{"image_uri": "a.jpg", "label": "a"}\n')
    for source in (tmp_path / "list.jsonl", tmp_path):
        done = convert_json(source, tmp_path / "out", *_TASK)
        assert "--task tabular takes a CSV or a DataFrame" in done["error"]["message"]


def test_several_sources_are_one_dataset(tmp_path: Path, tf: Any) -> None:
    write_csv(tmp_path / "one.csv", [("1", "3", "a"), ("1", "3", "a"), ("", "4", "b")], ("x", "y", "label"))
    write_csv(tmp_path / "two.csv", [("b", "2.5"), ("a", "no"), ("", "7")], ("label", "x"))
    words = (*_TASK, "--features", "x:float,y", "--max-rejects", "2")
    done = convert_json("train=one.csv", "test=two.csv", "out", *words, cwd=tmp_path)
    assert (done["records"], done["rejected"], done["merged"]) == (4, 2, 0)
    rows = [{"x": 1.0, "y": 3, "label": 0, "label_text": "a"}] * 2
    rows += [{"y": 4, "label": 1, "label_text": "b"}]
    found = rows_of(tf, tmp_path / "out", "train")
    assert sorted(found, key=lambda row: row["y"]) == rows
    assert rows_of(tf, tmp_path / "out", "test") == [{"x": 2.5, "label": 1, "label_text": "b"}]
    places = {(each["source"], each["line"], each["code"]) for each in done["problems"]}
    assert places == {("two.csv", 3, "bad_value"), ("two.csv", 4, "no_label")}
    rejects = tmp_path / "out" / "rejects.csv"
    rejects.write_text(rejects.read_text().replace("no,", "9,", 1).replace(",7,", ",7,"), encoding="utf-8")
    mended = tfrec(*shlex.split(done["mend_command"])[1:], "--max-rejects", "1", cwd=tmp_path)
    assert rows_of(tf, tmp_path / "out-mended") == [{"x": 9.0, "label": 0, "label_text": "a"}], mended.err


def test_a_split_is_given_to_one_list(tmp_path: Path, tf: Any) -> None:
    write_csv(tmp_path / "list.csv", [("1", "2")], ("x", "y"))
    convert_json("test=list.csv", "out", *_TASK, cwd=tmp_path)
    assert rows_of(tf, tmp_path / "out", "test") == [{"x": 1, "y": 2}]


def test_options_about_images_are_told_to_be_of_no_use(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "list.csv", [("1", "a")], ("x", "label"))
    words = ("--image-root", tmp_path, "--max-side", "10")
    remarks = "\n".join(convert_json(source, tmp_path / "out", *_TASK, *words)["remarks"])
    assert "--image-root is not used" in remarks
    assert "--max-side is not used" in remarks
