"""File names of a dataset: `train-00003-of-00010.tfrecord` and what stands beside the shards."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tfrecordcli.schema import CLASS_LABEL, OBJECT_LABEL, ROW_LABEL

MANIFEST: Final = "manifest.json"
SHARDS: Final = "shards.jsonl"
LABELS: Final = "labels.txt"
REJECTS: Final = "rejects.csv"
LABEL_MAP: Final = "label_map.pbtxt"
BOXES_LEFT_OUT: Final = "boxes-left-out.csv"
WORK_DIR: Final = "_tfrec"

# Of TensorFlow Datasets, which has names of classes in a file called like the feature.
TFDS_INFO: Final = "dataset_info.json"
TFDS_FEATURES: Final = "features.json"
TFDS_NAMES_SUFFIX: Final = ".labels.txt"


def tfds_names_file(key: str) -> str:
    """The file of TensorFlow Datasets with the names of the classes of a feature."""
    return key.replace("/", ".") + TFDS_NAMES_SUFFIX


TFDS_FILES: Final = (TFDS_INFO, TFDS_FEATURES, *map(tfds_names_file, (CLASS_LABEL, OBJECT_LABEL, ROW_LABEL)))

# Files that one conversion may leave in OUTPUT_DIR beside the shards and their indexes.
SIDE_FILES: Final = (MANIFEST, SHARDS, LABELS, REJECTS, LABEL_MAP, BOXES_LEFT_OUT, *TFDS_FILES)

COMPRESSIONS: Final = {"none": ".tfrecord", "gzip": ".tfrecord.gz"}
INDEX_SUFFIX: Final = ".idx"

_MIN_PLACES = 5  # tfds and slim write five places too; more only when the count needs them
_SHARD = re.compile(
    r"(?P<split>[A-Za-z][A-Za-z0-9_]*)-(?P<index>[0-9]{5,})-of-(?P<count>[0-9]{5,})"
    r"(?P<suffix>\.tfrecord(?:\.gz)?)"
)


@dataclass(frozen=True, slots=True, order=True)
class ShardName:
    """One shard of one split: ``index`` from 0, ``count`` shards in all."""

    split: str
    index: int
    count: int
    compression: str = "none"

    def __post_init__(self) -> None:
        if not 0 <= self.index < self.count:
            raise ValueError(f"shard index must be in [0, {self.count - 1}], got {self.index}")

    @property
    def stem(self) -> str:
        """`train-00003-of-00010`, without a suffix."""
        places = max(_MIN_PLACES, len(str(self.count)))
        return f"{self.split}-{self.index:0{places}d}-of-{self.count:0{places}d}"

    def __str__(self) -> str:
        return self.stem + COMPRESSIONS[self.compression]


def parse_shard_name(name: str) -> ShardName | None:
    """The shard that a file name stands for, or None when it is not the name of a shard."""
    match = _SHARD.fullmatch(name)
    if match is None or int(match["index"]) >= int(match["count"]):
        return None
    compression = "gzip" if match["suffix"].endswith(".gz") else "none"
    return ShardName(match["split"], int(match["index"]), int(match["count"]), compression)


def is_dataset_file(name: str) -> bool:
    """Whether tfrec writes files of this name into an output directory."""
    return name in SIDE_FILES or parse_shard_name(name.removesuffix(INDEX_SUFFIX)) is not None
