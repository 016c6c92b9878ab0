"""Columns called after boxes or outlines that hold some and are not read, and what makes boxes of these."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final, NamedTuple

from tfrecordcli.sources.boxes.fields import four_numbers, is_no_box, may_be_boxes
from tfrecordcli.sources.boxes.in_text import (
    around_outlines,
    is_json_of_boxes,
    is_outline,
    parted,
    renamed,
    shown,
)
from tfrecordcli.sources.boxes.named_sides import name_sides, parted_sides
from tfrecordcli.sources.boxes.points_in_text import around_points, holds_outlines
from tfrecordcli.sources.boxes.two_points import are_two_points, parted_points
from tfrecordcli.sources.boxes.well_known_text import around_shapes, column_of_shapes
from tfrecordcli.sources.boxes.words import WHOLE_WORDS, as_word

# Words that say that a column holds boxes, whatever stands beside them; and those that names of boxes
# or outlines are made of: `box_id` is none of them, and four numbers called geometry may be a place on earth.
_SURE: Final = frozenset({"bbox", "bboxes", "boundingbox", "boundingboxes", "bndbox"})
BOX_WORDS: Final = _SURE | {"box", "boxes", "bounding", "rect", "rects", "rectangle", "rectangles"}
_OUTLINE_WORDS: Final = frozenset({"geometry", "vertices", "contour", "contours", "outline"})
# Of what holds objects of JSON, be they boxes or not.
_OBJECT_WORDS: Final = frozenset(
    {"annotation", "annotations", "object", "objects", "detections", "shape", "shapes"}
)
# Of forms of boxes, and of places in an image or elsewhere: these may be boxes where all are four numbers.
_FORM_WORDS: Final = frozenset({"xyxy", "xywh", "yxyx", "cxcywh", "roi", "rois"})
_PLACE_WORDS: Final = _FORM_WORDS | {
    "coord", "coords", "coordinate", "coordinates", "region", "regions", "location", "position", "outline",
}  # fmt: skip
_BESIDE_BOX: Final = _PLACE_WORDS | {
    "px", "pixel", "pixels", "d", "gt", "object", "objects", "obj", "annotation", "annotations", "face",
    "person",
}  # fmt: skip
# Of what told of boxes, or is done with them.
_KIND_WORDS: Final = frozenset(
    {"gt", "truth", "pred", "preds", "predicted", "prediction", "predictions", "ignore", "ignored"}
    | {"anchor", "anchors", "proposal", "proposals", "crop", "crops"}
)
_NO_CLASSES: Final = BOX_WORDS | _OUTLINE_WORDS | _OBJECT_WORDS | _PLACE_WORDS | _KIND_WORDS
_NAME_PART: Final = re.compile("[A-Z]?[a-z]+|[A-Z]+")


class UnreadBoxes(NamedTuple):
    """A column that holds boxes and is not read.

    Attributes:
      what: it holds, for a message.
      hint: what makes boxes of it.
    """

    what: str
    hint: str


def unread_boxes(
    columns: Mapping[str, Sequence[str]],
    name: str,
    delimiter: str,
    beside: Callable[[str], Mapping[str, str]],
    *,
    of_any_name: bool = False,
) -> UnreadBoxes | None:
    """The first column that holds boxes or outlines; None: there is none.

    Args:
      columns: fields by name, of columns that are not read.
      name, delimiter: of the list.
      beside: columns with a value for each box of a column, as `as_many_beside` finds them.
      of_any_name: whether fields that name the sides of a box say enough, whatever their column is called.
    """
    if column := column_of_shapes(columns):
        field = shown(next(filter(None, columns[column])))
        what = f"column {column} holds outlines of objects, as {field}, and is none of those that are read"
        return UnreadBoxes(what, around_shapes(column, name, delimiter))
    for column, fields in columns.items():
        told = [field for field in fields if not is_no_box(field)]
        hint = _boxes_of(column, told, name, delimiter, beside) if told else ""
        if not hint and told and of_any_name and name_sides(told):
            hint = parted_sides(column, told[0], name, delimiter)
        if hint:
            is_sure = is_called(column, BOX_WORDS | _FORM_WORDS) or name_sides(told)
            what = "holds boxes" if is_sure else "may be boxes"
            what = "holds outlines of objects" if is_outline(told[0]) or holds_outlines(told[0]) else what
            what = f"column {column} {what}, as {shown(told[0])}, and is none of those that are read"
            return UnreadBoxes(what, hint)
    return None


def _boxes_of(
    column: str, told: Sequence[str], name: str, delimiter: str, beside: Callable[[str], Mapping[str, str]]
) -> str:
    """What makes boxes of a column of such fields; empty: they are none, or it is not called so."""
    may_be = is_called(column, BOX_WORDS | _PLACE_WORDS)
    is_of_objects = is_called(column, _OBJECT_WORDS)
    is_typed = is_called(told[0].partition("(")[0].lower(), BOX_WORDS)
    if (may_be or is_of_objects or is_typed) and name_sides(told):
        return parted_sides(column, told[0], name, delimiter)
    if may_be and are_two_points(told):
        return parted_points(column, name, delimiter)
    if (may_be or is_called(column, _OUTLINE_WORDS)) and all(map(is_outline, told)):
        return around_outlines(column, name, delimiter)
    if may_be and all(map(four_numbers, told)):
        is_one = is_called(column, BOX_WORDS | _FORM_WORDS) or may_be_boxes(told)
        is_known = as_word(column) in WHOLE_WORDS  # what is wrong is another column
        return renamed(column, name, delimiter) if is_one and not is_known else ""
    may_hold = may_be or is_of_objects or is_called(column, _OUTLINE_WORDS)
    if may_hold and all(map(holds_outlines, told)):
        return around_points(column, told[0], name, delimiter)
    if (is_of_objects or is_called(column, BOX_WORDS)) and all(map(is_json_of_boxes, told)):
        return parted(column, told[0], name, delimiter, beside(column))
    return ""


def is_called(name: str, words: Set[str]) -> bool:
    """Whether a name is made of these words, and of others that say how the numbers are meant."""
    parts = set(map(str.lower, _NAME_PART.findall(name)))
    return not _SURE.isdisjoint(parts) or (not words.isdisjoint(parts) and parts <= words | _BESIDE_BOX)


def may_be_class(name: str) -> bool:
    """Whether what boxes stand under may be their class, and does not say that they are boxes, or whose."""
    return not is_called(name, _NO_CLASSES)
