"""manifest.json and shards.jsonl: read, and held against each other before anything relies on them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from tfrecordcli.dataset.checksummed_json import sum_of
from tfrecordcli.dataset.manifest import manifest_checksum, schema_of, sums_of_files
from tfrecordcli.dataset.shard_info import ShardEntry
from tfrecordcli.formats.digest import add_digests
from tfrecordcli.formats.typed_json import MismatchError, from_json
from tfrecordcli.naming import COMPRESSIONS, MANIFEST, SHARDS, parse_shard_name
from tfrecordcli.problems import Problem, problem
from tfrecordcli.schema import LEAST_FEATURES, NO_SPLIT, SCHEMA_VERSION, SPLITS
from tfrecordcli.storage.store_path import Place
from tfrecordcli.tfrecords.files import read_regular, why_unreadable

_FATES: Final = ("records", "rejected", "merged", "discarded")
_ALL_COUNTS: Final = ("rows", *_FATES, "shards", "bytes")
# Keys of which a manifest of tfrec has at least one, whatever became of it.
_MARKS: Final = frozenset(("schema_version", "identity", "splits", "num_labels"))
_HEX: Final = re.compile(r"[0-9a-f]+")


class _Damaged(Exception):
    """What is wrong, in words."""


def is_of_another_program(folder: Place, names: Collection[str]) -> bool:
    """Whether the manifest.json of a folder is none of tfrec, and nothing else there is either."""
    if SHARDS in names or not any(name not in (MANIFEST, SHARDS) for name in names):
        return False
    try:
        manifest = json.loads(read_regular(folder / MANIFEST))
    except (OSError, ValueError, RecursionError):
        return False
    return bool(manifest) and not (isinstance(manifest, dict) and _MARKS & manifest.keys())


def read_manifest(folder: Place, problems: list[Problem]) -> Mapping[str, Any] | None:
    """The manifest, if all that verify needs of it is there; else None and a problem."""
    try:
        manifest = json.loads(read_regular(folder / MANIFEST))
        _check_manifest(manifest)
    except OSError as error:
        problems.append(problem("unreadable", MANIFEST, detail=why_unreadable(error)))
    except KeyError as error:
        problems.append(problem("manifest_damaged", MANIFEST, detail=f"it lacks {error}"))
    except (_Damaged, MismatchError) as error:
        problems.append(problem("manifest_damaged", MANIFEST, detail=str(error)))
    except (ValueError, TypeError, AttributeError, RecursionError):
        problems.append(problem("manifest_damaged", MANIFEST, detail="it is no manifest of tfrec"))
    else:
        values: Mapping[str, Any] = manifest
        return values
    return None


def _check_manifest(manifest: Mapping[str, Any]) -> None:
    """Raises whatever comes of a manifest that is not as tfrec writes it."""
    version = manifest["schema_version"]
    _need(
        type(version) is int and version == SCHEMA_VERSION,
        f"its schema_version is {version!r}, and this tfrec knows {SCHEMA_VERSION}",
    )
    _check_counts(manifest)
    ids = list(manifest["labels"].values())
    _need(all(map(_is_count, ids)) and len({*ids}) == len(ids) == manifest["num_labels"], "its label map")
    _check_features(manifest)
    shard = manifest["options"]["shard"]
    _need(isinstance(shard["index"], bool) and shard["compression"] in COMPRESSIONS, "its options")
    sums_of_files(manifest)
    _need(manifest["checksum"] == manifest_checksum(manifest), "its content differs from its checksum")


def _check_features(manifest: Mapping[str, Any]) -> None:
    """Its features are those of its schema, and this version's are among them."""
    schema = schema_of(manifest)
    features = {key: (entry["kind"], entry["values"]) for key, entry in manifest["features"].items()}
    known = {f.key: (f.kind, f.values) for f in (*LEAST_FEATURES[schema.task], *schema.features)}
    wrong = sorted(key for key in {*features, *known} if features.get(key) != known.get(key))
    _need(not wrong, f"the feature {', '.join(wrong)}")


def _check_counts(manifest: Mapping[str, Any]) -> None:
    splits: Mapping[str, Mapping[str, Any]] = manifest["splits"]
    for split, counts in splits.items():
        _need(split in (*SPLITS, NO_SPLIT), f"there is no split {split}")
        _need(all(_is_count(counts[key]) for key in _ALL_COUNTS), f"the counts of {split} are no numbers")
        fates = sum(counts[key] for key in _FATES)
        _need(counts["rows"] == fates, f"{counts['rows']} rows of {split}, but {fates} that became something")
        if split in SPLITS:
            _need(_is_hex(counts["digest"], 16), f"the digest of {split} is none")
            labels = counts["labels"].items()
            _need(all(str(int(label)) == label and _is_count(n) for label, n in labels), f"labels of {split}")
    for key in ("rows", "records"):
        total = sum(counts[key] for counts in splits.values())
        _need(
            _is_count(manifest[key]) and manifest[key] == total, f"its {key} differ from those of its splits"
        )


def read_shards_list(
    folder: Place, manifest: Mapping[str, Any], problems: list[Problem]
) -> dict[str, ShardEntry]:
    """Name -> line of shards.jsonl; a list that cannot be right is a problem, and not relied on."""
    try:
        data = read_regular(folder / SHARDS)
        entries = [_read_entry(number, line) for number, line in enumerate(data.splitlines(), 1)]
        listed = {entry.file: entry for entry in entries}
        _need(len(listed) == len(entries), "a shard stands there twice")
        for split in SPLITS:
            chosen = [entry for entry in entries if entry.split == split]
            _compare_sums(split, chosen, manifest["splits"].get(split))
        written = sums_of_files(manifest).get(SHARDS)
        _need(written in (None, sum_of(data)), "its content differs from its checksum")
    except FileNotFoundError:
        problems.append(problem("shards_list_damaged", SHARDS, detail="it is missing"))
    except OSError as error:
        problems.append(problem("unreadable", SHARDS, detail=why_unreadable(error)))
    except _Damaged as error:
        problems.append(problem("shards_list_damaged", SHARDS, detail=str(error)))
    else:
        return listed
    return {}


def _read_entry(number: int, line: bytes) -> ShardEntry:
    try:
        return from_json(ShardEntry, line)
    except MismatchError as error:
        raise _Damaged(f"line {number}: {error}") from None
    except ValueError:
        raise _Damaged(f"line {number}") from None


def _compare_sums(split: str, entries: Iterable[ShardEntry], counts: Mapping[str, Any] | None) -> None:
    """The shards of a split together are what the manifest says of it."""
    shards = records = size = digest = 0
    for entry in entries:
        shards += 1
        records += entry.records
        size += entry.bytes
        digest = add_digests(digest, int(entry.digest, 16))
    found = {"shards": shards, "records": records, "bytes": size, "digest": f"{digest:016x}"}
    wanted = counts or {"shards": 0, "records": 0, "bytes": 0, "digest": f"{0:016x}"}
    for key, value in found.items():
        _need(value == wanted[key], f"{key} of {split}: {value} instead of {wanted[key]}")
    names = [parse_shard_name(entry.file) for entry in entries]
    _need(all(name is not None and name.count == shards for name in names), f"the names of {split}")
    numbers = [name.index for name in names if name is not None]
    _need(numbers == sorted(numbers), f"the order of {split}")  # in which readers take the records


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise _Damaged(what)


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_hex(value: object, places: int) -> bool:
    return isinstance(value, str) and len(value) == places and _HEX.fullmatch(value) is not None
