"""A disk that is full at each kind of file that is written: one line with a hint, and no bug of tfrec."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from converting import Run, convert_json, environment, fingerprint, image_list, tfrec
from full_disk import FullDisk
from stand_in_store import StandIn, serve
from storing import Running

KINDS = ("make", "write")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list of which rows are rejected both by themselves and for their image."""
    csv = image_list(tmp_path_factory.mktemp("in"), 8)
    (csv.parent / "bad.jpg").write_bytes(b"\xff\xd8nothing")
    with csv.open("a") as file:
        file.write("TRAIN,bad.jpg,a\nTRAIN,001.jpg2,\n")
    return csv


SHARDS = ("--num-shards", "train=2", "--workers", "1", "--index", "--max-rejects", "9")


@pytest.fixture(scope="module")
def undisturbed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    output = tmp_path_factory.mktemp("undisturbed") / "out"
    assert convert_json(source, output, *SHARDS)["exit_code"] == 0
    return fingerprint(output)


def no_space_in(folder: object, done: Run) -> None:
    assert done.code == 2, done.err
    message, hint = done.err.splitlines()[-2:]  # after what was told of the list
    assert message.startswith((f"tfrec: {folder}", f"tfrec: temporary files in {folder}:")), done.err
    assert "no space left" in message or "larger than this process may make" in message
    assert ("TMPDIR" in hint) == ("temporary files" in message)
    assert hint.strip()


# Kind of file -> what its path ends in.
OF_A_CONVERSION = {
    "lock": r"_tfrec/lock$",
    "buckets": r"plan\.new/buckets/0000$",
    "problems": r"plan\.new/problems",
    "rows of a split": r"plan\.new/train\.rows$",
    "task": r"plan\.new/tasks/train-00001",
    "labels of the plan": r"plan\.new/labels\.txt\.\w+\.tmp$",
    "plan.json": r"plan\.new/plan\.json",
    "origin": r"plan\.new/origin\.json",
    "shard": r"tmp/train-00001.*\.tfrecord\.\w+\.tmp$",
    "index": r"\.idx",
    "done record": r"_tfrec/done/",
    "labels.txt": r"_tfrec/tmp/labels\.txt",
    "shards.jsonl": r"_tfrec/tmp/shards\.jsonl",
    "book of rejects": r"_tfrec/tmp/rejects/",
    "rejects.csv": r"_tfrec/tmp/rejects\.csv",
    "manifest.json": r"_tfrec/tmp/manifest\.json",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", OF_A_CONVERSION)
def test_at_each_file_of_a_conversion(
    what: str, kind: str, source: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    disk = FullDisk(tmp_path / "disk")
    output = tmp_path / "out"
    no_space_in(output, disk.run(OF_A_CONVERSION[what], kind, "convert", source, output, *SHARDS))
    assert not (output / "manifest.json").exists()
    assert disk.run_with_room("convert", source, output, *SHARDS).code == 0
    assert fingerprint(output) == undisturbed
    assert not list(disk.temporary.iterdir())


@pytest.mark.parametrize("kind", KINDS)
def test_at_a_shard_of_a_worker_process(
    kind: str, source: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    disk = FullDisk(tmp_path / "disk")
    output = tmp_path / "out"
    arguments = ("convert", source, output, *SHARDS, "--workers", "2")
    no_space_in(output, disk.run_processes(OF_A_CONVERSION["shard"], kind, *arguments))
    assert disk.run_with_room(*arguments).code == 0
    assert fingerprint(output) == undisturbed


@pytest.mark.parametrize(("where", "kind"), [
    (r"roll\.json", "make"), (r"roll\.json", "write"),
    (r"out/train-0000.*\.tfrecord$", "make"),  # the new files take their places
])  # fmt: skip
def test_at_each_file_of_a_replacement(
    where: str, kind: str, source: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    disk = FullDisk(tmp_path / "disk")
    output = tmp_path / "out"
    assert convert_json(source, output, "--seed", "5", "--max-rejects", "9")["exit_code"] == 0
    no_space_in(output, disk.run(where, kind, "convert", source, output, *SHARDS, "--overwrite"))
    assert disk.run_with_room("verify", output, "--no-feed").code == 0  # one of the two is whole
    assert disk.run_with_room("convert", source, output, *SHARDS, "--overwrite").code == 0
    assert fingerprint(output) == undisturbed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("step", "where"), [
    ("write-shards", r"_tfrec/done/"),
    ("write-shards", r"tmp/train-00001"),
    ("finish", r"tmp/manifest\.json"),
])  # fmt: skip
def test_at_a_step_of_its_own(
    step: str, where: str, kind: str, source: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    disk = FullDisk(tmp_path / "disk")
    output = tmp_path / "out"
    # Without --workers, which plan does not take.
    options = [word for word in SHARDS if word not in ("--workers", "1")]
    assert tfrec("plan", source, output, *options).code == 0
    if step == "finish":
        assert tfrec("write-shards", output).code == 0
    no_space_in(output, disk.run(where, kind, step, output))
    assert disk.run_with_room("write-shards", output).code == 0
    assert disk.run_with_room("finish", output, "--max-rejects", "9").code == 0
    assert fingerprint(output) == undisturbed


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["make", "write"])
def test_at_the_trace_of_an_attempt(kind: str, source: Path, tmp_path: Path) -> None:
    pytest.importorskip("apache_beam")
    disk = FullDisk(tmp_path / "disk")
    output = tmp_path / "out"
    arguments = ("convert", source, output, "--max-rejects", "9")
    beam = ("--runner", "DirectRunner")
    done = disk.run_processes(r"_tfrec/attempts/\w", kind, *arguments, *beam)
    assert done.code == 2, done.err
    assert f"{output}" in done.err  # quoted from Beam
    assert "no space left" in done.err or "larger than this process may make" in done.err
    assert disk.run_with_room(*arguments).code == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["stdin", "folder", "dry run"])
def test_at_temporary_files(what: str, kind: str, source: Path, tmp_path: Path) -> None:
    disk = FullDisk(tmp_path / "disk")
    output = tmp_path / "out"
    given: object = source.parent if what == "folder" else "-" if what == "stdin" else source
    root = ("--image-root", source.parent) if what == "stdin" else ()
    more = ("--unlabelled", "keep") if what == "folder" else ("--dry-run",) if what == "dry run" else ()
    arguments = ("convert", given, output, "--max-rejects", "9", *root, *more)
    stdin = source.read_bytes() if what == "stdin" else None
    no_space_in(disk.temporary, disk.run(r"tfrec-scratch-", kind, *arguments, stdin=stdin))
    assert disk.run_with_room(*arguments, stdin=stdin).code == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("command", "where"), [
    (("verify", "--no-feed", "--workers", "1"), r"tfrec-verify-"),
    (("inspect", "--export", "export"), r"export/data\.csv"),
    (("inspect", "--export", "export"), r"export/.*\.jpg"),
    (("inspect", "--export", "export"), r"export/labels\.txt"),
    (("inspect", "--sheet", "sheet.png"), r"sheet\.png"),
])  # fmt: skip
def test_at_what_readers_write(
    command: tuple[str, ...], where: str, kind: str, source: Path, tmp_path: Path
) -> None:
    disk = FullDisk(tmp_path / "disk")
    output = tmp_path / "out"
    assert convert_json(source, output, *SHARDS)["exit_code"] == 0
    name, *words = command
    words = [str(tmp_path / word) if word == "export" or word.endswith(".png") else word for word in words]
    done = disk.run(where, kind, name, output, *words)
    assert done.code == 2, done.err
    assert "no space left" in done.err or "larger than this process" in done.err
    assert str(tmp_path) in done.err.splitlines()[0]
    assert "shards" not in done.err
    assert not (tmp_path / "export").exists()  # or the same command would be refused, once there is room


def test_where_no_temporary_file_can_be_made(source: Path, tmp_path: Path) -> None:
    (tmp_path / "no").symlink_to("/proc")  # where root may write, but nothing can be made
    env = environment(TMPDIR=str(tmp_path / "no"))
    for given, *more in ((source.parent, "--unlabelled", "keep"), ("-", "--image-root", source.parent)):
        done = tfrec("convert", given, tmp_path / "out", *more, env=env, stdin=source.read_bytes())
        if os.geteuid():  # Python takes another folder then
            assert done.code in (0, 1), done.err
            continue
        assert done.code == 2
        message, hint = done.err.splitlines()[-2:]  # after what was told of the list
        assert message.startswith(f"tfrec: temporary files in {tmp_path / 'no'}: none can be made there (")
        assert "TMPDIR" in hint


def test_a_bug_is_told_where_its_traceback_cannot_be_kept(source: Path, tmp_path: Path) -> None:
    code = (
        "import sys, tempfile, tfrecordcli.cli.main as main\n"
        "def bug(*_, **__): raise AssertionError('oh')\n"
        "def full(*_, **__): raise OSError(28, 'No space left on device')\n"
        "main.tfrec.main, tempfile.mkstemp = bug, full\n"
        "main.main()\n"
    )
    done = tfrec("convert", source, tmp_path / "out", command=[sys.executable, "-c", code])
    assert done.code == 70
    assert done.err.startswith("tfrec: a bug in tfrec: AssertionError: oh\n")
    assert "--debug" in done.err.splitlines()[1]


# --- on a store, half-done files are in the machine's folder for temporary files ---


@pytest.fixture
def store() -> Iterator[tuple[StandIn, Running]]:
    with serve("gs") as found:
        yield found, Running(f"gs://{found.bucket}", found.environment())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["buckets", "plan.json", "shard", "manifest"])
