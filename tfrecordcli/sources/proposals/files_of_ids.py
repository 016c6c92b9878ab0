"""Files whose names go on behind ids of a list (`ID_red.png`, `ID_green.png`) or before them (`a-ID.png`)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence, Set
from itertools import islice
from typing import Final

from tfrecordcli.sources.column_words import IMAGE_EXTENSION, without_extension
from tfrecordcli.sources.folders.masks import CALLED_MASK
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.proposals.missing_images import folders_in, has_image
from tfrecordcli.sources.proposals.table import Table
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import some_of

_FIRST: Final = 20  # ids that are looked for
_SOME: Final = 2
_ASKED: Final = 5  # of these, by whose files it is told what stands behind them
_NEARLY_ALL: Final = 0.8  # some animals of an adoption have no photo
_LOOKED_AT: Final = 100_000  # files of a folder
# Of the images of one cell in several colours, that of what is looked for.
_CHOSEN: Final = "green"


def files_of_ids_hint(
    header: Sequence[str], table: Table, image: int, root: str, name: str, delimiter: str
) -> str:
    """The command that writes the paths of such files; empty where it is not certain which they are.

    Args:
      header, table: the first rows.
      image: the column of ids.
      root: folder or URL that relative paths are relative to.
      name, delimiter: of the list.
    """
    ids = {*islice((row[image] for row in table if image < len(row) and row[image]), _FIRST)}
    if len(ids) < _SOME or is_remote(root) or any(map(IMAGE_EXTENSION.search, ids)):
        return ""
    above = os.path.dirname(root)
    if any(has_image(folder, min(ids)) for folder in (*folders_in(root), above, *folders_in(above))):
        return ""
    found = _by_folder((root, *folders_in(root)), ids)
    if not found:
        every = {row[image] for row in table if image < len(row) and row[image]}
        if hint := _with_begin(every, header[image], root, name, delimiter):
            return hint
        found = _by_folder(folders_in(above), ids)  # `train_images` beside `train/train.csv`
    if len(found) != 1:
        return ""
    ((folder, ends),) = found.items()
    end = min(ends, key=lambda end: (_CHOSEN not in end, -len(ends[end]), end))
    column = f"t[{literal(header[image])}]"
    before = "" if folder == root else f"{literal(f'{os.path.relpath(folder, root)}/')} + "
    change = f"{column} = {before}{column} + {literal(end)}; t"
    command = changed(name, delimiter, change, "paths")
    if not command:
        return ""
    lacking = sorted(ids - ends[end])
    files = some_of([f"{min(ends[end])}{each}" for each in sorted(ends)])
    less = f", and {some_of(lacking)} has none" if lacking else ""
    if len(ends) == 1:
        return f"{folder} has {files} for it{less}: write such names: {command}, and convert that"
    return (
        f"{folder} has several files for it, {files}{less}: a record holds one image; "
        f"with that of {end}: {command}, and convert that"
    )


def _with_begin(ids: Set[str], column: str, root: str, name: str, delimiter: str) -> str:
    """The command for files whose names begin alike before all ids; empty where it is not certain."""
    folders = (root, *folders_in(root))
    found = {(folder, *each) for folder in folders for each in _begins(folder, ids)}
    if len(found) != 1:
        return ""
    ((folder, begin, end),) = found
    before = begin if folder == root else f"{os.path.relpath(folder, root)}/{begin}"
    column = f"t[{literal(column)}]"
    change = f"{column} = {literal(before)} + {column} + {literal(end)}; t"
    command = changed(name, delimiter, change, "paths")
    what = f"{folder} has {begin}{min(ids)}{end} for it: write such names"
    return f"{what}: {command}, and convert that" if command else ""


def _begins(folder: str, ids: Set[str]) -> set[tuple[str, str]]:
    """What stands before each id in names of images in a folder, and behind it, but for masks."""
    names = _images_in(folder)
    first = min(ids)
    stems = {name: without_extension(name) for name in names}
    ends = {
        (stem.removesuffix(first), name[len(stem) :]) for name, stem in stems.items() if stem.endswith(first)
    }
    return {
        (begin, end)
        for begin, end in ends
        if begin and not begin[-1].isdecimal() and not CALLED_MASK.fullmatch(begin.rstrip("_-"))
        if all(f"{begin}{each}{end}" in names for each in ids)
    }


def _by_folder(folders: Iterable[str], ids: Set[str]) -> dict[str, dict[str, set[str]]]:
    """The folders that have such files, each with what `_ends` tells."""
    return {folder: ends for folder in folders if (ends := _ends(folder, ids))}


def _ends(folder: str, ids: Set[str]) -> dict[str, set[str]]:
    """What stands behind ids in names of images in a folder, behind nearly all alike, but for masks.

    Returns:
      The ids that have a file, by what stands there.
    """
    names = _images_in(folder)
    firsts = sorted(ids)[:_ASKED]
    ends = {
        name[len(each) :] for each in firsts for name in names if name.startswith((f"{each}_", f"{each}-"))
    }
    ends = {end for end in ends if not CALLED_MASK.fullmatch(without_extension(end))}
    having = {end: {each for each in ids if f"{each}{end}" in names} for end in ends}
    return {end: some for end, some in having.items() if len(some) >= max(_SOME, _NEARLY_ALL * len(ids))}


def _images_in(folder: str) -> set[str]:
    """The names of the images right in a folder, of the first files; none where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, _LOOKED_AT)]
    except OSError:
        return set()
    return {*filter(IMAGE_EXTENSION.search, names)}
