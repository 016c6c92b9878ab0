"""Boxes as databases write them, by two corners: PostgreSQL's `(67,33),(32,2)`, PostGIS's `BOX(32 2,67 33)`.

PostgreSQL has the upper right corner first, and the lower left one behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tfrecordcli.number_patterns import WRITTEN
from tfrecordcli.sources.pandas_commands import changed, literal

_POINT: Final = rf"\(\s*{WRITTEN}\s*,\s*{WRITTEN}\s*\)"
_BOX: Final = re.compile(
    rf"{_POINT}\s*,\s*{_POINT}|BOX\s*\(\s*{WRITTEN}\s+{WRITTEN}\s*,\s*{WRITTEN}\s+{WRITTEN}\s*\)",
    re.IGNORECASE | re.ASCII,
)


def are_two_points(fields: Sequence[str]) -> bool:
    """Whether all fields, of which there are some, are such boxes."""
    return bool(fields) and all(map(_BOX.fullmatch, fields))


def parted_points(column: str, name: str, delimiter: str) -> str:
    """A hint with the command that makes columns of corners of such fields; blank ones stay without.

    Args:
      column: that holds them.
      name, delimiter: of the list.
    """
    change = (
        rf's = t.pop({literal(column)}); p = s.str.findall(r"[-+]?[\d.][-+\d.eE]*"); '
        'bad = s[~p.str.len().isin([0, 4])]; assert bad.empty, f"no box: {bad.iloc[0]}"; '
        "p = [[*map(float, v)] for v in p]; "
        't["xmin ymin xmax ymax".split()] = [[min(v[::2]), min(v[1::2]), max(v[::2]), max(v[1::2])] '
        'if v else [""] * 4 for v in p]; t'
    )
    command = changed(name, delimiter, change, "boxes")
    return f"make columns of its corners{': ' * bool(command)}{command}"
