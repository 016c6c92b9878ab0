"""Images that another list beside this one names by an id which both have, as tables of a database do."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, columns_option, known_columns
from tfrecordcli.sources.pandas_commands import beside, literal, python_command, table
from tfrecordcli.sources.proposals.columns import propose_columns
from tfrecordcli.sources.proposals.table import column_of
from tfrecordcli.sources.proposals.unread import Unread, given_columns

_Rows = Sequence[Mapping[str, str | None]]
_LISTS: Final = 20  # beside this one
_LOOKED_AT: Final = 1_000  # rows of each
_SOME: Final = 2  # ids of both
_MADE: Final = beside("", "joined")  # the end of a list that was made of two


def images_in_another_list_hint(unread: Unread) -> str:
    """The command that joins the two lists; empty where it is not certain that one other names the images."""
    header, options = unread.header, unread.options
    folder = os.path.dirname(unread.name) or "."
    is_named = options.image_root or "image_uri" in dict(options.columns)
    if unread.delimiter != "," or not os.path.isfile(unread.name) or is_named:
        return ""
    if any(any(map(IMAGE_EXTENSION.search, column_of(unread.table, i))) for i in range(len(header))):
        return ""
    ids = {
        name: {*column_of(unread.table, i)} - {""}
        for i, name in enumerate(header)
        if name.lower().endswith("id")
    }
    found = [(other, each) for other in other_lists(unread.name) for each in _naming(other, ids, folder)]
    others, columns = [other for other, _ in found], {each for _, each in found}
    if len(columns) != 1 or len({*others}) < len(others):
        return ""
    ((by, paths),) = columns
    target = beside(unread.name, "joined")
    command = python_command(_joining(unread, others, by, paths, target), unread.name)
    convert = f"{command_line(['tfrec', 'convert', target])} OUTPUT_DIR{_options(unread, by)}"
    names = " and ".join(map(os.path.basename, others))
    what = f"{names} name{'s' * (len(others) == 1)} images in {paths}, by {by}"
    return f"{what}: join {'the two' if len(others) == 1 else 'them'}: {command}; then: {convert}"


def _joining(unread: Unread, others: Sequence[str], by: str, paths: str, target: str) -> str:
    """Python that writes all rows of the list with the image of each, also those without one.

    Of the other lists it takes the split, too, and what else is an id, to keep together what has the same.
    """
    rows = [first_rows(other)[0] for other in others]
    further = [
        name
        for name in rows[0]
        if name not in (None, *unread.header, paths)
        and all(name in row for row in rows)
        and (known_columns([name], "split") or name.lower().endswith("id"))
    ]
    columns = f"[[{', '.join(map(literal, (by, paths, *further)))}]]"
    tables = [f"{table(other)}{columns}" for other in others]
    whole = tables[0] if len(tables) == 1 else f"pd.concat([{', '.join(tables)}]).drop_duplicates()"
    named = f'm = m[m[{literal(by)}] != ""].rename(columns={{{literal(paths)}: "image_uri"}})'
    return (
        f'import pandas as pd; t = {table(unread.name)}; t = t.loc[:, (t != "").any()]; m = {whole}; '
        f'{named}; t.merge(m, how="left", on={literal(by)}, validate="many_to_one")'
        f'.to_csv({literal(target)}, index=False, mode="x")'
    )


def _options(unread: Unread, by: str) -> str:
    """What converts the joined list as this one was to be, with the label where its column can be told."""
    options, given = unread.options, given_columns(unread.options)
    proposed = propose_columns(unread.free, unread.table, [*given, ("image_uri", by)], options.task)
    labels = [] if "label" in dict(given) else [each.column for each in proposed if each.column]
    named = [*options.columns, *(("label", label) for label in labels[:1])]
    task = ["--task", options.task] if options.task != "auto" else []
    unlabelled = ["--unlabelled", options.unlabelled] if options.unlabelled != "error" else []
    words = columns_option(named) if named else "", command_line([*task, *unlabelled])
    return "".join(f" {each}" for each in words if each)


def other_lists(name: str) -> Iterator[str]:
    """The CSVs beside a list, but for what commands made of several."""
    folder = os.path.dirname(name)
    files = sorted(each for each in os.listdir(folder or ".") if each.lower().endswith(".csv"))
    others = [os.path.join(folder, each) for each in files[:_LISTS] if each != os.path.basename(name)]
    yield from (each for each in others if os.path.isfile(each) and not each.endswith(_MADE))


def _naming(other: str, ids: Mapping[str, set[str]], folder: str) -> list[tuple[str, str]]:
    """(column of ids, column of images) by which another list names images of a folder by ids of this one."""
    rows = first_rows(other)
    columns = [*rows[0]] if rows else []
    paths = [name for name in columns if name and _are_files([row[name] for row in rows], folder)]
    shared = [name for name in columns if name in ids and _are_ids([row[name] for row in rows], ids[name])]
    return [(by, path) for by in shared for path in paths]


def _are_files(names: Sequence[str | None], folder: str) -> bool:
    first = [name or "" for name in names[:_SOME]]
    return all(IMAGE_EXTENSION.search(name) and os.path.isfile(os.path.join(folder, name)) for name in first)


def _are_ids(values: Sequence[str | None], ids: set[str]) -> bool:
    """Whether each row has another value, if any, and some of them are among these ids."""
    filled = [*filter(None, values)]
    return len({*filled}) == len(filled) and len(ids.intersection(filled)) >= _SOME


def first_rows(name: str, most: int = _LOOKED_AT) -> _Rows:
    """Rows of a CSV by the names of its columns; none where it cannot be read."""
    try:
        with open(name, encoding="utf-8-sig", newline="") as file:
            return [*islice(csv.DictReader(file), most)]
    except (OSError, UnicodeError, csv.Error):
        return []
