"""Boxes in JSON under the names of their classes: `{"file": "a.jpg", "found": {"cat": [[8, 4, 40, 20]]}}`.

The names may be keys of the image itself: `{"file": "a.jpg", "cat": [[8, 4, 40, 20]], "dog": []}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from tfrecordcli.sources.boxes.object_forms import are_four
from tfrecordcli.sources.boxes.unread_columns import may_be_class
from tfrecordcli.sources.column_words import known_columns
from tfrecordcli.sources.json.places_of_images import Place

_GATHERED: Final = "by_class"
_SIDES: Final = 4
_SEVERAL: Final = 2  # classes, where the key above them does not say that they are those of boxes
_ARRAYS: Final = (
    "[dict({{k: v for k, v in r.items() if not isinstance(v, list)}}, {key}={{k: v for k, v in r.items() "
    "if isinstance(v, list)}}) for r in {rows}]"
)


@dataclass(frozen=True, slots=True)
class ByClass:
    """What stands under the names of classes.

    Attributes:
      boxes: all of them, as objects with their class as ``label``: four numbers are under ``box``, and what
        stands behind these is their ``score``.
      code: Python that gives those of an image ``r`` under its key ``B``.
    """

    boxes: list[dict[str, Any]]
    code: str


def boxes_by_class(rows: Sequence[Mapping[str, Any]], key: str, *, are_called: bool) -> ByClass | None:
    """What a key of images holds of each class; None: it holds something else.

    Args:
      are_called: whether the key says that these are boxes: there may be a single class then, and one box of
        each, without an array around it, whatever its numbers are.
    """
    objects = [row.get(key) or {} for row in rows]
    if not all(isinstance(each, dict) for each in objects):
        return None
    told = [(name, value or []) for each in objects for name, value in each.items()]
    names = {name for name, _ in told}
    are_numbers = all(map(str.isdecimal, names))
    if not all(map(may_be_class, names)) or len(names) < (1 if are_called else _SEVERAL):
        return None
    if not all(isinstance(value, list) for _, value in told):
        return None
    alone = [value for _, value in told if are_four(value)]
    are_alone = bool(alone) and not are_numbers and (are_called or _may_be_boxes(alone))
    if are_alone:
        told = [(name, [value] if are_four(value) else value) for name, value in told]
    found = [(name, box) for name, value in told for box in value]
    are_objects = all(isinstance(box, dict) and not known_columns([*box], "label") for _, box in found)
    are_scored = not are_objects and all(map(_is_scored, (box for _, box in found)))
    if not found or not (are_objects or are_scored or all(are_four(box) for _, box in found)):
        return None
    each = "b" if are_objects else "box=b[:4], score=b[4]" if are_scored else "box=b"
    label = "int(c)" if are_numbers else "c"
    values = "([v] if v and not isinstance(v[0], list) else v or [])" if are_alone else "v or []"
    return ByClass(
        [
            (box if are_objects else {"box": box[:_SIDES]}) | {"label": int(name) if are_numbers else name}
            for name, box in found
        ],
        f"[dict({each}, label={label}) for c, v in (r.get(B) or {{}}).items() for b in {values}]",
    )


def _is_scored(box: Any) -> bool:
    """Whether an array has four numbers of a box, and how sure a model is of it."""
    is_one = isinstance(box, list) and len(box) == _SIDES + 1 and are_four(box[:_SIDES])
    return is_one and type(box[_SIDES]) in (int, float) and 0 <= box[_SIDES] <= 1


def _may_be_boxes(boxes: Sequence[Sequence[float]]) -> bool:
    """Whether arrays of four numbers may be boxes in pixels, and are no shares or counts."""
    return max(map(max, boxes)) > 1 and all(min(box) >= 0 and min(box[2:]) > 0 for box in boxes)


def gathered(place: Place) -> Place | None:
    """The place with all arrays of each image in one object, as boxes by class are; None: it has none."""
    rows = [
        {key: value for key, value in row.items() if not isinstance(value, list)}
        | {_GATHERED: {key: value for key, value in row.items() if isinstance(value, list)}}
        for row in place.rows
    ]
    if any(_GATHERED in row for row in place.rows) or not any(row[_GATHERED] for row in rows):
        return None
    return replace(place, rows=rows, code=_ARRAYS.format(key=_GATHERED, rows=place.code))


def classes_of(place: Place) -> list[str]:
    """The keys that `gathered` puts together."""
    return [*dict.fromkeys(chain.from_iterable(row[_GATHERED] for row in place.rows))]
