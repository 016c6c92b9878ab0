"""Rows of an image and a label in one name, and whether it shows that: `ID_12cadc6af_epidural,0` (RSNA)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import looks_like_image, without_extension
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.image_paths import PathRules, entries, path_of
from tfrecordcli.sources.label_fields import is_flag
from tfrecordcli.sources.pandas_commands import beside, literal, python_command, table
from tfrecordcli.sources.sample import Sample
from tfrecordcli.units import join_names

_FEWEST_IMAGES: Final = 3


def need_no_labels_in_ids(sample: Sample, rows: RowFile, root: str) -> None:
    """Refuses such rows, with the command that makes one of each image.

    Args:
      root: folder that relative paths are relative to; no `a_left` is `a` where any of them is a file, as
        `b_left.jpg`.

    Raises:
      InputError: all labels are 0 or 1, and all images of the first rows have the same few ends of names.
    """
    shape, options = sample.shape, rows.options
    if shape.image is None or len(shape.labels) != 1 or not shape.header or options.label_type != "auto":
        return
    ids = list(dict.fromkeys(uri for _, uri, _ in sample.words))
    if not all(map(is_flag, sample.fields(shape.labels[0]))) or any(map(looks_like_image, ids)):
        return
    ends: dict[str, set[str]] = {}
    for name in ids:
        image, _, end = name.rpartition("_")
        ends.setdefault(image, set()).add(end)
    most = max(map(len, ends.values()), default=0)
    found = next((sorted(some) for some in ends.values() if len(some) == most), [])
    alike = [image for image, some in ends.items() if some == set(found)]
    are_all_alike = len(ends) - len(alike) <= 1  # of the last one more rows may follow
    if len(alike) < _FEWEST_IMAGES or not are_all_alike or len(found) < 2 or any(map(str.isdecimal, found)):
        return
    if _may_be_images(list(map(PathRules(options.map).apply, ids)), root):
        return
    image, label = (shape.header[column] for column in (shape.image, shape.labels[0]))
    code = (
        f"import pandas as pd; t = {table(rows.name, shape.delimiter)}; "
        f't[["image", "end"]] = t[{literal(image)}].str.rsplit("_", n=1, expand=True).to_numpy(); '
        f't.pivot_table(index="image", columns="end", values={literal(label)}, aggfunc="max")'
        f'.to_csv({literal(beside(rows.name, "one-hot"))}, mode="x")'
    )
    command = python_command(code, rows.name)
    made = command_line(["tfrec", "convert", as_path(beside(rows.name, "one-hot"))])
    one_hot = command_line(["--one-hot", join_names(found)])
    raise InputError(
        f"images are told with a label each in one name, as {ids[0]}, and {label} says whether they show it",
        f"make a row of each image{': ' * bool(command)}{command}; "
        f"then: {made} OUTPUT_DIR {one_hot} --unlabelled keep",
    )


def _may_be_images(uris: Sequence[str], root: str) -> bool:
    """Whether any is elsewhere, or a file here is called so, whatever its extension."""
    paths = [path_of(uri, root) for uri in uris]
    if not all(paths):
        return True
    names = set(map(os.path.split, paths))
    folders = list(dict.fromkeys(folder for folder, _ in names))
    return any((folder, without_extension(name)) in names for folder, name in entries(folders, root))
