"""What a manifest promises, in the form in which it is checked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from tfrecordcli.dataset.manifest import schema_of
from tfrecordcli.schema import CLASS_LABEL, CLASS_TEXT, Feature
from tfrecordcli.tfrecords.files import read_regular


class DeclaredSpec(NamedTuple):
    """What features.json of TensorFlow Datasets says of one feature, as `tfds.Declared` has it."""

    kind: str
    is_single: bool
    num_classes: int


@dataclass(frozen=True, slots=True)
class Expectations:
    """What each record of a dataset must be.

    Attributes:
      features: key -> what it must hold.
      labels: id -> name; None when there is no label map to check against.
      declared: key -> what it must hold in records of somebody else who told.
      label_key: the feature whose ids are counted.
      text_key: the feature that holds their names.
    """

    features: Mapping[str, Feature]
    labels: Mapping[int, str] | None
    declared: Mapping[str, DeclaredSpec] = field(default_factory=dict)
    label_key: str = CLASS_LABEL
    text_key: str = CLASS_TEXT


def foreign_expectations(declared: Mapping[str, Sequence[Any]]) -> Expectations:
    """Those of records of somebody else, of whose keys something is declared, or nothing."""
    specs = {key: DeclaredSpec(*values) for key, values in declared.items()}
    labels = [key for key, spec in specs.items() if spec.num_classes and spec.is_single]
    return Expectations({}, None, specs, labels[0] if len(labels) == 1 else CLASS_LABEL)


@lru_cache(maxsize=2)
def load_expectations(manifest_path: str) -> Expectations:
    """The expectations of a manifest; kept, since one process checks many shards of one dataset."""
    manifest: dict[str, Any] = json.loads(read_regular(manifest_path))
    schema = schema_of(manifest)
    features = {feature.key: feature for feature in schema.features}
    names = {label_id: name for name, label_id in manifest["labels"].items()}
    return Expectations(features, names, label_key=schema.label_key, text_key=schema.text_key)
