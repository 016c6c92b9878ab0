"""A large shard in parts, so that several processes check it; their reports together are that of the whole.

Where a record begins is known only when the one before it was read. So one process reads ahead through the
frames, and another checks a part as soon as its end is known: its bytes are in the page cache by then, and
the disk reads them once. Only the frames before a part must be right. From the first one on that is not, all
is left to the last part, whose reader tells what is wrong.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import IO, Final

import google_crc32c

from tfrecordcli.formats.digest import add_digests
from tfrecordcli.integrity.file_check import IndexCheck
from tfrecordcli.integrity.reports import CheckTask, IndexState, Part, ShardReport
from tfrecordcli.integrity.shard_check import judge
from tfrecordcli.naming import INDEX_SUFFIX
from tfrecordcli.storage.files import open_binary
from tfrecordcli.storage.uris import is_on_store
from tfrecordcli.tfrecords.framing import HEADER_BYTES, length_of
from tfrecordcli.tfrecords.shard_stream import is_gzip

# Bytes of a part: enough that starting on one costs nothing, few enough to be in the page cache still.
PART_BYTES: Final = 64 << 20
_PIECE: Final = 1 << 20
_FOOTER: Final = 4

_SUMS: Final = ("records", "images", "imageless", "raw_images", "unsized", "sequences")


def split_large(tasks: Sequence[CheckTask], workers: int) -> Iterator[CheckTask]:
    """The tasks; where few large ones would leave workers idle, those of their parts.

    Only files on a disk are divided: a store would be asked for them twice.
    """
    sizes = list(map(_size_of, tasks)) if workers > 1 else [0] * len(tasks)
    large = max(2 * PART_BYTES, sum(sizes) // (2 * workers))
    for task, size in zip(tasks, sizes, strict=True):
        yield from split_task(task, size) if size > large else (task,)


def _size_of(task: CheckTask) -> int:
    """Bytes of a local file; 0 of others, and of one that cannot be found."""
    try:
        return 0 if is_on_store(task.path) else os.stat(task.path).st_size
    except OSError:
        return 0


def split_task(task: CheckTask, size: int) -> Iterator[CheckTask]:
    """Tasks of the parts of a shard, in order; the task itself when there is only one.

    Args:
      size: bytes of the file, which is a local one.
    """
    try:
        with ExitStack() as stack:
            file = stack.enter_context(open_binary(task.path, _PIECE))
            is_compressed = is_gzip(file.read(HEADER_BYTES))
            file.seek(0)
            if not is_compressed:
                for part in _parts_of(file, size, _open_index(task, stack)):
                    yield replace(task, part=part) if part.number or part.end is not None else task
                return
    except OSError:
        pass  # who checks it says why it cannot be opened
    yield task


def _open_index(task: CheckTask, stack: ExitStack) -> IndexCheck | None:
    try:
        return stack.enter_context(IndexCheck(task.path + INDEX_SUFFIX))
    except OSError:
        return None


def _parts_of(file: IO[bytes], size: int, index: IndexCheck | None) -> Iterator[Part]:
    walk = _Walk(file, index)
    part = walk.part_from_here(0)
    while size - part.begin > 2 * PART_BYTES and walk.has_reached(part.begin + PART_BYTES):
        yield replace(part, end=walk.offset)
        part = walk.part_from_here(part.number + 1)
    yield part


class _Walk:
    """Goes through the frames of a plain file.

    Attributes:
      offset: of the next record.
    """

    def __init__(self, file: IO[bytes], index: IndexCheck | None) -> None:
        self.offset = 0
        self._file = file
        self._index = index
        self._records = 0
        self._crc32c = 0

    def part_from_here(self, number: int) -> Part:
        """The part that begins with the next record and goes to the end of the file."""
        state = self._index.state() if self._index is not None else IndexState()
        return Part(number, self.offset, None, self._records, self._crc32c, state)

    def has_reached(self, offset: int) -> bool:
        """Whether whole records lead there, or beyond."""
        try:
            while self.offset < offset:
                frame = self._pass_record()
                if not frame:
                    return False
                if self._index is not None:
                    self._index.expect(self.offset, frame)
                self.offset += frame
                self._records += 1
        except OSError:  # who checks the last part meets it too
            return False
        return True

    def _pass_record(self) -> int:
        """Bytes of the next record with its frame; 0 when it is cut or its length is damaged."""
        length = length_of(self._take(HEADER_BYTES))
        if length is None:
            return 0
        left = length + _FOOTER
        while left:
            piece = self._take(min(left, _PIECE))
            if not piece:
                return 0
            left -= len(piece)
        return HEADER_BYTES + length + _FOOTER

    def _take(self, count: int) -> bytes:
        data = self._file.read(count)
        self._crc32c = google_crc32c.extend(self._crc32c, data)
        return data


def join_reports(task: CheckTask, reports: Iterable[ShardReport]) -> ShardReport:
    """The report of a shard from those of its parts.

    Args:
      task: of the whole shard.
      reports: of every part, in any order.
    """
    first, *others = sorted(reports, key=lambda report: report.part)
    for report in others:
        if not first.is_done:  # the file could not be read on
            return first
        _join(first, report)
    del first.problems[task.max_problems :]
    if others and first.is_done:
        judge(task, first)
    return first


def _join(first: ShardReport, report: ShardReport) -> None:
    """Adds what was found in the next part."""
    for name in _SUMS:
        setattr(first, name, getattr(first, name) + getattr(report, name))
    first.digest = f"{add_digests(int(first.digest or '0', 16), int(report.digest or '0', 16)):016x}"
    first.labels.update(report.labels)
    for keys, (records, number, offset) in report.image_keys.items():
        known = first.image_keys.setdefault(keys, [0, number, offset])
        known[0] += records
    first.problems += report.problems
    first.problem_counts.update(report.problem_counts)
    first.whole = first.whole and report.whole
    if report.records:
        first.last_crc, first.end = report.last_crc, report.end
    for name in (
        "bytes",
        "crc32c",
        "index_skipped",
        "is_read",
        "is_done",
        "index_difference",
        "index_departure",
    ):
        setattr(first, name, getattr(report, name))
