"""Boxes of one line of JSON: those of Vertex AI, of Hugging Face's metadata.jsonl, and plain ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache, partial
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.schema import ATTRIBUTES
from tfrecordcli.sources.boxes.columns import BoxFormat, find_box_columns
from tfrecordcli.sources.boxes.fields import UNREAD
from tfrecordcli.sources.boxes.object_keys import (
    EXTENT,
    HUGGING_FACE_BOXES,
    HUGGING_FACE_LABELS,
    HUGGING_FACE_NAMES,
    LABELS,
    SIDES,
    LabelKey,
    attribute_called,
    is_place,
    is_region,
)
from tfrecordcli.sources.boxes.predictions import is_score
from tfrecordcli.sources.json.fields import (
    NO_CORNERS,
    Corners,
    as_label,
    as_number,
    as_shown,
    corners_in,
    unread,
    written_in,
)
from tfrecordcli.sources.listed import ListedBox
from tfrecordcli.units import some_of

# A box as JSON has it, with its place as a message begins -> (label, corners, keys of these); in the place of
# the first two why it has none.
Form = Callable[[dict[str, Any], str], tuple[Any, Corners | Rejected, tuple[str, ...]]]

_VERTEX_SIDES: Final = ("xMin", "yMin", "xMax", "yMax")


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
    if not isinstance(element, dict):
        problem = Rejected("bad_annotation", detail=f"{what} is {as_shown(element)}, not an object")
        return ListedBox("", NO_CORNERS, number, written=(as_shown(element),)), problem
    try:
        name, corners, known = form(element, what)
    except Rejected as found:
        return ListedBox("", NO_CORNERS, number, written=written_in(found, element)), found
    label, why_no_label = "", name if isinstance(name, Rejected) else None
    try:
        label = as_label(name, f"label of {what}") if why_no_label is None else ""
    except Rejected as found:
        why_no_label = found
    is_read = why_no_label is None and not isinstance(corners, Rejected)
    attributes, odd = _attributes(element, what, known, unused if is_read else {})
    if isinstance(corners, Rejected):
        written = written_in(corners, element)
        return ListedBox(label, NO_CORNERS, number, attributes, written), corners
    return ListedBox(label, corners, number, attributes), why_no_label or odd


def _attributes(
    element: dict[str, Any], what: str, known: tuple[str, ...], unused: dict[str, None]
) -> tuple[dict[str, int | float | str], Rejected | None]:
    """(attributes of a box, why the first that cannot be read cannot)."""
    attributes: dict[str, int | float | str] = {}
    problem = None
    for key, value in element.items():
        if key in known or value is None:
            continue
        name = attribute_called(key)
        if name is None:
            unused[key] = None
        else:
            try:
                attributes[name] = _attribute(name, value, f"{key} of {what}")
            except Rejected as found:
                problem = problem or found
                attributes[name] = f"{UNREAD}\t{as_shown(value)}"  # the tab rejects a text, too
    return attributes, problem


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


def vertex_form(element: dict[str, Any], what: str) -> tuple[Any, Corners | Rejected, tuple[str, ...]]:
    """``{"displayName", "xMin", "yMin", "xMax", "yMax"}``, numbers also in quotes, fractions of the image."""
    corners = tried(by_sides, element, _VERTEX_SIDES, what)
    return element.get("displayName"), corners, ("displayName", *_VERTEX_SIDES)


def tried(read: Callable[..., Any], *arguments: Any) -> Any:
    """What a function gives, or why it cannot."""
    try:
        return read(*arguments)
    except Rejected as problem:
        return problem


def plain_form(
    box_format: BoxFormat | None, label_key: LabelKey, element: dict[str, Any], what: str
) -> tuple[Any, Corners | Rejected, tuple[str, ...]]:
    """``{"label", "xmin", "ymin", "xmax", "ymax"}``, whatever these four are by ``box_format``.

    ``left``, ``top``, ``width`` and ``height`` as well, as SVHN's ``digitStruct.json`` has them.
    """
    corners, sides = _by_names(box_format, element, what)
    labels = label_key.keys_in(element, LABELS, sides)
    return tried(_label, element, labels, what), corners, (*labels, *sides)


def _by_names(
    box_format: BoxFormat | None, element: dict[str, Any], what: str
) -> tuple[Corners | Rejected, tuple[str, ...]]:
    """(corners, their keys) of a box with a key for each of its four numbers."""
    sides = EXTENT if has_extent(element) else SIDES
    form = box_format or ("xywh" if sides is EXTENT else "xyxy")
    if form == "xyxy" or any(side not in element for side in sides):
        return tried(by_sides, element, sides, what), sides
    return tried(corners_in, [element[side] for side in sides], f"of {what}", form), sides


def has_sides(box: Mapping[str, Any]) -> bool:
    """Whether a box has a known key for each of its four numbers."""
    return all(key in box for key in SIDES) or has_extent(box)


def has_extent(box: Any) -> bool:
    """Whether a box has its left and upper side, its width and height, and no other side."""
    return (
        isinstance(box, dict) and all(key in box for key in EXTENT) and not any(key in box for key in SIDES)
    )


def by_sides(element: dict[str, Any], sides: tuple[str, ...], what: str) -> Corners:
    """The four numbers that a box has under these keys.

    Raises:
      Rejected: one is missing, or is no number.
    """
    missing = [side for side in sides if side not in element]
    if missing:
        has = ", ".join(element)
        problem = Rejected("bad_box", what=f"of {what} has no {missing[0]}, but {as_shown(has)}")
        raise unread(problem, [element.get(side) for side in sides])
    return corners_in([element[side] for side in sides], f"of {what}", "xyxy")


@lru_cache(maxsize=64)
def _named_sides(keys: tuple[str, ...]) -> tuple[tuple[str, ...], BoxFormat] | None:
    """(keys in the order of their form, form) of four keys that say what they are; None: they do not."""
    try:
        found = find_box_columns(keys, are_boxes=True) if len(keys) == 4 else None
    except InputError:
        return None
    return None if found is None else (tuple(keys[column] for column in found.corners), found.form)


def _sides_of(box: Any) -> tuple[tuple[str, ...], BoxFormat] | None:
    """As `_named_sides`, of what should be a box."""
    return _named_sides(tuple(box)) if isinstance(box, dict) else None


def form_of_first(boxes: Any) -> tuple[BoxFormat | None, bool]:
    """(what the numbers of the first box are, whether x and y alone say so); None: there is no box.

    In arrays they are as COCO has them.
    """
    if not isinstance(boxes, list) or not boxes:
        return None, False
    if _has_sides_alone(boxes[0]):
        return "xywh" if has_extent(boxes[0]) else "xyxy", False
    named = _sides_of(_first(boxes[0], HUGGING_FACE_BOXES)) if isinstance(boxes[0], dict) else None
    return (named[1], named[0][:2] == ("x", "y")) if named else ("xywh", False)


def key_of_four(box: Any) -> str:
    """The key of a box without a known one that has four numbers, as `coordinates` does; empty: none has.

    A region may be around a box: beside sides under other names it is none.
    """
    if not isinstance(box, dict) or any(key in box for key in HUGGING_FACE_BOXES):
        return ""
    box = {key: value for key, value in box.items() if value is not None}
    if has_sides(box):
        return ""
    called = next((key for key, value in box.items() if is_place(key) and are_four(value)), "")
    is_box = not called or not is_region(called)
    return called if is_box or not _name_sides(tuple(key for key in box if not is_place(key))) else ""


@lru_cache(maxsize=64)
def _name_sides(keys: tuple[str, ...]) -> bool:
    """Whether some keys of a box are its sides, once or more, or its corners in an array."""
    try:
        return "vertices" in keys or find_box_columns(keys, are_boxes=True) is not None
    except InputError:  # of several
        return True


def are_four(value: Any) -> bool:
    """Whether a value is an array of four numbers."""
    return isinstance(value, list) and len(value) == 4 and all(type(each) in (int, float) for each in value)


def _hugging_face_form(
    box_format: BoxFormat | None, label_key: LabelKey, element: dict[str, Any], what: str
) -> tuple[Any, Corners | Rejected, tuple[str, ...]]:
    called = key_of_four(element) if box_format else ""  # whose numbers would have no form
    if called:
        element = {"bbox" if key == called else key: value for key, value in element.items()}
    corners: Corners | Rejected
    if _has_sides_alone(element):
        corners, taken = _by_names(box_format, element, what)
    else:
        corners, taken = tried(_in_array, box_format, element, what), HUGGING_FACE_BOXES
    labels: tuple[str, ...] = HUGGING_FACE_LABELS
    if not any(key in element for key in labels):
        labels = (*labels, *HUGGING_FACE_NAMES)
    labels = label_key.keys_in(element, labels, taken)
    return tried(_label, element, labels, what), corners, (*taken, *labels, called, "id")


def _has_sides_alone(box: Any) -> bool:
    """Whether a box has keys for its four numbers, and none for all of them."""
    return isinstance(box, dict) and has_sides(box) and not any(key in box for key in HUGGING_FACE_BOXES)


def _in_array(box_format: BoxFormat | None, element: dict[str, Any], what: str) -> Corners:
    """The corners of a box whose four numbers are under one key.

    Raises:
      Rejected: it has none of these keys, or they are no box.
    """
    if element and not any(key in element for key in HUGGING_FACE_BOXES):
        has = as_shown(", ".join(element))
        raise Rejected("bad_box", what=f"of {what} has no bbox of four numbers, but {has}")
    box, form = _first(element, HUGGING_FACE_BOXES), box_format or "xywh"
    if named := _sides_of(box):
        box, form = [box[side] for side in named[0]], box_format or named[1]
    return corners_in(box, f"of {what}", form)


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


def from_hugging_face(objects: Any, box_format: BoxFormat | None, label_key: LabelKey) -> tuple[Any, Form]:
    """``{"bbox": [[1, 2, 3, 4], …], "categories": [0, …]}`` as a list of boxes, and their form.

    A list of objects stays as it is; boxes there may name their sides: ``{"x": 1, "y": 2, "w": 3, "h": 4}``.
    Those without names are xywh unless ``box_format`` says otherwise. Lists of different lengths give one box
    that is none, with that problem.
    """
    form = partial(_hugging_face_form, box_format, label_key)
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


def are_beside_labels(boxes: Any, labels: Any) -> bool:
    """Whether both are lists, and boxes are without labels in there: ``[[1, 2, 3, 4], …]`` or none."""
    return isinstance(boxes, list) and isinstance(labels, list) and all(type(box) is list for box in boxes)


def paired(
    fields: Mapping[str, Any], boxes: str, labels: str
) -> tuple[list[dict[str, Any]], Collection[str]]:
    """(boxes with their labels and attributes, keys of these) of a line that has a list of each.

    Args:
      boxes, labels: keys of lists that `are_beside_labels` knows.

    Raises:
      Rejected: there are more of one than of the other.
    """
    count = len(fields[boxes])
    if len(fields[labels]) != count:
        has = f"{boxes} has {count}, {labels} {len(fields[labels])}"
        raise Rejected("bad_annotation", detail=f"not every box has its label: {has}")
    lists = {"bbox": fields[boxes], "label": fields[labels]}
    for key, value in fields.items():
        if isinstance(value, list) and len(value) == count and (attribute_called(key) or is_score(key)):
            lists[key] = value
    known = {boxes, labels, *lists}
    return [dict(zip(lists, each, strict=True)) for each in zip(*lists.values(), strict=True)], known


def _uneven(has: str) -> Form:
    def form(element: dict[str, Any], what: str) -> tuple[Any, Corners, tuple[str, ...]]:
        raise Rejected("bad_annotation", detail=f"objects has lists of different lengths: {has}")

    return form
