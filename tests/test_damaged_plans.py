"""Lists, plans and done records that somebody changes between two commands."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from converting import fingerprint, read_csv, tfrec
from faulting import PLANNED

import tfrecordcli
from tfrecordcli.converting.conversion import plan
from tfrecordcli.converting.execution import execute
from tfrecordcli.converting.steps import finish, write_shards
from tfrecordcli.dataset.checksummed_json import dump, load
from tfrecordcli.errors import BusyError, InputError, OutputError, TfrecError, UsageError
from tfrecordcli.planning.scan import scan_rows
from tfrecordcli.storage.store_path import file_names
from tfrecordcli.workdir.job import load_plan


def test_a_list_that_grows_while_it_is_read_makes_no_plan(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scan(*arguments: Any) -> Any:
        found = scan_rows(*arguments)
        csv.write_text(csv.read_text() + "TRAIN,000.jpg,c\n")
        return found

    monkeypatch.setattr("tfrecordcli.planning.sorted_rows.scan_rows", scan)
    with pytest.raises(BusyError, match="it changed while it was read") as caught:
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
        patched.setattr("tfrecordcli.converting.conversion.execute", execute_and_edit)
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


@pytest.fixture(scope="module")
def half_done(list_with_rejects: Path) -> Path:
    """The plan of that list, and one of its two shards."""
    plan(list_with_rejects, list_with_rejects.parent / "half", **PLANNED)
    write_shards(list_with_rejects.parent / "half", shards="1")
    return list_with_rejects.parent / "half"


@pytest.mark.parametrize("name", ["plan.json", "labels.txt", "problems", "tasks/train-00000-of-00002"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_plan_is_named_and_its_hint_works(
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
def test_a_plan_that_is_damaged_before_its_end_is_named_and_its_hint_works(
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


def test_shards_of_another_plan_are_made_again(csv: Path, tmp_path: Path) -> None:
    """With their done records they were taken, and rows stood twice in the dataset and others not at all."""
    mine, other, whole = tmp_path / "mine", tmp_path / "other", tmp_path / "whole"
    for output, seed in ((mine, 0), (other, 3)):
        tfrecordcli.plan(csv, output, num_shards=2, seed=seed)
    tfrecordcli.write_shards(other)
    for shard in other.glob("*.tfrecord"):
        shutil.copy(shard, mine)
    shutil.copytree(other / "_tfrec" / "done", mine / "_tfrec" / "done", dirs_exist_ok=True)
    with pytest.raises(TfrecError, match="2 of 2 shards are not made"):
        tfrecordcli.finish(mine)
    run = tfrec("write-shards", mine)
    said = (
        "note: 2 shards of an earlier run will be made again: they are of an earlier version or another plan"
    )
    assert said in run.err
    assert "resumed" not in run.out
    assert "made again" not in tfrec("write-shards", mine).err
    tfrecordcli.finish(mine)
    tfrecordcli.convert(csv, whole, num_shards=2)
    assert fingerprint(mine) == fingerprint(whole)


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


def test_a_copied_plan_lost_its_empty_folder(csv: Path, tmp_path: Path) -> None:
    """As copies to a bucket and back leave out folders without files."""
    tfrecordcli.plan(csv, tmp_path / "plan", num_shards=2)
    (tmp_path / "plan" / "_tfrec" / "done").rmdir()
    tfrecordcli.write_shards(tmp_path / "plan")
    assert tfrecordcli.finish(tmp_path / "plan").exit_code == 0


def test_shards_that_another_run_finishes_meanwhile_are_not_made_again(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tfrecordcli.plan(csv, tmp_path, num_shards=3)

    def listed(folder: Path) -> list[str]:
        names = file_names(folder)
        monkeypatch.undo()
        tfrecordcli.write_shards(tmp_path, shards="0-1")
        return names

    monkeypatch.setattr("tfrecordcli.converting.execution.file_names", listed)
    run = tfrec("write-shards", tmp_path)
    assert "2 of them from before" in run.out
    assert "made again" not in run.err
