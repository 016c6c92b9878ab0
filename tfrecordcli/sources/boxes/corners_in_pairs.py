"""Two columns with a corner of a box in each, as Python prints it: `(5, 4)`, `(np.int32(5), np.int32(4))`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.pandas_commands import changed, literal

_NUMBER: Final = rf"(?:np\.[a-z0-9]+\(\s*{WRITTEN}\s*\)|{WRITTEN})"
_POINT: Final = re.compile(rf"[(\[]\s*{_NUMBER}\s*,\s*{_NUMBER}\s*[)\]]", re.ASCII)
# All that columns of corners are called after, and what says that they are: the left eye, the right corner
# and the lowest of two values are none.
_ROWS: Final = frozenset(("top", "bottom", "upper", "lower"))
_SIDES: Final = frozenset(("left", "right"))
_CORNERS: Final = frozenset(("tl", "tr", "bl", "br"))
_ENDS: Final = frozenset(("min", "max", "corner"))
_PLACES: Final = frozenset(("corner", "point", "pt", "p", "xy", "coord", "coords", "box", "bbox"))
_WORDS: Final = _ROWS | _SIDES | _CORNERS | _ENDS | _PLACES
_PARTS: Final = re.compile("[a-z]+")
_BOX: Final = 2  # corners


def corners_in_pairs(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """The names of the two columns of corners; none where there are others than two.

    Args:
      columns: fields by name.
    """
    found = [name for name, fields in columns.items() if _is_called(name) and _are_points(fields)]
    return found if len(found) == _BOX else []


def _is_called(name: str) -> bool:
    parts = {*_PARTS.findall(re.sub("([a-z])([A-Z])", r"\1 \2", name).lower())}
    is_end = bool(parts & _ENDS and parts & _PLACES) and not parts & (_ROWS | _SIDES)
    return parts <= _WORDS and bool(is_end or parts & _CORNERS or (parts & _ROWS and parts & _SIDES))


def _are_points(fields: Sequence[str]) -> bool:
    told = [field for field in fields if field]
    return bool(told) and all(map(_POINT.fullmatch, told))


def parted_corners(names: Sequence[str], name: str, delimiter: str) -> str:
    """A hint with the command that makes four columns of both; empty where the list is no file.

    Args:
      names: of the two columns.
      name, delimiter: of the list.
    """
    change = (
        'f = lambda c: t.pop(c).str.replace("np[.][a-z0-9]+", "", regex=True)'
        f'.str.extract(r"({WRITTEN})[^0-9.-]+({WRITTEN})").apply(pd.to_numeric); '
        f"a, b = f({literal(names[0])}), f({literal(names[1])}); "
        't[["xmin", "ymin"]], t[["xmax", "ymax"]] = a.where(a < b, b), a.where(a > b, b); t'
    )
    command = changed(name, delimiter, change, "boxes")
    return f"make columns of the four numbers: {command}" if command else "make columns of the four numbers"
