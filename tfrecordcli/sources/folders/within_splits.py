"""Folders of one name within those of splits, as folds of a cross-validation: `train/fold1`, `val/fold1`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tfrecordcli.shell import command_line
from tfrecordcli.sources.folders.levels import Levels
from tfrecordcli.sources.folders.same_images import converting_sets, is_fold
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.split_words import split_of


def one_fold(root: str, base: str, top: Sequence[str], levels: Levels) -> str:
    """The command for the first fold that all folders of splits on top hold; empty where none is.

    Args:
      root: the folder that is listed.
      base: the folder in which those on top stand.
      top: their names.
      levels: what is in folders.
    """
    if not all(map(split_of, top)):
        return ""
    fold = next(filter(is_fold, names_in_all(base, top, levels)), "")
    return converting_one(root, in_splits(base, top, fold)) if fold else ""


def folds_in(base: str, top: Iterable[str], levels: Levels) -> dict[str, dict[str, str]]:
    """Path by label and name of the images in each fold in the splits on top."""
    folds: dict[str, dict[str, str]] = {}
    for split in top:
        for fold in filter(is_fold, levels.look(joined(base, split)).folders):
            folder = joined(base, f"{split}/{fold}")
            paths = levels.images_below([folder])
            folds.setdefault(fold, {}).update((path[len(folder) + 1 :], path) for path in paths)
    return folds


def names_in_all(base: str, splits: Iterable[str], levels: Levels) -> list[str]:
    """The names of the folders that are in all of some, sorted."""
    held = ({*levels.look(joined(base, name)).folders} for name in splits)
    return sorted(set.intersection(*held))


def in_splits(base: str, splits: Iterable[str], name: str) -> dict[str, str]:
    """The folders of one name in those of splits, by the names of these."""
    return {split: joined(base, f"{split}/{name}") for split in splits}


def converting_one(root: str, folders: Mapping[str, str]) -> str:
    """The command for folders by the names of those of their splits, or for one by an empty name."""
    if "" in folders:
        return converting_sets(root, folders.values())
    sources = (f"{split_of(split)}={joined(root, folder)}" for split, folder in folders.items())
    return f"{command_line(['tfrec', 'convert', *sources])} OUTPUT_DIR"
