"""Numbers of rows in front of each that the header has no name for, as R's `write.table` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tfrecordcli.sources.made_list import made_by, rows_by

_FEW: Final = 2
_CODE: Final = 'w.writerow(["row", *next(r)]); w.writerows(r)'
ROW_NAMES: Final = (
    "each row begins with its number, for which the header has no name, "
    "as R's write.table writes names of rows"
)


def have_row_names(header: Sequence[str], table: Sequence[Sequence[str]]) -> bool:
    """Whether each row below a header has a field more than it, and they begin with numbers in order.

    Args:
      table: first rows, without blanks around their fields.
    """
    if len(table) < _FEW or any(len(fields) != len(header) + 1 for fields in table):
        return False
    names = [fields[0] for fields in table]
    are_numbers = all(name.isascii() and name.isdecimal() for name in names)
    return are_numbers and all(int(one) < int(next_one) for one, next_one in pairwise(names))


def naming_row_names(delimiter: str, name: str) -> str:
    """A hint with the command that gives these numbers a name.

    Args:
      delimiter, name: of the list.
    """
    return made_by("", rows_by(_CODE, delimiter), name)
