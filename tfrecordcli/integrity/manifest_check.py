"""manifest.json and what stands beside it, read and checked; what they promise of each record."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from tfrecordcli.dataset.checksummed_json import FileSum, sum_of, sum_of_file
from tfrecordcli.dataset.label_map_pbtxt import from_pbtxt
from tfrecordcli.dataset.manifest import Manifest, SplitCounts, parse_manifest
from tfrecordcli.dataset.manifest_file import manifest_checksum
from tfrecordcli.dataset.shard_info import ShardEntry
from tfrecordcli.errors import InputError
from tfrecordcli.formats.digest import add_digests
from tfrecordcli.formats.typed_json import MismatchError, from_json
from tfrecordcli.integrity.reports import DeclaredSpec
from tfrecordcli.naming import LABEL_MAP, LABELS, MANIFEST, REJECTS, SHARDS, parse_shard_name
from tfrecordcli.problems import Problem, problem
from tfrecordcli.schema import (
    CLASS_LABEL,
    CLASS_TEXT,
    LEAST_FEATURES,
    SCHEMA_VERSION,
    SPLITS,
    Feature,
)
from tfrecordcli.storage.files import read_regular, why_unreadable
from tfrecordcli.storage.store_path import Place
from tfrecordcli.units import plural

# Keys of which a manifest of tfrec has at least one, whatever became of it.
_MARKS: Final = frozenset(("schema_version", "identity", "splits", "num_labels"))

# Files that say what the manifest says.
_EDITED: Final = {LABELS: "labels_edited", LABEL_MAP: "label_map_edited"}


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


def read_manifest(folder: Place, problems: list[Problem]) -> Manifest | None:
    """The manifest, if it is as tfrec writes it; else None and a problem."""
    try:
        values = json.loads(read_regular(folder / MANIFEST))
        if not isinstance(values, dict):
            raise ValueError
        manifest = parse_manifest(values)
        _check_manifest(manifest)
        _need(manifest.checksum == manifest_checksum(values), "its content differs from its checksum")
    except OSError as error:
        problems.append(problem("unreadable", MANIFEST, detail=why_unreadable(error)))
    except (_Damaged, MismatchError) as error:
        problems.append(problem("manifest_damaged", MANIFEST, detail=str(error)))
    except (ValueError, RecursionError):
        problems.append(problem("manifest_damaged", MANIFEST, detail="it is no manifest of tfrec"))
    else:
        return manifest
    return None


def _check_manifest(manifest: Manifest) -> None:
    """Raises _Damaged for one whose parts contradict each other."""
    version = manifest.schema_version
    _need(
        version == SCHEMA_VERSION, f"its schema_version is {version}, and this tfrec knows {SCHEMA_VERSION}"
    )
    for key in ("rows", "records"):
        _need(getattr(manifest, key) == manifest.total(key), f"its {key} differ from those of its splits")
    ids = manifest.labels.values()
    _need(min(ids, default=0) >= 0 and len({*ids}) == len(ids) == manifest.num_labels, "its label map")
    _check_features(manifest)


def _check_features(manifest: Manifest) -> None:
    """Its features are those of its schema, and this version's are among them."""
    schema = manifest.schema
    features = {key: (entry.get("kind"), entry.get("values")) for key, entry in manifest.features.items()}
    known = {f.key: (f.kind, f.values) for f in (*LEAST_FEATURES[schema.task], *schema.features)}
    wrong = sorted(key for key in {*features, *known} if features.get(key) != known.get(key))
    _need(not wrong, f"the feature {', '.join(wrong)}")


def read_shards_list(folder: Place, manifest: Manifest, problems: list[Problem]) -> dict[str, ShardEntry]:
    """Name -> line of shards.jsonl; a list that cannot be right is a problem, and not relied on."""
    try:
        data = read_regular(folder / SHARDS)
        entries = [_read_entry(number, line) for number, line in enumerate(data.splitlines(), 1)]
        listed = {entry.file: entry for entry in entries}
        _need(len(listed) == len(entries), "a shard stands there twice")
        for split in SPLITS:
            chosen = [entry for entry in entries if entry.split == split]
            _compare_sums(split, chosen, manifest.splits.get(split))
        written = manifest.files.get(SHARDS)
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


def _compare_sums(split: str, entries: Iterable[ShardEntry], counts: SplitCounts | None) -> None:
    """The shards of a split together are what the manifest says of it."""
    shards = records = size = digest = 0
    for entry in entries:
        shards += 1
        records += entry.records
        size += entry.bytes
        digest = add_digests(digest, int(entry.digest, 16))
    found = {"shards": shards, "records": records, "bytes": size, "digest": f"{digest:016x}"}
    for key, value in found.items():
        wanted = getattr(counts, key) if counts else f"{0:016x}" if key == "digest" else 0
        _need(value == wanted, f"{key} of {split}: {value} instead of {wanted}")
    names = [parse_shard_name(entry.file) for entry in entries]
    _need(all(name is not None and name.count == shards for name in names), f"the names of {split}")
    numbers = [name.index for name in names if name is not None]
    _need(numbers == sorted(numbers), f"the order of {split}")  # in which readers take the records


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise _Damaged(what)


