"""What the machine does to a conversion: each fault has one line with a cure, and no shard is lost."""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from csv import reader
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
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
    read_csv,
    tfrec,
    write_csv,
)
from PIL import Image
from sampling import first

import tfrecordcli
from tfrecordcli.conversion import plan
from tfrecordcli.dataset.checksummed_json import dump, load
from tfrecordcli.errors import InputError, OutputError, UsageError
from tfrecordcli.execution import execute
from tfrecordcli.feed.splits import open_dataset, read_splits
from tfrecordcli.options import ImageOptions, make_options
from tfrecordcli.planning.scan import scan_rows
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.steps import finish, write_shards
from tfrecordcli.storage.reading import ImageFile
from tfrecordcli.storage.scratch import scratch_folder
from tfrecordcli.storage.writing import remove_tree
from tfrecordcli.workdir.job import load_plan
from tfrecordcli.workdir.rejects import read_rejects
from tfrecordcli.workdir.workspace import locked


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return image_list(tmp_path / "in", 8)


def limited(limit: Callable[[], None], *arguments: object) -> Run:
    """`tfrec` in a process that was limited before it started."""
    done = subprocess.run(
        [*TFREC, *map(str, arguments)], capture_output=True, text=True, env=environment(), timeout=TIMEOUT,
        stdin=subprocess.DEVNULL, preexec_fn=limit, check=False,
    )  # fmt: skip
    return Run(done.returncode, done.stdout, done.stderr)


def one_line_with_a_cure(done: Run, code: int, word: str) -> None:
    assert done.code == code, done.err
    assert done.err.startswith("tfrec: ")
    message, cure = done.err.splitlines()
    assert word in message
    assert cure.strip()


# --- the disk ---


def can_mount() -> bool:
    """Whether this process may mount file systems in a namespace of its own (root in most containers may)."""
    if sys.platform != "linux":
        return False
    try:
        probe = subprocess.run(
            ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
        )
    except FileNotFoundError:
        return False
    return probe.returncode == 0


needs_mount = pytest.mark.skipif(not can_mount(), reason="only root may mount a small file system")

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


@needs_mount
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
        one_line_with_a_cure(Run(code, "", (tmp_path / "err").read_text()), 2, "no space left")
        assert "manifest.json" not in (tmp_path / "left").read_text()
    again = json.loads((tmp_path / "again").read_text())
    assert (again["exit_code"], again["records"]) == (0, 6)
    if small in ("400k", "600k"):
        assert again["resumed_shards"] > 0
    undisturbed = tmp_path / "undisturbed"
    assert tfrec("convert", csv, undisturbed, "--num-shards", "3").code == 0
    assert fingerprint(tmp_path / "out") == fingerprint(undisturbed)


@needs_mount
def test_a_file_system_that_is_read_only(csv: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    command = shlex.join([*TFREC, "convert", str(csv), str(disk / "out")])
    script = f"mount -t tmpfs -o ro none {shlex.quote(str(disk))} && {command}"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], env=environment(), timeout=TIMEOUT, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    one_line_with_a_cure(Run(done.returncode, done.stdout, done.stderr), 2, "no permission to write here")


_AS_NOBODY = """
import os, sys
import tfrecordcli.cli.main, tfrecordcli.cli.progress, tfrecordcli.conversion, tfrecordcli.verification
os.chdir(sys.argv.pop(1))  # the folders above may be shut to others
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
tfrecordcli.cli.main.main()
"""


def test_a_folder_without_permission(csv: Path, tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0o555)
    tmp_path.chmod(0o755)
    csv.parent.chmod(0o755)
    done = tfrec(tmp_path, "convert", "in/list.csv", "shut/out", command=[sys.executable, "-c", _AS_NOBODY])
    one_line_with_a_cure(done, 2, "no permission to write here")
    assert not list((tmp_path / "shut").iterdir())


def test_a_list_without_permission(csv: Path, tmp_path: Path) -> None:
    csv.chmod(0)
    tmp_path.chmod(0o755)
    csv.parent.chmod(0o755)
    done = tfrec(tmp_path, "convert", "in/list.csv", "out", command=[sys.executable, "-c", _AS_NOBODY])
    one_line_with_a_cure(done, 2, "list.csv: the file cannot be read")


