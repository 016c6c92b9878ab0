"""Merged cells of a spreadsheet, and groups of rows, which as CSV have their word in the first row only."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import pairwise
from typing import Final, NamedTuple

from tfrecordcli.errors import InputError
from tfrecordcli.options import ReadOptions
from tfrecordcli.shell import command_line
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.made_list import made_by, rows_by
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.sources.row import Malformed
from tfrecordcli.sources.sample import MOST_ROWS, Sample
from tfrecordcli.sources.unmatched import is_of_rejects
from tfrecordcli.split_words import split_in_column
from tfrecordcli.units import join_pairs

# So many words in turn, each with blanks behind it, are no chance where each stands several times.
_MANY: Final = 6
# Nobody merges cells of so many words: fields that are blank now and then have them.
_MOST: Final = 1000
# So many words above as many blank fields each are no chance.
_EVEN: Final = 5
# For the command, which reads bytes as Latin-1, where the last one of `à` is a blank too.
_BLANKS: Final = '" \\t"'
_FILL: Final = "fill in what stands above them"
_GIVE: Final = "give each a word of its own"
_LINES: Final = (".jsonl", ".ndjson")
# What is written for the object `d`, the number `n` of its line.
_ABOVE: Final = "(p := p if b(d) else d[k])"
_OF_ITS_OWN: Final = 'f"alone-{n}" if b(d) else d[k]'


def need_no_merged_splits(sample: Sample, rows: RowFile) -> None:
    """Refuses splits that stand in the first row of several each: blank ones would be assigned anew.

    Raises:
      InputError: with the command that fills them in, and what leaves such rows to be assigned.
    """
    options, column = rows.options, sample.shape.split
    if column is None or rows.is_spooled or options.split_map or _are_assigned_as_said(options):
        return
    if is_of_rejects(sample.shape.header):
        return  # rows from anywhere in a list that was read
    met = _merged(sample, rows, column)
    splits = set(map(split_in_column, met))
    # Others pin single rows: without train the first would be above none of the rows that train, and a
    # split that comes again is that of each row that names it.
    if "train" in splits and "" not in splits and len({*met}) == len(met):
        as_blank = command_line(["--split-map", join_pairs((word, split_in_column(word)) for word in met)])
        raise InputError(
            f"each of the splits {', '.join(met)} stands above rows without one, as merged cells do",
            f"{_filled(column, sample.shape.delimiter, rows.name)}; {as_blank} has blank ones assigned",
        )


def need_no_merged_groups(sample: Sample, rows: RowFile) -> None:
    """Refuses a column of `--split-by` of such words: rows below them would be assigned one by one.

    Raises:
      InputError: most words stand above several rows, or each above as many: with the command that fills in.
    """
    groups = _groups(sample, rows)
    if groups is not None and groups.are_certain:
        raise InputError(
            f"{groups.told}, which would part those of one over splits",
            f"{groups.filled}; where blank ones are each alone, {groups.alone}",
        )


def told_merged_groups(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That words of `--split-by` may do so, as those of bursts, which few images belong to, look alike."""
    groups = _groups(sample, rows)
    if groups is not None and not groups.are_certain:
        yield f"{groups.told}: {groups.filled}; where blank ones are each alone, all is well"


class _Groups(NamedTuple):
    """Words of `--split-by` above rows without one: what is told of them, and hints for what they mean."""

    told: str
    filled: str
    alone: str
    are_certain: bool


def _groups(sample: Sample, rows: RowFile) -> _Groups | None:
    name, header = rows.options.split_by or "", sample.shape.header
    are_lines = rows.is_spooled and os.path.splitext(rows.name)[1].lower() in _LINES
    if name not in header or (rows.is_spooled and not are_lines) or is_of_rejects(sample.shape.header):
        return None
    column = header.index(name)
    below = _blanks_below(_all_fields(sample, rows, column))
    if not below:
        return None
    few = ", ".join([*below][:3]) + ", …" * (len(below) > 3)
    told = f"--split-by {name}: its words ({few}) stand above rows without one, as merged cells do"
    are_even = len(below) >= _EVEN and len({*below.values()}) == 1
    are_certain = 2 * sum(count > 1 for count in below.values()) > len(below) or are_even
    if are_lines:
        above, own = (_in_lines(name, value, rows.name) for value in (_ABOVE, _OF_ITS_OWN))
        return _Groups(told, f"{_FILL}: {above}", f"{_GIVE}: {own}", are_certain)
    place = column, sample.shape.delimiter, rows.name
    return _Groups(told, _filled(*place), _alone(*place), are_certain)


def _in_lines(key: str, value: str, name: str) -> str:
    """The command that writes values of a key into JSON Lines: Python with the names that are above."""
    code = (
        f'import json, sys; k = {literal(key)}; p = ""; '
        "b = lambda d: d.get(k) is None or not str(d[k]).strip(); "
        't = [json.loads(s) for s in open(sys.argv[1], encoding="utf-8-sig") if s.strip()]; '
        f"[print(json.dumps(d | {{k: {value}}})) for n, d in enumerate(t)]"
    )
    command = f"python -c {shlex.quote(code)}".replace("{", "{{").replace("}", "}}")
    return made_by("", f"{command} {{name}}", name, as_lines=True)


