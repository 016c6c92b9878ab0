"""What `tfrec verify` takes: memory, files, processes; and what it finds whatever these are."""

from __future__ import annotations

import errno
import gzip
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from converting import (
    TFREC,
    convert_json,
    environment,
    image_list,
    jpeg,
    tfrec,
)
from sampling import first
from stand_in_simplejpeg import StandIn, mark
from verifying import (
    damage,
    features_of,
    found,
    framed,
    frames_of,
    run,
    shard,
    verify,
    write_shard,
)

from tfrecordcli import processes
from tfrecordcli.errors import ResourceError
from tfrecordcli.formats.example import encode_example
from tfrecordcli.integrity import duplicates
from tfrecordcli.integrity.duplicates import ImageKeys, find_twice
from tfrecordcli.integrity.image_check import shown_text
from tfrecordcli.integrity.reports import CheckTask
from tfrecordcli.integrity.shard_check import check_shard
from tfrecordcli.storage.files import why_unreadable


@pytest.fixture
def dataset(small: Path, tmp_path: Path) -> Path:
    shutil.copytree(small, tmp_path / "out")
    return tmp_path / "out"


# --- temporary files ---

LIMITED = """
import resource, sys
from tfrecordcli.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
sys.argv[0] = "tfrec"
main()
"""


def test_a_full_temporary_disk_is_not_the_fault_of_the_data(tmp_path: Path) -> None:
    record = encode_example({"image/encoded": [jpeg(1, 8, 8)]})
    write_shard(tmp_path / "a.tfrecord", [record] * 100)
    command = [sys.executable, "-P", "-c", LIMITED, "verify", "--no-feed", "--json"]
    # Bytecode of its workers too would be cut off, and read by every later test.
    done = tfrec(tmp_path, command=command, env=environment(PYTHONDONTWRITEBYTECODE="1"))
    assert (done.code, done.json["error"]["code"]) == (2, "no_space")
    assert "there is no space left" in done.json["error"]["message"]
    assert "TMPDIR" in done.json["error"]["hint"]


def test_a_checking_process_that_cannot_start_is_not_the_fault_of_the_data(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "python_command", lambda module: [str(tmp_path / "nowhere")])
    task = CheckTask(
        path=str(shard(dataset)), name="it", number=0, split="", expected=None, manifest_path="",
        check="decode", index=False, keys_folder="", max_problems=100, isolate=True,
    )  # fmt: skip
    with pytest.raises(ResourceError, match="cannot be started"):
        check_shard(task)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM])
def test_a_machine_out_of_files_or_memory_is_not_the_fault_of_the_data(number: int) -> None:
    with pytest.raises(ResourceError):
        why_unreadable(OSError(number, "no"))


# --- workers that die ---


@pytest.mark.skipif(sys.platform != "linux", reason="the stand-in for a decoder is made for Linux")
@pytest.mark.parametrize(("what", "code"), first([("segv", 1)], [("segv-kill", 2), ("kill", 2)], unpack=True))
def test_a_decoder_that_crashes_or_is_killed(tmp_path: Path, what: str, code: int) -> None:
    csv = image_list(tmp_path / "in", 8, {5: mark(what)})
    output = tmp_path / "out"
    assert convert_json(csv, output, "--num-shards", "2")["exit_code"] == 0
    stand_in = StandIn(tmp_path / "stand-in", output)
    env = environment(PYTHONPATH=stand_in.python_path, TMPDIR=str(tmp_path))
    values = run(output, "--json", env=env).json
    assert values["exit_code"] == code
    if code == 2:  # killed from outside, most likely for memory: that says nothing about the image
        assert values["error"]["code"] == "killed"
        return
    (problem,) = values["problems"]
    frames = frames_of(output / problem["path"])
    assert features_of(frames[problem["record"]])["image/filename"] == [b"005.jpg"]
    assert problem["code"] == "image_damaged"
    assert values["records"] == 8
    assert values["problem_counts"] == {"image_damaged": 1}  # and no image is taken for its own double


