"""Labels that are words of splits, or folds of a cross-validation, and what to do about them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import say_nothing, split_in, words_of
from tfrecordcli.sources.folders.levels import Levels
from tfrecordcli.sources.folders.lists_beside import ListsBeside
from tfrecordcli.sources.folders.same_images import converting_sets, is_fold
from tfrecordcli.sources.folders.silent_splits import AS_NAMES
from tfrecordcli.sources.folders.tree import joined
from tfrecordcli.split_words import (
    DISCARD,
    TRAIN,
    VALIDATION,
    parse_split,
    split_in_column,
    split_of,
    split_of_folder,
)
from tfrecordcli.units import join_pairs

_TOLD: Final = 5


def need_no_split_words(
    root: str,
    base: str,
    classes: Mapping[str, Collection[str]],
    folders: Collection[str],
    lists: ListsBeside,
    options: ReadOptions,
) -> None:
    """Refuses labels that are all words of splits: as of `--label-folder last` for `images/100k/train`.

    So are those that are all folds, as of `--label-folder first` for `fold1/cat`.

    Args:
      root: the folder that is listed.
      base: the folder below root in which the folders of splits or labels stand.
      classes: the splits of each label.
      folders: of the images.
      lists: beside them.

    Raises:
      InputError: with the list of the images, or what takes the folders for splits.
    """
    if options.label_type != "auto" or not classes:
        return
    shown = ", ".join(sorted(classes)[:_TOLD])
    has_splits = any(filter(None, chain.from_iterable(classes.values())))
    if all(map(is_fold, classes)):
        deeper = "--label-folder last takes the folders right above the images for labels"
        flat = f"{converting_sets(root, sorted(folders))} --unlabelled keep takes the images without a label"
        is_flat = options.label_folder is None and not has_splits
        ways = [lists.asked(root), deeper * (options.label_folder == "first"), flat * is_flat, AS_NAMES]
        raise InputError(f"{root}: all labels are folds: {shown}", "; ".join(filter(None, ways)))
    others = splits_elsewhere(classes)
    if has_splits or not (all(map(split_of, classes)) or others):
        return
    tops = sorted({folder[len(base) :].lstrip("/").partition("/")[0] for folder in folders})
    hint = f"--label-folder first takes {', '.join(tops[:_TOLD])} for labels"
    if others and options.label_folder == "first":
        hint = f"{converting_splits(joined(root, base), others)} takes them for splits"
    elif len({folder.rpartition("/")[0] for folder in folders}) == 1:
        hint = hint_of_splits(root, min(folders), len(folders), lists)
        if others:
            above = joined(root, min(folders).rpartition("/")[0])
            hint = f"{converting_splits(above, others)} --unlabelled keep takes them for splits"
    raise InputError(f"{root}: all labels are words of splits: {shown}", f"{hint}; {AS_NAMES}")


def is_label_beside(splits: Sequence[str], others: Sequence[str], base: str, levels: Levels) -> bool:
    """Whether the only folder called like a split may be a label as well as those beside it are.

    None of these tells a split, without which there is nothing to validate: `valid` beside `empty`. All hold
    images, and no folder.

    Args:
      splits, others: names of the folders in ``base``.
      levels: what is in folders.
    """
    is_word = [*map(split_of, splits)] == [VALIDATION] and not any(map(split_in, others))
    found = (levels.look(joined(base, name)) for name in (*splits, *others))
    return is_word and all(level.has_images and not level.folders for level in found)


def splits_elsewhere(names: Collection[str]) -> dict[str, str]:
    """The splits of folders by their names where each has its own, some in a word that is not read.

    That is one of another language, or one such as `Trainingsbilder` where another is of images to train on.
    """
    splits = {name: split_of_folder(name) for name in sorted(names)}
    found = {*splits.values()}
    are_certain = TRAIN in found or all(map(split_in_column, names))
    is_each = 1 < len(names) == len(found) and "" not in found
    return splits if is_each and are_certain and not all(map(split_of, names)) else {}


def splits_begun(names: Collection[str]) -> dict[str, str]:
    """As `splits_elsewhere`, of names of several words: `Training 2022` beside `Testbilder 2022`.

    Folders of labels have to be in there.
    """
    words = {name: [*map(split_of_folder, words_of(name))] for name in names}
    chosen = {name: min(filter(None, found), default="") for name, found in words.items()}
    are_own = all(len({*found} - {""}) == 1 for found in words.values())
    is_each = len(names) == len({*chosen.values()}) > 1 and TRAIN in chosen.values()
    is_read = all(map(split_of, names))
    return {name: chosen[name] for name in sorted(names)} if are_own and is_each and not is_read else {}


def converting_splits(above: str, splits: Mapping[str, str]) -> str:
    """The command that converts folders of splits.

    Args:
      above: the folder that they are in.
      splits: by their names.
    """
    sources = (f"{split}={joined(above, name)}".removeprefix("=") for name, split in splits.items())
    return f"{command_line(['tfrec', 'convert', *sources])} OUTPUT_DIR"


def need_no_split_map(
    root: str, base: str, given: Mapping[str, str], levels: Levels, *, are_kept: bool
) -> None:
    """Refuses to rename folders to splits, as words of a list are.

    Args:
      root: the folder that is listed.
      base: the folder below root in which those of splits or labels stand.
      given: the splits by words, of --split-map.
      levels: what is in folders.
      are_kept: whether images without a label are taken.

    Raises:
      InputError: with the command that takes each for its split, where all have one.
    """
    names = levels.look(base).folders
    named = {name: given[name] for name in names if name in given}
    if all(parse_split(word) in (parse_split(name), DISCARD) for name, word in named.items()):
        return
    splits = {name: _split_said(name, named) for name in names}
    inner = [*chain.from_iterable(levels.look(joined(base, name)).folders for name in named)]
    have_labels = bool(inner) and not say_nothing(inner)
    command = converting_splits(
        joined(root, base),
        {name: "SPLIT" if split is None else split for name, split in splits.items() if split != DISCARD},
    )
    hint = f"{command} takes them for splits"
    if not have_labels and not are_kept and not all(map(_split_called, named)):
        hint = "a folder right above images is a label, and no split: without --split-map they are assigned"
    elif None in splits.values():
        hint = f"where all are splits, say those of the others, too: {command}"
    elif not have_labels:
        hint = f"{command} --unlabelled keep takes them for splits"
    raise InputError(
        f"{root}: --split-map {join_pairs(named.items())}: folders are not renamed as words are", hint
    )


def _split_said(name: str, named: Mapping[str, str]) -> str | None:
    """What a folder is by --split-map, else by its name; None where neither says it."""
    own = parse_split(named.get(name, name))
    return own if own is not None or name in named else _split_called(name) or None


def _split_called(name: str) -> str:
    """What a folder may stand for by its name, or a word in it; or ""."""
    return split_of_folder(name) or split_in(name)


def hint_of_splits(root: str, folder: str, count: int, lists: ListsBeside) -> str:
    """What to do with images in folders of splits alone: the list of them, or --unlabelled keep.

    Args:
      root: the folder that is listed.
      folder: one of these, below the root.
      count: of the images.
      lists: beside them.
    """
    above = joined(root, folder.rpartition("/")[0])
    command = command_line(["tfrec", "convert", as_path(above)])
    as_splits = f"{command} OUTPUT_DIR --unlabelled keep takes the folders in there for splits"
    return "; ".join(filter(None, [lists.asked(root, count), as_splits]))
