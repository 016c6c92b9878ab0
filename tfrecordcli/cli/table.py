"""Tables for people: a first column of names, then right-aligned figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click


def aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """The lines of a table; the first row is its head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        line = "  " + "  ".join(cells).rstrip()
        yield click.style(line, dim=True) if number == 0 else line
