"""A list without a header of numbers to predict: the command that writes one."""

from __future__ import annotations

import shlex

from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.sample import Sample


def header_of_targets(sample: Sample, rows: RowFile) -> str:
    """The command that writes a header above rows of an image and a number; words where rows differ."""
    have_splits = {bool(word) for word, _, _ in sample.words}
    most = max((len(numbers) for _, _, numbers in sample.words), default=0)
    if len(have_splits) != 1 or not most:
        return "write one, as image,target"
    before = ["split"] if True in have_splits else []
    names = [*before, "image", "target", *(f"column_{number}" for number in range(2, most + 1))]
    # What the user says of the list holds of the one that is made of it, and of those beside it.
    written = rows.options.delimiter or ","
    command = rows_by("w.writerows(r)", sample.shape.delimiter, written)
    are_true = ", with the names that are true" if most > 1 else ""
    return f"{made_by(shlex.quote(written.join(names)), command, rows.name)}{are_true}"
