"""Hash buckets on disk: a seeded shuffle of any number of rows in the memory of one bucket.

A bucket holds the rows whose image URIs hash into one range. Rows of the same image meet in one
bucket, and buckets in order, each one sorted, are the shuffle.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Final

from tfrecordcli.dataset.plan import LABEL_SEPARATOR, with_further_fields
from tfrecordcli.planning.image_key import KeyedHash
from tfrecordcli.sources.plain_rows import PlainRows
from tfrecordcli.sources.row import Row
from tfrecordcli.split_words import DISCARD

# Hexadecimal digits of the hash at the start of each line; two of them choose a bucket.
_POINT_DIGITS: Final = 16
_POINT: Final = itemgetter(slice(_POINT_DIGITS))
_DIGITS: Final = 2

_PROVISIONAL: Final = "?"

# Bytes of source for each bucket; a bucket's rows take about ten times that while it is sorted.
_BUCKET_BYTES: Final = 2 << 20
_MAX_BUCKETS: Final = 16**_DIGITS
# A bucket file longer than this is distributed once more before it is read (sources of many gigabytes).
_MAX_FILE_BYTES: Final = 8 << 20
# The rows of an image that take more than this stay on disk, where distributing them does not part them.
_MAX_IMAGE_BYTES: Final = 1 << 20
# Characters kept in memory before they are appended to their buckets.
_BUFFERED: Final = 4 << 20
# Lines of a file that are distributed again together, and of a bucket that are planned together.
_LINES_AT_ONCE: Final = 1_000


class Buckets:
    """Buckets being filled, in turns and without keeping their files open."""

    def __init__(self, folder: Path, source_bytes: int, seed: int) -> None:
        count = max(1, min(source_bytes // _BUCKET_BYTES, _MAX_BUCKETS))
        # A power of two: with 200 buckets for 256 values of their digits, some would be twice as large.
        self._fan = _Fan(folder, 1 << (count - 1).bit_length())
        self._hash = KeyedHash(f"order {seed}")

    def add(self, row: Row, split: str) -> None:
        """Takes in a row that can be used by itself.

        Args:
          split: of the row, or `provisional` of the one it is assigned to.
        """
        line, _, uri, labels, _, extras, boxes = row
        label = "" if split == DISCARD else LABEL_SEPARATOR.join(labels)
        rest = with_further_fields(uri, extras, boxes)
        self._fan.add([f"{self._hash.of(uri)}\t{split}\t{label}\t{line}\t{rest}\n"])

    def add_all(self, rows: PlainRows, splits: Iterable[str]) -> None:
        """Takes in rows; their splits as in `add`."""
        columns = (self._hash.of_all(rows.uris), splits, rows.labels, rows.lines, rows.uris)
        if rows.boxes:
            with_boxes = zip(*columns, rows.boxes, strict=True)
            self._fan.add([f"{a}\t{b}\t{c}\t{d}\t{e}\t{f}\n" for a, b, c, d, e, f in with_boxes])
        else:
            self._fan.add([f"{a}\t{b}\t{c}\t{d}\t{e}\n" for a, b, c, d, e in zip(*columns, strict=True)])

    def flush(self) -> None:
        """Writes what waits in memory."""
        self._fan.flush()

    def take(self) -> Iterator[Iterable[str]]:
        """Lines in the order of their hashes, those of one hash in the order of the source.

        They come in parts that have no hash in common: lists, or the lines of one hash, very many of
        them, which can be gone through as often as one likes until the next part is taken. Each file is
        deleted once it is read.
        """
        for path in self._fan.paths():
            if not path.exists():
                continue  # it got no row
            if path.stat().st_size <= _MAX_FILE_BYTES:
                yield from _in_memory(path)
                continue
            for part in self._fan.distribute_again(path).paths():
                if part.exists() and part.stat().st_size <= _MAX_FILE_BYTES:
                    yield from _in_memory(part)
                elif part.exists():
                    yield from _on_disk(part)


def provisional(split: str) -> str:
    """What stands for the split of a row that names none, as long as rows of its image may name another."""
    return f"{split}{_PROVISIONAL}"


def is_provisional(split: str) -> bool:
    """Whether this is what `provisional` returned."""
    return split.endswith(_PROVISIONAL)


def by_hash(lines: list[str]) -> Iterator[list[str]]:
    """Sorted lines, those of one hash together."""
    start = 0
    points = list(map(_POINT, lines))
    for number, (point, following) in enumerate(zip(points, [*points[1:], ""], strict=True), 1):
        if point != following:
            yield lines[start:number]
            start = number


def are_alone(lines: list[str]) -> bool:
    """Whether no two lines have the same hash."""
    return len(set(map(_POINT, lines))) == len(lines)


class _Fan:
    """Files over which lines are distributed by digits of their hash; the files in order are its order."""

    def __init__(self, folder: Path, count: int, first_digit: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._digits = slice(first_digit, first_digit + _DIGITS)
        self._lines: list[list[str]] = [[] for _ in range(count)]
        numbers = range(16**_DIGITS)
        self._by_digits = {f"{n:0{_DIGITS}x}": self._lines[n * count >> 4 * _DIGITS] for n in numbers}
        self._waiting = 0

    def add(self, lines: Sequence[str]) -> None:
        digits, by_digits = self._digits, self._by_digits
        for line in lines:
            by_digits[line[digits]].append(line)
        self._waiting += sum(map(len, lines))
        if self._waiting >= _BUFFERED:
            self.flush()

    def flush(self) -> None:
        for path, lines in zip(self.paths(), self._lines, strict=True):
            if lines:
                with path.open("ab") as file:
                    file.write("".join(lines).encode())
                lines.clear()
        self._waiting = 0

    def paths(self) -> list[Path]:
        """The files in order; those that got no line do not exist."""
        return [self._folder / f"{number:04d}" for number in range(len(self._lines))]

    def distribute_again(self, path: Path) -> _Fan:
        """Distributes one file of this fan over a finer one, which takes its place.

        A file of this fan may hold several values of its digits, which the finer one then parts.
        """
        is_finest = len(self._lines) == 16**_DIGITS
        first_digit = self._digits.stop if is_finest else self._digits.start
        finer = _Fan(path.with_name(path.name + ".parts"), 16**_DIGITS, first_digit)
        with path.open(encoding="utf-8", newline="\n") as lines:
            while some := list(islice(lines, _LINES_AT_ONCE)):
                finer.add(some)
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
    with path.open(encoding="utf-8", newline="\n") as file:
        lines = file.readlines()
    os.unlink(path)
    if are_alone(lines):
        lines.sort()
    else:
        lines.sort(key=_POINT)  # what is equal stays in order
    start = 0
    while start < len(lines):
        end = start + _LINES_AT_ONCE
        while end < len(lines) and _POINT(lines[end]) == _POINT(lines[end - 1]):
            end += 1
        yield lines[start:end]
        start = end


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
