"""Points in images, as `x,y` beside each: `y` is a name of labels elsewhere, and no class here."""

from __future__ import annotations

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.words import as_word
from tfrecordcli.sources.column_words import columns_option
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.points import around_objects, point_columns, storing_all
from tfrecordcli.sources.sample import Sample


def need_no_point(sample: Sample, rows: RowFile) -> None:
    """Refuses a column `y` that is taken for the label where it and `x`, which is not read, hold numbers.

    Raises:
      InputError: with what stores both, and what makes classes of one.
    """
    shape, options = sample.shape, rows.options
    is_said = options.task != "auto" or options.label_type != "auto" or "label" in dict(options.columns)
    if is_said or options.one_hot or rows.is_spooled or len(shape.labels) != 1 or not shape.header:
        return
    label = shape.header[shape.labels[0]]
    columns = point_columns(shape.header, sample.table)
    if as_word(label) != "y" or shape.labels[0] not in columns:
        return
    names = [*(shape.header[i] for i in columns if i != shape.labels[0]), label]
    named = columns_option([*options.columns, ("label", label)])
    raise InputError(
        f"{', '.join(names)} are numbers that tell a place in each image: {label} alone is no class",
        f"{storing_all(named, names)} stores all of them, {label} as the number to predict; "
        f"{named} makes a class of each {label}"
        f"{around_objects(shape.header, sample.table, columns, rows.name, shape.delimiter)}",
    )
