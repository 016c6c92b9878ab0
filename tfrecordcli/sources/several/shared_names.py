"""Names of images that several lists have, where each may mean another folder's: of one site each, say."""

from __future__ import annotations

import codecs
import os
from collections import Counter
from collections.abc import Sequence, Set
from itertools import chain, islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.sources.proposals.missing_images import folders_far_below, folders_with_any, has_image
from tfrecordcli.sources.sample import MOST_ROWS
from tfrecordcli.sources.several.part import SourcePart
from tfrecordcli.split_words import split_of
from tfrecordcli.storage.uris import is_remote, scheme_of

_LOOKED_FOR: Final = 32
# Stands for a folder where none is called like the list.
_FOLDER: Final = "FOLDER"


def need_own_images(parts: Sequence[SourcePart]) -> None:
    """Refuses names that several sources have, where no image is there and several folders have such names.

    As one list, rows of other images would contradict each other, or be merged; and whichever folder were
    given as the root of all, its images would carry labels of the others'.

    Raises:
      InputError: with a root, or the names, of each source.
    """
    root = _root_of_all(parts)
    if root is None:
        return
    names = [names_in(part) for part in parts]
    shared = _shared(names)
    if not shared or any(has_image(root, name) for name in chain.from_iterable(names)):
        return
    found = folders_far_below({*shared}, root) or folders_with_any(shared, root)
    folders = [os.path.relpath(folder, root) for folder in found]
    if len(folders) < 2:
        return
    sharing = [part for part, own in zip(parts, names, strict=True) if not own.isdisjoint(shared)]
    raise InputError(
        f"{', '.join(part.name for part in sharing)}: each has {shared[0]}, and none of their images is "
        f"there ({os.path.join(root, shared[0])}: file not found); {' and '.join(folders[:2])} have images "
        "of these names, so it is not certain which of them a list means",
        _way(sharing, folders, root),
    )


def one_root_doubt(parts: Sequence[SourcePart]) -> str:
    """What rows of several sources may mean that contradict each other below one root that the user gave.

    Args:
      parts: the sources.

    Returns:
      "" where no image stands in several of the sources, or other folders around have none of such names.
    """
    root = _root_of_all(parts)
    if root is None or any(part.source.rows.options.image_root is None for part in parts):
        return ""
    shared = _shared([names_in(part) for part in parts])
    near = {root, *(os.path.dirname(os.path.abspath(part.source.rows.name)) for part in parts)}
    around = {folder for place in near for folder in folders_with_any(shared, place)} - {root}
    if not shared or not around:
        return ""
    shown = [os.path.relpath(folder) for folder in (root, *sorted(around))]
    way = _way(parts, shown, os.curdir, has_root=False)
    return (
        f"several sources have {shared[0]}, and --image-root {shown[0]} gives all of them the images there, "
        f"though {shown[1]} has such names, too; without it, {way}"
    )


def _root_of_all(parts: Sequence[SourcePart]) -> str | None:
    """The local root that several sources have in common; None where they have none."""
    root, *others = {part.source.image_root for part in parts}
    return None if others or len(parts) < 2 or is_remote(root) else root


def _shared(names: Sequence[Set[str]]) -> list[str]:
    """Some of the names that several sources have."""
    counts = Counter(chain.from_iterable(names))
    return sorted(name for name, count in counts.items() if count > 1)[:_LOOKED_FOR]


def names_in(part: SourcePart) -> Set[str]:
    """Relative paths of the first images."""
    return {uri for uri in uris_in(part) if not os.path.isabs(uri)}


def uris_in(part: SourcePart) -> Set[str]:
    """Paths of the first images on this machine."""
    rows = part.source.rows
    if part.task == "tabular" or rows.is_listing:
        return frozenset()
    _, read = rows.read()
    uris = (row.image_uri for row in islice(read, MOST_ROWS) if row.problem is None)
    return {uri for uri in uris if uri and not scheme_of(uri)}


def _way(parts: Sequence[SourcePart], folders: Sequence[str], root: str, *, has_root: bool = True) -> str:
    """How each source is read with the images of its own folder.

    Args:
      folders: relative to the root.
      has_root: whether names are still relative to it then, and not to the folder of their list.
    """
    own = [_called_like(part, folders) for part in parts]
    own = own if len({*own}) == len(own) else [_FOLDER] * len(own)
    splits = [part.given.split for part in parts]
    pairs = [*zip(parts, own, strict=True)]
    where = " and ".join(f"of {part.name} are in {folder}" for part, folder in pairs)
    where = f"where the images {where}" if _FOLDER not in own else f"with its own folder for each {_FOLDER}"
    if all(splits) and len({*splits}) == len(splits):
        roots = {part.given.split: _relative(folder, root, os.curdir) for part, folder in pairs}
        options = chain.from_iterable(
            ("--image-root", f"{split}={folder}") for split, folder in roots.items()
        )
        return f"{where}: {command_line([*options])}"
    bases = [root if has_root else os.path.dirname(part.source.rows.name) for part in parts]
    before = [_relative(folder, root, base) for folder, base in zip(own, bases, strict=True)]
    commands = [_with_folder(part, folder) for part, folder in zip(parts, before, strict=True)]
    if not all(commands):
        return f"write the folder into the names of each list, as {own[0]}/…"
    return f"{where}, write it into the names: {'; '.join(commands)}; then give these in their places"


def _relative(folder: str, root: str, base: str) -> str:
    """A folder below the root as it is called from another one."""
    return folder if folder == _FOLDER else os.path.relpath(os.path.join(root, folder), base or os.curdir)


def _called_like(part: SourcePart, folders: Sequence[str]) -> str:
    """The only folder called after a list's split, or by whose name it is, in part; else a word for one."""
    stem = os.path.basename(part.name).casefold()
    of_split = [folder for folder in folders if split_of(os.path.basename(folder)) == part.given.split]
    of_all = set.intersection(*(set(_words(folder)) for folder in folders))
    named = [folder for folder in folders if any(word in stem for word in {*_words(folder)} - of_all)]
    found = of_split if part.given.split and of_split else named
    return found[0] if len(found) == 1 else _FOLDER


def _words(folder: str) -> list[str]:
    """What the folders of a path are called."""
    return [word for word in folder.casefold().split(os.sep) if word.strip(".")]


def _with_folder(part: SourcePart, folder: str) -> str:
    """The command that writes a CSV with a folder before each of its images; empty where none does."""
    rows = part.source.rows
    encoding = rows.options.encoding
    is_text = not codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    if rows.is_spooled or not os.path.isfile(rows.name) or not is_text:
        return ""
    shape = rows.shape()
    if shape.image is None:
        return ""
    i, before = shape.image, f"{folder}/".encode(encoding).decode("latin-1")
    head = [shape.header[i].encode(encoding).decode("latin-1")] if shape.header else []
    skipped = ", ".join(map(literal, ["", *head]))
    row = f"x[:{i}] + [{literal(before)} + x[{i}]] + x[{i + 1}:]"
    code = f"w.writerows({row} if x[{i}:] and x[{i}] not in ({skipped},) else x for x in r)"
    written = rows.options.delimiter or ","
    return made_by("", rows_by(code, shape.delimiter, written), rows.name).partition(": ")[2]
