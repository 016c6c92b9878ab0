"""Whether TFRecords without a manifest are an unfinished dataset of tfrec, and why."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from tfrecordcli.integrity.example_parser import parse_example
from tfrecordcli.integrity.framing import read_records
from tfrecordcli.integrity.stream import ShardStream, open_shard
from tfrecordcli.integrity.wire import NotAnExample
from tfrecordcli.naming import SHARDS, WORK_DIR, parse_shard_name
from tfrecordcli.schema import FEATURES, SPLITS
from tfrecordcli.storage.store_path import Place

_NUMBERED: Final = re.compile(
    r"(?P<before>.*?)(?P<index>\d+)[-_]of[-_](?P<count>\d+)(?P<after>.*)", re.DOTALL
)
_LOOKED_AT: Final = 100  # records of a shard that are read to find one that is an Example


def series_of(name: str) -> str:
    """What shards of one series have in common: `cats-` of `cats-00000-of-00002.tfrecord`."""
    match = _NUMBERED.fullmatch(name)
    return match["before"] if match else ""


def why_unfinished(folder: Place, shards: list[str], names: list[str]) -> str:
    """Why a folder without a manifest is an unfinished dataset; empty when it is a foreign one."""
    found: dict[tuple[str, str, int], set[int]] = {}
    for match in filter(None, map(_NUMBERED.fullmatch, shards)):
        series = match["before"], match["after"], int(match["count"])
        found.setdefault(series, set()).add(int(match["index"]))
    for (before, after, count), indexes in sorted(found.items()):
        if len(indexes) < count:
            return f"{before.rstrip('-_.') or after} has {len(indexes)} of {count} shards"
    return why_ours(folder, shards, names)


def why_ours(folder: Place, shards: list[str], names: list[str]) -> str:
    """Why shards without a manifest beside them are of tfrec; empty when somebody else wrote them."""
    named = [name for name in shards if _has_our_name(name)]
    if not named:
        return ""
    if SHARDS in names or (folder / WORK_DIR).is_dir():
        return "there is no manifest.json"
    for name in named:
        keys = _keys_of_first_record(folder / name)
        if keys is not None:
            always = {key for key, (_, count, _) in FEATURES.items() if count == "1"}
            return "there is no manifest.json" if always <= keys <= FEATURES.keys() else ""
    return "there is no manifest.json, and no record that tells whether tfrec wrote it"


def _has_our_name(name: str) -> bool:
    shard = parse_shard_name(name)
    return shard is not None and shard.split in SPLITS


def _keys_of_first_record(path: Place) -> set[str] | None:
    """The keys of the first record that can be read; None when there is none."""
    try:
        with open_shard(str(path)) as file:
            for record in islice(read_records(ShardStream(file)), _LOOKED_AT):
                if record.payload is not None:
                    return {*parse_example(record.payload)}
    except (OSError, NotAnExample):
        pass
    return None
