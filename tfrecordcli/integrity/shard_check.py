"""One shard: every byte by checksum, every record by itself, and what the manifest says of the file."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Final

from tfrecordcli.formats.digest import add_digests, record_digest
from tfrecordcli.images.check import check_image
from tfrecordcli.images.isolation import checking_in_child
from tfrecordcli.integrity.expectations import FOREIGN, load_expectations
from tfrecordcli.integrity.foreign_kinds import describe_foreign as describe_foreign
from tfrecordcli.integrity.framing import Record, read_records
from tfrecordcli.integrity.image_keys import ImageKeys
from tfrecordcli.integrity.index_check import IndexCheck
from tfrecordcli.integrity.record_check import RecordChecker
from tfrecordcli.integrity.reports import CheckTask, ShardReport
from tfrecordcli.integrity.stream import GzipCut, GzipDamaged, ShardStream, open_shard
from tfrecordcli.naming import INDEX_SUFFIX, SHARDS
from tfrecordcli.problems import problem

# Called after each record with (bytes of its frame, whether something is wrong with it).
OnRecord = Callable[[int, bool], None]


def check_shard(task: CheckTask, on_record: OnRecord | None = None) -> ShardReport:
    """Reads a shard from end to end; problems of the data never raise.

    Raises:
      CheckerKilled: the operating system killed the child that checked an image (isolated tasks).
    """
    return _ShardCheck(task, on_record).run()


# What says of a file that it does not hold the bytes that were written.
_EXPLAINS_OTHER_BYTES: Final = frozenset(
    [
        *("is_gzip", "not_gzip", "not_an_example", "feature_missing", "feature_kind", "feature_count"),
        *("label_unknown", "label_text", "image_damaged", "image_format", "image_size"),
    ]
)
# Bytes by which a file of another kind is recognised, and the fewest of them in a file that is cut.
_HEAD: Final = 512
_SHORTEST_HEAD: Final = 8


class _ShardCheck:
    def __init__(self, task: CheckTask, on_record: OnRecord | None) -> None:
        self.task = task
        self.on_record = on_record
        self.report = ShardReport(task.name, task.split)
        self.is_read = False  # to the end, record by record

    def run(self) -> ShardReport:
        try:
            with ExitStack() as stack:
                stream = ShardStream(stack.enter_context(open_shard(self.task.path)))
                index = self._open_index(stack)
                self._read(stream, index)
                stream.drain()
                difference = index.difference() if index else ""
        except OSError:
            self._add("unreadable")
            self.report.whole = False
            return self.report
        self.report.bytes = stream.file_size
        self.report.crc32c = f"{stream.crc32c:08x}"
        if self.task.expected is not None:
            self._compare(self.task.expected)
        elif not self.report.records and not self.task.manifest_path and self.report.whole:
            self._add("file_without_records")
        if difference and self._is_in_place():
            self._add("index_wrong", detail=difference)
        return self.report

    def _is_in_place(self) -> bool:
        """Whether all records are where they were written: if not, the index tells nothing new."""
        report, expected = self.report, self.task.expected
        if expected is None or report.crc32c == expected["crc32c"]:
            return self.is_read
        return self.is_read and not report.whole and report.bytes == expected["bytes"]

    def _add(self, code: str, record: Record | None = None, path: str = "", **details: Any) -> None:
        number, offset = (record.number, record.offset) if record else (None, None)
        self.report.problem_counts[code] += 1
        if len(self.report.problems) < self.task.max_problems and code not in self.task.ignore:
            self.report.problems.append(problem(code, path or self.task.name, number, offset, **details))

    def _open_index(self, stack: ExitStack) -> IndexCheck | None:
        try:
            return stack.enter_context(IndexCheck(self.task.path + INDEX_SUFFIX))
        except FileNotFoundError:
            if self.task.index:
                self._add("index_missing")
        except OSError:
            self._add("unreadable", path=self.task.name + INDEX_SUFFIX)
        return None

    # --- records ---

    def _read(self, stream: ShardStream, index: IndexCheck | None) -> None:
        head = stream.peek(_HEAD)
        self.is_read = True
        expected = load_expectations(self.task.manifest_path) if self.task.manifest_path else FOREIGN
        digest = 0
        with ExitStack() as stack:
            keys = stack.enter_context(ImageKeys(self.task.keys_folder, self.task.number))
            check = stack.enter_context(checking_in_child()) if self.task.isolate else check_image
            checker = RecordChecker(expected, self.task.check, check)
            for record in read_records(stream):
                self.is_read = not record.damage or self._add_damage(record, stream.is_gzip, head)
                if not self.is_read:
                    break
                self.report.records += 1
                self.report.last_crc = f"{record.crc:08x}"
                if index is not None:
                    index.expect(record.offset, stream.offset - record.offset)
                if record.payload is not None:
                    digest = add_digests(digest, record_digest(record.payload))
                    self._check_record(record, checker, keys)
                if self.on_record:
                    self.on_record(stream.offset - record.offset, bool(record.damage))
        self.report.digest = f"{digest:016x}"
        self._check_name(stream, head)

    def _check_name(self, stream: ShardStream, head: bytes) -> None:
        named_gzip = self.task.name.endswith(".gz")
        if stream.is_gzip and not named_gzip:
            self._add("is_gzip")
        elif named_gzip and not stream.is_gzip and head and "not_tfrecord" not in self.report.problem_counts:
            self._add("not_gzip")

    def _add_damage(self, record: Record, is_gzip: bool, head: bytes) -> bool:
        """Names the damage by its cause; whether the records that follow can be read."""
        self.report.whole = False
        # Damaged gzip data may inflate to something, whose records are damaged then.
        code = (self._gzip_fault if is_gzip else "") or record.damage
        assert code is not None
        if not record.number and code in ("length_damaged", "cut_in_record"):
            kind = describe_foreign(head) if code == "length_damaged" or len(head) >= _SHORTEST_HEAD else ""
            if kind:
                self._add("not_tfrecord", detail=kind)
                return False
            if self.task.name.endswith(".gz") and not is_gzip:
                return False  # `_check_name` says it better
        self._add(code, record)
        return code == "payload_damaged"

    @functools.cached_property
    def _gzip_fault(self) -> str:
        """What is wrong with the gzip stream as such; empty when its own checksums are right."""
        with open_shard(self.task.path) as file:
            stream = ShardStream(file)
            try:
                stream.skip()
            except GzipDamaged:
                return "gzip_damaged"
            except GzipCut:
                is_cut = self.task.expected is None or stream.file_size < self.task.expected["bytes"]
                return "gzip_cut" if is_cut else "gzip_damaged"
        return ""

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
            stated = expected["records"], expected["digest"], expected["last_record_crc32c"]
            if report.whole and (report.records, report.digest, report.last_crc) != stated:
                self._add("shards_list_damaged", path=SHARDS, detail=f"the line of {report.name}")
            return
        if not report.bytes:
            self._add("file_empty", records=expected["records"])
        elif not report.whole or _EXPLAINS_OTHER_BYTES & report.problem_counts.keys():
            return  # what was found inside explains it
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
        if self.report.last_crc == expected["last_record_crc32c"]:
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


def _payloads(stream: ShardStream) -> Iterator[Record]:
    return (record for record in read_records(stream) if record.payload is not None)
