"""`tfrec verify` as a real process: exit codes, JSON, options, what it loads and how much memory it takes."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from converting import (
    TFREC,
    TIMEOUT,
    Run,
    convert_json,
    environment,
    fingerprint,
    image_list,
    jpeg,
    tfrec,
    write_csv,
)
from sampling import first
from stand_in_simplejpeg import StandIn, mark
from verifying import change_features, features_of, flip, found, framed, frames_of, store, verify, write_shard

from tfrecordcli import processes
from tfrecordcli.errors import ResourceError
from tfrecordcli.formats.example import encode_example
from tfrecordcli.integrity import duplicates
from tfrecordcli.integrity.duplicates import ImageKeys, find_twice
from tfrecordcli.integrity.image_check import shown_text
from tfrecordcli.integrity.reports import CheckTask
from tfrecordcli.integrity.shard_check import check_shard
from tfrecordcli.option_parsing import shard_range
from tfrecordcli.problems import HINTS
from tfrecordcli.storage.files import why_unreadable

KEYS = {
    *("schema_version", "command", "status", "exit_code", "error", "warnings"),
    *("ok", "path", "records", "bytes", "splits", "problems", "problem_count", "problem_counts"),
    *("not_checked", "notes", "integrity", "feed", "gate"),
}  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    rows = []
    for number in range(12):
        (folder / f"{number}.jpg").write_bytes(jpeg(number, width=16 + number))
        rows.append(("TRAIN" if number < 9 else "TEST", f"{number}.jpg", "ab"[number % 2]))
    csv = write_csv(folder / "list.csv", rows, ("split", "image_uri", "label"))
    assert convert_json(csv, folder / "out", "--num-shards", "train=3,test=1")["exit_code"] == 0
    return folder / "out"


@pytest.fixture
def dataset(sound: Path, tmp_path: Path) -> Path:
    shutil.copytree(sound, tmp_path / "out")
    return tmp_path / "out"


def run(*arguments: object, **how: Any) -> Run:
    return tfrec("verify", "--no-feed", *arguments, **how)


def shard(dataset: Path, number: int = 0) -> Path:
    return dataset / f"train-{number:05}-of-00003.tfrecord"


def damage(path: Path, record: int = 0) -> int:
    """Flips a bit in a record's payload; where the record starts."""
    frames = frames_of(path)
    frames[record] = flip(frames[record], 40)
    store(path, b"".join(frames))
    return sum(map(len, frames[:record]))


# --- what it says, and how it ends ---


def test_a_right_dataset(dataset: Path) -> None:
    before = fingerprint(dataset)
    done = run(dataset)
    assert (done.code, done.err) == (0, "")
    assert "is right: 12 records in 4 shards (test 3, train 9)" in done.out
    assert "every checksum, record, label and image" in done.out
    values = run(dataset, "--json").json
    assert values.keys() == KEYS
    assert (values["schema_version"], values["command"], values["status"]) == (1, "verify", "complete")
    assert (values["ok"], values["exit_code"], values["error"], values["feed"]) == (True, 0, None, None)
    assert (values["records"], values["problems"], values["problem_count"]) == (12, [], 0)
    assert values["bytes"] == sum(path.stat().st_size for path in dataset.glob("*.tfrecord"))
    assert values["splits"]["test"]["records"] == 3
    assert values["integrity"].keys() == {"seconds", "images_per_second", "mb_per_second"}
    assert values["not_checked"] == []
    assert fingerprint(dataset) == before


