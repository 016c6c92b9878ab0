"""Images in folders, called by the ids of a list with zeros before them: `images/010/0108775015.jpg`.

A spreadsheet, or pandas, leaves out zeros before numbers: `108775015`.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.proposals.table import Table, column_of
from tfrecordcli.storage.store_path import walk_local
from tfrecordcli.storage.uris import is_remote

_WALKED: Final = 2_000  # folders
_SOME: Final = 2
_MAY_LACK: Final = 20  # one image in so many


def zeros_hint(header: Sequence[str], table: Table, image: int, root: str, name: str, delimiter: str) -> str:
    """The command that writes the paths of such images; empty where it is not certain which these are.

    Args:
      header, table: the first rows.
      image: the column of images, whose fields lead to no file.
      root: folder or URL that relative paths are relative to.
      name, delimiter: of the list.
    """
    ids = {*column_of(table, image)}
    if is_remote(root) or len(ids) < _SOME or not all(each.isascii() and each.isdecimal() for each in ids):
        return ""
    found = _files_of(ids, root)
    paths = [path for some in found.values() for path in some]
    widths = {len(_stem(path)) for path in paths}
    are_alone = len(paths) == len(found) and len(widths) == 1 and max(map(len, ids)) <= max(widths)
    if not are_alone or not _are_nearly_all({*map(int, found)}, {*map(int, ids)}):
        return ""
    (width,) = widths
    if all(len(each) == width for each in found):
        return ""
    endings = ", ".join(map(literal, sorted({os.path.splitext(path)[1] for path in paths})))
    column = f"t[{literal(header[image])}]"
    change = (
        f"r = {literal(root)}; f = {{}}; "
        "[f.setdefault(os.path.splitext(n)[0], []).append(os.path.relpath(os.path.join(d, n), r)) "
        f"for d, _, k in os.walk(r) for n in k if n.endswith(({endings},))]; "
        f"k = {column}.str.zfill({width}); b = [n for n in k if len(f.get(n, [])) > 1]; "
        'assert not b, f"several files: {b[:3]}"; '
        f"{column} = [f.get(n, [v])[0] for n, v in zip(k, {column})]; t"
    )
    command = changed(name, delimiter, change, "with-paths", modules="os, pandas as pd")
    first = min(paths)
    what = f"the files have zeros before these numbers, as {first} for {_stem(first).lstrip('0')}"
    return f"{what}: write their paths: {command}, and convert that" if command else ""


def _files_of(ids: set[str], root: str) -> Mapping[str, list[str]]:
    """The images below the root that are called by these ids, with zeros before them or none."""
    found = defaultdict[str, list[str]](list)
    for folder, _, files in islice(walk_local(root), _WALKED):
        for file in filter(IMAGE_EXTENSION.search, files):
            number = _stem(file).lstrip("0") or "0"
            if number in ids:
                found[number].append(os.path.relpath(os.path.join(folder, file), root))
    return found


def _are_nearly_all(found: set[int], ids: set[int]) -> bool:
    """Whether few ids have no file, none of them at an end: there all files may be those of the next ones."""
    missing = ids - found
    return _MAY_LACK * len(missing) <= len(ids) and all(min(found) < each < max(found) for each in missing)


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]
