"""One file against its line in shards.jsonl and its index: what explains best how they differ."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tfrecordcli.dataset.shard_info import ShardEntry
from tfrecordcli.formats.digest import record_digest
from tfrecordcli.integrity.reports import IndexState, ShardReport
from tfrecordcli.naming import SHARDS
from tfrecordcli.storage.files import open_binary
from tfrecordcli.tfrecords.foreign import describe_foreign
from tfrecordcli.tfrecords.record_reader import Record, read_records
from tfrecordcli.tfrecords.shard_stream import ShardStream, open_shard
from tfrecordcli.units import plural

# What says of a record that it does not hold what was written, so that the digest says nothing new.
_OTHER_RECORDS: Final = frozenset(
    [
        *("payload_damaged", "not_an_example", "feature_missing", "feature_kind", "feature_count"),
        *("tensorflow_refuses", "tensorflow_differs"),
        *("label_unknown", "label_text", "image_damaged", "image_format", "image_size"),
    ]
)

Add = Callable[..., None]

# No line is longer: two numbers of 64 bits.
_LONGEST_LINE: Final = 64
_FIRST_LINE: Final = re.compile(rb"0 \d+\n")

# Bytes by which it is recognised, and the fewest that text is told by.
_HEAD: Final = 512
_FEWEST: Final = 8
_PIECE: Final = 1 << 20  # bytes at a time


@dataclass(frozen=True, slots=True)
class FileComparison:
    """A file that was read, and its line in shards.jsonl.

    Attributes:
      path: of the file.
      report: what was found in it so far; problems that the user ignores are not in it.
      expected: the line.
      add: takes a code, and what `problem` takes.
    """

    path: str
    report: ShardReport
    expected: ShardEntry
    add: Add

    def run(self) -> None:
        """Adds what is wrong; a file that differs never goes without a problem, unless all are ignored."""
        report, expected = self.report, self.expected
        if (report.bytes, report.crc32c) == (expected.bytes, expected.crc32c):
            stated = expected.records, expected.digest, expected.last_record_crc32c
            if report.whole and (report.records, report.digest, report.last_crc) != stated:
                self.add("shards_list_damaged", path=SHARDS, detail=f"the line of {report.name}")
            return
        if not report.bytes:
            self.add("file_empty", expected=plural(expected.records, "record"))
        elif report.is_read:
            self._compare_records()
        elif "length_damaged" in report.problem_counts and not report.is_gzip:
            self._compare_sizes()  # damage alone leaves the size as it is
        if not report.problem_counts:
            self._compare_sizes()
        if not report.problem_counts:
            self.add("file_checksum", found=report.crc32c, expected=expected.crc32c)

    def _compare_sizes(self) -> None:
        found, expected = self.report.bytes, self.expected.bytes
        if found != expected:
            self.add("file_size", size=found, expected=expected)

    def _compare_records(self) -> None:
        report, count = self.report, self.expected.records
        if (report.records, report.digest) == (count, self.expected.digest):
            return
        doubled = self._add_doubled()
        found = report.records - doubled
        if found < count:
            self._add_missing(found, count)
        elif found > count:
            self.add("record_count", found=report.records, expected=count)
        elif not doubled and not _OTHER_RECORDS & report.problem_counts.keys():
            self.add("content_digest", self._departure())

    def _add_missing(self, found: int, count: int) -> None:
        if self.report.last_crc == self.expected.last_record_crc32c:
            missing = plural(count - found, "record")
            self.add("record_dropped", self._departure(), count=missing, found=found, expected=count)
        else:
            end = Record(self.report.records, self.report.end, None)
            self.add("cut_between_records", end, found=found, expected=count)

    def _departure(self) -> Record | None:
        """The first record that is not where, or as long as, the index of the file has it."""
        departure = self.report.index_departure
        return Record(departure[0], departure[1], None) if departure else None

    def _add_doubled(self) -> int:
        """Finds records that stand in the file already; reads it once more, which is rare enough."""
        seen: dict[int, int] = {}
        doubled = 0
        with open_shard(self.path) as file:
            for record in read_records(ShardStream(file)):
                if record.payload is None:
                    continue
                first = seen.setdefault(record_digest(record.payload), record.number)
                if first != record.number:
                    self.add("record_doubled", record, other=first)
                    doubled += 1
        return doubled


# --- the index of a shard ---


class IndexCheck:
    """An open index; a context manager.

    Raises:
      OSError: it cannot be opened or read.
    """

    def __init__(self, path: str) -> None:
        self._file = open_binary(path)
        self._records = 0
        self._difference = ""
        self.departure: tuple[int, int] | None = None

    def state(self) -> IndexState:
        """With which another check can go on from here."""
        return IndexState(self._file.tell(), self._difference, self.departure)

    def resume(self, state: IndexState, records: int) -> None:
        """Goes on where another check stood after so many records."""
        self._file.seek(state.position)
        self._records = records
        self._difference = state.difference
        self.departure = state.departure

    def is_of_our_kind(self) -> bool:
        """Whether it begins as the index of a shard does; other programs have other kinds under this name."""
        line = self._file.readline(_LONGEST_LINE)
        self._file.seek(0)
        return _FIRST_LINE.fullmatch(line) is not None

    def expect(self, offset: int, size: int) -> None:
        """The next line must be that of a record at ``offset`` that has ``size`` bytes with its frame."""
        self._records += 1
        if self._difference:
            return
        line = self._file.readline(_LONGEST_LINE)
        if not line:
            self._difference = f"it ends after {self._records - 1} lines"
        elif line != b"%d %d\n" % (offset, size):
            self._difference = f"line {self._records}"
        if self._difference:
            self.departure = self._records - 1, offset

    def difference(self) -> str:
        """Where it differs from the records, after the last of them; empty when it does not."""
        if not self._difference and self._file.read(1):
            return f"it has more than {self._records} lines"
        return self._difference

    def __enter__(self) -> IndexCheck:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


# --- what follows the last record ---


def describe_rest(path: str, offset: int) -> tuple[int, str]:
    """How many bytes stand from an offset of the (uncompressed) stream on, and what they are.

    The second is empty when they may be a record.

    Raises:
      OSError: the file cannot be read any more.
    """
    with open_shard(path) as file:
        stream = ShardStream(file)
        while stream.offset < offset:
            stream.read(min(_PIECE, offset - stream.offset))
        head = stream.peek(_HEAD)
        while stream.read(_PIECE):
            pass
    return stream.offset - offset, _describe(head)


def _describe(rest: bytes) -> str:
    """What follows the last record, when it can be told that it is no record."""
    if not rest.strip(b"\0"):
        return "only zero bytes; what stood there is lost, or was never written"
    if not rest.strip():
        return "only line ends and blanks"
    return describe_foreign(rest) if len(rest) >= _FEWEST else ""
