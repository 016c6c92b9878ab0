"""--split-by of a folder, which has no columns: refused with the command that makes one of names."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Mapping
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.sources.row import Row
from tfrecordcli.split_words import UNASSIGNED

LOOKED_AT: Final = 10_000  # images by which the command is made
# What takes the label of a path, as Python, and the same here.
_LABELS: Final[Mapping[str, Callable[[tuple[str, ...]], str]]] = {
    'q.split("/")[-2]': lambda parts: parts[-2],
    'q.split("/")[0]': lambda parts: parts[0],
    'q.split("/")[1]': lambda parts: parts[1],
}


def need_no_groups(rows: RowFile, path: str, column: str | None, exclude: Collection[str]) -> None:
    """Refuses to assign images to splits one by one where those of a group are to stay together.

    Args:
      rows: of the folder.
      column: that --split-by names, if it is given.

    Raises:
      InputError: some images are in no folder of a split.
    """
    if column is None:
        return
    if not any(row.split == UNASSIGNED for row in rows.read()[1]):
        return
    found = list(islice(rows.read()[1], LOOKED_AT))
    raise InputError(
        f"{path}: --split-by {column}: a folder has no columns", _hint(found, path, column, exclude)
    )


def _hint(rows: Collection[Row], path: str, column: str, exclude: Collection[str]) -> str:
    group = 're.split("[_.-]", q.split("/")[-1])[0]'
    if commands := listing_commands(rows, path, column, group, exclude):
        return f"write a list that has a part of each name, here what is before the first _ or -: {commands}"
    return (
        f"make a CSV of it with a column {column}; tfrec inspect --export writes one of its records once "
        "it was converted without that option"
    )


def listing_commands(
    rows: Collection[Row], path: str, column: str, group: str, exclude: Collection[str]
) -> str:
    """The commands for a list of a folder with a column of groups; empty where none is certain.

    Args:
      rows: of the folder, the first ones.
      group: that of a path `q`, as Python.
    """
    paths = [PurePosixPath(row.image_uri).parts for row in rows]
    is_labelled = [bool(row.labels) for row in rows]
    takes = [
        code
        for code, label in _LABELS.items()
        if all(len(p) > 1 and (label(p),) == row.labels for p, row in zip(paths, rows, strict=True))
    ]
    if (
        exclude
        or not os.path.isdir(path)
        or any(row.boxes for row in rows)
        or (any(is_labelled) and not takes)
    ):
        return ""
    label = f", {takes[0]}" if takes else ""
    endings = sorted({parts[-1][parts[-1].rfind(".") :] for parts in paths})
    header = f'"image", {chr(34) + "label" + chr(34) + ", " if takes else ""}{literal(column)}'
    code = (
        "import csv, glob, re, sys; w = csv.writer(sys.stdout); "
        f"w.writerow([{header}]); "
        f"[w.writerow([q{label}, {group}]) "
        'for q in sorted(glob.glob("**", root_dir=sys.argv[1], recursive=True)) '
        f"if q.endswith(({', '.join(map(literal, endings))},))]"
    )
    split_by = command_line(["--split-by", column])
    listed = as_path(f"{path.rstrip('/')}/list.csv")
    keep = "" if takes else " --unlabelled keep"
    return (
        f"{command_line(['python', '-c', code, as_path(path)])} > {shlex.quote(listed)}, then "
        f"{command_line(['tfrec', 'convert', listed])} OUTPUT_DIR {split_by}{keep}"
    )
