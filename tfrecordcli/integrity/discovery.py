"""What a path holds: our dataset, an unfinished one, or TFRecord files of somebody else."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfrecordcli.dataset.splits import parse_split
from tfrecordcli.errors import InputError
from tfrecordcli.integrity.example_parser import NotAnExample, parse_example
from tfrecordcli.integrity.framing import read_records
from tfrecordcli.integrity.listing import read_manifest, read_shards_list
from tfrecordcli.integrity.stream import ShardStream, open_shard
from tfrecordcli.naming import INDEX_SUFFIX, MANIFEST, WORK_DIR, parse_shard_name
from tfrecordcli.problems import Problem, problem
from tfrecordcli.schema import FEATURES, SPLITS

# Names under which people keep TFRecords: *.tfrecord, *.tfrecords.gz, *.tfrec, *.record, data-00000-of-00010.
_TFRECORD_NAME = re.compile(r"tfrec|\.records?\b|\d+[-_]of[-_]\d+", re.IGNORECASE)
# What stands beside them under a name that has the same in it.
_BESIDE = (INDEX_SUFFIX, ".tmp", ".index", ".json", ".txt", ".md", ".csv", ".py", ".yaml", ".pbtxt", ".log")
_NUMBERED = re.compile(r"(?P<before>.*?)(?P<index>\d+)[-_]of[-_](?P<count>\d+)(?P<after>.*)", re.DOTALL)
_SPLIT_PREFIX = re.compile(r"([A-Za-z][A-Za-z0-9_]*?)[-_.]\d+[-_]of[-_]\d+")


@dataclass(frozen=True, slots=True)
class Dataset:
    """Files to be verified.

    Attributes:
      folder: that their names are relative to.
      shards: names, sorted; those that the manifest promises and those found beside them.
      manifest: its content; None for foreign files.
      expected: name -> line of shards.jsonl.
      problems: what could be told without opening a shard.
    """

    folder: Path
    shards: tuple[str, ...]
    manifest: Mapping[str, Any] | None
    expected: Mapping[str, Mapping[str, Any]]
    problems: tuple[Problem, ...]

    def split_of(self, name: str) -> str:
        """The split that a shard belongs to; empty when its name does not tell."""
        words = (parse_split(word) for word in re.split(r"[^A-Za-z]+", name) if word)
        known = {word for word in words if word in SPLITS}
        if len(known) == 1:
            return known.pop() or ""
        match = _SPLIT_PREFIX.match(name)
        return match[1] if match else ""


def discover(path: str) -> Dataset:
    """Finds out what is at a path.

    Raises:
      InputError: there is nothing, or no TFRecord file.
    """
    if os.path.isfile(path):
        return _one_file(Path(path))
    folder = Path(path)
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError as error:
        raise InputError(f"{path}: no such file or folder, or it cannot be read", "check the path") from error
    if MANIFEST in names:
        return _ours(folder, names)
    return _without_manifest(folder, names)


def _one_file(path: Path) -> Dataset:
    """One file, with what the manifest beside it says of it, if there is one."""
    problems: list[Problem] = []
    if not (path.parent / MANIFEST).exists() or not _is_tfrecord_name(path.name):
        return Dataset(path.parent, (path.name,), None, {}, ())
    manifest = read_manifest(path.parent, problems)
    expected = read_shards_list(path.parent, manifest, problems) if manifest else {}
    if manifest and not problems and path.name not in expected:
        problems.append(problem("file_extra", path.name))
        manifest = None
    return Dataset(path.parent, (path.name,), manifest, expected, tuple(problems))


def _ours(folder: Path, names: list[str]) -> Dataset:
    problems: list[Problem] = []
    manifest = read_manifest(folder, problems)
    expected = read_shards_list(folder, manifest, problems) if manifest else {}
    present = [name for name in names if _is_tfrecord_name(name)]
    if manifest is not None and not problems:
        problems += [problem("file_missing", name) for name in sorted(expected.keys() - present)]
        problems += [problem("file_extra", name) for name in present if name not in expected]
        known = {name + INDEX_SUFFIX for name in expected}
        stray = [name for name in names if name.endswith(INDEX_SUFFIX) and name not in known]
        problems += [problem("file_extra", name) for name in stray]
        present = [name for name in present if name in expected]
    return Dataset(folder, tuple(present), manifest, expected, tuple(problems))


def _is_tfrecord_name(name: str) -> bool:
    return _TFRECORD_NAME.search(name) is not None and not name.lower().endswith(_BESIDE)


def _without_manifest(folder: Path, names: list[str]) -> Dataset:
    if (folder / WORK_DIR).is_dir():
        detail = "run the same tfrec convert again to finish it"
        return Dataset(folder, (), None, {}, (problem("unfinished", detail=detail),))
    shards = [name for name in names if _is_tfrecord_name(name)]
    if not shards:
        raise InputError(f"{folder}: there is no TFRecord file in it", "is it the right folder?")
    reason = _unfinished(folder, shards)
    problems = (problem("unfinished", detail=reason),) if reason else ()
    return Dataset(folder, tuple(shards), None, {}, problems)


def _unfinished(folder: Path, names: list[str]) -> str:
    """Why a folder without a manifest is an unfinished dataset; empty when it is a foreign one."""
    found: dict[tuple[str, str, int], set[int]] = {}
    for match in filter(None, map(_NUMBERED.fullmatch, names)):
        series = match["before"], match["after"], int(match["count"])
        found.setdefault(series, set()).add(int(match["index"]))
    for (before, after, count), indexes in sorted(found.items()):
        if len(indexes) < count:
            return f"{before.rstrip('-_.') or after} has {len(indexes)} of {count} shards"
    if any(parse_shard_name(name) for name in names) and _hold_our_records(folder, names):
        return "there is no manifest.json"
    return ""


def _hold_our_records(folder: Path, names: Iterable[str]) -> bool:
    """Whether the first record that can be read has just the keys that tfrec writes."""
    always = {key for key, (_, count, _) in FEATURES.items() if count == "1"}
    for name in names:
        try:
            with open_shard(str(folder / name)) as file:
                record = next(read_records(ShardStream(file)), None)
            if record is not None and record.payload is not None:
                return always <= parse_example(record.payload).keys() <= FEATURES.keys()
        except (OSError, NotAnExample):
            continue
    return False
