"""What the tests share: TensorFlow imported once, the sample data, and the reference data if it is there."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from converting import convert_json, image_list, jpeg, write_csv
from damaging import each, foreign, nothing_left_open, ours, sound  # noqa: F401
from faulting import list_with_rejects  # noqa: F401
from hypothesis import settings
from inline import inline_workers, worker_processes
from stand_in_faults import Faults, serve_faults

from tfrecordcli.images import gate
from tfrecordcli.images.gate import is_here
from tfrecordcli.storage.network import READING, WRITING

# `make test` and `make test-all`; `sampling.examples` says how many examples a test gets.
settings.register_profile("fast", deadline=None, max_examples=30)
settings.register_profile("thorough", deadline=None)
settings.load_profile("fast")

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

# Thousands of small datasets are made and removed: in memory, where there is room, this takes three
# quarters of the time.
_MEMORY = Path("/dev/shm")
if os.access(_MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(_MEMORY).free > 2 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

# A shell starts its background jobs with SIGINT ignored, and what they start inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)

_PROJECT = Path(__file__).resolve().parents[1]
_REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_collection_finish() -> None:
    """What the collection made stays to the end, and need not be looked through for garbage."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def temporary_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What commands, Beam and killed processes leave among temporary files goes with pytest's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("tmp")))
        patch.setattr(tempfile, "tempdir", None)
        yield


@pytest.fixture(scope="session", autouse=True)
def workers_here() -> Iterator[None]:
    """The workers of a call in this process are in it too."""
    with inline_workers():
        yield


@pytest.fixture(autouse=True)
def workers_apart(request: pytest.FixtureRequest) -> Iterator[None]:
    """But for tests that are marked with `processes`."""
    if request.node.get_closest_marker("processes"):
        with worker_processes():
            yield
    else:
        yield


_GATES = (
    ["native", pytest.param("portable", marks=pytest.mark.thorough)] if is_here("native") else ["portable"]
)


@pytest.fixture(params=_GATES)
def gates(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is asked of images in this process, by each gate that is here."""
    if request.param == "portable":
        monkeypatch.setattr(gate, "_jpeg_walk", None)
    return request.param


@pytest.fixture(scope="session", autouse=True)
def short_pauses() -> Iterator[None]:
    """Requests of this process that failed are sent again at once."""
    before = READING.first_pause
    for timeouts in (READING, WRITING):
        object.__setattr__(timeouts, "first_pause", 0.002)
    yield
    for timeouts in (READING, WRITING):
        object.__setattr__(timeouts, "first_pause", before)


@pytest.fixture(scope="session", autouse=True)
def no_syncs() -> Iterator[None]:
    """Nothing of this process waits for the disk, which is half of the time that a small conversion takes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def tf() -> Any:
    """TensorFlow, the witness."""
    import tensorflow

    gc.freeze()
    return tensorflow


@pytest.fixture(scope="session")
def sample_data() -> Path:
    return _PROJECT / "sample_data"


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    """A list of 8 images, in a folder of their own."""
    return image_list(tmp_path / "in", 8)


@pytest.fixture(scope="session")
def may_mount() -> None:
    """This process may mount file systems in a namespace of its own (root in most containers may)."""
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    if not shutil.which("unshare") or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small file system")


@pytest.fixture(scope="module")
def faults() -> Iterator[Faults]:
    """A server that misbehaves."""
    with serve_faults() as found:
        yield found


@pytest.fixture(scope="session")
def tfrecorder_data() -> Path:
    """The photos and the CSV of TFRecorder's own tests."""
    return _reference("tfrecorder")


@pytest.fixture(scope="session")
def pillow_images() -> Path:
    """Pillow's collection of odd, rare, broken and hostile images."""
    return _reference("pillow") / "images"


@pytest.fixture(scope="session")
def detection_data() -> Path:
    """Real sets of object detection."""
    return _reference("detection")


def _reference(name: str) -> Path:
    folder = _REFERENCE / name
    if not folder.is_dir():
        pytest.skip(f"the reference data {name!r} is not beside this checkout (looked in {folder})")
    return folder


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of 12 images in 4 shards."""
    folder = tmp_path_factory.mktemp("small")
    rows = []
    for number in range(12):
        (folder / f"{number}.jpg").write_bytes(jpeg(number, width=16 + number))
        rows.append(("TRAIN" if number < 9 else "TEST", f"{number}.jpg", "ab"[number % 2]))
    csv = write_csv(folder / "list.csv", rows, ("split", "image_uri", "label"))
    assert convert_json(csv, folder / "out", "--num-shards", "train=3,test=1")["exit_code"] == 0
    return folder / "out"
