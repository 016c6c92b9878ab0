"""The boxes of a block of rows, column by column: as `tfrecordcli.sources.boxes.fields` reads each."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from operator import add
from typing import Final

from tfrecordcli.boxes import image_text
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.boxes.columns import BoxColumns, Extremes
from tfrecordcli.sources.boxes.fields import size_text

try:
    from tfrecordcli.sources import _boxes
except ImportError:  # built without a compiler
    _boxes = None  # type: ignore[assignment, unused-ignore]

_Numbers = Sequence[Sequence[float]]
_Texts = Sequence[Sequence[str]]

# Patterns are compiled where a list first needs them: to most commands they would be time lost.
# Without zeros before them, of so few digits that a float holds each number.
_WHOLE: Final = "0|[1-9][0-9]{0,8}"
# What repr() writes as it is, but for zeros at the end and a missing `.0`: at most 15 digits, all of which
# a float keeps (DBL_DIG in section 5.2.4.2.2 of C17), and none below 0.0001, where exponents begin.
_NOT_SMALL: Final = r"0(?!\.0000[0-9]*[1-9])"
_FRACTION: Final = rf"(?:{_NOT_SMALL}|[1-9])(?:\.[0-9]{{1,14}}+)?+"
_DECIMAL: Final = rf"-?(?:{_NOT_SMALL}|[1-9][0-9]{{0,4}}+)(?:\.[0-9]{{1,10}}+)?+"
# Of texts of these alone, float() takes just those that `NUMBER` does.
_OF_NUMBERS: Final = r"[0-9.+\-eE]*+"
_FOUR: Final = r"[\s,;]+".join([f"({NUMBER.pattern})"] * 4)
_FOUR_NUMBERS: Final = rf"[\[(]?\s*{_FOUR}\s*[\])]?"
# The same as most lists write it, all rows at once.
_PLAIN_FOUR: Final = "[ ,;]++".join([r"-?[0-9]++(?:\.[0-9]*+)?+"] * 4)
_PLAIN_FOUR_NUMBERS: Final = rf"[\[(]? *{_PLAIN_FOUR} *[\])]?"
_AROUND_NUMBERS: Final = str.maketrans(dict.fromkeys("[(,;)]", " "))
_MOST_KNOWN: Final = 10_000  # texts of whole numbers


def plain_boxes(
    lines: Sequence[int], boxes: BoxColumns, columns: _Texts, sizes: _Texts = ()
) -> list[str] | None:
    """Fields of boxes as `box_parser` makes them of rows without attributes; None: one takes a closer look.

    Args:
      lines: of the rows.
      boxes: what the numbers are; its extremes take them in.
      columns: texts of four numbers in the order of its form, column by column; or one column of all four.
      sizes: texts of width and height of the images, or none.
    """
    images = _images_of(*sizes) if sizes else [image_text()] * len(lines)
    if _boxes is None:
        corners = columns if len(columns) == 4 else _four_columns(columns[0])
        return _portable(images, lines, boxes, corners) if corners else None
    found = _boxes.fields_of_boxes(images, lines, tuple(columns), boxes.form)
    if found is None:
        return None
    fields, least, most, has_fraction, within_one = found
    boxes.extremes.take_counted(len(lines), least, most, has_fraction, within_one)
    return fields


def _images_of(widths: Sequence[str], heights: Sequence[str]) -> Sequence[str]:
    """What is told of the images by their sizes."""
    first = widths[0], heights[0]
    if (widths.count(first[0]), heights.count(first[1])) == (len(widths), len(heights)):
        return [_image_of(*first)] * len(widths)  # of one size, as in many lists
    return list(map(_image_of, widths, heights))


@lru_cache(maxsize=1024)
def _image_of(width: str, height: str) -> str:
    """What is told of an image by its size, of which most lists have few."""
    return image_text(size_text(width.strip()), size_text(height.strip()))


def _four_columns(texts: Sequence[str]) -> _Texts | None:
    """The numbers of texts of four, column by column; None: some text is not four numbers."""
    text = _fitting(texts, _PLAIN_FOUR_NUMBERS)
    if text is not None:
        numbers = text.translate(_AROUND_NUMBERS).split()
        return [numbers[side::4] for side in range(4)]
    four_numbers = re.compile(_FOUR_NUMBERS, re.ASCII)
    groups = [match.groups() for match in map(four_numbers.fullmatch, texts) if match]
    return list(zip(*groups, strict=True)) if len(groups) == len(texts) else None


def _portable(
    images: Sequence[str], lines: Sequence[int], boxes: BoxColumns, corners: _Texts
) -> list[str] | None:
    """As `fields_of_boxes`, without a compiler; the extremes have taken in what it found."""
    whole = _whole_corners(boxes, corners)
    # The marks of `tfrecordcli.boxes` stand here as they are: by their names each row takes 0.2 us more.
    if whole is not None:
        columns = zip(images, lines, *whole, strict=True)
        return [f"{image}\x1e{n}\x1f{a}.0\x1f{b}.0\x1f{c}.0\x1f{d}.0" for image, n, a, b, c, d in columns]
    texts = _decimal_corners(boxes, corners) or _other_corners(boxes, corners)
    if texts is None:
        return None
    columns = zip(images, lines, *texts, strict=True)
    return [f"{image}\x1e{n}\x1f{a}\x1f{b}\x1f{c}\x1f{d}" for image, n, a, b, c, d in columns]


def _fitting(texts: Sequence[str], pattern: str) -> str | None:
    """The texts as lines, if each fits the pattern."""
    text = "\n".join(texts)
    is_fit = re.fullmatch(rf"(?:{pattern})(?:\n(?:{pattern}))*+", text) and text.count("\n") < len(texts)
    return text if is_fit else None


def _whole_corners(boxes: BoxColumns, corners: _Texts) -> Sequence[Sequence[object]] | None:
    """The corners without the `.0` behind each; None: not all numbers are whole, or they may be halved."""
    if corners[0][0].endswith(".0"):
        corners = [[text.removesuffix(".0") for text in texts] for texts in corners]
    if boxes.form == "center_xywh" or not corners[0][0].isdecimal():
        return None
    if boxes.form != "xywh":
        return _reordered(corners, boxes.form) if _take_whole(boxes.extremes, corners) else None
    if any(_fitting(texts, _WHOLE) is None for texts in corners):
        return None
    x, y, width, height = (list(map(int, texts)) for texts in corners)
    ends = list(map(add, x, width)), list(map(add, y, height))
    boxes.extremes.take_counted(len(x), min(*x, *y), max(*ends[0], *ends[1]))
    return *corners[:2], *ends


def _take_whole(extremes: Extremes, corners: _Texts) -> bool:
    """Takes in boxes whose numbers are whole; False: not all are.

    Of boxes in pixels the same numbers come again and again, which is told faster than what they are.
    """
    known = extremes.whole
    new = set().union(*(texts for texts in corners if not known.issuperset(texts))) - known
    least, most = extremes.least, extremes.most
    if new:
        if _fitting(list(new), _WHOLE) is None:
            return False
        numbers = list(map(int, new))
        least, most = min(numbers), max(numbers)
        if len(known) > _MOST_KNOWN:
            known.clear()
        known |= new
    extremes.take_counted(len(corners[0]), least, most)
    return True


def _decimal_corners(boxes: BoxColumns, corners: _Texts) -> _Texts | None:
    """The corners as repr() writes them, by their texts alone; None: these do not tell it of all."""
    if boxes.form not in ("xyxy", "yxyx"):
        return None
    are_fractions = all(_fitting(texts, _FRACTION) is not None for texts in corners)
    if not are_fractions and any(_fitting(texts, _DECIMAL) is None for texts in corners):
        return None
    placed = _reordered(list(map(_as_repr, corners)), boxes.form)
    if are_fractions:
        boxes.extremes.take_fractions(placed)
    else:
        boxes.extremes.take_all([list(map(float, texts)) for texts in placed])
    return placed


def _as_repr(texts: Sequence[str]) -> list[str]:
    """Decimals with one digit at least behind their point, and no more zeros at the end than that."""
    if "".join(texts).count(".") < len(texts):
        texts = [text if "." in text else f"{text}.0" for text in texts]
    return [text if text[-1] != "0" or text[-2] == "." else _without_zeros(text) for text in texts]


def _without_zeros(text: str) -> str:
    text = text.rstrip("0")
    return f"{text}0" if text[-1] == "." else text


def _other_corners(boxes: BoxColumns, corners: _Texts) -> _Texts | None:
    """The corners as repr() writes them, of any numbers; None: some text is none, or a box is none."""
    numbers = _floats(corners)
    placed = numbers and _in_form(numbers, boxes.form)
    if not placed:
        return None
    boxes.extremes.take_all(placed)
    return [list(map(repr, each)) for each in placed]


def _floats(columns: _Texts) -> _Numbers | None:
    """The numbers; None: some text is none."""
    if not all(re.fullmatch(_OF_NUMBERS, "".join(texts)) for texts in columns):
        return None
    try:
        numbers = [list(map(float, texts)) for texts in columns]
    except ValueError:
        return None
    return numbers if all(all(map(math.isfinite, some)) for some in numbers) else None


def _reordered(corners: _Texts, form: str) -> _Texts:
    """In the order xmin, ymin, xmax, ymax, of forms in which corners are told."""
    return [corners[side] for side in (1, 0, 3, 2)] if form == "yxyx" else corners


def _in_form(numbers: _Numbers, form: str) -> _Numbers | None:
    """As `corners_in_form`, all at once; None: a width or height is negative."""
    a, b, c, d = numbers
    if form == "yxyx":
        return b, a, d, c
    if form == "xyxy":
        return numbers
    if min(*c, *d) < 0:
        return None
    if form == "xywh":
        return a, b, list(map(add, a, c)), list(map(add, b, d))
    sides = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for x, y, w, h in zip(*numbers, strict=True)]
    return list(zip(*sides, strict=True))
