"""Numbers with commas for decimal points, as spreadsheets of some languages write: not read, but mended.

`1,234` can be a thousand and more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.boxes.words import WHOLE_IMAGES
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.sample import Sample

_HAS_COMMA: Final = re.compile(r"[+-]?[0-9]+,[0-9]+")
_HAS_THOUSANDS: Final = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
_WHOLE: Final = re.compile(r"[1-9][0-9]+")  # which decimals of a fixed number of places never are


def need_points_of_boxes(sample: Sample, rows: RowFile) -> None:
    """Refuses boxes most of which have such numbers.

    Raises:
      InputError: with the command that mends the list.
    """
    boxes, header = sample.shape.boxes, sample.shape.header
    if boxes is None or len(boxes.corners) != 4 or not header:
        return
    told = [[row[column] for column in boxes.corners if column < len(row)] for row in sample.table]
    columns = [header[column] for column in (*boxes.corners, *(boxes.size or ()))]
    _need_points("boxes", told, columns, sample, rows, f"; {WHOLE_IMAGES}")


def need_points_of_targets(sample: Sample, rows: RowFile, column: str) -> None:
    """Refuses numbers to predict most of which are such; beside them may be words, which rejects tell.

    Raises:
      InputError: with the command that mends the list.
    """
    fields = sample.fields(sample.shape.header.index(column))
    told = [[field] for field in fields if _HAS_COMMA.fullmatch(field) or NUMBER.fullmatch(field)]
    _need_points(column, told, [column], sample, rows)


def _need_points(
    what: str,
    told: Sequence[Sequence[str]],
    columns: Iterable[str],
    sample: Sample,
    rows: RowFile,
    otherwise: str = "",
) -> None:
    """Refuses rows most of which have a comma in one of their numbers.

    Args:
      what: the numbers are of.
      told: fields of numbers of each row.
      columns: that the command mends.
      otherwise: what else can be done.
    """
    found = [field for fields in told for field in list(filter(_HAS_COMMA.fullmatch, fields))[:1]]
    if 2 * len(found) <= len(told):
        return
    commas = [field for fields in told for field in fields if _HAS_COMMA.fullmatch(field)]
    are_thousands = all(map(_HAS_THOUSANDS.fullmatch, commas)) and any(
        _WHOLE.fullmatch(field) for fields in told for field in fields
    )
    sign, mend, into, name = "the decimal point", "write points", ".", "points"
    if are_thousands:
        sign, mend, into, name = "a sign of thousands", "leave it out", "", "plain"
    change = (
        f"c = [{', '.join(map(literal, columns))}]; "
        f't[c] = t[c].apply(lambda s: s.str.replace(",", "{into}")); t'
    )
    command = changed(rows.name, sample.shape.delimiter, change, name) if rows.tells_lines else ""
    raise InputError(
        f"numbers of {what} have a comma, as {found[0]}: is it {sign}?",
        f"{mend}{': ' * bool(command)}{command}, and convert that{otherwise}",
    )
