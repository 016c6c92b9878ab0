"""What a run that died leaves beside a finished dataset: cleared, or named with the command for that."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from converting import convert_json, fingerprint, image_list, tfrec
from stand_in_store import Refused, StandIn, serve
from storing import Running

from tfrecordcli import verify
from tfrecordcli.storage.store_path import StorePath, place_of
from tfrecordcli.workdir import lease


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return image_list(tmp_path / "in", 6)


@pytest.fixture
def store() -> Iterator[tuple[StandIn, Running]]:
    with serve("gs") as found:
        yield found, Running(f"gs://{found.bucket}", found.environment())


# Of a run that died while it cleared up, or whose plan.json somebody removed.
REMAINS = (
    "plan/labels.txt",
    "plan/tasks/train-00000-of-00001",
    "done/train-00000-of-00001",
    "attempts/x",
    "stop",
)


def leave(output: Path) -> None:
    for name in REMAINS:
        path = output / "_tfrec" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


@pytest.mark.parametrize("command", ["convert", "finish", "plan", "write-shards"])
def test_remains_without_a_plan_are_cleared(command: str, csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    convert_json(csv, output)
    undisturbed = fingerprint(output)
    leave(output)
    (sentence,) = verify(output, feed=False).not_checked
    assert f"tfrec finish {output} clears it up" in sentence
    arguments = (csv, output) if command in ("convert", "plan") else (output,)
    done = tfrec(command, *arguments, "--json")
    assert (done.code, done.json["status"]) == (0, "already_complete"), done.err
    assert fingerprint(output) == undisturbed
    assert verify(output, feed=False).not_checked == ()


def test_a_conversion_that_waits_to_replace_a_dataset_is_told_from_remains(csv: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    convert_json(csv, output)
    tfrec("plan", csv, output, "--overwrite")
    (sentence,) = verify(output, feed=False).not_checked
    assert "a conversion that replaces the dataset is at work, or was not finished" in sentence
    assert (output / "_tfrec" / "plan" / "plan.json").exists()


def test_remains_on_a_store_are_cleared(csv: Path, store: tuple[StandIn, Running]) -> None:
    found, running = store
    convert_json(csv, "gs://bkt/out", env=running.env)
    undisturbed = running.contents("out")
    for name in REMAINS:
        found.put(f"out/_tfrec/{name}", b"x")
    found.put("out/_tfrec/lock", json.dumps({"run": "x", "host": "x", "given_up": True}).encode())
    assert (
        "tfrec finish gs://bkt/out clears it up"
        in tfrec("verify", "gs://bkt/out", "--no-feed", env=running.env).out
    )
    again = convert_json(csv, "gs://bkt/out", env=running.env)
    assert (again["exit_code"], again["status"]) == (0, "already_complete")
    assert running.contents("out") == undisturbed


@pytest.mark.parametrize("part", ["plan/plan.json", "plan/labels.txt", "plan/tasks/", "done/", "lock"])
def test_a_store_that_fails_while_a_run_clears_up(
    part: str, csv: Path, store: tuple[StandIn, Running]
) -> None:
    found, running = store
    is_failing = True

    def fail(method: str, key: str) -> None:
        is_clearing_up = is_failing and "out/manifest.json" in found.objects
        if is_clearing_up and method == "DELETE" and key.startswith(f"out/_tfrec/{part}"):
            raise Refused(503, "SlowDown")

    found.meddle = fail
    first = tfrec("convert", csv, "gs://bkt/out", env=running.env)
    assert first.code == 3, first.err
    assert "out/manifest.json" in found.objects
    is_failing = False
    again = convert_json(csv, "gs://bkt/out", env=running.env)
    assert (again["exit_code"], again["status"]) == (0, "already_complete")
    assert not [key for key in found.objects if "_tfrec" in key]


def test_a_lock_that_is_renewed_while_the_run_ends_does_not_stay(
    store: tuple[StandIn, Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, running = store
    for name, value in running.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(lease, "RENEWED_EVERY", 0.02)
    monkeypatch.setattr(lease, "_SECONDS_FOR_RENEWAL", 0.1)
    work = place_of("gs://bkt/out/_tfrec")
    assert isinstance(work, StorePath)
    is_renewed, may_go_on = threading.Event(), threading.Event()
    writes = 0

    def hold(method: str, key: str) -> None:
        nonlocal writes
        if (method, key) == ("PUT", "out/_tfrec/lock"):
            writes += 1
            if writes == 2:
                is_renewed.set()
                assert may_go_on.wait(60)

    found.meddle = hold
    with lease.leased(work) as held:
        assert is_renewed.wait(60)
    may_go_on.set()
    assert held._keeper is not None
    held._keeper.join(60)
    assert not held._keeper.is_alive()
    assert not found.objects


def test_a_maker_of_shards_that_hears_nothing_leaves_no_lease(
    store: tuple[StandIn, Running], csv: Path
) -> None:
    """Its lease is written, but the store's answers about it are lost."""
    found, running = store
    assert tfrec("plan", csv, "gs://bkt/out", env=running.env).code == 0

    def fail(method: str, key: str) -> None:
        if method == "HEAD" and "/sharers/" in key:
            raise Refused(503, "SlowDown")

    found.meddle = fail
    assert tfrec("write-shards", "gs://bkt/out", env=running.env).code == 3
    assert not [key for key in found.objects if "/sharers/" in key]
