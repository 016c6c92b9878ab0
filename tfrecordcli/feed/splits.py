"""The splits of a dataset: their shards, what the manifest says of them, and whether they are there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.manifest_file import load_manifest
from tfrecordcli.dataset.shard_info import ShardEntry
from tfrecordcli.errors import InputError, OutputError
from tfrecordcli.formats.typed_json import from_json
from tfrecordcli.naming import MANIFEST, SHARDS, WORK_DIR
from tfrecordcli.schema import CLASSIFICATION, SPLITS, Schema
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.storage.files import read_regular
from tfrecordcli.storage.store_path import Place, StorePath, special_kind
from tfrecordcli.units import plural
from tfrecordcli.workdir.replacement import finish_replacement


@dataclass(frozen=True, slots=True)
class Shard:
    """One file: where it is, how many records it holds, and its size as it is stored."""

    path: str
    records: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Split:
    """One split.

    Attributes:
      name: train, validation or test.
      shards: its files, in the order of their numbers.
      compression: as TensorFlow calls it: ``""`` or ``GZIP``.
      records: in all shards.
      bytes: size of all shards, as they are stored.
      digest: order-free digest of the records, 16 hex digits.
      labels: label id -> records that hold it.
      schema: of the records.
    """

    name: str
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


def open_dataset(path: Place) -> Manifest:
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
        raise _no_dataset(path)
    return manifest


def _no_dataset(path: Place) -> InputError:
    hint = "give the folder that tfrec convert wrote; read other TFRecords with tf.data.TFRecordDataset"
    what = f"there is no {MANIFEST}, which is needed to know the splits, counts and labels"
    if not path.is_dir():
        what = "there is no such folder"
        if path.exists():
            what = f"{special_kind(path) or 'a file'}, where the folder of a dataset is needed"
    elif (path / WORK_DIR).is_dir():
        what, hint = "this conversion was not finished", "run the same tfrec convert again to finish it"
    return InputError(f"{path}: {what}", hint)


def read_splits(folder: Place, manifest: Manifest) -> list[Split]:
    """The splits of a dataset that have shards: train, validation, test.

    Raises:
      InputError: shards.jsonl is missing or damaged.
    """
    try:
        shards: dict[str, list[Shard]] = {}
        for line in read_regular(folder / SHARDS).splitlines():
            entry = from_json(ShardEntry, line)
            shard = Shard(str(folder / entry.file), entry.records, entry.bytes)
            shards.setdefault(entry.split, []).append(shard)
        known = [name for name in SPLITS if name in manifest.splits and name in shards]
        return [_split(name, shards[name], manifest) for name in known]
    except (OSError, ValueError) as error:
        raise InputError(f"{folder}: {SHARDS} is missing or damaged", "tfrec verify tells more") from error


def _split(name: str, shards: list[Shard], manifest: Manifest) -> Split:
    counts = manifest.splits[name]
    return Split(
        name=name,
        shards=tuple(shards),
        compression="GZIP" if manifest.compression == "gzip" else "",
        records=counts.records,
        bytes=counts.bytes,
        digest=counts.digest,
        labels=counts.labels,
        schema=manifest.schema,
    )


def joined_splits(datasets: Iterable[Sequence[Split]], manifest: Manifest) -> list[Split]:
    """The splits of several datasets as one, of which this is the manifest.

    Raises:
      InputError: a split is compressed in one of them and plain in another.
    """
    found: dict[str, list[Split]] = {}
    for split in chain.from_iterable(datasets):
        found.setdefault(split.name, []).append(split)
    return [_joined(found[name], manifest) for name in SPLITS if name in found]


def _joined(parts: Sequence[Split], manifest: Manifest) -> Split:
    first = parts[0]
    if len(parts) == 1:
        return replace(first, schema=manifest.schema)
    if len({part.compression for part in parts}) > 1:
        plain = next(part for part in parts if not part.compression)
        raise InputError(
            f"{first.name} is compressed by gzip in one dataset, and plain in {plain.shards[0].path}",
            "convert one of them again with the --compression of the other",
        )
    shards = [shard for part in parts for shard in part.shards]
    return replace(_split(first.name, shards, manifest), compression=first.compression)


def largest(splits: Iterable[Split]) -> Split | None:
    """The split with most records; None when there is no record at all."""
    return max((s for s in splits if s.records), key=lambda s: s.records, default=None)


def check_presence(folder: Place, splits: Iterable[Split]) -> None:
    """Compares the size of every shard with that of the one that was written.

    On a disk one look at each file, on a store one listing.

    Raises:
      InputError: a file is missing or has another size; it names the first one.
      StoreError, OutageError: the store is in the way.
    """
    shards = [shard for split in splits for shard in split.shards]
    sizes = None
    if isinstance(folder, StorePath):
        found = folder.store.list_folder(folder.key)[1]
        sizes = {f"{folder.scheme}://{folder.bucket}/{each.key}": each.size for each in found}
    wrong = [(shard, size) for shard in shards if (size := _size_of(shard, sizes)) != shard.bytes]
    if not wrong:
        return
    shard, size = wrong[0]
    what = "it is missing" if size is None else f"{plural(size, 'byte')} instead of {shard.bytes:,}"
    more = len(wrong) - 1
    others = "" if not more else f" (and {'one' if more == 1 else f'{more:,}'} more like it)"
    raise InputError(
        f"{folder}: {os.path.basename(shard.path)}: {what}{others}",
        f"{command_line(['tfrec', 'verify', as_path(str(folder))])} says what is wrong",
    )


def _size_of(shard: Shard, sizes: Mapping[str, int] | None) -> int | None:
    """Bytes of a shard; None when there is no such file."""
    if sizes is not None:
        return sizes.get(shard.path)
    try:
        found = os.stat(shard.path)
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
