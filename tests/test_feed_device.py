"""Where batches arrive; what happens without a GPU or without TensorFlow; silence on the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from converting import environment

import tfrecordcli
from tfrecordcli.errors import MissingPackageError, UsageError
from tfrecordcli.feed.loading import load
from tfrecordcli.feed.tensorflow import CPU, arrived_at, choose_device, import_tensorflow, quiet_stderr


@pytest.fixture(scope="module")
def sample(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample") / "out"
    tfrecordcli.convert(sample_data / "data.csv", folder)
    return folder


def python(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    plain = {k: v for k, v in environment().items() if not k.startswith("TF_")}
    command = [sys.executable, "-P", "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=plain, timeout=120, check=False)


def test_a_gpu_that_is_not_there(tf: Any, sample: Path) -> None:
    if tf.config.list_physical_devices("GPU"):
        pytest.skip("there is a GPU")
    for wanted in ("gpu", "gpu:1"):
        with pytest.raises(UsageError, match="TensorFlow sees no GPU") as caught:
            load(sample, device=wanted)
        assert caught.value.exit_code == 2
        assert "--device cpu" in caught.value.hint
    assert choose_device("auto") == choose_device("cpu") == CPU
    assert load(sample).device == "cpu"


def test_a_gpu_by_its_number(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf.config, "get_visible_devices", lambda kind: ["one", "two"])
    assert choose_device("auto").name == choose_device("gpu").name == "gpu:0"
    assert choose_device("gpu:1").path == "/GPU:1"
    assert choose_device("cpu") == CPU
    with pytest.raises(UsageError, match="sees 2 GPUs, numbered from 0"):
        choose_device("gpu:2")
    with tf.distribute.OneDeviceStrategy("/CPU:0").scope():
        assert choose_device("auto") == CPU


def test_batches_tell_where_they_are(sample: Path) -> None:
    assert arrived_at(next(iter(load(sample, image_size=8)["train"]))) == "cpu"


@pytest.mark.thorough
def test_nothing_on_stderr_of_a_process_that_loads(sample: Path) -> None:
    """Start, first device, every stage, the proof and a GPU that is not there."""
    script = """
import sys
from pathlib import Path
from tfrecordcli.errors import UsageError
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.loading import load
from tfrecordcli.feed.report import feed_report
from tfrecordcli.feed.splits import open_dataset
from tfrecordcli.feed.timing import Timing
path = Path(sys.argv[1])
print(sum(int(labels.shape[0]) for _, labels in load(path)["train"]))
try:
    load(path, device="gpu:7")
except UsageError as error:
    print(error.exit_code)
report, problems = feed_report(path, open_dataset(path), FeedOptions(image_size=32), Timing(0.3, 5))
print(len(problems))
"""
    done = python(script, sample)
    assert done.stderr == ""
    assert done.stdout == "20\n2\n0\n"


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["", "1"])
def test_the_users_process_keeps_its_log_level(level: str, sample: Path) -> None:
    """And nothing is written there all the same, when batches are read too."""
    script = """
import os, sys
os.environ.update({"TF_CPP_MIN_LOG_LEVEL": sys.argv[2]} if sys.argv[2] else {})
before = {**os.environ}
import tfrecordcli
for _ in range(2):
    print(sum(len(labels) for _, labels in tfrecordcli.load(sys.argv[1], image_size=32)["train"]))
ours = {key: value for key, value in os.environ.items() if before.get(key) != value and "TF_CPP" in key}
print(ours, before.keys() - os.environ.keys())
"""
    done = python(script, sample, level)
    assert (done.stdout, done.stderr) == ("20\n20\n{} set()\n", "")


@pytest.mark.thorough
def test_copies_to_a_device_arrive_there_and_keep_their_length(sample: Path) -> None:
    """The way of a GPU, with a second CPU in its place."""
    script = """
import sys
from pathlib import Path
from tfrecordcli.feed import loading, proof
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.tensorflow import Device, import_tensorflow, log_fatal_only, quiet_stderr
from tfrecordcli.feed.splits import open_dataset
log_fatal_only()
tf = import_tensorflow()
with quiet_stderr():
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
second = lambda wanted: Device("second", "/CPU:1")
loading.choose_device = proof.choose_device = second
path = Path(sys.argv[1])
train = loading.load(path, batch_size=8, image_size=16)["train"]
where = {t.backing_device[-5:] for batch in train for t in batch}
print(where, len(train), int(train.cardinality()), sum(len(y) for _, y in train))
manifest = open_dataset(path)
print(proof.prove(path, manifest, FeedOptions(image_size=16)))
first = next(path.glob("test-*.tfrecord"))
data = bytearray(first.read_bytes()); data[300] ^= 1; first.write_bytes(data)
print([(p.code, p.path, p.record) for p in proof.prove(path, manifest, FeedOptions(image_size=16))])
"""
    folder = sample.with_name("copy")
    folder.mkdir()
    for path in sample.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    done = python(script, folder)
    assert done.stdout.splitlines() == [
        "{'CPU:1'} 3 3 20", "[]", "[('feed_failed', 'test-00000-of-00001.tfrecord', 0)]"
    ], done.stderr  # fmt: skip
    assert done.stderr == ""


def test_without_tensorflow_the_hint_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    monkeypatch.delitem(sys.modules, "tensorflow")
    monkeypatch.setattr(sys, "meta_path", [_Nothing(), *sys.meta_path])
    with pytest.raises(MissingPackageError, match="TensorFlow is not installed") as caught:
        import_tensorflow()
    assert "pip install" in caught.value.hint
    assert caught.value.exit_code == 2


class _Nothing:
    """Finds no TensorFlow."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "tensorflow":
            raise ModuleNotFoundError("No module named 'tensorflow'", name="tensorflow")


def test_quiet_stderr_keeps_native_output_back_until_it_fails(capfd: pytest.CaptureFixture[str]) -> None:
    with quiet_stderr():
        os.write(2, b"noise\n")
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"

    def fail() -> None:
        with quiet_stderr():
            os.write(2, b"reason\n")
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    assert capfd.readouterr().err == "reason\n"
