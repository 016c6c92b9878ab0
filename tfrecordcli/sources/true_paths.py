"""Lists whose names of images are no files: another column, several together, or a list beside has them."""

from __future__ import annotations

import os
from typing import Final

from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.files_of_ids import files_of_ids_hint
from tfrecordcli.sources.proposals.files_within_ids import files_within_ids_hint
from tfrecordcli.sources.proposals.images_in_another_list import images_of_ids_hint
from tfrecordcli.sources.proposals.names_in_other_case import true_names_hint
from tfrecordcli.sources.proposals.names_of_urls import decoded_names_hint
from tfrecordcli.sources.proposals.paths_in_columns import paths_hint
from tfrecordcli.sources.proposals.paths_of_names import ids_option, paths_option
from tfrecordcli.sources.proposals.unread import Unread
from tfrecordcli.sources.proposals.zeros_before_ids import zeros_hint
from tfrecordcli.sources.sample import Sample, sample_of
from tfrecordcli.storage.uris import is_remote

# What makes the command that writes the paths of images.
_WRITING: Final = (
    decoded_names_hint, paths_hint, files_of_ids_hint, files_within_ids_hint, true_names_hint, zeros_hint,
)  # fmt: skip
_LOOKED_FOR: Final = 100  # rows


def names_no_file(rows: RowFile, root: str) -> bool:
    """Whether none of the first images is a file below a local root."""
    if rows.is_spooled or rows.is_own or rows.is_listing or is_remote(root):
        return False
    sample = sample_of(rows)
    names = [] if sample.shape.image is None else sample.fields(sample.shape.image)[:_LOOKED_FOR]
    return bool(names) and not any(os.path.isfile(os.path.join(root, name)) for name in names)


def with_columns(rows: RowFile) -> Sample | None:
    """The first rows of a file that has a header, of several columns; else None."""
    if rows.is_spooled or rows.is_own or rows.is_listing or not rows.shape().header:
        return None
    sample = sample_of(rows)
    return sample if len(sample.shape.header) > 1 else None


def true_paths_hint(rows: RowFile, root: str) -> str:
    """Where another column has the paths of the images, the option that takes it.

    Where several tell them, the command that writes the paths.
    """
    sample = with_columns(rows)
    if sample is None or sample.shape.image is None:
        return ""
    header, image, delimiter = sample.shape.header, sample.shape.image, sample.shape.delimiter
    labels = [("label", header[i]) for i in sample.shape.labels if not rows.options.one_hot]
    others = [each for each in rows.options.columns if each[0] not in ("image_uri", "label")]
    known = [("image_uri", header[image]), *labels, *others]
    table = [[*row] for row in sample.table]
    option = paths_option(header, table, known, root) or ids_option(header, table, known, root)
    hints = (hint(header, table, image, root, rows.name, delimiter) for hint in _WRITING)
    unread = Unread(rows.name, rows.options, [*header], delimiter, lambda: iter(table))
    joined = images_of_ids_hint(unread, header[image], labels[0][1] if len(labels) == 1 else "")
    return option or joined or next(filter(None, hints), "")
