"""A title above the header of a list, and the command that leaves lines out."""

from __future__ import annotations

import csv
import os
import re
import shlex
from collections.abc import Sequence
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.shell import as_path
from tfrecordcli.sources.column_words import is_header, looks_like_image, names_a_file
from tfrecordcli.sources.csv_shape import detect_delimiter
from tfrecordcli.sources.pandas_commands import beside

LOOKED_AT: Final = 10  # lines in which a header may follow
_FEW: Final = 2
_SEVERAL: Final = 3  # names of columns
_UNNAMED: Final = re.compile(r"Unnamed: \d+")


def without_lines(begin: int, end: int | None, name: str, what: str) -> str:
    """A hint with the command that leaves lines of a file out.

    Args:
      begin, end: the first and the last of them, from 1; None: that of the file.
      name: of the file.
      what: the new file is without, as its name says.
    """
    if not os.path.isfile(name):
        return "save the list in a file without " + ("that line" if begin == end else "these lines")
    lines = f"{begin}d" if begin == end else f"{begin},{end or '$'}d"
    return (
        f"sed {shlex.quote(lines)} {shlex.quote(as_path(name))} > {shlex.quote(as_path(beside(name, what)))}"
    )


def below_a_title(lines: Sequence[str], name: str) -> str:
    """A hint with the command that leaves out what stands above the header; empty where nothing does.

    Args:
      lines: the first ones of a list whose first row is no header.
    """
    widest = above = 0
    is_apart = False
    for number, line in enumerate(lines, 1):
        fields = _fields(line, detect_delimiter(line))
        if not any(fields):
            is_apart = bool(above)
            continue
        width = _width(fields)
        # More than one field is a title's, or one of several lines about the list, where all are fewer.
        is_below = above and (widest == 1 or (width > widest and (is_apart or above > 1)))
        are_names = is_below and width >= _FEW
        if are_names and (is_header(fields) or _is_above_rows(line, lines[number:])):
            command = without_lines(1, number - 1, name, "without-title")
            return f"it stands above the header, leave it out: {command}"
        widest, above, is_apart = max(widest, width), number, False
    return ""


def _width(fields: Sequence[str]) -> int:
    """How many fields there are up to the last that is not blank, nor `Unnamed: 3`, as pandas calls one."""
    named = (number for number, field in enumerate(fields, 1) if field and not _UNNAMED.fullmatch(field))
    return max(named, default=0)


def above_a_table(lines: Sequence[str], name: str) -> str:
    """The same for rows without images, where one field stands above rows of several, each of as many.

    Args:
      lines: the first ones of a list.
    """
    title, *rows = filter(str.strip, lines)
    delimiter = detect_delimiter(rows[0]) if rows else ","
    widths = {len(_fields(row, delimiter)) for row in rows}
    are_rows = len(rows) >= _FEW and len(widths) == 1 and min(widths) >= _SEVERAL
    if not are_rows or len(_fields(title, delimiter)) > 1:
        return ""
    command = without_lines(1, lines.index(title) + 1, name, "without-title")
    return f"where it is a title, leave it out: {command}"


def _is_above_rows(line: str, below: Sequence[str]) -> bool:
    """Whether a line of names stands above rows of as many fields."""
    delimiter = detect_delimiter(line)
    header, *rows = (_fields(each, delimiter) for each in (line, *below))
    names = [name for name in header if name]
    rows = [fields for fields in rows if any(fields)]
    are_names = len({*names}) == len(names) >= _FEW and not any(map(_is_value, names))
    if not are_names or len(rows) < _FEW or any(len(fields) != len(header) for fields in rows):
        return False
    return len(names) >= _SEVERAL or any(all(map(names_a_file, fields)) for fields in zip(*rows, strict=True))


def _is_value(field: str) -> bool:
    return looks_like_image(field) or WRITTEN_NUMBER.fullmatch(field) is not None


def _fields(line: str, delimiter: str) -> list[str]:
    return [field.strip() for field in next(csv.reader([line], delimiter=delimiter), [])]
