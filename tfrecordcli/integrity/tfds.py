"""What TensorFlow Datasets writes beside its TFRecords: dataset_info.json, features.json, *.labels.txt.

Only facts that can be held against records are taken, and whatever is unknown is left out.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from tfrecordcli.integrity.image_check import Finding
from tfrecordcli.integrity.reports import ShardReport
from tfrecordcli.naming import TFDS_FEATURES, TFDS_INFO, TFDS_NAMES_SUFFIX
from tfrecordcli.problems import Problem, problem
from tfrecordcli.storage.files import read_regular, why_unreadable
from tfrecordcli.storage.store_path import Place
from tfrecordcli.tfrecords.feature import Feature
from tfrecordcli.tfrecords.label_keys import NO_LABEL
from tfrecordcli.units import plural

_TEMPLATE: Final = "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"
_MOST_CLASSES: Final = 10_000_000
_INTEGERS: Final = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_FLOATS: Final = ("float16", "bfloat16", "float32", "float64")


@dataclass(frozen=True, slots=True)
class Declared:
    """What features.json says of one key of the records.

    Attributes:
      name: of TFDS's class for it, as `ClassLabel`.
      kind: bytes, int64 or float.
      is_single: whether each record has exactly one value.
      num_classes: ids go from 0 to one below; 0 when it is no label.
      names: of the ids, in their order; empty when they are not told.
      names_file: that they stand in.
    """

    name: str
    kind: str
    is_single: bool
    num_classes: int = 0
    names: tuple[str, ...] = ()
    names_file: str = ""

    @property
    def shown(self) -> str:
        return f"{self.name}({self.num_classes})" if self.num_classes else self.name


@dataclass(frozen=True, slots=True)
class TfdsMetadata:
    """What is told of one folder.

    Attributes:
      lengths: file name -> number of its records.
      features: key of a record -> what it holds.
      trouble: why something that stands there is not used, as sentences.
    """

    lengths: Mapping[str, int]
    features: Mapping[str, Declared]
    trouble: tuple[str, ...] = ()


def read_tfds(folder: Place) -> TfdsMetadata | None:
    """The metadata in a folder; None when there is none."""
    trouble: list[str] = []
    info = _read(folder / TFDS_INFO, trouble)
    features = _read(folder / TFDS_FEATURES, trouble)
    if info is None and features is None and not trouble:
        return None
    try:
        lengths = dict(_lengths(info)) if info is not None else {}
    except (KeyError, TypeError, ValueError, AttributeError):
        lengths = {}
        trouble.append(f"{TFDS_INFO}: it is not as TensorFlow Datasets writes it")
    declared: dict[str, Declared] = {}
    try:
        for key, stem, found in _flat(features, "", "") if features is not None else ():
            declared[key] = _named(folder, stem, found, trouble)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        declared = {}
        trouble.append(f"{TFDS_FEATURES}: it is not as TensorFlow Datasets writes it")
    return TfdsMetadata(lengths, declared, tuple(trouble))


def _read(path: Place, trouble: list[str]) -> Any:
    try:
        return json.loads(read_regular(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        trouble.append(f"{path.name}: {why_unreadable(error)}")
    except (ValueError, RecursionError):
        trouble.append(f"{path.name}: it is no JSON")
    return None


# --- dataset_info.json ---


def _lengths(info: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """(file name, number of records) of each shard; numbers are texts, as protobuf's JSON has them."""
    if info.get("fileFormat", "tfrecord") != "tfrecord":
        return
    for split in info["splits"]:
        lengths = [int(length) for length in _listed(split.get("shardLengths", []))]
        if min(lengths, default=0) < 0:
            raise ValueError(lengths)
        template = str(split.get("filepathTemplate") or _TEMPLATE)
        for number, length in enumerate(lengths):
            fields = {
                "{DATASET}": str(info.get("name", "")),
                "{SPLIT}": str(split["name"]),
                "{FILEFORMAT}": "tfrecord",
                "{SHARD_INDEX}": f"{number:05}",
                "{NUM_SHARDS}": f"{len(lengths):05}",
                "{SHARD_X_OF_Y}": f"{number:05}-of-{len(lengths):05}",
            }
            name = template
            for field, value in fields.items():
                name = name.replace(field, value)
            yield name, length


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


