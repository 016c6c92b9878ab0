"""What a path holds: our dataset, an unfinished one, or TFRecord files of somebody else."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfrecordcli.errors import InputError
from tfrecordcli.integrity.example_parser import NotAnExample, parse_example
from tfrecordcli.integrity.framing import read_records
from tfrecordcli.integrity.stream import ShardStream, open_shard
from tfrecordcli.naming import INDEX_SUFFIX, MANIFEST, SHARDS, WORK_DIR, ShardName, parse_shard_name
from tfrecordcli.problems import Problem, problem
from tfrecordcli.schema import FEATURES

# Names under which people keep TFRecords: *.tfrecord, *.tfrecords.gz, *.tfrec, data-00000-of-00010.
_TFRECORD_NAME = re.compile(r"tfrec|-\d+-of-\d+", re.IGNORECASE)
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
        match = _SPLIT_PREFIX.match(name)
        return match[1] if match else ""


def discover(path: str) -> Dataset:
    """Finds out what is at a path.

    Raises:
      InputError: there is nothing, or no TFRecord file.
    """
    if os.path.isfile(path):
        folder, name = os.path.split(path)
        return Dataset(Path(folder or "."), (name,), None, {}, ())
    folder = Path(path)
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError as error:
        raise InputError(f"{path}: no such file or folder, or it cannot be read", "check the path") from error
    if MANIFEST in names:
        return _ours(folder, names)
    return _without_manifest(folder, names)


def _ours(folder: Path, names: list[str]) -> Dataset:
    problems: list[Problem] = []
    manifest = _read_manifest(folder, problems)
    expected = _read_shards_list(folder, manifest, problems) if manifest else {}
    present = [name for name in names if _is_tfrecord_name(name)]
    if manifest is not None and not problems:
        problems += [problem("file_missing", name) for name in sorted(expected.keys() - present)]
        problems += [problem("file_extra", name) for name in present if name not in expected]
        known = {name + INDEX_SUFFIX for name in expected}
        stray = [name for name in names if name.endswith(INDEX_SUFFIX) and name not in known]
        problems += [problem("file_extra", name) for name in stray]
        present = [name for name in present if name in expected]
    return Dataset(folder, tuple(present), manifest, expected, tuple(problems))


def _read_manifest(folder: Path, problems: list[Problem]) -> Mapping[str, Any] | None:
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        if not isinstance(manifest, dict):
            raise ValueError
        for key in ("splits", "labels", "features", "records", "options"):
            manifest[key]
    except OSError:
        problems.append(problem("unreadable", MANIFEST))
    except KeyError as error:
        problems.append(problem("manifest_damaged", MANIFEST, detail=f"it lacks {error}"))
    except ValueError:
        problems.append(problem("manifest_damaged", MANIFEST, detail="it is no JSON object"))
    else:
        return manifest
    return None


def _read_shards_list(
    folder: Path, manifest: Mapping[str, Any], problems: list[Problem]
) -> dict[str, Mapping[str, Any]]:
    try:
        entries = [json.loads(line) for line in (folder / SHARDS).read_bytes().splitlines()]
        listed = {entry["file"]: entry for entry in entries}
        found = {
            split: _sums(entry for entry in entries if entry["split"] == split)
            for split in manifest["splits"]
        }
    except OSError:
        problems.append(problem("shards_list_damaged", SHARDS, detail="it is missing"))
        return {}
    except (ValueError, KeyError, TypeError):
        problems.append(problem("shards_list_damaged", SHARDS, detail="it is no list of shards"))
        return {}
    for split, counts in manifest["splits"].items():
        wanted = (counts["shards"], counts["records"], counts["bytes"])
        if found[split] != wanted:
            detail = f"shards, records, bytes of {split} add up to {found[split]} instead of {wanted}"
            problems.append(problem("shards_list_damaged", SHARDS, detail=detail))
    return listed


def _sums(entries: Iterable[Mapping[str, Any]]) -> tuple[int, int, int]:
    chosen = list(entries)
    return len(chosen), sum(e["records"] for e in chosen), sum(e["bytes"] for e in chosen)


def _is_tfrecord_name(name: str) -> bool:
    return _TFRECORD_NAME.search(name) is not None and not name.endswith((INDEX_SUFFIX, ".tmp"))


def _without_manifest(folder: Path, names: list[str]) -> Dataset:
    shards = [name for name in names if _is_tfrecord_name(name)]
    reason = _unfinished(folder, shards)
    if reason:
        return Dataset(folder, (), None, {}, (problem("unfinished", detail=reason),))
    if not shards:
        raise InputError(f"{folder}: there is no TFRecord file in it", "is it the right folder?")
    return Dataset(folder, tuple(shards), None, {}, ())


def _unfinished(folder: Path, names: list[str]) -> str:
    """Why a folder without a manifest is an unfinished dataset; empty when it is a foreign one."""
    if (folder / WORK_DIR).is_dir():
        return "run the same tfrec convert again to finish it"
    shards = [shard for name in names if (shard := parse_shard_name(name))]
    found: dict[tuple[str, int], set[int]] = {}
    for shard in shards:
        found.setdefault((shard.split, shard.count), set()).add(shard.index)
    for (split, count), indexes in sorted(found.items()):
        if len(indexes) < count:
            return f"{split} has {len(indexes)} of {count} shards"
    if any(_holds_our_records(folder, shard) for shard in shards[:1]):
        return "there is no manifest.json"
    return ""


def _holds_our_records(folder: Path, shard: ShardName) -> bool:
    """Whether the first record has just the keys that tfrec writes."""
    try:
        with open_shard(str(folder / str(shard))) as file:
            record = next(read_records(ShardStream(file)), None)
        features = parse_example(record.payload) if record and record.payload else {}
    except (OSError, NotAnExample):
        return False
    always = {key for key, (_, count, _) in FEATURES.items() if count == "1"}
    return always <= features.keys() <= FEATURES.keys()