# --- what a manifest promises of records ---


@dataclass(frozen=True, slots=True)
class Expectations:
    """What each record of a dataset must be.

    Attributes:
      features: key -> what it must hold.
      labels: id -> name; None when there is no label map to check against.
      declared: key -> what it must hold in records of somebody else who told.
      label_key: the feature whose ids are counted.
      text_key: the feature that holds their names.
      all_labelled: whether each record has a label.
    """

    features: Mapping[str, Feature]
    labels: Mapping[int, str] | None
    declared: Mapping[str, DeclaredSpec] = field(default_factory=dict)
    label_key: str = CLASS_LABEL
    text_key: str = CLASS_TEXT
    all_labelled: bool = False


def foreign_expectations(declared: Mapping[str, DeclaredSpec]) -> Expectations:
    """Those of records of somebody else, of whose keys something is declared, or nothing."""
    labels = [key for key, spec in declared.items() if spec.num_classes and spec.is_single]
    return Expectations({}, None, declared, labels[0] if len(labels) == 1 else CLASS_LABEL)


@lru_cache(maxsize=2)
def load_expectations(manifest_path: str) -> Expectations:
    """The expectations of a manifest; kept, since one process checks many shards of one dataset."""
    manifest = parse_manifest(json.loads(read_regular(manifest_path)))
    schema = manifest.schema
    features = {feature.key: feature for feature in schema.features}
    names = {label_id: name for name, label_id in manifest.labels.items()}
    unlabelled = manifest.options.get("read", {}).get("unlabelled")
    all_labelled = schema.task == "classification" and bool(names) and unlabelled in ("error", "skip")
    return Expectations(
        features, names, label_key=schema.label_key, text_key=schema.text_key, all_labelled=all_labelled
    )


# --- files beside the shards ---


def check_side_files(folder: Place, manifest: Manifest, notes: list[str]) -> Iterator[Problem]:
    """What is wrong with the files beside the shards; shards.jsonl is looked into by who reads it.

    Args:
      notes: takes what is no fault: people mend rejects.csv where it is.
    """
    written = manifest.files
    rejected = manifest.rejected
    for name in dict.fromkeys((LABELS, *written, *([REJECTS] if rejected else []))):
        try:
            if name == REJECTS:
                notes += _note_on_rejects(folder, manifest, rejected, written.get(name))
            elif name != SHARDS:
                yield from _edited(folder, name, manifest, written.get(name))
        except FileNotFoundError:
            if name == REJECTS:
                yield problem("rejects_missing", name, detail=plural(rejected, "row"))
            elif name != LABELS or manifest.labels:
                yield problem(_EDITED.get(name, "side_file_edited"), name, detail="it is missing")
        except OSError as error:
            yield problem("unreadable", name, detail=why_unreadable(error))


def _edited(folder: Place, name: str, manifest: Manifest, written: FileSum | None) -> Iterator[Problem]:
    """That a file says something else than the manifest, or that it is not as it was written."""
    if name in _EDITED:
        data = read_regular(folder / name)
        departure = _labels_departure if name == LABELS else _label_map_departure
        detail, found = departure(data, manifest.labels), sum_of(data)
        if detail:
            yield problem(_EDITED[name], name, detail=detail)
            return
    else:
        found = sum_of_file(folder / name)
    if written not in (None, found):  # datasets of earlier versions have no sums
        code = "labels_edited" if name == LABELS else "side_file_edited"
        yield problem(code, name, detail="it was edited, or is cut")


def _labels_departure(data: bytes, labels: Mapping[str, int]) -> str:
    """Where labels.txt is not the label map; empty when it is."""
    found = data.splitlines(keepends=True)
    for number, (line, name) in enumerate(zip(found, labels, strict=False), 1):
        if line != name.encode() + b"\n":
            return f"line {number}"
    return "" if len(found) == len(labels) else f"{len(found)} lines for {len(labels)} labels"


def _label_map_departure(data: bytes, labels: Mapping[str, int]) -> str:
    """The same of label_map.pbtxt, of a dataset with boxes."""
    try:
        found = from_pbtxt(data.decode(), LABEL_MAP)
    except (InputError, UnicodeDecodeError):
        return "it is no label map"
    wrong = sorted(name for name in {*found, *labels} if found.get(name) != labels.get(name))
    if not wrong:
        return ""
    ids = found.get(wrong[0], "absent"), labels.get(wrong[0], "absent")
    return f"{wrong[0]!r} is {ids[0]} instead of {ids[1]}"


def _note_on_rejects(
    folder: Place, manifest: Manifest, rejected: int, written: FileSum | None
) -> Iterator[str]:
    from tfrecordcli.workdir.rejects import listed_codes  # here: few datasets need the reading of lists

    found = sum_of_file(folder / REJECTS)
    told = listed_codes(folder) & Counter(manifest.reasons)
    # Datasets of earlier versions have no sum of it.
    if found != written if written else told.total() < rejected:
        yield (
            f"{REJECTS} was edited since it was written, as it may be: it tells {told.total():,} of the "
            f"{plural(rejected, 'rejected row')}"
        )
