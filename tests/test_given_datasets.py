"""Datasets and work folders that somebody else made: no command follows them to other files."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from converting import convert_json, fingerprint, tfrec
from faulting import one_line_with_a_hint

import tfrecordcli
from tfrecordcli.errors import InputError, OutputError
from tfrecordcli.feed.splits import open_dataset, read_splits
from tfrecordcli.workdir.workspace import locked


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
    one_line_with_a_hint(done, 2, "_tfrec/roll.json: this is no journal")
    assert "remove it" in done.err
    assert (tmp_path / "precious.txt").exists()
    assert not (tmp_path / "planted").exists()


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", "1", '{"remove":["x"],"add":3}', '{"remove":"labels.txt","add":[]}',
                '{"remove":[1],"add":[]}', '{"remove":[],"add":{}}', "[" * 100_000, "\0", "folder"],
    ids=range(12),
)  # fmt: skip
def test_a_damaged_journal_is_named_and_its_hint_works(csv: Path, given: Path, content: str) -> None:
    journal = given / "_tfrec" / "roll.json"
    if content == "folder":
        journal.mkdir()
    else:
        journal.write_text(content)
    done = tfrec("convert", csv, given, "--num-shards", "2")
    one_line_with_a_hint(done, 2, str(journal))
    assert "remove it and run the same command again" in done.err
    journal.rmdir() if content == "folder" else journal.unlink()
    assert convert_json(csv, given, "--num-shards", "2")["status"] == "already_complete"
    assert tfrec("verify", given, "--no-feed").code == 0


def test_a_replacement_whose_journal_is_damaged_begins_again(
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
    one_line_with_a_hint(tfrec("convert", csv, output, *replaced), 2, str(journal))
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
    one_line_with_a_hint(tfrec("verify", given, "--no-feed"), 2, "roll.json")
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
        one_line_with_a_hint(done, 2, f"_tfrec/{name}: a link")
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
