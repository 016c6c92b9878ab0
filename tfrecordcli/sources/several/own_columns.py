"""Columns that one of several sources calls otherwise than the others: what its hint names for it alone."""

from __future__ import annotations

import codecs
import csv
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from tfrecordcli.errors import InputError, UsageError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.csv_shape import CsvShape, detect_delimiter, detect_shape
from tfrecordcli.sources.given import GivenSource
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.units import join_pairs, parse_pairs

_Pairs = Sequence[tuple[str, str]]

# A word as a shell has it, and options of the same kind behind it.
_WORD: Final = r"(?:'[^']*'|\"[^\"]*\"|[^\s'\";()])+"
_COLUMNS: Final = "--columns "
_OPTION: Final = re.compile(rf", as in {_COLUMNS}({_WORD})((?: --[a-z-]+ {_WORD})*)")
_NOT_THERE: Final = "of that name; the columns are"
_NONE_IS_KNOWN: Final = re.compile(
    r": no (?:label|image|label or image) column|no known column in the first row"
)
# The command for one source.
_OF_ONE: Final = re.compile(r"tfrec convert ((?:[^\s;='\"]|'[^']*'|\"[^\"]*\")+) OUTPUT_DIR")


def for_it_alone(
    error: InputError,
    source: GivenSource,
    others: Sequence[GivenSource],
    options: ReadOptions,
    by_split: Iterable[tuple[str, str, str]],
) -> InputError:
    """The refusal of one of several sources, with a hint whose columns are no condition for the others.

    Args:
      error: about the source.
      others: those beside it.
      options: that it was read with.
      by_split: the options of sources of single splits, which may name columns that this one has, too.
    """
    name = source.source
    if not others or not isinstance(name, str) or not os.path.exists(name):
        return error
    hint = _with_others(error.hint, source, name, others)
    if hint != error.hint:
        return InputError(error.message, hint)
    if not os.path.isfile(name):
        return error
    file = RowFile(name, name, options)
    columns = _named_in(error, file)
    table = _as_table(file)
    if source.split and _NONE_IS_KNOWN.search(error.message):
        header = table.header if table is not None else _first_fields(file)
        if way := _as_another(source.split, header, by_split):
            return InputError(error.message, way)
    if table is None or not columns or not {column for _, column in columns} <= {*table.header}:
        return error
    is_not_there = _NOT_THERE in error.message
    if is_not_there and not any(_has(each, options.columns, options) for each in others):
        return error
    if not is_not_there and all(_has(each, columns, options) for each in others):
        return error
    further = _OPTION.search(error.hint)
    if source.split and all(each.split != source.split for each in others):
        if further and "tfrec convert" not in error.hint:
            ways = error.hint[further.start(1) - len(_COLUMNS) :]
            return InputError(error.message, f"for it alone: {_of_split(ways, source.split)}")
        how = f"for it alone: {command_line(['--columns', f'{source.split}={join_pairs(columns)}'])}"
    else:
        how = _renaming(file, table, columns)
    if not how:
        return error
    if is_not_there:
        return InputError(error.message, f"{error.hint}; where it is right for others, {how}")
    return InputError(error.message, f"{how}{f', with{further[2]}' if further and further[2] else ''}")


def _with_others(hint: str, source: GivenSource, name: str, others: Sequence[GivenSource]) -> str:
    """A hint whose commands for a list or folder in a source, or made of a source, have the others, too."""
    beside = [(each.split, each.source) for each in others if isinstance(each.source, str)]

    def joined(command: re.Match[str]) -> str:
        (path,) = shlex.split(command[1])
        is_inside = os.path.isdir(name) and os.path.relpath(path, name).split(os.sep)[0] != os.pardir
        if not is_inside and not path.startswith(f"{os.path.splitext(as_path(name))[0]}-"):
            return command[0]
        sources = [(source.split, path), *beside]
        words = [f"{split}={path}" if split else as_path(path) for split, path in sources]
        return f"{command_line(['tfrec', 'convert', *words])} OUTPUT_DIR"

    return _OF_ONE.sub(joined, hint)


