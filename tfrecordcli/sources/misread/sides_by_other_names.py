"""Four columns of a box whose names are not read: rows and columns, a corner and steps, other languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tfrecordcli.errors import InputError
from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.option_parsing import is_asked_for
from tfrecordcli.sources.boxes.words import (
    CORNER_WORDS,
    WHOLE_IMAGES,
    as_word,
    columns_by_word,
    columns_called,
)
from tfrecordcli.sources.csv_file import RowFile
from tfrecordcli.sources.pandas_commands import with_names
from tfrecordcli.sources.sample import Sample

_CORNERS: Final = ("ymin", "xmin", "ymax", "xmax")
_EXTENT: Final = ("x", "y", "w", "h")
_BY_X: Final = ("xmin", "ymin", "xmax", "ymax")
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
# All four in one language: alone `haut`, `alto` and `Breite` say other things, too.
_LANGUAGES: Final = (
    (("links", "oben"), ("rechts", "unten"), (("breite", "höhe"), ("breite", "hoehe"), ("breite", "hohe"))),
    (("gauche", "haut"), ("droite", "bas"), (("largeur", "hauteur"),)),
    (("izquierda", "arriba"), ("derecha", "abajo"), (("ancho", "alto"), ("anchura", "altura"))),
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
    found = (_columns(sample, rows, words) for words in _ROWS_AND_COLUMNS)
    sides = [
        dict(zip(names, _CORNERS, strict=True))
        for names in filter(None, found)
        if all(a <= c and b <= d for a, b, c, d in _numbers(sample, names))
    ]
    if sides := [*sides, *_in_a_language(sample, rows)]:
        raise InputError(
            f"columns {', '.join(sides[0])} look like the sides of a box, and none of them is read",
            f"{_renamed(sides[0], sample, rows)}; {WHOLE_IMAGES}",
        )


def _in_a_language(sample: Sample, rows: RowFile) -> Iterator[dict[str, str]]:
    """Four columns that one language calls so, and that hold boxes -> what they are to be called.

    Sides are words for what an image shows, too: where arrows point, or as flags.
    """
    for begin, end, extents in _LANGUAGES:
        if names := _columns(sample, rows, (*begin, *end)):
            boxes = _numbers(sample, names)
            if _are_no_flags(boxes) and all(a < c and b < d for a, b, c, d in boxes):
                yield dict(zip(names, _BY_X, strict=True))
        for extent in extents:
            if names := _columns(sample, rows, (*begin, *extent)):
                boxes = _numbers(sample, names)
                if _are_no_flags(boxes) and all(min(box[2:]) > 0 for box in boxes):
                    yield dict(zip(names, _EXTENT, strict=True))


def _are_no_flags(boxes: Iterable[Iterable[float]]) -> bool:
    """Whether a number is neither 0 nor 1."""
    return any(number not in (0, 1) for box in boxes for number in box)


def told_steps(sample: Sample, rows: RowFile) -> Iterator[str]:
    """That four columns which are not read may be where a box begins and how far it reaches, or its sides."""
    for sides in _in_a_language(sample, rows):
        command = _renamed(sides, sample, rows)
        yield f"columns {', '.join(sides)} may be boxes, and are not read: if they are, {command}"
    words = columns_by_word(sample.shape.header)
    begins = [
        next((word for word in (side[0], *CORNER_WORDS[side]) if columns_called(words, [word])), "")
        for side in ("xmin", "ymin")
    ]
    found = [names for steps in _STEPS if (names := _columns(sample, rows, (*begins, *steps)))]
    likely = [names for names in found if all(min(row[2:]) > 0 for row in _numbers(sample, names))]
    if likely:
        # Of two sizes that of the image is the larger one.
        names = min(likely, key=lambda some: sum(sum(row[2:]) for row in _numbers(sample, some)))
        command = _renamed(dict(zip(names, _EXTENT, strict=True)), sample, rows)
        yield f"columns {', '.join(names)} may be boxes, and are not read: if they are, {command}"


def _columns(sample: Sample, rows: RowFile, words: Sequence[str]) -> list[str]:
    """The columns of these names that are not read and hold numbers, of which none is below 0; else none."""
    options = rows.options
    unread = sample.unread(lambda name: name != options.split_by and not is_asked_for(name, options.features))
    names = {as_word(name): name for name, fields in unread.items() if _are_numbers(fields)}
    return [names[word] for word in words] if names.keys() >= set(words) and len(set(words)) == 4 else []


def _are_numbers(fields: Sequence[str]) -> bool:
    told = [field for field in fields if field]
    return bool(told) and all(NUMBER.fullmatch(field) and float(field) >= 0 for field in told)


def _numbers(sample: Sample, names: Sequence[str]) -> list[list[float]]:
    """The numbers of rows that have all four."""
    texts = zip(*(sample.fields(sample.shape.header.index(name)) for name in names), strict=False)
    return [list(map(float, row)) for row in texts if all(row)]


def _renamed(sides: Mapping[str, str], sample: Sample, rows: RowFile) -> str:
    """The command that calls columns as the sides of a box are called.

    Args:
      sides: name of a column -> what it is to be called.
    """
    others = {name: side for name, side in sides.items() if name != side}
    command = with_names(others, rows.name, sample.shape.delimiter)
    return f"call them {', '.join(sides.values())}{': ' * bool(command)}{command}"
