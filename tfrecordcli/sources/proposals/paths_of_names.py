"""Columns beside one of names that are no files, which have their paths or what the files are called by."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.proposals.image_columns import id_columns
from tfrecordcli.sources.proposals.missing_images import are_below
from tfrecordcli.sources.proposals.table import Table, column_of
from tfrecordcli.storage.uris import is_remote, with_forward_slashes

_FIRST: Final = 100  # rows whose files are looked for


def paths_option(header: Sequence[str], table: Table, known: Sequence[tuple[str, str]], root: str) -> str:
    """The option that takes a column of paths for the images, whose names are no files; empty without one.

    It is the only column in which each path ends with the name in its row, and is a file.

    Args:
      header, table: the first rows.
      known: (purpose, column name) pairs, the one of the images first.
      root: folder or URL that relative paths are relative to.
    """
    rows = [row for row in table if len(row) == len(header)][:_FIRST]
    if not rows or is_remote(root):
        return ""
    columns = [*_columns_of_paths(rows, header.index(known[0][1]), root)]
    if len(columns) != 1:
        return ""
    name = header[columns[0]]
    return f"column {name} has their paths: {columns_option([('image_uri', name), *known[1:]])}"


def ids_option(header: Sequence[str], table: Table, known: Sequence[tuple[str, str]], root: str) -> str:
    """The same for the column of ids that files below the root are called by.

    Those of Wildlife Insights are: cameras count from `IMG_0001.JPG` each.
    """
    if is_remote(root):
        return ""
    rows = table[:_FIRST]
    for column in id_columns(header, rows):
        ids = {*column_of(rows, column)}
        if header[column] != known[0][1] and len(ids) > 1 and are_below(ids, root, len(ids)):
            option = columns_option([("image_uri", header[column]), *known[1:]])
            return f"images are called by column {header[column]}: {option}"
    return ""


def _columns_of_paths(rows: Sequence[Sequence[str]], image: int, root: str) -> Iterator[int]:
    for column in range(len(rows[0])):
        paths = ((with_forward_slashes(row[column]) or row[column], row[image]) for row in rows)
        if column != image and all(
            path.endswith(f"/{name}") and os.path.isfile(os.path.join(root, path)) for path, name in paths
        ):
            yield column