def test_the_folder_for_temporary_files_is_named_for_a_store(
    what: str, kind: str, source: Path, store: tuple[StandIn, Running], tmp_path: Path
) -> None:
    where = {
        "buckets": r"buckets/0000$",
        "plan.json": r"plan\.new/plan\.json",
        "shard": r"tmp/tfrec-(?!scratch)[^/]*$",
        "manifest": r"tfrec-scratch-[^/]*/tmp/rejects",
    }[what]
    stand_in, running = store
    disk = FullDisk(tmp_path / "disk", running.env)
    arguments = ("convert", source, f"{running.url}/out", *SHARDS)
    no_space_in(disk.temporary, disk.run(where, kind, *arguments))
    assert disk.run_with_room(*arguments).code == 0
    assert not [key for key in stand_in.objects if "_tfrec" in key]


@pytest.mark.parametrize("kind", KINDS)
def test_the_cache_that_tensorflow_reads(
    kind: str, source: Path, store: tuple[StandIn, Running], tmp_path: Path
) -> None:
    _, running = store
    disk = FullDisk(tmp_path / "disk", running.env)
    url = f"{running.url}/out"
    assert disk.run_with_room("convert", source, url, *SHARDS).code == 0
    more = ("--feed-seconds", "1", "--image-size", "16", "--batch-size", "2")
    no_space_in(
        disk.temporary, disk.run(r"tfrec-scratch-[^/]*/[0-9a-f]{64}\.part", kind, "verify", url, *more)
    )
