"""Four columns of a box whose names are not read: rows and columns, a corner and steps, other languages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.sources.boxes.words import CORNER_WORDS, columns_by_word, columns_called
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.sides_by_words import (
    EXTENT,
    called_so,
    four_of_numbers,
    numbers_of,
    refused_sides,
    sides_by_words,
)
from tfrecordcli.sources.sample import Sample

_CORNERS: Final = ("ymin", "xmin", "ymax", "xmax")
_ROWS_AND_COLUMNS: Final = (
    ("minrow", "mincol", "maxrow", "maxcol"),
    ("rowmin", "colmin", "rowmax", "colmax"),
    ("startrow", "startcol", "endrow", "endcol"),
    ("rowstart", "colstart", "rowend", "colend"),
    ("minr", "minc", "maxr", "maxc"),
    ("rmin", "cmin", "rmax", "cmax"),
    ("row1", "col1", "row2", "col2"),
    ("row0", "col0", "row1", "col1"),
    ("r1", "c1", "r2", "c2"),
    ("r0", "c0", "r1", "c1"),
)
# Of the size of a box beside its beginning; pandas writes `_x` and `_y` behind names that two tables have.
_STEPS: Final = (
    ("dx", "dy"), ("deltax", "deltay"), ("xsize", "ysize"), ("sizex", "sizey"), ("xlen", "ylen"),
    ("lengthx", "lengthy"), ("xlength", "ylength"), ("xwidth", "yheight"),
    ("widthy", "heighty"), ("widthx", "heightx"), ("wy", "hy"), ("wx", "hx"),
)  # fmt: skip


def need_no_rows_and_columns(sample: Sample, rows: RowFile) -> None:
    """Refuses four columns not read, called as scikit-image or German calls sides: `min_row`, …; `links`, ….

    Raises:
      InputError: with the command that calls them as corners are called.
    """
    unread = _unread(sample, rows)
    sides = [
        dict(zip(names, _CORNERS, strict=True))
        for names in (four_of_numbers(unread, words) for words in _ROWS_AND_COLUMNS)
        if names and all(a <= c and b <= d for a, b, c, d in numbers_of(unread, names))
    ]
    if sides := [*sides, *sides_by_words(unread)]:
        raise InputError(*refused_sides(sides[0], rows.name, sample.shape.delimiter))


def told_steps(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That four columns which are not read may be where a box begins and how far it reaches, or its sides."""
    unread = _unread(sample, rows)
    words = columns_by_word(sample.shape.header)
    begins = [
        next((word for word in (side[0], *CORNER_WORDS[side]) if columns_called(words, [word])), "")
        for side in ("xmin", "ymin")
    ]
    found = [names for steps in _STEPS if (names := four_of_numbers(unread, (*begins, *steps)))]
    likely = [names for names in found if all(min(row[2:]) > 0 for row in numbers_of(unread, names))]
    # Of two sizes that of the image is the larger one.
    likely.sort(key=lambda some: sum(sum(row[2:]) for row in numbers_of(unread, some)))
    steps = [dict(zip(names, EXTENT, strict=True)) for names in likely[:1]]
    for sides in (*sides_by_words(unread), *steps):
        command = called_so(sides, rows.name, sample.shape.delimiter)
        yield f"columns {', '.join(sides)} may be boxes, and are not read: if they are, {command}"


def _unread(sample: Sample, rows: RowFile) -> dict[str, list[str]]:
    """The columns that nothing is made of, by their names."""
    options = rows.options
    return sample.unread(lambda name: name != options.split_by and not is_asked_for(name, options.features))
