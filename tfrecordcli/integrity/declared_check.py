"""A record against what features.json of TensorFlow Datasets declares of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tfrecordcli.integrity.expectations import DeclaredSpec
from tfrecordcli.integrity.image_comparison import Finding
from tfrecordcli.tfrecords.feature import Feature
from tfrecordcli.tfrecords.label_keys import NO_LABEL


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
