"""What a manifest promises, in the form in which it is checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tfrecordcli.integrity.files import read_regular


@dataclass(frozen=True, slots=True)
class FeatureSpec:
    """One feature: its kind, and whether exactly one value must be there."""

    kind: str
    required: bool


@dataclass(frozen=True, slots=True)
class Expectations:
    """What each record of a dataset must be.

    Attributes:
      features: key -> what it must hold.
      labels: id -> name; None when there is no label map to check against.
    """

    features: Mapping[str, FeatureSpec]
    labels: Mapping[int, str] | None


FOREIGN = Expectations({}, None)


@lru_cache(maxsize=2)
def load_expectations(manifest_path: str) -> Expectations:
    """The expectations of a manifest; kept, since one process checks many shards of one dataset."""
    manifest: dict[str, Any] = json.loads(read_regular(manifest_path))
    features = {
        key: FeatureSpec(entry["kind"], entry["values"] == "1") for key, entry in manifest["features"].items()
    }
    return Expectations(features, {label_id: name for name, label_id in manifest["labels"].items()})
