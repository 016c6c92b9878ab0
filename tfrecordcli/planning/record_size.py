"""About how many bytes a record takes, before any image is read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence

from tfrecordcli.dataset.plan import PlannedRow
from tfrecordcli.errors import OutageError
from tfrecordcli.schema import Schema
from tfrecordcli.sources.source import Source
from tfrecordcli.storage.network import map_ahead
from tfrecordcli.storage.reading import image_size
from tfrecordcli.storage.uris import is_remote


def mean_bytes(sample: Sequence[PlannedRow], source: Source) -> float:
    """About how many bytes a record takes."""
    if source.schema.task == "tabular":
        return _mean_row(sample, source.schema)
    return _mean_size(sample, source.image_root)


def _mean_size(sample: Iterable[PlannedRow], root: str) -> float:
    uris = [row.image_uri for row in sample]
    remote = any(map(is_remote, (root, *uris)))
    sizes: list[int] = []
    with contextlib.suppress(OutageError):  # the next images would wait as long each; reading them tells it
        found = (map_ahead if remote else map)(lambda uri: image_size(uri, root), uris)
        sizes.extend(size for size in found if size is not None)
    return sum(sizes) / len(sizes) if sizes else 0.0


def _mean_row(sample: Sequence[PlannedRow], schema: Schema) -> float:
    """About how many bytes the record of a row without an image takes: its keys, its fields, their frames."""
    keys = sum(len(feature.key.encode()) + 12 for feature in schema.features)
    fields = sum(len(text.encode()) for row in sample for text in (*row.extras, *row.label_texts))
    return keys + fields / max(1, len(sample))
