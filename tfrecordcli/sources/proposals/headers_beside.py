"""A list without a header beside one with a header for such rows, as AffectNet's are published."""

from __future__ import annotations

import csv
import os
import shlex
from collections.abc import Sequence
from itertools import islice
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.shell import as_path
from tfrecordcli.sources.column_words import IMAGE_EXTENSION
from tfrecordcli.sources.csv_shape import DELIMITERS, is_no_header
from tfrecordcli.sources.made_list import made_by, made_path

_LISTS: Final = 20  # beside this one
_ROWS: Final = 4
_CHARACTERS: Final = 1 << 16  # of the first lines of a list
_SOME: Final = 3  # columns: of fewer, many lists are alike
_Kinds = Sequence[str]


def header_beside_or(written: str, name: str) -> str:
    """A hint that writes a likely header, behind the one that takes it from another list in the folder.

    Args:
      written: the hint; empty stays so.
      name: of the list, which has no header.
    """
    taken = _header_beside(name) if written else ""
    return "; else: ".join(filter(None, (taken, written)))


def _header_beside(name: str) -> str:
    if not os.path.isfile(name):
        return ""
    folder, own = os.path.split(name)
    ending = os.path.splitext(own)[1]
    files = sorted(each.name for each in os.scandir(folder or os.curdir) if each.is_file())
    beside = [os.path.join(folder, each) for each in files if each.endswith(ending) and each != own]
    beside = [each for each in beside if each != made_path(name)]
    found = next((each for each in beside[:_LISTS] if _has_header_for(each, name)), "")
    if not found:
        return ""
    quoted = shlex.quote(as_path(found)).replace("{", "{{").replace("}", "}}")
    made = made_by("", f"(head -n 1 {quoted}; cat {{name}})", name)
    return f"{os.path.basename(found)} has a header for such rows: {made}"


def _has_header_for(path: str, name: str) -> bool:
    """Whether a list has a header, and rows below it that are of the kinds of those of the one without."""
    for delimiter in DELIMITERS:
        header, *rows = _first_rows(path, delimiter) or [[]]
        if len(header) < _SOME or not rows or is_no_header(header):
            continue
        below, ours = _kinds(rows, len(header)), _kinds(_first_rows(name, delimiter), len(header))
        has_values = below is not None and not {"number", "image"}.isdisjoint(below)
        if has_values and below == ours and _kinds([header], len(header)) != below:
            return True
    return False


def _first_rows(path: str, delimiter: str) -> list[list[str]]:
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = file.read(_CHARACTERS).splitlines(keepends=True)[: _ROWS + 1]
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    return [*islice(filter(any, rows), _ROWS)]


def _kinds(rows: Sequence[Sequence[str]], count: int) -> _Kinds | None:
    """What is in each of so many columns; None where rows have another number of fields."""
    if any(len(row) != count for row in rows):
        return None
    return [_kind([field.strip() for field in column]) for column in zip(*rows, strict=True)]


def _kind(fields: Sequence[str]) -> str:
    if all(map(WRITTEN_NUMBER.fullmatch, fields)):
        return "number"
    return "image" if all(map(IMAGE_EXTENSION.search, fields)) else "text"
