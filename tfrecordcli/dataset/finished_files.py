"""The files of a finished dataset: which are its own, and whether they stand as they were made."""

from __future__ import annotations

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.dataset.shard_info import ShardEntry
from tfrecordcli.errors import OutputError
from tfrecordcli.formats.typed_json import from_json
from tfrecordcli.naming import (
    BOXES_LEFT_OUT,
    INDEX_SUFFIX,
    LABEL_MAP,
    LABELS,
    REJECTS,
    SHARDS,
    SIDE_FILES,
    TFDS_FILES,
    is_dataset_file,
    parse_shard_name,
)
from tfrecordcli.storage.files import open_binary, read_regular
from tfrecordcli.storage.network import map_ahead
from tfrecordcli.storage.store_path import Place, StorePath, size_of


def belongs(name: str, manifest: Manifest | None) -> bool:
    """Whether a file of this name is one of the dataset's, and not only called like one.

    Args:
      manifest: of the dataset; None: it is damaged, and every file that is called like one belongs to it.
    """
    if manifest is None:
        return is_dataset_file(name)
    if name in SIDE_FILES:
        has_labels = bool(manifest.num_labels)
        boxes = manifest.boxes
        return {
            LABELS: has_labels,
            LABEL_MAP: has_labels and boxes is not None,
            REJECTS: bool(manifest.rejected),
            BOXES_LEFT_OUT: boxes is not None and bool(boxes.left_out),
            **{file: file in manifest.files for file in TFDS_FILES},
        }.get(name, True)
    is_index = name.endswith(INDEX_SUFFIX)
    shard = parse_shard_name(name.removesuffix(INDEX_SUFFIX))
    if shard is None or (is_index and not manifest.has_index) or shard.compression != manifest.compression:
        return False
    counts = manifest.splits.get(shard.split)
    return counts is not None and shard.count == counts.shards


def need_files(folder: Place, manifest: Manifest) -> None:
    """Sees that a finished dataset has its files.

    Raises:
      OutputError: one of them is not as long as it was made, or gone.
      StoreError, OutageError: the store that it is on is in the way.
    """
    if name := damaged_file(folder, manifest):
        raise OutputError(
            f"{folder}: complete by its manifest, but {name} is missing or cut",
            "tfrec verify shows what is wrong; tfrec convert --overwrite makes all of it again",
        )


def damaged_file(folder: Place, manifest: Manifest) -> str:
    """The first file of a finished dataset that is not as long as it was made; empty when all are.

    This takes a look at each file, not into it.

    Raises:
      StoreError, OutageError: the store that it is on is in the way.
    """

    def look(line: bytes) -> str:
        entry = from_json(ShardEntry, line)
        name = entry.file
        if not _has_size(folder / name, entry.bytes):
            return name
        index = name + INDEX_SUFFIX
        return index if manifest.has_index and not (folder / index).is_file() else ""

    try:
        with open_binary(folder / SHARDS) as lines:
            shards = 0
            mapping = map_ahead if isinstance(folder, StorePath) else map
            for damaged in mapping(look, lines):
                shards += 1
                if damaged:
                    return damaged
    except (OSError, ValueError):
        return SHARDS
    return _damaged_side_file(folder, manifest) if shards == manifest.total("shards") else SHARDS


def _damaged_side_file(folder: Place, manifest: Manifest) -> str:
    """The same of what stands beside the shards."""
    if manifest.num_labels and not _holds(folder / LABELS, "\n".join([*manifest.labels, ""])):
        return LABELS
    # Whether it is whole is not known: people mend it where it is.
    if manifest.rejected and not (folder / REJECTS).is_file():
        return REJECTS
    others = (name for name in TFDS_FILES if name in manifest.files)
    return next((name for name in others if not _has_size(folder / name, manifest.files[name].bytes)), "")


def _holds(path: Place, text: str) -> bool:
    try:
        return read_regular(path) == text.encode()
    except OSError:
        return False


def _has_size(path: Place, size: int) -> bool:
    try:
        return size_of(path) == size
    except OSError:
        return False
