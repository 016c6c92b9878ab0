"""Replacing a dataset: whatever moment a run dies at, a manifest only stands over all of its files."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from tfrecordcli.dataset.manifest_file import manifest_checksum
from tfrecordcli.errors import OutputError
from tfrecordcli.naming import MANIFEST, WORK_DIR
from tfrecordcli.workdir import replacement
from tfrecordcli.workdir.replacement import replace_dataset, roll_forward
from tfrecordcli.workdir.workspace import Workspace

_VALUES = {
    "schema_version": 1, "identity": "old", "rows": 1, "records": 1, "label_kind": "name", "num_labels": 1,
    "labels": {"a": 0},
    "options": {"shard": {"index": False, "compression": "none"}}, "reasons": {}, "notes": {}, "warnings": [],
    "splits": {"train": {
        "rows": 1, "records": 1, "rejected": 0, "merged": 0, "discarded": 0, "shards": 1, "bytes": 3,
        "digest": "0" * 16, "labels": {"0": 1},
    }},
}  # fmt: skip
OLD_MANIFEST = json.dumps({**_VALUES, "checksum": manifest_checksum(_VALUES)})
OLD = {
    MANIFEST: OLD_MANIFEST,
    "shards.jsonl": "old",
    "train-00000-of-00001.tfrecord": "old",
    "labels.txt": "old",
}
NEW = {
    MANIFEST: "new", "shards.jsonl": "new", "labels.txt": "new", "test-00000-of-00001.tfrecord": "new",
    "train-00000-of-00002.tfrecord": "new", "train-00001-of-00002.tfrecord": "new",
}  # fmt: skip


class Died(Exception):
    """The run ended here."""


def found(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def lay_out(folder: Path) -> None:
    new = folder / WORK_DIR / "new"
    new.mkdir(parents=True)
    for place, files in ((folder, OLD), (new, NEW)):
        for name, text in files.items():
            (place / name).write_text(text)


@pytest.mark.parametrize("moves", range(len(NEW)))
def test_the_manifest_moves_last(moves: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path)
    left = moves

    def dies_in_time(source: Path, target: Path) -> None:
        nonlocal left
        if not left:
            raise Died
        left -= 1
        source.rename(target)

    with monkeypatch.context() as patched:
        patched.setattr(replacement, "move", dies_in_time)
        with pytest.raises(Died):
            replace_dataset(Workspace(tmp_path, replaces=True))
    assert found(tmp_path)[MANIFEST] == OLD_MANIFEST  # the new one has files that are not there yet
    assert sum(text == "new" for text in found(tmp_path).values()) == moves
    roll_forward(tmp_path)
    assert found(tmp_path) == NEW


def test_an_old_file_that_cannot_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with an immutable attribute: it is named, the new dataset is whole, the rest is done later."""
    stuck = tmp_path / "train-00000-of-00001.tfrecord"
    unlink = Path.unlink

    def refuses(path: Path, missing_ok: bool = False) -> None:
        if path == stuck:
            raise PermissionError(errno.EPERM, "Operation not permitted", str(path))
        unlink(path, missing_ok)

    lay_out(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuses)
        with pytest.raises(OutputError, match=stuck.name) as caught:
            replace_dataset(Workspace(tmp_path, replaces=True))
    assert "same command" in caught.value.hint
    assert found(tmp_path) == {**NEW, stuck.name: "old"}
    roll_forward(tmp_path)
    assert found(tmp_path) == NEW


def test_a_file_that_cannot_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    move: Any = replacement.move

    def refuses(source: Path, target: Path) -> None:
        if target.name == "labels.txt":
            raise PermissionError(errno.EPERM, "Operation not permitted", str(target))
        move(source, target)

    lay_out(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(replacement, "move", refuses)
        with pytest.raises(OutputError, match=r"labels\.txt"):
            replace_dataset(Workspace(tmp_path, replaces=True))
    assert found(tmp_path)[MANIFEST] == OLD_MANIFEST
    assert (tmp_path / "train-00000-of-00001.tfrecord").exists()
    roll_forward(tmp_path)
    assert found(tmp_path) == NEW
