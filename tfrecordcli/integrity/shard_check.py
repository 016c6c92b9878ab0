"""One shard: every byte by checksum, every record by itself, and what the manifest says of the file."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final

from tfrecordcli.errors import ResourceError
from tfrecordcli.formats.digest import add_digests, record_digest
from tfrecordcli.images.check import check_image
from tfrecordcli.images.checked_image import CheckedImage
from tfrecordcli.images.isolation import checking_in_child
from tfrecordcli.integrity.duplicates import ImageKeys, source_ids_folder
from tfrecordcli.integrity.file_check import FileComparison, IndexCheck, describe_rest
from tfrecordcli.integrity.image_check import RecordFinding
from tfrecordcli.integrity.manifest_check import foreign_expectations, load_expectations
from tfrecordcli.integrity.record_check import CheckedRecord, CheckImage, RecordChecker, looking_options
from tfrecordcli.integrity.reports import CheckTask, ShardReport
from tfrecordcli.naming import INDEX_SUFFIX
from tfrecordcli.options import ImageOptions
from tfrecordcli.problems import problem
from tfrecordcli.storage.files import why_unreadable
from tfrecordcli.tfrecords.foreign import describe_change, describe_foreign
from tfrecordcli.tfrecords.record_reader import Record, read_records
from tfrecordcli.tfrecords.shard_stream import GzipCut, GzipDamaged, ShardStream, open_shard
from tfrecordcli.units import plural

# Called after each record with (bytes of its frame, whether something is wrong with it).
OnRecord = Callable[[int, bool], None]


def check_shard(task: CheckTask, on_record: OnRecord | None = None) -> ShardReport:
    """Reads a shard, or a part of it, from end to end; problems of the data never raise.

    What can only be told of the whole file is left to `judge` when there are several parts.

    Raises:
      CheckerKilled: the operating system killed the child that checked an image (isolated tasks).
    """
    return _ShardCheck(task, on_record).run()


def judge(task: CheckTask, report: ShardReport) -> None:
    """Adds to a report of all records of a shard what can be told of the file.

    Raises:
      ResourceError: the machine is in the way.
    """
    check = _ShardCheck(task, None)
    check.report = report
    check.judge()


# Bytes by which a file of another kind is recognised, and the fewest of them in a file that is cut.
_HEAD: Final = 512
# Sets of keys that hold the images of records: how many are distinguished, and their characters.
_MOST_KEYS, _LONGEST_KEYS = 64, 1_000
_SHORTEST_HEAD: Final = 8


class _ShardCheck:
    def __init__(self, task: CheckTask, on_record: OnRecord | None) -> None:
        self.task = task
        self.on_record = on_record
        self.report = ShardReport(task.name, task.split, part=task.part.number if task.part else 0)
        self._record: Record | None = None  # that is being checked

    def run(self) -> ShardReport:
        try:
            with ExitStack() as stack:
                part = self.task.part
                file = stack.enter_context(open_shard(self.task.path))
                stream = ShardStream(file, part.begin, part.crc32c) if part else ShardStream(file)
                is_last = part is None or part.end is None
                index = self._open_index(stack) if is_last else None
                self._read(stream, index)
                if is_last:
                    self._end(stream, index)
            self.report.is_done = True
            if part is None:
                self.judge()
        except OSError as error:
            self._add("unreadable", detail=why_unreadable(error))
            self.report.whole = self.report.is_done = False
        return self.report

    def _end(self, stream: ShardStream, index: IndexCheck | None) -> None:
        """Reads what follows the records, for size and checksum of the file."""
        stream.drain()
        report = self.report
        report.bytes = stream.file_size
        report.crc32c = f"{stream.crc32c:08x}"
        if index is not None:
            report.index_difference, report.index_departure = index.difference(), index.departure

    def judge(self) -> None:
        """What can be told of the whole file."""
        task, report = self.task, self.report
        if task.expected is not None:
            FileComparison(task.path, report, task.expected, self._add).run()
        elif not report.records and not task.manifest_path and report.whole:
            self._add("file_without_records")
        if report.index_difference and self._is_in_place():
            self._add("index_wrong", detail=report.index_difference)

    def _is_in_place(self) -> bool:
        """Whether all records are where they were written: if not, the index tells nothing new."""
        report, expected = self.report, self.task.expected
        if expected is None or report.crc32c == expected.crc32c:
            return report.is_read
        return report.is_read and not report.whole and report.bytes == expected.bytes

    def _add(self, code: str, record: Record | None = None, path: str = "", **details: Any) -> None:
        if code in self.task.ignore:  # what is ignored explains nothing either
            return
        number, offset = (record.number, record.offset) if record else (None, None)
        self.report.problem_counts[code] += 1
        if len(self.report.problems) < self.task.max_problems:
            self.report.problems.append(problem(code, path or self.task.name, number, offset, **details))

    def _tell(self, finding: RecordFinding) -> None:
        self._add(finding.code, self._record, **finding.details)

    def _open_index(self, stack: ExitStack) -> IndexCheck | None:
        try:
            index = stack.enter_context(IndexCheck(self.task.path + INDEX_SUFFIX))
        except FileNotFoundError:
            if self.task.index:
                self._add("index_missing")
        except OSError as error:
            self._add("unreadable", path=self.task.name + INDEX_SUFFIX, detail=why_unreadable(error))
        else:
            if self.task.manifest_path or index.is_of_our_kind():
                if part := self.task.part:
                    index.resume(part.index, part.first_record)
                return index
            self.report.index_skipped = True
        return None

    # --- records ---

    def _read(self, stream: ShardStream, index: IndexCheck | None) -> None:
        head = stream.peek(_HEAD)
        is_compared = bool(self.task.manifest_path)
        expected = (
            load_expectations(self.task.manifest_path)
            if is_compared
            else foreign_expectations(self.task.declared)
        )
        digest = last_crc = 0
        with ExitStack() as stack:
            keys = stack.enter_context(ImageKeys(self.task.keys_folder, self.task.number))
            ids = stack.enter_context(ImageKeys(source_ids_folder(self.task.keys_folder), self.task.number))
            check = checking_apart(stack) if self.task.isolate else check_image
            options = looking_options(self.task)
            checker = RecordChecker(expected, options, check, self._tell)
            first, end = (part.first_record, part.end) if (part := self.task.part) else (0, None)
            for record in read_records(stream, first, end):
                if record.damage and not self._add_damage(record, stream, head):
                    break
                self.report.records += 1
                last_crc = record.crc
                self.report.end = stream.offset
                if index is not None:
                    index.expect(record.offset, stream.offset - record.offset)
                self._record = record
                if record.payload is not None:
                    if is_compared:
                        digest = add_digests(digest, record_digest(record.payload))
                    self._check_record(record, checker, keys, ids)
                if self.on_record:
                    self.on_record(stream.offset - record.offset, bool(record.damage))
        self.report.digest = f"{digest:016x}"
        self.report.last_crc = f"{last_crc:08x}"
        self.report.is_gzip = stream.is_gzip
        if end is None:
            self._check_name(stream, head)

    def _check_name(self, stream: ShardStream, head: bytes) -> None:
        named_gzip = self.task.name.lower().endswith(".gz")
        if stream.is_gzip and not named_gzip:
            self._add("is_gzip" if self.task.manifest_path else "gzip_unnamed")
        elif named_gzip and not stream.is_gzip and head and "not_tfrecord" not in self.report.problem_counts:
            self._add("not_gzip")

    def _add_damage(self, record: Record, stream: ShardStream, head: bytes) -> bool:
        """Names the damage by its cause; whether the records that follow can be read."""
        self.report.whole = False
        if record.damage == "gzip_unread":
            self._add("gzip_unread", record, unread=plural(stream.unread, "byte"))
            self.report.is_read = False
            return False
        is_gzip = stream.is_gzip
        # Damaged gzip data may inflate to something, whose records are damaged then.
        code = (self._gzip_fault if is_gzip else "") or record.damage
        assert code is not None
        if self._add_other_kind(code, record, is_gzip, head):
            self.report.is_read = False
            return False
        if code in ("length_damaged", "cut_in_record") and self._add_trailing(record):
            return False
        self._add(code, record)
        self.report.is_read = code == "payload_damaged"
        return self.report.is_read

    def _add_other_kind(self, code: str, record: Record, is_gzip: bool, head: bytes) -> bool:
        """Names what a file is, or what was done to it, whose very first record is damaged."""
        if record.number or code not in ("length_damaged", "cut_in_record", "payload_damaged"):
            return False
        is_headed = code == "length_damaged" or (code == "cut_in_record" and len(head) >= _SHORTEST_HEAD)
        if kind := describe_foreign(head) if is_headed else "":
            self._add("not_tfrecord", detail=kind)
        elif change := describe_change(head):
            self._add("changed_as_text", detail=change)
        else:  # or else `_check_name` says it better
            return code != "payload_damaged" and not is_gzip and self.task.name.lower().endswith(".gz")
        return True

    def _add_trailing(self, record: Record) -> bool:
        """Says so if it is no damaged record that begins here, but something else after the last one."""
        expected = self.task.expected
        if not record.number or (expected is not None and record.number != expected.records):
            return False
        size, detail = describe_rest(self.task.path, record.offset)
        if not detail and expected is None:
            return False
        detail = detail or "they are no record"
        self._add("trailing_bytes", record, size=plural(size, "byte"), detail=detail)
        return True

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
                is_cut = self.task.expected is None or stream.file_size < self.task.expected.bytes
                return "gzip_cut" if is_cut else "gzip_damaged"
        return ""

    def _check_record(self, record: Record, checker: RecordChecker, keys: ImageKeys, ids: ImageKeys) -> None:
        assert record.payload is not None
        checked = checker.check(record.payload) or CheckedRecord()
        for label in checked.labels:
            self.report.labels[label] += 1
        self.report.images += checked.images
        self._count_keys(checked.image_keys, record)
        self.report.said.add(checked.features, record.number, record.offset)
        self.report.imageless += not checked.images
        self.report.raw_images += checked.is_raw
        self.report.unsized += checked.is_unsized
        self.report.sequences += checked.is_sequence
        if checked.image is not None:
            keys.add(checked.image, record.number, record.offset)
        if checked.source_id is not None:
            ids.add(checked.source_id, record.number, record.offset)

    def _count_keys(self, keys: frozenset[str], record: Record) -> None:
        together = "\n".join(sorted(keys))
        known = self.report.image_keys
        if together in known:
            known[together][0] += 1
        elif keys and len(known) < _MOST_KEYS and len(together) < _LONGEST_KEYS:
            known[together] = [1, record.number, record.offset]


# --- images that are checked in a child process ---


def checking_apart(stack: ExitStack) -> CheckImage:
    """`check_image` in a child process that ends with the stack.

    Raises:
      ResourceError: by what it returns, when the child cannot be started.
    """
    check = stack.enter_context(checking_in_child())

    def checked(data: bytes, options: ImageOptions) -> CheckedImage:
        try:
            return check(data, options)
        except OSError as error:
            raise ResourceError(
                "the process that checks images cannot be started", "use fewer --workers"
            ) from error

    return checked
