"""`write_shard`: the only code that makes a shard.

It depends on its task and the images alone: no clock, no globals, no randomness. It writes under a
temporary name and renames at the end, so a retry, a duplicate or a restart is harmless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import google_crc32c

from tfrecordcli import schema
from tfrecordcli.dataset.plan import PlannedRow, ShardTask, damaged_plan, parse_planned_row
from tfrecordcli.dataset.shard_info import RecordFacts, RejectedRow, ShardInfo
from tfrecordcli.formats.digest import add_digests, record_digest
from tfrecordcli.formats.example import Values, encode_example
from tfrecordcli.formats.record_file import RecordFile
from tfrecordcli.images.check import CheckedImage, check_image, codec_versions
from tfrecordcli.images.isolation import checking_in_child
from tfrecordcli.naming import INDEX_SUFFIX
from tfrecordcli.options import ImageOptions
from tfrecordcli.reasons import Rejected
from tfrecordcli.storage.opening import OpenImage, open_ahead
from tfrecordcli.storage.store_path import place_of
from tfrecordcli.storage.uris import public_uri
from tfrecordcli.storage.writing import Draft, attempt_path, whole_file, writing_to

Checker = Callable[[bytes, ImageOptions], CheckedImage]
# Called after each row with (bytes read, its rejection or None).
OnRow = Callable[[int, RejectedRow | None], None]


def write_shard(task: ShardTask, on_row: OnRow | None = None) -> ShardInfo:
    """Makes one shard.

    Raises:
      ResourceError, OutputError: the machine, not the data, is in the way; the shard is not there.
      StoreError, OutageError: a store is; the shard is not there.
      CheckerKilled: the operating system killed the child that checked an image (isolated tasks).
    """
    shard = place_of(task.shard_path)
    with writing_to(shard.parent), Draft(shard, attempt_path(task.temporary_path)) as draft:
        info = _write_to(draft, task, on_row)
        draft.publish()
        return info


def _write_to(draft: Draft, task: ShardTask, on_row: OnRow | None) -> ShardInfo:
    gzip = task.name.compression == "gzip"
    with RecordFile(str(draft.path), gzip=gzip, index=task.index) as file:
        draft.forget_name()
        if task.isolate:
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
    digest = bytes_read = 0
    labels: Counter[int] = Counter()
    notes: Counter[str] = Counter()
    rejects: list[RejectedRow] = []
    facts = RecordFacts()
    for row, source in _images_of(task):
        try:
            data = source.read(task.image.max_image_bytes)
            size = len(data)
            image = check(data, task.image)
        except Rejected as problem:
            rejects.append(RejectedRow(row.line, row.image_uri, problem.code, problem.reason))
            if on_row:
                on_row(0, rejects[-1])
            continue
        record = encode_example(_features(row, image, task.schema))
        file.append(record)
        digest = add_digests(digest, record_digest(record))
        bytes_read += size
        facts.add_record(image.height, image.width, image.channels, len(row.label_ids), image.format)
        for label in row.label_ids:
            labels[label] += 1
        for note in image.notes:
            notes[note] += 1
        if on_row:
            on_row(size, None)
    file.finish()
    return ShardInfo(
        file=str(task.name),
        split=task.name.split,
        planned=task.planned,
        records=task.planned - len(rejects),
        bytes=file.size,
        crc32c=f"{file.crc32c:08x}",
        last_record_crc32c=f"{file.last_crc:08x}",
        digest=f"{digest:016x}",
        bytes_read=bytes_read,
        labels=dict(sorted(labels.items())),
        notes=dict(sorted(notes.items())),
        codecs=codec_versions(),
        rejects=tuple(rejects),
        facts=facts,
    )


def _images_of(task: ShardTask) -> Iterator[tuple[PlannedRow, OpenImage]]:
    """The rows of a task with their images, each opened a little before its turn."""
    path = place_of(task.rows_path)
    if not path.exists():
        raise damaged_plan(path, path.parent.parent, "it is gone")
    with path.open("rb") as lines:
        rows = _planned_rows(lines, task)
        images = ((row, row.image_uri) for row in rows)
        yield from open_ahead(images, task.image_root, task.image.max_image_bytes)


def _planned_rows(lines: Iterable[bytes], task: ShardTask) -> Iterator[PlannedRow]:
    """The rows of a task file.

    Raises:
      OutputError: they are not those that were planned.
    """
    path = place_of(task.rows_path)
    plan = path.parent.parent
    count = crc = 0
    for line in lines:
        count += 1
        crc = google_crc32c.extend(crc, line)
        try:
            row = parse_planned_row(line.decode())
            task.schema.further_values(row.extras)
        except ValueError as error:
            raise damaged_plan(path, plan, f"row {count:,} is none") from error
        yield row
    if count != task.planned:
        raise damaged_plan(path, plan, f"{count:,} rows where {task.planned:,} were planned")
    if crc != task.rows_crc32c:
        raise damaged_plan(path, plan, "it was edited")


# Where the values of each feature come from, but for those that come from further columns of the list.
_VALUES: Final[Mapping[str, Callable[[PlannedRow, CheckedImage], Values]]] = {
    schema.IMAGE_ENCODED: lambda row, image: [image.data],
    schema.IMAGE_FORMAT: lambda row, image: [image.format.encode()],
    schema.IMAGE_HEIGHT: lambda row, image: [image.height],
    schema.IMAGE_WIDTH: lambda row, image: [image.width],
    schema.IMAGE_CHANNELS: lambda row, image: [image.channels],
    schema.IMAGE_FILENAME: lambda row, image: [public_uri(row.image_uri).encode()],
    schema.CLASS_LABEL: lambda row, image: row.label_ids,
    schema.CLASS_TEXT: lambda row, image: [text.encode() for text in row.label_texts],
}


def _features(row: PlannedRow, image: CheckedImage, of: schema.Schema) -> dict[str, Values]:
    features = {each.key: _VALUES[each.key](row, image) for each in of.features if each.column is None}
    if row.extras:
        features |= of.further_values(row.extras)
    return {key: values for key, values in features.items() if values}
