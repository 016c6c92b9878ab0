"""A dataset that `--overwrite` replaces while it is read: no damage is told, and the exit code is 3."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from converting import image_list, tfrec
from verifying import verify

import tfrecordcli
from tfrecordcli.errors import BusyError, InputError
from tfrecordcli.inspecting import export as exporting
from tfrecordcli.inspecting import records
from tfrecordcli.inspecting.inspection import inspect
from tfrecordcli.integrity import discovery
from tfrecordcli.verifying import shard_checks, verification
from tfrecordcli.workdir import replacement
from tfrecordcli.workdir.workspace import locked


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    image_list(tmp_path / "in", 6)
    image_list(tmp_path / "other", 9)
    tfrecordcli.convert(tmp_path / "in" / "list.csv", tmp_path / "out", num_shards=3)
    return tmp_path / "out"


def overwrite(dataset: Path, num_shards: int = 2) -> None:
    source = dataset.parent / "other" / "list.csv"
    tfrecordcli.convert(source, dataset, num_shards=num_shards, overwrite=True)


class Died(Exception):
    """The run ended here."""


def overwrite_in_part(dataset: Path, monkeypatch: pytest.MonkeyPatch, moves: int) -> None:
    """A replacement that is at work: so many of its files stand."""
    real = replacement.move

    def dies_in_time(source: Any, target: Any) -> None:
        nonlocal moves
        if not moves:
            raise Died
        moves -= 1
        real(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(replacement, "move", dies_in_time)
        with pytest.raises(Died):
            overwrite(dataset)


def before_shards_are_read(monkeypatch: pytest.MonkeyPatch, do: Callable[[], None]) -> None:
    class Late(shard_checks.LocalRunner):
        def run(self, *arguments: Any) -> None:
            do()
            super().run(*arguments)

    monkeypatch.setattr(shard_checks, "LocalRunner", Late)


def test_replaced_between_listing_and_reading(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before_shards_are_read(monkeypatch, lambda: overwrite(dataset))
    with pytest.raises(BusyError, match="replaced while it was read") as caught:
        verify(dataset)
    assert "run it again" in caught.value.hint
    monkeypatch.undo()
    assert verify(dataset).records == 9


def test_a_file_of_it_is_asked_for(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before_shards_are_read(monkeypatch, lambda: overwrite(dataset, num_shards=3))
    with pytest.raises(BusyError, match="replaced while it was read"):
        verify(next(dataset.glob("*.tfrecord")))


@pytest.mark.parametrize("moves", [0, 2, 4])
def test_a_replacement_that_is_at_work_in_the_end(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, moves: int
) -> None:
    before_shards_are_read(monkeypatch, lambda: overwrite_in_part(dataset, monkeypatch, moves))
    with pytest.raises(BusyError, match="replaced while it was read"):
        verify(dataset)
    monkeypatch.undo()
    assert verify(dataset).records == 9  # which goes on with it


@pytest.mark.parametrize("when", ["before", "after"])
def test_replaced_around_the_listing(dataset: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    real = discovery._files_in

    def listed(folder: Any) -> list[str]:
        if when == "before":
            overwrite(dataset)
        names = real(folder)
        if when == "after":
            overwrite(dataset)
        return names

    monkeypatch.setattr(discovery, "_files_in", listed)
    with pytest.raises(BusyError, match="replaced while it was read"):
        verify(dataset)


def test_replaced_just_before_the_manifest_is_looked_at(
    dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When a replacement is found at work at the start, nothing is read at all."""
    real = replacement._checksum_of_manifest
    begun: list[bool] = []

    def late(folder: Any) -> Any:
        if not begun:
            begun.append(True)
            overwrite_in_part(dataset, monkeypatch, 2)
        return real(folder)

    monkeypatch.setattr(replacement, "_checksum_of_manifest", late)
    monkeypatch.setattr(verification, "discover", lambda path: pytest.fail("was read"))
    with pytest.raises(BusyError, match="is being replaced"):
        verify(dataset)


@pytest.mark.parametrize("error", [InputError("there is no TFRecord file in it"), ValueError("NotFound")])
def test_what_could_not_be_read_for_it_is_told_as_that(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(path: str) -> Any:
        overwrite(dataset)
        raise error

    monkeypatch.setattr(verification, "discover", fails)
    with pytest.raises(BusyError, match="replaced while it was read"):
        verify(dataset)


def test_a_conversion_that_was_finished_meanwhile(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = dataset / "manifest.json"
    text = manifest.read_text()
    manifest.unlink()
    before_shards_are_read(monkeypatch, lambda: manifest.write_text(text) and None)
    with pytest.raises(BusyError, match="replaced while it was read"):
        verify(dataset)


def test_the_same_again_is_no_replacement(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes are the same dataset."""
    source = dataset.parent / "in" / "list.csv"
    before_shards_are_read(
        monkeypatch, lambda: tfrecordcli.convert(source, dataset, num_shards=3, overwrite=True) and None
    )
    assert verify(dataset).records == 6


def test_inspect_and_its_export(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = inspect(dataset)
    real = records.open_shard

    def late(path: str) -> Any:
        if not (dataset / "replaced").exists():
            (dataset / "replaced").mkdir()
            overwrite(dataset)
        return real(path)

    monkeypatch.setattr(records, "open_shard", late)
    with pytest.raises(BusyError, match="replaced while it was read"):
        inspect(dataset)
    shutil.rmtree(dataset / "replaced")
    monkeypatch.setattr(records, "open_shard", late)
    tfrecordcli.convert(dataset.parent / "in" / "list.csv", dataset, num_shards=3, overwrite=True)
    with pytest.raises(BusyError, match="replaced while it was read"):
        exporting.export(seen, dataset.parent / "exported", 5)


def test_the_exit_code_is_3(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        before_shards_are_read(patched, lambda: overwrite(dataset))
        done = tfrec("verify", "--no-feed", dataset)
    assert (done.code, "run it again" in done.err) == (3, True)
    assert tfrec("verify", "--no-feed", dataset).code == 0


def test_a_source_into_which_another_run_converts(dataset: Path, tmp_path: Path) -> None:
    """Exit 3 while it is at work; 2 when nobody is, for then it does not end by itself."""
    with locked(dataset / "_tfrec"):
        busy = tfrec("convert", dataset, tmp_path / "copy")
    assert (busy.code, "another run is at work here" in busy.err) == (3, True)
    lock = dataset / "_tfrec" / "lock"
    lock.write_text("process 1 on another")
    done = tfrec("convert", dataset, tmp_path / "copy")
    assert (done.code, "a conversion into this folder has not ended" in done.err) == (2, True)
    assert lock.read_text() == "process 1 on another"  # a source is only read
    lock.unlink()
    assert tfrec("convert", dataset, tmp_path / "copy", "--format", "tfrecord").err == done.err
    assert not lock.exists()
