"""Pipes, sockets and devices where files or folders are expected: called that, and never waited for."""

from __future__ import annotations

import io
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from converting import tfrec
from PIL import Image
from verifying import verify, write_shard

import tfrecordcli
from tfrecordcli.errors import InputError, TfrecError
from tfrecordcli.formats.example import encode_example
from tfrecordcli.inspecting.inspection import inspect

KINDS = {"pipe": "a pipe", "socket": "a socket", "device": "a device"}


@pytest.fixture(params=KINDS)
def special(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of such a file in the current folder, or of one elsewhere."""
    monkeypatch.chdir(tmp_path)  # the path of a socket is at most 108 bytes long
    if request.param == "device":
        yield os.devnull
    elif request.param == "pipe":
        os.mkfifo("special")
        yield "special"
    else:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind("special")
            yield "special"


@pytest.fixture
def kind(special: str, request: pytest.FixtureRequest) -> str:
    return KINDS[request.node.callspec.params["special"]]


@pytest.mark.parametrize("command", ["verify", "inspect"])
def test_what_is_read_must_be_a_file_or_a_folder(command: str, special: str, kind: str) -> None:
    done = tfrec(command, special)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == f"tfrec: {special}: {kind}, not a file or folder"
    assert "save what comes out of it in a file first" in done.err


def test_what_is_fed_must_be_a_folder(special: str, kind: str) -> None:
    needed = f"{kind}, where the folder of a dataset is needed"
    with pytest.raises(InputError, match=needed):
        tfrecordcli.load(special)
    done = tfrec("bench", special)
    assert (done.code, f"{special}: {needed}" in done.err) == (2, True)


@pytest.mark.parametrize("command", ["convert", "plan"])
def test_a_list_must_be_a_file(command: str, special: str, kind: str) -> None:
    done = tfrec(command, special, "out")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == f"tfrec: {special}: {kind}, not a regular file"
    assert "pipe it in" in done.err
    assert not Path("out").exists()


def test_an_image_root_must_be_a_folder(special: str, sample_data: Path) -> None:
    with pytest.raises(TfrecError, match="it is no folder"):
        tfrecordcli.convert(sample_data / "data.csv", "out", image_root=special)


def test_what_is_below_such_a_file_is_not_there(special: str) -> None:
    done = tfrec("verify", f"{special}/a")
    assert (done.code, "no such file or folder" in done.err) == (2, True)


@pytest.fixture(params=["link", "pipe"])
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder of TFRecords one of which is called so and cannot be read."""
    folder = tmp_path / "records"
    (folder / "more").mkdir(parents=True)
    png = io.BytesIO()
    Image.new("RGB", (4, 3)).save(png, "PNG")
    write_shard(folder / "train.tfrecord", [encode_example({"image": [png.getvalue()], "label": [1]})])
    for path in (folder / "val-00000-of-00001.tfrecord", folder / "more" / "test.tfrecord"):
        if request.param == "link":
            path.symlink_to("nowhere")
        else:
            os.mkfifo(path)
    return folder


def test_what_is_called_like_tfrecords_and_is_none_is_told(broken: Path) -> None:
    report, seen = verify(broken), inspect(broken)
    assert report.problems == seen.problems
    assert [(found.path, found.code) for found in report.problems] == [
        ("more/test.tfrecord", "unreadable"),
        ("val-00000-of-00001.tfrecord", "unreadable"),
    ]
    assert report.records == 1
    done = tfrec("convert", broken, broken.parent / "out", "--dry-run")
    assert done.code == 0
    assert "more/test.tfrecord, val-00000-of-00001.tfrecord: no file" in done.err


def test_a_shard_of_ours_that_is_a_link_to_nowhere(sample_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert tfrec("convert", sample_data / "data.csv", out).code == 0
    shard = next(out.glob("train*.tfrecord"))
    shard.unlink()
    shard.symlink_to("nowhere")
    (problem,) = (found for found in verify(out).problems if found.path == shard.name)
    assert (problem.code, "leads nowhere" in problem.message) == ("unreadable", True)
