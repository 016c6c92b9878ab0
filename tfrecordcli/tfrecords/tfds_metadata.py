"""What TensorFlow Datasets writes beside its TFRecords: dataset_info.json, features.json, *.labels.txt.

Only facts that can be held against records are taken, and whatever is unknown is left out.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tfrecordcli.naming import TFDS_FEATURES, TFDS_INFO, TFDS_NAMES_SUFFIX
from tfrecordcli.storage.files import read_regular, why_unreadable
from tfrecordcli.storage.store_path import Place

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
      problems: why something in the files is not used, as sentences.
    """

    lengths: Mapping[str, int]
    features: Mapping[str, Declared]
    problems: tuple[str, ...] = ()


def read_tfds(folder: Place) -> TfdsMetadata | None:
    """The metadata in a folder; None when there is none."""
    problems: list[str] = []
    info = _read(folder / TFDS_INFO, problems)
    features = _read(folder / TFDS_FEATURES, problems)
    if info is None and features is None and not problems:
        return None
    try:
        lengths = dict(_lengths(info)) if info is not None else {}
    except (KeyError, TypeError, ValueError, AttributeError):
        lengths = {}
        problems.append(f"{TFDS_INFO}: it is not as TensorFlow Datasets writes it")
    declared: dict[str, Declared] = {}
    try:
        for key, stem, found in _flat(features, "", "") if features is not None else ():
            declared[key] = _named(folder, stem, found, problems)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        declared = {}
        problems.append(f"{TFDS_FEATURES}: it is not as TensorFlow Datasets writes it")
    return TfdsMetadata(lengths, declared, tuple(problems))


def _read(path: Place, problems: list[str]) -> Any:
    try:
        return json.loads(read_regular(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        problems.append(f"{path.name}: {why_unreadable(error)}")
    except (ValueError, RecursionError):
        problems.append(f"{path.name}: it is no JSON")
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


def _named(folder: Place, stem: str, found: Declared, problems: list[str]) -> Declared:
    """A label with its names, if they stand beside it."""
    if not found.num_classes:
        return found
    name = stem + TFDS_NAMES_SUFFIX
    try:
        lines = read_regular(folder / name).decode().split("\n")
    except FileNotFoundError:
        return found
    except (OSError, ValueError):
        problems.append(f"{name}: it cannot be read as text")
        return found
    names = tuple(line.strip() for line in lines if line.strip())  # as TFDS reads it
    if len(names) != found.num_classes:
        classes = f"{TFDS_FEATURES} has {found.num_classes:,} classes"
        problems.append(f"{name}: {len(names):,} names where {classes}")
        return found
    return replace(found, names=names, names_file=name)


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
            metadata = replace(metadata, lengths={}, problems=(*metadata.problems, sentence))
        if metadata is not None:
            found[relative] = metadata
    return found


def told_lengths(folders: Mapping[str, TfdsMetadata]) -> dict[str, int]:
    """Number of records of each file that the metadata tells of, by its path relative to all folders."""
    return {
        os.path.join(relative, name): length
        for relative, known in folders.items()
        for name, length in known.lengths.items()
    }
