"""Finds the same image twice among any number of records, in the memory of a few.

Each image gets a key of 64 bits (two checksums of different polynomials). Keys go to files by their
first bits, each process to its own; those of one bucket at a time are sorted, and equal keys are
neighbours then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import google_crc32c
import numpy as np

try:
    from isal.isal_zlib import crc32
except ImportError:  # no wheel for this platform: the same values, more slowly
    from zlib import crc32

_DTYPE: Final = np.dtype([("key", "<u8"), ("shard", "<u4"), ("record", "<u4")])
_BUCKETS: Final = 16
_BUFFERED: Final = 1 << 14


class ImageKeys:
    """Collects the keys of one shard's images; a context manager that writes them out."""

    def __init__(self, folder: str, shard: int) -> None:
        self._folder = Path(folder) if folder else None
        self._shard = shard
        self._entries: list[tuple[int, int, int]] = []

    def add(self, image: bytes, record: int) -> None:
        if self._folder is None:
            return
        key = google_crc32c.value(image) << 32 | crc32(image)
        self._entries.append((key, self._shard, record))
        if len(self._entries) >= _BUFFERED:
            self._flush()

    def _flush(self) -> None:
        if self._folder is None or not self._entries:
            return
        entries = np.array(self._entries, _DTYPE)
        self._entries.clear()
        buckets = (entries["key"] >> np.uint64(60)).astype(np.intp)
        for bucket in np.unique(buckets):
            with (self._folder / f"{os.getpid()}-{bucket:02d}").open("ab") as file:
                file.write(entries[buckets == bucket].tobytes())

    def __enter__(self) -> ImageKeys:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._flush()


@dataclass(frozen=True, slots=True)
class Twice:
    """One image in two records, each (number of the shard, number of the record)."""

    first: tuple[int, int]
    second: tuple[int, int]


def find_twice(folder: str) -> Iterator[Twice]:
    """Every record whose image an earlier record has too, paired with the first one that has it."""
    for bucket in range(_BUCKETS):
        paths = list(Path(folder).glob(f"*-{bucket:02d}"))
        if not paths:
            continue
        parts: list[Any] = [np.fromfile(path, _DTYPE) for path in paths]
        # Unique, since a shard whose worker died is checked again.
        entries = np.unique(np.concatenate(parts))
        starts = np.flatnonzero(np.concatenate(([True], entries["key"][1:] != entries["key"][:-1])))
        lengths = np.diff(np.append(starts, len(entries)))
        for start, length in zip(starts[lengths > 1], lengths[lengths > 1], strict=True):
            first = entries[start]
            for entry in entries[start + 1 : start + length]:
                yield Twice(
                    (int(first["shard"]), int(first["record"])), (int(entry["shard"]), int(entry["record"]))
                )
