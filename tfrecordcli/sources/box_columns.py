"""Which columns of a list hold boxes, and what a row's fields say of one.

By header in any order, words of many tools (`docs/input-formats.md` has the table); without a header the two
shapes that are known by their fields: AutoML's and RetinaNet's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from tfrecordcli.boxes import BETWEEN, MARK, Unit, box_text, image_text
from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import ATTRIBUTES
from tfrecordcli.sources.box_words import (
    ATTRIBUTE_WORDS,
    CENTER_WORDS,
    CORNER_WORDS,
    EXTENT_WORDS,
    FROM_ZERO,
    IMAGE_SIZE_WORDS,
    OWN_WORDS,
    SIZE_WORDS,
    WHOLE_WORDS,
    columns_by_word,
    columns_called,
    need_no_outlines,
)

BoxFormat = Literal["xyxy", "yxyx", "xywh", "center_xywh"]

# Beyond this a value is no fraction of a side, however loosely a box was drawn.
_SURELY_PIXELS: Final = 2.0
_FRACTIONS_END: Final = 1.01
# Of this many boxes some end near the far side of their image: at about 100 where numbers are percents.
_SOME_BOXES: Final = 10
_LIKE_PERCENTS: Final = 80.0
_NUMBERS: Final = re.compile(r"[\[(]?\s*([^\s,;\])]+(?:[\s,;]+[^\s,;\])]+){3})\s*[\])]?")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LONGEST_SHOWN: Final = 40


@dataclass(slots=True)
class Extremes:
    """What the numbers of all boxes of a list have been so far, by which its unit is told.

    Attributes:
      least, most: of all coordinates.
      has_fraction: whether one is no whole number.
      count: of boxes whose row does not name its unit.
    """

    least: float = math.inf
    most: float = -math.inf
    has_fraction: bool = False
    count: int = 0

    def unit(self, name: str) -> Unit:
        """Pixels or fractions.

        Args:
          name: of the list, for the message.

        Raises:
          InputError: the numbers can be both.
        """
        if self.most > _SURELY_PIXELS:
            return "pixels"
        if self.has_fraction and self.most <= _FRACTIONS_END:
            return "fractions"
        raise InputError(
            f"{name}: all coordinates of boxes are between {self.least:g} and {self.most:g}, so it is not "
            "certain whether they are pixels or fractions",
            "say which: --box-unit pixels or --box-unit fractions",
        )


def told_unit(unit: Unit, numbers: Extremes) -> str:
    """What is said of a unit that the numbers told."""
    what = "pixels" if unit == "pixels" else "fractions of the image's size"
    said = f"coordinates of boxes are {what}, by the numbers of the whole list"
    if unit == "pixels" and _LIKE_PERCENTS <= numbers.most <= 100 and numbers.count >= _SOME_BOXES:
        said += "; none is above 100: percents would have to be divided by 100"
    return said


@dataclass(frozen=True, slots=True)
class BoxColumns:
    """Where the boxes of a list are.

    Attributes:
      corners: four column numbers in the order of ``form``, or one that holds all four numbers.
      form: what the numbers are.
      size: columns of width and height of the image, or none.
      attributes: name of `ATTRIBUTES` -> column.
      unit, source_id: columns of a list of tfrec's own; None: no such column.
      note: what was taken for what, for a person to check.
      extremes: filled in while rows are read.
    """

    corners: tuple[int, ...]
    form: BoxFormat = "xyxy"
    size: tuple[int, int] | None = None
    attributes: Mapping[str, int] = field(default_factory=dict)
    unit: int | None = None
    source_id: int | None = None
    note: str = ""
    extremes: Extremes = field(default_factory=Extremes)

    @property
    def used(self) -> tuple[int, ...]:
        """All columns that are read."""
        return (*self.corners, *(self.size or ()), *self.attributes.values())


def find_box_columns(header: Sequence[str], form: str | None = None) -> BoxColumns | None:
    """The columns of boxes that a header names; None: it names none.

    Args:
      form: --box-format, which overrules what the names of the columns say.

    Raises:
      InputError: several columns could hold the same side; the columns are outlines, or those of a tool whose
        lists are not read.
    """
    words = columns_by_word(header)
    need_no_outlines(words)
    found = _corners(words, header)
    if found is None:
        return None
    corners, told = found
    if form is not None and form not in get_args(BoxFormat):
        raise ValueError(form)
    size_words = SIZE_WORDS if told in ("corners", "whole") else IMAGE_SIZE_WORDS
    sides = [columns_called(words, size_words[side]) for side in ("width", "height")]
    size = (sides[0][0], sides[1][0]) if all(len(columns) == 1 for columns in sides) else None
    default: BoxFormat = {"corners": "xyxy", "whole": "xywh", "extent": "xywh", "center": "center_xywh"}[told]  # type: ignore[assignment]
    taken = form or default
    columns = ", ".join(header[column] for column in corners)
    note = f"boxes are read from {columns}"
    if taken != "xyxy" or told != "corners":
        note += f" as {_FORM_NAMES[taken]}"
    attributes = {
        name: column
        for name, names in ATTRIBUTE_WORDS.items()
        for column in columns_called(words, names)[:1]
        if column not in corners
    }
    unit, source_id = (words[word][0] if word in words else None for word in OWN_WORDS)
    return BoxColumns(corners, taken, size, attributes, unit, source_id, note)  # type: ignore[arg-type]


_FORM_NAMES: Final = {
    "xyxy": "xmin, ymin, xmax, ymax",
    "yxyx": "ymin, xmin, ymax, xmax",
    "xywh": "xmin, ymin, width, height",
    "center_xywh": "centre x, centre y, width, height",
}


def _corners(words: Mapping[str, list[int]], header: Sequence[str]) -> tuple[tuple[int, ...], str] | None:
    for kind, table in (
        ("corners", FROM_ZERO),
        ("corners", CORNER_WORDS),
        ("center", CENTER_WORDS),
        ("extent", EXTENT_WORDS),
    ):
        sides = [columns_called(words, names) for names in table.values()]
        if all(sides) and len({columns[0] for columns in sides}) == 4:
            several = next((columns for columns in sides if len(columns) > 1), None)
            if several:
                named = ", ".join(header[column] for column in several)
                raise InputError(f"several columns could hold the same side of boxes: {named}", "rename some")
            return tuple(columns[0] for columns in sides), kind
    whole = columns_called(words, WHOLE_WORDS)
    return ((whole[0],), "whole") if len(whole) == 1 else None


BoxParser = Callable[[int, Sequence[str]], str]


def box_parser(columns: BoxColumns, attributes: Sequence[str]) -> BoxParser:
    """A function from (line, stripped fields) to the row's field of boxes; ``""`` stands for none there.

    It raises Rejected ``bad_box`` for a box that is none.

    Args:
      attributes: those of the schema, in whose order they are told.
    """
    told = [columns.attributes.get(name) for name in attributes]
    while told and told[-1] is None:
        told.pop()

    def parse(line: int, fields: Sequence[str]) -> str:
        image = _image_text(columns, fields)
        texts = _texts(columns, fields)
        if not any(texts):
            return image
        corners = corners_in_form(_numbers(texts), columns.form)
        if columns.unit is None or not fields[columns.unit]:
            _take(columns.extremes, corners)
        values = [
            "" if column is None else _attribute(attributes[at], fields[column])
            for at, column in enumerate(told)
        ]
        return image + box_text(line, map(repr, corners), values)

    return parse


_WHOLE: Final = re.compile(r"[0-9]{1,9}(?:,[0-9]{1,9})*")


def plain_box(line: int, texts: Sequence[str], extremes: Extremes) -> str:
    """A field of boxes for whole numbers, as `box_parser` makes it; empty when they are none.

    Args:
      texts: width and height of the image, where the list has them, then xmin, ymin, xmax and ymax.
    """
    joined = ",".join(texts)
    if _WHOLE.fullmatch(joined) is None or joined.count(",") >= len(texts):  # a field can hold a comma
        return ""
    *size, xmin, ymin, xmax, ymax = texts
    corners = (int(xmin), int(ymin), int(xmax), int(ymax))
    extremes.count += 1
    if max(corners) > extremes.most:
        extremes.most = max(corners)
    if min(corners) < extremes.least:
        extremes.least = min(corners)
    image = image_text(*size) if size else image_text()
    x0, y0, x1, y1 = corners
    return f"{image}{MARK}{line}{BETWEEN}{x0}.0{BETWEEN}{y0}.0{BETWEEN}{x1}.0{BETWEEN}{y1}.0"


def _image_text(columns: BoxColumns, fields: Sequence[str]) -> str:
    """What a row tells of its image."""
    if columns.size is None:
        return image_text()
    width, height = (_size(fields[column]) for column in columns.size)
    if columns.unit is None or columns.source_id is None:
        return image_text(width, height)
    source_id = fields[columns.source_id]
    return image_text(width, height, fields[columns.unit][:1], source_id if source_id.isdecimal() else "")


def _texts(columns: BoxColumns, fields: Sequence[str]) -> Sequence[str]:
    if len(columns.corners) == 4:
        return [fields[column] for column in columns.corners]
    text = fields[columns.corners[0]]
    if not text:
        return ()
    match = _NUMBERS.fullmatch(text)
    if match is None:
        raise Rejected(
            "bad_box", what=f"is {text[:_LONGEST_SHOWN]!r}, not four numbers as in [10, 20, 30, 40]"
        )
    return re.split(r"[\s,;]+", match[1])


def _numbers(texts: Sequence[str]) -> list[float]:
    numbers = []
    for text in texts:
        if _NUMBER.fullmatch(text) is None or not math.isfinite(float(text)):
            raise Rejected("bad_box", what=_no_number(text))
        numbers.append(float(text))
    return numbers


def _no_number(text: str) -> str:
    """A comma is never taken for a decimal point: `1,234` can be a thousand and more."""
    if not text:
        return "lacks a number"
    point = text.replace(",", ".")
    comma = f" (a comma for the decimal point? write {point})" if _NUMBER.fullmatch(point) else ""
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


def _take(extremes: Extremes, corners: tuple[float, float, float, float]) -> None:
    extremes.count += 1
    extremes.least = min(extremes.least, *corners)
    extremes.most = max(extremes.most, *corners)
    if not extremes.has_fraction:
        extremes.has_fraction = not all(map(float.is_integer, corners))


def _size(text: str) -> str:
    """Pixels; what is none is as good as not told."""
    return text if _NUMBER.fullmatch(text) else ""


def _attribute(name: str, text: str) -> str:
    """The text of an attribute; Open Images writes -1 for what nobody knows."""
    if not text or ATTRIBUTES[name] == "bytes":
        return text
    if name != "area":
        text = {"true": "1", "false": "0"}.get(text.lower(), text)
        if text not in ("0", "1", "-1"):
            raise Rejected("bad_value", column=name, what=f"is {text[:_LONGEST_SHOWN]!r}, not 0 or 1")
        return "" if text == "-1" else text
    if _NUMBER.fullmatch(text) is None:
        raise Rejected("bad_value", column=name, what=f"is {text[:_LONGEST_SHOWN]!r}, not a number")
    return text


# --- lists without a header ---


def is_retinanet(fields: Sequence[str]) -> bool:
    """Whether a row is one of a list for keras-retinanet: ``path,x1,y1,x2,y2,class``."""
    return len(fields) == 6 and all(map(_NUMBER.fullmatch, fields[1:5])) and not _NUMBER.fullmatch(fields[5])


def is_automl(fields: Sequence[str]) -> bool:
    """Whether the fields after the image are a label and a box of AutoML.

    Trailing blanks are gone already. Nine numbers without a point are labels of a list whose labels are
    numbers.
    """
    box = fields[1:]
    if len(box) == 6 and not (box[2] or box[3]):
        return all(map(_NUMBER.fullmatch, (*box[:2], *box[4:])))
    if len(box) != 8 or not all(map(_NUMBER.fullmatch, box)):
        return False
    return not _NUMBER.fullmatch(fields[0]) or any("." in field for field in box)


def box_of_automl(fields: Sequence[str]) -> list[str] | None:
    """The corners among the fields after the label: ``x,y,,,x,y,,`` or ``x,y,x,y,x,y,x,y``.

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
    return [repr(value) for value in (min(across), min(down), max(across), max(down))]
