"""First rows that are no header, and units below one: refused, with the command that mends it."""

from __future__ import annotations

import os
import re
import shlex
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.shell import as_path
from tfrecordcli.sources.boxes_in_text import beside
from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import as_commas, made_by
from tfrecordcli.sources.sample import Sample

_FEW: Final = 2
_IN_BRACKETS: Final = re.compile(r"\(.*\)|\[.*\]")


def need_header(sample: Sample, rows: RowFile) -> None:
    """Refuses a table whose first row is one of values, or whose second holds units.

    Raises:
      InputError: with the command that writes a header, or leaves the second row out.
    """
    if rows.is_spooled or rows.is_own or not sample.shape.header:
        return
    if sample.shape.is_table:
        _need_names(sample, rows)
    _need_no_units(sample, rows)


def _need_names(sample: Sample, rows: RowFile) -> None:
    """Each field of a first row of values comes again in its column; no name of a column does."""
    header = sample.shape.header
    if len(header) < _FEW or not all(name in sample.fields(i) for i, name in enumerate(header)):
        return
    names = ",".join(f"column_{number}" for number in range(1, len(header) + 1))
    command = made_by(names, as_commas(sample.shape.delimiter), rows.name)
    raise InputError(
        f"each field of the first row comes again in its column, so it is no header: {', '.join(header[:5])}",
        f"{command}, with the names that are true",
    )


def _need_no_units(sample: Sample, rows: RowFile) -> None:
    """Units stand in the first row above numbers, in columns of which several have one."""
    image = sample.shape.image
    if len(sample.table) <= _FEW or (image is not None and not _is_odd_image(sample.fields(image))):
        return
    first = sample.table[0]
    units = [word for i, word in enumerate(first) if word and _is_above_numbers(sample.fields(i))]
    are_told = len({*units}) >= _FEW or (units and all(map(_IN_BRACKETS.fullmatch, units)))
    if not are_told or any(map(WRITTEN_NUMBER.fullmatch, first)):
        return
    command = "save the list in a file without that row"
    if os.path.isfile(rows.name):
        name = shlex.quote(as_path(rows.name))
        command = f"sed 2d {name} > {shlex.quote(as_path(beside(rows.name, 'without-units')))}"
    raise InputError(
        f"the first row below the header has words where all others have numbers ({', '.join(units[:5])}): "
        "are they units?",
        f"leave them out: {command}",
    )


def _is_odd_image(fields: list[str]) -> bool:
    """Whether the first row alone names no image."""
    return not looks_like_image(fields[0]) and all(map(looks_like_image, fields[1:]))


def _is_above_numbers(fields: list[str]) -> bool:
    filled = [field for field in fields[1:] if field]
    are_numbers = len(filled) >= _FEW and all(map(WRITTEN_NUMBER.fullmatch, filled))
    return are_numbers and WRITTEN_NUMBER.fullmatch(fields[0]) is None
