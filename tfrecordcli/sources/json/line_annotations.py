"""What a line of JSON Lines says of its image: labels, or boxes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.fit import reach
from tfrecordcli.sources.boxes.object_keys import likely_labels
from tfrecordcli.sources.boxes.predictions import is_score, need_no_scored_box
from tfrecordcli.sources.json.boxes import (
    Form,
    are_four,
    boxes_of,
    form_of_first,
    from_hugging_face,
    has_extent,
    key_of_four,
    paired,
    plain_form,
    vertex_form,
)
from tfrecordcli.sources.json.fields import as_label
from tfrecordcli.sources.json.line_file import MOST_UNCLEAR, LineFile
from tfrecordcli.sources.json.line_roles import ONE_BOX, Roles
from tfrecordcli.sources.label_fields import parts_of, positions_of_ones
from tfrecordcli.sources.listed import ListedBox
from tfrecordcli.sources.pandas_commands import lines_as_csv
from tfrecordcli.sources.studio_choices import choices_in


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a line says of its image, or why that cannot be used."""

    labels: tuple[str, ...] = ()
    boxes: tuple[ListedBox, ...] | None = None
    problem: Rejected | None = None


def annotations_of(
    place: str, fields: dict[str, Any], roles: Roles, file: LineFile, *, beside: bool
) -> tuple[str, Annotations, Collection[str]]:
    """(their kind, empty where there are none; what they say; keys beyond the roles that tell of them).

    Args:
      beside: whether the line has an array of boxes and one of their labels.
    """
    label, boxes = fields.get(roles.label), fields.get(roles.boxes)
    if beside and not file.needs_no_boxes:
        return ("boxes", *_beside_labels(place, fields, roles, file))
    if boxes is not None:
        return "boxes", _plain_boxes(place, boxes, roles.boxes, file), ()
    if label is None:
        return "", Annotations(), ()
    if (choices := choices_in(label)) is not None:
        return "a label", labels_in(choices, roles.label, file), ()
    kind = "" if label == [] else "several labels" if isinstance(label, list) else "a label"
    file.empty += label == []
    # Those of boxes are a label each, also where they are 0 and 1.
    if isinstance(label, list) and label and not beside and len(file.vectors) < MOST_UNCLEAR:
        file.vectors.append(tuple(map(str, label)))
    parts = parts_of(label, file.separator) if file.separator and isinstance(label, str) else as_list(label)
    return kind, labels_in(parts, roles.label, file), ()


def _plain_boxes(place: str, boxes: Any, key: str, file: LineFile) -> Annotations:
    """The boxes under a key of a line, ``objects`` as Hugging Face has them.

    Raises:
      InputError: nothing says what their numbers are.
    """
    form: Form = partial(plain_form, file.box_format, file.label_key)
    called = next(filter(None, map(key_of_four, as_list(boxes))), "")
    if called and file.box_format is None and not (file.has_extents or file.has_corners):
        numbers = [each.get(called) for each in as_list(boxes) if isinstance(each, dict)]
        raise _form_unsaid(file, place, f"{called} of {key}", numbers)
    if key == "objects" or called:
        boxes, form = from_hugging_face(boxes, file.box_format, file.label_key)
        named, calls_xy = form_of_first(boxes)
        file.has_extents |= file.box_format in (None, "xywh") and named == "xywh"
        file.has_corners |= named == "xyxy"
        file.calls_xy |= calls_xy
    else:
        is_extent = isinstance(boxes, list) and any(map(has_extent, boxes))
        file.has_extents |= is_extent and file.box_format in (None, "xywh")
        file.has_corners |= not is_extent
    return boxes_in(boxes, key, form, file, place)


def _beside_labels(
    place: str, fields: dict[str, Any], roles: Roles, file: LineFile
) -> tuple[Annotations, Collection[str]]:
    """(boxes, keys that tell of them) of a line with an array of boxes and one of their labels.

    Raises:
      InputError: nothing says what the four numbers of a box are.
    """
    if fields[roles.beside] and file.box_format is None:
        raise _form_unsaid(file, place, roles.beside, fields[roles.beside])
    try:
        pairs, known = paired(fields, roles.beside, roles.label)
    except Rejected as problem:
        return Annotations(problem=problem), (roles.beside, roles.label)
    form = from_hugging_face(pairs, file.box_format, file.label_key)[1]
    return boxes_in(pairs, roles.beside, form, file, place), known


def unclear_boxes(fields: dict[str, Any], roles: Roles, name: str) -> InputError | None:
    """Why boxes of a line are not certain; where it has one, with the command that makes a CSV of all."""
    why, command = roles.unclear_boxes, ""
    if why is not None and any(key.lower() in ONE_BOX and are_four(value) for key, value in fields.items()):
        command = lines_as_csv(name)
    return InputError(why.message, f"make a CSV of it: {command}") if why and command else why


def _form_unsaid(file: LineFile, place: str, key: str, boxes: Any) -> InputError:
    """What is said of boxes without names for their numbers, under a key that tells no form.

    Corners in another order are none; nor are fractions extents that end beyond their image, and they are
    centres more often.
    """
    what = f"{file.name}: {place}: nothing says what the four numbers in {key} are"
    corners = "--box-format xyxy: xmin, ymin, xmax, ymax, as torchvision has them"
    extents = "--box-format xywh: xmin, ymin, width, height, as COCO has them"
    centers = "--box-format center_xywh: center x, center y, width, height, as YOLO has them"
    found = [each for each in as_list(boxes) if isinstance(each, list) and are_four(each)]
    ways = [corners] if all(box[0] <= box[2] and box[1] <= box[3] for box in found) else []
    if not all(0 <= number <= 1 for box in found for number in box):
        ways += [extents, centers]
    else:
        are_within = all(max(box[0] + box[2], box[1] + box[3]) <= reach(1.0) for box in found)
        ways += [centers, *([extents] if are_within else [])]
    return InputError(what, "; ".join(ways))


def as_list(value: Any) -> list[Any]:
    """A value, or the several that it is."""
    return value if isinstance(value, list) else [value]


def labels_in(names: list[Any], key: str, file: LineFile) -> Annotations:
    """The labels under a key of a line, each once."""
    if file.needs_one_number and len(names) > 1:
        detail = f"{key} has {len(names)} values, where one number is to be predicted"
        return Annotations(problem=Rejected("bad_annotation", detail=detail))
    try:
        labels = tuple(as_label(each, key) for each in names)
        found = positions_of_ones(labels, file.places) if file.places else labels
        return Annotations(tuple(dict.fromkeys(found)))
    except Rejected as problem:
        return Annotations(problem=problem)


def boxes_in(found: Any, key: str, form: Form, file: LineFile, place: str) -> Annotations:
    """The boxes under a key of a line, in a form.

    Raises:
      InputError: they have scores.
    """
    boxes, problem = boxes_of(found, key, form, file.unused)
    if problem is not None and form is not vertex_form:
        file.add_texts(likely_labels(found, {*chain(*file.roles)}))
    file.has_labels_of_boxes |= problem is None and bool(boxes)
    if any(map(is_score, file.unused)):
        for number, box in enumerate(as_list(found)):
            need_no_scored_box(box, f"{file.name}: {place}: {key}[{number}]", file.name)
    return Annotations(boxes=boxes, problem=problem)