# --- what it takes ---


def test_tensorflow_is_never_imported(dataset: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    for name in ("tensorflow", "pandas", "apache_beam"):
        (blocked / name).mkdir(parents=True)
        code = "import os\nopen(os.environ['TELL'], 'a').close()\nraise ImportError('not installed here')"
        (blocked / name / "__init__.py").write_text(code)
    told = tmp_path / "told"
    done = run(dataset, env=environment(PYTHONPATH=str(blocked), TELL=str(told)))
    assert (done.code, done.err) == (0, "")
    assert not told.exists()
    blocking = [sys.executable, "-c", "import tensorflow"]  # and the block works
    tfrec(command=blocking, env=environment(PYTHONPATH=str(blocked), TELL=str(told)))
    assert told.exists()


MEASURE = r"""
import json, re, resource, sys
from tfrecordcli.integrity.reports import CheckTask
from tfrecordcli.integrity.shard_check import check_shard
task = CheckTask(
    path=sys.argv[1], name=sys.argv[1], number=0, split="", expected=None, manifest_path="",
    check="structure", index=False, keys_folder=sys.argv[2], max_problems=100,
)
report = check_shard(task)
if sys.platform == "linux":  # getrusage would count the memory of the process that started this one
    used = int(re.search(r"VmHWM:\s*(\d+) kB", open("/proc/self/status").read())[1]) * 1024
else:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([report.records, report.problem_counts, len(report.problems), used]))
"""


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.thorough
def test_memory_does_not_grow_with_the_number_of_records(tmp_path: Path, suffix: str) -> None:
    """Twenty times the records, each with a problem and a line in an index: 36 MB more on disk."""
    used = {}
    record = encode_example({"image/encoded": [jpeg(1)], "image/height": [1], "pad": [bytes(300)]})
    for count in (1_500, 30_000):
        path = tmp_path / f"{count}.tfrecord{suffix}"
        write_shard(path, [record] * count)
        size = len(record) + 16
        index = "".join(f"{number * size} {size}\n" for number in range(count))
        path.with_name(path.name + ".idx").write_text(index)
        (tmp_path / f"keys-{count}").mkdir()
        done = tfrec(path, tmp_path / f"keys-{count}", command=[sys.executable, "-c", MEASURE])
        assert done.err == ""
        records, problems, kept, used[count] = json.loads(done.out)
        assert (records, problems, kept) == (count, {"image_size": count}, 100)
    assert count * size > 36e6
    assert used[30_000] < used[1_500] + 10e6


def test_every_image_seen_twice_is_told_across_workers(tmp_path: Path) -> None:
    """And none twice, when a shard had to be checked again."""
    csv = image_list(tmp_path / "in", 6)
    assert convert_json(csv, tmp_path / "out", "--num-shards", "1")["exit_code"] == 0
    (shard_path,) = (tmp_path / "out").glob("*.tfrecord")
    (tmp_path / "many").mkdir()
    for number in range(3):
        shutil.copy(shard_path, tmp_path / "many" / f"{number}.tfrecord")
    values = run(tmp_path / "many", "--workers", "3", "--json").json
    assert values["problem_counts"] == {"duplicate_image": 12}


@pytest.mark.parametrize("most", [1, 7, 1 << 21])
def test_images_seen_twice_are_found_whatever_the_size_of_a_bucket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(duplicates, "_MOST", max(4, most))
    for number in range(3):
        with ImageKeys(str(tmp_path), number) as keys:
            for record in range(300):
                keys.add(b"image %d" % (record + 200 * number), record, 16 * record)
    places = {
        (pair.first.shard, pair.first.record, pair.second.shard, pair.second.record, pair.second.offset)
        for pair in find_twice(str(tmp_path))
    }
    assert places == {
        (shard, 200 + record, shard + 1, record, 16 * record) for shard in (0, 1) for record in range(100)
    }


@pytest.mark.thorough
def test_a_record_of_many_bytes_takes_little_more_than_twice_its_memory(tmp_path: Path) -> None:
    size = 300 << 20
    used = {}
    for name, length in (("small", 1000), ("large", size)):
        path = tmp_path / f"{name}.tfrecord.gz"
        path.write_bytes(gzip.compress(framed(encode_example({"pad": [bytes(length)]})), compresslevel=1))
        done = tfrec(path, "", command=[sys.executable, "-c", MEASURE])
        records, problems, _, used[name] = json.loads(done.out)
        assert (records, problems) == (1, {})
    assert used["large"] - used["small"] < 2.5 * size


def test_a_shard_checked_again_does_not_meet_itself(tmp_path: Path) -> None:
    for _ in range(2):
        with ImageKeys(str(tmp_path), 3) as keys:
            for record in range(100):
                keys.add(b"image %d" % record, record, 0)
    assert list(find_twice(str(tmp_path))) == []


def test_in_this_process_and_in_others_the_same_is_found(dataset: Path) -> None:
    """The tests that verify in their own process are about the command too."""
    damage(shard(dataset, 1))
    values = run(dataset, "--json", command=TFREC).json
    here = [(p["code"], p["path"], p["record"], p["offset"]) for p in values["problems"]]
    assert here == found(verify(dataset))


@pytest.mark.parametrize("kind", ["bytes", "floats"])
@pytest.mark.thorough
def test_a_huge_record_takes_little_more_than_twice_its_size(tmp_path: Path, kind: str) -> None:
    size = 192 << 20
    blob = bytes(size) if kind == "bytes" else np.zeros(size // 4, np.float32)
    used = {}
    for name, value in (("small", blob[:10]), ("huge", blob)):
        path = tmp_path / f"{name}.tfrecord.gz"
        record = _with_numbers(value) if kind == "floats" else encode_example({"blob": [value]})
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(framed(record))
        del record
        (tmp_path / name).mkdir()
        done = tfrec(path, tmp_path / name, command=[sys.executable, "-c", MEASURE])
        assert done.err == ""
        records, problems, _, used[name] = json.loads(done.out)
        assert (records, problems) == (1, {})
    assert used["huge"] - used["small"] < 2.3 * size


def _with_numbers(values: Any) -> bytes:
    """An Example of one feature of floats, as our own encoder writes none."""

    def field(number: int, data: bytes) -> bytes:
        length, count = b"", len(data)
        while count > 127:
            length, count = length + bytes([count & 127 | 128]), count >> 7
        return bytes([number << 3 | 2]) + length + bytes([count]) + data

    return field(1, field(1, field(1, b"x") + field(2, field(2, field(1, values.tobytes())))))


def test_the_words_for_one_file_and_one_image(tmp_path: Path) -> None:
    convert_json(image_list(tmp_path / "in", 1), tmp_path / "out")
    done = tfrec("verify", tmp_path / "out", "--image-size", 16, "--feed-seconds", 0.1)
    assert "(1 image in " in done.out
    (own,) = (tmp_path / "out").glob("*.tfrecord")
    alone = tfrec("verify", own)
    assert "the splits as a whole: this is one file" in alone.out
    assert "it takes whole splits, and this is one file" in alone.out
    (tmp_path / "foreign.tfrecord").write_bytes(own.read_bytes())
    foreign = tfrec("verify", tmp_path / "foreign.tfrecord")
    assert "chosen" not in foreign.out
    assert "as a whole" not in foreign.out


def test_texts_of_records_are_shown_as_text() -> None:
    assert shown_text(b"jpeg") == "'jpeg'"
    assert shown_text("döG".encode()) == "'döG'"
    assert shown_text(b"\xff\xfe") == r"'\xff\xfe'"