# --- features.json ---


def _flat(node: Mapping[str, Any], key: str, stem: str) -> Iterator[tuple[str, str, Declared]]:
    """(key of the records, begin of the name of its file of labels, what it is) of all known features."""
    if "featuresDict" in node:
        for name, child in node["featuresDict"]["features"].items():
            inner = name.replace("/", ".")
            yield from _flat(child, f"{key}/{name}" if key else name, f"{stem}-{inner}" if stem else inner)
    elif "sequence" in node:
        feature = node["sequence"]["feature"]
        if "sequence" not in feature:  # one in another has keys of its own for its lengths
            for inner_key, inner_stem, found in _flat(feature, key, stem):
                yield inner_key, inner_stem, replace(found, is_single=False)
    elif (plain := _plain(node)) is not None and key:
        yield key, stem, plain


def _plain(node: Mapping[str, Any]) -> Declared | None:
    """A feature that is neither a dict nor a sequence; None when it is not known."""
    name = str(node.get("pythonClassName", "")).rpartition(".")[2]
    if "classLabel" in node:
        count = int(node["classLabel"].get("numClasses", 0))
        if not 0 <= count <= _MOST_CLASSES:
            raise ValueError(count)
        return Declared(name, "int64", True, count)
    if "image" in node or "text" in node:
        return Declared(name, "bytes", True)
    if "boundingBox" in node:
        return Declared(name, "float", False)
    return _of_tensor(name, node["tensor"]) if "tensor" in node else None


def _of_tensor(name: str, tensor: Mapping[str, Any]) -> Declared | None:
    sizes = [int(size) for size in _listed(tensor.get("shape", {}).get("dimensions", []))]
    dtype = tensor.get("dtype")
    if tensor.get("encoding", "none") != "none":
        return Declared(name, "bytes", True) if sizes.count(-1) < 2 else None
    if sizes.count(-1) > 1 or 0 in sizes:  # its shape stands beside it, under keys of their own
        return None
    kinds = {"string": "bytes", **dict.fromkeys(_INTEGERS, "int64"), **dict.fromkeys(_FLOATS, "float")}
    kind = kinds.get(str(dtype))
    return Declared(name, kind, math.prod(sizes) == 1) if kind is not None else None


def _named(folder: Place, stem: str, found: Declared, trouble: list[str]) -> Declared:
    """A label with its names, if they stand beside it."""
    if not found.num_classes:
        return found
    name = stem + TFDS_NAMES_SUFFIX
    try:
        lines = read_regular(folder / name).decode().split("\n")
    except FileNotFoundError:
        return found
    except (OSError, ValueError):
        trouble.append(f"{name}: it cannot be read as text")
        return found
    names = tuple(line.strip() for line in lines if line.strip())  # as TFDS reads it
    if len(names) != found.num_classes:
        classes = f"{TFDS_FEATURES} has {found.num_classes:,} classes"
        trouble.append(f"{name}: {len(names):,} names where {classes}")
        return found
    return replace(found, names=names, names_file=name)


# --- beside a dataset of ours ---


def departures(
    folder: Place, shards: Mapping[str, int], label_key: str, labels: Mapping[str, int] | None
) -> Iterator[tuple[str, str]]:
    """(file, what is wrong) where the metadata in a folder tells of other records than there are.

    Args:
      shards: file name -> number of its records.
      label_key: of the records that holds the ids of labels.
      labels: name -> id; None where ids have no names that somebody could not have given them.
    """
    told = read_tfds(folder)
    for sentence in told.trouble if told else ():
        name, _, what = sentence.partition(": ")
        yield name, what
    lengths = told.lengths if told else {}
    if lengths:
        for name in sorted({*lengths, *shards}):
            if lengths.get(name, 0) != shards.get(name, 0):  # it need not tell of files without records
                yield (
                    TFDS_INFO,
                    f"of {name} it has {lengths.get(name, 0):,} records, not {shards.get(name, 0):,}",
                )
                break
    declared = told.features.get(label_key) if told else None
    if declared and declared.names and labels is not None:
        for name, number in labels.items():
            found = declared.names[number] if number < len(declared.names) else "absent"
            if found != name:
                yield declared.names_file, f"id {number} is {found!r} there, and {name!r} in the records"
                return


