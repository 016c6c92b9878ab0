"""Lists with a row for each number that is told of an image: how a row of each image is made of them."""

from __future__ import annotations

from itertools import chain

from tfrecordcli.schema import IMAGE_TARGET
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.numbers_by_row import numbers_by_row, row_of_each_image
from tfrecordcli.sources.sample import later_rows, sample_of
from tfrecordcli.sources.text_encoding import is_utf_8


def of_numbers(rows: RowFile) -> str:
    """What makes a row of each image; empty where the label is neither these numbers nor what they are."""
    if rows.is_listing or rows.is_spooled or not is_utf_8(rows.options.encoding):
        return ""
    sample = sample_of(rows)
    shape = sample.shape
    learned = {shape.header[i] for i in shape.labels if shape.header}
    learned.update(each.column for each in rows.features if each.key == IMAGE_TARGET and each.column)
    if shape.image is None or not shape.header or len(learned) != 1:
        return ""
    every = chain(sample.table, later_rows(rows))
    found = numbers_by_row(shape.header, every, shape.header[shape.image])
    if found is None or learned.isdisjoint((found.thing, found.number)):
        return ""
    return row_of_each_image(found, rows.name, shape.delimiter, rows.options.columns)
