"""What the user has said of labels: what is said is not doubted."""

from __future__ import annotations

from typing import Final

from tfrecordcli.options import ReadOptions

_OF_LABELS: Final = ("classification", "regression")


def names_labels(options: ReadOptions) -> bool:
    """Whether options name the columns of labels."""
    return bool(options.one_hot) or "label" in dict(options.columns)


def says_labels(options: ReadOptions) -> bool:
    """Whether options name the columns of labels, or say that these are classes, ids, names or numbers."""
    return names_labels(options) or options.label_type != "auto" or options.task in _OF_LABELS


def says_names(options: ReadOptions) -> bool:
    """Whether options give the names of labels."""
    return options.labels_file is not None or options.label_names is not None