def test_all_problems_are_told(dataset: Path) -> None:
    offset = damage(shard(dataset, 0), 1)
    store(shard(dataset, 2), b"".join(frames_of(shard(dataset, 2))[:1]))
    (dataset / "labels.txt").write_bytes(b"b\na\n")
    done = run(dataset)
    assert done.code == 1
    assert "every checksum" not in done.out  # some could not be read
    assert f"{shard(dataset, 0).name}, record 1 at byte {offset}: " in done.out
    end = shard(dataset, 2).stat().st_size
    assert f"{shard(dataset, 2).name}, record 1 at byte {end}: only 1 of 3 records are there" in done.out
    for code in ("payload_damaged", "cut_between_records", "labels_edited"):
        assert done.out.count(f"cure for {code}: {HINTS[code]}") == 1
    assert "labels.txt: " in done.out
    values = run(dataset, "--json").json
    assert values.keys() == KEYS
    assert (values["ok"], values["status"], values["exit_code"]) == (False, "failed", 1)
    assert values["error"].keys() == {"code", "message", "hint"}
    assert {problem["code"] for problem in values["problems"]} == {
        "payload_damaged", "cut_between_records", "labels_edited",
    }  # fmt: skip
    for problem in values["problems"]:
        assert problem.keys() == {"code", "severity", "path", "record", "offset", "message"}
    (told,) = [problem for problem in values["problems"] if problem["code"] == "payload_damaged"]
    assert (told["path"], told["record"], told["offset"]) == (shard(dataset, 0).name, 1, offset)
    assert told["severity"] == "error"


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda folder: None, 2),
        (lambda folder: folder.mkdir(), 2),
        (lambda folder: (folder.mkdir(), (folder / "a.jpg").write_bytes(jpeg())), 2),
        (lambda folder: (folder.mkdir(), (folder / "a.tfrecord").write_bytes(b"<html>no</html>")), 1),
        (lambda folder: (folder.mkdir(), (folder / "a.tfrecord").write_bytes(b"")), 1),
        (lambda folder: (folder / "_tfrec").mkdir(parents=True), 1),
        (lambda folder: (folder.mkdir(), (folder / "manifest.json").write_text("{}")), 1),
        (lambda folder: folder.write_bytes(b"{}"), 1),
        (lambda folder: folder.write_bytes(b""), 1),
    ],
    ids=["missing", "empty", "pictures", "junk", "no record", "unfinished", "manifest", "file", "empty file"],
)  # fmt: skip
def test_paths_that_are_no_dataset(tmp_path: Path, make: Any, code: int) -> None:
    make(tmp_path / "it")
    done = run(tmp_path / "it", "--json")
    assert done.code == code
    values = done.json
    assert values["status"] == "failed"
    assert values["error"]["message"]
    assert ("problems" in values) == (code == 1)


def test_a_script_stops_at_a_damaged_dataset(dataset: Path, tmp_path: Path) -> None:
    script = tmp_path / "train.sh"
    command = f"{sys.executable} -P -m tfrecordcli verify {dataset} --no-feed --quiet"
    script.write_text(f"set -e\n{command}\necho training\n")

    def train() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", str(script)],
            capture_output=True,
            text=True,
            env=environment(),
            timeout=TIMEOUT,
            check=False,
        )

    done = train()
    assert (done.returncode, done.stdout) == (0, "training\n")
    damage(shard(dataset))
    done = train()
    assert done.returncode == 1
    assert "training" not in done.stdout
    assert "payload" not in done.stderr
    assert shard(dataset).name in done.stdout  # quiet: errors only


def test_one_shard_by_its_path(dataset: Path) -> None:
    damage(shard(dataset, 1))
    assert run(shard(dataset, 0)).code == 0
    damaged = run(shard(dataset, 1), "--json").json
    assert [problem["code"] for problem in damaged["problems"]] == ["payload_damaged"]
    store(shard(dataset, 2), b"".join(frames_of(shard(dataset, 2))[:1]))
    cut = run(shard(dataset, 2), "--json").json  # the manifest beside it is asked
    assert [problem["code"] for problem in cut["problems"]] == ["cut_between_records"]


# --- options ---


def test_some_shards_only(dataset: Path) -> None:
    damage(shard(dataset, 1))
    shard(dataset, 2).unlink()
    codes = {
        what: verify(dataset, **what_is_chosen).problem_counts
        for what, what_is_chosen in {
            "all": {},
            "test": {"split": "TEST"},
            "train": {"split": "training"},
            "first": {"split": "train", "shards": (0, 0)},
            "second": {"shards": (1, 1)},
            "last": {"shards": (2, 2)},
        }.items()
    }
    assert codes == {
        "all": {"payload_damaged": 1, "file_missing": 1},
        "test": {},
        "train": {"payload_damaged": 1, "file_missing": 1},
        "first": {},
        "second": {"payload_damaged": 1},
        "last": {"file_missing": 1},
    }
    report = verify(dataset, split="test")
    assert (report.records, list(report.splits)) == (3, ["test"])
    assert any("splits" in sentence for sentence in report.not_checked)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--split", "holiday"),
        ("--shards", "7"),
        ("--shards", "2-1"),
        ("--shards", "first"),
        ("--ignore", "no_such_code"),
        ("--workers", "0"),
        ("--max-problems", "0"),
        ("--check", "hope"),
    ],
    ids=" ".join,
)
def test_options_that_cannot_be_right(dataset: Path, arguments: tuple[str, str]) -> None:
    done = run(dataset, *arguments, "--json")
    assert done.code == 2
    assert done.json["error"]["code"] == "usage"


