"""Four columns of a box that are called by numbers, and what calls them as sides of boxes are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.boxes.fields import is_null
from tfrecordcli.sources.boxes.unread_columns import BOX_WORDS, is_called
from tfrecordcli.sources.pandas_commands import literal, with_names

_NUMBERED: Final = re.compile(r"(.*?)[ _.\-\[(]*([0-4])[\])]?")  # bbox_0, bbox[1]
_SIDES: Final = ("xmin", "ymin", "xmax", "ymax")


def numbered_box(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """Four of these, as `bbox_0` to `bbox_3`, or `box1` to `box4`, that hold numbers or nothing; else none.

    Args:
      columns: fields by the name of their column.
    """
    stems: dict[str, list[str]] = {}
    for name, fields in columns.items():
        told = [field for field in fields if field and not is_null(field)]
        is_one = _NUMBERED.fullmatch(name) and is_called(name, BOX_WORDS)
        if told and is_one and all(map(NUMBER.fullmatch, told)):
            stems.setdefault(_NUMBERED.sub(r"\1", name), []).append(name)
    for names in map(sorted, stems.values()):
        if "".join(_NUMBERED.sub(r"\2", name) for name in names) in ("0123", "1234"):
            return names
    return []


def renamed_numbers(columns: Mapping[str, Iterable[str]], name: str, delimiter: str) -> str:
    """A hint with the command that calls four columns as corners are called, and empties words for no value.

    Args:
      columns: their fields by their names, in the order of their numbers.
      name, delimiter: of the list.
    """
    nulls = sorted({field for fields in columns.values() for field in fields if is_null(field)})
    sides, words = (", ".join(map(literal, each)) for each in (_SIDES, nulls))
    change = f'k = [{sides}]; t[k] = t[k].replace([{words}], ""); '
    command = with_names(dict(zip(columns, _SIDES, strict=True)), name, delimiter, change if nulls else "")
    return (
        f"call them {', '.join(_SIDES)}{': ' * bool(command)}{command}, and convert that with --box-format "
        "xyxy where they are xmin, ymin, xmax, ymax, --box-format yxyx where they are ymin, xmin, ymax, xmax "
        "(as bbox-0 to bbox-3 of scikit-image), or xywh where the last two are width and height"
    )
