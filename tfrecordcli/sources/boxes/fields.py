"""What the fields of a row say of a box; without a header AutoML's and RetinaNet's are told by them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Final

from tfrecordcli.boxes import BETWEEN, box_text, image_text, letter_of
from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import ATTRIBUTES
from tfrecordcli.sources.boxes.columns import BoxColumns, BoxCounts
from tfrecordcli.sources.column_words import looks_like_image
from tfrecordcli.split_words import UNASSIGNED, parse_split

_NUMBERS: Final = re.compile(r"[\[(]?\s*([^\s,;\])]+(?:[\s,;]+[^\s,;\])]+){3})\s*[\])]?")
# Numbers with marks between them that no number has.
_MARKED_NUMBERS: Final = re.compile(f"{NUMBER.pattern}(?:{BETWEEN}{NUMBER.pattern})*+")
_NO_BOX: Final = re.compile(r"(?:\[\s*\]|\(\s*\))?")
# Words for no value, as databases, pandas, R and MATLAB write them.
NULLS: Final = frozenset({r"\n", "null", "nan", "none", "nil", "na", "n/a", "#n/a", "<na>"})
# What radiologists write in place of a label, as in VinBigData's chest X-rays.
_NOTHING: Final = re.compile(r"no[ _-]?findings?", re.IGNORECASE)
# Begins what a list of tfrec's own has in the place of corners that could not be read; alone, in the place of
# the boxes of an image of which nothing could.
UNREAD: Final = "?"
_LONGEST_SHOWN: Final = 40
_ROUNDING: Final = 1e-6  # of fractions, within which sides are parallel to those of the image
_PLAIN_VALUES: Final = frozenset(("", "0", "1"))  # of any attribute
BoxParser = Callable[[int, Sequence[str], bool], str]


def box_parser(columns: BoxColumns, attributes: Sequence[str]) -> BoxParser:
    """A function from (line, stripped fields, whether the row has a label) to the row's field of boxes.

    ``""`` stands for none there. It raises Rejected ``bad_box`` for a box that is none.

    Args:
      attributes: those of the schema, in whose order they are told.
    """
    told = [columns.attributes.get(name) for name in attributes]
    while told and told[-1] is None:
        told.pop()

    def parse(line: int, fields: Sequence[str], is_labelled: bool) -> str:
        image = text_of_image(columns, fields)
        texts = _texts(columns, fields)
        if all(map(is_no_box, texts)) or (not is_labelled and stand_for_none(texts)):
            return image
        corners = corners_in_form(_numbers(texts), columns.form)
        if columns.unit is None or not fields[columns.unit]:
            columns.extremes.take(corners)
        values = ["" if column is None else fields[column] for column in told]
        if not _PLAIN_VALUES.issuperset(values):
            values = [
                value if value in _PLAIN_VALUES else _attribute(name, value, columns.counts)
                for name, value in zip(attributes, values, strict=False)
            ]
        return image + box_text(line, map(repr, corners), values)

    return parse


def text_of_image(columns: BoxColumns, fields: Sequence[str]) -> str:
    """What a row tells of its image."""
    if columns.size is None:
        return image_text()
    width, height = columns.size
    if columns.unit is None or columns.source_id is None:
        return _text_of_image(fields[width], fields[height])
    return _text_of_image(fields[width], fields[height], fields[columns.unit], fields[columns.source_id])


@lru_cache(maxsize=1)  # the boxes of an image stand one behind the other
def _text_of_image(width: str, height: str, unit: str = "", source_id: str = "") -> str:
    number = source_id if source_id.isdecimal() else ""
    return image_text(size_text(width), size_text(height), letter_of(unit), number)


def are_unread(columns: BoxColumns, fields: Sequence[str]) -> bool:
    """Whether a row stands for all boxes of an image, of which nothing could be read."""
    first, *others = (fields[column] for column in columns.corners)
    return first == UNREAD and not any(others)


def has_unread(columns: BoxColumns, fields: Sequence[str]) -> bool:
    """Whether a row holds what could not be read of a box or an image still."""
    used = (*columns.corners, *columns.attributes.values())
    return any(fields[column].strip().startswith(UNREAD) for column in used if column < len(fields))


def _texts(columns: BoxColumns, fields: Sequence[str]) -> Sequence[str]:
    if len(columns.corners) == 4:
        return [fields[column] for column in columns.corners]
    text = fields[columns.corners[0]]
    if is_no_box(text):
        return ("",)
    match = _NUMBERS.fullmatch(text)
    if match is None:
        raise Rejected(
            "bad_box", what=f"is {text[:_LONGEST_SHOWN]!r}, not four numbers as in [10, 20, 30, 40]"
        )
    return re.split(r"[\s,;]+", match[1])


def is_no_box(field: str) -> bool:
    """Whether a field for boxes is blank, an empty list as pandas writes it, or words for no value."""
    if field[-1:].isdecimal():
        return False
    if _NO_BOX.fullmatch(field) is not None or is_null(field):
        return True
    match = _NUMBERS.fullmatch(field)
    return match is not None and all(map(is_null, re.split(r"[\s,;]+", match[1])))


def stand_for_none(texts: Sequence[str]) -> bool:
    """Whether four numbers are zeros, or all below 0, where no box in an image lies: `-1,-1,-1,-1`."""
    if len(texts) != 4 or not all(map(NUMBER.fullmatch, texts)):
        return False
    numbers = list(map(float, texts))
    return max(numbers) < 0 or not any(numbers)


def is_null(field: str) -> bool:
    """Whether a field is a word for no value."""
    return field.lower() in NULLS


def says_nothing(label: str) -> bool:
    """Whether a label without a box says that the image shows nothing."""
    return is_null(label) or _NOTHING.fullmatch(label) is not None


def four_numbers(field: str) -> Sequence[str]:
    """The numbers of a field as `[10, 20, 30, 40]`, with or without brackets and commas; else none."""
    match = _NUMBERS.fullmatch(field)
    numbers = re.split(r"[\s,;]+", match[1]) if match is not None else []
    return numbers if all(map(NUMBER.fullmatch, numbers)) else []


def may_be_boxes(fields: Collection[str]) -> bool:
    """Whether most fields of four numbers each may be boxes in an image, of a column that is not called so.

    Numbers below 0, and an end or a size of 0, are none of boxes.
    """
    rows = [list(map(float, four_numbers(field))) for field in fields]
    return 2 * sum(min(row) >= 0 and min(row[2:]) > 0 for row in rows) > len(rows)


def _numbers(texts: Sequence[str]) -> list[float]:
    numbers = list(map(float, texts)) if _MARKED_NUMBERS.fullmatch(BETWEEN.join(texts)) else []
    if numbers and all(map(math.isfinite, numbers)):
        return numbers
    for text in texts:
        if NUMBER.fullmatch(text) is None or not math.isfinite(float(text)):
            raise Rejected("bad_box", what=_no_number(text))
    return list(map(float, texts))


def _no_number(text: str) -> str:
    """A comma is never taken for a decimal point: `1,234` can be a thousand and more."""
    if not text:
        return "lacks a number"
    point = text.replace(",", ".")
    is_comma = point != text and NUMBER.fullmatch(point) is not None
    comma = f" (a comma for the decimal point? write {point})" if is_comma else ""
    return f"has {text[:_LONGEST_SHOWN]!r}, which is no number{comma}"


def corners_in_form(numbers: Sequence[float], form: str) -> tuple[float, float, float, float]:
    """(xmin, ymin, xmax, ymax) of numbers in another form.

    Raises:
      Rejected: a width or height is negative.
    """
    a, b, c, d = numbers
    if form == "yxyx":
        return b, a, d, c
    if form in ("xywh", "center_xywh") and (c < 0 or d < 0):
        raise Rejected("bad_box", what=f"has a negative width or height ({min(c, d):g})")
    if form == "xywh":
        return a, b, a + c, b + d
    if form == "center_xywh":
        return a - c / 2, b - d / 2, a + c / 2, b + d / 2
    return a, b, c, d


def size_text(text: str) -> str:
    """Pixels; what is none is as good as not told."""
    return text if NUMBER.fullmatch(text) else ""


def _attribute(name: str, text: str, counts: BoxCounts) -> str:
    """The text of an attribute; Open Images writes -1 for what nobody knows."""
    if name == "area" and NUMBER.fullmatch(text):
        return text
    if has_control_characters(text):
        raise Rejected("control_character", field=name)
    if not text or ATTRIBUTES[name] == "bytes":
        return text
    if name != "area":
        # As pandas writes whole numbers beside an empty field: 1.0.
        text = {"true": "1", "false": "0"}.get(text.lower(), text.removesuffix(".0"))
        if text not in ("0", "1", "-1"):
            raise Rejected("bad_value", column=name, what=f"is {text[:_LONGEST_SHOWN]!r}, not 0 or 1")
        counts.unknown += text == "-1"
        return "" if text == "-1" else text
    raise Rejected("bad_value", column=name, what=f"is {text[:_LONGEST_SHOWN]!r}, not a number")


def split_of_retinanet(fields: Sequence[str]) -> tuple[str, Sequence[str]]:
    """(split field, the others) of ``[SET,]path,x1,y1,x2,y2,class``."""
    word = fields[0]
    is_split = word and parse_split(word) is not None and len(fields) > 1
    if is_split or (len(fields) == 7 and not looks_like_image(word)):
        return word, fields[1:]
    return UNASSIGNED, fields


def is_retinanet(fields: Sequence[str]) -> bool:
    """Whether a row is one of a list for keras-retinanet: ``path,x1,y1,x2,y2,class``."""
    return len(fields) == 6 and all(map(NUMBER.fullmatch, fields[1:5])) and not NUMBER.fullmatch(fields[5])


def is_automl(fields: Sequence[str]) -> bool:
    """Whether the fields after the image are a label and a box of AutoML.

    Trailing blanks are gone already. Nine numbers without a point are labels of a list whose labels are
    numbers.
    """
    box = fields[1:]
    if len(box) == 6 and not (box[2] or box[3]):
        return all(map(NUMBER.fullmatch, (*box[:2], *box[4:])))
    if len(box) != 8 or not all(map(NUMBER.fullmatch, box)):
        return False
    return not NUMBER.fullmatch(fields[0]) or any("." in field for field in box)


def box_of_automl(fields: Sequence[str], counts: BoxCounts | None = None) -> list[str] | None:
    """The corners among the fields after the label: ``x,y,,,x,y,,`` or ``x,y,x,y,x,y,x,y``.

    Args:
      counts: in which a box is counted that is no upright rectangle.

    Returns:
      texts of xmin, ymin, xmax, ymax; None: these fields are no box.

    Raises:
      Rejected: four vertices of which one is no number.
    """
    box = [*fields, *[""] * (8 - len(fields))]
    if len(box) != 8 or not any(box):
        return None
    if not any((box[2], box[3], box[6], box[7])):
        return [box[0], box[1], box[4], box[5]]
    numbers = _numbers(box)
    across, down = numbers[::2], numbers[1::2]
    if counts is not None:
        counts.turned += not (_are_two(across) and _are_two(down))
    return [repr(value) for value in (min(across), min(down), max(across), max(down))]


def _are_two(numbers: Sequence[float]) -> bool:
    """Whether four numbers are two, twice each, up to rounding."""
    a, b, c, d = sorted(numbers)
    return max(b - a, d - c) <= _ROUNDING
