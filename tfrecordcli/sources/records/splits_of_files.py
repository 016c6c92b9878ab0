"""What the names of TFRecord files say of splits: those of two together, and those of none beside others."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.split_words import TRAIN, VALIDATION, split_of
from tfrecordcli.tfrecords.foreign import known_split
from tfrecordcli.units import some_of

# Files of two splits together, which others have apart.
_UNION: Final = re.compile(r"(?<![A-Za-z])train[ _-]?val(?:id|idation)?(?![A-Za-z])", re.IGNORECASE)
_MOST_NAMED: Final = 100  # files in a command


def need_no_union(path: str, names: Iterable[str]) -> None:
    """Refuses `trainval-*` beside `train-*` and `val-*`, whose records would come twice, as those of DeepLab.

    `trainval` may be the name of a set, too, as in `voc_trainval_train`, or that of a split of others.

    Raises:
      InputError: with the command that reads the others.
    """
    splits = {name: known_split(name) for name in names}
    both = [name for name in splits if _UNION.search(name) and not known_split(_UNION.sub("", name))]
    apart = {(split, *_further_words(name)) for name, split in splits.items() if name not in both}
    unions = [
        name
        for name in both
        if all((split, *_further_words(_UNION.sub("", name))) in apart for split in (TRAIN, VALIDATION))
    ]
    if not unions:
        return
    splits = {name: split for name, split in splits.items() if name not in unions}
    how = "; or ".join(filter(None, ["move those of both away", _reading_alone(path, splits)]))
    raise InputError(
        f"{path}: {some_of(unions)} {'has' if len(unions) == 1 else 'have'} the records of train and "
        "validation once more, by the name",
        how,
    )


def _further_words(name: str) -> list[str]:
    """What a name says besides its split, the number of the file and how many there are."""
    words = re.split("[^a-z]+", name.lower())
    return sorted(word for word in words if word not in ("", "of") and not split_of(word))


def told_unnamed(path: str, names: Iterable[str]) -> Iterator[str]:
    """That some files name no split beside others that do, as COCO's `testdev`: all splits get some of it."""
    splits = {name: known_split(name) for name in names}
    unnamed = [name for name, split in splits.items() if not split]
    if not unnamed or len(unnamed) == len(splits):
        return
    alone = _reading_alone(path, splits)
    ways = f"; {alone} reads the others alone, with SPLIT={unnamed[0]} besides that one, too" if alone else ""
    verb, their = ("tells", "its") if len(unnamed) == 1 else ("tell", "their")
    yield (
        f"{some_of(unnamed)} {verb} no split by the name, and others do: {their} records are assigned to all "
        f"splits{ways}"
    )


def _reading_alone(path: str, splits: Mapping[str, str]) -> str:
    """The command for the files that name a split; empty where they are too many."""
    named = [as_path(f"{split}={os.path.join(path, name)}") for name, split in splits.items() if split]
    command = command_line(["tfrec", "convert", *named])
    return f"{command} OUTPUT_DIR" if len(named) <= _MOST_NAMED else ""
