"""One shard: every byte by checksum, every record by itself, and what the manifest says of the file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from tfrecordcli.formats.digest import add_digests, record_digest
from tfrecordcli.images.check import check_image
from tfrecordcli.integrity.expectations import FOREIGN, load_expectations
from tfrecordcli.integrity.framing import Record, read_records
from tfrecordcli.integrity.image_keys import ImageKeys
from tfrecordcli.integrity.record_check import RecordChecker
from tfrecordcli.integrity.stream import ShardStream, open_shard
from tfrecordcli.naming import INDEX_SUFFIX
from tfrecordcli.problems import Problem, problem
from tfrecordcli.shards.isolation import checking_in_child


@dataclass(frozen=True, slots=True)
class CheckTask:
    """One shard to be checked.

    Attributes:
      path: absolute.
      name: relative to the dataset; how problems call it.
      number: of the shard among those checked, from 0.
      split: that it belongs to; "" when that is not known.
      expected: its line of shards.jsonl; None without a manifest.
      manifest_path: of the dataset; "" without one.
      check: ``decode`` or ``structure``.
      index: whether an index must be there; one that is there is always checked.
      keys_folder: where keys of its images go, to find the same image twice.
      max_problems: of this shard that are kept; all are counted.
      isolate: whether images are checked in a child process, after a crash.
    """

    path: str
    name: str
    number: int
    split: str
    expected: Mapping[str, Any] | None
    manifest_path: str
    check: str
    index: bool
    keys_folder: str
    max_problems: int
    isolate: bool = False


@dataclass(slots=True)
class ShardReport:
    """What was found in one shard; ``labels`` counts records by label id."""

    name: str
    split: str
    records: int = 0
    bytes: int = 0
    image_bytes: int = 0
    images: int = 0
    crc32c: str = ""
    digest: str = ""
    last_crc: str = ""
    labels: Counter[int] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    problem_counts: Counter[str] = field(default_factory=Counter)
    whole: bool = True


def check_shard(task: CheckTask) -> ShardReport:
    """Reads a shard from end to end; problems of the data never raise."""
    return _ShardCheck(task).run()


class _ShardCheck:
    def __init__(self, task: CheckTask) -> None:
        self.task = task
        self.report = ShardReport(task.name, task.split)
        self.offsets: list[tuple[int, int]] | None = None

    def run(self) -> ShardReport:
        try:
            with open_shard(self.task.path) as file:
                stream = ShardStream(file)
                self._check_name(stream)
                if os.path.exists(self.task.path + INDEX_SUFFIX):
                    self.offsets = []
                self._read(stream)
                stream.drain()
        except OSError:
            self._add("unreadable")
            self.report.whole = False
            return self.report
        self.report.bytes = stream.file_size
        self.report.crc32c = f"{stream.crc32c:08x}"
        if self.task.expected is not None:
            self._compare(self.task.expected)
        self._check_index()
        return self.report

    def _add(self, code: str, record: Record | None = None, **details: Any) -> None:
        number, offset = (record.number, record.offset) if record else (None, None)
        self.report.problem_counts[code] += 1
        if len(self.report.problems) < self.task.max_problems:
            self.report.problems.append(problem(code, self.task.name, number, offset, **details))

    def _check_name(self, stream: ShardStream) -> None:
        named_gzip = self.task.name.endswith(".gz")
        if stream.is_gzip and not named_gzip:
            self._add("is_gzip")
        elif named_gzip and not stream.is_gzip and stream.peek(1):
            self._add("not_gzip")

    # --- records ---

    def _read(self, stream: ShardStream) -> None:
        head = stream.peek(512)
        expected = load_expectations(self.task.manifest_path) if self.task.manifest_path else FOREIGN
        digest = 0
        with ExitStack() as stack:
            keys = stack.enter_context(ImageKeys(self.task.keys_folder, self.task.number))
            check = stack.enter_context(checking_in_child()) if self.task.isolate else check_image
            checker = RecordChecker(expected, self.task.check, check)
            for record in read_records(stream):
                if record.damage:
                    self._add_damage(record, head)
                self.report.records += record.damage in (None, "payload_damaged")
                self.report.last_crc = f"{record.crc:08x}"
                if self.offsets is not None and record.damage != "length_damaged":
                    self.offsets.append((record.offset, stream.offset - record.offset))
                if record.payload is not None:
                    digest = add_digests(digest, record_digest(record.payload))
                    self._check_record(record, checker, keys)
        self.report.digest = f"{digest:016x}"

    def _add_damage(self, record: Record, head: bytes) -> None:
        self.report.whole = False
        assert record.damage is not None
        kind = describe_foreign(head) if record.damage == "length_damaged" and not record.number else ""
        if kind:
            self._add("not_tfrecord", detail=kind)
        else:
            self._add(record.damage, record)

    def _check_record(self, record: Record, checker: RecordChecker, keys: ImageKeys) -> None:
        assert record.payload is not None
        checked = checker.check(record.payload)
        for finding in checked.findings:
            self._add(finding.code, record, **finding.details)
        self.report.labels.update(checked.labels)
        if checked.image is not None:
            self.report.images += 1
            self.report.image_bytes += len(checked.image)
            keys.add(checked.image, record.number)

    # --- the file against its line in shards.jsonl ---

    def _compare(self, expected: Mapping[str, Any]) -> None:
        """Names the one thing that explains best why a file is not the one that was written."""
        report = self.report
        if (report.bytes, report.crc32c) == (expected["bytes"], expected["crc32c"]):
            return
        if not report.bytes:
            self._add("file_empty", records=expected["records"])
        elif not report.whole or "is_gzip" in report.problem_counts or "not_gzip" in report.problem_counts:
            return  # the damage found inside explains it
        elif report.records < expected["records"]:
            self._add_missing(expected)
        elif report.records > expected["records"]:
            if not self._add_doubled():
                self._add("record_count", found=report.records, expected=expected["records"])
        elif report.digest != expected["digest"]:
            self._add("content_digest")
        elif report.bytes != expected["bytes"]:
            self._add("file_size", size=report.bytes, expected=expected["bytes"])
        else:
            self._add("file_checksum", found=report.crc32c, expected=expected["crc32c"])

    def _add_missing(self, expected: Mapping[str, Any]) -> None:
        found, count = self.report.records, expected["records"]
        if self.report.last_crc == expected.get("last_record_crc32c"):
            self._add("record_dropped", count=count - found)
        else:
            self._add("cut_between_records", found=found, expected=count)

    def _add_doubled(self) -> bool:
        """Finds records that stand in the file twice; reads it once more, which is rare enough."""
        seen: dict[int, int] = {}
        found = False
        with open_shard(self.task.path) as file:
            for record in _payloads(ShardStream(file)):
                assert record.payload is not None
                first = seen.setdefault(record_digest(record.payload), record.number)
                if first != record.number:
                    self._add("record_doubled", record, other=first)
                    found = True
        return found

    # --- the index ---

    def _check_index(self) -> None:
        if self.offsets is None:
            if self.task.index:
                self._add("index_missing")
            return
        with open(self.task.path + INDEX_SUFFIX, "rb") as file:
            lines = file.read().splitlines()
        wanted = [b"%d %d" % entry for entry in self.offsets]
        if lines != wanted:
            same = next(
                (i for i, pair in enumerate(zip(lines, wanted, strict=False)) if pair[0] != pair[1]), None
            )
            detail = f"{len(lines)} lines for {len(wanted)} records" if same is None else f"line {same + 1}"
            self._add("index_wrong", detail=detail)


def _payloads(stream: ShardStream) -> Iterator[Record]:
    return (record for record in read_records(stream) if record.payload is not None)


_FOREIGN = (
    ((b"<!doctype html", b"<html"), "it is a web page"),
    ((b"version https://git-lfs",), "it is a Git LFS pointer"),
    ((b"<?xml", b"<"), "it is XML"),
    ((b"{", b"["), "it is JSON"),
    ((b"\xff\xd8\xff", b"\x89png\r\n", b"gif8"), "it is an image"),
    ((b"pk\x03\x04",), "it is a zip archive"),
    ((b"%pdf",), "it is a PDF"),
)


def describe_foreign(head: bytes) -> str:
    """What a file that is no TFRecord file is, by its first bytes; empty when that cannot be told."""
    start = head.lstrip().lower()
    for magics, kind in _FOREIGN:
        if start.startswith(magics):
            return kind
    if head and not head.strip(b"\0"):
        return "it holds only zero bytes"
    if head and all(byte >= 32 or byte in b"\t\r\n" for byte in head):
        return "it is text"
    return ""
