"""What the machine does to a conversion: each fault has one line with a hint, and no shard is lost."""

from __future__ import annotations

import errno
import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from converting import (
    TFREC,
    TIMEOUT,
    Run,
    convert_json,
    environment,
    fingerprint,
    jpeg,
    read_csv,
    tfrec,
    write_csv,
)
from faulting import AS_NOBODY, one_line_with_a_hint
from PIL import Image
from sampling import first

from tfrecordcli.errors import InputError
from tfrecordcli.options import ImageOptions
from tfrecordcli.processes import is_short_of_memory
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.reading import ImageFile
from tfrecordcli.storage.scratch import scratch_folder
from tfrecordcli.storage.writing import remove_tree
from tfrecordcli.workdir import workspace


def limited(limit: Callable[[], None], *arguments: object) -> Run:
    """`tfrec` in a process that was limited before it started."""
    done = subprocess.run(
        [*TFREC, *map(str, arguments)], capture_output=True, text=True, env=environment(), timeout=TIMEOUT,
        stdin=subprocess.DEVNULL, preexec_fn=limit, check=False,
    )  # fmt: skip
    return Run(done.returncode, done.stdout, done.stderr)


# --- the disk ---

# Runs the command on a file system of a given size, then with more room, and keeps what is there.
_SMALL_DISK = """
set -u
mount -t tmpfs -o size={small} none {disk}
{command} {disk}/out 2> {kept}/err; echo $? > {kept}/code
ls {disk}/out > {kept}/left 2>/dev/null
mount -o remount,size=50m {disk}
{command} {disk}/out --json > {kept}/again 2>/dev/null
cp -r {disk}/out {kept}/out
"""


@pytest.mark.usefixtures("may_mount")
@pytest.mark.parametrize("small", first(["4k", "400k"], ["16k", "32k", "64k", "200k", "600k", "800k"]))
def test_a_full_disk_loses_nothing(tmp_path: Path, small: str) -> None:
    """From a disk on which nothing fits, to one on which all shards but not their neighbours do."""
    rows = []
    for number in range(6):
        noise = np.random.default_rng(number).integers(0, 256, (200, 200, 3), np.uint8)
        Image.fromarray(noise).save(tmp_path / f"{number}.png")  # 120 kB each
        rows.append(("TRAIN", f"{number}.png", "a"))
    csv = write_csv(tmp_path / "list.csv", rows)
    (tmp_path / "disk").mkdir()
    command = shlex.join([*TFREC, "convert", "--num-shards", "3", "--workers", "1", str(csv)])
    script = _SMALL_DISK.format(small=small, disk=tmp_path / "disk", kept=tmp_path, command=command)
    subprocess.run(["unshare", "-m", "sh", "-c", script], env=environment(), timeout=TIMEOUT, check=True)
    code = int((tmp_path / "code").read_text())
    if small != "800k":
        one_line_with_a_hint(Run(code, "", (tmp_path / "err").read_text()), 2, "no space left")
        assert "manifest.json" not in (tmp_path / "left").read_text()
    again = json.loads((tmp_path / "again").read_text())
    assert (again["exit_code"], again["records"]) == (0, 6)
    if small in ("400k", "600k"):
        assert again["resumed_shards"] > 0
    undisturbed = tmp_path / "undisturbed"
    assert tfrec("convert", csv, undisturbed, "--num-shards", "3").code == 0
    assert fingerprint(tmp_path / "out") == fingerprint(undisturbed)


@pytest.mark.usefixtures("may_mount")
def test_a_file_system_that_is_read_only(csv: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    command = shlex.join([*TFREC, "convert", str(csv), str(disk / "out")])
    script = f"mount -t tmpfs -o ro none {shlex.quote(str(disk))} && {command}"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], env=environment(), timeout=TIMEOUT, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    one_line_with_a_hint(Run(done.returncode, done.stdout, done.stderr), 2, "no permission to write here")


def test_a_folder_without_permission(csv: Path, tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0o555)
    tmp_path.chmod(0o755)
    csv.parent.chmod(0o755)
    done = tfrec(tmp_path, "convert", "in/list.csv", "shut/out", command=[sys.executable, "-c", AS_NOBODY])
    one_line_with_a_hint(done, 2, "no permission to write here")
    assert not list((tmp_path / "shut").iterdir())


