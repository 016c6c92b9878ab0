"""Tables for people: a first column of names, then right-aligned figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

# Columns of a terminal that nobody made wider.
_WIDTH = 80


def aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """The lines of a table; the first row is its head. Where it would be too wide, columns move closer."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    gap = "  " if sum(widths) + 2 * len(widths) <= _WIDTH else " "
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        line = "  " + gap.join(cells).rstrip()
        yield click.style(line, dim=True) if number == 0 else line
