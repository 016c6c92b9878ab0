"""A list without a header beside one with a header for such rows, as AffectNet's are published."""

from __future__ import annotations

import codecs
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
from tfrecordcli.storage.files import open_regular

_LISTS: Final = 20  # beside this one
_ROWS: Final = 4
_ENTRIES: Final = 10_000  # of a folder
_BYTES: Final = 1 << 16  # of a list
_MARK: Final = "\ufeff"
_SOME: Final = 3  # columns: of fewer, many lists are alike
_Kinds = Sequence[str]


def header_beside_or(written: str, name: str) -> str:
    """A hint that writes a likely header, behind the one that takes it from another list in the folder.

    Args:
      written: the hint; empty stays so.
      name: of the list, which has no header.
    """
    taken = _header_beside(name) if written and os.path.isfile(name) else ""
    return "; else: ".join(filter(None, (taken, written)))


def _header_beside(name: str) -> str:
    folder, own = os.path.split(name)
    ending = os.path.splitext(own)[1]
    try:
        with os.scandir(folder or os.curdir) as entries:
            files = sorted(each.name for each in islice(entries, _ENTRIES) if each.is_file())
    except OSError:
        return ""
    beside = [os.path.join(folder, each) for each in files if each.endswith(ending) and each != own]
    beside = [each for each in beside if each != made_path(name)]
    found = next((each for each in beside[:_LISTS] if _has_header_for(each, name)), "")
    if not found:
        return ""
    header = f"head -n 1 {shlex.quote(as_path(found))}"
    rows = "cat {name}"
    if _text(name).startswith(_MARK):
        rows = f"tail -c +{len(codecs.BOM_UTF8) + 1} {{name}}"
    made = made_by("", f"({header.replace('{', '{{').replace('}', '}}')}; {rows})", name)
    return f"{os.path.basename(found)} has a header for such rows: {made}"


def _has_header_for(path: str, name: str) -> bool:
    """Whether a list has a header, and rows below it that are of the kinds of those of the one without."""
    text, rows_of_own = _text(path), _text(name)
    for delimiter in DELIMITERS:
        header, *rows = _first_rows(text, delimiter) or [[]]
        if len(header) < _SOME or not rows or is_no_header(header):
            continue
        below, ours = _kinds(rows, len(header)), _kinds(_first_rows(rows_of_own, delimiter), len(header))
        has_values = below is not None and not {"number", "image"}.isdisjoint(below)
        if has_values and below == ours and _kinds([header], len(header)) != below:
            # The command takes the first line.
            return _first_rows(text.partition("\n")[0], delimiter) == [header]
    return False


def _text(path: str) -> str:
    """The begin of a file, with the mark of UTF-8; nothing of one that cannot be read."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return file.read(_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _first_rows(text: str, delimiter: str) -> list[list[str]]:
    lines = text.removeprefix(_MARK).split("\n")[: _ROWS + 1]
    rows = csv.reader((line.rstrip("\r") for line in lines), delimiter=delimiter, skipinitialspace=True)
    try:
        return [*islice(filter(any, rows), _ROWS)]
    except csv.Error:
        return []


def _kinds(rows: Sequence[Sequence[str]], count: int) -> _Kinds | None:
    """What is in each of so many columns; None where rows have another number of fields."""
    if any(len(row) != count for row in rows):
        return None
    return [_kind([field.strip() for field in column]) for column in zip(*rows, strict=True)]


def _kind(fields: Sequence[str]) -> str:
    if all(map(WRITTEN_NUMBER.fullmatch, fields)):
        return "number"
    return "image" if all(map(IMAGE_EXTENSION.search, fields)) else "text"
