"""Every exit code by a real process, and exactly one JSON object on stdout whatever happens."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from converting import (
    TFREC,
    TIMEOUT,
    Run,
    convert_json,
    environment,
    fingerprint,
    image_list,
    jpeg,
    manifest,
    read_csv,
    rows_add_up,
    tfrec,
    write_csv,
)
from sampling import first

HEADER = ("split", "image_uri", "label")
COMMON = {"schema_version", "command", "status", "exit_code", "error", "warnings"}
OF_CONVERT = {
    "output_dir", "runner", "rows", "records", "rejected", "merged", "discarded", "reasons", "num_labels",
    "splits", "resumed_shards", "seconds", "images_per_second", "bytes_read", "bytes_written",
}  # fmt: skip


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return image_list(tmp_path / "in", 8)


def with_bad_rows(csv: Path, *rows: tuple[str, str, str]) -> Path:
    """The list with more rows at its end."""
    with csv.open("a") as file:
        file.writelines(",".join(row) + "\n" for row in rows)
    return csv


MISSING = ("TRAIN", "missing.jpg", "a")
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
def test_what_cannot_run_is_2_with_one_line_and_a_cure(csv: Path, arguments: tuple[str, ...]) -> None:
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


def test_another_input_is_2_naming_the_changed_option(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert convert_json(csv, output)["exit_code"] == 0
    before = fingerprint(output)
    refused = convert_json(csv, output, "--seed", "1", "--compression", "gzip")
    assert (refused["exit_code"], refused["status"]) == (2, "failed")
    for option in ("--seed", "--compression", "--overwrite"):
        assert option in refused["error"]["message"] + refused["error"]["hint"]
    with_bad_rows(csv, ("TRAIN", "extra.jpg", "a"))
    assert "source" in convert_json(csv, output)["error"]["message"]
    assert fingerprint(output) == before


def test_overwrite_replaces_the_dataset_and_nothing_else(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert convert_json(csv, output, "--num-shards", "3", "--index")["exit_code"] == 0
    (output / "notes.txt").write_text("mine")
    done = convert_json(csv, output, "--compression", "gzip", "--overwrite")
    assert (done["exit_code"], done["status"]) == (0, "complete")
    fresh = tmp_path / "fresh"
    convert_json(csv, fresh, "--compression", "gzip")
    notes = fingerprint(output).pop("notes.txt")
    assert fingerprint(output) == {**fingerprint(fresh), "notes.txt": notes}


def test_a_replacement_that_is_refused_leaves_the_old_dataset(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    convert_json(csv, output)
    before = fingerprint(output)
    with_bad_rows(csv, BAD_SPLIT)
    assert convert_json(csv, output, "--overwrite", "--fail-fast")["exit_code"] == 1
    assert convert_json(csv, output, "--overwrite", "--num-shards", "99")["exit_code"] == 2
    assert fingerprint(output) == before


@pytest.mark.parametrize(
    "name", ["labels.txt", "rejects.csv", "train-00000-of-00002.tfrecord", "shards.jsonl"]
)
def test_files_of_others_are_never_touched(csv: Path, tmp_path: Path, name: str) -> None:
    output = tmp_path / "out"
    output.mkdir()
    (output / name).write_text("a\nb\n")
    more = ("--labels", output / name) if name == "labels.txt" else ()
    refused = convert_json(csv, output, *more)
    assert refused["exit_code"] == 2
    assert name in refused["error"]["message"]
    assert (output / name).read_text() == "a\nb\n"
    assert [path.name for path in output.iterdir()] == [name]


@pytest.mark.parametrize(
    "name", ["rejects.csv", "extra-00000-of-00001.tfrecord", "train-00000-of-00001.tfrecord",
             "train-00000-of-00002.tfrecord.idx", "train-00000-of-00002.tfrecord.gz"]
)  # fmt: skip
def test_files_of_others_beside_a_dataset_are_not_replaced(csv: Path, tmp_path: Path, name: str) -> None:
    """Files that are called like those of the dataset, and are none of it."""
    output = tmp_path / "out"
    assert convert_json(csv, output, "--num-shards", "2")["exit_code"] == 0
    (output / name).write_text("mine")
    before = fingerprint(output)
    refused = convert_json(csv, output, "--num-shards", "3", "--overwrite")
    assert (refused["exit_code"], name in refused["error"]["message"]) == (2, True)
    assert fingerprint(output) == before
    (output / name).unlink()
    assert convert_json(csv, output, "--num-shards", "3", "--overwrite")["exit_code"] == 0


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"name": "an app"}', "no json"])
@pytest.mark.parametrize("more", [(), ("--overwrite",), ("--dry-run",)], ids=["", "overwrite", "dry-run"])
def test_a_manifest_of_others_is_no_bug_of_ours(csv: Path, tmp_path: Path, content: str, more: Any) -> None:
    output = tmp_path / "out"
    output.mkdir()
    (output / "manifest.json").write_text(content)
    refused = convert_json(csv, output, *more)
    assert refused["exit_code"] == 2
    assert "manifest.json" in refused["error"]["message"]
    assert [path.name for path in output.iterdir()] == ["manifest.json"]
    assert (output / "manifest.json").read_text() == content


def test_a_full_disk_is_2_and_the_run_continues(csv: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: writes fail with EFBIG."""
    big = tmp_path / "in" / "big.png"
    from PIL import Image

    Image.frombytes("RGB", (200, 200), os.urandom(120_000)).save(big)
    with_bad_rows(csv, ("TRAIN", "big.png", "b"))
    arguments = ["convert", csv, tmp_path / "out", "--num-shards", "3", "--json"]
    done = subprocess.run(
        [*TFREC, *map(str, arguments)], capture_output=True, text=True, env=environment(), timeout=TIMEOUT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)), check=False,
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


