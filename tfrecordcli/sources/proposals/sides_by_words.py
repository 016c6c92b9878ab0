"""Four columns of a box that are called by words of one language: `links`, `oben`, …, or `min_row`, …."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from tfrecordcli.sources.boxes.four_columns import Box, are_corners, have_extent, tell_places, told_boxes
from tfrecordcli.sources.boxes.words import WHOLE_IMAGES, as_word
from tfrecordcli.sources.pandas_commands import with_names
from tfrecordcli.sources.proposals.sides_by_axes import CORNERS, sides_by_axes, without_unit

_Columns = Mapping[str, Sequence[str]]
EXTENT: Final = ("x", "y", "w", "h")
_CENTERED: Final = ("x_center", "y_center", "w", "h")
_SIDES: Final = 4
# Share of rows with numbers that are boxes: one may be without an extent, or not known.
_NEARLY_ALL: Final = 0.8
# Words beside an axis: of a point, which is a corner only where the extent stands behind it; of a centre.
_POINT: Final = ("", "pos", "position", "coord", "koord", "start", "corner", "ecke")
_CENTER: Final = ("center", "centre", "mitte", "zentrum", "centro", "centrum")
_GERMAN: Final = (("breite", "höhe"), ("breite", "hoehe"), ("breite", "hohe"))
_FRENCH: Final = (("largeur", "hauteur"),)
_SPANISH: Final = (("ancho", "alto"), ("anchura", "altura"))
_ITALIAN: Final = (("larghezza", "altezza"),)
_PORTUGUESE: Final = (("largura", "altura"),)
_DUTCH: Final = (("breedte", "hoogte"),)
# All four in one language: alone `haut`, `alto` and `Breite` say other things, too.
_LANGUAGES: Final = (
    (("links", "oben"), ("rechts", "unten"), _GERMAN),
    (("gauche", "haut"), ("droite", "bas"), _FRENCH),
    (("izquierda", "arriba"), ("derecha", "abajo"), _SPANISH),
    (("sinistra", "alto"), ("destra", "basso"), _ITALIAN),
    (("esquerda", "topo"), ("direita", "base"), _PORTUGUESE),
    (("links", "boven"), ("rechts", "onder"), _DUTCH),
    (("left", "up"), ("right", "down"), ()),
    (("l", "t"), ("r", "b"), ()),
)
_EXTENTS: Final = (*_GERMAN, *_FRENCH, *_SPANISH, *_ITALIAN, *_PORTUGUESE, *_DUTCH)

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
    if len(columns) < _SIDES:
        return
    for words in _ROWS_AND_COLUMNS:
        names, _ = four_called(columns, words, _are_rows_and_columns)
        if names:
            yield dict(zip(names, _UPRIGHT, strict=True))
    for begin, end, extents in _LANGUAGES:
        kinds = [(CORNERS, end, are_corners), *((EXTENT, extent, have_extent) for extent in extents)]
        for sides, others, are_sides in kinds:
            names, boxes = _called_with_axes(columns, (*begin, *others), are_sides)
            if tell_places(boxes):
                yield dict(zip(names, sides, strict=True))
    for word, extent in product((*_POINT, *_CENTER), _EXTENTS):
        names, boxes = _called_with_axes(columns, (word, word, *extent), have_extent)
        is_center = word in _CENTER
        is_likely = are_neighbours(names, columns) or (is_center and any(map(_is_no_size, boxes)))
        if tell_places(boxes) and is_likely:
            yield dict(zip(names, _CENTERED if is_center else EXTENT, strict=True))
    yield from sides_by_axes(columns)


def _called_with_axes(
    columns: _Columns, words: Sequence[str], are_sides: Callable[[Box], bool]
) -> tuple[list[str], list[Box]]:
    """As of `four_called`, also with `x` and `y` by turns before or behind each word, or a unit behind."""
    names = {*map(without_unit, columns)}
    found = [
        next((each for each in (word, f"{axis}{word}", f"{word}{axis}") if each and each in names), "")
        for axis, word in zip("xyxy", words, strict=False)
    ]
    return four_called(columns, found, are_sides)


def four_called(
    columns: _Columns, words: Sequence[str], are_sides: Callable[[Box], bool]
) -> tuple[list[str], list[Box]]:
    """The columns of these names, if they are four, and boxes, if nearly all rows of numbers are; else none.

    Args:
      are_sides: whether four numbers, of which none is below 0, are those of a box.
    """
    if len({*words}) != _SIDES or "" in words:
        return [], []
    names = {without_unit(name): name for name in columns} | {as_word(name): name for name in columns}
    if not names.keys() >= {*words}:
        return [], []
    four = [names[word] for word in words]
    told = told_boxes([columns[name] for name in four])
    boxes = [box for box in told if box and are_sides(box)]
    return (four, boxes) if boxes and len(boxes) >= _NEARLY_ALL * len(told) else ([], [])


def are_neighbours(names: Sequence[str], columns: Collection[str]) -> bool:
    """Whether columns stand side by side in this order."""
    places = [[*columns].index(name) for name in names]
    return places == [*range(places[0], places[0] + len(places))] if places else False


def _is_no_size(box: Box) -> bool:
    """Whether a centre lies beyond a width and a height, which are not of its image then."""
    x, y, width, height = box
    return x > width or y > height


def _are_rows_and_columns(box: Box) -> bool:
    top, left, bottom, right = box
    return top <= bottom and left <= right


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
