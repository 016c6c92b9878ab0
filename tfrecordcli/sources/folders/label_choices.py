"""Which of the folders above an image may be its label: the first or the last, as --label-folder says."""

from __future__ import annotations

from collections.abc import Iterable

from tfrecordcli.sources.folders.same_images import is_fold
from tfrecordcli.sources.sizes_in_names import is_magnification
from tfrecordcli.split_words import split_of


def telling_apart(paths: Iterable[str], at: int) -> str:
    """The first image whose labels by either choice differ; empty where none is.

    Args:
      paths: of images.
      at: how many folders stand above the first that may be a label.
    """
    folders = ((path, path.split("/")[at:-1]) for path in paths)
    return next((path for path, names in folders if names and names[0] != names[-1]), "")


def choices(path: str, at: int) -> dict[str, str]:
    """The label of an image by each choice that makes another; without those of splits and folds if possible.

    Args:
      path: of the image.
      at: as of `telling_apart`.
    """
    folders = path.split("/")[at:-1]
    ways = {"first": folders[0], "last": folders[-1]}
    if split_of(ways["last"]) or ways["first"] == ways["last"]:
        del ways["last"]
    certain = {way: label for way, label in ways.items() if not (is_no_label(label) or split_of(label))}
    return certain or ways


def is_no_label(name: str) -> bool:
    """Whether a folder is one of a fold or magnification."""
    return is_fold(name) or is_magnification(name)
