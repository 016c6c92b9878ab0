"""Objects of images in JSON that hold their boxes in a form of their own: the command that makes JSON Lines.

`{"classes": ["cat"], "frames": [{"name": "a.jpg", "rects": [{"cls": 0, "p1": [8, 4], "p2": [40, 20]}]}]}`:
four numbers of a box under keys that say what they are, two points, or a rectangle as Swift writes it:
`"frame": [[8, 4], [32, 16]]`, its beginning and its size, or `{"origin": {"x": 8, …}, "size": {…}}`. The name
of the image, and the boxes, may stand in objects of its own: `{"name": "a.jpg", "response": {"rects": […]}}`;
boxes may be under the names of their classes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.boxes.object_forms import POINTS, TWO, BoxForm, form_of, is_point
from tfrecordcli.sources.column_words import KNOWN_COLUMNS, known_columns
from tfrecordcli.sources.json.boxes_beside_labels import keys_of_both, lines_of_both
from tfrecordcli.sources.json.boxes_by_class import boxes_by_class, classes_of, gathered
from tfrecordcli.sources.json.documents import NAMES
from tfrecordcli.sources.json.inner_keys import leaves_of
from tfrecordcli.sources.json.line_roles import PLAIN_BOXES
from tfrecordcli.sources.json.places_of_images import Place, is_image, places_in
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.sources.pandas_commands import literal
from tfrecordcli.units import some_of

PASS_OVER: Final = "--columns image_uri=KEY, with the key of images, passes these boxes over"

_HEAD: Final = 1 << 14  # characters that show some images
# What people said to an image with Prodigy, under this key: what they drew is right where they accepted it.
_ANSWER, _ANSWERS = "answer", ("accept", "reject", "ignore")
_OF_DRAWN: Final = ("x", "y", "width", "height", "center")  # of rectangles, beside their points
_ACCEPTED: Final = f' if r.get("{_ANSWER}") == "accept"'
# What boxes are called that may be two points: lines, arrows and limbs are others.
_OF_POINTS: Final = frozenset(
    ("annotations", "bboxes", "boundingboxes", "boxes", "objects", "objs", "rectangles", "rects", "regions")
)
COCO_CLASSES: Final = ("category_id", "label", "category", "class", "category_name", "class_name")
_IN_FORM: Final = ("four", "inner", "sides")  # what --box-format may say of boxes
_APART: Final = ("boxes", "labels")  # keys of arrays
_ALL: Final = Place("t", [], None, "t")
_BOXES: Final = "r.get(B) or []"  # of an image
_NUMBERS: Final = "u = {b[L] for r in g for b in %s}; x = %s; "  # of classes
# Images with the values of objects in them under keys named with dots.
_INNER: Final = (
    "[dict(z for k, v in r.items() for z in "
    '([(k + "." + c, d) for c, d in v.items()] if isinstance(v, dict)%s else [(k, v)])) for r in %s]'
)


@dataclass(frozen=True, slots=True)
class _Nested:
    """How images hold their boxes.

    Attributes:
      image, boxes: keys of an image: of its name, and of its boxes.
      form: of these.
      all: Python for the boxes of an image ``r`` under its key ``B``.
      is_answered: whether images have answers of Prodigy's; its boxes have points then.
      is_inner: whether keys of images are those of objects in them, named with dots.
    """

    image: str
    boxes: str
    form: BoxForm
    all: str = _BOXES
    is_answered: bool = False
    is_inner: bool = False

    @property
    def is_by_class(self) -> bool:
        """Whether boxes stand under the names of their classes."""
        return self.all != _BOXES

    @property
    def is_read(self) -> bool:
        """Whether lines of such boxes need no command."""
        is_plain = not (self.is_by_class or self.is_answered or self.is_inner)
        return is_plain and self.form.is_read_in(self.boxes)

    @property
    def is_of_coco(self) -> bool:
        """Whether such boxes are as COCO has them, with a class by one of the names that it may have."""
        is_bbox = self.form.kind == "four" and self.form.keys == ("bbox",)
        return is_bbox and not self.is_by_class and self.form.label in COCO_CLASSES


def lines_of_file(name: str, *, of_coco: bool = True) -> str:
    """As `lines_of_nested_boxes`, of a file in UTF-8; empty where it is none."""
    if not os.path.isfile(name):
        return ""
    with open(name, encoding="utf-8-sig", errors="ignore") as file:
        return lines_of_nested_boxes(file.read(_HEAD), name, of_coco=of_coco)


def lines_of_nested_boxes(text: str, name: str, *, of_coco: bool = True) -> str:
    """A hint with the command that writes a line of each image, with its boxes in a form that is read.

    Empty where images have no such boxes, have them in a form that is read, or labels of their own, and where
    the list is no file.

    Args:
      text: the first of the file.
      name: of the file.
      of_coco: whether boxes may be as COCO has them, with their classes in categories if anywhere.
    """
    if not os.path.isfile(name):
        return ""
    found = [each for place in places_in(text) if (each := _found(place)) is not None]
    if len(found) != 1:
        return ""
    place, nested = found[0]
    is_named = place.classes > 0 and '"categories"' not in text
    if nested.is_of_coco and not (of_coco or is_named):
        return ""
    is_row_of_each = nested.form.is_known and place.top is None and not nested.is_by_class
    needs_none = nested.is_read if place.code == "t" else is_row_of_each
    return "" if needs_none else _hint(place, nested, name)


def unread_boxes(
    rows: list[dict[str, Any]], name: str, *, are_lines: bool, has_form: bool
) -> tuple[str, str]:
    """(the key of boxes that are not read under it, a hint with the command that writes lines which are).

    Both empty where images have none, or labels of their own.

    Args:
      rows: the first objects of the list.
      name: of the file.
      are_lines: whether they are lines, and no array.
      has_form: whether it was said what the four numbers of a box are, which are read then.
    """
    place, nested = _found(replace(_ALL, rows=rows)) or (_ALL, None)
    if nested is None and (both := keys_of_both(rows)) is not None and (image := _image_among(rows)):
        return both[0], lines_of_both(*both, image, name, are_lines=are_lines)
    if nested is None or nested.is_read:
        return "", ""
    is_in_form = nested.form.kind in _IN_FORM and not nested.is_by_class
    if has_form and nested.boxes in PLAIN_BOXES and is_in_form:
        return "", ""
    key = nested.boxes if place.code == _ALL.code else some_of(classes_of(place))
    return key, _hint(place, nested, name, are_lines=are_lines)


def _hint(place: Place, nested: _Nested, name: str, *, are_lines: bool = False) -> str:
    """The command, or one for each form that rectangles may have."""
    made = [_lines(_code(place, nested, form, are_lines=are_lines), name) for form in nested.form.forms]
    if len(made) > 1:
        sizes, corners = made
        return (
            f"where the second two numbers of a box are its size, {sizes}; where they are a corner, {corners}"
        )
    return f"{made[0]}; these are the images that were accepted" if nested.is_answered else made[0]


def _lines(code: str, name: str) -> str:
    code = code.replace("{", "{{").replace("}", "}}")
    return made_by("", f"{command_line(['python', '-c', code])} {{name}}", name, as_lines=True)


def may_be_boxes(key: str) -> bool:
    """Whether a key of objects is called as boxes in an image are."""
    return _own(key).lower().replace("_", "") in _OF_POINTS | {"detections"}


def _found(place: Place) -> tuple[Place, _Nested] | None:
    """The place, as its images are taken, and how they hold their boxes; None: they do not."""
    if (nested := _nested(place)) is not None:
        return place, nested
    together = gathered(place)
    nested = _nested(together) if together is not None else None
    return (together, nested) if together is not None and nested is not None and nested.is_by_class else None


def _nested(place: Place) -> _Nested | None:
    """How these images hold their boxes, themselves or in objects of theirs; None: they do not."""
    rows = place.rows
    if (nested := _held(rows, place.classes)) is not None:
        return nested
    whole = [
        key
        for key in dict.fromkeys(chain.from_iterable(rows))
        if boxes_by_class(rows, key, are_called=may_be_boxes(key)) is not None
    ]
    inner = [
        dict(leaves_of({k: v for k, v in row.items() if k not in whole}, 1))
        | {k: row[k] for k in whole if k in row}
        for row in rows
    ]
    nested = _held(inner, place.classes) if inner != rows else None
    is_inner = nested is not None and not {nested.image, nested.boxes} <= {*chain.from_iterable(rows)}
    return replace(nested, is_inner=True) if nested is not None and is_inner else None


def _held(rows: Sequence[Mapping[str, Any]], classes: int) -> _Nested | None:
    """How images hold boxes under these keys; None: they do not, or have labels of their own."""
    keys = dict.fromkeys(chain.from_iterable(rows))
    image = _image_among(rows)
    if not image:
        return None
    are_drawn = all(row.get(_ANSWER) in _ANSWERS for row in rows)
    under = _drawn_under if are_drawn else partial(_boxes_under, classes=classes)
    found = [nested for key in keys if (nested := under(key, rows, image)) is not None]
    labels = known_columns([_own(key) for key in keys if key not in (each.boxes for each in found)], "label")
    return found[0] if len(found) == 1 and not labels else None


def _image_among(rows: Sequence[Mapping[str, Any]]) -> str:
    """The key of the image; empty: there is none, or several."""
    keys = dict.fromkeys(chain.from_iterable(rows))
    images = [key for key in keys if all(is_image(row.get(key)) for row in rows)]
    images = [key for key in images if key == images[0] or any(row[key] != row[images[0]] for row in rows)]
    if len(images) > 1:
        images = [key for key in images if _own(key).lower() in KNOWN_COLUMNS["image_uri"]]
    return images[0] if len(images) == 1 else ""


def _own(key: str) -> str:
    """A key without those of the objects around it."""
    return key.rpartition(".")[2]


def _boxes_under(key: str, rows: Sequence[Mapping[str, Any]], image: str, *, classes: int) -> _Nested | None:
    """How boxes stand under a key of images; None: they are none."""
    boxes, all_of_image = _all_under(key, rows), _BOXES
    are_called = _own(key).lower().replace("_", "") in _OF_POINTS
    if not boxes:
        named = boxes_by_class(rows, key, are_called=may_be_boxes(key))
        boxes, all_of_image = (named.boxes, named.code) if named is not None else ([], "")
    form = form_of(boxes, are_called=are_called, classes=classes) if boxes else None
    return _Nested(image, key, form, all_of_image) if form is not None else None


def _drawn_under(key: str, rows: Sequence[Mapping[str, Any]], image: str) -> _Nested | None:
    """How what was drawn with Prodigy stands under a key of images: rectangles and others have points."""
    drawn = _all_under(key, rows)
    if not all(isinstance(each, dict) for each in drawn):
        return None
    points = [each.get("points") for each in drawn if isinstance(each.get("label"), str)]
    are_points = all(
        isinstance(each, list) and len(each) >= TWO and all(map(is_point, each)) for each in points
    )
    is_drawn = 0 < len(drawn) == len(points) and are_points
    form = BoxForm("points", ("points",), "label")
    return _Nested(image, key, form, is_answered=True) if is_drawn else None


def _all_under(key: str, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """All that is in the arrays under a key, where there is nothing but arrays."""
    lists = [row.get(key) or [] for row in rows]
    are_lists = all(isinstance(each, list) for each in lists)
    return [*chain.from_iterable(lists)] if are_lists else []


def _code(place: Place, nested: _Nested, rectangle: str, *, are_lines: bool) -> str:
    """Python that prints the lines.

    Args:
      rectangle: form of rectangles; else empty.
    """
    form = nested.form
    is_named = form.is_number and place.may_be_named
    box = POINTS % 'b["points"]' if nested.is_answered else form.code(rectangle)
    names = json.dumps([*form.of_box, form.label, *(_OF_DRAWN if nested.is_answered else ())])
    label = "n.get(b[L], b[L])" if is_named else "b.get(L)"
    made = f"dict({{k: v for k, v in b.items() if k not in {names}}}, label={label}, {form.key}={box})"
    opened = 'open(sys.argv[1], encoding="utf-8-sig")'
    read = f"[*map(json.loads, filter(str.strip, {opened}))]" if are_lines else f"json.load({opened})"
    keys = ", ".join(map(literal, (nested.image, nested.boxes, form.label)))
    is_made = nested.is_by_class and form.keys == ("box",) and not is_named
    rows, objects = place.code, f"objects={nested.all if is_made else f'[f(b) for b in {nested.all}]'}"
    if form.kind == "array":  # of which nothing says what the numbers are
        objects = ", ".join(f"{key}=[f(b)[{at}] for b in {_BOXES}]" for at, key in enumerate(_APART))
        text = "next(v for v in b if isinstance(v, str))"
        made, keys = f"({box}, {label if form.is_number else text})", f"{keys[:-2]}4"
    if nested.is_inner:  # without such an object, nobody looked at the image
        whole = f" and k != {literal(nested.boxes)}" if nested.is_by_class and "." not in nested.boxes else ""
        rows, objects = _INNER % (whole, rows), f"**(dict({objects}) if B in r else dict())"
    return (
        f"import json, sys; t = {read}; "
        f"g = {rows}; I, B, L = {keys}; "
        f"{_NUMBERS % (nested.all, place.base) + NAMES if is_named else ''}"
        f"{'' if is_made else f'f = lambda b: {made}; '}"
        "[print(json.dumps(dict({k: v for k, v in r.items() if k not in (I, B) and v != r[I]}, image=r[I], "
        f"{objects}))) for r in g{_ACCEPTED if nested.is_answered else ''}]"
    )