@pytest.mark.parametrize("form", ["auto", "csv"])
def test_a_list_without_permission(csv: Path, tmp_path: Path, form: str) -> None:
    csv.chmod(0)
    tmp_path.chmod(0o755)
    csv.parent.chmod(0o755)
    arguments = ("convert", "in/list.csv", "out", "--format", form)
    done = tfrec(tmp_path, *arguments, command=[sys.executable, "-c", AS_NOBODY])
    one_line_with_a_hint(done, 2, "list.csv: the file cannot be read")


# --- limits of the process ---


@pytest.mark.parametrize("files", first([8, 14], [6, 10, 12, 18, 24]))
def test_too_many_open_files(csv: Path, tmp_path: Path, files: int) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    output = tmp_path / "out"
    done = limited(limit, "convert", csv, output, "--workers", "3", "--num-shards", "4")
    if done.code:
        one_line_with_a_hint(done, 2, "too many open files")
        assert files < 24
    assert convert_json(csv, output, "--num-shards", "4")["records"] == 8


def convert_within(memory: int, csv: Path, output: Path) -> Run:
    """`tfrec convert` in processes of which each may take so many megabytes of addresses."""
    if sys.platform != "linux":
        pytest.skip("only Linux limits addresses")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))

    return limited(limit, "convert", csv, output, "--workers", "1")


def short_of_memory(done: Run) -> None:
    one_line_with_a_hint(done, 2, "")
    assert done.err.startswith(("tfrec: too little memory", "tfrec: out of memory"))


@pytest.mark.parametrize("memory", first([45, 110], [35, 55, 80, 140, 170]))
def test_too_little_memory_to_begin(csv: Path, tmp_path: Path, memory: int) -> None:
    output = tmp_path / "out"
    done = convert_within(memory, csv, output)
    if done.code:
        short_of_memory(done)
    else:
        assert memory > 80
    assert convert_json(csv, output)["records"] == 8


