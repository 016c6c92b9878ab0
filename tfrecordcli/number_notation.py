"""How the numbers of a column are written that have more than digits and a point: `$6,272.41`, `4.5ml`."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

# Patterns, which `re` compiles when they are first asked: few lists do, and every start would pay for it.

_CODES: Final = (
    "USD|EUR|GBP|JPY|CNY|RMB|CHF|CAD|AUD|NZD|HKD|SGD|INR|BRL|MXN|KRW|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|RUB|UAH"
    "|ZAR|ILS|THB|IDR|MYR|PHP|VND|AED|SAR|NGN|ARS|CLP|COP|PEN"
)
_CURRENCY: Final = rf"(?:US|CA|AU|NZ|HK|[ACRS])?\$|[€£¥₹₩₽₺₪₫₱฿₦]|Rs\.?|kr\.?|zł|Kč|Fr\.|{_CODES}"
_BLANKS: Final = " \u00a0\u202f"
_DIGITS: Final = rf"[0-9][0-9.,'’{_BLANKS}]*(?<=[0-9])"
_AMOUNT: Final = (
    rf"[+-]?(?:(?P<before>{_CURRENCY})[{_BLANKS}]?)?(?P<number>[+-]?{_DIGITS})"
    rf"(?:[{_BLANKS}]?(?P<behind>{_CURRENCY}))?"
)
_IN_THOUSANDS: Final = (
    rf"[+-]?[0-9]{{1,3}}([.,'’{_BLANKS}])[0-9]{{3}}((?:\1[0-9]{{3}})*)(?:(?!\1)([.,])[0-9]+)?"
)
_IN_ONE: Final = r"[+-]?[0-9]+(?:([.,])[0-9]+)?"
# No ids with zeros before them, and no names of files: `001a`, `1.jpg`.
_WITH_UNIT: Final = r"[+-]?(?!0[0-9])[0-9]+(?:\.[0-9]+)? *([^\W\d_]{1,6}[23²³]?|°[CF]?|%)"
_ROUND: Final = r"0*[.,]?0*(?:[125]|25)[0.,]*"  # of banknotes and coins, without marks of thousands
_MOST_KINDS: Final = 20  # of these; more are prices
_FEWEST: Final = 5  # different amounts that are no classes


@dataclass(frozen=True, slots=True)
class Notation:
    """What numbers have besides digits.

    Attributes:
      sign: a unit behind them, or a currency at either end; may be empty.
      is_unit: whether it is a unit.
      marks: what stands between thousands, and blanks.
      point: the decimal point.
    """

    sign: str
    is_unit: bool = False
    marks: str = ""
    point: str = "."

    def plain(self, field: str) -> str:
        """The number, as programs write it."""
        bare = field.replace(self.sign, "")
        return "".join(each for each in bare if each not in f"{self.marks} ").replace(self.point, ".")

    def replacements(self) -> list[tuple[str, str]]:
        """Patterns, and what is written for them, that make a number of a field, one after the other."""
        if self.is_unit:
            return [(f" *{self.sign}$", "")]
        sign = re.sub("([$.])", r"[\1]", self.sign)
        marks = f"[{self.marks}]" if self.marks else ""
        return [("|".join(filter(None, (sign, marks))), ""), *([(",", ".")] if self.point == "," else [])]


def notation_of(fields: Sequence[str]) -> Notation | None:
    """How all of these numbers are written; None: plainly, in several ways, or they are none.

    Where nothing tells whether a comma is the point or parts thousands, it is told by a currency, whose parts
    are hundreds.
    """
    if all(field.replace(".", "", 1).isdecimal() for field in fields):
        return None  # plain ones, as most are
    unit = re.fullmatch(_WITH_UNIT, fields[0])
    if unit and not re.fullmatch(_CODES, unit[1]):
        matches = (re.fullmatch(_WITH_UNIT, field) for field in fields)
        return (
            Notation(unit[1], is_unit=True) if all(each and each[1] == unit[1] for each in matches) else None
        )
    numbers, sign = [], None
    for field in fields:
        found = re.fullmatch(_AMOUNT, field)
        if found is None or (found["before"] and found["behind"]):
            return None
        own = found["before"] or found["behind"] or ""
        sign = own if sign is None else sign
        if own != sign:
            return None
        numbers.append(found["number"])
    return _of_marks(sign or "", numbers, {*"".join(fields)} & {*_BLANKS})


def _of_marks(sign: str, numbers: Sequence[str], blanks: Collection[str]) -> Notation | None:
    marks, points, unsure = set[str](), set[str](), set[str]()
    for number in numbers:
        found = re.fullmatch(_IN_THOUSANDS, number)
        if found is None:
            whole = re.fullmatch(_IN_ONE, number)
            if whole is None:
                return None
            points.update(filter(None, [whole[1]]))
        elif found[2] or found[3] or found[1] not in ".,":
            marks.add(found[1])
            points.update(filter(None, [found[3]]))
        else:
            unsure.add(found[1])
    if not sign and not (marks and points):
        return None
    unsure -= points
    marks |= unsure
    if len(points) > 1 or len(marks) > 1 or marks & points:
        return None
    default = "," if "." in marks else "."
    return Notation(sign, marks="".join(sorted({*marks, *blanks})), point=next(iter(points), default))


def are_amounts(names: Collection[str]) -> bool:
    """Whether most of different words are amounts, and not the few kinds of banknotes and coins.

    Few that are whole behind letters (`CAD0`) may be classes or codes of some.
    """
    told = [name for name in names if any(map(str.isdecimal, name))]
    notation = notation_of(told) if 2 * len(told) > len(names) and len(told) >= _FEWEST else None
    if notation is None or notation.is_unit:
        return False
    are_kinds = all(re.fullmatch(_ROUND, notation.plain(name)) for name in told)
    are_codes = all(re.fullmatch(f"(?:{_CODES})[0-9]+", name) for name in told)
    return not (are_kinds or are_codes) or len(told) > _MOST_KINDS
