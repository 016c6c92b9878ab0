"""Lists in text that are counts, a place for each kind of thing (`[1 1 2]`), and no labels of an image."""

from __future__ import annotations

import re
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.label_fields import is_list, items_of, places_of
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.sample import Sample
from tfrecordcli.units import join_names

_WHOLE: Final = re.compile("[0-9]+")
_LEAST_ROWS: Final = 3


def need_no_counts(sample: Sample, rows: RowFile) -> None:
    """Refuses lists of whole numbers, as many in each row, some of which stand twice in a row.

    No image has a label twice, and sets of labels differ in size. Rows of 0 and 1 are places, and are read.

    Raises:
      InputError: with the command that makes a column of each place, and what makes labels of the numbers.
    """
    options, shape = rows.options, sample.shape
    is_said = options.label_type != "auto" or options.label_separator is not None or options.one_hot
    if is_said or rows.is_spooled or len(shape.labels) != 1 or shape.image is None or not shape.header:
        return
    fields = list(filter(None, sample.fields(shape.labels[0])))
    lists = list(map(items_of, fields)) if all(map(is_list, fields)) else []
    if len(lists) < _LEAST_ROWS or len({*map(len, lists)}) > 1 or places_of(lists):
        return
    are_whole = all(_WHOLE.fullmatch(value) for values in lists for value in values)
    twice = next((i for i, values in enumerate(lists) if len({*values}) < len(values)), None)
    if not are_whole or twice is None:
        return
    name, delimiter = shape.header[shape.labels[0]], shape.delimiter
    names = [f"{name}_{place}" for place in range(1, len(lists[0]) + 1)]
    change = (
        f't[[{", ".join(map(literal, names))}]] = t.pop({literal(name)}).str.findall("[0-9]+").tolist(); t'
    )
    command = changed(rows.name, delimiter, change, "counts")
    columns = columns_option([("image_uri", shape.header[shape.image]), ("label", names[0])])
    further = command_line(["--features", join_names(names[1:])])
    raise InputError(
        f"column {name} has as many numbers in each row, some twice, as {fields[twice]}: are these counts?",
        f"make a column of each{': ' * bool(command)}{command}, and convert that with {columns} "
        f"--task regression {further}; --label-type id takes each number for a label",
    )
