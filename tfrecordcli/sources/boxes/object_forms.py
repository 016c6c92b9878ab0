"""How boxes in JSON hold their four numbers and their label, where they do so in a form of their own.

As sides under keys that say what they are, of the box or of an object in it; as an array; as two points; as a
rectangle of Swift: `"frame": [[8, 4], [32, 16]]`, its beginning and its size, or `{"origin": {"x": 8, …},
"size": {…}}`; as two corners in an object: `{"minimum": {"r": 4, "c": 8}, "maximum": {…}}`, `{"tl": [8, 4],
"br": [40, 20]}`; or all in an array: `[8, 4, 40, 20, "cat"]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal

from tfrecordcli.errors import InputError
from tfrecordcli.sources.boxes.columns import find_box_columns
from tfrecordcli.sources.boxes.object_keys import (
    EXTENT,
    HUGGING_FACE_BOXES,
    SIDES,
    attribute_called,
    is_place,
)
from tfrecordcli.sources.column_words import columns_beside_boxes
from tfrecordcli.sources.pandas_commands import literal

CORNERS: Final = 4
TWO: Final = 2  # points of a box, and coordinates of a point
# What boxes of two pairs are called, without `_`, and Python that makes sides of two pairs, as of an object.
_OF_PAIRS: Final = frozenset(("bbox", "boundingbox", "bounds", "box", "cgrect", "frame", "rect", "rectangle"))
_RECTANGLES: Final = {
    "object": '(lambda r: {**r["origin"], **r["size"]})(b[S])',
    "sizes": "(lambda p, s: dict(x=p[0], y=p[1], width=s[0], height=s[1]))(*b[S])",
    "corners": "(lambda x, y: dict(xmin=min(x), ymin=min(y), xmax=max(x), ymax=max(y)))(*zip(*b[S]))",
}
POINTS: Final = "(lambda x, y: dict(xmin=min(x), ymin=min(y), xmax=max(x), ymax=max(y)))(*zip(*%s))"
# What coordinates of a point are called, x first.
_AXES: Final = (("x", "y"), ("X", "Y"), ("c", "r"), ("col", "row"), ("column", "row"))
_NUMBERED: Final = ("0", "1")  # the places of x and y in an array
# Of a point and what reaches from there, which are no two corners.
_NO_CORNER: Final = re.compile(
    r"size|dim|shape|extent|len|scale|offset|delta|direction|radi|wh$|width|height|cent|mid"
)
_OF_CORNERS: Final = (
    "(lambda p, q: dict(xmin=min(p[{x}], q[{x}]), ymin=min(p[{y}], q[{y}]), "
    "xmax=max(p[{x}], q[{x}]), ymax=max(p[{y}], q[{y}])))({of}[{p}], {of}[{q}])"
)
Kind = Literal["sides", "inner", "four", "points", "rectangle", "corners", "array"]


@dataclass(frozen=True, slots=True)
class BoxForm:
    """How all boxes hold their numbers and labels.

    Attributes:
      kind: four keys of the box; those of an object in it; an array in it; two points; a rectangle; two
        objects or arrays of coordinates; an array that is the box.
      keys: those of the box that hold them; of an object in it, behind its key those in there; of two corners
        the key of what holds them, empty for the box, theirs, and those of x and y.
      label: key of the label; empty: it stands in the array, a number at its end.
      is_number: whether labels are numbers.
      is_known: whether labels are called as a column of them would be.
      forms: that a rectangle may have, of `_RECTANGLES`; else one empty text.
    """

    kind: Kind
    keys: tuple[str, ...]
    label: str
    is_number: bool = False
    is_known: bool = True
    forms: tuple[str, ...] = ("",)

    @property
    def key(self) -> str:
        """Where lines have the numbers: under another key than Hugging Face's it is asked what four are."""
        return "box" if self.kind == "four" and self.keys[0] not in HUGGING_FACE_BOXES else "bbox"

    @property
    def of_box(self) -> tuple[str, ...]:
        """Those of the box itself that hold its numbers."""
        if self.kind == "corners" and not self.keys[0]:
            return self.keys[1:3]
        return self.keys[:1] if self.kind in ("inner", "corners") else self.keys

    def is_read_in(self, key: str) -> bool:
        """Whether boxes of JSON Lines need no command under a key of images, or are refused there by name."""
        if not self.is_known:
            return False
        if self.kind == "sides":
            return key in ("boxes", "objects") and self.keys in (SIDES, EXTENT)
        called = self.keys[0] if self.keys else ""
        if self.kind == "inner":
            return key == "objects" and called in HUGGING_FACE_BOXES
        is_known = is_place(called) or (key == "objects" and called in HUGGING_FACE_BOXES)
        return self.kind == "four" and key in ("boxes", "objects") and is_known

    def code(self, form: str) -> str:
        """Python for the box ``b`` in a form that is read.

        Args:
          form: one of `forms`.
        """
        if self.kind == "array":
            return "b[:4]" if self.is_number else "[v for v in b if not isinstance(v, str)]"
        if self.kind == "points":
            return POINTS % f"map(b.get, {json.dumps(self.keys)})"
        if self.kind == "corners":
            outer, *others = self.keys
            p, q, x, y = (key if key in _NUMBERED else literal(key) for key in others)
            return _OF_CORNERS.format(of=f"b[{literal(outer)}]" if outer else "b", p=p, q=q, x=x, y=y)
        whole = f"b[{literal(self.keys[0])}]"
        if self.kind == "rectangle":
            return _RECTANGLES[form].replace("b[S]", whole)
        if self.kind == "four":
            return whole
        sides, of = (self.keys[1:], whole) if self.kind == "inner" else (self.keys, "b")
        return f'{{k: {of}.get(k) for k in "{" ".join(sides)}".split()}}'


