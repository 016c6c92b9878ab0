"""Masks among images that are deeper than in the folder of a label."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import groupby, islice
from typing import Final

from tfrecordcli.sources.folders.annotation_files import say_nothing
from tfrecordcli.sources.folders.masks import MaskSearch
from tfrecordcli.sources.folders.masks_found import masks_met

_LOOKED_AT: Final = 1_000  # images of one folder


def need_no_masks(
    root: str,
    folder: str,
    paths: Iterable[str],
    head: Callable[[str, int], bytes],
    exclude: Collection[str] = (),
) -> None:
    """Refuses masks among images whose folders are no certain labels, before that is said of these.

    Args:
      root: that paths are relative to.
      folder: the first of those that may be the label.
      paths: of the images in there, those of a folder together.
      head, exclude: as `MaskSearch` has them.

    Raises:
      InputError: naming a file, or folders.
    """
    masks = MaskSearch(head, exclude)
    folders = []
    for inner, images in groupby(paths, key=lambda path: path.rpartition("/")[0]):
        folders.append(inner)
        for path in islice(images, _LOOKED_AT):
            masks.ask(path)
    if found := masks.found((), folders):
        label = _label_folder(folder, {*folders} - {*found.folders}) if found.folders else ""
        raise masks_met(root, found, label_folder=label)


def _label_folder(folder: str, inner: Iterable[str]) -> str:
    """Which of the folders above images, whose own are these, is the label for certain; empty: neither is."""
    parted = [path.split("/") for path in inner]
    if all(names[-1:] == names[-2:-1] for names in parted):  # cat/cat
        return "last"
    is_first = say_nothing(names[-1] for names in parted) and all(
        "/".join(names[:-1]) == folder for names in parted
    )
    return "first" if is_first else ""
