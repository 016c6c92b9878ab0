"""Four columns of a box that are called by words of one language: `links`, `oben`, …, or `up`, `down`, …."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tfrecordcli.number_patterns import NUMBER
from tfrecordcli.sources.boxes.words import WHOLE_IMAGES, as_word
from tfrecordcli.sources.pandas_commands import with_names

EXTENT: Final = ("x", "y", "w", "h")
_CORNERS: Final = ("xmin", "ymin", "xmax", "ymax")
_SIDES: Final = 4
# All four in one language: alone `haut`, `alto` and `Breite` say other things, too.
_LANGUAGES: Final = (
    (("links", "oben"), ("rechts", "unten"), (("breite", "höhe"), ("breite", "hoehe"), ("breite", "hohe"))),
    (("gauche", "haut"), ("droite", "bas"), (("largeur", "hauteur"),)),
    (("izquierda", "arriba"), ("derecha", "abajo"), (("ancho", "alto"), ("anchura", "altura"))),
    (("left", "up"), ("right", "down"), ()),
)


def sides_by_words(columns: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Four columns that one language calls so, and that hold boxes -> what they are to be called.

    Sides are words for what an image shows, too: where arrows point, or as flags.

    Args:
      columns: names of those that may be such -> the field of each row.
    """
    for begin, end, extents in _LANGUAGES:
        if names := four_of_numbers(columns, (*begin, *end)):
            boxes = numbers_of(columns, names)
            if _are_no_flags(boxes) and all(a < c and b < d for a, b, c, d in boxes):
                yield dict(zip(names, _CORNERS, strict=True))
        for extent in extents:
            if names := four_of_numbers(columns, (*begin, *extent)):
                boxes = numbers_of(columns, names)
                if _are_no_flags(boxes) and all(min(box[2:]) > 0 for box in boxes):
                    yield dict(zip(names, EXTENT, strict=True))


def four_of_numbers(columns: Mapping[str, Sequence[str]], words: Sequence[str]) -> list[str]:
    """The columns of these names, if they are four that hold numbers of which none is below 0; else none."""
    names = {as_word(name): name for name, fields in columns.items() if _are_numbers(fields)}
    is_there = names.keys() >= set(words) and len(set(words)) == _SIDES
    return [names[word] for word in words] if is_there else []


def numbers_of(columns: Mapping[str, Sequence[str]], names: Sequence[str]) -> list[list[float]]:
    """The numbers of rows that have all four."""
    texts = zip(*(columns[name] for name in names), strict=False)
    return [list(map(float, row)) for row in texts if all(row)]


def refused_sides(sides: Mapping[str, str], name: str, delimiter: str) -> tuple[str, str]:
    """What is said of such columns, and what to do.

    Args:
      sides: name of a column -> what it is to be called.
      name, delimiter: of the list.
    """
    what = f"columns {', '.join(sides)} look like the sides of a box, and none of them is read"
    return what, f"{called_so(sides, name, delimiter)}; {WHOLE_IMAGES}"


def called_so(sides: Mapping[str, str], name: str, delimiter: str) -> str:
    """The command that calls columns as the sides of a box are called; args as above."""
    others = {column: side for column, side in sides.items() if column != side}
    command = with_names(others, name, delimiter)
    return f"call them {', '.join(sides.values())}{': ' * bool(command)}{command}"


def _are_no_flags(boxes: Iterable[Iterable[float]]) -> bool:
    """Whether a number is neither 0 nor 1."""
    return any(number not in (0, 1) for box in boxes for number in box)


def _are_numbers(fields: Sequence[str]) -> bool:
    told = [field for field in fields if field]
    return bool(told) and all(NUMBER.fullmatch(field) and float(field) >= 0 for field in told)
