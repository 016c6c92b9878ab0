"""The ways in which people feed images, run side by side on the images of one dataset.

Each way runs in a process of its own, so that memory is what this way needs. All of them give the same
batches: decoded, stretched to one size, uint8, with labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from tfrecordcli.option_definition import changed, not_used, option
from tfrecordcli.option_parsing import above_zero, texts

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

# Those that read no image files.
_OF_RECORDS: Final = {"python_records", "tf1_records", "tfdata_naive", "tfdata_records"}

LIST: Final = "list.csv"


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """What is compared.

    Attributes:
      source: empty: ways that read files get the images of the records.
      ways: names of `WAYS`; empty is all.
      image_size: images are stretched to image_size x image_size pixels.
      step_ms: milliseconds; 0 is no simulated accelerator.
    """

    source: tuple[str, ...] = option(
        (), "What was converted: ways that read files get these, as they are; again for several sources.",
        "[SPLIT=]SOURCE", texts, is_repeated=True, shown="the images in the records",
    )  # fmt: skip
    ways: tuple[str, ...] = option(
        (), "Only this way.", "NAME", texts, flag="--way", is_repeated=True, shown="all",
        offered=tuple(WAYS),
    )  # fmt: skip
    batch_size: int = option(64, "Of every way.", "N", least=1)
    image_size: int = option(224, "Of every way.", "N", least=1)
    seconds: float = option(10.0, "How long each way is measured.", "S", above_zero)
    step_ms: float = option(
        0.0, "How long an accelerator computes for each batch: would it wait?", "MS", least=0,
        flag="--step-time",
    )  # fmt: skip


def unused_options(options: ComparisonOptions) -> Iterator[str]:
    """Notes for options that are given and do nothing."""
    if options.ways and {*options.ways} <= _OF_RECORDS and (source := changed(options, ("source",))):
        yield not_used(source, "no way that was chosen reads files")


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
