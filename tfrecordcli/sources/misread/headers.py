"""First rows that are no header, and units below one: refused, with the command that mends it."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.option_parsing import typed_column
from tfrecordcli.options import ReadOptions
from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.csv_shape import CsvShape
from tfrecordcli.sources.further_columns import NO_VALUE
from tfrecordcli.sources.made_list import AS_CSV, as_commas, made_by
from tfrecordcli.sources.misread.header_lines import (
    need_no_rule,
    need_no_second_header,
    need_no_title,
    need_one_line,
)
from tfrecordcli.sources.misread.row_names import need_no_row_names
from tfrecordcli.sources.pandas_commands import beside, literal, python_command
from tfrecordcli.sources.sample import Sample
from tfrecordcli.sources.title_lines import without_lines
from tfrecordcli.units import plural

_FEW: Final = 2
_IN_BRACKETS: Final = re.compile(r"\((.*)\)|\[(.*)\]")
# Units as they are written above numbers, without letters that are grades, sizes or points of the compass.
_SYMBOL: Final = (
    "px|pt|km|m|dm|cm|mm|[µμu]m|nm|in|ft|yd|mi|[kmµμun]?g|lbs?|oz|[mµμun]?s|secs?|min|h|hrs?|yrs?|[mµμ]?l|[md]L|"
    "%|‰|°[CF]?|deg[CF]?|rad|[kMG]?Hz|[mkM]V|mA|[kM]W|[kM]?Wh|k?J|k?cal|kN|[hkM]?Pa|mbar|bar|psi|mmHg|m?mol|"
    "pp[mb]|dB|lux|lx|bpm|rpm|kph|kmh|mph|kn|USD|EUR|GBP|CHF|[$€£]"
)
_WORDS: Final = (
    "pixels?|(?:kilo|centi|milli|micro|nano)?met(?:er|re)s?|(?:kilo|milli)?grams?|inch(?:es)?|feet|miles?|pounds?|"
    "years?|months?|weeks?|days?|hours?|minutes?|(?:milli)?seconds?|percent|degrees?|radians?|celsius|fahrenheit|"
    "kelvin|volts?|watts?|lit(?:er|re)s?|dollars?|euros?"
)
_POWER: Final = r"(?:[²³⁻¹]+|\^?-?[1-3])?"
_ONE_UNIT: Final = rf"(?:{_SYMBOL}|(?i:{_WORDS})){_POWER}"
_UNIT: Final = rf"(?:1/)?{_ONE_UNIT}(?:[/*·. ]{_ONE_UNIT})*"


def need_header(sample: Sample, rows: RowFile) -> None:
    """Refuses a table whose first row is one of values, or whose second holds units.

    Raises:
      InputError: with the command that writes a header, or leaves the second row out.
    """
    if rows.is_spooled or rows.is_own or not sample.shape.header:
        return
    need_no_row_names(sample, rows.name)
    need_no_title(sample, rows.name)
    need_no_rule(sample, rows.name)
    need_one_line(sample, rows.name)
    if sample.shape.is_table:
        _need_names(sample, rows)
    _need_no_units(sample, rows)
    need_no_second_header(sample, rows)


def _need_names(sample: Sample, rows: RowFile) -> None:
    """Each field of a first row of values comes again in its column; no name of a column does."""
    header = sample.shape.header
    if not _may_be_values(sample.shape, rows) or not all(
        name in sample.fields(i) for i, name in enumerate(header)
    ):
        return
    equal = [tuple(fields) for fields in sample.table].count(header)
    alone = [sample.fields(i).count(name) > equal for i, name in enumerate(header)]
    is_told = not equal or all(alone)
    again = f"; {plural(equal, 'row')} below it {'equals' if equal == 1 else 'equal'} it" * bool(equal)
    raise InputError(
        f"each field of the first row comes again in its column, so it {'is' if is_told else 'may be'} no "
        f"header: {', '.join(header[:5])}{again}",
        # Fields that only ever come together are a header again rather than values.
        _ways(sample.shape, rows, once_at=None if is_told else int(any(alone))),
    )


def without_first_again(
    records: Iterable[tuple[int, list[str]]], shape: CsvShape, rows: RowFile
) -> Iterator[list[str]]:
    """The fields of all rows, one of which may equal the first behind those that are looked at beforehand.

    Raises:
      InputError: one does, and nothing tells whether the first is a header; with the commands that settle it.
    """
    header = shape.header if _may_be_values(shape, rows) else ()
    for line, fields in records:
        if header and fields[0].strip() == header[0] and tuple(map(str.strip, fields)) == header:
            raise InputError(
                f"line {line}: the row equals the first one, which may be a header that comes again or no "
                f"header: {', '.join(header[:5])}",
                _ways(shape, rows, once_at=0),
            )
        yield fields


def _may_be_values(shape: CsvShape, rows: RowFile) -> bool:
    """Whether the first row of a table may be one of values: no option names a column."""
    is_told = rows.is_spooled or rows.is_own or not _named_by(rows.options).isdisjoint(shape.header)
    return shape.is_table and len(shape.header) >= _FEW and not is_told


def _ways(shape: CsvShape, rows: RowFile, once_at: int | None) -> str:
    """The commands for a first row that is no header, and for one that comes again.

    Args:
      once_at: place of the latter among them; None: it is left out.
    """
    names = ",".join(f"column_{number}" for number in range(1, len(shape.header) + 1))
    ways = [f"{made_by(names, as_commas(shape.delimiter), rows.name)}, with the names that are true"]
    if once_at is not None:
        once = f"where it is the header, take out the rows that equal it: {_once(rows, shape.delimiter)}"
        ways.insert(once_at, once)
    return f"{'; or '.join(ways)}; --columns label=NAME takes it for the header"


def _once(rows: RowFile, parted_by: str) -> str:
    """The command that writes a list without the rows that equal its first."""
    encoding, delimiter = rows.options.encoding, json.dumps(parted_by)
    read = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
    made = beside(rows.name, "one-header")
    code = (
        f'import csv; r = csv.reader(open({literal(rows.name)}, newline="", encoding="{read}"), '
        f"delimiter={delimiter}, skipinitialspace=True); b = lambda x: [f.strip() for f in x]; "
        "r = filter(lambda x: any(b(x)), r); h = next(r); "
        f'w = csv.writer(open({literal(made)}, "x", newline="", encoding="{encoding}"), '
        f"delimiter={delimiter}); "
        "w.writerow(h); w.writerows(x for x in r if b(x) != b(h))"
    )
    return python_command(code, rows.name) or AS_CSV


def _named_by(options: ReadOptions) -> set[str]:
    """The names of columns that options have: whoever gives them has seen the header."""
    features = (typed_column(each)[0] for each in options.features)
    return {*(name for _, name in options.columns), *features, *filter(None, [options.split_by])}


def _need_no_units(sample: Sample, rows: RowFile) -> None:
    """Units stand in the first row above numbers, in columns of which several have one.

    Words for no value stand there, too, as they do in records, so they tell nothing.
    """
    image = sample.shape.image
    if len(sample.table) <= _FEW or (image is not None and not _is_odd_image(sample.fields(image))):
        return
    first = sample.table[0]
    above = [word for i, word in enumerate(first) if _is_above_numbers(sample.fields(i))]
    units = [word for word in above if not _is_no_value(word, rows.options.na)]
    if not _are_units(units, above) or any(map(WRITTEN_NUMBER.fullmatch, first)):
        return
    begin, end = sample.lines
    command = without_lines(begin, max(begin, end - 1), rows.name, "without-units")
    raise InputError(
        f"the first row below the header has words where all others have numbers ({', '.join(units[:5])}): "
        "are they units?",
        f"leave them out: {command}",
    )


def _is_no_value(word: str, na: Sequence[str]) -> bool:
    bare = _without_brackets(word)
    return not bare or word in na or bare in na or bare.lower() in NO_VALUE


def _without_brackets(word: str) -> str:
    match = _IN_BRACKETS.fullmatch(word)
    return (match[1] or match[2] or "").strip() if match else word


def _are_units(words: Sequence[str], above: Sequence[str]) -> bool:
    """Whether words of a row are units for certain: several, one of them known, or in brackets above most.

    Args:
      above: all fields of the row that stand above numbers.
    """
    are_in_brackets = bool(words) and all(map(_IN_BRACKETS.fullmatch, words))
    are_known = [re.fullmatch(_UNIT, _without_brackets(word)) is not None for word in words]
    are_several = len({*words}) >= _FEW
    if any(are_known) and (are_several or all(are_known)):
        return are_several or are_in_brackets
    return are_several and are_in_brackets and 2 * len(words) > len(above)


def _is_odd_image(fields: list[str]) -> bool:
    """Whether the first row alone names no image."""
    return not looks_like_image(fields[0]) and all(map(looks_like_image, fields[1:]))


def _is_above_numbers(fields: list[str]) -> bool:
    filled = [field for field in fields[1:] if field]
    are_numbers = len(filled) >= _FEW and all(map(WRITTEN_NUMBER.fullmatch, filled))
    return are_numbers and WRITTEN_NUMBER.fullmatch(fields[0]) is None
