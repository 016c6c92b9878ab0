"""The use case `bench`: the ways of feeding that people use, side by side on one dataset."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from tfrecordcli.bench.listed_files import Listed, lay_out_files, list_files
from tfrecordcli.bench.ways import WAYS, ComparisonOptions, WayFailed, WayResult, WayTask
from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.feed.splits import largest, open_dataset, read_splits
from tfrecordcli.processes import KILL_SIGNALS, start_python
from tfrecordcli.storage.uris import is_on_store

# Seconds beyond the measured ones: a process that imports TensorFlow starts slowly on a busy machine; a hang
# must end.
_TIMEOUT: Final = 120.0
_LONGEST_REASON: Final = 300  # characters


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every way that was run, in the order of `tfrecordcli.bench.ways.WAYS`.

    Attributes:
      path: the dataset.
      source: the list whose files the ways that read files were given; "": those of the records.
      files: images that the ways that read files were given.
      passed_over: rows of the source up to the last of these whose images not every way can decode.
      batch_size, image_size: of every way.
      step_ms: milliseconds of a simulated accelerator for a batch; 0: none.
      results: rates, memory and wait of each that gave any.
      failures: name -> why it could not be run, of the others.
    """

    path: str
    source: str
    files: int
    passed_over: int
    batch_size: int
    image_size: int
    step_ms: float
    results: tuple[WayResult, ...]
    failures: Mapping[str, str]


def compare_ways(
    path: str | os.PathLike[str],
    options: ComparisonOptions,
    on_way: Callable[[str], None] = lambda name: None,
) -> Comparison:
    """Runs each way of feeding in a process of its own, one after another.

    Args:
      path: a dataset that `tfrec convert` wrote.
      on_way: told the name of each way before it runs.

    Raises:
      InputError: it is no dataset of tfrec or one without images, or the source cannot be read.
      UsageError: there is no such way.
      MissingPackageError: TensorFlow is not installed.
    """
    if is_on_store(os.fspath(path)):
        raise UsageError(f"{path}: bench compares on local files", "copy the dataset to a local folder")
    folder = Path(path)
    ways = _chosen(options.ways)
    manifest = open_dataset(folder)
    if manifest.schema.task == "tabular":
        raise InputError(f"{path}: bench compares ways of feeding images, and these rows have none")
    with tempfile.TemporaryDirectory(prefix="tfrec-bench-") as files:
        laid_out = _lay_out(folder, manifest, options.source, Path(files))
        results, failures = [], {}
        for way in ways:
            on_way(way)
            try:
                results.append(run(_task(way, folder, files, options)))
            except WayFailed as failure:
                failures[way] = str(failure)
    return Comparison(
        path=str(path),
        source=", ".join(options.source),
        files=laid_out.files,
        passed_over=laid_out.passed_over,
        batch_size=options.batch_size,
        image_size=options.image_size,
        step_ms=options.step_ms,
        results=tuple(results),
        failures=failures,
    )


def _lay_out(folder: Path, manifest: Manifest, source: Sequence[str], into: Path) -> Listed:
    if not source:
        return Listed(lay_out_files(folder, manifest, into), 0)
    chosen = largest(read_splits(folder, manifest))
    return list_files(source, chosen.name, manifest, into) if chosen else Listed(0, 0)


def _task(way: str, folder: Path, files: str, options: ComparisonOptions) -> WayTask:
    return WayTask(
        way=way,
        records=str(folder.absolute()),
        files=files,
        batch_size=options.batch_size,
        height=options.image_size,
        width=options.image_size,
        seconds=options.seconds,
        step_ms=options.step_ms,
    )


def _chosen(names: Iterable[str]) -> list[str]:
    chosen = list(names)
    for name in chosen:
        if name not in WAYS:
            raise UsageError(f"--way {name}: there is no such way", f"ways are {', '.join(WAYS)}")
    return [name for name in WAYS if not chosen or name in chosen]


def run(task: WayTask) -> WayResult:
    """Runs one way in a fresh process.

    Raises:
      WayFailed: it ended without a result, or took far too long.
    """
    process = start_python(
        "tfrecordcli.bench.worker",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="backslashreplace",  # libraries write what they like
        start_new_session=True,  # so that it can be ended together with the processes that it starts
    )
    try:
        out, err = process.communicate(json.dumps(asdict(task)), timeout=task.seconds + _TIMEOUT)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)  # it was not waited for, so this is still its group
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise WayFailed(f"no result after {task.seconds + _TIMEOUT:.0f} seconds") from error
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
