"""The planned rows of each split: a file in shuffled order, which is cut into one task file a shard."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from tfrecordcli.dataset.checksummed_json import crc32c_of
from tfrecordcli.dataset.plan import (
    LABEL_SEPARATOR,
    Plan,
    PlannedRow,
    parse_planned_row,
)
from tfrecordcli.planning.plan_progress import PlanProgress
from tfrecordcli.planning.scan import TELL_EVERY, ProblemLog
from tfrecordcli.planning.shuffle import Shuffle
from tfrecordcli.schema import SPLITS
from tfrecordcli.storage.writing import sync_file, sync_folder

# First rows of all, which stand for the others where their images are looked at.
_SAMPLE = 1_000


def write_split_rows(
    problems: ProblemLog, shuffle: Shuffle, folder: Path, progress: PlanProgress
) -> tuple[dict[str, int], list[PlannedRow]]:
    """Writes each split's rows in shuffled order; returns rows a split and the first rows of all."""
    counts: dict[str, int] = dict.fromkeys(SPLITS, 0)
    sample: list[PlannedRow] = []
    told = 0
    with ExitStack() as stack:
        files = {split: stack.enter_context(_split_path(folder, split).open("wb")) for split in SPLITS}
        for planned in shuffle.lines(problems.add):
            lines: dict[str, list[str]] = {split: [] for split in SPLITS}
            for split, line in planned:
                lines[split].append(line)
            for split, file in files.items():
                file.write("".join(lines[split]).encode())
                counts[split] += len(lines[split])
            sample += [parse_planned_row(line) for _, line in planned[: _SAMPLE - len(sample)]]
            if sum(counts.values()) - told >= TELL_EVERY:
                told = sum(counts.values())
                progress.on_planned(told)
    shutil.rmtree(folder / "buckets")
    return {split: count for split, count in counts.items() if count}, sample


def write_tasks(plan: Plan, folder: Path) -> list[int]:
    """Cuts each split's rows into one task file a shard; returns the checksum of each."""
    checksums = []
    (folder / "tasks").mkdir()
    shards = plan.shards()
    for split in plan.splits:
        with _split_path(folder, split.split).open("rb") as rows:
            for name, length in islice(shards, split.num_shards):
                path = folder / "tasks" / name.stem
                with path.open("wb") as task:
                    task.writelines(islice(rows, length))
                    sync_file(task)
                checksums.append(crc32c_of(path))
    for split_name in SPLITS:
        _split_path(folder, split_name).unlink()
    sync_folder(folder / "tasks")
    return checksums


def labels_of_rows(folder: Path, splits: Iterable[str]) -> set[str]:
    """Labels of the planned rows of some splits: none of rows that contradict each other is among them."""
    met: set[str] = set()
    for split in splits:
        with _split_path(folder, split).open(encoding="utf-8", newline="\n") as rows:
            for row in rows:
                met.update(row.split("\t", 2)[1].split(LABEL_SEPARATOR))
    return met


def _split_path(folder: Path, split: str) -> Path:
    return folder / f"{split}.rows"
