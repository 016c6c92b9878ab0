"""Sides of boxes in names of columns, by the words that they are made of: `Upper left corner X` is an xmin.

For names that `tfrecordcli.sources.box_words` does not list. What a name says beside its side, as `face` in
`face_x1`, has to be the same in the names of all four, and to be said of boxes: tiles, lanes and arrows have
such sides as well, in lists of labelled images.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tfrecordcli.errors import InputError

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
_EXTENTS: Final[Mapping[str, str]] = {"width": "w", "w": "w", "height": "h", "h": "h"}
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
    ("extent", (("x", "xmin", "x1"), ("y", "ymin", "y1"), ("w",), ("h",))),
)
# Words that say that a box is meant, those that say nothing of it, and ends that lines and arrows have, too.
_OBJECTS: Final = frozenset({
    *_BOX, "boxes", "roi", "rect", "rectangle", "face", "object", "obj", "ann", "annotation", "gt",
})  # fmt: skip
_NEUTRAL: Final = frozenset(
    {*_KNOWN, "corner", "coord", "coordinate", "pos", "position", "px", "pixel", "pixels"}
)
_OF_LINES: Final = frozenset({"from", "to", "start", "end", "begin", "stop"})
_CORNER: Final = re.compile("[xy][0-9]+")
_Rest = tuple[str, ...]
_Sides = Mapping[str, Sequence[int]]


def sides_of_boxes(header: Sequence[str], *, are_boxes: bool = False) -> tuple[tuple[int, ...], str] | None:
    """(numbers of the four columns, kind of box) that a header names; None: it names none for certain.

    Args:
      are_boxes: whether the list is known to have boxes, so that four sides of anything are one.

    Raises:
      InputError: it names several boxes, several columns for one side, or corners of outlines.
    """
    groups = _groups_of_four(header)
    found = [(columns, kind) for columns, kind, _ in groups]
    if not found or not (are_boxes or any(_mean_a_box(columns, header) for columns, _ in found)):
        return None
    if len(found) > 1:
        named = ", ".join(header[columns[0]] for columns, _ in found)
        raise InputError(
            f"a row has several boxes ({named}), which is not read",
            "write a row for each box, as image,xmin,ymin,xmax,ymax,label; "
            "--task classification takes whole images without boxes",
        )
    _need_a_box(*groups[0], header)
    return found[0]


def likely_sides(header: Sequence[str]) -> list[str]:
    """The names of four columns that may be those of a box, though no word says that one is meant."""
    groups = _groups_of_four(header)
    if len(groups) != 1 or _mean_a_box(groups[0][0], header) or _further_corners(*groups[0][1:]):
        return []
    return [header[column] for column in groups[0][0]]


def _groups_of_four(header: Sequence[str]) -> list[tuple[tuple[int, ...], str, _Sides]]:
    """(columns, kind, all sides) of each group of columns that has the four sides of a box."""
    groups: dict[_Rest, dict[str, list[int]]] = {}
    for column, name in enumerate(header):
        for side, rest in _side_in(name):
            groups.setdefault(rest, {}).setdefault(side, []).append(column)
    return [(columns, kind, sides) for sides in groups.values() for columns, kind in _box_of(sides)]


def _box_of(sides: _Sides) -> Iterator[tuple[tuple[int, ...], str]]:
    for kind, names in _KINDS:
        columns = [next((sides[name] for name in some if name in sides), []) for some in names]
        if all(columns):
            yield tuple(some[0] for some in columns), kind
            return


def _need_a_box(columns: Sequence[int], kind: str, sides: _Sides, header: Sequence[str]) -> None:
    several = next((some for some in sides.values() if len(some) > 1 and some[0] in columns), None)
    outline = [column for side in _further_corners(kind, sides) for column in sides[side]]
    if several or outline:
        named = ", ".join(header[column] for column in several or outline)
        what = "could hold the same side of boxes" if several else "are of outlines, which are not read"
        raise InputError(f"several columns {what}: {named}", "rename some, or leave them out")


def _further_corners(kind: str, sides: _Sides) -> list[str]:
    """Corners beyond the two of a box, as the third of a triangle."""
    last = "1" if {"x0", "y0"} <= set(sides) else "2"
    return [
        side for side in sides if kind == "corners" and _CORNER.fullmatch(side) and int(side[1:]) > int(last)
    ]


def _mean_a_box(columns: Iterable[int], header: Sequence[str]) -> bool:
    """Whether words say that a box is meant, or only its sides; `lane_x1` is of a line, `from x` an arrow."""
    words = {word.rstrip("0123456789") for column in columns for word in _words_in(header[column])} - {""}
    return bool(words & _OBJECTS) or (words <= _NEUTRAL and not words & _OF_LINES)


def _words_in(name: str) -> Iterator[str]:
    for token in filter(None, _BETWEEN_WORDS.split(name)):
        word = token.lower()
        yield from _WORD.findall(word) if _WORDS.fullmatch(word) else [word]


def _side_in(name: str) -> Iterator[tuple[str, _Rest]]:
    """(side, what the name says beside it), if it names one; `x1` may be of a corner and of a first box."""
    words = [word for word in _words_in(name) if word not in _BOX]
    numbers = [word for word in words if word.isdecimal()]
    rest = sorted(word for word in words if word not in _KNOWN and not word.isdecimal())
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