# --- many folders ---


def read_folders(folder: Place, shards: Iterable[str]) -> dict[str, TfdsMetadata]:
    """The metadata of those folders in which shards stand, by their relative paths.

    Lengths that are of other files altogether are left out, and said: somebody renamed the shards.
    """
    by_folder: dict[str, set[str]] = {}
    for name in shards:
        by_folder.setdefault(os.path.dirname(name), set()).add(os.path.basename(name))
    found = {}
    for relative, names in by_folder.items():
        metadata = read_tfds(folder / relative if relative else folder)
        if metadata is not None and metadata.lengths and not names & metadata.lengths.keys():
            sentence = f"{TFDS_INFO}: it tells of files of other names"
            metadata = replace(metadata, lengths={}, trouble=(*metadata.trouble, sentence))
        if metadata is not None:
            found[relative] = metadata
    return found


def missing_files(folders: Mapping[str, TfdsMetadata], names: Collection[str]) -> tuple[list[str], set[str]]:
    """Files that the metadata tells of and that are not there; all that it tells of."""
    told = {os.path.join(relative, name) for relative, known in folders.items() for name in known.lengths}
    return sorted(told - {*names}), told


def compare_counts(folders: Mapping[str, TfdsMetadata], reports: Iterable[ShardReport]) -> Iterator[Problem]:
    """Files with another number of records than the metadata says, as far as they could be read."""
    for report in reports:
        expected = _lengths_of(folders, report.name).get(os.path.basename(report.name))
        if expected is not None and report.is_done and report.is_read and report.records != expected:
            found = plural(report.records, "record")
            yield problem("tfds_count", report.name, found=found, expected=f"{expected:,}")


def agreed(folders: Iterable[TfdsMetadata]) -> dict[str, Declared]:
    """What is declared of each key in all folders alike."""
    folders = list(folders)
    found: dict[str, Declared] = {}
    for metadata in folders:
        found |= metadata.features
    return {
        key: declared
        for key, declared in found.items()
        if all(other.features.get(key, declared) == declared for other in folders)
    }


def what_was_compared(folders: Mapping[str, TfdsMetadata], reports: Iterable[ShardReport]) -> Iterator[str]:
    """Sentences on what the metadata was good for."""
    known = [r for r in reports if os.path.basename(r.name) in _lengths_of(folders, r.name)]
    if known:
        counts = plural(sum(report.records for report in known), "record")
        files = plural(len(known), "file")
        yield f"{counts} of {files} were counted against {TFDS_INFO} of TensorFlow Datasets"
    keys = {key for metadata in folders.values() for key in metadata.features}
    if keys:
        yield f"kinds and ids of {plural(len(keys), 'feature')} were compared with {TFDS_FEATURES}"


def _lengths_of(folders: Mapping[str, TfdsMetadata], name: str) -> Mapping[str, int]:
    metadata = folders.get(os.path.dirname(name))
    return metadata.lengths if metadata is not None else {}


# --- records against what is declared ---


class DeclaredSpec(NamedTuple):
    """What features.json of TensorFlow Datasets says of one feature, as `Declared` has it."""

    kind: str
    is_single: bool
    num_classes: int


def compare_declared(
    features: Mapping[str, Feature], declared: Mapping[str, DeclaredSpec]
) -> Iterator[Finding]:
    """One finding for each key that is not as it is declared."""
    for key, spec in declared.items():
        found = _departure(features.get(key), spec)
        if found:
            yield Finding("not_as_declared", {"key": key, "found": found[0], "expected": found[1]})


def _departure(feature: Feature | None, spec: DeclaredSpec) -> tuple[str, str] | None:
    """(what was found, what is declared); None when they agree."""
    if feature is None or not feature.kind:
        return ("nothing", "one") if spec.is_single else None
    if feature.kind != spec.kind:
        return feature.kind, spec.kind
    if spec.is_single and len(feature.values) != 1:
        return f"{len(feature.values):,} values", "one"
    if spec.num_classes:
        for value in feature.values:
            if value != NO_LABEL and not 0 <= int(value) < spec.num_classes:
                return str(value), f"an id of 0 to {spec.num_classes - 1:,}"
    return None
