"""What is to be fed: the shards of each split, and what the manifest says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tfrecordcli.dataset.manifest import load_manifest, schema_of
from tfrecordcli.dataset.shard_info import ShardEntry
from tfrecordcli.errors import InputError, OutputError
from tfrecordcli.formats.typed_json import from_json
from tfrecordcli.naming import MANIFEST, SHARDS, WORK_DIR
from tfrecordcli.schema import CLASSIFICATION, SPLITS, Schema
from tfrecordcli.storage.store_path import Place, special_kind
from tfrecordcli.workdir.replacement import finish_replacement


@dataclass(frozen=True, slots=True)
class Shard:
    """One file: where it is, how many records it holds, and its size as it is stored."""

    path: str
    records: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Source:
    """One split.

    Attributes:
      split: its name.
      shards: its files, in the order of their numbers.
      compression: as TensorFlow calls it: ``""`` or ``GZIP``.
      records: in all shards.
      bytes: size of all shards, as they are stored.
      digest: order-free digest of the records, 16 hex digits.
      labels: label id -> records that hold it.
      schema: of the records.
    """

    split: str
    shards: tuple[Shard, ...]
    compression: str
    records: int
    bytes: int
    digest: str
    labels: Mapping[int, int]
    schema: Schema = CLASSIFICATION

    @property
    def bytes_per_record(self) -> float:
        """Stored bytes of the mean record; 0 when there is none."""
        return self.bytes / self.records if self.records else 0.0


def open_dataset(path: Place) -> dict[str, Any]:
    """The manifest of a dataset that tfrec wrote.

    Raises:
      InputError: there is none at ``path``, or one that this version does not know.
      BusyError: it is being replaced at this moment.
    """
    finish_replacement(path)
    try:
        manifest = load_manifest(path) if path.is_dir() else None
    except OSError as error:
        raise InputError(
            f"{path}: manifest.json cannot be read", "is this the folder that tfrec convert wrote?"
        ) from error
    except OutputError as error:
        hint = error.hint if error.code == "newer" else "tfrec verify tells more"
        raise InputError(error.message, hint) from error
    if manifest is None:
        raise InputError(f"{path}: {_what_is_missing(path)}", _cure(path))
    return manifest


def read_sources(folder: Place, manifest: Mapping[str, Any]) -> list[Source]:
    """The splits of a dataset that have shards: train, validation, test.

    Raises:
      InputError: shards.jsonl is missing or damaged, or the manifest lacks something.
    """
    try:
        lines = (folder / SHARDS).read_bytes().splitlines()
        shards: dict[str, list[Shard]] = {}
        for line in lines:
            entry = from_json(ShardEntry, line)
            shard = Shard(str(folder / entry.file), entry.records, entry.bytes)
            shards.setdefault(entry.split, []).append(shard)
        schema = schema_of(manifest)
        gzip = manifest["options"]["shard"]["compression"] == "gzip"
        return [
            _source(split, shards[split], "GZIP" if gzip else "", manifest["splits"][split], schema)
            for split in SPLITS
            if split in manifest["splits"] and split in shards
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{folder}: {SHARDS} or {MANIFEST} is missing or damaged", "tfrec verify tells more"
        ) from error


def _source(
    split: str, shards: list[Shard], compression: str, counts: Mapping[str, Any], schema: Schema
) -> Source:
    labels = {int(label): count for label, count in counts["labels"].items()}
    sums = (counts["records"], counts["bytes"], counts["digest"])
    return Source(split, tuple(shards), compression, *sums, labels, schema)


def _what_is_missing(path: Place) -> str:
    if not path.is_dir():
        what = special_kind(path) or "a file"
        return f"{what}, where the folder of a dataset is needed" if path.exists() else "no such folder"
    if (path / WORK_DIR).is_dir():
        return "this conversion was not finished"
    return f"there is no {MANIFEST}, which is needed to know the splits, counts and labels"


def _cure(path: Place) -> str:
    if (path / WORK_DIR).is_dir():
        return "run the same tfrec convert again to finish it"
    return "give the folder that tfrec convert wrote; read other TFRecords with tf.data.TFRecordDataset"
