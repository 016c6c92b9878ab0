"""Tables beside a list that tell of the same rows by an id: `features.csv` and `labels.csv`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final

from tfrecordcli.shell import as_path, command_line
from tfrecordcli.sources.pandas_commands import beside, literal, python_command, table
from tfrecordcli.sources.proposals.tables_beside import first_rows, other_lists
from tfrecordcli.sources.proposals.unread import Unread

_READ: Final = 200_000  # rows of each
_SOME: Final = 2  # ids of both
_CALLED_LABELS: Final = re.compile(r"label|target|annotation|truth", re.IGNORECASE)


def asked_with_parts(name: str) -> str:
    """The begin of a question whether this is the list of images, behind the command for others with it."""
    by, others = _parts(name)
    return f"{_joining(name, by, others)}; or is {name} alone" if others else f"is {name}"


def with_parts(unread: Unread, proposal: str) -> str:
    """A proposal for a list, with the command that joins it with others, first where these have labels."""
    name = unread.name
    by, others = _parts(name) if unread.delimiter == "," else ("", ())
    if not others:
        return proposal
    joining = _joining(name, by, others)
    has_labels = any(map(_is_of_labels, others)) and not _is_of_labels(name)
    return f"{joining}; else {proposal}" if has_labels else f"{proposal}; {joining}"


def _joining(name: str, by: str, others: Sequence[str]) -> str:
    """A hint with the command that keeps the rows of all of them."""
    target = beside(name, "joined")
    how = f'how="outer", on={literal(by)}, validate="1:1"'
    joined = "".join(f".merge({table(other)}, {how})" for other in others)
    code = f'import pandas as pd; {table(name)}{joined}.to_csv({literal(target)}, index=False, mode="x")'
    convert = f"{command_line(['tfrec', 'convert', as_path(target)])} OUTPUT_DIR"
    names = " and ".join(map(os.path.basename, (name, *others)))
    return f"{names} tell of the same rows by {by}: join them: {python_command(code, name)}; then: {convert}"


def _is_of_labels(name: str) -> bool:
    return _CALLED_LABELS.search(os.path.basename(name)) is not None


def _parts(name: str) -> tuple[str, Sequence[str]]:
    """The column that a list and others beside it have in common, and these; none where they do not fit.

    It has another value in each row, and most values are in all of them.
    """
    header = _header(name) if name.lower().endswith(".csv") and os.path.isfile(name) else ()
    found = {
        other: by
        for other in (other_lists(name) if header else ())
        if (by := _in_common(header, _header(other)))
    }
    ids = {by: _ids(name, by) for by in found.values()}
    others = [other for other, by in found.items() if _are_same(ids[by], _ids(other, by))]
    if len({found[other] for other in others}) != 1:
        return "", ()
    columns = [column for other in others for column in _header(other) if column != found[other]]
    return (found[others[0]], others) if len({*columns}) == len(columns) else ("", ())


def _header(name: str) -> Sequence[str]:
    return next(([*row] for row in first_rows(name, 1)), [])


def _in_common(header: Sequence[str], other: Sequence[str]) -> str:
    """The only column that two lists have in common; empty where there are several, or one has no other."""
    shared = {*header} & {*other} - {""}
    return shared.pop() if len(shared) == 1 < min(len(header), len(other)) else ""


def _ids(name: str, by: str) -> set[str]:
    """The values of a column; none where one is empty or comes again."""
    values = [row[by] or "" for row in first_rows(name, _READ)]
    return {*values} if "" not in values and len({*values}) == len(values) else set()


def _are_same(ids: set[str], others: set[str]) -> bool:
    """Whether most of either are among both."""
    shared = len(ids & others)
    return shared >= _SOME and 2 * shared > max(len(ids), len(others))
