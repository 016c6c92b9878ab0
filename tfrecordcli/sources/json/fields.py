"""Values of JSON as readers of lists need them: numbers that are numbers, names that are text."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from typing import Any, Final

from tfrecordcli.dataset.labels import has_control_characters
from tfrecordcli.formats.typed_json import encodable, shown
from tfrecordcli.number_patterns import WRITTEN_NUMBER
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.fields import corners_in_form
from tfrecordcli.sources.json.inner_keys import leaves_of

Corners = tuple[float, float, float, float]

# Corners of a box that has none: its image has a problem that says why.
NO_CORNERS: Final[Corners] = (math.nan, math.nan, math.nan, math.nan)


def as_number(value: Any) -> float:
    """A finite number, also one that stands in quotes.

    Raises:
      ValueError: it is none; its text is the value.
    """
    is_number = type(value) in (int, float) or (type(value) is str and WRITTEN_NUMBER.fullmatch(value))
    try:
        number = float(value) if is_number else math.nan
    except OverflowError:  # an integer beyond a float
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(as_shown(value))
    return number


def as_size(value: Any) -> int | None:
    """Pixels of a side, or None where a list has 0, nothing, or what is no whole number."""
    try:
        number = as_number(value)
    except ValueError:
        return None
    return int(number) if number == int(number) and 0 < number < 2**31 else None


def as_id(value: Any) -> int | str | None:
    """A whole number (1.0 is 1) or text that is not empty; None for anything else."""
    if type(value) is int or (type(value) is str and value):
        return value
    return int(value) if type(value) is float and value.is_integer() else None


def as_name(value: Any) -> str:
    """The name that text or a whole number is, without outer blanks; empty for anything else."""
    if type(value) is str:
        return value.strip()
    return str(value) if type(value) is int else ""


def as_path(value: Any, what: str) -> tuple[str, Rejected | None]:
    """(image URI, why it cannot be used) of what should be one; ``what`` is its key, as a message begins."""
    if type(value) is not str or not value.strip():
        return "", Rejected("no_image_uri")
    path = encodable(value).strip()
    if not is_unicode(value):
        return path, Rejected("bad_annotation", detail=f"{what} holds half of a character: {as_shown(value)}")
    return path, None


def as_label(value: Any, what: str) -> str:
    """The name of a label, also one that is a number.

    Raises:
      Rejected: it is neither text nor a number, or no name can have its characters.
    """
    label = as_name(value) or (repr(value) if type(value) is float and math.isfinite(value) else "")
    if not label:
        found = "missing" if value is None else as_shown(value)
        raise Rejected("bad_annotation", detail=f"{what} is {found}, where a name is needed")
    if has_control_characters(label):
        raise Rejected("control_character", field="label")
    if not is_unicode(label):
        raise Rejected("bad_annotation", detail=f"{what} holds half of a character: {as_shown(value)}")
    return label


def as_shown(value: Any) -> str:
    """A value as the list has it, cut where it is long."""
    return shown(json.dumps(value))


def is_unicode(text: str) -> bool:
    """Whether text has no half of a character, which no UTF-8 can hold."""
    return text.isprintable() or encodable(text) == text


def further_of(fields: Mapping[str, Any], known: Collection[str] = ()) -> dict[str, Any]:
    """Further fields as they are, but for halves of characters: those of objects under ``name.field``.

    Where a key of the list is called like such a field, an object stands for both.
    """
    found: dict[str, Any] = {}
    for name, value in leaves_of({key: fields[key] for key in fields if key not in known}):
        key = encodable(name)
        if key not in known:
            found[key] = {} if key in found else _encodable(value)
    return found


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return encodable(value)
    return [_encodable(each) for each in value] if isinstance(value, list) else value


def corners_in(numbers: Any, what: str, box_format: BoxFormat) -> Corners:
    """The corners (xmin, ymin, xmax, ymax) of a box in one of the formats.

    Args:
      numbers: as JSON has them.
      what: the box, as a message begins.

    Raises:
      Rejected: they are not four numbers, or a width or height is negative.
    """
    try:
        given = four_numbers(numbers, what)
        try:
            corners = corners_in_form(given, box_format)
        except Rejected as problem:
            raise Rejected("bad_box", what=f"{what} {problem.details['what']}") from None
        return need_finite(corners, what)
    except Rejected as problem:
        raise unread(problem, numbers, box_format) from None


def unread(problem: Rejected, numbers: Any, box_format: BoxFormat = "xyxy") -> Rejected:
    """Why a box cannot be read, with what the list has for its corners: `written_in` finds it."""
    return Rejected(problem.code, **problem.details | {"written": _texts_written(numbers, box_format)})


def written_in(problem: Rejected, element: Any) -> tuple[str, ...]:
    """What a list has for the corners of a box that cannot be read; else the whole of it."""
    written = problem.details.get("written")
    return written if isinstance(written, tuple) else (as_shown(element),)


def _texts_written(numbers: Any, box_format: BoxFormat) -> tuple[str, ...]:
    if not isinstance(numbers, list) or any(isinstance(each, (dict, list)) for each in numbers):
        return (as_shown(numbers),)
    texts = tuple(as_shown(each).strip('"') for each in numbers)
    if box_format != "xyxy" or len(texts) != 4:
        return (" ".join(texts),)
    return tuple("" if each is None else text for each, text in zip(numbers, texts, strict=True))


def four_numbers(numbers: Any, what: str) -> Corners:
    """Four numbers as they are.

    Raises:
      Rejected: they are something else.
    """
    if type(numbers) is not list:
        raise Rejected("bad_box", what=f"{what} is {as_shown(numbers)}, not four numbers")
    if len(numbers) != 4:
        more = " (rotated boxes are not read)" if len(numbers) == 5 else ""
        raise Rejected("bad_box", what=f"{what} has {len(numbers)} numbers, not four{more}")
    try:
        first, second, third, fourth = map(as_number, numbers)
    except ValueError as error:
        raise Rejected("bad_box", what=f"{what} has {error} where a number is needed") from None
    return first, second, third, fourth


def need_finite(corners: Corners, what: str) -> Corners:
    """The same corners.

    Raises:
      Rejected: their sums are beyond a float.
    """
    if not all(map(math.isfinite, corners)):
        raise Rejected("bad_box", what=f"{what} reaches beyond any number")
    return corners
