"""Folders that hold the same images, as the folds of a cross-validation do: told by names and first bytes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.folders.annotation_files import HEAD_BYTES

_TOLD: Final = 3
# Images of the same name whose bytes are compared.
_COMPARED: Final = 8
_FOLD: Final = re.compile(r"k?[ _-]?fold[ _-]?[0-9]{1,2}", re.IGNORECASE)


def is_fold(name: str) -> bool:
    """Whether a folder is called like a fold of a cross-validation: `fold1`, `fold_02`."""
    return _FOLD.fullmatch(name) is not None


def need_no_folds(
    root: str,
    sets: Sequence[str],
    images: Iterable[Mapping[str, str]],
    head: Callable[[str, int], bytes],
    what: str = "have folders of splits each",
    command: str = "",
) -> None:
    """Refuses sets that hold the same images, which would be several times in one, and in several splits.

    Args:
      root: all are below it.
      sets: their folders.
      images: of each the path of every image by its name, as the sets have it in common.
      head: gives so many first bytes of a file.
      what: they are or have, for the message.
      command: for one of them; that for its folder without it.

    Raises:
      InputError: naming an image, with the command for one of them.
    """
    if again := held_twice(images, head):
        raise InputError(
            f"{root}: {sets_shown(sets)} {what} and hold the same images, as folds do: {', '.join(again)}",
            f"convert one of them: {command or converting_sets(root, sets[:1])}",
        )


def sets_shown(folders: Sequence[str]) -> str:
    """The first of these folders, for a message."""
    return ", ".join([*folders[:_TOLD], *["…"][: len(folders) > _TOLD]])


def converting_sets(root: str, folders: Iterable[str]) -> str:
    """The command for folders below a root."""
    sources = [as_path(posixpath.join(root, folder)) for folder in folders]
    return f"{command_line(['tfrec', 'convert', *sources])} OUTPUT_DIR"


def held_twice(
    sets: Iterable[Mapping[str, str]], head: Callable[[str, int], bytes]
) -> tuple[str, str] | None:
    """Two paths of one image where most images of the first set are in another; None: they are not.

    Names alone do not tell: `0001.jpg` of two sets may be two images.
    """
    first, *others = sets
    for other in others:
        shared = [name for name in first if name in other and other[name] != first[name]]
        pairs = [(first[name], other[name]) for name in shared]
        is_most = 2 * len(shared) > len(first)
        if is_most and all(head(one, HEAD_BYTES) == head(two, HEAD_BYTES) for one, two in pairs[:_COMPARED]):
            return pairs[0]
    return None