# --- a rerun ---


def test_a_rerun_says_so_and_gives_the_verdict_again(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    with_bad_rows(csv, MISSING)
    first = convert_json(csv, output)
    before = fingerprint(output)
    for more, code in (((), 1), (("--max-rejects", "1"), 0), (("--max-rejects", "5%"), 1)):
        again = convert_json(csv, output, *more, "--workers", "1", "--fail-fast")
        assert (again["status"], again["exit_code"]) == ("already_complete", code)
        for key in ("rows", "records", "rejected", "reasons", "splits", "num_labels", "bytes_read"):
            assert again[key] == first[key], key
        assert again["problems"] == first["problems"]
    assert "complete already" in tfrec("convert", csv, output).out
    assert fingerprint(output) == before


def test_a_mended_image_asks_for_overwrite(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    with_bad_rows(csv, MISSING)
    convert_json(csv, output)
    (csv.parent / "missing.jpg").write_bytes(jpeg(50))
    changed = convert_json(csv, output, "--max-rejects", "1")
    assert changed["exit_code"] == 2
    assert "missing.jpg" in changed["error"]["message"]
    assert "line 10" in changed["error"]["message"]
    assert "--overwrite" in changed["error"]["hint"]
    done = convert_json(csv, output, "--overwrite")
    assert (done["exit_code"], done["records"]) == (0, 9)
    assert not (output / "rejects.csv").exists()


def test_a_run_that_died_after_its_manifest_is_cleared_up(csv: Path, tmp_path: Path) -> None:
    """As if the process had been killed between the manifest and the removal of its work folder."""
    output = tmp_path / "out"
    code = (
        "import os, sys\nfrom tfrecordcli.workdir.workspace import Workspace\n"
        "def die(self):\n    if (self.output / 'manifest.json').exists(): os._exit(9)\n"
        "Workspace.forget_plan = die\n"
        "import tfrecordcli\ntfrecordcli.convert(sys.argv[1], sys.argv[2])\n"
    )
    died = tfrec(csv, output, command=[sys.executable, "-c", code])
    assert died.code == 9
    assert (output / "manifest.json").exists()
    assert (output / "_tfrec").exists()
    assert convert_json(csv, output)["status"] == "already_complete"
    assert not (output / "_tfrec").exists()


# --- 3 is in test_runners_local.py, as are 70, 130 and 143 ---


# --- what is printed ---


def test_quiet_prints_errors_only(csv: Path, tmp_path: Path) -> None:
    done = tfrec("convert", csv, tmp_path / "out", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    with_bad_rows(csv, MISSING)
    rejects = tfrec("convert", csv, tmp_path / "other", "--quiet")
    assert (rejects.code, rejects.out) == (1, "")
    failed = tfrec("convert", csv, tmp_path / "out", "--quiet")
    assert (failed.code, failed.out) == (2, "")
    assert failed.err.startswith("tfrec: ")
    values = tfrec("convert", csv, tmp_path / "other", "--quiet", "--json")
    assert values.json["status"] == "already_complete"
    assert values.err == ""


def test_a_pipe_sees_no_progress_bar_and_no_colour(csv: Path, tmp_path: Path) -> None:
    done = tfrec("convert", csv, tmp_path / "out")
    assert done.err == ""
    assert not set("\r\x1b") & set(done.out)
    assert "%|" not in done.out


def test_a_closed_pipe_is_no_verdict(csv: Path, tmp_path: Path) -> None:
    """`tfrec … | head -0`: the reader is gone; that is neither success nor a finding."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*TFREC, "convert", str(csv), str(tmp_path / "out")],
        stdout=writing, stderr=subprocess.PIPE, text=True, env=environment(), timeout=TIMEOUT, check=False,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, Run(141, "", done.stderr).err) == (141, "")
    assert (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize("encoding", first(["ascii"], ["latin-1", "cp437"]))
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_a_stream_that_knows_few_characters(tmp_path: Path, as_json: bool, encoding: str) -> None:
    csv = image_list(tmp_path / "in", 2)
    csv.write_text("split,image_uri,label\nTRAIN,000.jpg,café\nTRAIN,001.jpg,日本\nTRAIN,é.jpg,café\n")
    env = environment(PYTHONIOENCODING=f"{encoding}:strict")
    done = tfrec("convert", csv, tmp_path / "out-ü", *["--json"][: int(as_json)], env=env)
    assert done.code == 1, done.err
    if as_json:
        assert done.json["output_dir"].endswith("out-ü")
        assert done.json["problems"][0]["image_uri"] == "é.jpg"
    else:
        assert ("日本" if encoding == "ascii" else "\\u65e5\\u672c") in done.out  # click mistrusts ASCII
    assert read_csv(tmp_path / "out-ü" / "rejects.csv")[0]["label"] == "café"


def test_an_output_path_that_is_no_utf8(csv: Path, tmp_path: Path) -> None:
    output = os.fsdecode(os.fsencode(tmp_path) + b"/out-\xff")
    try:
        os.mkdir(output)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    done = subprocess.run(
        [*TFREC, "convert", str(csv), output, "--json"], capture_output=True, env=environment(),
        timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["output_dir"] == output


def test_summary_tables_add_up(csv: Path, tmp_path: Path, sample_data: Path) -> None:
    values = convert_json(sample_data / "bad.csv", tmp_path / "out", "--max-rejects", "12")
    rows_add_up(values)
    assert [values[k] for k in ("rows", "records", "rejected", "merged", "discarded")] == [22, 8, 12, 1, 1]
    stands = manifest(tmp_path / "out")
    assert stands["reasons"] == values["reasons"]
    text = tfrec("convert", sample_data / "bad.csv", tmp_path / "out", "--max-rejects", "12").out
    lines = text.splitlines()
    start = next(n for n, line in enumerate(lines) if line.split()[:2] == ["split", "rows"])
    head = lines[start].split()[1:-1]
    sums = dict.fromkeys(head, 0)
    for line in lines[start + 1 : lines.index("", start)]:
        cells = line.split()
        row = dict(zip(head, map(int, cells[1 : len(head) + 1]), strict=True))
        assert row["rows"] == row["records"] + row["rejected"] + row["merged"] + row["discarded"]
        for key, count in row.items():
            sums[key] += count
    assert sums["rows"] == 22
    assert sums["records"] == 8


@pytest.mark.parametrize("kind", ["relative", "standard input", "absolute"])
def test_a_current_directory_that_was_deleted(kind: str, tmp_path: Path) -> None:
    """Also with absolute paths: libraries fail without one, and a good image was called damaged."""
    csv = image_list(tmp_path / "in", 2)
    source = {"relative": "x.csv", "standard input": "-", "absolute": str(csv)}[kind]
    output = tmp_path / "out" if kind == "absolute" else "out"
    gone = tmp_path / "gone"
    gone.mkdir()
    code = "import os, sys; os.rmdir(os.getcwd()); os.execv(sys.argv[1], sys.argv[1:])"
    command = (sys.executable, "-c", code, *TFREC)
    done = tfrec("convert", source, output, cwd=gone, stdin=b"TRAIN,a.jpg,x\n", command=command)
    assert done.code == 2
    assert "the current directory was deleted" in done.err
    assert "change to another one" in done.err


def test_a_second_signal_does_not_keep_the_first_from_its_end() -> None:
    """At any moment: together with it, while it is told, at the very end."""
    code = (
        "import os, signal\nfrom tfrecordcli.cli import main\n"
        "def both(*_):\n"
        "    for number in (signal.SIGINT, signal.SIGTERM) * 3:\n        os.kill(os.getpid(), number)\n"
        "def then_both(call):\n"
        "    return lambda *arguments: (both(), call(*arguments), both())[1]\n"
        "main.tfrec.main = lambda *_, **__: both()\n"
        "main.print_error = then_both(main.print_error)\n"
        "main._leave = then_both(main._leave)\n"
        "main.main()\n"
    )
    done = tfrec("convert", command=[sys.executable, "-c", code])
    assert done.code == 130
    assert len(done.err.splitlines()) == 2


def test_a_signal_after_the_end_changes_nothing() -> None:
    code = (
        "import os, signal\nfrom tfrecordcli.cli import main\n"
        "main.tfrec.main = lambda *_, **__: 1\n"
        "leave = main._leave\n"
        "main._leave = lambda code: (os.kill(os.getpid(), signal.SIGTERM), leave(code))\n"
        "main.main()\n"
    )
    done = tfrec("convert", command=[sys.executable, "-c", code])
    assert (done.code, done.err) == (1, "")


def test_a_signal_that_python_cannot_answer_ends_the_command() -> None:
    """The main thread waits in a library, which no signal wakes."""
    code = (
        "import os, signal, threading\nfrom tfrecordcli.cli import signals\n"
        "signals.GRACE = 0.2\n"
        "signals.Stopping(lambda code, word: print(code, word, flush=True)).install()\n"
        "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))\n"
        "threading.Lock().acquire() and threading.Event().wait()\n"
    )
    done = tfrec(command=[sys.executable, "-c", code])
    assert (done.code, done.out) == (143, "143 terminated\n")


def test_a_signal_that_the_caller_ignores_is_ignored() -> None:
    """As shells start jobs in the background."""
    code = (
        "import os, signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from tfrecordcli.cli import main\n"
        "main.tfrec.main = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT) or 0\n"
        "main.main()\n"
    )
    done = tfrec("convert", command=[sys.executable, "-c", code])
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(("names", "code"), [("INT", 130), ("TERM", 143), ("INT TERM", 130)])
def test_a_signal_while_the_command_is_loaded(names: str, code: int, tmp_path: Path) -> None:
    """It arrives at the first import of click, long before the command begins."""
    script = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, module, path=None, target=None):\n"
        "        if module == 'click':\n"
        "            sys.meta_path.remove(self)\n"
        f"            for name in {names.split()}:\n"
        "                os.kill(os.getpid(), signal.Signals['SIG' + name])\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from tfrecordcli.__main__ import main\n"
        "main()\n"
    )
    done = tfrec("convert", "x.csv", tmp_path / "out", "--json", command=[sys.executable, "-c", script])
    assert done.code == code
    assert len(done.err.splitlines()) == 2
    assert json.loads(done.out)["exit_code"] == code


def test_quiet_still_says_why_there_is_no_dataset(tmp_path: Path) -> None:
    csv = write_csv(tmp_path / "list.csv", [("TRAIN", "a.jpg", "x"), ("TRIAN", "a.jpg", "x")])
    (tmp_path / "a.jpg").write_bytes(jpeg(1))
    done = tfrec("convert", csv, tmp_path / "out", "--quiet")
    assert (done.code, done.out) == (1, "")
    assert len(done.err.splitlines()) == 1
    assert "out" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("convert", "x.csv", "URL/out"),
        ("convert", "x.csv", "out", "--labels", "URL/labels.txt"),
        ("convert", "URL/x.csv?y@z", "out", "--runner", "x"),
        ("verify", "URL/out"),
        ("inspect", "URL/out"),
        ("bench", "URL/out"),
        ("convert", "x.csv", "out", "--max-side", "URL"),
    ],
    ids=" ".join,
)
def test_no_error_shows_credentials(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("TRAIN,a.jpg,x\n")
    words = [word.replace("URL", "http://user:s3cr@et@127.0.0.1:9") for word in arguments]
    done = tfrec(*words, "--json", cwd=tmp_path, here=True)
    assert done.code == 2
    assert "s3cr" not in done.out + done.err
    assert "et@" not in done.out + done.err
