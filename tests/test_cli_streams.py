"""What is printed and where: quiet, pipes, odd encodings and paths, sums, no credentials."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from converting import (
    MISSING,
    TFREC,
    TIMEOUT,
    Run,
    convert_json,
    environment,
    image_list,
    jpeg,
    manifest,
    read_csv,
    rows_add_up,
    tfrec,
    with_bad_rows,
    write_csv,
)
from sampling import first


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
