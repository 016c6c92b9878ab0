"""How the numbers of a column are written: with a unit, a currency, marks of thousands, or plainly."""

from __future__ import annotations

import re

import pytest

from tfrecordcli.number_notation import notation_of

_WRITTEN = {
    "a unit": ("4.5ml|7 ml|12ml", "4.5 7 12"),
    "dollars": ("$6,272.41|$991.00|-$1,000,000|$12", "6272.41 991.00 -1000000 12"),
    "euros": ("6.272,41 €|991,00\u00a0€|1.000 €", "6272.41 991.00 1000"),
    "codes": ("EUR 6272.41|EUR 991", "6272.41 991"),
    "a code behind": ("6,272.41 EUR|991 EUR", "6272.41 991"),
    "rupees": ("Rs. 6,272|Rs. 991", "6272 991"),
    "thousands alone": ("$1,009|$1,104", "1009 1104"),
    "Swiss francs": ("CHF 1'234.50|CHF 80.00", "1234.50 80.00"),
    "no currency": ("6,272.41|1,118.58|991.00", "6272.41 1118.58 991.00"),
    "no currency and a comma": ("6.272,41|1 118", ""),  # two marks of thousands
    "blanks between thousands": ("6 272,41|991,00", "6272.41 991.00"),
    "points or thousands": ("1.234|2.345", ""),
    "commas or thousands": ("1,234|2,345", ""),
    "plain numbers": ("6272.41|991", ""),
    "two currencies": ("$5.20|€5.20", ""),
    "two units": ("500ml|1l", ""),
    "words": ("$5.20|free", ""),
    "versions": ("1.2.3|1.2.4", ""),
    "ids with zeros": ("001a|002a", ""),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "plain"), _WRITTEN.values(), ids=_WRITTEN)
def test_numbers_are_written_plainly_where_all_are_in_one_way(text: str, plain: str) -> None:
    fields = text.split("|") if text else []
    notation = notation_of(fields)
    assert (notation is None) == (not plain)
    for field, number in zip(fields, plain.split(), strict=bool(plain)) if notation else ():
        assert notation.plain(field) == number
        for old, new in notation.replacements():
            field = re.sub(old, new, field)
        assert field == number
