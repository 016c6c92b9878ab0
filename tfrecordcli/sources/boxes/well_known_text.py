"""Outlines as databases of maps write them, in OGC's well-known text: `POLYGON ((45 85.25, 64.5 82, …))`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tfrecordcli.sources.pandas_commands import changed, literal

_SHAPE: Final = re.compile(
    r"(?:MULTI)?POLYGON\s*(?:ZM?|M)?\s*(?:\([-+\d.eE\s,()]*\)|(EMPTY))", re.IGNORECASE | re.ASCII
)
# A list may have them on the image and on earth.
_ON_IMAGE: Final = re.compile("pix", re.IGNORECASE)


def column_of_shapes(columns: Mapping[str, Sequence[str]]) -> str:
    """The column of such outlines, that of pixels if one is called so; empty where there is none.

    Args:
      columns: fields by name.
    """
    found = [name for name, fields in columns.items() if _are_shapes(fields)]
    return next(filter(_ON_IMAGE.search, found), "".join(found[:1]))


def _are_shapes(fields: Sequence[str]) -> bool:
    matches = [_SHAPE.fullmatch(field) for field in fields if field]
    return all(matches) and any(match is not None and not match[1] for match in matches)


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
