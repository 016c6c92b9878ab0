"""What came of one shard: the facts that its maker leaves in a done record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import Final

from tfrecordcli.boxes import BoxCounts
from tfrecordcli.dataset.checksummed_json import dump, load
from tfrecordcli.dataset.plan import ShardTask
from tfrecordcli.naming import parse_shard_name
from tfrecordcli.schema import SPLITS
from tfrecordcli.storage.files import is_no_file, read_regular
from tfrecordcli.storage.network import map_ahead
from tfrecordcli.storage.store_path import Place, place_of, size_of
from tfrecordcli.storage.uris import is_on_store
from tfrecordcli.storage.writing import write_whole


@dataclass(frozen=True, slots=True)
class RejectedImage:
    """One planned row whose image could not be used.

    Attributes:
      also: further lines of the same image: each of its boxes can have one.
    """

    line: int
    image_uri: str
    code: str
    reason: str
    also: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOutBox:
    """A box that an image was stored without: its line, and a key of `BOX_REASONS`."""

    line: int
    image_uri: str
    label: str
    code: str


_PLACES: Final = {"crc32c": 8, "last_record_crc32c": 8, "digest": 16}
_HEX: Final = re.compile(r"[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """One line of shards.jsonl: what a dataset tells of a shard, with the words of `ShardInfo`."""

    file: str
    split: str
    planned: int
    records: int
    rejected: int
    bytes: int
    crc32c: str
    last_record_crc32c: str
    digest: str

    def __post_init__(self) -> None:
        name = parse_shard_name(self.file)  # which must lead nowhere else
        if name is None or name.split != self.split or self.split not in SPLITS:
            raise ValueError("this is no shard of its split")
        if min(self.records, self.rejected, self.bytes) < 0 or self.planned != self.records + self.rejected:
            raise ValueError("its counts do not add up")
        for field_name, places in _PLACES.items():
            text = getattr(self, field_name)
            if len(text) != places or _HEX.fullmatch(text) is None:
                raise ValueError(f"{field_name} is none")


Range = tuple[int, int]


@dataclass(slots=True)
class RecordFacts:
    """What some records are like, for those who are to read them.

    Attributes:
      heights, widths, channels: smallest and largest of their images; None without a record.
      labels_per_record: the same of how many labels one has.
      formats: format -> images.
    """

    heights: Range | None = None
    widths: Range | None = None
    channels: Range | None = None
    labels_per_record: Range | None = None
    formats: Counter[str] = field(default_factory=Counter)

    def add_record(self, height: int, width: int, channels: int, labels: int, image_format: str) -> None:
        """Takes in one record."""
        self.heights = _widened(self.heights, (height, height))
        self.widths = _widened(self.widths, (width, width))
        self.channels = _widened(self.channels, (channels, channels))
        self.labels_per_record = _widened(self.labels_per_record, (labels, labels))
        self.formats[image_format] += 1

    def add_row(self, labels: int) -> None:
        """Takes in one record without an image."""
        self.labels_per_record = _widened(self.labels_per_record, (labels, labels))

    def add(self, other: RecordFacts) -> None:
        """Takes in other records."""
        self.heights = _widened(self.heights, other.heights)
        self.widths = _widened(self.widths, other.widths)
        self.channels = _widened(self.channels, other.channels)
        self.labels_per_record = _widened(self.labels_per_record, other.labels_per_record)
        self.formats.update(other.formats)


def _widened(known: Range | None, new: Range | None) -> Range | None:
    if known is None or new is None:
        return known or new
    if known[0] <= new[0] and new[1] <= known[1]:
        return known
    return min(known[0], new[0]), max(known[1], new[1])


@dataclass(frozen=True, slots=True)
class ShardInfo:
    """One finished shard.

    Attributes:
      file: name of the shard.
      split: that it belongs to.
      planned, records: rows planned, records written; the difference are ``rejects``.
      bytes: size of the file.
      crc32c: CRC32C of the file, 8 hex digits.
      last_record_crc32c: masked CRC32C of its last record, 8 hex digits: tells a file that lost its end
        from one that lost a record in between.
      digest: order-free digest of its records (`tfrecordcli.formats.digest`), 16 hex digits.
      bytes_read: size of the source images that were read.
      labels: label id -> records that hold it.
      notes: note code -> images (`tfrecordcli.images.notes`).
      codecs: versions of the libraries that checked and re-encoded its images.
      rejects: in the order of the task.
      facts: what its records are like.
      boxes: how many there were, by what became of them.
      left_out: boxes that are not stored, though their image is.
      made_of: as that of its task.
    """

    file: str
    split: str
    planned: int
    records: int
    bytes: int
    crc32c: str
    last_record_crc32c: str
    digest: str
    bytes_read: int
    labels: Mapping[int, int]
    notes: Mapping[str, int]
    codecs: Mapping[str, str]
    rejects: tuple[RejectedImage, ...]
    facts: RecordFacts
    boxes: BoxCounts = field(default_factory=BoxCounts)
    left_out: tuple[LeftOutBox, ...] = ()
    made_of: str = ""

    def entry(self) -> ShardEntry:
        """Its line in shards.jsonl."""
        kept = {each.name: getattr(self, each.name) for each in fields(ShardEntry) if each.name != "rejected"}
        return ShardEntry(**kept, rejected=len(self.rejects))


def save_done_record(info: ShardInfo, path: Place) -> None:
    """Writes a done record in one step; from then on the shard counts as made."""
    write_whole(path, dump(info))


def load_done_record(path: Place) -> ShardInfo | None:
    """The record at ``path``, or None when there is none, or a damaged one: its shard is made again."""
    try:
        return load(ShardInfo, read_regular(path))
    except (FileNotFoundError, ValueError):
        return None
    except OSError as error:
        if is_no_file(error):
            return None
        raise


def done_record(task: ShardTask) -> ShardInfo | None:
    """The done record of a task, or None when there is none, or one of something else."""
    info = load_done_record(place_of(task.done_path))
    if info is None:
        return None
    told = (info.file, info.split, info.planned, info.records + len(info.rejects), info.made_of)
    asked = (str(task.name), task.name.split, task.planned, task.planned, task.made_of)
    return info if told == asked else None


def finished_shard(task: ShardTask) -> ShardInfo | None:
    """The done record of a shard whose file is there and as long as recorded, or None."""
    info = done_record(task)
    if info is None:
        return None
    try:
        size = size_of(place_of(task.shard_path))
    except FileNotFoundError:
        return None
    return info if size == info.bytes else None


def look_up(
    find: Callable[[ShardTask], ShardInfo | None], tasks: Iterable[ShardTask]
) -> Iterator[tuple[ShardTask, ShardInfo | None]]:
    """Each task with what `done_record` or `finished_shard` finds of it, in order."""
    tasks = iter(tasks)
    for first in tasks:
        mapping = map_ahead if is_on_store(first.done_path) else map
        yield from mapping(lambda task: (task, find(task)), chain([first], tasks))
