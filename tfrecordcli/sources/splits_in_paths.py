"""Splits that folders in the paths of a list tell, where the list has no column of them."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Final

from tfrecordcli.sources.boxes_in_text import beside, literal, python_command, table
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.split_words import SPLIT_WORDS, split_of

# Folders of rows behind the sample may have any of them.
_WORDS: Final = "|".join(filter(split_of, SPLIT_WORDS))


def splits_in_paths_warning(rows: RowFile, uris: Collection[str]) -> str:
    """What to know of rows without a split whose images are in folders called like several; empty if not.

    Args:
      rows: the list.
      uris: of its images, or a sample of them.
    """
    words = [_split_folder(uri) for uri in uris]
    if rows.is_listing or not all(words) or len({*map(split_of, words)}) < 2:
        return ""
    named = sorted({*words})
    return (
        f"images are in folders called like splits ({', '.join(named[:5])}), and rows without a split are "
        f"assigned whatever these say: {_command(rows)}"
    )


def _split_folder(uri: str) -> str:
    """The folder in a path that is called like a split, the last of several; empty where none is."""
    folders = uri.replace("\\", "/").split("/")[:-1]
    return next((folder for folder in reversed(folders) if split_of(folder)), "")


def _command(rows: RowFile) -> str:
    """How the list gets a column of splits."""
    command = ""
    shape = rows.shape() if not rows.is_spooled and os.path.isfile(rows.name) else None
    if shape is not None and shape.image is not None:
        code = (
            f"import pandas as pd; t = {table(rows.name, shape.delimiter)}; "
            f't["split"] = t[{literal(shape.header[shape.image])}]'
            f'.str.extract(r"(?i)(?:.*[/\\\\]|^)({_WORDS})[/\\\\]", expand=False); '
            f't.to_csv({literal(beside(rows.name, "with-splits"))}, index=False, mode="x")'
        )
        command = python_command(code, rows.name)
    return f"write them into a column: {command}" if command else "write them into a column called split"
