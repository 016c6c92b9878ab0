"""Objects of images in JSON that hold their boxes in a form of their own: the command that makes JSON Lines.

`{"classes": ["cat"], "frames": [{"name": "a.jpg", "rects": [{"cls": 0, "p1": [8, 4], "p2": [40, 20]}]}]}`:
four numbers of a box under keys that say what they are, two points, or a rectangle as Swift writes it:
`"frame": [[8, 4], [32, 16]]`, its beginning and its size, or `{"origin": {"x": 8, …}, "size": {…}}`. The name
of the image, and the boxes, may stand in objects of its own: `{"name": "a.jpg", "response": {"rects": […]}}`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from tfrecordcli.shell import command_line
from tfrecordcli.sources.column_words import IMAGE_EXTENSION, KNOWN_COLUMNS, known_columns
from tfrecordcli.sources.json.box_forms import POINTS, TWO, BoxForm, form_of, is_point
from tfrecordcli.sources.json.inner_keys import leaves_of
from tfrecordcli.sources.json.line_roles import PLAIN_BOXES
from tfrecordcli.sources.json.objects import TOKEN
from tfrecordcli.sources.made_list import made_by
from tfrecordcli.sources.pandas_commands import literal

PASS_OVER: Final = "--columns image_uri=KEY, with the key of images, passes these boxes over"

_HEAD: Final = 1 << 14  # characters that show some images
# What people said to an image with Prodigy, under this key: what they drew is right where they accepted it.
_ANSWER, _ANSWERS = "answer", ("accept", "reject", "ignore")
_OF_DRAWN: Final = ("x", "y", "width", "height", "center")  # of rectangles, beside their points
_ACCEPTED: Final = f' if r.get("{_ANSWER}") == "accept"'
# What boxes are called that may be two points: lines, arrows and limbs are others.
_OF_POINTS: Final = frozenset(
    ("annotations", "bboxes", "boundingboxes", "boxes", "objects", "rectangles", "rects", "regions")
)
# Images with the values of objects in them under keys named with dots.
_INNER: Final = (
    "[dict(z for k, v in r.items() for z in "
    '([(k + "." + c, d) for c, d in v.items()] if isinstance(v, dict) else [(k, v)])) for r in %s]'
)
# Names of classes by their numbers: an array, or an object of them; a first class that no box has may be 1.
_NAMES: Final = (
    'k = "classes class_names categories labels label_names names".split(); '
    "n = next((t[c] for c in k if t.get(c)), []); "
    "o = [c for c in n if isinstance(c, dict)] if isinstance(n, list) else []; "
    'n = {c["id"]: c["name"] for c in o} or ({int(k): v for k, v in n.items()} if isinstance(n, dict) '
    "else dict(enumerate(n))); "
    "u = {b[L] for r in g for b in r.get(B) or []}; "
    'n and not (u <= {*n} and (o or 0 in u)) and sys.exit(f"numbers of classes: {sorted(u)}, names: {n}"); '
)


@dataclass(frozen=True, slots=True)
class _Nested:
    """How images hold their boxes.

    Attributes:
      image, boxes: keys of an image: of its name, and of its boxes.
      form: of these.
      is_answered: whether images have answers of Prodigy's; its boxes have points then.
      is_inner: whether keys of images are those of objects in them, named with dots.
    """

    image: str
    boxes: str
    form: BoxForm
    is_answered: bool = False
    is_inner: bool = False

    @property
    def is_read(self) -> bool:
        """Whether lines of such boxes need no command."""
        return not (self.is_answered or self.is_inner) and self.form.is_read_in(self.boxes)


def lines_of_file(name: str) -> str:
    """As `lines_of_nested_boxes`, of a file in UTF-8; empty where it is none."""
    if not os.path.isfile(name):
        return ""
    with open(name, encoding="utf-8-sig", errors="ignore") as file:
        return lines_of_nested_boxes(file.read(_HEAD), name)


def lines_of_nested_boxes(text: str, name: str) -> str:
    """A hint with the command that writes a line of each image, with its boxes in a form that is read.

    Empty where images have no such boxes, have them in a form that is read, or labels of their own, and where
    the list is no file.

    Args:
      text: the first of the file.
      name: of the file.
    """
    if not os.path.isfile(name):
        return ""
    found = [(place, nested) for place, rows in _arrays(text) if (nested := _nested(rows)) is not None]
    if len(found) == 1 and found[0][0] == "t" and found[0][1].is_read:
        return ""
    if len(found) != 1:
        return ""
    return _hint(*found[0], name)


def unread_boxes(
    rows: Sequence[Mapping[str, Any]], name: str, *, are_lines: bool, has_form: bool
) -> tuple[str, str]:
    """(the key of boxes that are not read under it, a hint with the command that writes lines which are).

    Both empty where images have none, or labels of their own.

    Args:
      rows: the first objects of the list.
      name: of the file.
      are_lines: whether they are lines, and no array.
      has_form: whether it was said what the four numbers of a box are, which are read then.
    """
    nested = _nested(rows)
    if nested is None or nested.is_read:
        return "", ""
    if has_form and nested.boxes in PLAIN_BOXES and nested.form.kind != "array":
        return "", ""
    return nested.boxes, _hint("t", nested, name, are_lines=are_lines)


def _hint(place: str, nested: _Nested, name: str, *, are_lines: bool = False) -> str:
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


def _arrays(text: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """(Python for it in `t`, its first objects) of the array of objects that is all, or of those in it."""
    brackets, key = "", ""
    for token in TOKEN.finditer(text):
        word, colon, opens, closes = token.groups()
        if opens:
            if opens == "{" and brackets in ("[", "{["):
                yield f"t[{literal(key)}]" if key else "t", _objects(text, token.start())
                brackets = brackets[:-1] + "]"  # of which all are taken
            brackets += opens
        elif closes:
            brackets = brackets[:-1]
        elif colon and brackets == "{":
            key = word


def _objects(text: str, begin: int) -> list[dict[str, Any]]:
    """The objects parted by commas from there on, up to the first that is cut."""
    found, decode = [], json.JSONDecoder().raw_decode
    with suppress(ValueError, RecursionError):
        while text[begin : begin + 1] == "{":
            value, end = decode(text, begin)
            found.append(value)
            begin = len(text) - len(text[end:].lstrip(", \t\r\n"))
    return found


def _nested(rows: Sequence[Mapping[str, Any]]) -> _Nested | None:
    """How these images hold their boxes, themselves or in objects of theirs; None: they do not."""
    if (nested := _held(rows)) is not None:
        return nested
    inner = [dict(leaves_of(row, 1)) for row in rows]
    nested = _held(inner) if inner != rows else None
    is_inner = nested is not None and not {nested.image, nested.boxes} <= {*chain.from_iterable(rows)}
    return replace(nested, is_inner=True) if nested is not None and is_inner else None


def _held(rows: Sequence[Mapping[str, Any]]) -> _Nested | None:
    """How images hold boxes under these keys; None: they do not, or have labels of their own."""
    keys = dict.fromkeys(chain.from_iterable(rows))
    images = [key for key in keys if all(_is_image(row.get(key)) for row in rows)]
    images = [key for key in images if key == images[0] or any(row[key] != row[images[0]] for row in rows)]
    images = (
        [key for key in images if _own(key).lower() in KNOWN_COLUMNS["image_uri"]]
        if len(images) > 1
        else images
    )
    if len(images) != 1:
        return None
    under = _drawn_under if all(row.get(_ANSWER) in _ANSWERS for row in rows) else _boxes_under
    found = [nested for key in keys if (nested := under(key, rows, images[0])) is not None]
    labels = known_columns([_own(key) for key in keys if key not in (each.boxes for each in found)], "label")
    return found[0] if len(found) == 1 and not labels else None


def _own(key: str) -> str:
    """A key without those of the objects around it."""
    return key.rpartition(".")[2]


def _is_image(value: Any) -> bool:
    return isinstance(value, str) and IMAGE_EXTENSION.search(value) is not None


def _boxes_under(key: str, rows: Sequence[Mapping[str, Any]], image: str) -> _Nested | None:
    """How boxes stand under a key of images; None: they are none."""
    boxes = _all_under(key, rows)
    form = form_of(boxes, may_be_points=_own(key).lower().replace("_", "") in _OF_POINTS) if boxes else None
    return _Nested(image, key, form) if form is not None else None


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


def _code(place: str, nested: _Nested, rectangle: str, *, are_lines: bool) -> str:
    """Python that prints the lines.

    Args:
      place: of the array in ``t``.
      rectangle: form of rectangles; else empty.
    """
    form = nested.form
    is_named = form.is_number and place != "t"
    box = POINTS % 'b["points"]' if nested.is_answered else form.code(rectangle)
    names = json.dumps([*form.keys, form.label, *(_OF_DRAWN if nested.is_answered else ())])
    label = "n.get(b[L], b[L])" if is_named else "b.get(L)"
    made = f"dict({{k: v for k, v in b.items() if k not in {names}}}, label={label}, bbox={box})"
    if form.kind == "array":
        made = f"dict(label=next(v for v in b if isinstance(v, str)), bbox={box})"
    opened = 'open(sys.argv[1], encoding="utf-8-sig")'
    rows = f"[*map(json.loads, filter(str.strip, {opened}))]" if are_lines else f"json.load({opened})"
    objects = "objects=[f(b) for b in r.get(B) or []]"
    if nested.is_inner:  # without such an object, nobody looked at the image
        place, objects = _INNER % place, f"**(dict({objects}) if B in r else dict())"
    return (
        f"import json, sys; t = {rows}; "
        f"g = {place}; I, B, L = {', '.join(map(literal, (nested.image, nested.boxes, form.label)))}; "
        f"{_NAMES if is_named else ''}f = lambda b: {made}; "
        "[print(json.dumps(dict({k: v for k, v in r.items() if k not in (I, B) and v != r[I]}, image=r[I], "
        f"{objects}))) for r in g{_ACCEPTED if nested.is_answered else ''}]"
    )
