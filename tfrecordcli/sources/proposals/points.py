"""Points and circles that columns of numbers tell, one in each image: no such number alone is a label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.words import (
    BOX_ROWS,
    CIRCLE_CENTERS,
    DIAMETERS,
    RADII,
    columns_by_word,
    columns_called,
)
from tfrecordcli.sources.pandas_commands import changed, literal
from tfrecordcli.sources.proposals.table import Table, column_of
from tfrecordcli.units import join_names

_PAIRS: Final = (
    *zip(CIRCLE_CENTERS["x"], CIRCLE_CENTERS["y"], strict=True),
    ("col", "row"), ("column", "row"), ("xpos", "ypos"), ("posx", "posy"), ("xcoord", "ycoord"),
    ("coordx", "coordy"), ("xpixel", "ypixel"), ("pixelx", "pixely"), ("pointx", "pointy"), ("px", "py"),
)  # fmt: skip
_FLAGS: Final = 2  # values that a class may have beside a number


def point_columns(header: Sequence[str], table: Table) -> list[int]:
    """The columns of a point, or of a circle, in each image; none where they do not hold many numbers.

    Args:
      header, table: the first rows.
    """
    words = columns_by_word(header)
    for pair in _PAIRS:
        found = [column for word in pair for column in words.get(word, ())]
        if len(found) == len(pair) and all(_are_places(column_of(table, i)) for i in found):
            radius = columns_called(words, (*RADII, *DIAMETERS))
            is_circle = len(radius) == 1 and not {"g", "b"} <= words.keys()
            return [*found, *(i for i in radius if is_circle and _are_numbers(column_of(table, i)))]
    return []


def _are_places(fields: Sequence[str]) -> bool:
    return _are_numbers(fields) and len({*fields}) > _FLAGS


def _are_numbers(fields: Sequence[str]) -> bool:
    return bool(fields) and all(map(NUMBER.fullmatch, fields))


def storing_all(options: str, names: Sequence[str]) -> str:
    """The options that store all numbers of a point or circle, the last as the number to predict.

    Args:
      options: that name the columns, the last of these as the label.
      names: of these columns.
    """
    return f"{options} {command_line(['--task', 'regression', '--features', join_names(names[:-1])])}"


def around_objects(
    header: Sequence[str], table: Table, columns: Sequence[int], name: str, delimiter: str
) -> str:
    """What makes boxes of circles, behind other ways; empty for points, and for circles in fractions.

    Args:
      header, table: the first rows.
      columns: that `point_columns` found.
      name, delimiter: of the list.
    """
    numbers = [float(field) for i in columns for field in column_of(table, i)]
    if len(columns) == 2 or max(numbers) <= 1:
        return ""
    names = [header[i] for i in columns]
    return f"; where circles are around objects, {squares_around(names, name, delimiter)}"


def squares_around(
    names: Sequence[str], name: str, delimiter: str, *, is_diameter: bool | None = None
) -> str:
    """The command that writes the sides of the square around each circle in place of it.

    Args:
      names: of the columns of its centre and its radius.
      name, delimiter: of the list.
      is_diameter: whether the last has diameters; None: its name says it.
    """
    if is_diameter is None:
        is_diameter = not columns_called(columns_by_word(names), RADII)
    x, y, radius = map(literal, names)
    part = " / 2" if is_diameter else ""
    change = (
        f"x, y, r = (pd.to_numeric(t.pop(c)) for c in [{x}, {y}, {radius}]); "
        f"t.assign(xmin=x - r{part}, ymin=y - r{part}, xmax=x + r{part}, ymax=y + r{part})"
    )
    command = changed(name, delimiter, change, "boxes")
    return f"write the square around each: {command}" if command else BOX_ROWS
