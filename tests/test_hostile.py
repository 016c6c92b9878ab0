"""Lists made to break a converter: endless lines, a million columns, names and paths of every kind."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from converting import (
    TFREC,
    TIMEOUT,
    Run,
    convert_json,
    environment,
    image_list,
    jpeg,
    read_csv,
    tfrec,
    write_csv,
)
from sampling import first
from test_dataset_samples import plan_of

from tfrecordcli.planning import buckets
from tfrecordcli.sources.text_lines import MAX_ROW
from tfrecordcli.storage.store_path import walk_local
from tfrecordcli.tfrecords.record_reader import read_records
from tfrecordcli.tfrecords.shard_stream import ShardStream, open_shard

_MIB = 1 << 20
HEADER = "split,image_uri,label\n"
# What a process may take in all; one line of the lists below would be more.
_ADDRESS_SPACE = 700 * _MIB


def convert_within(limit: int, csv: Path, *more: str) -> Run:
    """A dry run in a process that may take so much memory and not more."""
    if sys.platform != "linux":
        pytest.skip("only Linux limits addresses")

    def confine() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    done = subprocess.run(
        [*TFREC, "convert", str(csv), str(csv.parent / "out"), "--dry-run", *more], capture_output=True,
        text=True, env=environment(), timeout=TIMEOUT, preexec_fn=confine, check=False,
    )  # fmt: skip
    return Run(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("before", "line"),
    first([(HEADER + 'TRAIN,a.jpg,"', 2)], [("image_uri", 1), (HEADER + "TRAIN,a.jpg,x\n", 3)], unpack=True),
    ids=["a quote", "the first", "another"],
)
def test_an_endless_line(before: str, line: int, tmp_path: Path) -> None:
    """A line (a hole in the file) which is larger than all that its process may take."""
    csv = tmp_path / "list.csv"
    with csv.open("wb") as file:
        file.write(before.encode())
        file.truncate(_ADDRESS_SPACE)
        file.seek(0, os.SEEK_END)
        file.write(b"\nTRAIN,b.jpg,x\n")
    done = convert_within(_ADDRESS_SPACE, csv)
    assert done.code == 2, done.err
    message, hint = done.err.splitlines()
    assert f"list.csv: line {line}: the row is longer than {MAX_ROW:,} characters" in message
    assert hint.strip()


def test_a_row_of_many_quoted_lines_is_bounded_too(tmp_path: Path) -> None:
    csv = tmp_path / "list.csv"
    csv.write_text("image_uri,label,note\na.jpg,x" + ',"' + '\n","'.join(["n" * 1000] * 2000) + '"\n')
    done = tfrec("convert", csv, tmp_path / "out", "--dry-run")
    assert done.code == 2
    assert f"line 2: the row is longer than {MAX_ROW:,} characters" in done.err


@pytest.mark.parametrize("columns", first([5_000], [100_000]))
def test_very_many_columns(columns: int, tmp_path: Path) -> None:
    csv = tmp_path / "list.csv"
    csv.write_text("image_uri,label" + ",c" * columns + "\na.jpg,x" + ",1" * columns + "\n")
    done = convert_json(csv, tmp_path / "out", "--dry-run")
    assert (done["exit_code"], done["records"]) == (0, 1)
    (note,) = done["remarks"]
    assert f"c and {columns - 50:,} more" in note
    csv.write_text("nothing" + ",c" * columns + "\n")
    refused = convert_json(csv, tmp_path / "out", "--dry-run")
    assert refused["exit_code"] == 2
    assert len(refused["error"]["message"]) < 1000


def test_a_million_columns_are_refused(tmp_path: Path) -> None:
    csv = tmp_path / "list.csv"
    csv.write_text("image_uri,label" + ",c" * 1_000_000 + "\n")
    done = tfrec("convert", csv, tmp_path / "out")
    assert done.code == 2
    assert "line 1: the row is longer" in done.err


def test_nul_bytes_are_rejects(tmp_path: Path) -> None:
    content = HEADER + "TRAIN,a\0.jpg,x\nTRAIN,b.jpg,x\0y\n\0\0\nTR\0AIN,c.jpg,x\nTRAIN,d.jpg,x\n"
    made = plan_of(tmp_path, content)
    assert [(p.line, p.code) for p in sorted(made.problems, key=lambda p: p.line)] == [
        (2, "control_character"), (3, "control_character"), (4, "unknown_split"), (5, "unknown_split"),
    ]  # fmt: skip
    assert made.uris("train") == ["d.jpg"]


# --- label names ---

NAMES = {
    "path characters": "../../etc/passwd",
    "backslashes": "C:\\con",
    "an option": "--overwrite",
    "format characters": "%s{0}{}",
    "quotes": '"q"',
    "another script": "日本",
    "not composed": "e\u0301",
    "writes to the left": "\u202eevil",
    "no width": "\u200b",
    "10,000 characters": "L" * 10_000,
}
BAD_NAMES = {
    "a terminal escape": "\x1b[31mred\x1b[0m",
    "a tab": "a\tb",
    "a line separator": "a\u2028b",
    "DEL": "a\x7f",
    "a byte order mark": "\ufeffa",
}


def test_odd_label_names_come_out_as_they_went_in(tmp_path: Path) -> None:
    rows = [("TRAIN", f"{n:03}.jpg", name) for n, name in enumerate(NAMES.values())]
    csv = image_list(tmp_path / "in", len(rows))
    write_csv(csv, rows, ("split", "image_uri", "label"))
    done = tfrec("convert", csv, tmp_path / "out")
    assert done.code == 0, done.err
    _is_fit_for_a_terminal(done)
    assert (tmp_path / "out" / "labels.txt").read_text() == "".join(f"{n}\n" for n in sorted(NAMES.values()))
    verified = tfrec("verify", tmp_path / "out", "--no-feed")
    assert verified.code == 0
    _is_fit_for_a_terminal(verified)
    _is_fit_for_a_terminal(tfrec("inspect", tmp_path / "out"))
    again = convert_json(csv, tmp_path / "other", "--labels", tmp_path / "out" / "labels.txt")
    assert (again["exit_code"], again["num_labels"]) == (0, len(NAMES))


def test_unprintable_label_names_are_rejects(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 2)
    with csv.open("a") as file:
        file.writelines(f"TRAIN,new{n}.jpg,{name}\n" for n, name in enumerate(BAD_NAMES.values()))
    done = tfrec("convert", csv, tmp_path / "out", "--max-rejects", "9")
    assert done.code == 0, done.err
    _is_fit_for_a_terminal(done)
    rejects = read_csv(tmp_path / "out" / "rejects.csv")
    assert [row["label"] for row in rejects] == list(BAD_NAMES.values())
    assert {row["tfrec_code"] for row in rejects} == {"control_character"}


def _is_fit_for_a_terminal(run: Run) -> None:
    shown = run.out + run.err
    assert all(c.isprintable() or c == "\n" for c in shown)
    assert max(map(len, shown.splitlines())) < 1000


def test_a_line_break_in_a_label_stops_the_reading(tmp_path: Path) -> None:
    done = tfrec("convert", _list(tmp_path, 'TRAIN,a.jpg,"x\ny"\n'), tmp_path / "out")
    assert done.code == 2
    assert "line 2: a quote that opens here is closed only in line 3" in done.err


def test_very_many_labels_are_named_by_a_few(tmp_path: Path) -> None:
    rows = "".join(f"TRAIN,{n}.jpg,label {n:06}\n" for n in range(20_000))
    done = convert_json(_list(tmp_path, rows), tmp_path / "out", "--dry-run")
    assert done["num_labels"] == 20_000
    (warning,) = done["warnings"]
    assert "('label 000000', 'label 000001' and 19,998 more)" in warning
    assert len(warning) < 200


def test_a_label_of_very_many_digits_is_a_name(tmp_path: Path) -> None:
    done = convert_json(_list(tmp_path, f"TRAIN,a.jpg,{'1' * 5_000}\n"), tmp_path / "out", "--dry-run")
    assert done["num_labels"] == 1


def _list(folder: Path, rows: str) -> Path:
    path = folder / "list.csv"
    path.write_text(HEADER + rows)
    return path


# --- image paths ---


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[int]:
    """Folders in one another, of which `tmp_path` is the outermost, and their number.

    pytest cannot remove them.
    """
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(depth := 1_100):
        os.mkdir("d", dir_fd=here)
        upper, here = here, os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(upper)
    os.close(here)
    yield depth + 1
    subprocess.run(["rm", "-r", tmp_path / "d"], check=True)


def test_folders_of_any_depth_are_looked_through(deep: int, tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg())
    (tmp_path / "again").symlink_to(tmp_path)
    found = [(place, sorted(folders), files) for place, folders, files in walk_local(tmp_path)]
    assert (found[0], len(found)) == ((str(tmp_path), ["again", "d"], ["a.jpg"]), deep)
    done = tfrec("convert", str(_list(tmp_path, "TRAIN,b,x\n")), str(tmp_path / "out"))
    assert (done.code, "b: file not found" in done.out + done.err) == (2, True)


@pytest.fixture
def odd_files(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "good.jpg").write_bytes(jpeg())
    (folder / "dir.jpg").mkdir()
    os.mkfifo(folder / "pipe.jpg")
    (folder / "loop.jpg").symlink_to("loop2.jpg")
    (folder / "loop2.jpg").symlink_to("loop.jpg")
    (folder / "zero.jpg").symlink_to("/dev/zero")
    where = os.getcwd()
    os.chdir(folder)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("sock.jpg")
        os.chdir(where)
        yield folder


PATHS = {
    "dir.jpg": "is_directory", "dir.jpg/": "is_directory", ".": "is_directory", "/": "is_directory",
    "pipe.jpg": "not_a_file", "sock.jpg": "not_a_file", "zero.jpg": "not_a_file",
    "/dev/zero": "not_a_file", "/dev/tty": "not_a_file", "/dev/stdin": "not_a_file",
    "file:///dev/null": "not_a_file", "loop.jpg": "link_loop",
    "good.jpg/": "not_found", "good.jpg/x": "not_found", "~/x.jpg": "not_found",
    "n" * 300: "not_found", "n/" * 3000 + "a.jpg": "not_found",
}  # fmt: skip


def test_paths_that_are_no_image_files(odd_files: Path, tmp_path: Path) -> None:
    """All of them in one run, which ends, and opens nothing for ever."""
    uris = ["good.jpg", *PATHS]
    csv = write_csv(odd_files / "list.csv", [("TRAIN", uri, "a") for uri in uris])
    done = convert_json(csv, tmp_path / "out", "--max-rejects", "99")
    assert (done["exit_code"], done["records"], done["rejected"]) == (0, 1, len(PATHS))
    rejects = read_csv(tmp_path / "out" / "rejects.csv")
    assert {row["image_uri"]: row["tfrec_code"] for row in rejects} == PATHS


# --- one image in very many rows ---


def test_a_contradiction_of_very_many_rows_stays_short(tmp_path: Path) -> None:
    """Each row could name all the others: a hundred times the list of them."""
    rows = [f"TRAIN,a.jpg,{'xy'[n % 2]}" for n in range(2000)]
    made = plan_of(tmp_path, rows)
    assert len(made.problems) == 2000
    reasons = {p.line: p.reason for p in made.problems}
    assert "line 2, 4, 6, 8, 10, 12, 14, 16, …;" in reasons[1]
    assert "line 1, 3, 5, 7, 9, 11, 13, 15, …;" in reasons[2]
    assert max(map(len, reasons.values())) < 200


# --- shards ---


@pytest.mark.parametrize("length", [1 << 20, 1 << 33, (1 << 64) - 1])
def test_a_record_that_claims_to_be_huge_takes_no_memory(length: int, tmp_path: Path) -> None:
    import tracemalloc

    import google_crc32c

    head = length.to_bytes(8, "little")
    crc = google_crc32c.value(head)
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    path = tmp_path / "a.tfrecord"
    path.write_bytes(head + masked.to_bytes(4, "little") + b"x" * 1000)
    tracemalloc.start()
    try:
        with open_shard(str(path)) as file:
            assert not [r for r in read_records(ShardStream(file)) if r.payload is not None]
        assert tracemalloc.get_traced_memory()[1] < 32 * _MIB
    finally:
        tracemalloc.stop()


def test_buckets_of_a_long_list_are_dealt_out_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a list of many gigabytes: more rows than the buckets can take."""
    rows = [f"TRAIN,{n}.jpg,{n % 7}" for n in range(5000)]
    short = plan_of(tmp_path, rows)
    most: list[int] = []
    real = buckets._in_memory

    def read(path: Path) -> Iterator[list[str]]:
        most.append(len(path.read_bytes().splitlines()))
        return real(path)

    monkeypatch.setattr(buckets, "_in_memory", read)
    monkeypatch.setattr(buckets, "_BUCKET_BYTES", 2_000)
    monkeypatch.setattr(buckets, "_MAX_BUCKETS", 4)
    monkeypatch.setattr(buckets, "_MAX_FILE_BYTES", 10_000)
    long = plan_of(tmp_path, rows)
    assert long.shards == short.shards
    assert sum(most) == 5000
    assert max(most) < 120
