"""The command that converts a rejects.csv once a person has mended it."""

from __future__ import annotations

import os
from dataclasses import replace

from tfrecordcli.dataset.manifest import Manifest
from tfrecordcli.naming import LABEL_MAP, LABELS, REJECTS
from tfrecordcli.option_definition import changed_words
from tfrecordcli.options import ABOUT_COLUMNS, ConvertOptions, ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.column_words import FEATURE_COLUMN
from tfrecordcli.sources.further_columns import as_entries
from tfrecordcli.sources.source import Source
from tfrecordcli.storage.uris import masked_uri


def mend_command(source: Source, output_dir: str, options: ConvertOptions, manifest: Manifest) -> str:
    """One line for a shell: same columns, labels, splits and image options as the run that rejected.

    The mended rows go to a dataset of their own, whose label ids are those of the first; labels that no good
    row had are numbered after them. A vocabulary of the user's that takes no others stays that of the user.
    Credentials in the image root are masked: the line is printed where others read it.
    Images in temporary files are gone afterwards: there is no command then.
    """
    if source.is_unpacked:
        return ""
    label_kind, unit = manifest.label_kind if manifest.num_labels else "", manifest.box_unit
    out = as_path(output_dir.rstrip(os.sep) or output_dir)
    words = ["tfrec", "convert", os.path.join(out, REJECTS), _beside(out)]
    if source.schema.task != "tabular":
        words += ["--image-root", as_path(masked_uri(source.root_as_given))]
    own = source.rows.options.labels_file  # among the options of a plan, a digest stands in its place
    if own and options.read.new_labels == "reject":
        words += ["--labels", as_path(own), "--label-type", label_kind]
    elif label_kind:
        words += ["--labels", os.path.join(out, LABEL_MAP if unit else LABELS), "--label-type", label_kind]
        words += ["--new-labels", "append"]
    # Those of a folder's list are its own.
    words += changed_words(_with_types(source), (*ABOUT_COLUMNS, "box_format"))
    words += ["--box-unit", unit] if unit and not source.tells_units else []
    words += changed_words(source.rows.options, ("label_names",))
    words += changed_words(options.read, ("splits", "unlabelled", "split_seed", "stratify"))
    words += changed_words(options.shard, ("compression", "index"))
    words += changed_words(options.image)
    return command_line(words)


def _with_types(source: Source) -> ReadOptions:
    """The options of the list, with the types of further columns: a few rows can tell others."""
    rows = source.rows
    further = [each for each in rows.features if each.column in (each.key, FEATURE_COLUMN + each.key)]
    return replace(rows.options, features=as_entries(further, rows.reading.flags))


def _beside(folder: str) -> str:
    """A folder beside this one, for the mended rows."""
    has_name = os.path.basename(folder) not in (os.curdir, os.pardir)
    return (folder if has_name else os.path.abspath(folder)) + "-mended"
