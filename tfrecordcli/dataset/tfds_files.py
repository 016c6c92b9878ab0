"""The files by which TensorFlow Datasets reads a dataset where it stands, made from its schema.

``tfds.builder_from_directory`` (tensorflow/datasets, core/read_only_builder.py) wants dataset_info.json
(core/proto/dataset_info.proto) and features.json (core/features/feature.proto), both as protobuf's JSON,
in which 64-bit integers are texts, and the names of classes beside them. No features.json can say that
four keys of a record are one box, so boxes are their four lists there.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from typing import Any, Final

from tfrecordcli.dataset.labels import LabelMap
from tfrecordcli.dataset.shard_info import Range, RecordFacts
from tfrecordcli.dataset.totals import Totals
from tfrecordcli.naming import TFDS_FEATURES, TFDS_INFO, tfds_names_file
from tfrecordcli.options import ShardOptions
from tfrecordcli.schema import IMAGE_ENCODED, IMAGE_TARGET, Feature, Schema

# The same wherever a dataset stands: `tfds.load` takes the name of the folder.
_NAME: Final = "tfrec_dataset"
_VERSION: Final = "1.0.0"
# Ids above are numbers, not classes: nobody has a layer of so many outputs.
_MOST_CLASSES: Final = 10_000_000

_MODULE: Final = "tensorflow_datasets.core.features."
_Json = dict[str, Any]


def has_tfds_files(options: ShardOptions) -> bool:
    """Whether a dataset with these options has them."""
    return options.compression == "none" and options.tfds


def tfds_files(
    schema: Schema, labels: LabelMap | None, totals: Mapping[str, Totals]
) -> Iterator[tuple[str, Iterator[str]]]:
    """(name, pieces of the text) of each file.

    Args:
      schema: of the records.
      labels: None when no record can have one.
      totals: of each split; see `has_tfds_files`: TFDS opens plain shards only.
    """
    facts = RecordFacts()
    for sums in totals.values():
        facts.add(sums.facts)
    numbers = labels.ids.values() if labels else ()
    classes = max(numbers, default=-1) + 1
    features = _features(schema, facts, classes)
    yield TFDS_INFO, _text(_info(schema, features, totals))
    node = {"pythonClassName": f"{_MODULE}features_dict.FeaturesDict", "featuresDict": {"features": features}}
    yield TFDS_FEATURES, _text(node)
    if labels is not None and schema.label_key in features and _has_names(labels, classes):
        yield tfds_names_file(schema.label_key), (f"{name}\n" for name in _class_names(labels.ids))


def _text(values: _Json) -> Iterator[str]:
    yield from json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(values)
    yield "\n"


# --- dataset_info.json ---


def _info(schema: Schema, features: _Json, totals: Mapping[str, Totals]) -> _Json:
    info: _Json = {
        "name": _NAME,
        "version": _VERSION,
        "description": "Written by tfrec; manifest.json beside this file tells the rest.",
        "fileFormat": "tfrecord",
        "splits": [
            {
                "name": split,
                "shardLengths": [str(length) for length in sums.lengths],
                "numBytes": str(sums.bytes),
                "filepathTemplate": "{SPLIT}-{SHARD_X_OF_Y}.{FILEFORMAT}",
            }
            for split, sums in totals.items()
            if sums.records  # TFDS stumbles over a split of which there is nothing to read
        ],
    }
    target = IMAGE_TARGET if schema.task == "regression" else schema.label_key
    if schema.task != "detection" and target in features:
        info["supervisedKeys"] = {"tuple": {"items": [_inputs(schema, features), {"featureKey": target}]}}
    return info


def _inputs(schema: Schema, features: _Json) -> _Json:
    """What a model is given: the image, or all columns of a row."""
    if schema.task != "tabular":
        return {"featureKey": IMAGE_ENCODED}
    columns = [key for key in features if key not in (schema.label_key, schema.text_key)]
    return {"dict": {"dict": {key: {"featureKey": key} for key in columns}}}


# --- features.json ---


def _features(schema: Schema, facts: RecordFacts, classes: int) -> _Json:
    """Key of the records -> what it holds; keys that no record has are left out."""
    least, most = facts.labels_per_record or (0, 0)
    found = {}
    for feature in schema.features:
        is_label = feature.key == schema.label_key
        if is_label or feature.key == schema.text_key:
            if not most and schema.task != "detection":
                continue
            is_single = least == most == 1 and schema.task != "detection"
        else:
            is_single = feature.required and feature.shape == ()
        if feature.key == IMAGE_ENCODED:
            node = _image(facts)
        else:
            node = _class_label(classes) if is_label and 0 < classes <= _MOST_CLASSES else _plain(feature)
        found[feature.key] = node if is_single else _sequence(node)
    return found


def _image(facts: RecordFacts) -> _Json:
    """Sizes that all images have are told, others are -1; where channels differ all are decoded to 3.

    So are grey images with an alpha channel: TFDS decodes to 1, 3 or 4 only.
    """
    channels = _agreed(facts.channels, 3)
    sizes = [_agreed(facts.heights, -1), _agreed(facts.widths, -1), channels if channels != 2 else 3]
    return {
        "pythonClassName": f"{_MODULE}image_feature.Image",
        "image": {"shape": {"dimensions": [str(size) for size in sizes]}, "dtype": "uint8"},
    }


def _agreed(sizes: Range | None, otherwise: int) -> int:
    return sizes[0] if sizes is not None and sizes[0] == sizes[1] else otherwise


def _class_label(classes: int) -> _Json:
    name = f"{_MODULE}class_label_feature.ClassLabel"
    return {"pythonClassName": name, "classLabel": {"numClasses": str(classes)}}


def _plain(feature: Feature) -> _Json:
    if feature.kind == "bytes":
        return {"pythonClassName": f"{_MODULE}text_feature.Text", "text": {}}
    dtype = {"int64": "int64", "float": "float32"}[feature.kind]
    tensor = {"shape": {}, "dtype": dtype, "encoding": "none"}
    return {"pythonClassName": f"{_MODULE}scalar.Scalar", "tensor": tensor}


def _sequence(node: _Json) -> _Json:
    name = f"{_MODULE}sequence_feature.Sequence"
    return {"pythonClassName": name, "sequence": {"feature": node, "length": "-1"}}


# --- names of classes ---


def _has_names(labels: LabelMap, classes: int) -> bool:
    """Whether TFDS, which wants a name for each id and strips blanks, would read the names as they are."""
    is_sparse = classes > 2 * len(labels.ids) + 1_000
    return labels.kind == "name" and not is_sparse and all(name == name.strip() for name in labels.ids)


def _class_names(ids: Mapping[str, int]) -> Iterator[str]:
    """The name of each id from 0; those that no label has get one that says so."""
    after = 0
    for name, number in ids.items():
        yield from (_filler(unused, ids) for unused in range(after, number))
        yield name
        after = number + 1


def _filler(number: int, taken: Container[str]) -> str:
    name = "background" if number == 0 else f"unused {number}"
    while name in taken:
        name += "_"
    return name
