"""Which files of a folder are TFRecords: by their names, and by their content where a name does not tell."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

from tfrecordcli.naming import INDEX_SUFFIX
from tfrecordcli.schema import SPLITS
from tfrecordcli.split_words import parse_split
from tfrecordcli.storage.store_path import Place
from tfrecordcli.tfrecords.checksum import begins_record
from tfrecordcli.tfrecords.stream import ShardStream, open_shard

# Names that are given to TFRecords alone: *.tfrecord, *.tfrecords.gz, *.tfrec, *.tfr, *.record,
# x.tfrecord-00000-of-00010, data-00000-of-00010; but no part of a checkpoint (x.data-00000-of-00001).
_NAME: Final = re.compile(
    r".*\.(tfrecords?|tfrec|tfr|records?)([-_.]?\d+[-_]of[-_]\d+)?(\.gz)?|(?!.*\.data-).*\d+[-_]of[-_]\d+",
    re.IGNORECASE,
)
# What may be one: train_tfrecord.bin, a.tfrecord.old, and train-00000-of-00001.parquet, which is none.
_LIKE_NAME: Final = re.compile(r"tfrec|\.tfr\b|\.records?\b|\d+[-_]of[-_]\d+", re.IGNORECASE)
# What stands beside them under a name that has the same in it.
_TEXTS: Final = (".json", ".txt", ".md", ".csv", ".py", ".yaml", ".pbtxt", ".log")
_BESIDE: Final = (INDEX_SUFFIX, ".tmp", ".index", *_TEXTS)
# Names of which only the content tells.
_UNNAMED: Final = re.compile(r"[^.]+|.*\.(bin|dat|data|gz|out|part|rec|shard|tf)", re.IGNORECASE)
_FRAME: Final = 12  # bytes before a record's payload


def find_tfrecords(folder: Place, names: Iterable[str]) -> tuple[list[str], list[str]]:
    """The TFRecords among files, sorted, and those that are called like some, but begin like none.

    Args:
      names: of the files, relative to the folder.
    """
    names = list(names)
    found: list[str] = []
    others: list[str] = []
    for name in names:
        base = os.path.basename(name)
        if _NAME.fullmatch(base):
            found.append(name)
        elif is_like_name(base):
            (found if begins_like_shard(folder / name) else others).append(name)
    if not found:
        unnamed = [name for name in names if _UNNAMED.fullmatch(os.path.basename(name))]
        found = [name for name in unnamed if begins_like_shard(folder / name)]
    return sorted(found), sorted(others)


def is_like_name(name: str) -> bool:
    """Whether a file of this name may be a TFRecord file."""
    return _LIKE_NAME.search(name) is not None and not name.lower().endswith(_BESIDE)


def known_split(text: str) -> str:
    """train, validation or test when a word of the text says so, as in `coco_val.tfrecord`; else empty."""
    words = (parse_split(word) for word in re.split(r"[^A-Za-z]+", text) if word)
    return next((split for split in words if split in SPLITS), "")


def is_stray(folder: Place, name: str) -> bool:
    """Whether a file beside the shards was meant to be one, or holds what one does."""
    if _LIKE_NAME.search(name) and not name.lower().endswith(_TEXTS):
        return True
    return name.endswith(INDEX_SUFFIX) or begins_like_shard(folder / name)


def begins_like_shard(path: Place) -> bool:
    """Whether a file, plain or gzip, begins as a record does; what cannot be read does not."""
    try:
        with open_shard(str(path)) as file:
            return begins_record(ShardStream(file).peek(_FRAME))
    except OSError:
        return False
