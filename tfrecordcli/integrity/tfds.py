"""Records held against what TensorFlow Datasets tells of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from tfrecordcli.integrity.image_check import RecordFinding
from tfrecordcli.integrity.reports import DeclaredSpec, ShardReport
from tfrecordcli.naming import TFDS_FEATURES, TFDS_INFO
from tfrecordcli.problems import Problem, problem
from tfrecordcli.storage.store_path import Place
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.label_keys import NO_LABEL
from tfrecordcli.tfrecords.tfds_metadata import Declared, TfdsMetadata, read_tfds
from tfrecordcli.units import plural

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
    for sentence in told.problems if told else ():
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


def compare_declared(
    features: Mapping[str, FeatureValues], declared: Mapping[str, DeclaredSpec]
) -> Iterator[RecordFinding]:
    """One finding for each key that is not as it is declared."""
    for key, spec in declared.items():
        found = _departure(features.get(key), spec)
        if found:
            yield RecordFinding("not_as_declared", {"key": key, "found": found[0], "expected": found[1]})


def _departure(feature: FeatureValues | None, spec: DeclaredSpec) -> tuple[str, str] | None:
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
