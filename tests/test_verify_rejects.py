"""rejects.csv as `verify` sees it: lost is an error, edited is a note, since people mend it where it is."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import google_crc32c
import pytest
from converting import convert_json, image_list, manifest, tfrec
from verifying import flip, found, verify

from tfrecordcli.dataset.manifest_file import manifest_checksum
from tfrecordcli.verify_report import VerifyReport

NAME = "rejects.csv"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset two of whose eight rows were rejected."""
    folder = tmp_path_factory.mktemp("rejected")
    csv = image_list(folder / "in", 8)
    for number in (2, 5):
        (folder / "in" / f"{number:03}.jpg").write_bytes(b"no image")
    assert convert_json(csv, folder / "out", "--max-rejects", "2")["rejected"] == 2
    return folder / "out"


@pytest.fixture
def dataset(sound: Path, tmp_path: Path) -> Path:
    shutil.copytree(sound, tmp_path / "out")
    return tmp_path / "out"


def sign_manifest(dataset: Path, change: Callable[[dict[str, object]], object]) -> None:
    values = manifest(dataset)
    change(values)
    values["checksum"] = manifest_checksum(values)
    (dataset / "manifest.json").write_text(json.dumps(values))


def told(report: VerifyReport) -> list[str]:
    return [note for note in report.notes if NAME in note]


def test_the_manifest_tells_size_and_checksum(dataset: Path) -> None:
    data = (dataset / NAME).read_bytes()
    assert manifest(dataset)["files"][NAME] == {
        "bytes": len(data),
        "crc32c": f"{google_crc32c.value(data):08x}",
    }
    report = verify(dataset, strict=True)
    assert (report.exit_code, report.notes) == (0, ())


def test_without_rejected_rows_the_manifest_says_nothing_of_them(tmp_path: Path) -> None:
    convert_json(image_list(tmp_path / "in", 2), tmp_path / "out")
    assert "rejects" not in manifest(tmp_path / "out")
    assert verify(tmp_path / "out", strict=True).notes == ()


def test_a_lost_one_is_an_error(dataset: Path) -> None:
    (dataset / NAME).unlink()
    report = verify(dataset)
    assert (report.exit_code, found(report)) == (1, [("rejects_missing", NAME, None, None)])
    assert "2 rows" in report.problems[0].message
    assert verify(next(dataset.glob("*.tfrecord"))).exit_code == 0  # one file is asked for, and is right


EDITS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a bit of an image_uri flipped": (lambda data: flip(data, data.index(b"002.jpg"), 1), "2 of the 2"),
    "a row taken out": (lambda data: b"".join(data.splitlines(True)[:-1]), "1 of the 2"),
    "emptied": (lambda _: b"", "0 of the 2"),
    "no text any more": (lambda _: bytes(range(256)) * 9, "0 of the 2"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_one_is_a_note(dataset: Path, edit: str) -> None:
    change, says = EDITS[edit]
    (dataset / NAME).write_bytes(change((dataset / NAME).read_bytes()))
    report = verify(dataset, strict=True)
    assert (report.exit_code, report.problems) == (0, ())
    (note,) = told(report)
    assert says in note
    done = tfrec("verify", "--no-feed", dataset)
    assert done.code == 0
    assert f"note: {NAME}" in done.out
    assert told(report) == tfrec("verify", "--no-feed", dataset, "--json").json["notes"]


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_cannot_be_read(dataset: Path, kind: str) -> None:
    (dataset / NAME).unlink()
    (dataset / NAME).mkdir() if kind == "folder" else os.mkfifo(dataset / NAME)
    assert found(verify(dataset)) == [("unreadable", NAME, None, None)]


def test_datasets_of_before_are_read(dataset: Path) -> None:
    """Their manifest counts the rejected rows only."""
    sign_manifest(dataset, lambda values: values.pop("files"))
    assert verify(dataset, strict=True).notes == ()
    (dataset / NAME).write_bytes(b"")
    assert "0 of the 2" in told(verify(dataset))[0]
    (dataset / NAME).unlink()
    assert found(verify(dataset)) == [("rejects_missing", NAME, None, None)]


def test_datasets_that_told_of_it_alone_are_read(dataset: Path) -> None:
    sign_manifest(dataset, lambda values: values.update(rejects=values.pop("files")[NAME]))
    assert verify(dataset, strict=True).notes == ()
    (dataset / NAME).write_bytes((dataset / NAME).read_bytes() + b"\n")
    assert "2 of the 2" in told(verify(dataset))[0]


@pytest.mark.parametrize("entry", [7, {}, {"bytes": "9", "crc32c": "00000000"}, {"bytes": 9, "crc32c": "x"}])
def test_an_entry_of_other_values_is_no_manifest_of_tfrec(dataset: Path, entry: object) -> None:
    sign_manifest(dataset, lambda values: values["files"].update({NAME: entry}))
    assert found(verify(dataset)) == [("manifest_damaged", "manifest.json", None, None)]
