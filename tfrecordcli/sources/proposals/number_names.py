"""How columns of numbers are called: those that are predicted, and those that stand beside what is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

# Patterns, which `re` compiles when they are first asked: few lists do, and every start would pay for it.

_BEFORE: Final = r"(.*[\s_-])?"
_BEHIND: Final = r"([\s_-].*)?"
# What cars are steered by, as Donkeycar has it, too.
_STEERED: Final = r"(?:\w+/)?(?:steer|angle$)"
# Of images, people, goods, fields.
_VALUED: Final = rf"{_BEFORE}(d?mos|score|rating|target|value|price|costs?|bone_?age|yield){_BEHIND}"
# What people thought of an image on average: nothing else is called so.
_OPINION: Final = rf"{_BEFORE}d?mos"
_COUNTED: Final = rf"(n|num|number|anzahl)[\s_-].*|{_BEFORE}(counts?|richness|anzahl|percent(age)?){_BEHIND}"
# `Länge (mm)`, `area [km²]`, `weight_kg`.
_WITH_UNIT: Final = (
    r".+[\s_][(\[][a-zA-Zµ°%²³/]{1,6}[)\]]|.+_([µmk]?g|[µnmck]?m[23]?|ha|m?l|pct|percent|days|years)"
)
_AGE: Final = rf"{_BEFORE}(age|alter|year|jahr){_BEHIND}"
_PLACE: Final = re.compile(
    rf".*(lat|long)itude|{_BEFORE}(lat|lon|lng|long|altitude|elevation|easting|northing|(breiten|l(ä|ae)ngen)grad"
    r"|(gps|utm)[\s_-]?\w*)([\s_-]?(m|dd|deg|degrees|wgs84|[(\[].*[)\]]))?",
    re.IGNORECASE,
)
_OF_FILE: Final = r"((image|img|photo|pic(ture)?|orig(inal)?|file)[\s_-]?)"
_IN_PIXELS: Final = r"([\s_-]?(px|pixels?))?"
_HEIGHT: Final = rf"height(?P<unit>{_IN_PIXELS})"
_SIZE: Final = rf"({_OF_FILE}?(width|w|h|bytes|channels|dpi|megapixels)|{_OF_FILE}(height|size)){_IN_PIXELS}"
_TIME: Final = re.compile(
    rf"{_BEFORE}(date|datum|(date)?time|timestamp|month|monat|week|day|tag|hour|frame|k?fold)",
    re.IGNORECASE,
)
# Of which numbers are kinds, none of them more than another.
_OF_KINDS: Final = (
    rf"{_BEFORE}(colou?r|farbe|type|typ|kind|style|shape|class|klasse|category)([\s_-]?(id|code|no|nr))?"
)
_ID: Final = (
    rf"{_BEFORE}(ids?|[ug]?uid|nr|no|idx|index|serial|p?hash|md5|barcode|plz|patient|subject|participant"
    r"|zip([\s_-]?code)?|post(al)?[\s_-]?code)"
    r"|#|unnamed: [0-9]+|((row|line|serial)[\s_-]?)?(number|num)"
)
# What images are cut from, so that those of one belong in one split.
_SEQUENCE: Final = (
    rf"{_BEFORE}(?:(?P<whole>sequence|seq|video|clip|movie|burst)|frame|slice)"
    r"[\s_-]?(id|nr|no|number|num|idx|index|name)"
)
# What is told of the numbers beside it: how many people gave them, and how far these are apart.
_OF_OTHERS: Final = (
    r"((n|num|number|total)[\s_-]?(of[\s_-]?)?)?(ratings|raters|votes|voters|annotators|annotations)([\s_-]?count)?"
    r"|(rating|rater|vote|voter|annotator|annotation)[\s_-]?(count|number)"
    rf"|{_BEFORE}(std([\s_-]?dev)?|sd|stdev)|.+[\s_-](var|variance|stderr|err|sem)"
)
_ID_IN_CAPITALS: Final = r".*[a-z](Id|ID)"


def is_steered(name: str) -> bool:
    """Whether a column is called like what cars are steered by, which stands among other numbers."""
    return re.match(_STEERED, name, re.IGNORECASE) is not None


def is_valued(name: str) -> bool:
    """Whether a column is called like numbers that are predicted mostly: scores, prices, ages of bones."""
    return re.fullmatch(_VALUED, name, re.IGNORECASE) is not None


def is_opinion(name: str) -> bool:
    """Whether a column is called like mean scores of people."""
    return re.fullmatch(_OPINION, name, re.IGNORECASE) is not None


def is_counted(name: str) -> bool:
    """Whether a column is called like a number of things."""
    return re.fullmatch(_COUNTED, name, re.IGNORECASE) is not None


def is_of_others(name: str) -> bool:
    """Whether a column is called like what is told of the numbers beside it: their count, their spread."""
    return re.fullmatch(_OF_OTHERS, name, re.IGNORECASE) is not None


def is_measured(name: str) -> bool:
    """Whether a column has a unit in its name."""
    return re.fullmatch(_WITH_UNIT, name) is not None


def is_of_kinds(name: str) -> bool:
    """Whether a column is called like what has kinds, so that few whole numbers are those of classes."""
    return re.fullmatch(_OF_KINDS, name, re.IGNORECASE) is not None


def is_certainty(name: str) -> bool:
    """Whether a column is called like how sure somebody was of a label."""
    return (
        re.fullmatch(r"(.*[\s_-])?(confidence|certainty|conf)([\s_-]?(score|level))?", name, re.IGNORECASE)
        is not None
    )


def is_age(name: str) -> bool:
    """Whether a column is called like ages or years, which are known more often than they are asked for."""
    return re.fullmatch(_AGE, name, re.IGNORECASE) is not None


def is_place_or_time(name: str) -> bool:
    """Whether a column is called like where, or when, an image was taken."""
    return any(pattern.fullmatch(name) for pattern in (_PLACE, _TIME))


def is_size(name: str, names: Iterable[str]) -> bool:
    """Whether a column is called like the size of image files: `height` is, where `width` stands beside it.

    Args:
      names: of all columns.
    """
    height = re.fullmatch(_HEIGHT, name, re.IGNORECASE)
    width = f"width{height['unit']}".lower() if height else ""
    is_beside = any(each.lower() == width for each in names if width)
    return is_beside or re.fullmatch(_SIZE, name, re.IGNORECASE) is not None


def is_id(name: str) -> bool:
    """Whether a column is called like ids or numbers of rows."""
    return bool(re.fullmatch(_ID, name, re.IGNORECASE) or re.fullmatch(_ID_IN_CAPITALS, name))


def is_of_sequences(name: str) -> bool:
    """Whether a column is called like numbers of videos, or of frames in them, which are no classes."""
    return re.fullmatch(_SEQUENCE, name, re.IGNORECASE) is not None


def is_sequence(name: str) -> bool:
    """Whether a column is called like numbers of videos, whose frames belong in one split."""
    found = re.fullmatch(_SEQUENCE, name, re.IGNORECASE)
    return found is not None and found["whole"] is not None
