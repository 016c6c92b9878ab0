"""What manifest.json says of a finished dataset, as a type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from tfrecordcli.boxes import BoxCounts
from tfrecordcli.dataset.checksummed_json import FileSum
from tfrecordcli.dataset.shard_info import Range
from tfrecordcli.formats.typed_json import MismatchError, of_type, plain
from tfrecordcli.naming import COMPRESSIONS, MANIFEST, REJECTS, SIDE_FILES
from tfrecordcli.schema import CLASSIFICATION, NO_SPLIT, SPLITS, Schema

_DIGEST: Final = re.compile(r"[0-9a-f]{16}")
_FATES: Final = ("records", "rejected", "merged", "discarded")
COUNTS: Final = ("rows", *_FATES, "shards", "bytes")


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCounts:
    """One split: its rows by what became of them, and what its records are like.

    The split ``none`` holds the rows that never got one: it has the first seven alone.

    Attributes:
      rows: of the list; each is in one of the four that follow.
      records: written.
      rejected: could not be used.
      merged: of an image that another row has, too.
      discarded: were to be left out.
      shards, bytes: number and size of the files.
      digest: order-free digest of the records (`tfrecordcli.formats.digest`), 16 hex digits.
      bytes_read: size of the source images.
      heights, widths, channels, labels_per_record, formats: as of `RecordFacts`.
      boxes: stored; None where records have none.
      labels: label id -> records that hold it.
    """

    rows: int
    records: int
    rejected: int
    merged: int
    discarded: int
    shards: int
    bytes: int
    digest: str = ""
    bytes_read: int = 0
    heights: Range | None = None
    widths: Range | None = None
    channels: Range | None = None
    labels_per_record: Range | None = None
    formats: Mapping[str, int] = field(default_factory=dict)
    boxes: int | None = None
    labels: Mapping[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if min((*(getattr(self, name) for name in COUNTS), *self.labels.values())) < 0:
            raise ValueError("a count is below 0")
        became = sum(getattr(self, name) for name in _FATES)
        if self.rows != became:
            raise ValueError(f"{self.rows} rows, but {became} that became something")
        if self.digest and not _DIGEST.fullmatch(self.digest):
            raise ValueError("its digest is none")

    def numbers(self) -> dict[str, int]:
        """Its counts of rows and files, and of boxes where it has some."""
        boxes = {} if self.boxes is None else {"boxes": self.boxes}
        return {name: getattr(self, name) for name in COUNTS} | boxes


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A finished dataset. It holds no time, user or path that the user did not write.

    Attributes:
      schema_version: of the layout of records and files (`SCHEMA_VERSION`).
      tool, codecs: name and version of what wrote it; libraries that made its images, with their versions.
      identity: digest of the source and of the options that decide what is written.
      options: these options, by group.
      rows, records: of all splits.
      splits: by name, and ``none`` for rows without one.
      label_kind: whether labels are names or ids.
      num_labels, labels: the label map, name -> id, in the order of ids.
      schema, features: what a record holds; the same for people.
      reasons: code -> rejected rows.
      notes: code -> images of which something is to be told.
      remarks, warnings: what the conversion said of the list.
      files: name -> size and checksum of each file beside the shards.
      box_unit, boxes: of a list of boxes, their unit and what became of them.
      tells_lines: whether a row's number is its line in a file that people have.
      gate: which check judged its JPEGs (`tfrecordcli.images.gate`); None: the portable one, or no images.
      checksum: of all others, 8 hex digits (`tfrecordcli.dataset.manifest_file`).
    """

    schema_version: int
    tool: Mapping[str, str] = field(default_factory=dict)
    codecs: Mapping[str, str] = field(default_factory=dict)
    identity: str
    options: Mapping[str, Mapping[str, Any]]
    rows: int
    records: int
    splits: Mapping[str, SplitCounts]
    label_kind: str
    num_labels: int
    labels: Mapping[str, int]
    schema: Schema = CLASSIFICATION
    features: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    reasons: Mapping[str, int]
    notes: Mapping[str, int]
    remarks: tuple[str, ...] = ()
    warnings: tuple[str, ...]
    files: Mapping[str, FileSum] = field(default_factory=dict)
    box_unit: str = ""
    boxes: BoxCounts | None = None
    tells_lines: bool = True
    gate: str | None = None
    checksum: str = ""

    def __post_init__(self) -> None:
        for split, counts in self.splits.items():
            if split not in (*SPLITS, NO_SPLIT):
                raise MismatchError("there is no such split", f"splits.{split}")
            if split != NO_SPLIT and not counts.digest:
                raise MismatchError("it is missing", f"splits.{split}.digest")
        shard = self.options.get("shard", {})
        if type(shard.get("index")) is not bool or shard.get("compression") not in tuple(COMPRESSIONS):
            raise MismatchError("index or compression is missing", "options.shard")
        if not self.files.keys() <= {*SIDE_FILES} - {MANIFEST}:
            raise MismatchError("files that are none beside the shards", "files")

    @property
    def has_index(self) -> bool:
        """Whether each shard has an index file."""
        return bool(self.options["shard"]["index"])

    @property
    def compression(self) -> str:
        """Of the shards, one of `COMPRESSIONS`."""
        return str(self.options["shard"]["compression"])

    @property
    def rejected(self) -> int:
        """Rows of all splits that could not be used."""
        return self.total("rejected")

    def total(self, name: str) -> int:
        """One of the counts, over all splits."""
        return sum(getattr(counts, name) for counts in self.splits.values())

    def as_json(self) -> dict[str, Any]:
        """Its content, in the order of the file. Large maps are those of the manifest, not copies."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        values["splits"] = {split: _split_values(split, counts) for split, counts in self.splits.items()}
        for name in ("schema", "files", "boxes"):
            values[name] = plain(values[name])
        if self.boxes is None:
            del values["box_unit"], values["boxes"]
        if self.tells_lines:
            del values["tells_lines"]
        if self.gate is None:
            del values["gate"]
        return values


def _split_values(split: str, counts: SplitCounts) -> dict[str, Any]:
    if split == NO_SPLIT:
        return counts.numbers()
    values = {each.name: getattr(counts, each.name) for each in fields(counts)}
    if counts.boxes is None:
        del values["boxes"]
    return values


def parse_manifest(values: Mapping[str, Any]) -> Manifest:
    """The manifest that JSON holds, of this version or an earlier one; what a later one added is left out.

    Raises:
      MismatchError: it is none; the first field that is not as it should be is named.
    """
    known = _fields_of(Manifest, values)
    if isinstance(known.get("splits"), dict):
        known["splits"] = {
            split: _fields_of(SplitCounts, counts) if isinstance(counts, dict) else counts
            for split, counts in known["splits"].items()
        }
    if "files" not in values and "rejects" in values:  # once that file alone was told of
        known["files"] = {REJECTS: values["rejects"]}
    return of_type(Manifest, known)


def _fields_of(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    return {each.name: values[each.name] for each in fields(kind) if each.name in values}
