"""Which shards of a dataset are looked at."""

from __future__ import annotations

import dataclasses
import re

from tfrecordcli.errors import UsageError
from tfrecordcli.integrity.discovery import Dataset
from tfrecordcli.planning.split_assignment import parse_split


def choose_shards(dataset: Dataset, split: str | None, numbers: tuple[int, int] | None) -> Dataset:
    """What is left of a dataset.

    Args:
      split: only this one, in any spelling; None is all.
      numbers: only shards of these numbers in their split, (first, last) inclusive; None is all.

    Raises:
      UsageError: nothing is left.
    """

    chosen_split = parse_split(split) or split if split is not None else None
    first, last = numbers or (0, 0)

    def is_chosen(name: str) -> bool:
        is_split = chosen_split is None or dataset.split_of(name) == chosen_split
        return is_split and (numbers is None or first <= _number_of(name) <= last)

    others = [found.path for found in dataset.problems if found.code in ("file_missing", "file_extra")]
    known = [*dataset.shards, *others]
    if known and not any(map(is_chosen, known)):
        splits = sorted({dataset.split_of(name) for name in known} - {""})
        have = f"its splits are {', '.join(splits)}" if splits else "its files name no split"
        raise UsageError("--split and --shards leave no shard", f"{have}; shards count from 0")
    return dataclasses.replace(
        dataset,
        shards=tuple(filter(is_chosen, dataset.shards)),
        problems=tuple(p for p in dataset.problems if p.path not in others or is_chosen(p.path)),
    )


def _number_of(name: str) -> int:
    match = re.search(r"(\d+)[-_]of[-_]\d+", name)
    return int(match[1]) if match else -1
