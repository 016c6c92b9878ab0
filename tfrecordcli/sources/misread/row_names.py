"""Numbers of rows in front of each that the header has no name for, as R's `write.table` writes them."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.sample import Sample

_FEW: Final = 2
_CODE: Final = 'w.writerow(["row", *next(r)]); w.writerows(r)'


def need_no_row_names(sample: Sample, name: str) -> None:
    """Refuses rows that all begin with their number, behind which their images stand one field late.

    Raises:
      InputError: with the command that gives the numbers a name.
    """
    header, image, table = sample.shape.header, sample.shape.image, sample.table
    if image is None or len(table) < _FEW or any(len(fields) != len(header) + 1 for fields in table):
        return
    names = sample.fields(0)
    if not all(field.isascii() and field.isdecimal() for field in names):
        return
    are_in_order = all(int(one) < int(next_one) for one, next_one in pairwise(names))
    are_late = all(map(looks_like_image, sample.fields(image + 1)))
    if are_in_order and are_late and not any(map(looks_like_image, sample.fields(image))):
        raise InputError(
            "each row begins with its number, for which the header has no name, as R's write.table writes "
            "names of rows",
            made_by("", rows_by(_CODE, sample.shape.delimiter), name),
        )