def _of_split(ways: str, split: str) -> str:
    """Ways to name the columns of a list, each for its split."""

    def of_split(option: re.Match[str]) -> str:
        return command_line(["--columns", f"{split}={''.join(shlex.split(option[1]))}"])

    return re.sub(f"{_COLUMNS}({_WORD})", of_split, ways)


def _named_in(error: InputError, file: RowFile) -> _Pairs:
    """(purpose, column) as a hint names them, or as a list has them without the columns that it has not."""
    if _NOT_THERE in error.message:
        try:
            shape = replace(file, options=replace(file.options, columns=())).shape()
        except InputError as other:
            error = other
        else:
            return _columns_of(shape)
    found = _OPTION.search(error.hint)
    with suppress(UsageError, ValueError):  # where it is no such option after all
        return parse_pairs("".join(shlex.split(found[1])), "--columns") if found else ()
    return ()


def _columns_of(shape: CsvShape) -> _Pairs:
    numbers = [("split", shape.split), ("image_uri", shape.image), *(("label", i) for i in shape.labels)]
    return [(purpose, shape.header[i]) for purpose, i in numbers if i is not None and shape.header]


def _as_table(file: RowFile) -> CsvShape | None:
    """The header of a CSV, whatever its columns are called; None: it is none, or has no header."""
    with suppress(InputError):
        return replace(file, options=replace(file.options, task="tabular", columns=())).shape()
    return None


def _as_another(split: str, header: Sequence[str], by_split: Iterable[tuple[str, str, str]]) -> str:
    """The columns that were given for a source of another split, where this one has them all; else empty."""
    for other, option, text in by_split:
        known = parse_pairs(text, _COLUMNS.strip()) if option == "columns" and other != split else ()
        if known and {column for _, column in known} <= {*header}:
            return f"with the columns of {other}: {command_line(['--columns', f'{split}={text}'])}"
    return ""


def _first_fields(file: RowFile) -> Sequence[str]:
    """The fields of the first line alone: those of texts with commas, say, are no table."""
    with suppress(OSError, UnicodeError), open(file.path, encoding=file.options.encoding) as lines:
        line = lines.readline().removeprefix("\ufeff").rstrip("\r\n")
        return next(csv.reader([line], delimiter=detect_delimiter(line)), [])
    return []


def _has(source: GivenSource, columns: _Pairs, options: ReadOptions) -> bool:
    """Whether a source has all of these columns, so that the same option does for it."""
    if isinstance(source.source, str):
        is_file = os.path.isfile(source.source)
        table = _as_table(RowFile(source.source, source.source, options)) if is_file else None
        header: Any = table.header if table else ()
    else:
        header = getattr(source.source, "columns", ())
    return {column for _, column in columns} <= {*header}


def _renaming(file: RowFile, table: CsvShape, columns: _Pairs) -> str:
    """The command that calls columns of a list as all sources are read; empty where that would not do.

    Args:
      columns: (purpose, name in the list).
    """
    wanted, header = dict(file.options.columns), [*table.header]
    new = {header.index(column): wanted.get(purpose, purpose) for purpose, column in columns}
    names = [new.get(number, name) for number, name in enumerate(header)]
    is_readable = not codecs.lookup(file.options.encoding).name.startswith(("utf-16", "utf-32"))
    with suppress(InputError):
        meant = detect_shape(header, table.delimiter, replace(file.options, columns=tuple(columns)))
        found = detect_shape(names, table.delimiter, file.options)
        if is_readable and _columns_by_number(meant) == _columns_by_number(found):
            return f"for it alone, {_command(new, table.delimiter, file)}; then give that in its place"
    return ""


def _columns_by_number(shape: CsvShape) -> tuple[int | None, int | None, tuple[int, ...]]:
    return shape.split, shape.image, shape.labels


def _command(names: Mapping[int, str], delimiter: str, file: RowFile) -> str:
    """What writes a list with other names of columns, by their numbers, and everything else as it is."""
    calls = "; ".join(f"h[{number}] = {literal(new)}" for number, new in names.items())
    code = f"h = next(filter(any, r)); {calls}; w.writerow(h); w.writerows(r)"
    # With commas where nobody said what parts its fields, as that may be said for all sources.
    written = "," if file.options.delimiter is None else delimiter
    return made_by("", rows_by(code, delimiter, written), file.name)
