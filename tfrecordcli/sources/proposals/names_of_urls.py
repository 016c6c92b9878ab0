"""Names of images as URLs have them (`Anna%20Meier.jpg`), where files here are called as these say."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote

from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.proposals.missing_images import folders_in
from tfrecordcli.sources.proposals.table import Table, column_of
from tfrecordcli.storage.uris import is_remote, public_uri

_FIRST: Final = 100  # names that are looked for
_SOME: Final = 2


def decoded_names_hint(
    header: Sequence[str], table: Table, image: int, root: str, name: str, delimiter: str
) -> str:
    """The command that writes names as the files have them; empty where it is not certain which these are.

    What all begin with, and no folder here is called, as the place on a server, is left out.

    Args:
      header, table: the first rows.
      image: the column of images, whose fields lead to no file.
      root: folder or URL that relative paths are relative to.
      name, delimiter: of the list.
    """
    uris = [*dict.fromkeys(column_of(table, image))][:_FIRST]
    if is_remote(root) or len(uris) < _SOME or not any(unquote(uri) != uri for uri in uris):
        return ""
    if any(public_uri(uri) != uri for uri in uris):  # what is not public must not be shown
        return ""
    found = _begin_and_folder(uris, root)
    if found is None:
        return ""
    begin, folder = found
    before = "" if folder == root else os.path.relpath(folder, root) + "/"
    shown = unquote(next(uri for uri in uris if unquote(uri) != uri)[len(begin) :])
    decoded = f'"{before}" + urllib.parse.unquote(v)' if before else "urllib.parse.unquote(v)"
    column = f"t[{literal(header[image])}]"
    cut = f".str.removeprefix({literal(begin)})" if begin else ""
    change = f"{column} = [v and {decoded} for v in {column}.str.strip(){cut}]; t"
    command = changed(name, delimiter, change, "paths", modules="urllib.parse, pandas as pd")
    what = f"{folder} has {shown}, which the list has as a URL: write names as the files have them"
    return f"{what}: {command}, and convert that" if command else ""


def _begin_and_folder(uris: Sequence[str], root: str) -> tuple[str, str] | None:
    """(what all begin with, folder) where the rest of most, decoded, leads to files of the folder; or None.

    The least is cut; files that are called as the list has them are none of these.
    """
    first = uris[0]
    ends = [0, *(slash.end() for slash in re.finditer("/", first))]
    for end in ends:
        begin = first[:end]
        if not all(uri.startswith(begin) for uri in uris) or (is_remote(first) and end < len("s3://")):
            continue
        rests = [uri[end:] for uri in uris]
        for folder in dict.fromkeys((root, *folders_in(root))):
            there = [rest for rest in rests if os.path.isfile(os.path.join(folder, unquote(rest)))]
            encoded = [rest for rest in there if unquote(rest) != rest]
            literally = any(os.path.isfile(os.path.join(folder, rest)) for rest in encoded)
            if encoded and 2 * len(there) > len(rests) and not literally:
                return begin, folder
    return None
