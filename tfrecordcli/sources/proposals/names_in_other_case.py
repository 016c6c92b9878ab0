"""Images of a list whose files are called so but for capital letters: `I01.bmp` for `images/i01.BMP`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence, Set
from itertools import islice
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.proposals.missing_images import folders_in
from tfrecordcli.sources.proposals.table import Table
from tfrecordcli.storage.store_path import walk_local
from tfrecordcli.storage.uris import is_remote

_FIRST: Final = 100  # names that are looked for
_SOME: Final = 2
_WALKED: Final = 2_000  # folders
_LOOKED_AT: Final = 100_000  # files of a folder
_WHY: Final = "its files are called so but for capital letters, which count"


def true_names_hint(
    header: Sequence[str], table: Table, image: int, root: str, name: str, delimiter: str
) -> str:
    """The command that writes names as the files have them; empty where it is not certain which these are.

    Args:
      header, table: the first rows.
      image: the column of images, whose fields lead to no file.
      root: folder or URL that relative paths are relative to.
      name, delimiter: of the list.
    """
    names = {row[image] for row in table if image < len(row) and row[image]}
    folder = folder_in_other_case(names, root)
    if not folder:
        return ""
    before = "" if folder == root else f"{literal(f'{os.path.relpath(folder, root)}/')} + "
    column = f"t[{literal(header[image])}]"
    change = (
        f"r = {literal(folder)}; p = [os.path.relpath(os.path.join(d, n), r) for d, _, k in os.walk(r) "
        f"for n in k]; f = {{n.lower(): n for n in p}} | {{n: n for n in p}}; "
        f"{column} = [n and {before}f.get(n, f.get(n.lower(), n)) for n in {column}]; t"
    )
    command = changed(name, delimiter, change, "paths", modules="os, pandas as pd")
    return f"{folder}: {_WHY}: write such names: {command}, and convert that" if command else ""


def told_other_case(names: Iterable[str], root: str) -> str:
    """What to do about a list whose names no command writes anew; empty where files are not called so.

    Args:
      names: of images that are not there.
      root: folder or URL that relative paths are relative to.
    """
    folder = folder_in_other_case({*names}, root)
    option = "" if folder == root else f"convert with {command_line(['--image-root', folder])}; "
    return f"{folder}: {_WHY}: {option}write names as the files have them" if folder else ""


def folder_in_other_case(names: Collection[str], root: str) -> str:
    """The only folder, the root or one around it, that has a file for each name but for capital letters.

    Empty where there is none, or some name fits two of its files.
    """
    if is_remote(root) or len(names) < _SOME or any(each.startswith(("/", "..", "./")) for each in names):
        return ""
    some = sorted(names)[:_FIRST]
    above = os.path.dirname(root)
    are_deep = any("/" in each for each in some)
    for folders in ([root, *folders_in(root)], [above, *folders_in(above)]):
        near = dict.fromkeys(folders)
        files = {folder: {*(_paths_below if are_deep else _files_in)(folder)} for folder in near}
        if any(paths.issuperset(some) for paths in files.values()):
            return ""
        found = [folder for folder, paths in files.items() if _have_all(paths, some)]
        if found:
            return found[0] if len(found) == 1 else ""
    return ""


def _have_all(paths: Set[str], names: Iterable[str]) -> bool:
    count = Counter(path.lower() for path in paths)
    return all(name in paths or count[name.lower()] == 1 for name in names)


def _paths_below(folder: str) -> list[str]:
    walked = islice(walk_local(folder), _WALKED)
    return [os.path.relpath(os.path.join(each, file), folder) for each, _, files in walked for file in files]


def _files_in(folder: str) -> list[str]:
    """The names of the first files right in a folder; none where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in islice(entries, _LOOKED_AT)]
    except OSError:
        return []
