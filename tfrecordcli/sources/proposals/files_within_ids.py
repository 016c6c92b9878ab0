"""Files that are called by a part of ids which all begin or end alike: `9f7d.png` for `9f7d_image`."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import Final

from tfrecordcli.sources.column_words import without_extension
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.proposals.missing_images import folders_in, has_image
from tfrecordcli.sources.proposals.table import Table
from tfrecordcli.storage.uris import is_remote
from tfrecordcli.units import some_of

_SOME: Final = 2
_NEARLY_ALL: Final = 0.8
_MARKS: Final = "_- ."  # between an id and what stands beside it


def files_within_ids_hint(
    header: Sequence[str], table: Table, image: int, root: str, name: str, delimiter: str
) -> str:
    """The command that leaves of ids what their files are called; empty where it is not certain.

    What is left is no bare number: the images of many sets are called so.

    Args:
      header, table, image, root, name, delimiter: as of `files_of_ids_hint`.
    """
    ids = sorted({row[image] for row in table if image < len(row) and row[image]})
    endings = {each[len(without_extension(each)) :] for each in ids}
    if len(ids) < _SOME or is_remote(root) or len(endings) != 1:
        return ""
    (ending,) = endings
    for begin, end in _cuts([*map(without_extension, ids)]):
        parts = [without_extension(each)[len(begin) :].removesuffix(end) for each in ids]
        folders = [folder for folder in chain((root,), folders_in(root)) if _holds(folder, parts, ending)]
        if len(folders) != 1 or not all(parts) or all(map(str.isdecimal, parts)):
            continue
        column = f"t[{literal(header[image])}]"
        before = "" if folders[0] == root else f"{literal(f'{os.path.relpath(folders[0], root)}/')} + "
        cut = f".str.removeprefix({literal(begin)})" * bool(begin)
        cut += f".str.removesuffix({literal(end + ending)})" * bool(end)
        behind = f" + {literal(ending)}" * bool(end and ending)
        command = changed(name, delimiter, f"{column} = {before}{column}{cut}{behind}; t", "paths")
        shown = some_of([each for each in (begin, end) if each])
        what = f"{folders[0]} has files that are called so without {shown}: leave that out"
        return f"{what}: {command}, and convert that" if command else ""
    return ""


def _cuts(ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What all ids begin and end with, up to a mark, the longest first; one of both may be empty."""
    begin = posixpath.commonprefix(ids)
    end = posixpath.commonprefix([each[::-1] for each in ids])[::-1]
    begins = [begin[: i + 1] for i, letter in enumerate(begin) if letter in _MARKS]
    ends = [end[i:] for i, letter in enumerate(end) if letter in _MARKS]
    cuts = product([*reversed(begins), ""], [*ends, ""])
    return ((begin, end) for begin, end in cuts if (begin or end) and "/" not in begin + end)


def _holds(folder: str, names: Sequence[str], ending: str) -> bool:
    """Whether a folder has images of nearly all of these names."""
    return sum(has_image(folder, f"{each}{ending}") for each in names) >= _NEARLY_ALL * len(names)