def merged_labels_doubt(sample: Sample, rows: RowFile) -> Iterator[str]:
    """The same of labels: that blank ones may be meant, with the command."""
    labels = sample.shape.labels
    if len(labels) != 1 or rows.is_spooled:
        return
    if _merged(sample, rows, labels[0]):
        how = _filled(labels[0], sample.shape.delimiter, rows.name)
        yield f"labels stand above rows without one, as merged cells do: {how}"
    elif name := _key_of_groups(sample, labels[0]):
        how = _filled(labels[0], sample.shape.delimiter, rows.name, sample.shape.header.index(name))
        yield f"labels stand in the first row of each {name} only: {how}"


def _key_of_groups(sample: Sample, column: int) -> str:
    """The name of a column each of whose words is in rows below one another, the first of which has a label.

    As exports of shops have a row for each further image of a product. Empty where there is no such column,
    or a row has no label that is the first of its word, or has one and is not.
    """
    are_filled = list(map(bool, _fields(sample.table, column)))
    if all(are_filled) or not any(are_filled[1:]):
        return ""
    for number, name in enumerate(sample.shape.header):
        keys = list(_fields(sample.table, number))
        begins = [key != before for before, key in pairwise(["", *keys])]
        if name and number != column and begins == are_filled and len({*keys}) == sum(begins):
            return name
    return ""


def _are_assigned_as_said(options: ReadOptions) -> bool:
    return options.split_by is not None or options.stratify or options.splits != ReadOptions().splits


def _merged(sample: Sample, rows: RowFile, column: int) -> list[str]:
    """The words of a column, if they are merged cells: of a long list all is read while they may be."""
    return _in_turn(_fields(sample.table, column)) or _in_turn(_all_fields(sample, rows, column))


def _all_fields(sample: Sample, rows: RowFile, column: int) -> Iterator[str]:
    """The fields of a column, of a long list read anew as far as somebody asks for them."""
    if len(sample.table) < MOST_ROWS:
        yield from _fields(sample.table, column)
        return
    with closing(rows.read_records()[1]) as records, suppress(InputError):  # met again by who reads the rows
        yield from _fields((row for _, row in records if not isinstance(row, Malformed)), column)


def _fields(table: Iterable[Sequence[str]], column: int) -> Iterator[str]:
    """The fields of a column, blank where a row is too short."""
    return (fields[column].strip() if column < len(fields) else "" for fields in table)


def _blanks_below(words: Iterable[str]) -> dict[str, int]:
    """How many blank fields stand below each word of a group; none where they are fewer than the words.

    A word that comes again, or a first that is blank, ends the reading, as so many words do: these tell.
    """
    below: dict[str, int] = {}
    last = ""
    for word in words:
        if word in below or not (word or below):
            return {}
        if word and len(below) == _MOST:
            break
        last = word or last
        below[last] = below[last] + 1 if last in below else 0
    return below if 1 < len(below) <= sum(below.values()) else {}


def _in_turn(words: Iterable[str]) -> list[str]:
    """The words, if each but the last has blank fields behind it, and stands once or, if many, in turn.

    The first two without a blank between them, or of one word, end the reading, as they soon do in any
    other list.
    """
    met: list[str] = []
    different: dict[str, str] = {}
    count, before = 0, ""
    for word in words:
        is_other = (word and before) or not (word or met) or word in met[-1:]
        if is_other or len(different) > _MOST:
            return []
        met += [different.setdefault(word, word)] if word else []
        count, before = count + 1, word
    is_told = len(met) > 1 and 2 * len(met) <= count
    return met if is_told and (len(different) == len(met) or len(met) >= _MANY) else []


def _filled(column: int, delimiter: str, name: str, key: int | None = None) -> str:
    """A hint with the command that writes into blank fields of a column what stands above them.

    Args:
      column: its number, from 0.
      delimiter, name: of the list.
      key: the number of the column by whose words rows belong together; None: all below a filled one do.
    """
    same = "0" if key is None else f"f[{key}]"
    row = (
        f"[*f[:{column}], p.update({{{same}: f[{column}].strip({_BLANKS}) or p.get({same})}}) or p[{same}], "
        f"*f[{column + 1}:]] if len(f) > {max(column, key or 0)} else f"
    )
    command = rows_by(f"p = {{}}; w.writerows({row} for f in r)", delimiter)
    return f"{_FILL}: {made_by('', command, name)}"


def _alone(column: int, delimiter: str, name: str) -> str:
    """The same with a word of its own for each."""
    field = f"f[{column}].strip({_BLANKS})"
    row = f'[*f[:{column}], {field} or f"alone-{{n}}", *f[{column + 1}:]] if len(f) > {column} else f'
    command = rows_by(f"w.writerows({row} for n, f in enumerate(r))", delimiter)
    return f"{_GIVE}: {made_by('', command, name)}"
