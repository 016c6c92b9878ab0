"""Texts of TensorFlow, processes and the operating system that are no UTF-8, and paths of such bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from converting import image_list, tfrec

import tfrecordcli
from tfrecordcli.bench import comparison
from tfrecordcli.bench.comparison import run
from tfrecordcli.bench.listed_files import lay_out_files
from tfrecordcli.bench.ways import WayFailed, WayTask
from tfrecordcli.bench.worker import measure
from tfrecordcli.cli import main
from tfrecordcli.errors import InputError, InternalError
from tfrecordcli.feed.batches import Taking
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.proof import prove
from tfrecordcli.feed.report import feed_report
from tfrecordcli.feed.splits import open_dataset
from tfrecordcli.feed.timing import Timing
from tfrecordcli.shell import command_line

OPTIONS = FeedOptions(batch_size=8, image_size=16)
# A field that nobody knows between features: TensorFlow refuses the record and quotes it in its message.
REFUSED = b"\n\x06\x4a\x04\xff\xfe\x80\x81"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    tfrecordcli.convert(image_list(folder / "in", 20), folder / "out", splits="train=100", num_shards=1)
    return folder / "out"


@pytest.fixture
def refused(good: Path, tf: Any, tmp_path: Path) -> Path:
    """A dataset with a record that TensorFlow refuses, and quotes."""
    folder = Path(shutil.copytree(good, tmp_path / "out"))
    (path,) = folder.glob("*.tfrecord")
    records = [bytes(record.numpy()) for record in tf.data.TFRecordDataset(str(path))]
    with tf.io.TFRecordWriter(str(path)) as writer:
        for record in [*records[:5], REFUSED, *records[6:]]:
            writer.write(record)
    with pytest.raises(UnicodeDecodeError):  # what TensorFlow itself makes of it
        tf.io.parse_single_example(REFUSED, {"x": tf.io.VarLenFeature(tf.int64)})
    return folder


def test_the_proof_names_the_record_that_tensorflow_quotes(refused: Path) -> None:
    (problem,) = prove(refused, open_dataset(refused), OPTIONS)
    assert (problem.code, problem.record) == ("feed_failed", 5)
    assert "Could not parse example input" in problem.message
    assert len(problem.message) < 1000
    report, problems = feed_report(refused, open_dataset(refused), OPTIONS, Timing(0.1))
    assert (report.proof["ok"], [p.code for p in problems]) == (False, ["feed_failed"])


def test_verify_names_it_before_the_feed(refused: Path) -> None:
    done = tfrec("verify", refused)
    assert done.code == 1
    assert "tf.io.parse_example refuses the record" in done.out
    ignored = ("tensorflow_refuses", "feature_missing", "feature_count", "content_digest", "split_digest")
    ignored += ("file_checksum", "file_size", "not_an_example")
    done = tfrec("verify", refused, *(word for code in ignored for word in ("--ignore", code)))
    assert done.code == 1
    assert "TensorFlow could not read it: Could not parse example input" in done.out


def test_bench_names_it(refused: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Could not parse example input"):
        lay_out_files(refused, open_dataset(refused), tmp_path)
    task = WayTask("tfdata_naive", str(refused), str(tmp_path), 4, 16, 16, 0.1, 0)
    with pytest.raises(Exception, match="Could not parse example input"):
        measure(task)


def test_an_error_that_is_no_text_is_one_of_tensorflow(tf: Any) -> None:
    def elements() -> Iterator[int]:
        yield 1
        b"what \xff is".decode()

    with Taking(elements()) as taking:
        assert next(taking) == 1
        with pytest.raises(tf.errors.OpError, match=r"what \\xff is"):
            next(taking)


def test_a_way_whose_last_words_are_no_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def start(_: str, **how: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(["sh", "-c", r"cat >/dev/null; printf 'what \377 is\n' >&2; exit 1"], **how)

    monkeypatch.setattr(comparison, "start_python", start)
    with pytest.raises(WayFailed, match=r"what \\xff is"):
        run(WayTask("preload", "", "", 1, 1, 1, 1.0, 0))


def test_a_bug_that_quotes_odd_bytes_keeps_its_traceback() -> None:
    words = main._keep_traceback(InternalError("a bug at caf\udce9"))
    path = Path(words.removeprefix("the traceback is in "))
    assert "a bug at caf\\udce9" in path.read_text(encoding="utf-8")
    path.unlink()


def test_a_printed_command_with_odd_bytes_runs() -> None:
    line = command_line(["printf", "%s", os.fsdecode(b"caf\xe9 it's")])
    assert line.isprintable()
    assert subprocess.run(["bash", "-c", line], capture_output=True, check=True).stdout == b"caf\xe9 it's"


@pytest.fixture
def odd_folder(tmp_path: Path) -> Path:
    """A folder whose name is no UTF-8."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    return folder


def test_a_dataset_in_a_folder_whose_name_is_no_text(good: Path, odd_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(good, odd_folder / "out"))
    done = tfrec("verify", folder, "--feed-seconds", "0.1")
    assert (done.code, done.err) == (0, "")
    assert tfrec("verify", folder, "--feed-seconds", "0.1", "--json").json["feed"]["proof"]["ok"]
    assert tfrec("inspect", folder).code == 0
    batches = tfrecordcli.load(folder, image_size=16, batch_size=4)["train"]
    assert sum(len(labels) for _, labels in batches) == 20
    for way in ("tfdata_records", "tfdata_naive", "python_records", "tf1_records"):
        task = WayTask(way, str(folder), str(tmp_path), 4, 16, 16, 0.1, 0)
        assert measure(task).images_per_second > 0


def test_images_in_a_folder_whose_name_is_no_text(odd_folder: Path) -> None:
    source = image_list(odd_folder / "in", 8)
    tfrecordcli.convert(source, odd_folder / "out", splits="train=100")
    done = tfrec(
        "bench", odd_folder / "out", "--way", "tfdata_files", "--way", "pandas_files", "--seconds", "0.1"
    )
    assert (done.code, "failed" in done.out) == (0, False), done.out + done.err
    source_too = ("--source", source, "--way", "tfdata_files", "--way", "tf1_files", "--seconds", "0.1")
    done = tfrec("bench", odd_folder / "out", *source_too)
    assert (done.code, "failed" in done.out) == (0, False), done.out + done.err