def test_ranges_of_shards() -> None:
    assert [shard_range(text, "--shards") for text in ("0", "3-5", " 7-7 ")] == [(0, 0), (3, 5), (7, 7)]


def test_problems_beyond_the_limit_are_counted(dataset: Path) -> None:
    for number in range(3):
        frames = frames_of(shard(dataset, number))
        store(shard(dataset, number), b"".join(flip(frame, 40) for frame in frames))
    (dataset / "labels.txt").unlink()
    values = run(dataset, "--max-problems", "2", "--json").json
    assert len(values["problems"]) == 2
    assert values["problem_count"] == 10
    assert values["problem_counts"] == {"labels_edited": 1, "payload_damaged": 9}
    assert "9 errors" not in values["error"]["message"]
    assert "10 errors" in values["error"]["message"]
    done = run(dataset, "--max-problems", "2")
    assert "and 8 more" in done.out
    assert "payload_damaged 9" in done.out


def test_what_is_ignored_takes_no_place_in_the_list(dataset: Path) -> None:
    for number in range(3):
        change_features(shard(dataset), number, image__format=[b"png"])
    change_features(shard(dataset), 2, image__format=[b"png"], image__height=[3])
    values = run(dataset, "--ignore", "image_format", "--max-problems", "1", "--json").json
    assert [problem["code"] for problem in values["problems"]] == ["image_size"]
    assert values["problem_counts"] == {"image_size": 1}


def test_warnings_count_when_told_so(tmp_path: Path) -> None:
    image = jpeg(1)
    for split in ("train", "test"):
        write_shard(tmp_path / f"{split}.tfrecord", [encode_example({"image/encoded": [image]})])
    done = run(tmp_path, "--json")
    assert (done.code, [problem["code"] for problem in done.json["problems"]]) == (0, ["leakage"])
    assert done.json["problems"][0]["severity"] == "warning"
    strict = run(tmp_path, "--json", "--strict")
    assert (strict.code, strict.json["status"]) == (1, "failed")
    assert "1 warning" in strict.json["error"]["message"]
    assert run(tmp_path, "--strict", "--ignore", "leakage").code == 0


def test_the_number_of_workers_changes_nothing(dataset: Path) -> None:
    damage(shard(dataset, 1))
    shutil.copy(shard(dataset, 0), dataset / "train-00003-of-00004.tfrecord")
    outputs = []
    for workers in (1, 3):
        values = run(dataset, "--workers", workers, "--json").json
        values.pop("integrity")
        outputs.append(values)
    assert outputs[0] == outputs[1]


