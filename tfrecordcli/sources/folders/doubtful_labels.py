"""Folders that were taken for labels and may be none: magnifications, names of datasets, `no_label`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Final, Literal

from tfrecordcli.sources.folders.annotation_files import words_of
from tfrecordcli.sources.sizes_in_names import is_magnification

_TOLD: Final = 5
_WITHOUT_LABEL: Final = "no_label"
_DATASETS: Final = frozenset({"dataset", "datasets"})


def doubts_of_labels(
    chosen: Literal["first", "last"] | None, places: Mapping[tuple[str, str], Collection[str]]
) -> Iterator[str]:
    """What is said of labels that are called so.

    Args:
      chosen: the folder that is the label.
      places: the folders with images of each split and label.
    """
    labels = [*dict.fromkeys(label for _, label in places)]
    shown = ", ".join(labels[:_TOLD])
    if chosen == "last" and labels and all(map(is_magnification, labels)):
        yield (
            f"the labels are magnifications ({shown}), and not what images show: --label-folder first, "
            "or a list with their labels, tells that"
        )
    if _WITHOUT_LABEL in labels and len(labels) > 1:
        yield (
            f"the folder {_WITHOUT_LABEL!r} is taken for a class: CVAT and Datumaro keep images without "
            f"a label there; --exclude {_WITHOUT_LABEL} leaves them out"
        )
    if chosen == "first" and labels and not any(_DATASETS.isdisjoint(words_of(name)) for name in labels):
        below = [
            _below(label, chain(*(places[key] for key in places if key[1] == label))) for label in labels
        ]
        if alike := sorted(set.intersection(*below)):
            yield (
                f"the labels are called like datasets ({shown}), and each has folders of the same names "
                f"({', '.join(alike[:_TOLD])}): where these are the labels, --label-folder last takes them"
            )


def _below(label: str, folders: Iterator[str]) -> set[str]:
    """The names of the folders right in that of a label, on the way to some."""
    parted = (folder.split("/") for folder in folders)
    return {name for names in parted for name in names[names.index(label) + 1 :][:1]}
