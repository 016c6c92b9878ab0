"""A header whose names are parted otherwise than the fields below: `Name | Class`, then `1.jpg 0`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, looks_like_image
from tfrecordcli.sources.made_list import made_by, rows_by

_LOOKED_AT: Final = 100  # rows
_SEVERAL: Final = 2  # names


def need_one_delimiter(header: Sequence[str], rows: Iterable[list[str]], name: str, delimiter: str) -> None:
    """Refuses a list whose rows are parted by blanks, below a header of as many names that are not.

    Args:
      header: first row of a list.
      rows: those below it, without blanks around their fields.
      name, delimiter: of the list.

    Raises:
      InputError: with the command that makes a CSV of it.
    """
    if delimiter == " " or len(header) < _SEVERAL or any(map(IMAGE_EXTENSION.search, header)):
        return
    first = _parted_by_blanks(rows, len(header))
    if not first:
        return
    code = "w.writerows([x.strip() for x in f] if len(f) > 1 else f[0].split() for f in r if f)"
    raise InputError(
        f"the names in the first row are parted otherwise than the rows below: {first}",
        made_by("", rows_by(code, delimiter), name),
    )


def _parted_by_blanks(rows: Iterable[list[str]], count: int) -> str:
    """The first of rows that are one field each, of as many words as there are columns; else empty."""
    with suppress(InputError):  # told where rows are read
        below = islice(rows, _LOOKED_AT)
        first = next(below, [])
        if all(_is_parted_by_blanks(row, count) for row in chain([first], below)):
            return first[0]
    return ""


def _is_parted_by_blanks(row: Sequence[str], count: int) -> bool:
    """Whether a row is but one field, of as many words as there are columns, the first of them an image."""
    words = row[0].split() if len(row) == 1 else []
    return len(words) == count and looks_like_image(words[0])
