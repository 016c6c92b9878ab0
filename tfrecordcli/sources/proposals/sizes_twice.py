"""Two sizes beside `x` and `y`, as tables that were joined have them: that of the image, and that of the box.

pandas calls the second of one name `width.1`, and those of two tables `width_x` and `width_y`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.boxes.fit import nearly_all
from tfrecordcli.sources.boxes.words import WHOLE_IMAGES
from tfrecordcli.sources.pandas_commands import with_names
from tfrecordcli.sources.proposals.table import Table

_BEGIN: Final = ("x", "y")
_SIZE: Final = ("width", "height")
_OF_IMAGE: Final = ("image_width", "image_height")
_SUFFIXES: Final = (("", ".1"), ("_x", "_y"))


def calling_sizes(header: Sequence[str], table: Table, name: str, delimiter: str) -> str:
    """A hint with the command that calls both sizes as they are read; empty where there are no such.

    A size is that of the boxes where these do not reach beyond the other one, and would the other way round.

    Args:
      header, table: the first rows.
      name, delimiter: of the list.
    """
    found = sizes_twice(header, table)
    if not found:
        return ""
    command = with_names({old: new for old, new in found.items() if old != new}, name, delimiter)
    of_boxes = " and ".join(old for old, new in found.items() if new in _SIZE)
    return (
        f"where {of_boxes} are those of boxes that begin at x, y, call them width and height, and the others "
        f"image_width and image_height{': ' * bool(command)}{command}; {WHOLE_IMAGES}"
    )


def sizes_twice(header: Sequence[str], table: Table) -> dict[str, str]:
    """Names of both sizes -> what they are to be called; none where it is not certain."""
    names = _as_pandas_has(header)
    words = [name.lower() for name in names]
    for suffixes in _SUFFIXES:
        sizes = [f"{word}{suffix}" for suffix in suffixes for word in _SIZE]
        if any(words.count(word) != 1 for word in (*_BEGIN, *sizes)) or not {*_OF_IMAGE}.isdisjoint(words):
            continue
        x, y, *columns = (words.index(word) for word in (*_BEGIN, *sizes))
        for order in (columns, [*columns[2:], *columns[:2]]):
            if _are_inside((x, y, *order), table):
                return dict(zip((names[i] for i in order), (*_OF_IMAGE, *_SIZE), strict=True))
    return {}


def _as_pandas_has(header: Sequence[str]) -> list[str]:
    """The names of columns, as pandas reads the second of one name."""
    return [f"{name}.1" if header[:i].count(name) == 1 else name for i, name in enumerate(header)]


def _are_inside(columns: Sequence[int], table: Table) -> bool:
    """Whether boxes are in their images, and would not be if the sizes were the other way round.

    Args:
      columns: of x, y, the size of the image, and that of the box.
    """
    texts = ([row[i] for i in columns] for row in table if max(columns) < len(row))
    told = [tuple(map(float, row)) for row in texts if all(map(NUMBER.fullmatch, row))]
    return nearly_all(starmap(_is_inside, told)) and not nearly_all(
        _is_inside(x, y, w, h, width, height) for x, y, width, height, w, h in told
    )


def _is_inside(x: float, y: float, width: float, height: float, w: float, h: float) -> bool:
    return min(x, y) >= -1 and min(w, h) > 0 and x + w <= width + 1 and y + h <= height + 1
