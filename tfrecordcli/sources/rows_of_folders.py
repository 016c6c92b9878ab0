"""Rows that name a folder of images each, with one label for all of them: studies, as MURA has them."""

from __future__ import annotations

import os
from typing import Final

from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import beside, literal, python_command
from tfrecordcli.sources.sample import sample_of
from tfrecordcli.storage.uris import is_remote

_ENDINGS: Final = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".webp", ".tif", ".tiff")
_PLAIN: Final = ("image", "label")


def folders_hint(rows: RowFile, root: str) -> str:
    """The command that makes a row of each image of these folders; empty where none can be told.

    Args:
      rows: of a list whose images are folders.
      root: folder or URL that relative paths are relative to.
    """
    if rows.is_listing or rows.is_spooled or not os.path.isfile(rows.name) or is_remote(root):
        return ""
    sample = sample_of(rows)
    header, image = sample.shape.header, sample.shape.image
    if not header and {*map(len, sample.table)} != {len(_PLAIN)}:
        return ""
    names = [*(header or _PLAIN), "folder"]
    place = image or 0
    code = (
        f'import csv, os; r = csv.reader(open({literal(rows.name)}, newline="", '
        f'encoding="utf-8-sig"), delimiter={literal(sample.shape.delimiter)}, skipinitialspace=True); '
        f"{'next(r); ' if header else ''}i, d = {place}, {literal(root or '.')}; "
        "t = [[*f[:i], os.path.join(f[i].strip(), n), *f[i + 1:], f[i]] for f in r if f "
        "for n in sorted(os.listdir(os.path.join(d, f[i].strip()))) "
        f'if n[0] != "." and n.lower().endswith({_quoted(_ENDINGS)})]; '
        f'w = csv.writer(open({literal(beside(rows.name, "by-image"))}, "x", newline="", encoding="utf-8")); '
        f"w.writerows([{_quoted(names)}, *t])"
    )
    return (
        f"its rows name folders: make a row of each image in them: {python_command(code, rows.name)}, and "
        "convert that with --split-by folder"
    )


def _quoted(words: tuple[str, ...] | list[str]) -> str:
    return f"({', '.join(map(literal, words))})"
