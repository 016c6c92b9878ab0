"""One file against its line in shards.jsonl: what explains best that it is not the one that was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tfrecordcli.dataset.shard_info import ShardEntry
from tfrecordcli.formats.digest import record_digest
from tfrecordcli.integrity.reports import ShardReport
from tfrecordcli.naming import SHARDS
from tfrecordcli.tfrecords.framing import Record, read_records
from tfrecordcli.tfrecords.stream import ShardStream, open_shard
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
