"""Images beside those of a list of boxes that it does not name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Final

from tfrecordcli.sources.image_paths import path_of
from tfrecordcli.units import plural

# Entries and folders that are looked at.
_LOOKED_AT: Final = 1_000_000
_FOLDERS: Final = 32


def unlisted_images_note(uris: Iterable[str], root: str, listed: int, *, are_boxes: bool) -> str:
    """What to tell where the folders of a list hold more images than it names; else empty.

    Args:
      uris: of some of its images.
      root: absolute folder or URL that relative ones are relative to.
      listed: images that it names.
      are_boxes: whether it is a list of boxes.
    """
    paths = [path for uri in uris if (path := path_of(uri, root))]
    folders = sorted({os.path.normpath(os.path.dirname(path)) for path in paths})
    if not 0 < len(folders) <= _FOLDERS:
        return ""
    held = _count(folders, {_ending(path) for path in paths})
    if held <= listed:
        return ""
    one = len(folders) == 1
    where = f"{folders[0]} holds" if one else f"{len(folders)} folders such as {folders[0]} hold"
    return (
        f"{where} {plural(held, 'image')}, and the list names {listed:,}: the others are in no record"
        + "; one that shows nothing has to be named, without a box" * are_boxes
    )


def _count(folders: Sequence[str], endings: set[str]) -> int:
    """Files of these extensions in the folders, as far as they are looked at."""
    names = chain.from_iterable(map(_names, folders))
    return sum(_ending(name) in endings for name in islice(names, _LOOKED_AT))


def _names(folder: str) -> Iterable[str]:
    try:
        with os.scandir(folder) as entries:
            yield from (entry.name for entry in entries)
    except OSError:
        return


def _ending(path: str) -> str:
    return os.path.splitext(path)[1].lower()
