"""Four columns of a box whose names are not read: rows and columns, a corner and steps, other languages."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.sources.boxes.words import CORNER_WORDS, columns_by_word, columns_called
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.proposals.sides_by_words import (
    EXTENT,
    Box,
    called_so,
    four_called,
    have_extent,
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
        for names, _ in (four_called(unread, words, _are_corners) for words in _ROWS_AND_COLUMNS)
        if names
    ]
    if sides := [*sides, *sides_by_words(unread)]:
        raise InputError(*refused_sides(sides[0], *_place(sample, unread, rows)))


def told_steps(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That four columns which are not read may be where a box begins and how far it reaches, or its sides."""
    unread = _unread(sample, rows)
    words = columns_by_word(sample.shape.header)
    begins = [
        next((word for word in (side[0], *CORNER_WORDS[side]) if columns_called(words, [word])), "")
        for side in ("xmin", "ymin")
    ]
    found = [four_called(unread, (*begins, *steps), have_extent) for steps in _STEPS]
    # Of two sizes that of the image is the larger one.
    likely = sorted(filter(all, found), key=lambda some: sum(sum(box[2:]) for box in some[1]))
    steps = [dict(zip(names, EXTENT, strict=True)) for names, _ in likely[:1]]
    for sides in (*sides_by_words(unread), *steps):
        command = called_so(sides, *_place(sample, unread, rows))
        yield f"columns {', '.join(sides)} may be boxes, and are not read: if they are, {command}"


def _are_corners(box: Box) -> bool:
    top, left, bottom, right = box
    return top <= bottom and left <= right


def _place(
    sample: Sample, unread: Collection[str], rows: RowFile
) -> tuple[Sequence[str], Collection[str], str, str]:
    """What the command that renames columns is told of their list."""
    return sample.shape.header, unread, rows.name, sample.shape.delimiter


def _unread(sample: Sample, rows: RowFile) -> dict[str, list[str]]:
    """The columns that nothing is made of, by their names."""
    options = rows.options
    return sample.unread(lambda name: name != options.split_by and not is_asked_for(name, options.features))
