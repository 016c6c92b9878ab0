"""Which of the folders above an image may be its label: the first or the last, as --label-folder says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from tfrecordcli.sources.folders.same_images import is_fold
from tfrecordcli.sources.sizes_in_names import is_magnification
from tfrecordcli.split_words import split_of
from tfrecordcli.units import plural

_TOLD: Final = 5
_AT: Final = {"first": 0, "last": -1}


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


def told(ways: Mapping[str, str], path: str, images: Iterable[str], at: int) -> str:
    """What each choice takes for the label of an image, and which labels it makes of all.

    Args:
      ways: the label of the image by each choice, as of `choices`.
      path: of the image.
      images: the paths of all.
      at: as of `telling_apart`.
    """
    counts = {way: Counter[str]() for way in ways}
    for names in (image.split("/")[at:-1] for image in images):
        for way, labels in counts.items():
            labels[names[_AT[way]] if names else ""] += 1
    (way, label), *further = ways.items()
    shown = f"--label-folder {way} takes {label!r} for the label of {path} ({_in_all(counts[way])})"
    return shown + "".join(
        f", --label-folder {way} {label!r} ({_in_all(counts[way])})" for way, label in further
    )


def _in_all(labels: Counter[str]) -> str:
    """How many labels a choice makes, and how many images the first ones have."""
    labels.pop("", None)
    (name, count), *further = [*labels.items()][:_TOLD]
    more = "".join(f", {name} of {count:,}" for name, count in further) + ", …" * (len(labels) > _TOLD)
    nothing = ", which teaches nothing" * (len(labels) == 1)
    return f"makes {plural(len(labels), 'label')}: {name} of {plural(count, 'image')}{more}{nothing}"


def is_no_label(name: str) -> bool:
    """Whether a folder is one of a fold or magnification."""
    return is_fold(name) or is_magnification(name)
