"""Quotes of a CSV that are not closed: one that runs on would make one row of many."""

from __future__ import annotations

from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.label_fields import is_wrapped_list
from tfrecordcli.sources.lone_quotes import has_lone_quotes
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.row_fields import within

# A field longer than this is not a path or a label but a quote that was never closed.
MAX_FIELD: Final = 131_072  # characters
_CLOSE: Final = "close the quote, or double it when it belongs to the text"


def swallowed(name: str, line: int, end: int, delimiter: str) -> InputError:
    """What is said of a quote that runs on: of a row with many others in it, which would be lost unseen.

    Args:
      name, delimiter: of the list.
      line, end: in which the quote opens, and is closed.
    """
    what = f"a quote that opens here is closed only in line {end}"
    return InputError(f"{name}: line {line}: {what}", _hint(name, delimiter))


def malformed(name: str, line: int, end: int, delimiter: str, message: str) -> Rejected:
    """Why a row is none.

    Args:
      name, line, end, delimiter: as of `swallowed`.
      message: of Python's csv.

    Raises:
      InputError: an error that swallows other lines stops the reading.
    """
    hint = _hint(name, delimiter) if end > line or "unexpected end" in message else _CLOSE
    if "unexpected end" in message:
        raise InputError(f"{name}: line {line}: a quote that opens here is never closed", hint)
    if "field limit" in message:
        most = f"{MAX_FIELD:,} characters"
        what = f"a field has more than {most}; is a quote that opens here never closed?"
        raise InputError(f"{name}: line {line}: {what}", hint)
    if end > line:
        raise swallowed(name, line, end, delimiter)
    return Rejected("malformed_row", detail="text follows a closing quote")


def _hint(name: str, delimiter: str) -> str:
    """What to do about a quote; with a command where it may be that all of them belong to the text."""
    if not has_lone_quotes(name, delimiter):
        return _CLOSE
    doubled = made_by("", rows_by("w.writerows(r)", delimiter), name)
    return f"{_CLOSE}; where all quotes belong to it, {doubled}"


def is_swallowing(fields: list[str], shape: CsvShape | None, delimiter: str) -> bool:
    """Whether a row over several lines is so because of a quote that was not closed.

    No field that is used holds a line break, but for a list of labels that NumPy wrote. In other columns
    (notes, say) they may be meant, unless what comes after one is a row of this list.
    """
    broken = [i for i, field in enumerate(fields) if "\n" in field or "\r" in field]
    if shape is None or not shape.header:
        return not all(is_wrapped_list(fields[column]) for column in broken)
    used = {shape.split, shape.image, *shape.labels, *shape.further}
    for column in broken:
        if column in shape.labels and is_wrapped_list(fields[column]):
            continue
        if column in used or column >= len(shape.header):
            return True
        if any(_is_row(line.split(delimiter), shape) for line in fields[column].splitlines()[1:]):
            return True
    return False


def _is_row(fields: list[str], shape: CsvShape) -> bool:
    fields = within(fields, len(shape.header))
    if shape.image is None:
        return len(fields) == len(shape.header)
    return len(fields) == len(shape.header) and looks_like_image(fields[shape.image].strip())
