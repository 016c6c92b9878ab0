"""Columns of what is measured: many different numbers, with a unit in their name or a decimal point."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tfrecordcli.number_patterns import NUMBER

_MANY_VALUES: Final = 20
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+,[0-9]+|[0-9]*\.[0-9]*(?:[eE][+-]?[0-9]+)?)")
# `Länge (mm)`, `area [km²]`.
_WITH_UNIT: Final = re.compile(r".+[\s_][(\[][a-zA-Zµ°%²³/]{1,6}[)\]]")


def are_many_numbers(fields: Sequence[str]) -> bool:
    """Whether fields are many different numbers; of decimal ones a tenth may be others, as `ca. 130`."""
    others = sum(not (NUMBER.fullmatch(field) or _DECIMAL.fullmatch(field)) for field in fields)
    is_many = len({*fields}) > min(_MANY_VALUES, len(fields) / 2)
    return is_many and (not others or (are_decimal(fields) and 10 * others <= len(fields)))


def are_decimal(fields: Iterable[str]) -> bool:
    """Whether one of the fields is a number with a point or a comma."""
    return any(map(_DECIMAL.fullmatch, fields))


def is_measured(name: str) -> bool:
    """Whether a column has a unit in its name."""
    return _WITH_UNIT.fullmatch(name) is not None