@pytest.mark.parametrize(("limit", "is_short"), [(35 << 20, True), (resource.RLIM_INFINITY, False)])
def test_an_import_without_room_is_no_bug_below_a_limit(
    limit: int, *, is_short: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CPython 3.11 fails so where it cannot allocate, about once in a hundred limits."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    assert is_short_of_memory("SystemError: error return without exception set") == is_short
    assert not is_short_of_memory("SystemError: something else")


_THREAD = """
import resource
from tfrecordcli.processes import start_thread
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + {room}, taken + {room}))
try:
    start_thread(print, "started").join()
except MemoryError:
    print("too little memory")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits addresses")
@pytest.mark.parametrize("room", [1 << 20, 8 << 20, (8 << 20) + (1 << 16), (8 << 20) + (1 << 18)])
def test_a_thread_without_room_is_not_waited_for(room: int) -> None:
    argv = [sys.executable, "-c", _THREAD.format(room=room)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert (done.returncode, done.stdout) == (0, "too little memory\n"), done.stderr


@pytest.mark.parametrize("name", ["progressive.jpg", "large.webp"])
@pytest.mark.thorough
def test_too_little_memory_for_an_image_is_not_its_fault(tmp_path: Path, name: str) -> None:
    picture = Image.new("RGB", (9000, 9000), (200, 30, 100))
    picture.save(tmp_path / name, progressive=True, method=0)
    (tmp_path / "small.jpg").write_bytes(jpeg(1))
    csv = write_csv(tmp_path / "list.csv", [("TRAIN", name, "x"), ("TRAIN", "small.jpg", "x")])
    codes = set()
    for memory in (60, 80, 110, 150, 200, 300, 400, 700):
        output = tmp_path / f"out-{memory}"
        done = convert_within(memory, csv, output)
        codes.add(done.code)
        if done.code:
            short_of_memory(done)
        assert not (output / "rejects.csv").exists()
    assert 2 in codes
    assert convert_json(csv, tmp_path / "out")["records"] == 2


# --- images that change ---


def test_an_image_that_vanishes_between_plan_and_reading(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    shards = ("--num-shards", "8", "--workers", "1")
    (csv.parent / "broken.jpg").write_bytes(b"no image")
    with csv.open("a") as file:
        file.write("TRAIN,broken.jpg,a\n")
    stopped = convert_json(csv, output, *shards, "--fail-fast")
    assert stopped["status"] == "failed"
    made = {json.loads(path.read_text())["file"] for path in (output / "_tfrec/done").iterdir()}
    waiting = [
        p for p in sorted((output / "_tfrec/plan/tasks").iterdir()) if f"{p.name}.tfrecord" not in made
    ]
    uris = [line.split("\t")[3] for path in waiting for line in path.read_text().splitlines()]
    vanished = next(uri for uri in uris if uri != "broken.jpg")
    (csv.parent / vanished).unlink()
    done = convert_json(csv, output, *shards)
    assert (done["exit_code"], done["records"], done["reasons"]["not_found"]) == (1, 7, 1)
    assert {row["image_uri"] for row in read_csv(output / "rejects.csv")} == {vanished, "broken.jpg"}


def read(path: Path, change: Callable[[Path], object]) -> bytes:
    """Reads an image that is changed after it was opened."""
    image = ImageFile(path.name, str(path.parent))
    change(path)
    return image.read(ImageOptions().max_image_bytes)


def test_an_image_that_is_cut_while_it_is_read_is_rejected(tmp_path: Path) -> None:
    from tfrecordcli.images.check import check_image

    (tmp_path / "a.jpg").write_bytes(jpeg(1))
    data = read(tmp_path / "a.jpg", lambda path: os.truncate(path, 200))
    with pytest.raises(Rejected) as caught:
        check_image(data, ImageOptions())
    assert caught.value.code == "truncated"


def test_an_image_that_grows_while_it_is_read_is_held_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg(1))
    image = ImageFile("a.jpg", str(tmp_path))
    with (tmp_path / "a.jpg").open("ab") as file:
        file.write(bytes(10_000))
    with pytest.raises(Rejected) as caught:
        image.read(5_000)
    assert caught.value.code == "too_many_bytes"


def test_a_list_on_a_pipe_says_how(csv: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = tfrec("convert", tmp_path / "pipe", tmp_path / "out")
    one_line_with_a_hint(done, 2, "not a regular file")
    assert "tfrec convert - OUTPUT_DIR" in done.err
    piped = tfrec("convert", "-", tmp_path / "out", "--image-root", csv.parent, stdin=csv.read_bytes())
    assert piped.code == 0


# --- several runs ---


def test_runs_that_start_together_make_one_dataset(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    runs = [
        subprocess.Popen(
            [*TFREC, "convert", str(csv), str(output), "--num-shards", "4"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment(), text=True,
        )
        for _ in range(4)
    ]  # fmt: skip
    ended = [(run.communicate(timeout=TIMEOUT)[1], run.returncode) for run in runs]
    codes = [code for _, code in ended]
    assert codes.count(0) >= 1
    for err, code in ended:
        assert code in (0, 3)
        if code == 3:
            one_line_with_a_hint(Run(code, "", err), 3, "another run is at work here")
            assert str(output) in err
    assert convert_json(csv, output, "--num-shards", "4")["status"] == "already_complete"
    undisturbed = tmp_path / "undisturbed"
    assert tfrec("convert", csv, undisturbed, "--num-shards", "4").code == 0
    assert fingerprint(output) == fingerprint(undisturbed)


def test_a_lock_of_a_dead_run_is_no_obstacle(csv: Path, tmp_path: Path) -> None:
    work = tmp_path / "out" / "_tfrec"
    work.mkdir(parents=True)
    (work / "lock").write_text("process 1 on another machine")
    assert convert_json(csv, tmp_path / "out")["records"] == 8
    assert not work.exists()


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOSYS])
def test_a_file_system_without_locks(csv: Path, tmp_path: Path, code: int, monkeypatch: Any) -> None:
    def flock(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("fcntl.flock", flock)
    done = tfrec("convert", csv, tmp_path / "out")
    one_line_with_a_hint(done, 2, "this file system has no locks")
    assert "write elsewhere" in done.err


def test_a_lock_that_cannot_be_closed_hides_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    """NFS tells of a full quota when a file is closed; what stopped the run is told all the same."""
    monkeypatch.setattr(workspace, "_take_lock", lambda *_: -1)
    with pytest.raises(InputError, match="why it stopped"), workspace.locked(tmp_path / "_tfrec"):
        raise InputError("why it stopped")


# --- the output directory ---


@pytest.mark.parametrize("what", ["a long name", "a dangling link", "a dangling folder", "a work file"])
def test_an_output_directory_that_cannot_be_one(csv: Path, tmp_path: Path, what: str) -> None:
    output = tmp_path / ("x" * 300 if what == "a long name" else "out")
    if what == "a dangling link":
        output.symlink_to(tmp_path / "nowhere")
    elif what != "a long name":
        output.mkdir()
    if what == "a dangling folder":
        (output / "_tfrec").symlink_to(tmp_path / "nowhere")
    if what == "a work file":
        (output / "_tfrec").write_text("x")
    said = {
        "a long name": "no name as long as that",
        "a dangling link": "out: a link that leads nowhere",
        "a dangling folder": "_tfrec: a link that leads nowhere",
        "a work file": "_tfrec: a file is in the way",
    }
    one_line_with_a_hint(tfrec("convert", csv, output), 2, said[what])


def test_the_lock_goes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a second run begins in a folder that the first one is still removing."""
    work = tmp_path / "_tfrec"
    (work / "done").mkdir(parents=True)
    for path in (work / "lock", work / "stop", work / "done" / "x"):
        path.touch()
    locked_at = []

    def rmtree(path: Path, ignore_errors: bool = False, real: Any = shutil.rmtree) -> None:
        locked_at.append((path.name, (work / "lock").exists(), (work / "done").exists()))
        real(path, ignore_errors=ignore_errors)

    monkeypatch.setattr("tfrecordcli.storage.writing.shutil.rmtree", rmtree)
    remove_tree(work, last="/lock")
    assert locked_at == [("done", True, True), ("_tfrec", True, False)]
    assert not work.exists()


# --- temporary files ---


def test_scratch_folders_of_the_dead_are_cleared_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code = (
        "import os, sys, tempfile\nfrom tfrecordcli.storage.scratch import scratch_folder\n"
        "tempfile.tempdir = sys.argv[1]\nwith scratch_folder() as folder:\n"
        "    (folder / 'rows.csv').write_text('x')\n    os._exit(9)\n"
    )
    assert tfrec(tmp_path, command=[sys.executable, "-c", code]).code == 9
    (dead,) = tmp_path.iterdir()
    (tmp_path / "tfrec-scratch-mine").mkdir()
    (tmp_path / "tfrec-scratch-12345678").mkdir()
    (tmp_path / "tfrec-scratch-12345678" / "thesis.txt").touch()  # by chance of such a name
    with scratch_folder() as alive:
        assert not dead.exists()
        (alive / "rows.csv").touch()
        with scratch_folder() as other:
            assert alive != other
        assert (alive / "rows.csv").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "tfrec-scratch-12345678",
        "tfrec-scratch-mine",
    ]


@pytest.mark.parametrize("is_folder", [False, True], ids=["list", "folder"])
def test_no_folder_is_tried_out(csv: Path, tmp_path: Path, is_folder: bool) -> None:
    """Python looks for a folder for temporary files by writing into it, which a kill can leave behind."""
    (tmp_path / "scratch").mkdir()
    code = (
        "import sys, tempfile\nfrom tfrecordcli import convert\n"
        "def fail(): raise AssertionError('tried out')\n"
        "tempfile._get_default_tempdir = fail\n"
        "convert(sys.argv[1], sys.argv[2], splits='train=100', unlabelled='keep')\n"
    )
    source = csv.parent if is_folder else csv
    if is_folder:
        csv.unlink()
    env = environment(TMPDIR=str(tmp_path / "scratch"))
    done = tfrec(source, tmp_path / "out", command=[sys.executable, "-c", code], env=env)
    assert (done.code, done.err) == (0, "")
    assert not list((tmp_path / "scratch").iterdir())
