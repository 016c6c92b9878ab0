"""Lists whose names of images are no files, and whose ids are: cameras count from `IMG_0001.JPG` each."""

from __future__ import annotations

import os
from typing import Final

from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.image_columns import id_columns
from tfrecordcli.sources.proposals.missing_images import are_below
from tfrecordcli.sources.proposals.table import column_of
from tfrecordcli.sources.sample import sample_of
from tfrecordcli.storage.uris import is_remote

_LOOKED_FOR: Final = 100  # rows


def ids_option(rows: RowFile, root: str) -> str:
    """The option that takes the column of ids by which all files are called; empty where there is none.

    Args:
      root: absolute folder or URL that relative paths are relative to.
    """
    if rows.is_spooled or rows.is_own or rows.is_listing or is_remote(root):
        return ""
    sample = sample_of(rows)
    shape, table = sample.shape, [[*row] for row in sample.table[:_LOOKED_FOR]]
    if not shape.header or shape.image is None or _are_there(sample.fields(shape.image), root):
        return ""
    labels = [("label", shape.header[i]) for i in shape.labels if not rows.options.one_hot]
    others = [each for each in rows.options.columns if each[0] not in ("image_uri", "label")]
    for column in id_columns(shape.header, table):
        ids = {*column_of(table, column)}
        if column != shape.image and len(ids) > 1 and are_below(ids, root, len(ids)):
            named = [("image_uri", shape.header[column]), *labels, *others]
            return f"images are called by column {shape.header[column]}: {columns_option(named)}"
    return ""


def _are_there(names: list[str], root: str) -> bool:
    """Whether one of the first is a file."""
    return any(os.path.isfile(os.path.join(root, name)) for name in names[:_LOOKED_FOR])
