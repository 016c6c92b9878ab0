"""Numbers to predict that are written with a unit, a currency or marks of thousands: refused, and mended."""

from __future__ import annotations

from tfrecordcli.errors import InputError
from tfrecordcli.number_notation import notation_of
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import in_plain_numbers
from tfrecordcli.sources.proposals.columns import plainly
from tfrecordcli.sources.sample import Sample


def need_plain_numbers(sample: Sample, rows: RowFile, column: str) -> None:
    """Refuses numbers of which most are written so; beside them may be words, which rejects tell.

    Raises:
      InputError: with the command that writes plain numbers.
    """
    fields = sample.fields(sample.shape.header.index(column))
    told = [field for field in fields if any(map(str.isdecimal, field))]
    others = [field for field in told if not NUMBER.fullmatch(field)]
    notation = notation_of(told) if 2 * len(others) > len(told) else None
    if notation is None:
        return
    name, delimiter = rows.name, sample.shape.delimiter
    command = in_plain_numbers(column, notation, name, delimiter) if rows.tells_lines else ""
    raise InputError(
        f"numbers of {column} are written as {others[0]}", f"{plainly(notation, command)}, and convert that"
    )
