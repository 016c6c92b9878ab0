"""Folders of splits in those of labels: `cat/train/1.jpg`, `dog/test/2.jpg`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.folders.annotation_files import say_nothing, split_in
from tfrecordcli.sources.folders.levels import Levels
from tfrecordcli.sources.folders.splits_in_names import list_by_levels
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.sources.folders.views import is_view
from tfrecordcli.split_words import TRAIN, split_of, split_of_folder
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import join_pairs

_FEWEST: Final = 2  # labels: a single folder around splits is a wrapper


def are_splits_below(base: str, labels: Sequence[str], levels: Levels) -> bool:
    """Whether each folder of a label holds splits, called by their words, with images right in them.

    Train has to be among them, and another one. Folders called like views may hold the same things twice, and
    are no labels for certain.

    Args:
      base: the folder in which those of labels stand.
      labels: their names.
    """
    splits = {*map(split_of, _words_below(base, labels, levels, split_of))}
    return TRAIN in splits and len(splits) > 1 and not all(map(is_view, labels))


def list_of_splits_below(
    root: str,
    base: str,
    labels: Sequence[str],
    levels: Levels,
    images: Iterable[str],
    exclude: Collection[str],
) -> str:
    """The command for a list with labels and splits, where these have other words; empty elsewhere.

    Args:
      root: the folder that is listed.
      base, labels: as of `are_splits_below`.
      images: the paths of all.
      exclude: patterns of what was passed over.
    """
    words = _words_below(base, labels, levels, _split_called)
    splits = {word: _split_called(word) for word in words}
    if TRAIN not in splits.values() or len({*splits.values()}) < len(splits) or is_remote(root):
        return ""
    above = base.count("/") + bool(base)
    names = [*(f"folder_{number}" for number in range(1, above + 1)), "label", "split"]
    endings = {f".{path.rpartition('.')[2]}" for path in images}
    command, made = list_by_levels(root, names, endings, exclude)
    renamed = {word: split for word, split in splits.items() if not split_of(word)}
    option = ["--split-map", join_pairs(renamed.items())] * bool(renamed)
    return f"{command}; then: {command_line(['tfrec', 'convert', made, 'OUTPUT_DIR', *option])}"


def _split_called(name: str) -> str:
    return split_of_folder(name) or split_in(name)


def _words_below(
    base: str, labels: Sequence[str], levels: Levels, split_called: Callable[[str], str]
) -> list[str]:
    """The names of the folders in those of labels, in which images are; none where one is no split."""
    if len(labels) < _FEWEST or say_nothing(labels) or any(map(split_called, labels)):
        return []
    found = []
    for name in labels:
        words = _folders_of_images(joined(base, name), levels)
        if words is None or not all(map(split_called, words)):
            return []
        found.append(words)
    return sorted(set(chain.from_iterable(found))) if all(found) else []


def _folders_of_images(folder: str, levels: Levels) -> list[str] | None:
    """The folders in one that hold images, and nothing deeper; None where images are elsewhere."""
    level = levels.look(folder)
    inner = {name: levels.look(f"{folder}/{name}") for name in level.folders} if not level.has_images else {}
    are_flat = all(
        each.has_images
        and not any(levels.hold_images(f"{folder}/{name}/{deeper}") for deeper in each.folders)
        for name, each in inner.items()
    )
    return [*inner] if not level.has_images and are_flat else None
