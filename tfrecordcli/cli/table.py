"""Tables for people: a first column of names, then right-aligned figures."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

import click

from tfrecordcli.cli.output import terminal_width

_LEAST = 20  # columns that names get however narrow the terminal is


def aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """The lines of a table; the first row is its head.

    In a table that does not fit the terminal columns move closer, then long names go on below.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    gap = "  " if sum(widths) + 2 * len(widths) <= terminal_width() else " "
    room = terminal_width() - 2 - sum(len(gap) + width for width in widths[1:])
    widths[0] = min(widths[0], max(room, _LEAST))
    for number, row in enumerate(rows):
        name, *more = textwrap.wrap(row[0], widths[0]) or [""]
        cells = [name.ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        line = "  " + gap.join(cells).rstrip()
        yield click.style(line, dim=True) if number == 0 else line
        yield from (f"    {rest}" for rest in more)
