"""Finds the same image, or the same id, twice among any number of records, in the memory of a few.

Each gets a key of 64 bits (two checksums of different polynomials). Keys go to files by their
first bits, each process to its own; those of one bucket at a time are sorted, and equal keys are
neighbours then. A bucket too large for that is split by the bits that follow. NumPy sorts, and is loaded only
where something is to be sorted: loading it takes as long as looking at some hundred images.
"""

from __future__ import annotations

import os
import struct
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import google_crc32c

from tfrecordcli.errors import ResourceError
from tfrecordcli.storage.scratch import scratch_error

try:
    from isal.isal_zlib import crc32
except ImportError:  # no wheel for this platform: the same values, more slowly
    from zlib import crc32

# One key with its place, and the same for NumPy.
_ENTRY: Final = struct.Struct("<QIIQ")
_FIELDS: Final = [("key", "<u8"), ("shard", "<u4"), ("record", "<u4"), ("offset", "<u8")]
_BUCKET_BITS: Final = 4
_BUFFERED: Final = 1 << 14
# Entries of a bucket that are sorted at once (48 MB and their order); a larger one is split again.
_MOST: Final = 1 << 21
# Entries of a bucket that are first compared without NumPy.
_FEW: Final = 1 << 14
_KEY_BITS: Final = 64


def source_ids_folder(folder: str) -> str:
    """Where keys of the numbers of images go, beside those of the images in `folder`; empty for no folder."""
    return os.path.join(folder, "source-ids") if folder else ""


class ImageKeys:
    """Collects the keys of one shard's images, or of their numbers; a context manager that writes them out.

    Raises:
      ResourceError: by any method, when they cannot be written.
    """

    def __init__(self, folder: str, shard: int) -> None:
        self._folder = Path(folder) if folder else None
        self._shard = shard
        self._buckets: defaultdict[int, bytearray] = defaultdict(bytearray)
        self._count = 0

    def add(self, image: bytes, record: int, offset: int) -> None:
        if self._folder is None:
            return
        key = google_crc32c.value(image) << 32 | crc32(image)
        self._buckets[key >> _KEY_BITS - _BUCKET_BITS] += _ENTRY.pack(key, self._shard, record, offset)
        self._count += 1
        if self._count >= _BUFFERED:
            self._flush()

    def _flush(self) -> None:
        if self._folder is None or not self._buckets:
            return
        try:
            self._folder.mkdir(exist_ok=True)
            for bucket, entries in self._buckets.items():
                with (self._folder / f"{os.getpid()}-{bucket:02d}").open("ab") as file:
                    file.write(entries)
            self._buckets.clear()
            self._count = 0
        except OSError as error:
            raise _no_room(self._folder, error) from error

    def __enter__(self) -> ImageKeys:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            self._flush()


def _no_room(folder: Path, error: OSError) -> ResourceError:
    return scratch_error(error, folder.parent, f" ({_ENTRY.size} bytes an image are needed)")


def _write_buckets(entries: Any, folder: Path, name: str, shift: int) -> None:
    """Adds entries to the files of their buckets, told by the bits of the key from ``shift`` on."""
    import numpy as np

    buckets = (entries["key"] >> np.uint64(shift)).astype(np.intp) % (1 << _BUCKET_BITS)
    for bucket in np.unique(buckets):
        with (folder / f"{name}-{bucket:02d}").open("ab") as file:
            file.write(entries[buckets == bucket].tobytes())


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Where an image stands: number of the shard, number of the record, offset of the record."""

    shard: int
    record: int
    offset: int


@dataclass(frozen=True, slots=True)
class Twice:
    """One image in two records."""

    first: RecordPlace
    second: RecordPlace


def find_twice(*folders: str) -> Iterator[Twice]:
    """Every record whose image an earlier record has too, paired with the first one that has it.

    Args:
      folders: of the keys; shards in them have numbers of their own each.

    Raises:
      ResourceError: the keys cannot be read, or written again.
    """
    try:
        for bucket in range(1 << _BUCKET_BITS):
            paths = [path for folder in folders for path in Path(folder).glob(f"*-{bucket:02d}")]
            yield from _find_in(paths, _KEY_BITS - _BUCKET_BITS)
    except OSError as error:
        raise _no_room(Path(folders[0]), error) from error


def _find_in(paths: list[Path], shift: int) -> Iterator[Twice]:
    """The pairs of one bucket, whose keys are alike from bit ``shift`` on."""
    entries = sum(path.stat().st_size for path in paths) // _ENTRY.size
    if entries > _MOST and shift:
        yield from _find_in_parts(paths, shift - _BUCKET_BITS)
    elif entries > _FEW or not _are_distinct(paths):
        yield from _pairs(paths)


def _are_distinct(paths: list[Path]) -> bool:
    keys = [key for path in paths for key, *_ in _ENTRY.iter_unpack(path.read_bytes())]
    return len(set(keys)) == len(keys)


def _find_in_parts(paths: list[Path], shift: int) -> Iterator[Twice]:
    import numpy as np

    with tempfile.TemporaryDirectory(dir=paths[0].parent) as folder:
        for path in paths:
            with path.open("rb") as file:
                while len(entries := np.fromfile(file, _FIELDS, _MOST // 4)):
                    _write_buckets(entries, Path(folder), "part", shift)
            path.unlink()
        for part in sorted(Path(folder).iterdir()):
            yield from _find_in([part], shift)


def _pairs(paths: list[Path]) -> Iterator[Twice]:
    """The pairs of a bucket that fits into memory."""
    import numpy as np

    entries = np.concatenate([np.fromfile(path, _FIELDS) for path in paths])
    keys = entries["key"]
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    is_equal = ordered[1:] == ordered[:-1]
    is_twice = np.concatenate((is_equal, [False])) | np.concatenate(([False], is_equal))
    # Unique, since a shard whose worker died is checked again.
    some = np.unique(entries[order[is_twice]])
    first = None
    for entry in some:
        place = RecordPlace(int(entry["shard"]), int(entry["record"]), int(entry["offset"]))
        if first is not None and entry["key"] == first[0]:
            yield Twice(first[1], place)
        else:
            first = entry["key"], place
