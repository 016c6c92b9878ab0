"""The same folder again: reruns, replacements, and files of others in it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from converting import MISSING, convert_json, fingerprint, jpeg, tfrec, with_bad_rows

# --- another input, and files of others ---


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
    with_bad_rows(csv, ("TRIAN", "zzz.jpg", "a"))
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
