"""Boxes of one line of JSON: those of Vertex AI, of Hugging Face's metadata.jsonl, and plain ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import ATTRIBUTES
from tfrecordcli.sources.box_columns import BoxFormat
from tfrecordcli.sources.json.fields import (
    NO_CORNERS,
    Corners,
    as_label,
    as_number,
    as_shown,
    corners_in,
    four_numbers,
)
from tfrecordcli.sources.listed import ListedBox
from tfrecordcli.units import some_of

# A box as JSON has it, with its place as a message begins -> (label, corners, keys of these).
Form = Callable[[dict[str, Any], str], tuple[Any, Corners, tuple[str, ...]]]

_SIDES: Final = ("xmin", "ymin", "xmax", "ymax")
_VERTEX_SIDES: Final = ("xMin", "yMin", "xMax", "yMax")
_LABELS: Final = ("label", "class", "class_name", "category", "name")
_HUGGING_FACE_BOXES: Final = ("bbox", "bboxes", "boxes")
_HUGGING_FACE_LABELS: Final = ("category", "categories", "label", "labels", "category_id", "class")
# iscrowd, isCrowd, is_crowd and crowd are one.
_FLAGS: Final = {name.removeprefix("is_").replace("_", ""): name for name in ATTRIBUTES} | {"pose": "view"}


def boxes_of(
    found: Any, key: str, form: Form, unused: dict[str, None]
) -> tuple[tuple[ListedBox, ...], Rejected | None]:
    """(boxes, why the first that cannot be read cannot) of what a line has under ``key``.

    Args:
      unused: gets the keys of boxes that are not stored.
    """
    if not isinstance(found, list):
        return (), Rejected("bad_annotation", detail=f"{key} is {as_shown(found)}, not an array of boxes")
    pairs = [_box(number, each, f"{key}[{number}]", form, unused) for number, each in enumerate(found)]
    return tuple(box for box, _ in pairs), next((why for _, why in pairs if why), None)


def _box(
    number: int, element: Any, what: str, form: Form, unused: dict[str, None]
) -> tuple[ListedBox, Rejected | None]:
    label = ""
    try:
        if not isinstance(element, dict):
            raise Rejected("bad_annotation", detail=f"{what} is {as_shown(element)}, not an object")
        name, corners, known = form(element, what)
        label = as_label(name, f"label of {what}")
        attributes = _attributes(element, what, known, unused)
        return ListedBox(label, corners, number, attributes), None
    except Rejected as problem:
        return ListedBox(label, NO_CORNERS, number), problem


def _attributes(
    element: dict[str, Any], what: str, known: tuple[str, ...], unused: dict[str, None]
) -> dict[str, int | float | str]:
    attributes: dict[str, int | float | str] = {}
    for key, value in element.items():
        if key in known or value is None:
            continue
        name = _FLAGS.get(key.lower().replace("_", "").removeprefix("is"))
        if name is None:
            unused[key] = None
        else:
            attributes[name] = _attribute(name, value, f"{key} of {what}")
    return attributes


def _attribute(name: str, value: Any, what: str) -> int | float | str:
    if ATTRIBUTES[name] == "bytes":
        return as_label(value, what)
    try:
        number = as_number(int(value) if isinstance(value, bool) else value)
    except ValueError:
        number = -1.0
    if number < 0 or (ATTRIBUTES[name] == "int64" and number not in (0, 1)):
        needed = "0 or 1" if ATTRIBUTES[name] == "int64" else "a number"
        raise Rejected("bad_annotation", detail=f"{what} is {as_shown(value)}, not {needed}")
    return int(number) if ATTRIBUTES[name] == "int64" else number


def vertex_form(element: dict[str, Any], what: str) -> tuple[Any, Corners, tuple[str, ...]]:
    """``{"displayName", "xMin", "yMin", "xMax", "yMax"}``, numbers also in quotes, fractions of the image."""
    corners = by_sides(element, _VERTEX_SIDES, what)
    return element.get("displayName"), corners, ("displayName", *_VERTEX_SIDES)


def plain_form(element: dict[str, Any], what: str) -> tuple[Any, Corners, tuple[str, ...]]:
    """``{"label", "xmin", "ymin", "xmax", "ymax"}``."""
    corners = by_sides(element, _SIDES, what)
    return _label(element, _LABELS, what), corners, (*_LABELS, *_SIDES)


def by_sides(element: dict[str, Any], sides: tuple[str, ...], what: str) -> Corners:
    """The four numbers that a box has under these keys.

    Raises:
      Rejected: one is missing, or is no number.
    """
    missing = [side for side in sides if side not in element]
    if missing:
        has = ", ".join(element)
        raise Rejected("bad_box", what=f"of {what} has no {missing[0]}, but {as_shown(has)}")
    return four_numbers([element[side] for side in sides], f"of {what}")


def _hugging_face_form(
    box_format: BoxFormat, element: dict[str, Any], what: str
) -> tuple[Any, Corners, tuple[str, ...]]:
    corners = corners_in(_first(element, _HUGGING_FACE_BOXES), f"of {what}", box_format)
    known = (*_HUGGING_FACE_BOXES, *_HUGGING_FACE_LABELS, "id")
    return _label(element, _HUGGING_FACE_LABELS, what), corners, known


def _label(element: dict[str, Any], keys: tuple[str, ...], what: str) -> Any:
    """What a box has under the first of these keys.

    Raises:
      Rejected: it has none of them.
    """
    if not any(key in element for key in keys):
        has = f"its keys are {some_of(list(element), 20)}, and none is {' or '.join(keys)}"
        raise Rejected("bad_annotation", detail=f"label of {what} is missing, where a name is needed: {has}")
    return _first(element, keys)


def _first(element: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((element[key] for key in keys if key in element), None)


def from_hugging_face(objects: Any, box_format: BoxFormat) -> tuple[Any, Form]:
    """``{"bbox": [[1, 2, 3, 4], …], "categories": [0, …]}`` as a list of boxes, and their form.

    A list of objects stays as it is; lists of different lengths give one box that is none, with that problem.
    """
    form = partial(_hugging_face_form, box_format)
    if not isinstance(objects, dict):
        return objects, form
    lists = {key: value for key, value in objects.items() if isinstance(value, list)}
    counts = set(map(len, lists.values()))
    if len(counts) > 1:
        longest = max(counts)
        return [{}] * longest, _uneven(", ".join(f"{len(value)} {key}" for key, value in lists.items()))
    if not lists and objects:
        return objects, form
    return [dict(zip(lists, each, strict=True)) for each in zip(*lists.values(), strict=True)], form


def _uneven(has: str) -> Form:
    def form(element: dict[str, Any], what: str) -> tuple[Any, Corners, tuple[str, ...]]:
        raise Rejected("bad_annotation", detail=f"objects has lists of different lengths: {has}")

    return form
