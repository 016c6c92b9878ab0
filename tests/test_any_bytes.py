"""Texts of the operating system, of stores and of files in a work folder may hold any bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from converting import TFREC, environment, image_list, tfrec
from stand_in_store import Refused, StandIn, serve
from storing import Running

from tfrecordcli.errors import BusyError
from tfrecordcli.runners.beam.pipeline import read_failure
from tfrecordcli.storage.store_path import StorePath, place_of
from tfrecordcli.workdir.lock_object import holder_of
from tfrecordcli.workdir.workspace import locked

ODD = b"\xff\xfe\x1b[31m\r\x9b\x00"
DAMAGED = (
    ODD,
    b"[" * 100_000,
    b"[]",
    b'{"kind": "annotations"}',
    b'{"kind": 5}',
    b'{"run": "\\ud800"',
    b'"\xff"',
)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with serve("gs") as found:
        for name, value in Running(f"gs://{found.bucket}", found.environment()).env.items():
            monkeypatch.setenv(name, value)
        yield found


def is_harmless(output: str) -> bool:
    """Whether a terminal shows it as it is."""
    return all(character.isprintable() or character == "\n" for character in output)


def test_the_name_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(nodename=os.fsdecode(ODD)))
    with (
        locked(tmp_path / "_tfrec"),
        pytest.raises(BusyError, match="another run is at work here"),
        locked(tmp_path / "_tfrec"),
    ):
        pass


def test_what_a_lock_says_reaches_no_terminal_raw(tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 2)
    with locked(tmp_path / "out" / "_tfrec"):
        (tmp_path / "out" / "_tfrec" / "lock").write_bytes(ODD)
        done = tfrec("convert", csv, tmp_path / "out")
    assert done.code == 3
    assert is_harmless(done.err)


@pytest.mark.parametrize("content", DAMAGED)
def test_a_lock_on_a_store_that_is_damaged(content: bytes, store: StandIn) -> None:
    store.put("out/_tfrec/lock", content)
    lock = place_of("gs://bkt/out/_tfrec/lock")
    assert isinstance(lock, StorePath)
    assert isinstance(holder_of(lock), dict)


@pytest.mark.parametrize("content", DAMAGED)
def test_a_trace_that_is_damaged(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "trace").write_bytes(content)
    assert read_failure(tmp_path / "trace") is None


@pytest.mark.parametrize("status", [400, 401, 403, 404, 412, 503])
def test_what_a_store_says_reaches_no_terminal_raw(status: int, store: StandIn, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 2)

    def say(method: str, key: str) -> None:
        raise Refused(status, "\x1b[31mRed\x9b\r\udcff".encode("utf-8", "replace").decode())

    store.meddle = say
    done = tfrec("convert", csv, "gs://bkt/out", env=dict(os.environ))
    assert done.code in (2, 3)
    assert done.err.startswith("tfrec: ")
    assert is_harmless(done.err)


def test_paths_of_any_bytes(tmp_path: Path) -> None:
    """Of output, export and temporary files, in every step."""
    csv = image_list(tmp_path / "in", 3)
    odd = os.fsdecode(b"o\xff\x1b[31m\n")
    try:
        (tmp_path / f"t{odd}").mkdir()
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    env = environment(TMPDIR=str(tmp_path / f"t{odd}"))
    output = str(tmp_path / odd)
    export = str(tmp_path / f"e{odd}")
    for words in (
        ("plan", csv, output), ("write-shards", output), ("finish", output), ("convert", csv, output),
        ("verify", output, "--no-feed"), ("inspect", output, "--export", export),
        ("convert", export, tmp_path / "again", "--unlabelled", "keep", "--max-rejects", "9"),
        ("verify", f"gs://bkt/{odd}"), ("convert", f"https://h{odd}/list.csv", tmp_path / "web"),
    ):  # fmt: skip
        done = tfrec(*words, env=env, command=TFREC if words[0] == "inspect" else None)
        assert done.code in (0, 1, 2), done.err
        assert (done.code == 2) == (words[1] in (f"gs://bkt/{odd}", f"https://h{odd}/list.csv")), done.err
        assert is_harmless(done.out + done.err), words
