"""Two corners in columns called by axes and words of any language: `X izq`, `Y sup`, …; or `xg`, `yh`, …."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from tfrecordcli.sources.boxes.fit import nearly_all
from tfrecordcli.sources.boxes.four_columns import Box, are_corners, tell_places, told_boxes
from tfrecordcli.sources.boxes.sides import tell_no_object
from tfrecordcli.sources.boxes.words import as_word

CORNERS: Final = ("xmin", "ymin", "xmax", "ymax")
_SOME: Final = 5  # two points may be anywhere: so many, one always above and left of the other, are corners
_FARTHEST: Final = 65_535  # pixels of a side: what lies beyond is a place on a map
_ROUNDED: Final = 1.05
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_UNITS: Final = ("px", "pixel", "pixels")
_UNIT: Final = re.compile(rf"(?<=.)(?:{'|'.join(_UNITS)})$")
_SHORT: Final = re.compile("[xy][a-z]|[a-z][xy]")  # xg; ax
# What may be greater than another number of the same place, or counts something else than pixels.
_NO_PLACES: Final = frozenset({
    "mean", "avg", "median", "std", "var", "sum", "count", "world", "global", "abs", "map", "geo", "utm",
    "lon", "lat", "stage", "screen", "mouse", "slide", "grid", "mm", "um", "cm", "m", "deg",
})  # fmt: skip


@lru_cache(maxsize=4096)  # names of columns are compared with many words
def without_unit(name: str) -> str:
    """The name of a column as it is compared, without the unit behind it: `X links (px)` is `xlinks`."""
    return _UNIT.sub("", as_word(name))


def sides_by_axes(columns: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Four columns of two corners by their axes and their numbers -> what they are to be called.

    That is asked of the numbers: nearly all begin before they end, in both directions, and each pair is more
    than one place in two units. Of `die_x,die_y,spot_x,spot_y`, where both axes have the same words, some
    begin behind the end of others, too: these are measured alike.

    Args:
      columns: names of those that may be such -> the field of each row.
    """
    axes: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for name, fields in columns.items():
        axis, rest = _axis_of(name)
        if axis and any(field[:1].isdecimal() for field in fields):
            axes[axis][name] = rest
    names = [*axes["x"], *axes["y"]]
    if len(axes["x"]) != 2 or len(axes["y"]) != 2 or tell_no_object(names):
        return
    told = told_boxes([columns[name] for name in names])
    first = next(filter(None, told), (0.0,) * 4)
    (x, y) = (sorted((0, 1), key=first.__getitem__), sorted((2, 3), key=first.__getitem__))
    order = (x[0], y[0], x[1], y[1])
    boxes = [tuple(box[i] for i in order) if box else () for box in told]
    known = [box for box in boxes if box and are_corners(box)]
    if len(known) < _SOME or not nearly_all(map(_is_box, boxes)) or not tell_places(known):
        return
    are_points = {*axes["x"].values()} == {*axes["y"].values()}
    if _differ(known) and (not are_points or _are_measured_alike(known)):
        yield dict(zip((names[i] for i in order), CORNERS, strict=True))


def _axis_of(name: str) -> tuple[str, str]:
    """`x` or `y` where a name says it beside something else that may be a side, and that; else nothing."""
    words = [word for word in map(str.lower, _BETWEEN_WORDS.split(name)) if word and word not in _UNITS]
    if len(words) == 1 and _SHORT.fullmatch(words[0]):
        words = [*words[0]]
    axes = [word for word in words if word in ("x", "y")]
    is_place = _NO_PLACES.isdisjoint(words) and not any(map(str.isdecimal, words))
    rest = "".join(word for word in words if word not in axes)
    return (axes[0], rest) if is_place and len(axes) == 1 and rest else ("", "")


def _is_box(box: Box) -> bool:
    return bool(box) and are_corners(box) and max(box) <= _FARTHEST


def _differ(boxes: Sequence[Box]) -> bool:
    """Whether far sides are not near ones in another unit, rounded or not."""
    ratios = [[box[i + 2] / box[i] for box in boxes if box[i]] for i in (0, 1)]
    return not all(each and max(each) < _ROUNDED * min(each) for each in ratios)


def _are_measured_alike(boxes: Sequence[Box]) -> bool:
    """Whether some begin behind the end of others, in one direction."""
    return any(max(box[i] for box in boxes) > min(box[i + 2] for box in boxes) for i in (0, 1))
