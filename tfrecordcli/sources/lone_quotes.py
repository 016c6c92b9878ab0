"""Quotes that belong to the text of a list, as a transcription `"` does: they are no quotes of a CSV."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator

from tfrecordcli.sources.text_lines import Lines, TooLong


def has_lone_quotes(name: str, delimiter: str) -> bool:
    """Whether quotes begin fields of a file and no line closes one: they would swallow rows up to the next.

    Rows are of one width without them, but where blanks part their fields.
    """
    if not os.path.isfile(name):
        return False
    widths: set[int] = set()
    has_one = False
    try:
        for fields in _unquoted(name, delimiter):
            widths.add(len(fields))
            if any(field.startswith('"') for field in fields):
                has_one = True
                if _is_closed(delimiter.join(fields), delimiter):
                    return False
    except (csv.Error, TooLong):
        return False
    return has_one and (delimiter == " " or len(widths) == 1)


def _unquoted(name: str, delimiter: str) -> Iterator[list[str]]:
    """The fields of each line that has some, their quotes as they are."""
    with open(name, encoding="latin-1", newline="") as file:
        lines = Lines(file)
        rows = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, skipinitialspace=True)
        for fields in rows:
            lines.row = rows.line_num + 1
            if fields:
                yield fields


def _is_closed(line: str, delimiter: str) -> bool:
    """Whether the quotes of a line are those of a CSV."""
    try:
        return bool([*csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True)])
    except csv.Error:
        return False
