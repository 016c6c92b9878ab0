"""Images that another list beside this one names by an id which both have, as tables of a database do."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, columns_option
from tfrecordcli.sources.pandas_commands import beside, literal, python_command, table
from tfrecordcli.sources.proposals.columns import propose_columns
from tfrecordcli.sources.proposals.table import column_of
from tfrecordcli.sources.proposals.unread import Unread

_Rows = Sequence[Mapping[str, str | None]]
_LISTS: Final = 20  # beside this one
_LOOKED_AT: Final = 1_000  # rows of each
_SOME: Final = 2  # ids of both


def images_in_another_list_hint(unread: Unread) -> str:
    """The command that joins the two lists; empty where it is not certain that one other names the images."""
    header, options = unread.header, unread.options
    folder = os.path.dirname(unread.name) or "."
    if unread.delimiter != "," or not os.path.isfile(unread.name) or options.columns or options.image_root:
        return ""
    if any(any(map(IMAGE_EXTENSION.search, column_of(unread.table, i))) for i in range(len(header))):
        return ""
    ids = {
        name: {*column_of(unread.table, i)} - {""}
        for i, name in enumerate(header)
        if name.lower().endswith("id")
    }
    found = [(other, *each) for other in _others(unread.name) for each in _naming(other, ids, folder)]
    if len(found) != 1:
        return ""
    other, by, paths = found[0]
    given = [("image_uri", by)]
    label = next(
        (each.column for each in propose_columns(unread.free, unread.table, given) if each.column), ""
    )
    names = f'm.columns = [{literal(by)}, "image_uri"]'
    code = (
        f'import pandas as pd; t = {table(unread.name)}; t = t.loc[:, (t != "").any()]; '
        f"m = {table(other)}[[{literal(by)}, {literal(paths)}]]; {names}; "
        f't.merge(m, on={literal(by)}, validate="many_to_one")'
        f'.to_csv({literal(beside(unread.name, "joined"))}, index=False, mode="x")'
    )
    command = python_command(code, unread.name)
    then = columns_option([("label", label)]) if label else ""
    convert = " ".join(
        filter(None, ("tfrec convert", command_line([beside(unread.name, "joined")]), "OUTPUT_DIR", then))
    )
    what = f"{os.path.basename(other)} names images in {paths}, by {by}"
    return f"{what}: join the two: {command}; then: {convert}"


def _others(name: str) -> Iterator[str]:
    """The CSVs beside a list."""
    folder = os.path.dirname(name)
    files = sorted(each for each in os.listdir(folder or ".") if each.lower().endswith(".csv"))
    yield from (os.path.join(folder, each) for each in files[:_LISTS] if each != os.path.basename(name))


def _naming(other: str, ids: Mapping[str, set[str]], folder: str) -> list[tuple[str, str]]:
    """(column of ids, column of images) by which another list names images of a folder by ids of this one."""
    rows = _first_rows(other)
    columns = [*rows[0]] if rows else []
    paths = [name for name in columns if name and _are_files([row[name] for row in rows], folder)]
    shared = [name for name in columns if name in ids and _are_ids([row[name] for row in rows], ids[name])]
    return [(by, path) for by in shared for path in paths]


def _are_files(names: Sequence[str | None], folder: str) -> bool:
    first = [name or "" for name in names[:_SOME]]
    return all(IMAGE_EXTENSION.search(name) and os.path.isfile(os.path.join(folder, name)) for name in first)


def _are_ids(values: Sequence[str | None], ids: set[str]) -> bool:
    """Whether each row has another value, and some of them are among these ids."""
    return len({*values}) == len(values) and len(ids.intersection(filter(None, values))) >= _SOME


def _first_rows(name: str) -> _Rows:
    try:
        with open(name, encoding="utf-8-sig", newline="") as file:
            return [*islice(csv.DictReader(file), _LOOKED_AT)]
    except (OSError, UnicodeError, csv.Error):
        return []