def form_of(boxes: Sequence[Any], *, are_called: bool, classes: int = 0) -> BoxForm | None:
    """The form that all boxes have; None: they have none, or several.

    Args:
      are_called: whether their key says that they are boxes: what has two points in them is no line then, and
        four numbers are a box whatever their key is.
      classes: how many have a name, at most; their numbers may be under any key then.
    """
    if all(isinstance(box, list) for box in boxes):
        if all(_is_numbered(box, classes) for box in boxes):
            return BoxForm("array", (), "", is_number=True)
        places = {_text_of_array(box) for box in boxes}
        return BoxForm("array", (), "") if len(places) == 1 and None not in places else None
    if not all(isinstance(box, dict) for box in boxes):
        return None
    found = {_keys_of(box, are_called=are_called) for box in boxes}
    (kind, keys), *others = found
    if others or kind is None:
        return None
    label, is_known = _label_of(boxes, keys, classes)
    values = {type(box.get(label)) for box in boxes}
    if not label or values not in ({str}, {int}):
        return None
    forms = _forms_of([box[keys[0]] for box in boxes]) if kind == "rectangle" else ("",)
    return BoxForm(kind, keys, label, values == {int}, is_known, forms) if forms else None


def _is_numbered(box: Sequence[Any], classes: int) -> bool:
    """Whether an array has four numbers of a box and that of one of so many classes."""
    are_numbers = all(type(value) in (int, float) for value in box)
    return are_numbers and len(box) == CORNERS + 1 and type(box[4]) is int and 0 <= box[4] <= classes > 0


def _text_of_array(box: Sequence[Any]) -> int | None:
    """Where the label of an array stands that has four numbers besides; None: it has not."""
    texts = [place for place, value in enumerate(box) if isinstance(value, str)]
    numbers = [value for value in box if type(value) in (int, float)]
    is_box = len(texts) == 1 and len(numbers) == CORNERS and len(box) == CORNERS + 1
    return texts[0] if is_box and texts[0] in (0, CORNERS) else None


def _keys_of(box: Mapping[str, Any], *, are_called: bool) -> tuple[Kind | None, tuple[str, ...]]:
    """The kind and keys of a box; none: it is not certain.

    Args:
      are_called: as of `form_of`.
    """
    if sides := _sides_among(box):
        return "sides", sides
    inner = [(key, _sides_among(value)) for key, value in box.items() if isinstance(value, dict)]
    inner = [(key, sides) for key, sides in inner if sides and len(box[key]) == CORNERS]
    if len(inner) == 1:
        return "inner", (inner[0][0], *inner[0][1])
    fours = [key for key, value in box.items() if are_four(value)]
    four = [key for key in fours if is_place(key) or key in HUGGING_FACE_BOXES] or fours * are_called
    if len(four) == 1:
        return "four", (four[0],)
    points = tuple(key for key, value in box.items() if is_point(value))
    if are_called and len(points) == TWO and _are_corners(points):
        return "points", points
    rectangles = tuple(key for key, value in box.items() if _is_rectangle(key, value))
    if len(rectangles) == 1:
        return "rectangle", rectangles
    corners = [
        (key, *found)
        for key, value in box.items()
        if (found := _corners_in(value) or (are_called or _is_called(key)) * _points_in(value))
    ]
    corners = corners or [("", *found) for found in [_corners_in(box)] if found and are_called]
    return ("corners", corners[0]) if len(corners) == 1 else (None, ())


