"""Hash buckets on disk: a seeded shuffle of any number of rows in the memory of one bucket.

A bucket holds the rows whose image URIs hash into one range. Rows of the same image meet in one
bucket, and buckets in order, each one sorted, are the shuffle.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from tfrecordcli.dataset.image_key import image_key
from tfrecordcli.dataset.rows import Row
from tfrecordcli.split_words import DISCARD

LABEL_SEPARATOR = "\x1f"
# Hexadecimal digits of the hash at the start of each line.
_POINT_DIGITS = 16
_POINT = itemgetter(slice(_POINT_DIGITS))

# Bytes of source for each bucket; a bucket's rows take about ten times that while it is sorted.
_BUCKET_BYTES = 2 << 20
_MAX_BUCKETS = 1024
# A bucket file longer than this is dealt out once more before it is read (sources of many gigabytes).
_MAX_FILE_BYTES = 8 << 20
# The rows of an image that take more than this stay on disk, where dealing them out does not part them.
_MAX_IMAGE_BYTES = 1 << 20
# Characters kept in memory before they are appended to their buckets.
_BUFFERED = 4 << 20


class Buckets:
    """Buckets being filled, in turns and without keeping their files open."""

    def __init__(self, folder: Path, source_bytes: int, seed: int) -> None:
        count = max(1, min(source_bytes // _BUCKET_BYTES, _MAX_BUCKETS))
        self._fan = _Fan(folder, count)
        # A copy of a keyed hash costs less than a new one.
        self._hash = blake2b(digest_size=_POINT_DIGITS // 2, key=f"order {seed}".encode()[:64])

    def add(self, row: Row, split: str) -> None:
        """Takes in a row that can be used by itself."""
        uri = row.image_uri
        hashed = self._hash.copy()
        hashed.update(image_key(uri).encode())
        point = hashed.hexdigest()
        labels = LABEL_SEPARATOR.join(row.labels) if split != DISCARD else ""
        self._fan.add(int(point[:8], 16), f"{point}\t{row.line}\t{split}\t{uri}\t{labels}\n")

    def flush(self) -> None:
        """Writes what waits in memory."""
        self._fan.flush()

    def take(self) -> Iterator[Iterable[str]]:
        """The lines of each hash in turn, in the order of the source.

        What is taken can be gone through as often as one likes until the next is taken. Each file is
        deleted once it is read.
        """
        for path in self._fan.paths():
            if not path.exists():
                continue  # it got no row
            if path.stat().st_size <= _MAX_FILE_BYTES:
                yield from _in_memory(path)
                continue
            for part in self._fan.deal_again(path).paths():
                if part.exists():
                    yield from _in_memory(part) if part.stat().st_size <= _MAX_FILE_BYTES else _on_disk(part)


class _Fan:
    """Files over which lines are dealt by a 32-bit number, such that the files in order are its order."""

    def __init__(self, folder: Path, count: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._count = count
        self._lines: list[list[str]] = [[] for _ in range(count)]
        self._waiting = 0

    def add(self, number: int, line: str) -> None:
        self._lines[number * self._count >> 32].append(line)
        self._waiting += len(line)
        if self._waiting >= _BUFFERED:
            self.flush()

    def flush(self) -> None:
        for path, lines in zip(self.paths(), self._lines, strict=True):
            if lines:
                with path.open("a", encoding="utf-8", newline="\n") as file:
                    file.writelines(lines)
                lines.clear()
        self._waiting = 0

    def paths(self) -> list[Path]:
        """The files in order; those that got no line do not exist."""
        return [self._folder / f"{number:04d}" for number in range(self._count)]

    def deal_again(self, path: Path) -> _Fan:
        """Deals one file of this fan out over a finer one, which takes its place."""
        finer = _Fan(
            path.with_name(path.name + ".parts"), min(path.stat().st_size // _BUCKET_BYTES + 1, 1024)
        )
        with path.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                # What is left of the number when its place in this fan is known, as 32 bits again.
                finer.add(int(line[:8], 16) * self._count & 0xFFFFFFFF, line)
        finer.flush()
        os.unlink(path)
        return finer


@dataclass(frozen=True, slots=True)
class _LinesOnDisk:
    """The lines of one hash among others in a file."""

    path: Path
    point: str

    def __iter__(self) -> Iterator[str]:
        with self.path.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                if line.startswith(self.point):
                    yield line


def _in_memory(path: Path) -> Iterator[list[str]]:
    return (list(same) for _, same in groupby(_read(path), key=_POINT))


def _read(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="\n") as file:
        lines = file.readlines()
    os.unlink(path)
    lines.sort(key=_POINT)  # what is equal stays in order
    return lines


def _on_disk(path: Path) -> Iterator[Iterable[str]]:
    """The lines of a file that is long because many of its rows name one image."""
    sizes: Counter[str] = Counter()
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            sizes[_POINT(line)] += len(line)
    few: dict[str, list[str]] = {}
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            if sizes[_POINT(line)] <= _MAX_IMAGE_BYTES:
                few.setdefault(_POINT(line), []).append(line)
    for point in sorted(sizes):
        yield few[point] if point in few else _LinesOnDisk(path, point)
    os.unlink(path)
