"""The ways in which people feed images, run side by side on the images of one dataset.

Each way runs in a process of its own, so that memory is what this way needs. All of them give the same
batches: decoded, stretched to one size, uint8, with labels.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.feed.options import FeedOptions
from tfrecordcli.feed.pipeline import Recipe, assemble
from tfrecordcli.feed.splits import largest, read_splits
from tfrecordcli.feed.tensorflow import failures_in_words, import_tensorflow
from tfrecordcli.feed.timing import timed_recipe
from tfrecordcli.processes import KILL_SIGNALS, start_python
from tfrecordcli.storage.store_path import Place

# name -> what it is, in the order of a table.
WAYS: Final = {
    "python_files": "Python loop: open a file, Pillow, resize, one by one",
    "pandas_files": "pandas: read_csv, then row by row: open, Pillow, resize",
    "python_records": "Python loop: parse a record, Pillow, resize, one by one",
    "preload": "all images decoded into memory first",
    "processes": "several Python processes, each making whole batches",
    "tf1_files": "TF1 queue runners: TextLineReader, decode_csv, read_file",
    "tf1_whole_files": "TF1 queue runners: WholeFileReader",
    "tf1_records": "TF1 queue runners: TFRecordReader",
    "tfdata_naive": "tf.data over TFRecords, nothing parallel",
    "tfdata_files": "tf.data over image files, parallel",
    "tfdata_records": "tf.data over TFRecords: tfrecordcli.load",
}

# What of a dataset is laid out as files for the ways that read files.
MOST_IMAGES: Final = 2000
MOST_BYTES: Final = 512 << 20

LIST: Final = "list.csv"
# Starting a process and importing TensorFlow takes long on a busy machine; a hang must end.
_PATIENCE: Final = 120.0
_LONGEST_REASON: Final = 300


@dataclass(frozen=True, slots=True)
class WayTask:
    """One way to be run.

    Attributes:
      way: a key of `WAYS`.
      records: folder of the dataset.
      files: folder of the list of image files, which `lay_out_files` or `list_files` filled.
      batch_size, height, width: of the batches.
      seconds: to measure.
      step_ms: of a simulated accelerator; 0: none.
    """

    way: str
    records: str
    files: str
    batch_size: int
    height: int
    width: int
    seconds: float
    step_ms: float


@dataclass(frozen=True, slots=True)
class WayResult:
    """What one way gave.

    Attributes:
      name: a key of `WAYS`.
      images_per_second: in the steady state.
      first_batch_seconds: from the start of the work (libraries are imported by then) to a first batch.
      peak_memory_bytes: of its process, or processes together.
      accelerator_wait: share of its time that an accelerator of this step time waits; None without one.
    """

    name: str
    images_per_second: float
    first_batch_seconds: float
    peak_memory_bytes: int
    accelerator_wait: float | None


class WayFailed(Exception):
    """A way could not be run; the message says why, in one line."""


def open_list(folder: Path, mode: str = "r") -> IO[str]:
    """The list of image files in a folder; paths need not be UTF-8."""
    return (folder / LIST).open(mode, encoding="utf-8", errors="surrogateescape", newline="")


def lay_out_files(folder: Place, manifest: Mapping[str, Any], into: Path) -> int:
    """Writes images of the largest split as files, with a list of `file,label`; returns how many.

    At most 2,000 images or 512 MiB. A record's first label counts; -1 stands for none.

    Raises:
      InputError: the records cannot be read.
      MissingPackageError: TensorFlow is not installed.
    """
    source = largest(read_splits(folder, manifest))
    if source is None:
        return 0
    recipe = timed_recipe(manifest, source, FeedOptions(repeat=False, shuffle=False, device="cpu"))
    once = replace(recipe.with_options(repeat=False), until="parse")
    count = size = 0
    with _reading(folder), open_list(into, "w") as file:
        writer = csv.writer(file)
        for encoded, label in _records(assemble(source, once), once):
            if count >= MOST_IMAGES or size + len(encoded) > MOST_BYTES:
                break
            name = f"{count:06d}"
            (into / name).write_bytes(encoded)
            writer.writerow((str(into / name), label))
            count, size = count + 1, size + len(encoded)
    return count


@contextmanager
def _reading(folder: Place) -> Iterator[None]:
    """Turns TensorFlow's errors over damaged or missing shards into one with a cure."""
    try:
        with failures_in_words():
            yield
    except import_tensorflow().errors.OpError as error:
        reason = error.message.rpartition("}} ")[2].partition("\n")[0][:_LONGEST_REASON]
        raise InputError(
            f"{folder}: TensorFlow cannot read its records: {reason}", "tfrec verify says what is wrong"
        ) from error


def _records(dataset: Any, recipe: Recipe) -> Any:
    """(encoded image, label id) of every element."""
    mode = recipe.options.label_mode
    for batch in dataset:
        files = (batch if mode == "none" else batch[0]).numpy()
        labels = [-1] * len(files) if mode == "none" else batch[1].numpy()
        for encoded, label in zip(files, labels, strict=True):
            if mode == "multi_hot":
                label = label.argmax() if label.any() else -1
            yield bytes(encoded), int(label)


def run(task: WayTask) -> WayResult:
    """Runs one way in a fresh process.

    Raises:
      WayFailed: it ended without a result, or took far too long.
    """
    process = start_python(
        "tfrecordcli.bench.process",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="backslashreplace",  # libraries write what they like
        start_new_session=True,  # so that it can be ended together with the processes that it starts
    )
    try:
        out, err = process.communicate(json.dumps(asdict(task)), timeout=task.seconds + _PATIENCE)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)  # it was not waited for, so this is still its group
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise WayFailed(f"no result after {task.seconds + _PATIENCE:.0f} seconds") from error
        raise
    if process.returncode != 0:
        raise WayFailed(_reason(process.returncode, err))
    return WayResult(**json.loads(out.splitlines()[-1]))


def _reason(status: int, written: str) -> str:
    """Why a process failed: the last line that it wrote, or how it ended."""
    lines = written.strip().splitlines()
    if -status in KILL_SIGNALS:
        return "killed, most likely for memory"
    return lines[-1].strip()[:_LONGEST_REASON] if lines else f"it ended with status {status}"