def _corners_in(value: Any) -> tuple[str, ...]:
    """(key of one corner, of the other one, of x, of y) of an object with two; none: it has not."""
    points = {k: v for k, v in value.items() if isinstance(v, dict)} if isinstance(value, dict) else {}
    for axes in _AXES:
        if len(points) == TWO and all(
            v.keys() == {*axes} and is_point([*v.values()]) for v in points.values()
        ):
            return (*points, *axes)
    return ()


def _points_in(value: Any) -> tuple[str, ...]:
    """The same of two arrays."""
    points = [k for k, v in value.items() if is_point(v)] if isinstance(value, dict) else []
    return (*points, *_NUMBERED) if len(points) == TWO and _are_corners(points) else ()


def _are_corners(names: Iterable[str]) -> bool:
    """Whether what two points are called does not say that one of them is a size or a centre."""
    return not any(_NO_CORNER.search(name.lower()) for name in names)


def _is_called(key: str) -> bool:
    """Whether a key is called as a box is."""
    return is_place(key) or key.lower().replace("_", "") in _OF_PAIRS


def _sides_among(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys of four numbers that are the sides of a box by their names; none: there are not."""
    numbers = [key for key, value in values.items() if type(value) in (int, float)]
    with suppress(InputError):
        found = find_box_columns(numbers, are_boxes=True)
        if found is not None and len(found.corners) == CORNERS:
            return tuple(numbers[i] for i in found.corners)
    return ()


def are_four(value: Any) -> bool:
    """Whether this is an array of four numbers."""
    are_numbers = isinstance(value, list) and all(type(each) in (int, float) for each in value)
    return are_numbers and len(value) == CORNERS


def is_point(value: Any) -> bool:
    """Whether this is an array of two numbers."""
    values = value if isinstance(value, list) else []
    return len(values) == TWO and all(type(each) in (int, float) for each in values)


def _is_rectangle(key: str, value: Any) -> bool:
    """Whether this is a beginning and a size, or two pairs of numbers that may be such."""
    if isinstance(value, dict):
        parts = value.get("origin"), value.get("size")
        return value.keys() == {"origin", "size"} and all(
            isinstance(part, dict) and part.keys() == {*names} and is_point([*part.values()])
            for part, names in zip(parts, ("xy", ("width", "height")), strict=True)
        )
    are_two = isinstance(value, list) and len(value) == TWO and all(map(is_point, value))
    return are_two and key.lower().replace("_", "") in _OF_PAIRS


def _forms_of(rectangles: Sequence[Any]) -> tuple[str, ...]:
    """What these may be, of `_RECTANGLES`; none: fractions, which Apple's Vision counts from below."""
    if len({*map(type, rectangles)}) > 1:
        return ()
    if isinstance(rectangles[0], dict):
        numbers = [n for each in rectangles for part in each.values() for n in part.values()]
        return ("object",) if max(numbers) > 1 else ()
    if max(n for each in rectangles for pair in each for n in pair) <= 1:
        return ()
    are_sizes = any(end < begin for each in rectangles for begin, end in zip(*each, strict=True))
    return ("sizes",) if are_sizes else ("sizes", "corners")


def _label_of(boxes: Sequence[Mapping[str, Any]], keys: Sequence[str], classes: int) -> tuple[str, bool]:
    """(key of the label, whether a CSV's column would be called so); else the only key of texts, or none."""
    free = [key for key in boxes[0] if key not in keys and not isinstance(boxes[0][key], list | dict)]
    with suppress(InputError):
        called = columns_beside_boxes(free, set(), ())
        if label := next((key for purpose, key in called if purpose == "label"), ""):
            return label, True
        texts = [key for key in free if all(isinstance(box.get(key), str) and box[key] for box in boxes)]
        texts = texts or (numbers_of_classes(boxes, free, classes) if classes else [])
        texts = [key for key in texts if not attribute_called(key)]
        return (texts[0], False) if len(texts) == 1 else ("", False)
    return "", False


def numbers_of_classes(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], classes: int) -> list[str]:
    """Those keys under which all have a number of as many classes, but ids."""
    keys = [key for key in keys if not key.lower().endswith("id")]
    return [key for key in keys if all(type(v := row.get(key)) is int and 0 <= v <= classes for row in rows)]
