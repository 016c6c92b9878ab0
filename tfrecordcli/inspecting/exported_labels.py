"""The labels of an export by number: what stands in its labels.txt or label map."""

from __future__ import annotations

from collections.abc import Sequence

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.inspecting.inspection import Inspection
from tfrecordcli.integrity.discovery import Dataset
from tfrecordcli.integrity.tfds import agreed
from tfrecordcli.schema import OBJECT_LABEL


def label_names(dataset: Dataset, label_key: str) -> list[str]:
    """Names in the order of their ids; none when they are the ids, or when labels have no numbers."""
    declared = agreed(dataset.tfds.values()).get(label_key)
    return _needed(declared.names) if declared else _names_in(dataset.manifest)


def label_ids(inspection: Inspection, manifest: Manifest | None) -> dict[str, int]:
    """Name -> id, in the order of the ids: of a dataset of ours, or of all pairs that were read.

    Empty where labels have no names, or these do not tell the ids.
    """
    ids: dict[str, int] = dict(manifest.labels) if manifest is not None else {}
    if manifest is not None and manifest.label_kind == "id":
        return {}
    labels = inspection.labels
    if manifest is None and labels is not None and labels.key == OBJECT_LABEL and not labels.left_out:
        pairs = {(label.text, label.id) for label, _ in labels.counts}
        ids = {text: number for text, number in pairs if text and number is not None and number > 0}
        if not len(ids) == len({*ids.values()}) == len(pairs):
            return {}
    return dict(sorted(ids.items(), key=lambda item: item[1]))


def _names_in(manifest: Manifest | None) -> list[str]:
    """The names that a dataset of ours numbers, in the order of their ids; none when the names are ids."""
    labels = manifest.labels if manifest is not None else {}
    names = sorted(labels, key=lambda name: labels[name])
    return _needed(names) if [labels[name] for name in names] == [*range(len(names))] else []


def _needed(names: Sequence[str]) -> list[str]:
    """Names in the order of their ids from 0; none when they are the ids."""
    return [] if [*names] == [*map(str, range(len(names)))] else [*names]
