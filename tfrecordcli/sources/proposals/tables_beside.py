"""Tables beside a list, as a database exports them: those that name its images, or its classes, by an id."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, is_any_id
from tfrecordcli.sources.pandas_commands import beside
from tfrecordcli.sources.proposals.missing_images import folders_in

_LISTS: Final = 20  # beside this one
_LOOKED_AT: Final = 1_000  # rows of each
_SOME: Final = 2  # ids of both
_MADE: Final = beside("", "joined")  # the end of a list that was made of two
_CALLED_AFTER_IMAGES: Final = re.compile(r"image|img|photo|foto|pic(ture)?|media|asset|file", re.IGNORECASE)
_CALLED_NAME: Final = re.compile(r"(.*[\s_-])?(name|label|title)", re.IGNORECASE)
_ID: Final = re.compile(r"[\s_-]*id$", re.IGNORECASE)

Ids = Mapping[str, set[str]]  # name of a column of ids -> those of the list


@dataclass(frozen=True, slots=True)
class Link:
    """How another table names what an id of a list stands for.

    Attributes:
      own: the column of ids of the list.
      key: that of the other.
      named: the column of the other that holds paths of images, or names of classes.
      root: the folder that its paths are relative to; empty: that of the list, or they are none.
    """

    own: str
    key: str
    named: str
    root: str = ""


@dataclass(frozen=True, slots=True)
class _Table:
    path: str
    columns: Mapping[str, Sequence[str]]


def links_to_images(name: str, ids: Ids, root: str) -> list[tuple[str, Link]]:
    """(table, link) of each CSV beside a list that names images by its ids, where they are alike.

    By a column called as that of the list, or by its `id`, where that of the list is called after the table
    or after images; by `id` of both only where nothing else is told.

    Args:
      ids: of the list.
      root: folder that paths of images are relative to; they may be in one below it, too.
    """
    tables = _tables_beside(name)
    for are_linked in (_by_name_of_table, _by_same_name, _by_id_of_both):
        found = [
            (table.path, Link(own, key, paths, "" if holding == root else holding))
            for table in tables
            for own, key in _linked(table, ids, are_linked)
            for paths, holding in _columns_of_files(table, root)
        ]
        if found:
            return found
    return []


def link_to_classes(name: str, own: str, ids: set[str]) -> tuple[str, Link] | None:
    """(table, link) of the only CSV beside a list that has a name for each number of a class; or None.

    Args:
      own: the column of these numbers.
      ids: the numbers.
    """
    if len(ids) < _SOME or not all(map(WRITTEN_NUMBER.fullmatch, ids)):
        return None
    found = [
        (table.path, Link(own, key, names[0]))
        for table in _tables_beside(name)
        for key in _ids_of_classes(table, own, ids)
        if (names := [each for each in table.columns if _CALLED_NAME.fullmatch(each)])
        and _are_names(table.columns[names[0]])
    ]
    return found[0] if len(found) == 1 else None


def columns_of_csv(path: str) -> dict[str, list[str]]:
    """The columns of the first rows of a CSV; none where it cannot be read."""
    rows = first_rows(path)
    return {name: [row[name] or "" for row in rows] for name in (rows[0] if rows else ()) if name}


def first_rows(name: str, most: int = _LOOKED_AT) -> Sequence[Mapping[str, str | None]]:
    """Rows of a CSV by the names of its columns; none where it cannot be read."""
    try:
        with open(name, encoding="utf-8-sig", newline="") as file:
            return [*islice(csv.DictReader(file), most)]
    except (OSError, UnicodeError, csv.Error):
        return []


def other_lists(name: str) -> Iterator[str]:
    """The CSVs beside a list, but for what commands made of several."""
    folder = os.path.dirname(name)
    files = sorted(each for each in os.listdir(folder or ".") if each.lower().endswith(".csv"))
    others = [os.path.join(folder, each) for each in files[:_LISTS] if each != os.path.basename(name)]
    yield from (each for each in others if os.path.isfile(each) and not each.endswith(_MADE))


def _tables_beside(name: str) -> list[_Table]:
    return [_Table(path, columns_of_csv(path)) for path in other_lists(name)]


def _linked(
    table: _Table, ids: Ids, are_linked: Callable[[_Table, str, str, set[str]], bool]
) -> list[tuple[str, str]]:
    return [
        (own, key)
        for own, values in ids.items()
        for key in table.columns
        if _is_key(table, key, values) and are_linked(table, own, key, values)
    ]


def _is_key(table: _Table, key: str, ids: set[str]) -> bool:
    """Whether each row of a table has another value, if any, and some of them are among these ids."""
    filled = [*filter(None, table.columns[key])]
    return len({*filled}) == len(filled) and len(ids.intersection(filled)) >= _SOME


def _has_all(table: _Table, key: str, ids: set[str]) -> bool:
    """Whether a table has all of these ids: numbers from 1 have some of each other's by chance."""
    return ids <= {*table.columns[key]} or len(table.columns[key]) == _LOOKED_AT


def _by_name_of_table(table: _Table, own: str, key: str, ids: set[str]) -> bool:
    stem = _ID.sub("", own)
    is_called_so = bool(stem) and (_CALLED_AFTER_IMAGES.fullmatch(stem) or _is_called_after(table, stem))
    return is_any_id(key) and bool(is_called_so) and _has_all(table, key, ids)


def _by_same_name(_: _Table, own: str, key: str, __: set[str]) -> bool:
    return own == key and not is_any_id(key)


def _by_id_of_both(table: _Table, own: str, key: str, ids: set[str]) -> bool:
    return own == key and is_any_id(key) and _has_all(table, key, ids)


def _is_called_after(table: _Table, stem: str) -> bool:
    """Whether a table is called after what an id is of: `tbl_class`, `classes` and `categories` are."""
    called = os.path.splitext(os.path.basename(table.path))[0].lower()
    return re.search(rf"(?<![a-z]){re.escape(stem.lower().removesuffix('y'))}", called) is not None


def _columns_of_files(table: _Table, root: str) -> list[tuple[str, str]]:
    """(column, folder) of the columns whose paths lead to files in the root; else of one folder below it."""
    named = {
        name: first
        for name, fields in table.columns.items()
        if (first := fields[:_SOME]) and all(map(IMAGE_EXTENSION.search, first))
    }
    found = [(name, root) for name, first in named.items() if _are_files(first, root)]
    return found or [
        (name, holding[0])
        for name, first in named.items()
        if len(holding := [each for each in folders_in(root) if _are_files(first, each)]) == 1
    ]


def _are_files(names: Sequence[str], folder: str) -> bool:
    return all(os.path.isfile(os.path.join(folder, name)) for name in names)


def _ids_of_classes(table: _Table, own: str, ids: set[str]) -> list[str]:
    stem = _ID.sub("", own)
    keys = [own] if own in table.columns else [*filter(is_any_id, table.columns)]
    is_of_it = own in table.columns or (len(stem) < len(own) and _is_called_after(table, stem))
    return [key for key in keys if is_of_it and _is_key(table, key, ids) and _has_all(table, key, ids)]


def _are_names(fields: Sequence[str]) -> bool:
    """Whether each row has another name."""
    return all(fields) and len({*fields}) == len(fields) and not any(map(WRITTEN_NUMBER.fullmatch, fields))
