"""Label columns whose names do not say so for certain, and which count as long as every row needs a label."""

from __future__ import annotations

from dataclasses import replace

from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile


def naming_labels(rows: RowFile) -> str:
    """`--columns label=species`: what keeps the label column of a list where labels are not needed any more.

    Empty where it needs no naming.
    """
    if rows.options.unlabelled != "error" or not rows.tells_lines:
        return ""
    shape = rows.shape()
    if not (shape.header and shape.labels) or shape.boxes is not None:
        return ""
    if replace(rows, options=replace(rows.options, unlabelled="keep")).shape().labels:
        return ""
    labels = [("label", shape.header[column]) for column in shape.labels]
    return columns_option([*rows.options.columns, *labels])
