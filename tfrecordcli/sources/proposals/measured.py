"""Columns of numbers, told by their fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from tfrecordcli.number_patterns import NUMBER

# Whole numbers as far apart as this are no grades, and as many different ones are many.
_MANY_VALUES: Final = 20
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+,[0-9]+|(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
# `2024-05-02`, with a time or without; `20240502`; `2024/5/2`; `02.05.2024`; `2/May/2024`.
_DAY: Final = r"(?:0[1-9]|[12][0-9]|3[01])"
_TIME: Final = r"(?:[T ][0-9:.]+(?: ?[AP]M|Z|[+-][0-9:]+)?)?"
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE: Final = (
    rf"(?:19|20)[0-9]{{2}}(?:(?:0[1-9]|1[0-2]){_DAY}|[-/](?:0?[1-9]|1[0-2])[-/](?:{_DAY}|[1-9])){_TIME}"
    rf"|[0-3]?[0-9]([./-])(?:[0-3]?[0-9]|{_MONTH})\1(?:19|20)?[0-9]{{2}}{_TIME}"
)


def are_dates(fields: Sequence[str]) -> bool:
    """Whether all fields are days: numbers such as `20240502` are no quantity."""
    return bool(fields) and all(re.fullmatch(_DATE, field, re.IGNORECASE) for field in fields)


def are_many_numbers(fields: Sequence[str]) -> bool:
    """Whether fields are many different numbers; of decimal ones a tenth may be others, as `ca. 130`."""
    others = sum(not (NUMBER.fullmatch(field) or _DECIMAL.fullmatch(field)) for field in fields)
    is_many = len({*fields}) > min(_MANY_VALUES, len(fields) / 2)
    return is_many and (not others or (are_decimal(fields) and 10 * others <= len(fields)))


def plain_numbers(fields: Sequence[str]) -> list[str]:
    """The numbers, with points; none where others are among them, unless decimal ones are and others few.

    Up to a fourth may be others then, as people write them who measure: `<1`, `10-25`, `tr.`.
    """
    numbers = [field.replace(",", ".") for field in _numbers(fields)]
    are_most = 4 * (len(fields) - len(numbers)) <= len(fields) and are_decimal(fields)
    return numbers if are_most or all(map(NUMBER.fullmatch, fields)) else []


def are_decimal(fields: Iterable[str]) -> bool:
    """Whether one of the fields is a number with a point or a comma."""
    return any(map(_DECIMAL.fullmatch, fields))


def are_whole(fields: Iterable[str]) -> bool:
    """Whether all fields are whole numbers: `3`, `80.0`."""
    return all(NUMBER.fullmatch(field) and float(field).is_integer() for field in fields)


def are_apart(fields: Iterable[str]) -> bool:
    """Whether the largest number is far above the smallest one."""
    numbers = sorted(map(_value, _numbers(fields)))
    return bool(numbers) and numbers[-1] - numbers[0] >= _MANY_VALUES


def are_numbered(fields: Iterable[str]) -> bool:
    """Whether fields are whole numbers without a gap from 0 or 1, as classes are numbered by programs."""
    numbers = sorted({float(field) for field in fields})
    return numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(numbers) - 1


def count_rows(fields: Sequence[str]) -> bool:
    """Whether whole numbers go up by one from row to row."""
    return all(float(after) - float(before) == 1 for before, after in pairwise(fields))


def shown_range(fields: Iterable[str]) -> str:
    """`3.1 to 41.2`: the smallest number and the largest one, as they are written."""
    numbers = sorted(_numbers(fields), key=_value)
    return f"{numbers[0]} to {numbers[-1]}"


def _numbers(fields: Iterable[str]) -> list[str]:
    return [field for field in fields if NUMBER.fullmatch(field) or _DECIMAL.fullmatch(field)]


def _value(field: str) -> float:
    return float(field.replace(",", "."))
