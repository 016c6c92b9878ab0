"""The same folder again: a finished dataset that was changed, damaged, or cut off while it was replaced."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from converting import TFREC, TIMEOUT, convert_json, environment, fingerprint, tfrec
from faulting import AS_NOBODY, PLANNED, one_line_with_a_hint

import tfrecordcli
from tfrecordcli.errors import OutputError
from tfrecordcli.feed.splits import open_dataset


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
    done = tfrec(tmp_path, "verify", "out", "--no-feed", command=[sys.executable, "-c", AS_NOBODY])
    one_line_with_a_hint(done, 2, "its replacement was cut off")
    assert "from the account that converted it" in done.err
    assert tfrec("verify", output, "--no-feed").code == 0


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


@pytest.mark.usefixtures("may_mount")
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
def test_a_damaged_manifest_is_named_and_its_hint_works(
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


def test_finish_leaves_the_plan_by_which_a_lost_shard_can_be_made_again(
    sample_data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert tfrec("plan", sample_data / "data.csv", out).code == 0
    assert tfrec("write-shards", out).code == 0
    shutil.copytree(out / "_tfrec", tmp_path / "kept")
    assert tfrec("finish", out).code == 0
    shutil.copytree(tmp_path / "kept", out / "_tfrec")
    next(out.glob("train-*.tfrecord")).unlink()
    assert "train-" in tfrec("finish", out).err
    assert tfrec("write-shards", out).code == 0
    assert tfrec("finish", out).code == 0
    assert tfrec("verify", out, "--no-feed").code == 0
