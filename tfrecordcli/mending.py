"""The command that converts a rejects.csv once a person has mended it."""

from __future__ import annotations

import os
import shlex
from typing import Any

from tfrecordcli.dataset.source import Source
from tfrecordcli.naming import LABELS, REJECTS
from tfrecordcli.options import ConvertOptions, ImageOptions, ReadOptions


def mend_command(source: Source, output_dir: str, label_kind: str, options: ConvertOptions) -> str:
    """One line for a shell: same columns, labels, splits and image options as the run that rejected.

    The mended rows go to a dataset of their own, whose label ids are those of the first.
    ``label_kind`` is empty for a dataset without labels.
    """
    out = output_dir.rstrip(os.sep) or output_dir
    words = ["tfrec", "convert", os.path.join(out, REJECTS), out + "-mended"]
    words += ["--image-root", source.root_as_given]
    if label_kind:
        words += ["--labels", os.path.join(out, LABELS), "--label-type", label_kind]
    read = options.read
    columns = source.rows.options.columns  # those of a folder's list are its own
    if columns:
        words += ["--columns", ",".join(f"{name}={column}" for name, column in columns)]
    if read.splits != ReadOptions().splits:
        words += ["--splits", ",".join(f"{split}={weight:g}" for split, weight in read.splits)]
    words += _changed(read, ReadOptions(), ("unlabelled", "split_seed"))
    words += _changed(options.image, ImageOptions(), ImageOptions.__slots__)
    return shlex.join(words)


def _changed(options: Any, defaults: Any, names: tuple[str, ...]) -> list[str]:
    """`--name value` of the options that are not at their default."""
    words = []
    for name in names:
        value = getattr(options, name)
        if value != getattr(defaults, name):
            words += ["--" + name.replace("_", "-"), str(value)]
    return words