def test_a_file_without_permission(dataset: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read every file")
    shard(dataset).chmod(0)
    values = run(dataset, "--json").json
    assert [problem["code"] for problem in values["problems"]] == ["unreadable"]


def test_a_folder_without_permission(dataset: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read every folder")
    dataset.chmod(0)
    done = run(dataset, "--json")
    dataset.chmod(0o700)
    assert done.code == 2
    assert done.json["error"]["code"] == "input"


def test_a_split_that_is_not_there_is_a_usage_error_beside_a_missing_shard_too(dataset: Path) -> None:
    shard(dataset).unlink()
    done = run(dataset, "--split", "nosuch", "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "usage")
    assert "its splits are test, train;" in done.json["error"]["hint"]


def test_a_feed_that_cannot_be_run_does_not_make_warnings_right(tmp_path: Path) -> None:
    """--strict, an image in two splits, and no TensorFlow: not right, exit 1."""
    for name in ("0.jpg", "1.jpg"):
        (tmp_path / name).write_bytes(jpeg(1))
    rows = [("TRAIN", "0.jpg", "a"), ("TEST", "1.jpg", "a")]
    csv = write_csv(tmp_path / "list.csv", rows, ("split", "image_uri", "label"))
    assert convert_json(csv, tmp_path / "out")["exit_code"] == 0
    (tmp_path / "without" / "tensorflow").mkdir(parents=True)
    (tmp_path / "without" / "tensorflow" / "__init__.py").write_text("raise ImportError('not installed')")
    env = environment(PYTHONPATH=str(tmp_path / "without"))
    done = tfrec("verify", tmp_path / "out", "--strict", env=env)
    assert done.code == 1
    assert "is not right" in done.out
    assert "tensorflow" in done.err
    values = tfrec("verify", tmp_path / "out", "--strict", "--json", env=env).json
    assert (values["exit_code"], values["ok"], values["error"]["code"]) == (1, False, "problems")
    assert any(sentence.startswith("the feed: ") for sentence in values["not_checked"])


# --- temporary files ---

LIMITED = """
import resource, sys
from tfrecordcli.cli.main import main
sys.dont_write_bytecode = True  # it would be cut off, and read by every later test
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
sys.argv[0] = "tfrec"
main()
"""


def test_a_full_temporary_disk_is_not_the_fault_of_the_data(tmp_path: Path) -> None:
    record = encode_example({"image/encoded": [jpeg(1, 8, 8)]})
    write_shard(tmp_path / "a.tfrecord", [record] * 100)
    command = [sys.executable, "-P", "-c", LIMITED, "verify", "--no-feed", "--json"]
    done = tfrec(tmp_path, command=command)
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


# --- datasets of others ---


def test_a_foreign_file_says_what_it_could_not_check(tmp_path: Path) -> None:
    write_shard(tmp_path / "a.tfrecord", [encode_example({"numbers": [1, 2]})])
    done = run(tmp_path)
    assert done.code == 0
    assert "every checksum, record, label and image" not in done.out
    assert "not checked: " in done.out
    assert "1 record holds no JPEG" in done.out


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


# --- options that do nothing ---

NOTES: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "none": (("--no-feed", "--workers", "1"), []),
    "of the feed": (
        ("--no-feed", "--batch-size", "3", "--device", "cpu", "--step-time", "5"),
        ["--batch-size, --device, --step-time are not used: the feed is not run"],
    ),
    "of a feed that cannot be run": (
        ("--shards", "0-0", "--image-size", "9"), ["--image-size is not used: the feed is not run"]
    ),
    "of the data of images": (
        ("--no-feed", "--check", "structure", "--gate", "portable"),
        ["--gate is not used: --check structure does not look into the data of images"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("words", "notes"), NOTES.values(), ids=NOTES)
def test_options_that_do_nothing_are_said(words: tuple[str, ...], notes: list[str], sound: Path) -> None:
    done = tfrec("verify", sound, *words, "--json")
    assert (done.code, done.json["notes"]) == (0, notes)
    told = " ".join(tfrec("verify", sound, *words).out.split())
    assert all(f"note: {note}" in told for note in notes)


def test_they_are_said_once_for_several_datasets(sound: Path, tmp_path: Path) -> None:
    shutil.copytree(sound, tmp_path / "twin")
    done = tfrec("verify", sound, tmp_path / "twin", "--no-feed", "--feed-seconds", "3")
    assert done.out.count("--feed-seconds is not used") == 1


def test_options_for_images_are_said_where_rows_have_none(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,label\n1,a\n2,b\n")
    made = tfrec("convert", "a.csv", "out", "--task", "tabular", "--splits", "train=1", cwd=tmp_path)
    assert made.code == 0, made.err
    done = run(tmp_path / "out", "--gate", "portable", "--max-pixels", "9", "--json")
    assert done.json["notes"] == ["--gate, --max-pixels are not used: rows have no image"]


def test_what_another_dataset_has_a_use_for_is_not_called_unused(sound: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,label\n1,a\n2,b\n")
    made = tfrec("convert", "a.csv", "out", "--task", "tabular", "--splits", "train=1", cwd=tmp_path)
    assert made.code == 0, made.err
    done = tfrec("verify", tmp_path / "out", sound, "--no-feed", "--gate", "portable", "--batch-size", "8")
    assert "--gate" not in done.out
    assert done.out.count("--batch-size is not used") == 1
