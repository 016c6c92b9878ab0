"""`tfrec verify`: what it says, how it ends, its JSON and its options."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from converting import (
    TIMEOUT,
    convert_json,
    environment,
    fingerprint,
    jpeg,
    tfrec,
    write_csv,
)
from verifying import (
    change_features,
    damage,
    flip,
    frames_of,
    run,
    shard,
    store,
    verify,
    write_shard,
)

from tfrecordcli.formats.example import encode_example
from tfrecordcli.option_parsing import shard_range
from tfrecordcli.problems import HINTS

KEYS = {
    *("schema_version", "command", "status", "exit_code", "error", "warnings"),
    *("ok", "path", "records", "bytes", "splits", "problems", "problem_count", "problem_counts"),
    *("not_checked", "notes", "integrity", "feed", "gate"),
}  # fmt: skip


@pytest.fixture
def dataset(small: Path, tmp_path: Path) -> Path:
    shutil.copytree(small, tmp_path / "out")
    return tmp_path / "out"


# --- what it says, and how it ends ---


def test_a_right_dataset(dataset: Path) -> None:
    before = fingerprint(dataset)
    done = run(dataset)
    assert (done.code, done.err) == (0, "")
    assert "is right: 12 records in 4 shards (test 3, train 9)" in done.out
    assert "every checksum, record, label and image" in done.out
    values = run(dataset, "--json").json
    assert values.keys() == KEYS
    assert (values["schema_version"], values["command"], values["status"]) == (1, "verify", "complete")
    assert (values["ok"], values["exit_code"], values["error"], values["feed"]) == (True, 0, None, None)
    assert (values["records"], values["problems"], values["problem_count"]) == (12, [], 0)
    assert values["bytes"] == sum(path.stat().st_size for path in dataset.glob("*.tfrecord"))
    assert values["splits"]["test"]["records"] == 3
    assert values["integrity"].keys() == {"seconds", "images_per_second", "mb_per_second"}
    assert values["not_checked"] == []
    assert fingerprint(dataset) == before


def test_all_problems_are_told(dataset: Path) -> None:
    offset = damage(shard(dataset, 0), 1)
    store(shard(dataset, 2), b"".join(frames_of(shard(dataset, 2))[:1]))
    (dataset / "labels.txt").write_bytes(b"b\na\n")
    done = run(dataset)
    assert done.code == 1
    assert "every checksum" not in done.out  # some could not be read
    assert f"{shard(dataset, 0).name}, record 1 at byte {offset}: " in done.out
    end = shard(dataset, 2).stat().st_size
    assert f"{shard(dataset, 2).name}, record 1 at byte {end}: only 1 of 3 records are there" in done.out
    for code in ("payload_damaged", "cut_between_records", "labels_edited"):
        assert done.out.count(f"hint for {code}: {HINTS[code]}") == 1
    assert "labels.txt: " in done.out
    values = run(dataset, "--json").json
    assert values.keys() == KEYS
    assert (values["ok"], values["status"], values["exit_code"]) == (False, "failed", 1)
    assert values["error"].keys() == {"code", "message", "hint"}
    assert {problem["code"] for problem in values["problems"]} == {
        "payload_damaged", "cut_between_records", "labels_edited",
    }  # fmt: skip
    for problem in values["problems"]:
        assert problem.keys() == {"code", "severity", "path", "record", "offset", "message"}
    (told,) = [problem for problem in values["problems"] if problem["code"] == "payload_damaged"]
    assert (told["path"], told["record"], told["offset"]) == (shard(dataset, 0).name, 1, offset)
    assert told["severity"] == "error"


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda folder: None, 2),
        (lambda folder: folder.mkdir(), 2),
        (lambda folder: (folder.mkdir(), (folder / "a.jpg").write_bytes(jpeg())), 2),
        (lambda folder: (folder.mkdir(), (folder / "a.tfrecord").write_bytes(b"<html>no</html>")), 1),
        (lambda folder: (folder.mkdir(), (folder / "a.tfrecord").write_bytes(b"")), 1),
        (lambda folder: (folder / "_tfrec").mkdir(parents=True), 1),
        (lambda folder: (folder.mkdir(), (folder / "manifest.json").write_text("{}")), 1),
        (lambda folder: folder.write_bytes(b"{}"), 1),
        (lambda folder: folder.write_bytes(b""), 1),
    ],
    ids=["missing", "empty", "pictures", "junk", "no record", "unfinished", "manifest", "file", "empty file"],
)  # fmt: skip
def test_paths_that_are_no_dataset(tmp_path: Path, make: Any, code: int) -> None:
    make(tmp_path / "it")
    done = run(tmp_path / "it", "--json")
    assert done.code == code
    values = done.json
    assert values["status"] == "failed"
    assert values["error"]["message"]
    assert ("problems" in values) == (code == 1)


def test_a_script_stops_at_a_damaged_dataset(dataset: Path, tmp_path: Path) -> None:
    script = tmp_path / "train.sh"
    command = f"{sys.executable} -P -m tfrecordcli verify {dataset} --no-feed --quiet"
    script.write_text(f"set -e\n{command}\necho training\n")

    def train() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", str(script)],
            capture_output=True,
            text=True,
            env=environment(),
            timeout=TIMEOUT,
            check=False,
        )

    done = train()
    assert (done.returncode, done.stdout) == (0, "training\n")
    damage(shard(dataset))
    done = train()
    assert done.returncode == 1
    assert "training" not in done.stdout
    assert "payload" not in done.stderr
    assert shard(dataset).name in done.stdout  # quiet: errors only


def test_one_shard_by_its_path(dataset: Path) -> None:
    damage(shard(dataset, 1))
    assert run(shard(dataset, 0)).code == 0
    damaged = run(shard(dataset, 1), "--json").json
    assert [problem["code"] for problem in damaged["problems"]] == ["payload_damaged"]
    store(shard(dataset, 2), b"".join(frames_of(shard(dataset, 2))[:1]))
    cut = run(shard(dataset, 2), "--json").json  # the manifest beside it is asked
    assert [problem["code"] for problem in cut["problems"]] == ["cut_between_records"]


# --- options ---


def test_some_shards_only(dataset: Path) -> None:
    damage(shard(dataset, 1))
    shard(dataset, 2).unlink()
    codes = {
        what: verify(dataset, **what_is_chosen).problem_counts
        for what, what_is_chosen in {
            "all": {},
            "test": {"split": "TEST"},
            "train": {"split": "training"},
            "first": {"split": "train", "shards": (0, 0)},
            "second": {"shards": (1, 1)},
            "last": {"shards": (2, 2)},
        }.items()
    }
    assert codes == {
        "all": {"payload_damaged": 1, "file_missing": 1},
        "test": {},
        "train": {"payload_damaged": 1, "file_missing": 1},
        "first": {},
        "second": {"payload_damaged": 1},
        "last": {"file_missing": 1},
    }
    report = verify(dataset, split="test")
    assert (report.records, list(report.splits)) == (3, ["test"])
    assert any("splits" in sentence for sentence in report.not_checked)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--split", "holiday"),
        ("--shards", "7"),
        ("--shards", "2-1"),
        ("--shards", "first"),
        ("--ignore", "no_such_code"),
        ("--workers", "0"),
        ("--max-problems", "0"),
        ("--check", "hope"),
    ],
    ids=" ".join,
)
def test_options_that_cannot_be_right(dataset: Path, arguments: tuple[str, str]) -> None:
    done = run(dataset, *arguments, "--json")
    assert done.code == 2
    assert done.json["error"]["code"] == "usage"


def test_ranges_of_shards() -> None:
    assert [shard_range(text, "--shards") for text in ("0", "3-5", " 7-7 ")] == [(0, 0), (3, 5), (7, 7)]


def test_problems_beyond_the_limit_are_counted(dataset: Path) -> None:
    for number in range(3):
        frames = frames_of(shard(dataset, number))
        store(shard(dataset, number), b"".join(flip(frame, 40) for frame in frames))
    (dataset / "labels.txt").unlink()
    values = run(dataset, "--max-problems", "2", "--json").json
    assert len(values["problems"]) == 2
    assert values["problem_count"] == 10
    assert values["problem_counts"] == {"labels_edited": 1, "payload_damaged": 9}
    assert "9 errors" not in values["error"]["message"]
    assert "10 errors" in values["error"]["message"]
    done = run(dataset, "--max-problems", "2")
    assert "and 8 more" in done.out
    assert "payload_damaged 9" in done.out


def test_what_is_ignored_takes_no_place_in_the_list(dataset: Path) -> None:
    for number in range(3):
        change_features(shard(dataset), number, image__format=[b"png"])
    change_features(shard(dataset), 2, image__format=[b"png"], image__height=[3])
    values = run(dataset, "--ignore", "image_format", "--max-problems", "1", "--json").json
    assert [problem["code"] for problem in values["problems"]] == ["image_size"]
    assert values["problem_counts"] == {"image_size": 1}


def test_warnings_count_when_told_so(tmp_path: Path) -> None:
    image = jpeg(1)
    for split in ("train", "test"):
        write_shard(tmp_path / f"{split}.tfrecord", [encode_example({"image/encoded": [image]})])
    done = run(tmp_path, "--json")
    assert (done.code, [problem["code"] for problem in done.json["problems"]]) == (0, ["leakage"])
    assert done.json["problems"][0]["severity"] == "warning"
    strict = run(tmp_path, "--json", "--strict")
    assert (strict.code, strict.json["status"]) == (1, "failed")
    assert "1 warning" in strict.json["error"]["message"]
    assert run(tmp_path, "--strict", "--ignore", "leakage").code == 0


def test_the_number_of_workers_changes_nothing(dataset: Path) -> None:
    damage(shard(dataset, 1))
    shutil.copy(shard(dataset, 0), dataset / "train-00003-of-00004.tfrecord")
    outputs = []
    for workers in (1, 3):
        values = run(dataset, "--workers", workers, "--json").json
        values.pop("integrity")
        outputs.append(values)
    assert outputs[0] == outputs[1]


def test_a_file_without_permission(dataset: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read every file")
    shard(dataset).chmod(0)
    values = run(dataset, "--json").json
    assert [problem["code"] for problem in values["problems"]] == ["unreadable"]


def test_a_folder_without_permission(dataset: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read every folder")
    dataset.chmod(0)
    done = run(dataset, "--json")
    dataset.chmod(0o700)
    assert done.code == 2
    assert done.json["error"]["code"] == "input"


def test_a_split_that_is_not_there_is_a_usage_error_beside_a_missing_shard_too(dataset: Path) -> None:
    shard(dataset).unlink()
    done = run(dataset, "--split", "nosuch", "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "usage")
    assert "its splits are test, train;" in done.json["error"]["hint"]


def test_a_feed_that_cannot_be_run_does_not_make_warnings_right(tmp_path: Path) -> None:
    """--strict, an image in two splits, and no TensorFlow: not right, exit 1."""
    for name in ("0.jpg", "1.jpg"):
        (tmp_path / name).write_bytes(jpeg(1))
    rows = [("TRAIN", "0.jpg", "a"), ("TEST", "1.jpg", "a")]
    csv = write_csv(tmp_path / "list.csv", rows, ("split", "image_uri", "label"))
    assert convert_json(csv, tmp_path / "out")["exit_code"] == 0
    (tmp_path / "without" / "tensorflow").mkdir(parents=True)
    (tmp_path / "without" / "tensorflow" / "__init__.py").write_text("raise ImportError('not installed')")
    env = environment(PYTHONPATH=str(tmp_path / "without"))
    done = tfrec("verify", tmp_path / "out", "--strict", env=env)
    assert done.code == 1
    assert "is not right" in done.out
    assert "tensorflow" in done.err
    values = tfrec("verify", tmp_path / "out", "--strict", "--json", env=env).json
    assert (values["exit_code"], values["ok"], values["error"]["code"]) == (1, False, "problems")
    assert any(sentence.startswith("the feed: ") for sentence in values["not_checked"])


# --- datasets of others ---


def test_a_foreign_file_says_what_it_could_not_check(tmp_path: Path) -> None:
    write_shard(tmp_path / "a.tfrecord", [encode_example({"numbers": [1, 2]})])
    done = run(tmp_path)
    assert done.code == 0
    assert "every checksum, record, label and image" not in done.out
    assert "not checked: " in done.out
    assert "1 record holds no JPEG" in done.out


# --- options that do nothing ---

NOTES: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "none": (("--no-feed", "--workers", "1"), []),
    "of the feed": (
        ("--no-feed", "--batch-size", "3", "--device", "cpu", "--step-time", "5"),
        ["--batch-size, --device, --step-time are not used: the feed is not run"],
    ),
    "of a feed that cannot be run": (
        ("--shards", "0-0", "--image-size", "9"), ["--image-size is not used: the feed is not run"]
    ),
    "of the data of images": (
        ("--no-feed", "--check", "structure", "--gate", "portable"),
        ["--gate is not used: --check structure does not look into the data of images"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("words", "notes"), NOTES.values(), ids=NOTES)
def test_options_that_do_nothing_are_said(words: tuple[str, ...], notes: list[str], small: Path) -> None:
    done = tfrec("verify", small, *words, "--json")
    assert (done.code, done.json["notes"]) == (0, notes)
    told = " ".join(tfrec("verify", small, *words).out.split())
    assert all(f"note: {note}" in told for note in notes)


def test_they_are_said_once_for_several_datasets(small: Path, tmp_path: Path) -> None:
    shutil.copytree(small, tmp_path / "twin")
    done = tfrec("verify", small, tmp_path / "twin", "--no-feed", "--feed-seconds", "3")
    assert done.out.count("--feed-seconds is not used") == 1


def test_options_for_images_are_said_where_rows_have_none(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,label\n1,a\n2,b\n")
    made = tfrec("convert", "a.csv", "out", "--task", "tabular", "--splits", "train=1", cwd=tmp_path)
    assert made.code == 0, made.err
    done = run(tmp_path / "out", "--gate", "portable", "--max-pixels", "9", "--json")
    assert done.json["notes"] == ["--gate, --max-pixels are not used: rows have no image"]


def test_what_another_dataset_has_a_use_for_is_not_called_unused(small: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,label\n1,a\n2,b\n")
    made = tfrec("convert", "a.csv", "out", "--task", "tabular", "--splits", "train=1", cwd=tmp_path)
    assert made.code == 0, made.err
    done = tfrec("verify", tmp_path / "out", small, "--no-feed", "--gate", "portable", "--batch-size", "8")
    assert "--gate" not in done.out
    assert done.out.count("--batch-size is not used") == 1
