"""A list without a header of numbers to predict: the command that writes one."""

from __future__ import annotations

import shlex
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.shell import command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.sample import Sample
from tfrecordcli.units import join_names

_REGRESSION: Final = "--task regression"


def header_of_targets(sample: Sample, rows: RowFile) -> str:
    """The command that writes a header above rows of an image and numbers; words where rows differ.

    Of several numbers the first is the one to predict, and the others are stored beside it.
    """
    have_splits = {bool(word) for word, _, _ in sample.words}
    behind = [numbers for _, _, numbers in sample.words if numbers]
    most = max(map(len, behind), default=0)
    if len(have_splits) != 1 or not most:
        return "write one, as image,target"
    before = ["split"] if True in have_splits else []
    others = [f"column_{number}" for number in range(2, most + 1)]
    # What the user says of the list holds of the one that is made of it, and of those beside it.
    written = rows.options.delimiter or ","
    command = rows_by("w.writerows(r)", sample.shape.delimiter, written)
    made = made_by(shlex.quote(written.join([*before, "image", "target", *others])), command, rows.name)
    if not others:
        return made
    are_numbers = all(WRITTEN_NUMBER.fullmatch(field) for row in behind for field in row)
    stored = command_line(["--features", join_names(others)])
    how = f", and convert that with {_REGRESSION} {stored}" if are_numbers else ""
    return f"{made}{how}, with the names that are true"
