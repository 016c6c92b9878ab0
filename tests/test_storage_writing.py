"""Files are there whole or not at all, also after a power cut."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from converting import convert_json


def test_a_file_is_on_the_disk_before_it_has_its_name_and_so_is_the_name(
    csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every file of a dataset."""
    synced: set[int] = set()
    named: list[str] = []
    real = os.replace

    def fsync(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)

    def replace(source: str | Path, target: str | Path) -> None:
        if os.path.isfile(source):
            assert os.stat(source).st_ino in synced, target
        real(source, target)
        named.append(Path(target).name)
        synced.discard(Path(target).parent.stat().st_ino)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    assert convert_json(csv, tmp_path / "out")["exit_code"] == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} <= set(named)
    assert (tmp_path / "out").stat().st_ino in synced


@pytest.mark.parametrize(
    ("code", "words"), [(errno.ENOENT, "removed or moved meanwhile"), (errno.ESTALE, "disk and network")]
)
def test_an_output_directory_that_goes_away_while_shards_are_made(
    code: int, words: str, csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def goes_away(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patched:
        patched.setattr("tfrecordcli.shards.writer.Draft.publish", goes_away)
        error = convert_json(csv, tmp_path / "out")["error"]
    assert (error["code"], words in error["hint"]) == ("output", True)
    assert "the same command" in error["hint"]
    assert convert_json(csv, tmp_path / "out")["exit_code"] == 0
