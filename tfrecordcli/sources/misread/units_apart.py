"""Boxes of two units in one list, told apart by a column, as `pd.concat` makes one list of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.fields import four_numbers
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import beside, literal, python_command, table
from tfrecordcli.sources.sample import Sample, sample_of

_MOST: Final = 20  # words of such a column
_FRACTIONS_END: Final = 1.01
_PIXELS_BEGIN: Final = 2.0


def parted_units(error: InputError, rows: RowFile) -> InputError:
    """The refusal of boxes of two units, with the command that makes two lists, where a column tells which.

    Args:
      error: as it came.
      rows: of the list.
    """
    if rows.is_spooled or rows.is_own:
        return error
    sample = sample_of(rows)
    units = [_unit(sample, fields) for fields in sample.table]
    unread = sample.unread(lambda name: bool(name) and sample.shape.header.count(name) == 1)
    for name in unread:
        column = sample.shape.header.index(name)
        words: dict[str, set[str]] = {"fractions": set(), "pixels": set()}
        for fields, unit in zip(sample.table, units, strict=True):
            if unit and column < len(fields):
                words[unit].add(fields[column])
        fractions, pixels = words.values()
        if fractions and pixels and fractions.isdisjoint(pixels) and len(fractions | pixels) <= _MOST:
            return InputError(error.message, f"{_command(name, sorted(fractions), rows, sample)}{error.hint}")
    return error


def _unit(sample: Sample, fields: Sequence[str]) -> str:
    """`fractions` or `pixels`, whichever the box of a row can only be; empty where it may be either."""
    boxes = sample.shape.boxes
    assert boxes is not None
    texts = [fields[i] for i in boxes.corners if i < len(fields)]
    texts = [*four_numbers(texts[0])] if len(texts) == 1 else texts
    if len(texts) < len("xywh") or not all(map(NUMBER.fullmatch, texts)):
        return ""
    numbers = [*map(float, texts)]
    if max(numbers) <= _FRACTIONS_END:
        return "" if all(map(float.is_integer, numbers)) else "fractions"
    return "pixels" if max(numbers) > _PIXELS_BEGIN else ""


def _command(column: str, words: Sequence[str], rows: RowFile, sample: Sample) -> str:
    """What writes two lists by a column and converts both, before other ways; empty: there is no file."""
    names = [beside(rows.name, what) for what in ("fractions", "pixels")]
    of_them, of_others = (
        f'{part}.to_csv({literal(name)}, index=False, mode="x")'
        for part, name in zip(("t[f]", "t[~f]"), names, strict=True)
    )
    code = (
        f"import pandas as pd; t = {table(rows.name, sample.shape.delimiter)}; "
        f"f = t[{literal(column)}].isin([{', '.join(map(literal, words))}]); {of_them}; {of_others}"
    )
    command = python_command(code, rows.name)
    if not command:
        return ""
    way = f"{command_line(['tfrec', 'convert', *names])} OUTPUT_DIR"
    return f"where column {column} tells them apart, make two lists: {command}; then: {way}; else "
