"""Exit codes 0, 1 and 2, and exactly one JSON object on stdout whatever happens.

3 is in test_runners_local.py, as are 70, 130 and 143.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
from pathlib import Path
from typing import Any

import pytest
from converting import (
    MISSING,
    TFREC,
    TIMEOUT,
    convert_json,
    environment,
    fingerprint,
    jpeg,
    manifest,
    tfrec,
    with_bad_rows,
    write_csv,
)

HEADER = ("split", "image_uri", "label")
COMMON = {"schema_version", "command", "status", "exit_code", "error", "warnings"}
OF_CONVERT = {
    "output_dir", "runner", "rows", "records", "rejected", "merged", "discarded", "reasons", "num_labels",
    "splits", "resumed_shards", "seconds", "images_per_second", "bytes_read", "bytes_written",
}  # fmt: skip

UNLABELLED = ("TRAIN", "000.jpg", "")
BAD_SPLIT = ("TRIAN", "zzz.jpg", "a")


# --- 0 and 1 ---


def test_complete_is_0_with_all_keys(csv: Path, tmp_path: Path) -> None:
    done = convert_json(csv, tmp_path / "out")
    assert set(done) >= COMMON | OF_CONVERT
    assert (done["status"], done["exit_code"], done["error"]) == ("complete", 0, None)
    assert done["output_dir"] == str(tmp_path / "out")
    assert done["runner"] == "local"
    assert done["bytes_written"] == sum(p.stat().st_size for p in (tmp_path / "out").glob("*.tfrecord"))
    assert done["bytes_read"] == sum(p.stat().st_size for p in csv.parent.glob("*.jpg"))
    assert set(done["splits"]["train"]) >= {"rows", "records", "rejected", "shards", "bytes"}


def test_an_image_reject_is_1_and_the_rest_stands(csv: Path, tmp_path: Path) -> None:
    done = convert_json(with_bad_rows(csv, MISSING), tmp_path / "out")
    assert (done["status"], done["exit_code"], done["records"], done["rejected"]) == ("complete", 1, 8, 1)
    assert done["reasons"] == {"not_found": 1}
    assert manifest(tmp_path / "out")["reasons"] == {"not_found": 1}


@pytest.mark.parametrize(
    ("allowed", "code"), [("0", 1), ("1", 1), ("2", 0), ("19%", 1), ("20%", 0), ("100%", 0), ("0%", 1)]
)
def test_max_rejects(csv: Path, tmp_path: Path, allowed: str, code: int) -> None:
    other = ("TRAIN", "other.jpg", "b")
    done = convert_json(with_bad_rows(csv, MISSING, other), tmp_path / "out", "--max-rejects", allowed)
    assert (done["rejected"], done["rows"], done["exit_code"], done["status"]) == (2, 10, code, "complete")


@pytest.mark.parametrize("row", [UNLABELLED, BAD_SPLIT, ("TRAIN", "", "a")], ids=["label", "split", "image"])
def test_fail_fast_stops_at_a_csv_that_alone_exceeds(csv: Path, tmp_path: Path, row: Any) -> None:
    output = tmp_path / "not" / "yet" / "there"
    (csv.parent / "001.jpg").unlink()  # never looked at
    with_bad_rows(csv, row, ("TRIAN", "q.jpg", "a"))
    options = (csv, output, "--max-rejects", "1", "--fail-fast")
    done = convert_json(*options)
    assert (done["status"], done["exit_code"], done["error"]["code"]) == ("failed", 1, "rejects")
    assert [problem["line"] for problem in done["problems"]] == [10, 11]
    assert done["records"] == 0
    assert not (tmp_path / "not").exists()
    text = tfrec("convert", *options)
    assert text.code == 1
    assert "line 10" in text.out
    assert "line 11: " in text.out
    assert not (tmp_path / "not").exists()


def test_a_list_of_rejects_only_is_1_whatever_is_allowed(tmp_path: Path) -> None:
    csv = write_csv(tmp_path / "list.csv", [UNLABELLED], HEADER)
    done = convert_json(csv, tmp_path / "out", "--max-rejects", "100%")
    assert (done["exit_code"], done["status"], done["records"]) == (1, "failed", 0)
    assert not (tmp_path / "out").exists()


def test_zero_records_never_exit_0(tmp_path: Path) -> None:
    rows = [("DISCARD", f"{n}.jpg", "a") for n in range(3)]
    csv = write_csv(tmp_path / "list.csv", rows, HEADER)
    done = convert_json(csv, tmp_path / "out", "--max-rejects", "100%")
    assert done["exit_code"] == 1
    unreadable = write_csv(tmp_path / "other.csv", [("TRAIN", "none.jpg", "a")], HEADER)
    assert convert_json(unreadable, tmp_path / "out", "--max-rejects", "100%")["exit_code"] == 2
    assert convert_json(csv, tmp_path / "out", "--dry-run")["exit_code"] == 1


def test_a_split_emptied_by_rejects_is_1(csv: Path, tmp_path: Path) -> None:
    (csv.parent / "broken.jpg").write_bytes(jpeg()[:200])
    with_bad_rows(csv, ("TEST", "broken.jpg", "a"))
    done = convert_json(csv, tmp_path / "out", "--max-rejects", "5")
    assert (done["exit_code"], done["status"], done["rejected"]) == (1, "complete", 1)
    assert done["splits"]["test"]["records"] == 0
    assert any("test" in warning for warning in done["warnings"])
    again = convert_json(csv, tmp_path / "out", "--max-rejects", "5")
    assert (again["exit_code"], again["status"]) == (1, "already_complete")


def test_fail_fast_stops_resumably(csv: Path, tmp_path: Path) -> None:
    with_bad_rows(csv, MISSING)
    options = ("--num-shards", "3")
    done = convert_json(csv, tmp_path / "out", *options, "--fail-fast")
    assert (done["status"], done["exit_code"], done["rejected"]) == ("failed", 1, 1)
    assert not (tmp_path / "out" / "manifest.json").exists()
    text = tfrec("convert", csv, tmp_path / "other", *options, "--fail-fast")
    assert text.code == 1
    assert "--fail-fast" in text.out
    rest = convert_json(csv, tmp_path / "out", *options, "--max-rejects", "1")
    assert (rest["status"], rest["exit_code"], rest["records"]) == ("complete", 0, 8)


def test_fail_fast_does_not_stop_what_is_allowed(csv: Path, tmp_path: Path) -> None:
    done = convert_json(with_bad_rows(csv, MISSING), tmp_path / "out", "--fail-fast", "--max-rejects", "1")
    assert (done["status"], done["exit_code"]) == ("complete", 0)


# --- dry runs ---


def test_a_dry_run_creates_nothing(csv: Path, tmp_path: Path) -> None:
    with_bad_rows(csv, BAD_SPLIT)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    output = tmp_path / "deep" / "out"
    done = convert_json(csv, output, "--dry-run", env=environment(TMPDIR=str(temporary)))
    assert (done["status"], done["exit_code"]) == ("planned", 1)
    assert set(done) >= COMMON | OF_CONVERT | {"problems"}
    assert (done["rows"], done["records"], done["rejected"]) == (9, 8, 1)
    (problem,) = done["problems"]
    assert (problem["line"], problem["code"]) == (10, "unknown_split")
    assert not (tmp_path / "deep").exists()
    assert not list(temporary.iterdir())
    assert convert_json(csv, output, "--dry-run", "--max-rejects", "1")["exit_code"] == 0
    assert "line 10" in tfrec("convert", csv, output, "--dry-run").out


def test_a_dry_run_says_what_a_replacement_would_renumber(csv: Path, tmp_path: Path) -> None:
    assert convert_json(csv, tmp_path / "out")["exit_code"] == 0
    before = fingerprint(tmp_path / "out")
    (csv.parent / "new.jpg").write_bytes(jpeg(99))
    with_bad_rows(csv, ("TRAIN", "new.jpg", "aa"))
    done = convert_json(csv, tmp_path / "out", "--dry-run", "--overwrite")
    assert done["renumbered_labels"] == ["b: 1 -> 2"]
    assert "b: 1 -> 2" in tfrec("convert", csv, tmp_path / "out", "--dry-run").out
    assert fingerprint(tmp_path / "out") == before


# --- 2 ---

USAGE: dict[str, tuple[str, ...]] = {
    "no arguments": (),
    "no output": ("list.csv",),
    "unknown option": ("list.csv", "out", "--colour"),
    "bad choice": ("list.csv", "out", "--check", "none"),
    "bad number": ("list.csv", "out", "--workers", "two"),
    "zero workers": ("list.csv", "out", "--workers", "0"),
    "bad size": ("list.csv", "out", "--shard-size", "many"),
    "bad share": ("list.csv", "out", "--max-rejects", "101%"),
    "negative rejects": ("list.csv", "out", "--max-rejects", "-1"),
    "bad split": ("list.csv", "out", "--splits", "trian=1"),
    "no such source": ("none.csv", "out"),
    "no such root": ("list.csv", "out", "--image-root", "none"),
    "no such labels": ("list.csv", "out", "--labels", "none.txt"),
    "index and gzip": ("list.csv", "out", "--index", "--compression", "gzip"),
    "too many shards": ("list.csv", "out", "--num-shards", "9"),
    "shards of an empty split": ("list.csv", "out", "--num-shards", "test=1"),
    "unknown runner": ("list.csv", "out", "--runner", "Magic"),
    "no such column": ("list.csv", "out", "--columns", "label=Species"),
    "wrong encoding": ("latin.csv", "out"),
    "not a list": ("000.jpg", "out"),
    "empty list": ("empty.csv", "out"),
    "header only": ("header.csv", "out"),
    "output is a file": ("list.csv", "000.jpg"),
    "output below a file": ("list.csv", "000.jpg/out"),
    "store": ("ftp://bucket/list.csv", "out"),
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE)
def test_what_cannot_run_is_2_with_one_line_and_a_hint(csv: Path, arguments: tuple[str, ...]) -> None:
    folder = csv.parent
    (folder / "latin.csv").write_bytes("split,image_uri,label\nTRAIN,000.jpg,café\n".encode("latin-1"))
    (folder / "empty.csv").touch()
    (folder / "header.csv").write_text("split,image_uri,label\n")
    before = {path.name for path in folder.iterdir()}
    text = tfrec("convert", *arguments, cwd=folder, here=True)
    assert (text.code, text.out) == (2, "")
    first, *hint = text.err.splitlines()
    assert first.startswith("tfrec: ")
    assert len(hint) <= 1, text.err
    assert all(line.startswith("       ") for line in hint)
    values = tfrec("convert", *arguments, "--json", cwd=folder, here=True).json
    assert set(values) >= COMMON
    assert (values["command"], values["status"], values["exit_code"]) == ("convert", "failed", 2)
    assert set(values["error"]) == {"code", "message", "hint"}
    assert first == "tfrec: " + values["error"]["message"]
    assert {path.name for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "arguments", [(), ("--json",), ("nonsense",), ("--nonsense", "--json")], ids=" ".join
)
def test_without_a_command_it_is_2(arguments: tuple[str, ...]) -> None:
    done = tfrec(*arguments)
    assert done.code == 2
    assert len(done.err.splitlines()) == 2
    assert "\\n" not in done.err
    if "--json" in arguments:
        assert done.json["error"]["code"] == "usage"
    else:
        assert done.out == ""


def test_a_wrong_image_root_stops_before_the_work(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "a" / "out"
    done = convert_json(csv, output, "--image-root", tmp_path, "--max-rejects", "100%")
    assert (done["exit_code"], done["error"]["code"]) == (2, "no_usable_image")
    assert "--image-root" in done["error"]["hint"]
    assert str(tmp_path) in done["error"]["message"]
    assert not (tmp_path / "a").exists()


def test_a_full_disk_is_2_and_the_run_continues(csv: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: writes fail with EFBIG."""
    big = tmp_path / "in" / "big.png"
    from PIL import Image

    Image.frombytes("RGB", (200, 200), os.urandom(120_000)).save(big)
    with_bad_rows(csv, ("TRAIN", "big.png", "b"))
    arguments = ["convert", csv, tmp_path / "out", "--num-shards", "3", "--json"]
    done = subprocess.run(
        [*TFREC, *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT, check=False,
        env=environment(PYTHONDONTWRITEBYTECODE="1"),  # which would be cut off, and read by every later test
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)),
    )  # fmt: skip
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert (error["code"], "ulimit -f" in error["hint"]) == ("no_space", True)
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out" / "manifest.json").exists()
    rest = convert_json(*arguments[1:-1])
    assert (rest["exit_code"], rest["records"]) == (0, 9)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission_is_2(csv: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    done = convert_json(csv, closed / "out")
    assert (done["exit_code"], done["error"]["code"]) == (2, "output")
