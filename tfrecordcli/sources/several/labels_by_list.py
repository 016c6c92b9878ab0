"""Lists of other images each, without labels, that are called after classes: `healthy.csv`, `rust.csv`."""

from __future__ import annotations

import calendar
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, combinations
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.csv_shape import detect_shape
from tfrecordcli.sources.folders.annotation_files import words_of
from tfrecordcli.sources.given import GivenSource
from tfrecordcli.sources.pandas_commands import joined_by_name
from tfrecordcli.sources.proposals.image_columns import free_columns, proposed_image
from tfrecordcli.sources.proposals.table import column_of
from tfrecordcli.sources.proposals.way import Rank
from tfrecordcli.sources.proposals.ways import likely_ways
from tfrecordcli.sources.sample import Sample, sample_of
from tfrecordcli.split_words import split_of
from tfrecordcli.units import some_of

_TASKS: Final = ("auto", "classification")
_NO_LABELS: Final = re.compile(
    "no label column|no image (?:and no known )?column|name images and nothing else$"
)
_MOST: Final = 100  # lists for which a command is proposed
_SHARED: Final = 0.25  # of the images of the shorter of two lists, from which on they may be of the same ones
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_DATES: Final = frozenset(
    name.casefold()
    for names in (calendar.month_name, calendar.month_abbr, calendar.day_name, calendar.day_abbr)
    for name in names
)


def naming_classes(
    error: InputError, given: Sequence[GivenSource], options: ReadOptions
) -> InputError | None:
    """The refusal of a list without labels, with the command that makes some of the names of all lists.

    Args:
      error: about one of the lists.
      given: all of them.
      options: that they are read with.

    Returns:
      None where the lists have names of splits, numbers or dates, share images, or where a column of theirs
      is called like labels.
    """
    paths = [each.source for each in given if isinstance(each.source, str) and not each.split]
    is_asked = options.task in _TASKS and "label" not in dict(options.columns)
    if len(paths) < max(2, len(given)) or not is_asked or not _NO_LABELS.search(error.message):
        return None
    if len(paths) > _MOST or not all(map(os.path.isfile, paths)) or not _are_called_after_classes(paths):
        return None
    tables = _tables_of_one_form(paths, options)
    image = _image_of_other_ones(tables, options) if tables else ""
    if not image:
        return None
    names = {path: os.path.splitext(os.path.basename(path))[0] for path in paths}
    header, delimiter = tables[0].shape.header, tables[0].shape.delimiter
    command, target = joined_by_name(names, delimiter, options.encoding, "" if header else image)
    way = f"{command_line(['tfrec', 'convert', target])} OUTPUT_DIR{_columns(header, image, options)}"
    return InputError(
        error.message,
        f"where each list is of the class that it is called after ({some_of([*names.values()])}), make one "
        f"of all: {command}; then: {way}; where they are not, {error.hint}",
    )


def _are_called_after_classes(paths: Sequence[str]) -> bool:
    """Whether lists of one folder have words of their own in their names, which are no dates or splits."""
    stems = [os.path.splitext(os.path.basename(path))[0] for path in paths]
    words = [words_of(stem) for stem in stems]
    if len({os.path.dirname(path) for path in paths}) > 1 or any(map(split_of, chain(*words))):
        return False
    shared = set.intersection(*map(set, words))
    own = [
        tuple(word for word in some if word not in shared | _DATES and _WORD.search(word)) for some in words
    ]
    return all(own) and len({*own}) == len(own)


def _tables_of_one_form(paths: Sequence[str], options: ReadOptions) -> list[Sample]:
    """The first rows of each list; none where one has no rows, or another header than the others."""
    tables = [sample for path in paths if (sample := _sample_of(RowFile(path, path, options)))]
    forms = {(sample.shape.header, sample.shape.delimiter) for sample in tables}
    is_one = len(tables) == len(paths) and len(forms) == 1 and all(sample.table for sample in tables)
    return tables if is_one else []


def _sample_of(file: RowFile) -> Sample | None:
    """The first rows of a list, whatever its columns are called; None: it is none."""
    for changes in ({"unlabelled": "keep"}, {"task": "tabular", "columns": ()}):
        with suppress(InputError):
            return sample_of(replace(file, options=replace(file.options, **changes)))
    return None


def _image_of_other_ones(tables: Sequence[Sample], options: ReadOptions) -> str:
    """The column of images, of which two lists have hardly any in common, where no column may be labels."""
    header = tables[0].shape.header or ("image",)
    rows = [fields for each in tables for fields in each.table]
    image = proposed_image(header, rows, options.columns)
    if image not in header:
        return ""
    place = header.index(image)
    given = [*options.columns, ("image_uri", image)]
    ways = likely_ways(header, rows, free_columns(header, given), options.task)
    images = [{*column_of(each.table, place)} for each in tables]
    shared = any(
        len(one & other) >= _SHARED * min(len(one), len(other)) for one, other in combinations(images, 2)
    )
    is_told = any(way.rank < Rank.UNSAID for way in ways[:1])
    return "" if shared or is_told else image


def _columns(header: Sequence[str], image: str, options: ReadOptions) -> str:
    """The option for the column of images of such a list, with a blank before; empty where it is known."""
    try:
        detect_shape([*(header or (image,)), "label"], ",", options)
    except InputError:
        return f" {columns_option([*options.columns, ('image_uri', image), ('label', 'label')])}"
    return ""
