"""Converting from and to stores: the same bytes as on a disk, on every kind of store."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from converting import TFREC, TIMEOUT, convert_json, fingerprint, image_list, jpeg, manifest, tfrec
from stand_in_store import serve
from storing import Running, running


@pytest.fixture(scope="module", params=["s3", "oss", "gs"])
def store(request: pytest.FixtureRequest) -> Iterator[Running]:
    with running(request.param) as found:
        yield found


@pytest.fixture(scope="module")
def one_store() -> Iterator[Running]:
    """For what does not hang on the kind of store."""
    with running("oss") as found:
        yield found


def sums(contents: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}


def test_the_same_bytes_as_on_a_disk(store: Running, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 30)
    store.fill(csv.parent, "in")
    options = ("--num-shards", "3", "--index", "--workers", "2")
    convert_json(csv, tmp_path / "out", *options)
    done = convert_json(f"{store.url}/in/list.csv", f"{store.url}/out", *options, env=store.env)
    assert (done["status"], done["records"]) == ("complete", 30)
    assert sums(store.contents("out")) == fingerprint(tmp_path / "out")


def test_a_folder_is_listed(one_store: Running, tmp_path: Path) -> None:
    for number, label in enumerate("aabb"):
        (tmp_path / "in" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / label / f"{number}.jpg").write_bytes(jpeg(number))
    (tmp_path / "in" / "a" / "notes.txt").write_text("no image")
    one_store.fill(tmp_path / "in", "photos")
    done = convert_json(f"{one_store.url}/photos", tmp_path / "far", env=one_store.env)
    near = convert_json(tmp_path / "in", tmp_path / "near")
    assert fingerprint(tmp_path / "far") == fingerprint(tmp_path / "near")
    assert done["records"] == near["records"] == 4
    assert [text.replace(f"{one_store.url}/photos", "") for text in done["remarks"]] == near["remarks"]


# --- TFRecords there ---


def test_tfrecords_give_the_same_as_on_a_disk(store: Running, tmp_path: Path) -> None:
    convert_json(image_list(tmp_path / "in", 12), tmp_path / "out", "--splits", "train=80,test=20")
    store.fill(tmp_path / "out", "records")
    options = ("--num-shards", "train=3")
    near = convert_json(tmp_path / "out", tmp_path / "near", *options)
    far = convert_json(f"{store.url}/records", f"{store.url}/again", *options, env=store.env)
    assert far["records"] == near["records"] == 12
    assert sums(store.contents("again")) == fingerprint(tmp_path / "near")


@pytest.fixture
def records(one_store: Running, tmp_path: Path) -> str:
    """The URL of one file of 6 records, beside the names of their labels."""
    convert_json(image_list(tmp_path / "in", 6), tmp_path / "out", "--splits", "train=1")
    (shard,) = (tmp_path / "out").glob("*.tfrecord")
    key = f"{tmp_path.name}/deep/train.tfrecord"
    one_store.store.put(key, shard.read_bytes())
    return f"{one_store.url}/{key}"


def test_tfrecords_are_planned_for_other_machines(one_store: Running, records: str, tmp_path: Path) -> None:
    for source in (records, records.rpartition("/deep")[0]):
        out = tmp_path / f"steps{len(source)}"
        for words in (("plan", source, out), ("write-shards", out), ("finish", out)):
            assert tfrec(*words, env=one_store.env).code == 0
        assert manifest(out)["splits"]["train"]["records"] == 6


def test_a_damaged_length_costs_one_record(one_store: Running, records: str, tmp_path: Path) -> None:
    key = records.removeprefix(f"{one_store.url}/")
    data = bytearray(one_store.store.read(key))
    second = 16 + int.from_bytes(data[:8], "little")
    data[second] ^= 1
    one_store.store.put(key, bytes(data))
    done = convert_json(records, tmp_path / "again", env=one_store.env)
    assert (done["records"], done["rejected"], done["exit_code"]) == (5, 1, 1)
    assert f"bytes {second:,} to " in done["problems"][0]["reason"]


def test_gzip_is_unpacked_here(one_store: Running, tmp_path: Path) -> None:
    convert_json(image_list(tmp_path / "in", 6), tmp_path / "out", "--compression", "gzip")
    one_store.fill(tmp_path / "out", "packed")
    far = tfrec("convert", f"{one_store.url}/packed", tmp_path / "far", env=one_store.env)
    assert "go to temporary files" in far.err
    convert_json(tmp_path / "out", tmp_path / "near")
    assert fingerprint(tmp_path / "far") == fingerprint(tmp_path / "near")


def test_records_there_and_here_become_one(one_store: Running, records: str, tmp_path: Path) -> None:
    other = image_list(tmp_path / "other", 5, dict.fromkeys(range(5), b"other"))
    done = convert_json(records, other, tmp_path / "both", env=one_store.env)
    assert (done["records"], done["rejected"]) == (11, 0)


def test_another_record_in_its_place_is_no_image(one_store: Running, records: str, tmp_path: Path) -> None:
    """Between the plan and its shards: the plan knows the checksum of each image."""
    assert tfrec("plan", records, tmp_path / "steps", env=one_store.env).code == 0
    key = records.removeprefix(f"{one_store.url}/")
    data = bytearray(one_store.store.read(key))
    at = data.index(b"\xff\xd8\xff") + 100
    data[at] ^= 1
    one_store.store.put(key, bytes(data))
    tfrec("write-shards", tmp_path / "steps", env=one_store.env)
    done = tfrec("finish", tmp_path / "steps", "--json", env=one_store.env)
    assert done.json["reasons"] == {"other_record": 1}


def test_a_fixed_vocabulary(one_store: Running, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 4)
    one_store.store.put("labels/names.txt", b"b\r\na\r\n")
    done = convert_json(
        csv, tmp_path / "out", "--labels", f"{one_store.url}/labels/names.txt", env=one_store.env
    )
    assert done["exit_code"] == 0
    assert manifest(tmp_path / "out")["labels"] == {"b": 0, "a": 1}


def test_rejects_are_told_apart_and_go_on(one_store: Running, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 4)
    with csv.open("a") as file:
        file.write("TRAIN,missing.jpg,a\nTRAIN,a//000.jpg,a\nTRAIN,../in/000.jpg,a\nTRAIN,big.jpg,a\n")
    (csv.parent / "big.jpg").write_bytes(b"x" * 100_000)
    one_store.fill(csv.parent, "rejects")
    url = f"{one_store.url}/rejects"
    done = convert_json(f"{url}/list.csv", f"{url}/out", "--max-image-bytes", "50000", env=one_store.env)
    assert (done["exit_code"], done["records"]) == (1, 4)
    assert done["reasons"] == {"bad_url": 2, "not_found": 1, "too_many_bytes": 1}
    lines = one_store.store.read("rejects/out/rejects.csv").decode().splitlines()
    assert [line.split(",")[1] for line in lines[1:]] == [
        "missing.jpg", "a//000.jpg", "../in/000.jpg", "big.jpg",
    ]  # fmt: skip


def test_what_was_done_is_not_done_again(store: Running, tmp_path: Path) -> None:
    """A finished shard and its done record stay as they are; the rest is made; a finished run says so."""
    csv = image_list(tmp_path / "in", 40)
    bad = csv.parent / "bad.csv"
    bad.write_text(csv.read_text() + "TRAIN,missing.jpg,a\n")
    out = f"{store.url}/resumed"
    options = ("--num-shards", "8", "--workers", "1", "--fail-fast")
    first = convert_json(bad, out, *options, env=store.env)
    assert (first["exit_code"], first["status"]) == (1, "failed")
    before = store.contents("resumed")
    made = [name for name in before if name.startswith("_tfrec/done/")]
    assert "_tfrec/plan/plan.json" in before
    assert "_tfrec/lock" not in before
    again = convert_json(bad, out, *options[:-1], "--max-rejects", "1", env=store.env)
    assert (again["exit_code"], again["status"]) == (0, "complete")
    assert again["resumed_shards"] == len(made)
    convert_json(bad, tmp_path / "out", *options[:-1], "--max-rejects", "1")
    assert sums(store.contents("resumed")) == fingerprint(tmp_path / "out")
    third = convert_json(bad, out, *options[:-1], "--max-rejects", "1", env=store.env)
    assert third["status"] == "already_complete"
    assert sums(store.contents("resumed")) == fingerprint(tmp_path / "out")


def test_a_dataset_is_replaced_as_a_whole(store: Running, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 12)
    out = f"{store.url}/replaced"
    convert_json(csv, out, "--num-shards", "4", env=store.env)
    refused = convert_json(csv, out, "--num-shards", "2", env=store.env)
    assert (refused["exit_code"], refused["error"]["code"]) == (2, "output")
    convert_json(csv, out, "--num-shards", "2", "--overwrite", env=store.env)
    convert_json(csv, tmp_path / "out", "--num-shards", "2")
    assert sums(store.contents("replaced")) == fingerprint(tmp_path / "out")


def test_a_run_at_work_is_respected_and_a_dead_one_is_not(store: Running, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 4)
    out = f"{store.url}/locked"
    holder = {"run": "other", "host": "elsewhere", "process": 1}
    store.store.put("locked/_tfrec/lock", json.dumps(holder).encode())
    busy = convert_json(csv, out, env=store.env)
    assert (busy["exit_code"], busy["error"]["code"]) == (3, "busy")
    assert "process 1 on elsewhere" in busy["error"]["message"]
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    holder |= {"host": socket.gethostname(), "process": gone.pid}
    store.store.put("locked/_tfrec/lock", json.dumps(holder).encode())
    assert convert_json(csv, out, env=store.env)["status"] == "complete"


def test_a_dry_run_leaves_nothing(one_store: Running, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 4)
    done = convert_json(csv, f"{one_store.url}/dry", "--dry-run", env=one_store.env)
    assert done["status"] == "planned"
    assert one_store.contents("dry") == {}


def test_verify_and_inspect(store: Running, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 20)
    out = f"{store.url}/read"
    convert_json(csv, out, "--num-shards", "3", "--index", env=store.env)
    verified = tfrec("verify", out, "--no-feed", "--json", env=store.env).json
    assert (verified["exit_code"], verified["records"], verified["problems"]) == (0, 20, [])
    inspected = tfrec("inspect", out, "--json", env=store.env).json
    assert (inspected["exit_code"], inspected["records"]) == (0, 20)
    data = bytearray(store.store.read("read/train-00001-of-00003.tfrecord"))
    data[1000] ^= 1
    store.store.put("read/train-00001-of-00003.tfrecord", bytes(data))
    store.store.delete("read/train-00002-of-00003.tfrecord")
    damaged = tfrec("verify", out, "--no-feed", "--json", env=store.env).json
    assert damaged["exit_code"] == 1
    assert [found["code"] for found in damaged["problems"]] == ["file_missing", "payload_damaged"]


def test_tensorflow_reads_through_the_cache(one_store: Running, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 20)
    out = f"{one_store.url}/fed"
    convert_json(csv, out, "--num-shards", "3", env=one_store.env)
    (tmp_path / "tmp").mkdir()
    env = one_store.env | {"TMPDIR": str(tmp_path / "tmp"), "TFREC_CACHE_BYTES": "1"}
    done = tfrec("verify", out, "--json", "--feed-seconds", "0.2", "--device", "cpu", env=env).json
    assert (done["exit_code"], done["problems"]) == (0, [])
    assert done["feed"]["proof"]["ok"]
    assert "local cache" in done["feed"]["proof"]["read_through"]


@pytest.mark.thorough
def test_a_cache_that_was_left_behind_is_cleared_up(one_store: Running, tmp_path: Path) -> None:
    csv = image_list(tmp_path / "in", 20)
    out = f"{one_store.url}/left"
    convert_json(csv, out, "--num-shards", "3", env=one_store.env)
    (tmp_path / "tmp").mkdir()
    env = one_store.env | {"TMPDIR": str(tmp_path / "tmp"), "TFREC_CACHE_BYTES": "1"}
    code = (
        "import sys, tfrecordcli\n"
        f"train = tfrecordcli.load({out!r}, image_size=16, batch_size=6, shuffle=True)['train']\n"
        "print(sum(len(labels) for _ in range(2) for images, labels in train))"
    )
    killed = tfrec(command=[sys.executable, "-c", code + "; import os; os.kill(os.getpid(), 9)"], env=env)
    assert killed.code == -9
    assert list((tmp_path / "tmp").iterdir())
    loaded = tfrec(command=[sys.executable, "-c", code], env=env)
    assert loaded.out == "40\n", loaded.err
    assert not list((tmp_path / "tmp").iterdir())  # neither its own cache nor that of the killed one


def test_nothing_there_is_2(store: Running, tmp_path: Path) -> None:
    for command in ("verify", "inspect"):
        done = tfrec(command, f"{store.url}/nothing", "--json", env=store.env).json
        assert (done["exit_code"], done["error"]["code"]) == (2, "input"), command
    missing = convert_json(f"{store.url}/nothing.csv", tmp_path / "out", env=store.env)
    assert missing["exit_code"] == 2
    csv = image_list(tmp_path / "in", 4)
    bucket = convert_json(csv, store.url.replace("bkt", "no-such-bucket") + "/out", env=store.env)
    assert (bucket["exit_code"], bucket["error"]["code"]) == (2, "output")


def test_a_conversion_in_steps(one_store: Running, tmp_path: Path) -> None:
    """The plan is on the store: whoever sees it makes shards, and one command finishes."""
    csv = image_list(tmp_path / "in", 30)
    with csv.open("a") as file:
        file.write("TRAIN,missing.jpg,a\n")
    one_store.fill(csv.parent, "steps")
    source, out = f"{one_store.url}/steps/list.csv", f"{one_store.url}/steps-out"
    options = ("--num-shards", "4", "--max-rejects", "1")
    planned = tfrec("plan", source, out, "--num-shards", "4", "--json", env=one_store.env)
    assert planned.code == 0, planned.out + planned.err
    unfinished = tfrec("finish", out, "--json", env=one_store.env).json
    assert (unfinished["exit_code"], unfinished["error"]["code"]) == (2, "unfinished")
    for part in ("0/2", "1/2"):
        made = tfrec("write-shards", out, "--part", part, "--json", env=one_store.env)
        assert made.code == 0, made.out + made.err
    done = tfrec("finish", out, "--max-rejects", "1", "--json", env=one_store.env).json
    assert (done["exit_code"], done["records"], done["rejected"]) == (0, 30, 1)
    convert_json(csv, tmp_path / "out", *options)
    assert sums(one_store.contents("steps-out")) == fingerprint(tmp_path / "out")


def test_array_jobs_of_which_one_is_killed(tmp_path: Path) -> None:
    """Between the upload of its shard and its done record; its part is started once more."""
    csv = image_list(tmp_path / "in", 30)
    convert_json(csv, tmp_path / "out", "--num-shards", "4")
    reached, go = threading.Event(), threading.Event()

    def hold(method: str, key: str) -> None:
        if method == "PUT" and key.startswith("jobs/_tfrec/done/") and not go.is_set():
            reached.set()
            assert go.wait(TIMEOUT)

    with serve("gs") as stand_in:
        store = Running("gs://bkt", stand_in.environment())
        out = f"{store.url}/jobs"
        assert tfrec("plan", csv, out, "--num-shards", "4", env=store.env).code == 0
        stand_in.meddle = hold
        command = [*TFREC, "write-shards", out, "--part", "0/2", "--workers", "1"]
        killed = subprocess.Popen(command, env=store.env, start_new_session=True)
        assert reached.wait(TIMEOUT)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        stand_in.meddle = lambda method, key: None
        go.set()
        again = ("1/2", "0/2")
        parts = [tfrec("write-shards", out, "--part", part, "--json", env=store.env) for part in again]
        assert [part.code for part in parts] == [0, 0]
        done = tfrec("finish", out, "--json", env=store.env)
        assert (done.code, done.json["records"]) == (0, 30), done.err
        assert sums(store.contents("jobs")) == fingerprint(tmp_path / "out")
