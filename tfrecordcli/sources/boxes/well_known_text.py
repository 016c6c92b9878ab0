"""Outlines as databases of maps write them, in OGC's well-known text: `POLYGON ((45 85.25, 64.5 82, …))`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.pandas_commands import changed, literal

_SHAPE: Final = re.compile(
    r"(?:SRID=\d+;)?(?:MULTI)?POLYGON\s*(?:ZM?|M)?\s*(?:\([-+\d.eE\s,()]*\)|(EMPTY))",
    re.IGNORECASE | re.ASCII,
)
_POINT: Final = re.compile(r"([-+\d.eE]+)\s+([-+\d.eE]+)[^,()]*")
# A list may have them on the image and on earth: in degrees, or in meters from some place far away.
_ON_IMAGE: Final = re.compile("pix", re.IGNORECASE)
_LARGEST: Final = 65_535  # pixels, the longest side of a JPEG
_SMALLEST: Final = 2  # pixels, the longer side of most outlines


def column_of_shapes(columns: Mapping[str, Sequence[str]]) -> str:
    """The column of such outlines that are in pixels, by its name or its numbers; empty: there is none.

    Args:
      columns: fields by name.
    """
    found = [name for name, fields in columns.items() if are_shapes(fields)]
    called = next(filter(_ON_IMAGE.search, found), "")
    return called or next((name for name in found if _may_be_pixels(columns[name])), "")


def are_shapes(fields: Iterable[str]) -> bool:
    """Whether fields, but for those that are empty, are such outlines."""
    matches = [_SHAPE.fullmatch(field) for field in fields if field]
    return all(matches) and any(match is not None and not match[1] for match in matches)


def _may_be_pixels(fields: Iterable[str]) -> bool:
    """Whether numbers of outlines are none of places on earth."""
    shapes = [
        [
            (float(x), float(y))
            for x, y in _POINT.findall(field)
            if NUMBER.fullmatch(x) and NUMBER.fullmatch(y)
        ]
        for field in fields
    ]
    shapes = [points for points in shapes if points]
    sides = [max(max(side) - min(side) for side in zip(*points, strict=True)) for points in shapes]
    are_within = all(0 <= number <= _LARGEST for points in shapes for point in points for number in point)
    return are_within and 2 * sum(side >= _SMALLEST for side in sides) > len(sides)


def around_shapes(column: str, name: str, delimiter: str) -> str:
    """A hint with the command that writes the rectangle around each outline; empty ones stay without.

    Args:
      column: that holds them.
      name, delimiter: of the list.
    """
    change = (
        f'p = t.pop({literal(column)}).str.findall(r"([-+\\d.eE]+)\\s+([-+\\d.eE]+)[^,()]*"); '
        "o = ((min, 0), (min, 1), (max, 0), (max, 1)); "
        't["xmin ymin xmax ymax".split()] = '
        '[[f(float(q[k]) for q in s) if s else "" for f, k in o] for s in p]; t'
    )
    command = changed(name, delimiter, change, "boxes")
    return f"write the rectangle around each, where they are in pixels{': ' * bool(command)}{command}"
