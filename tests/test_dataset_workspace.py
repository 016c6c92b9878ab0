"""Replacing a dataset: whatever moment a run dies at, a manifest only stands over all of its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfrecordcli.dataset import workspace
from tfrecordcli.dataset.workspace import Workspace, replace_dataset, roll_forward
from tfrecordcli.naming import MANIFEST, WORK_DIR

OLD = {MANIFEST: "old", "shards.jsonl": "old", "train-00000-of-00001.tfrecord": "old", "labels.txt": "old"}
NEW = {
    MANIFEST: "new", "shards.jsonl": "new", "labels.txt": "new", "test-00000-of-00001.tfrecord": "new",
    "train-00000-of-00002.tfrecord": "new", "train-00001-of-00002.tfrecord": "new",
}  # fmt: skip


class Died(Exception):
    """The run ended here."""


def found(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("moves", range(len(NEW)))
def test_the_manifest_moves_last(moves: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = tmp_path / WORK_DIR / "new"
    new.mkdir(parents=True)
    for folder, files in ((tmp_path, OLD), (new, NEW)):
        for name, text in files.items():
            (folder / name).write_text(text)
    left = moves

    def dies_in_time(source: Path, target: Path) -> None:
        nonlocal left
        if not left:
            raise Died
        left -= 1
        source.rename(target)

    with monkeypatch.context() as patched:
        patched.setattr(workspace, "move", dies_in_time)
        with pytest.raises(Died):
            replace_dataset(Workspace(tmp_path, replaces=True))
    assert found(tmp_path)[MANIFEST] == "old"  # the new one has files that are not there yet
    assert sum(text == "new" for text in found(tmp_path).values()) == moves
    roll_forward(tmp_path)
    assert found(tmp_path) == NEW
