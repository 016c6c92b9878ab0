"""The lines of a file of JSON Lines, or the elements of an array, one after another."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from typing import Any

from tfrecordcli.errors import InputError
from tfrecordcli.sources.json.stream import MAX_ELEMENT, NotJson, open_json, parse, stream
from tfrecordcli.sources.text_encoding import not_text

_Line = tuple[str, Any]  # (place, value or NotJson)


def lines_of(path: str, name: str, encoding: str) -> Iterator[_Line]:
    """(place, value) of each line that is not blank, or of each element of an array; `NotJson` for a value.

    Raises:
      InputError: the file cannot be read, or has a line longer than any image needs.
    """
    with contextlib.closing(_text_lines(path, name, encoding)) as lines:
        is_array = next(lines, ("", ""))[1].lstrip().startswith("[")
    if is_array:
        for _, index, element in stream(path, name, encoding):
            yield f"[{index}]", element
        return
    for place, text in _text_lines(path, name, encoding):
        try:
            yield place, parse(text)
        except NotJson as error:
            yield place, error


def _text_lines(path: str, name: str, encoding: str) -> Generator[tuple[str, str], None, None]:
    with open_json(path, name, encoding) as file:
        number = 0
        try:
            while line := file.readline(MAX_ELEMENT):
                number += 1
                if len(line) == MAX_ELEMENT:
                    what = f"line {number} is longer than {MAX_ELEMENT:,} characters"
                    raise InputError(f"{name}: {what}", "JSON Lines have one image a line")
                if not line.isspace():
                    yield f"line {number}", line
        except UnicodeError:
            raise not_text(path, name, encoding) from None
