"""Four columns of a box that are called by words of one language: `links`, `oben`, …, or `min_row`, …."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.boxes.fields import stand_for_none
from tfrecordcli.sources.boxes.words import WHOLE_IMAGES, as_word
from tfrecordcli.sources.pandas_commands import with_names

Box = tuple[float, ...]
_Columns = Mapping[str, Sequence[str]]
EXTENT: Final = ("x", "y", "w", "h")
_CORNERS: Final = ("xmin", "ymin", "xmax", "ymax")
_SIDES: Final = 4
_COMMA: Final = re.compile(r"(?<=[0-9]),(?=[0-9]+$)")  # the only one of a number
# Share of rows with numbers that are boxes: one may be without an extent, or not known.
_NEARLY_ALL: Final = 0.8
# A corner in all languages, which is a point beside columns of something else.
_ANYWHERE: Final = ("x", "y")
# All four in one language: alone `haut`, `alto` and `Breite` say other things, too.
_LANGUAGES: Final = (
    (("links", "oben"), ("rechts", "unten"), (("breite", "höhe"), ("breite", "hoehe"), ("breite", "hohe"))),
    (("gauche", "haut"), ("droite", "bas"), (("largeur", "hauteur"),)),
    (("izquierda", "arriba"), ("derecha", "abajo"), (("ancho", "alto"), ("anchura", "altura"))),
    (_ANYWHERE, (), (("breite", "höhe"), ("breite", "hoehe"), ("breite", "hohe"), ("largeur", "hauteur"))),
    (_ANYWHERE, (), (("ancho", "alto"), ("anchura", "altura"))),
    (("left", "up"), ("right", "down"), ()),
    (("l", "t"), ("r", "b"), ()),
)

_UPRIGHT: Final = ("ymin", "xmin", "ymax", "xmax")
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


def sides_by_words(columns: _Columns) -> Iterator[dict[str, str]]:
    """Four columns called so by one language or scikit-image that hold boxes -> what they are to be called.

    Sides are words for what an image shows, too: where arrows point, or as flags; and for the sheet that it
    is on, the same in each row.

    Args:
      columns: names of those that may be such -> the field of each row.
    """
    for words in _ROWS_AND_COLUMNS:
        names, _ = four_called(columns, words, _are_rows_and_columns)
        if names:
            yield dict(zip(names, _UPRIGHT, strict=True))
    for begin, end, extents in _LANGUAGES:
        kinds = [(_CORNERS, end, are_corners), *((EXTENT, extent, have_extent) for extent in extents)]
        for sides, others, are_sides in kinds:
            names, boxes = four_called(columns, (*begin, *others), are_sides)
            is_one = len(boxes) > 1 and len({*boxes}) == 1
            if begin == _ANYWHERE and not _are_neighbours(names, columns):
                continue
            if not is_one and any(number not in (0, 1) for box in boxes for number in box):
                yield dict(zip(names, sides, strict=True))


def four_called(
    columns: _Columns, words: Sequence[str], are_sides: Callable[[Box], bool]
) -> tuple[list[str], list[Box]]:
    """The columns of these names, if they are four, and boxes, if nearly all rows of numbers are; else none.

    Args:
      are_sides: whether four numbers, of which none is below 0, are those of a box.
    """
    names = {as_word(name): name for name in columns}
    if not names.keys() >= {*words} or len({*words}) != _SIDES:
        return [], []
    four = [names[word] for word in words]
    table = zip(*(columns[name] for name in four), strict=False)
    rows = [list(map(_number, row)) for row in table if not stand_for_none(row)]
    told = [row for row in rows if any(row)]
    whole = (tuple(float(match[0]) for match in row if match) for row in told)
    boxes: list[Box] = [box for box in whole if len(box) == _SIDES and min(box) >= 0 and are_sides(box)]
    return (four, boxes) if boxes and len(boxes) >= _NEARLY_ALL * len(told) else ([], [])


def _are_neighbours(names: Sequence[str], columns: Collection[str]) -> bool:
    """Whether columns stand side by side in this order."""
    places = [[*columns].index(name) for name in names]
    return places == [*range(places[0], places[0] + len(places))] if places else False


def _number(field: str) -> re.Match[str] | None:
    """A number, which may have a comma for its point: that is told once columns are read."""
    return NUMBER.fullmatch(_COMMA.sub(".", field))


def have_extent(box: Box) -> bool:
    """Whether the last two numbers are a width and a height."""
    return min(box[2:]) > 0


def _are_rows_and_columns(box: Box) -> bool:
    top, left, bottom, right = box
    return top <= bottom and left <= right


def are_corners(box: Box) -> bool:
    """Whether four numbers are xmin, ymin, xmax, ymax of a box with an area."""
    left, top, right, bottom = box
    return left < right and top < bottom


def refused_sides(
    sides: Mapping[str, str], header: Sequence[str], unread: Collection[str], name: str, delimiter: str
) -> tuple[str, str]:
    """What is said of such columns, and what to do; args as of `called_so`."""
    what = f"columns {', '.join(sides)} look like the sides of a box, and none of them is read"
    return what, f"{called_so(sides, header, unread, name, delimiter)}; {WHOLE_IMAGES}"


def called_so(
    sides: Mapping[str, str], header: Sequence[str], unread: Collection[str], name: str, delimiter: str
) -> str:
    """The command that calls columns as the sides of a box are called, and others no longer.

    Args:
      sides: name of a column -> what it is to be called.
      header: names of all columns.
      unread: those of them that nothing is made of; another one called as a side is `y`, the label.
      name, delimiter: of the list.
    """
    taken = [column for column in header if column not in sides and as_word(column) in sides.values()]
    others = {column: f"other_{column}" if column in unread else "label" for column in taken}
    others |= {column: side for column, side in sides.items() if column != side}
    command = with_names(others, name, delimiter)
    return f"call them {', '.join(sides.values())}{': ' * bool(command)}{command}"
