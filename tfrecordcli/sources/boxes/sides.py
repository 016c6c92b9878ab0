"""Sides of boxes in names of columns, by the words that they are made of: `Upper left corner X` is an xmin.

For names that `tfrecordcli.sources.boxes.words` does not list. What a name says beside its side, as `face` in
`face_x1`, has to be the same in the names of all four but for `px` and `corner`, and to be said of boxes:
tiles, lanes and arrows have such sides as well, in lists of labelled images.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.words import BOX_ROWS, WHOLE_IMAGES, columns_of_sides

# Words that say a side, and those of boxes, which say nothing beside them.
_BOX: Final = frozenset({"bounding", "bndbox", "bbox", "box", "bb"})
_ENDS: Final[Mapping[str, Mapping[str, str]]] = {
    "x": {"left": "min", "right": "max"},
    "y": {"top": "min", "upper": "min", "bottom": "max", "lower": "max"},
}
_ENDS_OF_BOTH: Final[Mapping[str, str]] = {
    **dict.fromkeys(("min", "start", "begin", "from", "tl", "lt", "ul"), "min"),
    **dict.fromkeys(("max", "end", "stop", "to", "br", "rb", "lr"), "max"),
    **dict.fromkeys(("center", "centre", "ctr", "mid", "c"), "center"),
}
_EXTENTS: Final[Mapping[str, str]] = {"width": "w", "w": "w", "height": "h", "h": "h", "length": "length"}
_KNOWN: Final = sorted(
    {*_BOX, *_ENDS, *_ENDS["x"], *_ENDS["y"], *_ENDS_OF_BOTH, *_EXTENTS}, key=lambda word: (-len(word), word)
)
_WORD: Final = re.compile("|".join((*_KNOWN, "[0-9]+")))
_WORDS: Final = re.compile(rf"(?:{_WORD.pattern})+")
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
# Kinds of boxes, and the sides that each is made of; of several names for a side the first counts.
_KINDS: Final[Sequence[tuple[str, Sequence[Sequence[str]]]]] = (
    ("corners", (("x0",), ("y0",), ("x1",), ("y1",))),
    ("corners", (("xmin", "x1"), ("ymin", "y1"), ("xmax", "x2"), ("ymax", "y2"))),
    ("center", (("xcenter",), ("ycenter",), ("w",), ("h",))),
    ("extent", (("x", "xmin", "x1", "x0"), ("y", "ymin", "y1", "y0"), ("w",), ("h",))),
    # Of a fish at x and y a length and a height may be measured: behind a corner they are of a box.
    ("extent", (("xmin",), ("ymin",), ("length",), ("h",))),
)
# Words that say that a box is meant, those that say nothing of it, and ends that lines and arrows have, too.
_OBJECTS: Final = frozenset({
    *_BOX, "boxes", "roi", "rect", "rectangle", "face", "object", "obj", "ann", "annotation", "gt",
})  # fmt: skip
_UNITS: Final = frozenset({"px", "pixel", "pixels"})
_NEUTRAL: Final = frozenset({*_KNOWN, *_UNITS, "corner", "coord", "coordinate", "pos", "position"})
_SILENT: Final = frozenset({*_KNOWN, *_UNITS, "corner"})  # in a name of one side that others have not
_OF_LINES: Final = frozenset({"from", "to", "start", "end", "begin", "stop"})
_CORNER: Final = re.compile("[xy][0-9]+")
_Rest = tuple[str, ...]
_Sides = Mapping[str, Sequence[int]]
SEVERAL: Final = "has several boxes"
# What has four sides and is no object, and ends that two points have not.
_NO_OBJECTS: Final = _OF_LINES | {
    "line", "lane", "edge", "arrow", "axis", "vector", "segment", "tile", "crop", "patch", "window",
    "slice", "margin", "pad", "padding", "border", "inset", "offset", "image", "img", "canvas", "viewport",
    "acc", "accel", "acceleration", "accelerometer", "gyro", "gyroscope", "mag", "magnetometer", "imu",
    "sensor", "gaze", "fix", "fixation", "speed", "velocity", "force", "wind",
}  # fmt: skip
_CORNER_ENDS: Final = frozenset({"min", "max", "left", "right", "top", "bottom", "xmin", "xmax"})


class SidesOfBox(NamedTuple):
    """Four columns that a header names as the sides of one box.

    Attributes:
      columns: their numbers, in the order of the kind.
      kind: `corners`, `extent` or `center`.
      rest: what all four names say besides.
      sides: name of each side -> the columns that are called so.
    """

    columns: tuple[int, ...]
    kind: str
    rest: _Rest
    sides: _Sides


def sides_of_boxes(header: Sequence[str], *, are_boxes: bool = False) -> tuple[tuple[int, ...], str] | None:
    """(numbers of the four columns, kind of box) that a header names; None: it names none for certain.

    Args:
      are_boxes: whether the list is known to have boxes, so that four sides of anything are one.

    Raises:
      InputError: it names several boxes, several columns for one side, or corners of outlines.
    """
    groups = _groups_of_four(header)
    if not groups or not (are_boxes or any(_mean_a_box(group.columns, header) for group in groups)):
        return None
    if len(groups) > 1:
        raise several_boxes(header, groups)
    _need_a_box(groups[0], header)
    return groups[0].columns, groups[0].kind


def likely_sides(header: Sequence[str]) -> list[str]:
    """The names of four columns that may be those of a box, though no word says that one is meant."""
    box = _likely_box(header)
    return [header[column] for column in box.columns] if box else []


def likely_corners(header: Sequence[str]) -> list[str]:
    """The same of two corners whose names say nothing else, as `x_from,y_from,x_to,y_to`; else none."""
    box = _likely_box(header)
    are_plain = box is not None and box.kind == "corners" and not box.rest
    return [header[column] for column in box.columns] if box and are_plain else []


def _likely_box(header: Sequence[str]) -> SidesOfBox | None:
    groups = _groups_of_four(header)
    if len(groups) != 1 or _mean_a_box(groups[0].columns, header) or _further_corners(groups[0]):
        return None
    return groups[0]


def boxes_side_by_side(header: Sequence[str]) -> list[SidesOfBox]:
    """The boxes of rows that have several, each with columns of its own; empty where they have one or none.

    Beside `x1,y1,w1,h1,x2,y2,w2,h2` the two corners `x1,y1,x2,y2` are none of a box.
    """
    groups = _groups_of_four(header)
    taken = {column for group in groups if group.kind != "corners" for column in group.columns}
    found = [group for group in groups if group.kind != "corners" or taken.isdisjoint(group.columns)]
    return found if len(found) > 1 else []


def need_one_box_a_row(header: Sequence[str], columns: Sequence[int] = ()) -> None:
    """Refuses a list that has several boxes a row, whatever its names say of them; lines and tiles are none.

    Args:
      columns: four that are taken for the sides of a box; none: the list was taken for one of labels.

    Raises:
      InputError: these are of several boxes; without them, there are several that end or are of some width.
    """
    boxes = boxes_side_by_side(header)
    if columns:
        is_several = sum(not set(columns).isdisjoint(box.columns) for box in boxes) > 1
    else:
        is_several = bool(boxes) and not any(_may_be_lines(box, header) for box in boxes)
    if is_several:
        raise several_boxes(header, boxes)


def several_boxes(header: Sequence[str], boxes: Iterable[SidesOfBox]) -> InputError:
    """What is said of such rows; `tfrecordcli.sources.proposals.boxes_in_columns` has the command."""
    named = ", ".join(header[box.columns[0]] for box in boxes)
    return InputError(f"a row {SEVERAL} ({named}), which is not read", f"{BOX_ROWS}; {WHOLE_IMAGES}")


def _may_be_lines(box: SidesOfBox, header: Sequence[str]) -> bool:
    """Whether four sides may be two ends of something, or of what is cut out: `lane_x1`, `tile_x`."""
    words = _words_of(header[column] for column in box.columns)
    return is_no_object(box, header) or (box.kind == "corners" and not words & _CORNER_ENDS)


def is_no_object(box: SidesOfBox, header: Sequence[str]) -> bool:
    """Whether the names of four sides say what they are of, and it is nothing that a box is drawn around."""
    return tell_no_object(header[column] for column in box.columns)


def tell_no_object(names: Iterable[str]) -> bool:
    """The same of names of columns."""
    return not _words_of(names).isdisjoint(_NO_OBJECTS)


def _words_of(names: Iterable[str]) -> set[str]:
    return {word for name in names for word in _words_in(name)}


def _groups_of_four(header: Sequence[str]) -> list[SidesOfBox]:
    """Each group of columns that has the four sides of a box."""
    groups: dict[_Rest, dict[str, list[int]]] = {}
    for column, name in enumerate(header):
        for side, rest in _sides_in(name):
            groups.setdefault(rest, {}).setdefault(side, []).append(column)
    return [
        SidesOfBox(columns, kind, rest, sides)
        for rest, each in groups.items()
        for sides in [_likely_columns(each, header)]
        for columns, kind in _box_of(sides)
    ]


def _likely_columns(sides: _Sides, header: Sequence[str]) -> _Sides:
    """Of several columns of a side those that say that it is a box's: `boxWidth`, and not `width`.

    So does `width (px)` beside `x (px)`.
    """
    have_units = [
        not _UNITS.isdisjoint(_words_in(header[each[0]])) for each in sides.values() if len(each) == 1
    ]
    words = [_BOX, *([_UNITS] if have_units and all(have_units) else [])]
    said = {
        side: [
            column for column in each if any(not kind.isdisjoint(_words_in(header[column])) for kind in words)
        ]
        for side, each in sides.items()
    }
    return {side: said[side] or each for side, each in sides.items()}


def _box_of(sides: _Sides) -> Iterator[tuple[tuple[int, ...], str]]:
    for kind, names in _KINDS:
        columns = columns_of_sides(sides, names, are_corners=kind == "corners")
        if all(columns):
            yield tuple(some[0] for some in columns), kind
            return


def _need_a_box(box: SidesOfBox, header: Sequence[str]) -> None:
    several = next((some for some in box.sides.values() if len(some) > 1 and some[0] in box.columns), None)
    outline = [column for side in _further_corners(box) for column in box.sides[side]]
    if several or outline:
        named = ", ".join(header[column] for column in several or outline)
        what = "could hold the same side of boxes" if several else "are of outlines, which are not read"
        raise InputError(f"several columns {what}: {named}", "rename some, or leave them out")


def _further_corners(box: SidesOfBox) -> list[str]:
    """Corners beyond the two of a box, as the third of a triangle."""
    last = "1" if {"x0", "y0"} <= set(box.sides) else "2"
    found = [side for side in box.sides if box.kind == "corners" and _CORNER.fullmatch(side)]
    return [side for side in found if int(side[1:]) > int(last)]


def _mean_a_box(columns: Iterable[int], header: Sequence[str]) -> bool:
    """Whether words say that a box is meant, or only its sides; `lane_x1` is of a line, `from x` an arrow."""
    words = {word.rstrip("0123456789") for column in columns for word in _words_in(header[column])} - {""}
    return bool(words & _OBJECTS) or (words <= _NEUTRAL and not words & _OF_LINES)


def _words_in(name: str) -> Iterator[str]:
    for token in filter(None, _BETWEEN_WORDS.split(name)):
        word = token.lower()
        yield from _WORD.findall(word) if _WORDS.fullmatch(word) else [word]


@lru_cache(maxsize=1024)  # many rules look through the same header
def _sides_in(name: str) -> Sequence[tuple[str, _Rest]]:
    """(side, what the name says beside it), if it names one; `x1` may be of a corner and of a first box."""
    return tuple(_each_side_in(name))


def _each_side_in(name: str) -> Iterator[tuple[str, _Rest]]:
    words = [word for word in _words_in(name) if word not in _BOX]
    numbers = [word for word in words if word.isdecimal()]
    rest = sorted(word for word in words if not (word in _SILENT or word.isdecimal()))
    side = _side_of([word for word in words if word in _KNOWN])
    if side:
        yield side, (*rest, *numbers)
    behind = [i for i, word in enumerate(words) if i and word.isdecimal() and words[i - 1] == side]
    if side in ("x", "y") and behind:
        corner = numbers.pop(sum(word.isdecimal() for word in words[: behind[0]]))
        yield side + corner, (*rest, *numbers)


def _side_of(words: Sequence[str]) -> str:
    """`xmin`, `x`, `w` and the like; empty: these words are no side."""
    axes = [word for word in words if word in _ENDS]
    extents = [_EXTENTS[word] for word in words if word in _EXTENTS]
    if extents:
        return extents[0] if len(words) == 1 else ""
    if len(axes) > 1:
        return ""
    if not axes:
        axes = [axis for axis, ends in _ENDS.items() for word in words if word in ends]
        return axes[0] + _ENDS[axes[0]][words[0]] if len(words) == len(axes) == 1 else ""
    (axis,) = axes
    others = [word for word in words if word != axis]
    ends = {end for word in others for end in (_ENDS[axis].get(word), _ENDS_OF_BOTH.get(word)) if end}
    if len(ends) > 1 or (others and not ends):
        return ""
    return axis + "".join(ends)
