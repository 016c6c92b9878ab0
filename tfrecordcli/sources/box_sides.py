"""Sides of boxes in names of columns, by the words that they are made of: `Upper left corner X` is an xmin.

For names that `tfrecordcli.sources.box_words` does not list. What a name says beside its side, as `face` in
`face_x1`, has to be the same in the names of all four.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
_Rest = tuple[str, ...]


def sides_of_boxes(header: Sequence[str]) -> tuple[tuple[int, ...], str] | None:
    """(numbers of the four columns, kind of box) that a header names; None: it names none.

    Raises:
      InputError: it names several boxes, several columns for one side, or corners of outlines.
    """
    groups: dict[_Rest, dict[str, list[int]]] = {}
    for column, name in enumerate(header):
        for side, rest in _side_in(name):
            groups.setdefault(rest, {}).setdefault(side, []).append(column)
    found = [box for sides in groups.values() for box in _box_of(sides, header)]
    if len(found) > 1:
        named = ", ".join(header[columns[0]] for columns, _ in found)
        raise InputError(
            f"a row has several boxes ({named}), which is not read",
            "write a row for each box, as image,xmin,ymin,xmax,ymax,label; "
            "--task classification takes whole images without boxes",
        )
    return found[0] if found else None


def _box_of(sides: Mapping[str, list[int]], header: Sequence[str]) -> Iterator[tuple[tuple[int, ...], str]]:
    for kind, names in _KINDS:
        columns = [next((sides[name] for name in some if name in sides), []) for some in names]
        if not all(columns):
            continue
        several = next((some for some in columns if len(some) > 1), None)
        if several is not None or any(side in sides for side in ("x3", "y3")):
            named = ", ".join(header[column] for column in several or (*sides["x3"], *sides["y3"]))
            what = "could hold the same side of boxes" if several else "are of outlines, which are not read"
            raise InputError(f"several columns {what}: {named}", "rename some, or leave them out")
        yield tuple(some[0] for some in columns), kind
        return


def _side_in(name: str) -> Iterator[tuple[str, _Rest]]:
    """(side, what the name says beside it), if it names one."""
    said: list[str] = []
    rest: list[str] = []
    for token in filter(None, _BETWEEN_WORDS.split(name)):
        word = token.lower()
        if _WORDS.fullmatch(word):
            said += [each for each in _WORD.findall(word) if each not in _BOX]
        else:
            rest.append(word)
    numbers = [word for word in said if word.isdecimal()]
    words = [word for word in said if not word.isdecimal()]
    side = _side_of(words)
    if side in ("x", "y") and len(numbers) == 1:
        side, numbers = side + numbers.pop(), []
    if side:
        yield side, tuple(sorted((*rest, *numbers)))


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