# --- limits of the process ---


@pytest.mark.parametrize("files", first([8, 14], [6, 10, 12, 18, 24]))
def test_too_many_open_files(csv: Path, tmp_path: Path, files: int) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    output = tmp_path / "out"
    done = limited(limit, "convert", csv, output, "--workers", "3", "--num-shards", "4")
    if done.code:
        one_line_with_a_cure(done, 2, "too many open files")
        assert files < 24
    assert convert_json(csv, output, "--num-shards", "4")["records"] == 8


def convert_within(memory: int, csv: Path, output: Path) -> Run:
    """`tfrec convert` in processes of which each may take so many megabytes of addresses."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))

    return limited(limit, "convert", csv, output, "--workers", "1")


def short_of_memory(done: Run) -> None:
    one_line_with_a_cure(done, 2, "")
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


@pytest.mark.parametrize("name", ["progressive.jpg", "large.webp"])
@pytest.mark.thorough
def test_too_little_memory_for_an_image_is_not_its_fault(tmp_path: Path, name: str) -> None:
    picture = Image.new("RGB", (9000, 9000), (200, 30, 100))
    picture.save(tmp_path / name, progressive=True, method=0)
    (tmp_path / "small.jpg").write_bytes(jpeg(1))
    csv = write_csv(tmp_path / "list.csv", [("TRAIN", name, "x"), ("TRAIN", "small.jpg", "x")])
    codes = set()
    for memory in (150, 200, 250, 300, 400, 500, 700):
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


# --- the list ---


def test_a_list_on_a_pipe_says_how(csv: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = tfrec("convert", tmp_path / "pipe", tmp_path / "out")
    one_line_with_a_cure(done, 2, "not a regular file")
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
            one_line_with_a_cure(Run(code, "", err), 3, "another run is at work here")
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


# --- what is no longer the same ---


def test_a_finished_dataset_names_all_that_changed(csv: Path, tmp_path: Path) -> None:
    output, labels = tmp_path / "out", tmp_path / "labels.txt"
    labels.write_text("a\nb\n")
    options: list[Any] = ["--labels", labels, "--seed", "1"]
    assert convert_json(csv, output, *options)["exit_code"] == 0
    before = fingerprint(output)

    def refused(*more: object) -> str:
        done = convert_json(csv, output, *more)
        assert (done["exit_code"], done["error"]["code"]) == (2, "output")
        assert "--overwrite" in done["error"]["hint"]
        return str(done["error"]["message"]).partition("another value of: ")[2]

    assert refused("--labels", labels) == "--seed"
    labels.write_text("a\nb\nc\n")
    assert refused(*options) == "--labels"
    with csv.open("a") as file:
        file.write("TRAIN,000.jpg,a\n")
    assert refused("--labels", labels) == "the source, --labels, --seed"
    labels.write_text("a\nb\n")
    assert refused(*options) == "the source"
    assert fingerprint(output) == before
    assert convert_json(csv, output, *options, "--overwrite")["merged"] == 1


def test_whoever_reads_first_finishes_a_replacement(csv: Path, tmp_path: Path) -> None:
    """As `tfrecordcli.load` and bench do; verify and inspect are asked by the tests of chaos."""
    output, other = tmp_path / "out", tmp_path / "other"
    assert convert_json(csv, output, "--num-shards", "2")["exit_code"] == 0
    assert convert_json(csv, other, "--num-shards", "2", "--seed", "5")["exit_code"] == 0
    new = fingerprint(other)
    work = output / "_tfrec"
    work.mkdir()
    other.rename(work / "new")
    (work / "roll.json").write_text(json.dumps({"remove": [], "add": sorted(new)}))
    shard = "train-00000-of-00002.tfrecord"
    (work / "new" / shard).replace(output / shard)  # the run died here
    open_dataset(output)
    shutil.rmtree(work)
    assert fingerprint(output) == new


def test_a_reader_who_may_not_write_is_told_who_can_finish_a_replacement(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert convert_json(csv, output)["exit_code"] == 0
    work = output / "_tfrec"
    work.mkdir()
    (work / "roll.json").write_text(json.dumps({"remove": [], "add": []}))
    tmp_path.chmod(0o755)
    done = tfrec(tmp_path, "verify", "out", "--no-feed", command=[sys.executable, "-c", _AS_NOBODY])
    one_line_with_a_cure(done, 2, "its replacement was cut off")
    assert "from the account that converted it" in done.err
    assert tfrec("verify", output, "--no-feed").code == 0


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
    one_line_with_a_cure(tfrec("convert", csv, output), 2, said[what])


SIDE_FILES = {"labels": "labels.txt", "rejects": "rejects.csv", "index": "train-00000-of-00002.tfrecord.idx"}


@pytest.mark.parametrize("damage", ["labels lost", "labels cut", "rejects lost", "index lost"])
def test_a_finished_dataset_that_lost_a_side_file_is_not_called_complete(
    csv: Path, tmp_path: Path, damage: str
) -> None:
    csv.write_text(csv.read_text() + "TRAIN,missing.jpg,a\n")
    options = ("--num-shards", "2", "--index", "--max-rejects", "1")
    assert convert_json(csv, tmp_path / "out", *options)["exit_code"] == 0
    assert convert_json(csv, tmp_path / "out", *options)["status"] == "already_complete"
    kind, how = damage.split()
    path = tmp_path / "out" / SIDE_FILES[kind]
    if how == "lost":
        path.unlink()
    else:
        os.truncate(path, 1)
    done = convert_json(csv, tmp_path / "out", *options)
    assert (done["exit_code"], done["error"]["code"]) == (2, "output")
    assert path.name in done["error"]["message"]


@needs_mount
def test_a_finished_dataset_that_may_not_be_written_is_complete_all_the_same(
    csv: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    assert convert_json(csv, output)["exit_code"] == 0
    command = shlex.join([*TFREC, "convert", str(csv), str(output), "--json"])
    where = shlex.quote(str(output))
    script = f"mount --bind {where} {where} && mount -o remount,ro,bind {where} && {command}"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], env=environment(), timeout=TIMEOUT, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "already_complete"


# --- lists and plans that somebody changes ---


def test_a_list_that_grows_while_it_is_read_makes_no_plan(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scan(*arguments: Any) -> Any:
        found = scan_rows(*arguments)
        csv.write_text(csv.read_text() + "TRAIN,000.jpg,c\n")
        return found

    monkeypatch.setattr("tfrecordcli.planning.sorted_rows.scan_rows", scan)
    with pytest.raises(InputError, match="it changed while it was read") as caught:
        tfrecordcli.convert(csv, tmp_path / "out")
    assert "same command" in caught.value.hint
    assert not (tmp_path / "out").exists()


def test_rejects_are_never_quoted_from_another_list(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = csv.read_text() + "TRAIN,missing.jpg,a\n"
    csv.write_text(text)

    def execute_and_edit(*arguments: Any) -> Any:
        done = execute(*arguments)
        csv.write_text(text.replace("TRAIN,001.jpg,b\n", ""))  # moves all lines below it
        return done

    with monkeypatch.context() as patched:
        patched.setattr("tfrecordcli.conversion.execute", execute_and_edit)
        with pytest.raises(InputError, match="changed or gone since the plan was made"):
            tfrecordcli.convert(csv, tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()
    csv.write_text(text)
    done = tfrecordcli.convert(csv, tmp_path / "out")
    assert (done.records, done.rejected, done.resumed_shards) == (8, 1, 1)
    (row,) = read_csv(tmp_path / "out" / "rejects.csv")
    assert row["image_uri"] == "missing.jpg"


def another_value(path: Path) -> None:
    """Damage that leaves a file as long as it was, and in the same layout."""
    data = path.read_bytes()
    path.write_bytes(data.replace(b"1", b"2") if b"1" in data else data.replace(b"a", b"x"))
    assert path.read_bytes() != data


DAMAGES: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "garbage": lambda path: path.write_text("\tx\n\n"),
    "empty": lambda path: path.write_text(""),
    "no object": lambda path: path.write_text("[]"),
    "an empty object": lambda path: path.write_text("{}"),
    "a text": lambda path: path.write_text('"x"'),
    "one line less": lambda path: path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1])),
    "cut": lambda path: os.truncate(path, path.stat().st_size - 3),
    "another value": another_value,
}


PLANNED: dict[str, Any] = {"num_shards": 2, "max_rejects": 9}


@pytest.fixture(scope="module")
def list_with_rejects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    csv = image_list(tmp_path_factory.mktemp("with_rejects"), 8)
    with csv.open("a") as file:
        file.writelines(f"TRAIN,no{number}.jpg,\n" for number in range(5))
    tfrecordcli.convert(csv, csv.parent / "whole", **PLANNED)
    return csv


@pytest.fixture(scope="module")
def half_done(list_with_rejects: Path) -> Path:
    """The plan of that list, and one of its two shards."""
    plan(list_with_rejects, list_with_rejects.parent / "half", **PLANNED)
    write_shards(list_with_rejects.parent / "half", shards="1")
    return list_with_rejects.parent / "half"


@pytest.mark.parametrize("name", ["plan.json", "labels.txt", "problems", "tasks/train-00000-of-00002"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_plan_is_named_and_its_cure_works(
    list_with_rejects: Path, half_done: Path, tmp_path: Path, name: str, damage: str
) -> None:
    csv, output = list_with_rejects, tmp_path / "out"
    shutil.copytree(half_done, output)
    path = output / "_tfrec" / "plan" / name
    DAMAGES[damage](path)
    if (name, damage) != ("plan.json", "gone"):  # then there is no plan, and one is made
        with pytest.raises(OutputError, match="the plan is damaged") as caught:
            tfrecordcli.convert(csv, output, **PLANNED)
        assert str(path) in caught.value.message
        assert [found.name for found in output.glob("*.tfrecord")] == ["train-00001-of-00002.tfrecord"]
        cure = path.parents[len(Path(name).parts) - 1] / "plan.json"
        assert f"remove {cure} and run the same command again" in caught.value.hint
        cure.unlink()
    assert tfrecordcli.convert(csv, output, **PLANNED).exit_code == 0
    assert len(read_csv(output / "rejects.csv")) == 5
    assert fingerprint(output) == fingerprint(csv.parent / "whole")


@pytest.fixture(scope="module")
def all_but_done(list_with_rejects: Path) -> tuple[Any, Path]:
    """Another plan, which keeps its rows itself, and all of its shards."""
    frame = pd.read_csv(list_with_rejects, keep_default_na=False)
    output = list_with_rejects.parent / "frame"
    plan(frame, output, image_root=list_with_rejects.parent, **PLANNED)
    write_shards(output)
    return frame, output


@pytest.mark.parametrize("name", ["origin.json", "rows.csv", "plan.json", "problems"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_plan_that_is_damaged_before_its_end_is_named_and_its_cure_works(
    all_but_done: tuple[Any, Path], tmp_path: Path, name: str, damage: str
) -> None:
    """As `tfrec finish` sees it."""
    (frame, done), output = all_but_done, tmp_path / "out"
    shutil.copytree(done, output)
    path = output / "_tfrec" / "plan" / name
    DAMAGES[damage](path)
    lost = (name, damage) == ("plan.json", "gone")
    with pytest.raises(
        OutputError, match="there is no plan here" if lost else "the plan is damaged"
    ) as caught:
        finish(output, max_rejects=9)
    if not lost:
        cure = path.with_name("plan.json")
        assert str(path) in caught.value.message
        assert f"remove {cure} and run the same command again" in caught.value.hint
        cure.unlink()
        with pytest.raises(OutputError, match="there is no plan here"):
            finish(output, max_rejects=9)
    assert not (output / "manifest.json").exists()
    plan(frame, output, image_root=done.parent, **PLANNED)
    write_shards(output)
    assert finish(output, max_rejects=9).rejected == len(read_csv(output / "rejects.csv")) == 5


@pytest.mark.parametrize(
    ("key", "value"),
    [("splits", {}), ("splits", []), ("splits", [{"split": "../x", "planned": 8, "num_shards": 2}]),
     ("splits", [{"split": "train", "planned": 1, "num_shards": 2}]), ("tasks", [1]), ("options", {}),
     ("warnings", 3)],
)  # fmt: skip
def test_a_plan_of_wrong_values_is_none_though_its_checksum_is_right(
    csv: Path, tmp_path: Path, key: str, value: Any
) -> None:
    """Its names become paths, and whoever gave the folder away can count, too."""
    output = tmp_path / "out"
    assert tfrec("plan", csv, output, "--num-shards", "2").code == 0
    path = output / "_tfrec" / "plan" / "plan.json"
    path.write_bytes(dump(load(dict[str, Any], path.read_bytes()) | {key: value}))
    with pytest.raises(OutputError, match=r"plan\.json: the plan is damaged"):
        load_plan(path.parent)


WRONG_RECORDS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "another file": lambda values: values | {"file": "../x"},
    "another split": lambda values: values | {"split": "test"},
    "other records": lambda values: values | {"records": 3},
    "other rows": lambda values: values | {"planned": 3, "records": 3},
    "no labels": lambda values: {key: value for key, value in values.items() if key != "labels"},
    "labels of another kind": lambda values: values | {"labels": [1]},
    "rejects of another kind": lambda values: values | {"rejects": [{"x": 1}]},
}


@pytest.mark.parametrize("damage", ["none", "", "{", "[]", "{}", "edited", *WRONG_RECORDS])
def test_a_shard_whose_done_record_is_damaged_is_made_again(
    list_with_rejects: Path, half_done: Path, tmp_path: Path, damage: str
) -> None:
    output = tmp_path / "out"
    shutil.copytree(half_done, output)
    path = output / "_tfrec" / "done" / "train-00001-of-00002"
    if damage in WRONG_RECORDS:
        path.write_bytes(dump(WRONG_RECORDS[damage](load(dict[str, Any], path.read_bytes()))))
    elif damage == "edited":
        path.write_text(path.read_text().replace('"bytes_read":', '"bytes_read":1'))
    elif damage != "none":
        path.write_text(damage)
    done = tfrecordcli.convert(list_with_rejects, output, **PLANNED)
    assert (done.exit_code, done.resumed_shards) == (0, int(damage == "none"))
    assert fingerprint(output) == fingerprint(list_with_rejects.parent / "whole")


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


# --- a finished dataset that is damaged ---


@pytest.mark.parametrize("damage", ["shard lost", "shard cut", "list lost", "list cut"])
def test_a_finished_dataset_that_is_damaged_is_not_called_complete(
    csv: Path, tmp_path: Path, damage: str
) -> None:
    output = tmp_path / "out"
    assert convert_json(csv, output, "--num-shards", "2")["exit_code"] == 0
    before = fingerprint(output)
    kind, how = damage.split()
    path = output / ("shards.jsonl" if kind == "list" else "train-00001-of-00002.tfrecord")
    if how == "lost":
        path.unlink()
    else:
        os.truncate(path, path.stat().st_size - 20 if kind == "shard" else path.read_text().index("\n") + 1)
    done = convert_json(csv, output, "--num-shards", "2")
    assert (done["exit_code"], done["error"]["code"]) == (2, "output")
    assert path.name in done["error"]["message"]
    assert "--overwrite" in done["error"]["hint"]
    assert convert_json(csv, output, "--num-shards", "2", "--overwrite")["exit_code"] == 0
    assert fingerprint(output) == before


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


# --- work folders that somebody else made ---


@pytest.fixture
def given(csv: Path, tmp_path: Path) -> Path:
    """A finished dataset with a work folder in it, and a file beside it that is none of its business."""
    output = tmp_path / "given"
    assert convert_json(csv, output, "--num-shards", "2")["exit_code"] == 0
    (output / "_tfrec" / "new").mkdir(parents=True)
    (output / "_tfrec" / "planted").write_text("x")
    (tmp_path / "precious.txt").write_text("precious")
    return output


NAMES_OUTSIDE = ["{}/precious.txt", "../precious.txt", "_tfrec/../../precious.txt", "", "..", "notes.txt"]


@pytest.mark.parametrize("name", NAMES_OUTSIDE)
def test_a_journal_that_names_other_files_is_not_followed(given: Path, tmp_path: Path, name: str) -> None:
    (given / "notes.txt").write_text("of the user")
    name = name.format(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for journal in ({"remove": [name], "add": []}, {"remove": ["labels.txt"], "add": ["../planted", name]}):
        (given / "_tfrec" / "roll.json").write_text(json.dumps(journal))
        with pytest.raises(OutputError, match=r"_tfrec/roll\.json: this is no journal"):
            open_dataset(given)
        (given / "_tfrec" / "roll.json").unlink()
        assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "precious.txt").read_text() == "precious"


@pytest.mark.parametrize("way", ["verify", "inspect", "convert", "finish"])
def test_no_command_follows_such_a_journal(csv: Path, given: Path, tmp_path: Path, way: str) -> None:
    names = {"remove": [str(tmp_path / "precious.txt")], "add": ["../planted"]}
    (given / "_tfrec" / "roll.json").write_text(json.dumps(names))
    more = {"verify": ("--no-feed",), "convert": ("--num-shards", "2")}.get(way, ())
    done = tfrec(way, *((csv,) if way == "convert" else ()), given, *more)
    one_line_with_a_cure(done, 2, "_tfrec/roll.json: this is no journal")
    assert "remove it" in done.err
    assert (tmp_path / "precious.txt").exists()
    assert not (tmp_path / "planted").exists()


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", "1", '{"remove":["x"],"add":3}', '{"remove":"labels.txt","add":[]}',
                '{"remove":[1],"add":[]}', '{"remove":[],"add":{}}', "[" * 100_000, "\0", "folder"],
    ids=range(12),
)  # fmt: skip
def test_a_damaged_journal_is_named_and_its_cure_works(csv: Path, given: Path, content: str) -> None:
    journal = given / "_tfrec" / "roll.json"
    if content == "folder":
        journal.mkdir()
    else:
        journal.write_text(content)
    done = tfrec("convert", csv, given, "--num-shards", "2")
    one_line_with_a_cure(done, 2, str(journal))
    assert "remove it and run the same command again" in done.err
    journal.rmdir() if content == "folder" else journal.unlink()
    assert convert_json(csv, given, "--num-shards", "2")["status"] == "already_complete"
    assert tfrec("verify", given, "--no-feed").code == 0


def test_a_replacement_whose_journal_is_damaged_begins_anew(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    assert convert_json(csv, output, "--num-shards", "2")["exit_code"] == 0
    replaced = ("--num-shards", "3", "--overwrite")

    def dies(source: Path, target: Path) -> None:
        if target.name == "shards.jsonl":
            raise InputError("the run died here")
        source.rename(target)

    with monkeypatch.context() as patched:
        patched.setattr("tfrecordcli.workdir.replacement.move", dies)
        with pytest.raises(InputError):
            tfrecordcli.convert(csv, output, num_shards=3, overwrite=True)
    journal = output / "_tfrec" / "roll.json"
    os.truncate(journal, 20)
    one_line_with_a_cure(tfrec("convert", csv, output, *replaced), 2, str(journal))
    journal.unlink()
    assert convert_json(csv, output, *replaced)["exit_code"] == 0
    assert tfrec("convert", csv, tmp_path / "whole", "--num-shards", "3").code == 0
    assert fingerprint(output) == fingerprint(tmp_path / "whole")


def test_links_in_a_work_folder_lead_nowhere(csv: Path, given: Path, tmp_path: Path) -> None:
    precious = tmp_path / "folder"
    precious.mkdir()
    (precious / "labels.txt").write_text("precious")
    work = given / "_tfrec"
    (work / "new").rmdir()
    (work / "new").symlink_to(precious)
    (work / "roll.json").write_text(json.dumps({"remove": [], "add": ["labels.txt"]}))
    one_line_with_a_cure(tfrec("verify", given, "--no-feed"), 2, "roll.json")
    (work / "roll.json").unlink()
    (work / "new").unlink()
    (work / "lock").symlink_to(tmp_path / "precious.txt")
    with pytest.raises(OutputError, match="_tfrec/lock: a link"), locked(work):
        pass
    (work / "lock").unlink()
    for name in ("lock", "done", "plan.new"):
        (work / name).unlink(missing_ok=True)
        (work / name).symlink_to(precious)
        done = tfrec("convert", csv, given, "--num-shards", "3", "--overwrite")
        one_line_with_a_cure(done, 2, f"_tfrec/{name}: a link")
        (work / name).unlink()
    assert (precious / "labels.txt").read_text() == "precious"
    assert (tmp_path / "precious.txt").read_text() == "precious"


def test_a_list_of_shards_leads_to_no_other_file(csv: Path, given: Path, tmp_path: Path) -> None:
    shutil.rmtree(given / "_tfrec")
    shard = given / "train-00001-of-00002.tfrecord"
    shard.rename(tmp_path / shard.name)
    listed = given / "shards.jsonl"
    listed.write_text(listed.read_text().replace(f'"{shard.name}"', f'"../{shard.name}"'))
    with pytest.raises(InputError, match=r"shards\.jsonl"):
        read_splits(given, open_dataset(given))
    done = convert_json(csv, given, "--num-shards", "2")
    assert (done["exit_code"], done["error"]["code"]) == (2, "output")
    assert "shards.jsonl" in done["error"]["message"]


WRONG_MANIFESTS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "an identity alone": lambda values: {"identity": 1},
    "other records": lambda values: values | {"records": 3},
    "an identity of another kind": lambda values: values | {"identity": 1},
    **{
        f"no {key}": lambda values, key=key: {name: value for name, value in values.items() if name != key}  # type: ignore[misc]
        for key in ("options", "splits", "labels", "records", "rows", "checksum")
    },
}


@pytest.mark.parametrize("damage", WRONG_MANIFESTS)
def test_a_damaged_manifest_is_named_and_its_cure_works(
    list_with_rejects: Path, tmp_path: Path, damage: str
) -> None:
    csv, output = list_with_rejects, tmp_path / "out"
    shutil.copytree(csv.parent / "whole", output)
    path = output / "manifest.json"
    path.write_text(json.dumps(WRONG_MANIFESTS[damage](json.loads(path.read_text())), indent=2))
    for more in ({}, {"dry_run": True}):
        with pytest.raises(OutputError) as caught:
            tfrecordcli.convert(csv, output, **PLANNED, **more)
        assert str(path) in caught.value.message
    if damage in ("an identity alone", "no checksum"):  # it may be of another program
        assert "move it away" in caught.value.hint
        with pytest.raises(OutputError, match="no manifest of tfrec"):
            tfrecordcli.convert(csv, output, overwrite=True, **PLANNED)
        return
    assert "--overwrite" in caught.value.hint
    tfrecordcli.convert(csv, output, overwrite=True, dry_run=True, **PLANNED)
    assert tfrecordcli.convert(csv, output, overwrite=True, **PLANNED).exit_code == 0
    assert fingerprint(output) == fingerprint(csv.parent / "whole")


# --- a rejects.csv that somebody edited where it is ---


def saved_as(delimiter: str, line: str = "{}", ending: str = "\r\n") -> Callable[[str], str]:
    """As a spreadsheet saves the file: with another delimiter, and lines as it takes numbers."""

    def change(text: str) -> str:
        header, *rows = reader(text.splitlines())
        place = header.index("tfrec_line")
        for row in rows:
            row[place] = line.format(row[place])
        quoted = [[f'"{field}"' if delimiter in field else field for field in row] for row in [header, *rows]]
        return "".join(delimiter.join(row) + ending for row in quoted)

    return change


def sorted_backwards(text: str) -> str:
    header, *rows = text.splitlines()
    return "\n".join([header, *rows[::-1], ""])


# What was done to a file of 3 rows -> rows that it still tells.
EDITS: dict[str, tuple[Callable[[str], str], int]] = {
    "nothing": (lambda text: text, 3),
    "semicolons": (saved_as(";"), 3),
    "tabs": (saved_as("\t"), 3),
    "lines as 62.0": (saved_as(",", "{}.0"), 3),
    "lines as 62,0": (saved_as(";", "{},0"), 3),
    "a mark": (lambda text: "\ufeff" + text, 3),
    "sorted": (sorted_backwards, 3),
    "another image": (lambda text: text.replace("no1.jpg", "001.jpg"), 3),
    "emptied": (lambda text: "", 0),
    "the header alone": (lambda text: text.splitlines()[0] + "\n", 0),
    "garbage": (lambda text: "\0\x01" + "x;" * 1000, 0),
    "no column of codes": (lambda text: text.replace("tfrec_code", "code"), 0),
    "one row less": (lambda text: "\n".join(text.splitlines()[:-1]) + "\n", 2),
    "a quote never closed": (lambda text: text.replace("TRAIN,no1", 'TRAIN,"no1'), 1),
    "cut": (lambda text: text[:-20], 2),
    "other lines": (saved_as(",", "x{}"), 0),
    "endless lines": (saved_as(",", "{}" + "0" * 500), 0),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_rerun_reads_rejects_that_were_edited_and_says_what_they_lack(
    csv: Path, tmp_path: Path, edit: str
) -> None:
    with csv.open("a") as file:
        file.writelines(f"TRAIN,no{number}.jpg,a\n" for number in range(3))
    output = tmp_path / "out"
    change, told = EDITS[edit]
    assert tfrecordcli.convert(csv, output, max_rejects=3).rejected == 3
    path = output / "rejects.csv"
    path.write_bytes(change(path.read_text()).encode())
    done = tfrecordcli.convert(csv, output, max_rejects=3)
    assert (done.status, done.exit_code, done.rejected) == ("already_complete", 0, 3)
    assert len(done.problems) == told
    said = [warning for warning in done.warnings if "rejects.csv was edited" in warning]
    assert len(said) == (told < 3)
    if said:
        assert f"it tells only {told} of the 3 rows" in said[0]
    if told == 3:
        (csv.parent / "no1.jpg").write_bytes(jpeg(1))
        with pytest.raises(OutputError, match=r"an image that was rejected has changed: line 11: no1\.jpg"):
            tfrecordcli.convert(csv, output, max_rejects=3)


def test_rejects_in_any_order_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More of them than wait in memory at a time."""
    monkeypatch.setattr("tfrecordcli.workdir.rejects._WAITING", 3)
    csv = write_csv(tmp_path / "list.csv", [("TRAIN", f"{number}.jpg", "a") for number in range(20)])
    lines = [7, 3, 20, 1, 12, 19, 2, 4, 4, 99]
    entries = [(str(line), "not_found", f"why {line}") for line in lines]
    write_csv(tmp_path / "rejects.csv", entries, ("tfrec_line", "tfrec_code", "tfrec_reason"))
    rows = RowFile(str(csv), "list.csv", make_options({}).read)
    found = [(problem.line, problem.image_uri, problem.reason) for problem in read_rejects(tmp_path, rows)]
    assert sorted(found) == [(line, f"{line - 1}.jpg", f"why {line}") for line in sorted({*lines} - {99})]


def test_shards_of_a_plan_that_was_given_up_are_known_after_a_command_that_failed(
    list_with_rejects: Path, half_done: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    shutil.copytree(half_done, output)
    (output / "_tfrec" / "plan" / "plan.json").unlink()
    with pytest.raises(UsageError, match='labels="nowhere"'):
        tfrecordcli.convert(list_with_rejects, output, labels="nowhere", **PLANNED)
    assert tfrecordcli.convert(list_with_rejects, output, **PLANNED).exit_code == 0
    assert fingerprint(output) == fingerprint(list_with_rejects.parent / "whole")
