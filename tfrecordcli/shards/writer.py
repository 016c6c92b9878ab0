"""`write_shard`: the only code that makes a shard.

It depends on its task and the images alone: no clock, no globals, no randomness. It writes under a
temporary name and renames at the end, so a retry, a duplicate or a restart is harmless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import google_crc32c

from tfrecordcli.boxes import BoxCounts, parse_boxes, places_of
from tfrecordcli.dataset.plan import PlannedRow, ShardTask, damaged_plan, parse_planned_row
from tfrecordcli.dataset.shard_info import LeftOutBox, RecordFacts, RejectedImage, ShardInfo
from tfrecordcli.formats.digest import add_digests, record_digest
from tfrecordcli.formats.example import example_pieces
from tfrecordcli.formats.record_file import RecordFile
from tfrecordcli.images.check import check_image
from tfrecordcli.images.checked_image import CheckedImage
from tfrecordcli.images.gate import need_gate
from tfrecordcli.images.isolation import checking_in_child
from tfrecordcli.naming import INDEX_SUFFIX
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.shards.record import UnencodedRecord, make_record, record_of_row
from tfrecordcli.storage.reading import OpenImage, open_ahead
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.storage.writing import Draft, attempt_path, whole_file, writing_to

Checker = Callable[[bytes, ImageOptions], CheckedImage]
# Called after each row with (bytes read, its rejection or None).
OnRow = Callable[[int, RejectedImage | None], None]


def write_shard(task: ShardTask, on_row: OnRow | None = None) -> ShardInfo:
    """Makes one shard.

    Raises:
      ResourceError, OutputError: the machine, not the data, is in the way; the shard is not there.
      StoreError, OutageError: a store is; the shard is not there.
      CheckerKilled: the operating system killed the child that checked an image (isolated tasks).
    """
    need_gate(task.gate)
    shard = place_of(task.shard_path)
    with writing_to(shard.parent), Draft(shard, attempt_path(task.temporary_path)) as draft:
        info = _write_to(draft, task, on_row)
        draft.publish()
        return info


def _write_to(draft: Draft, task: ShardTask, on_row: OnRow | None) -> ShardInfo:
    gzip = task.name.compression == "gzip"
    with RecordFile(str(draft.path), gzip=gzip, index=task.index) as file:
        draft.forget_name()
        if task.schema.task == "tabular":
            info = _write_rows(task, file, on_row)
        elif task.isolate:
            with checking_in_child() as checker:
                info = _write_records(task, file, checker, on_row)
        else:
            info = _write_records(task, file, check_image, on_row)
    if file.index is not None:
        # The layout that DALI and the PyTorch readers take: offset and framed size, a line each.
        with whole_file(place_of(task.shard_path + INDEX_SUFFIX), Path(task.temporary_path).parent) as lines:
            lines.writelines(f"{offset} {size}\n" for offset, size in file.index)
    return info


def _write_records(task: ShardTask, file: RecordFile, check: Checker, on_row: OnRow | None) -> ShardInfo:
    made = _Made()
    for number, (row, source) in enumerate(_images_of(task), task.first + 1):
        try:
            data = source.read(task.image.max_image_bytes)
            size = len(data)
            image = check(data, task.image)
            record = make_record(row, image, number, task)
        except Rejected as problem:
            reject = made.add_reject(row, problem)
            if on_row:
                on_row(0, reject)
            continue
        example = example_pieces(record.features)
        file.append(*example)
        made.add_record(record, image, example, size)
        if on_row:
            on_row(size, None)
    file.finish()
    return made.info(task, file)


def _write_rows(task: ShardTask, file: RecordFile, on_row: OnRow | None) -> ShardInfo:
    """The same of rows without images, of which nothing is left to be rejected."""
    made = _Made()
    for row in _rows_of(task):
        record = record_of_row(row, task.schema)
        example = example_pieces(record.features)
        file.append(*example)
        made.add_row(record, example)
        if on_row:
            on_row(0, None)
    file.finish()
    return made.info(task, file)


class _Made:
    """What came of the rows of a shard so far."""

    def __init__(self) -> None:
        self._digest = self._bytes_read = 0
        self._labels: Counter[int] = Counter()
        self._notes: Counter[str] = Counter()
        self._facts = RecordFacts()
        self._boxes = BoxCounts()
        self._left_out: list[LeftOutBox] = []
        self._rejects: list[RejectedImage] = []

    def add_reject(self, row: PlannedRow, problem: Rejected) -> RejectedImage:
        places = places_of(row.boxes) if row.boxes else []
        self._boxes.rejected += len(places)
        also = tuple(sorted({*places} - {row.line}))
        self._rejects.append(RejectedImage(row.line, row.image_uri, problem.code, problem.reason, also))
        return self._rejects[-1]

    def add_record(
        self, record: UnencodedRecord, image: CheckedImage, example: Sequence[bytes], size: int
    ) -> None:
        self._bytes_read += size
        labels = len(record.label_ids)
        self._facts.add_record(image.height, image.width, image.channels, labels, image.format)
        self._add(record, example)
        for note in record.notes:
            self._notes[note] += 1
        if record.boxes is not None:
            self._boxes.add(record.boxes)
            self._left_out += record.left_out

    def add_row(self, record: UnencodedRecord, example: Sequence[bytes]) -> None:
        """Takes in a record without an image."""
        self._facts.add_row(len(record.label_ids))
        self._add(record, example)

    def _add(self, record: UnencodedRecord, example: Sequence[bytes]) -> None:
        self._digest = add_digests(self._digest, record_digest(*example))
        for label in record.label_ids:
            self._labels[label] += 1

    def info(self, task: ShardTask, file: RecordFile) -> ShardInfo:
        return ShardInfo(
            file=str(task.name),
            split=task.name.split,
            planned=task.planned,
            records=task.planned - len(self._rejects),
            bytes=file.size,
            crc32c=f"{file.crc32c:08x}",
            last_record_crc32c=f"{file.last_crc:08x}",
            digest=f"{self._digest:016x}",
            bytes_read=self._bytes_read,
            labels=dict(sorted(self._labels.items())),
            notes=dict(sorted(self._notes.items())),
            codecs={} if task.schema.task == "tabular" else _codecs(),
            rejects=tuple(self._rejects),
            facts=self._facts,
            boxes=self._boxes,
            left_out=tuple(self._left_out),
            made_of=task.made_of,
        )


def _codecs() -> dict[str, str]:
    from tfrecordcli.images.codec_versions import (
        codec_versions,  # loads Pillow, which rows without images do without
    )

    return codec_versions()


def _images_of(task: ShardTask) -> Iterator[tuple[PlannedRow, OpenImage]]:
    """The rows of a task with their images, each opened a little before its turn."""
    images = ((row, row.image_uri) for row in _rows_of(task))
    yield from open_ahead(images, task.image_root, task.image.max_image_bytes)


def _rows_of(task: ShardTask) -> Iterator[PlannedRow]:
    path = place_of(task.rows_path)
    if not path.is_file():
        raise damaged_plan(path, path.parent.parent, "it is gone")
    with path.open("rb") as lines:
        yield from _planned_rows(lines, task)


def _planned_rows(lines: Iterable[bytes], task: ShardTask) -> Iterator[PlannedRow]:
    """The rows of a task file.

    Raises:
      OutputError: they are not those that were planned.
    """
    path = place_of(task.rows_path)
    plan = path.parent.parent
    has_columns = bool(task.schema.columns)
    count = crc = 0
    for line in lines:
        count += 1
        crc = google_crc32c.extend(crc, line)
        try:
            row = parse_planned_row(line.decode())
            if row.extras or has_columns:
                task.schema.further_values(row.extras)
            if row.boxes and len(parse_boxes(row.boxes, task.schema.attributes).boxes) != len(row.label_ids):
                raise ValueError("boxes and labels differ in number")
        except ValueError as error:
            raise damaged_plan(path, plan, f"row {count:,} is none") from error
        yield row
    if count != task.planned:
        raise damaged_plan(path, plan, f"{count:,} rows where {task.planned:,} were planned")
    if crc != task.rows_crc32c:
        raise damaged_plan(path, plan, "it was edited")
