"""JSON Lines: an object for each image, as Vertex AI, Hugging Face (metadata.jsonl) and people write them.

Vertex AI: https://cloud.google.com/vertex-ai/docs/image-data/classification/prepare-data; Hugging Face:
https://huggingface.co/docs/datasets/image_dataset. An array of such objects is read as well.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tfrecordcli.boxes import Unit
from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.csv_columns import KNOWN_COLUMNS
from tfrecordcli.sources.json_boxes import Form, boxes_of, from_hugging_face, plain_form, vertex_form
from tfrecordcli.sources.json_fields import as_label, as_path, as_shown, as_size, as_texts
from tfrecordcli.sources.json_stream import MAX_ELEMENT, NotJson, open_json, parse, stream
from tfrecordcli.sources.listed import Findings, ListedImage
from tfrecordcli.sources.text_encoding import not_text
from tfrecordcli.units import some_of

VERTEX_IMAGE: Final = "imageGcsUri"
_VERTEX_FURTHER: Final = "dataItemResourceLabels"
_ML_USE: Final = "aiplatform.googleapis.com/ml_use"
# Keys of annotations -> what they hold, as messages say it. Two of these in one file contradict each other.
_VERTEX_KINDS: Final = {
    "classificationAnnotation": "a label",
    "classificationAnnotations": "several labels",
    "boundingBoxAnnotations": "boxes",
}
_PLAIN_BOXES: Final = ("boxes", "objects")
_TRAINING_LIST: Final = "give the list that the model was trained with"
# Keys of lines that are no lists of labelled images: what they are, and the way out.
_REFUSED: Final = {
    "prediction": ("prediction results of Vertex AI", _TRAINING_LIST),
    "predictions": ("prediction results", _TRAINING_LIST),
    "confidences": ("prediction results of Vertex AI", _TRAINING_LIST),
    "textContent": ("a list of texts", "only images are converted"),
    "textGcsUri": ("a list of texts", "only images are converted"),
    "videoGcsUri": ("a list of videos", "extract their frames, and list these"),
    "polygonAnnotations": ("a list of polygons", "write their boxes as boundingBoxAnnotations"),
    "polylineAnnotations": ("a list of lines", "write boxes as boundingBoxAnnotations"),
    "segmentationAnnotation": ("a list of masks", "write their boxes as boundingBoxAnnotations"),
    "source-ref": (
        "a manifest of SageMaker Ground Truth",
        "write image_uri, and label or boxes, in each line",
    ),
    "data_row": ("an export of Labelbox", "export it as COCO"),
    "xmin": ("a list with one box a line", "make a CSV of it: pandas.read_json(…, lines=True).to_csv(…)"),
}
# Keys of boxes in forms that cannot be read for certain.
_UNCERTAIN_BOXES: Final = ("annotations", "bbox", "bboxes", "bounding_box", "bounding_boxes", "box")
_FORM: Final = 'write "boxes": [{"label": "…", "xmin": …, "ymin": …, "xmax": …, "ymax": …}, …]'
# Fractions may overshoot by rounding, and no list has boxes of two pixels only.
_MOST_FRACTION: Final = 1.01
_FEWEST_PIXELS: Final = 2.0

Columns = Sequence[tuple[str, str]]
_Line = tuple[str, Any]  # (place, value or NotJson)


@dataclass(slots=True)
class _Survey:
    """What the lines of a file have in common.

    Attributes:
      kinds: of annotations -> the place of the first line that has it.
      largest: number of a box.
      has_fraction: whether a number of a box is not whole.
      keys: of boxes that are not stored.
    """

    kinds: dict[str, str] = field(default_factory=dict)
    largest: float = 0.0
    has_fraction: bool = False
    keys: dict[str, None] = field(default_factory=dict)


def read_json_lines(
    path: str,
    findings: Findings,
    name: str = "",
    encoding: str = "utf-8",
    columns: Columns = (),
    unit: Unit | None = None,
    box_format: BoxFormat = "xywh",
) -> Iterator[ListedImage]:
    """The images of a file of JSON Lines, or of an array of such objects, in its order.

    The file is read twice, since only all of its boxes show their unit. A line without a key for annotations
    is not labelled (``boxes`` is None); one with an empty list of boxes shows nothing. Keys that are not
    known become ``extras``. A line that cannot be used has a problem.

    Args:
      findings: complete when the first image comes.
      name: of the file, as messages call it; its path when left out.
      columns: (what it holds, key): ``image_uri``, ``split`` and ``label`` under other names.
      unit: of the boxes, where it is known; else told by their numbers.
      box_format: of ``objects``.

    Raises:
      InputError: lines are of different kinds, or of one that is not read; no key names the image; the unit
        cannot be told.
    """
    name = name or path
    survey = _Survey()
    is_empty = True
    for image in _images(path, name, encoding, columns, survey, box_format):
        is_empty = False
        _measure(image, survey)
    if is_empty:
        raise InputError(f"{name}: there is nothing in it", "is it the right file?")
    if "boxes" in survey.kinds:
        unit = unit or _unit(survey, name)
        findings.notes.append(f"boxes are in {unit}" + (" of the image" if unit == "fractions" else ""))
    if survey.keys:
        findings.notes.append(f"keys of boxes that are not stored: {some_of(list(survey.keys))}")
    for image in _images(path, name, encoding, columns, _Survey(), box_format):
        yield image if image.unit == "fractions" or unit is None else replace(image, unit=unit)


def _measure(image: ListedImage, survey: _Survey) -> None:
    if image.unit == "fractions":
        return
    for box in image.boxes or ():
        for number in box.corners:  # nan compares with nothing
            survey.largest = max(survey.largest, abs(number))
            survey.has_fraction = survey.has_fraction or number % 1 > 0


def _unit(survey: _Survey, name: str) -> Unit:
    """The unit of boxes by all of their numbers.

    Raises:
      InputError: they could be either.
    """
    if survey.largest > _FEWEST_PIXELS or not survey.largest:
        return "pixels"
    if survey.largest <= _MOST_FRACTION and survey.has_fraction:
        return "fractions"
    what = f"the largest number of a box is {survey.largest:g}: pixels, or fractions of the image?"
    raise InputError(f"{name}: {what}", "--box-unit pixels or --box-unit fractions says it")


def _images(
    path: str, name: str, encoding: str, columns: Columns, survey: _Survey, box_format: BoxFormat
) -> Iterator[ListedImage]:
    for place, value in _lines(path, name, encoding):
        if isinstance(value, NotJson):
            detail = f"this is no JSON: {value.what}"
            yield ListedImage(place, "", problem=Rejected("bad_annotation", detail=detail))
        elif not isinstance(value, dict):
            detail = f"{as_shown(value)} stands where an object is needed"
            yield ListedImage(place, "", problem=Rejected("bad_annotation", detail=detail))
        else:
            _need_images(value, f"{name}: {place}")
            is_vertex = VERTEX_IMAGE in value
            kind, image = (
                _vertex(place, value, survey)
                if is_vertex
                else _plain(place, value, _roles(value, columns, f"{name}: {place}"), survey, box_format)
            )
            _need_one_kind(kind and f"{kind} of Vertex AI" if is_vertex else kind, place, name, survey)
            yield image


def _lines(path: str, name: str, encoding: str) -> Iterator[_Line]:
    """(place, value) of each line that is not blank, or of each element of an array."""
    with contextlib.closing(_text_lines(path, name, encoding)) as lines:
        is_array = next(lines, ("", ""))[1].lstrip().startswith("[")
    if is_array:
        for _, index, element in stream(path, name, encoding):
            yield f"[{index}]", element
        return
    for place, text in _text_lines(path, name, encoding):
        try:
            yield place, parse(text)
        except NotJson as error:
            yield place, error


def _text_lines(path: str, name: str, encoding: str) -> Generator[tuple[str, str], None, None]:
    with open_json(path, name, encoding) as file:
        number = 0
        try:
            while line := file.readline(MAX_ELEMENT):
                number += 1
                if len(line) == MAX_ELEMENT:
                    what = f"line {number} is longer than {MAX_ELEMENT:,} characters"
                    raise InputError(f"{name}: {what}", "JSON Lines have one image a line")
                if not line.isspace():
                    yield f"line {number}", line
        except UnicodeError:
            raise not_text(path, name, encoding) from None


def _need_images(fields: dict[str, Any], place: str) -> None:
    """Refuses a file of which a line shows that it is no list of labelled images."""
    for key, (what, hint) in _REFUSED.items():
        if key in fields:
            raise InputError(f"{place}: this is {what}: it has {key}", hint)


def _need_one_kind(kind: str, place: str, name: str, survey: _Survey) -> None:
    if not kind:
        return
    survey.kinds.setdefault(kind, place)
    if len(survey.kinds) > 1:
        (one, first), (other, second) = survey.kinds.items()
        what = f"{first} has {one}, {second} has {other}"
        raise InputError(f"{name}: {what}", "give each kind in a file of its own")


def _vertex(place: str, fields: dict[str, Any], survey: _Survey) -> tuple[str, ListedImage]:
    """(kind of its annotations, image)."""
    further = fields.get(_VERTEX_FURTHER)
    further = further if isinstance(further, dict) else {}
    split = further.get(_ML_USE)
    uri, problem = as_path(fields[VERTEX_IMAGE], VERTEX_IMAGE)
    known = (VERTEX_IMAGE, _VERTEX_FURTHER, *_VERTEX_KINDS)
    extras = as_texts(further, (_ML_USE,)) | as_texts(fields, known)
    image = ListedImage(
        place, uri, split if isinstance(split, str) else "", unit="fractions", extras=extras, problem=problem
    )
    keys = [key for key in _VERTEX_KINDS if fields.get(key) is not None]
    if not keys:
        return "", image
    if len(keys) > 1:
        detail = f"it has both {keys[0]} and {keys[1]}"
        return "", replace(image, problem=Rejected("bad_annotation", detail=detail))
    key = keys[0]
    if key == "boundingBoxAnnotations":
        return _VERTEX_KINDS[key], _with_boxes(image, fields[key], key, vertex_form, survey)
    given = fields[key] if key == "classificationAnnotations" else [fields[key]]
    names = [each.get("displayName") if isinstance(each, dict) else each for each in _as_list(given)]
    return _VERTEX_KINDS[key], _with_labels(image, names, key)


@dataclass(frozen=True, slots=True)
class _Roles:
    """The keys of a line that hold what is known; empty: there is none."""

    image: str
    split: str
    label: str
    boxes: str


def _roles(fields: dict[str, Any], columns: Columns, place: str) -> _Roles:
    """Which keys of a line hold what.

    Raises:
      InputError: no key names the image, or two keys could hold the same thing.
    """
    chosen = dict(columns)
    found = {}
    for role, known in KNOWN_COLUMNS.items():
        keys = [chosen[role]] if role in chosen else [key for key in fields if key.lower() in known]
        if len(keys) > 1:
            what = f"both {keys[0]} and {keys[1]} could be the {role.replace('image_uri', 'image')}"
            raise InputError(f"{place}: {what}", f"--columns {role}={keys[0]} chooses")
        found[role] = keys[0] if keys else ""
    if not found["image_uri"]:
        what = f"no key names the image; its keys are {some_of(list(fields), 20) or 'none'}"
        raise InputError(f"{place}: {what}", "--columns image_uri=KEY says which one does")
    boxes = [key for key in _PLAIN_BOXES if key in fields]
    uncertain = [key for key in fields if key.lower() in _UNCERTAIN_BOXES]
    if uncertain or len(boxes) > 1:
        what = f"boxes in {(uncertain or boxes)[-1]} are not of a form that is read"
        raise InputError(f"{place}: {what}", _FORM)
    if boxes and found["label"]:
        what = f"it has boxes ({boxes[0]}) and a label of the whole image ({found['label']})"
        raise InputError(f"{place}: {what}", "leave one of them out, or give it another name")
    return _Roles(found["image_uri"], found["split"], found["label"], boxes[0] if boxes else "")


def _plain(
    place: str, fields: dict[str, Any], roles: _Roles, survey: _Survey, box_format: BoxFormat
) -> tuple[str, ListedImage]:
    """(kind of its annotations, image)."""
    uri, problem = as_path(fields.get(roles.image), roles.image)
    split = fields.get(roles.split)
    image = ListedImage(place, uri, "" if split is None else str(split), problem=problem)
    known = [roles.image, roles.split, roles.label, roles.boxes]
    boxes, label = fields.get(roles.boxes), fields.get(roles.label)
    if boxes is not None:
        image = replace(image, width=as_size(fields.get("width")), height=as_size(fields.get("height")))
        known += ["width", "height"]
    image = replace(image, extras=as_texts(fields, known))
    if boxes is not None:
        form: Form = plain_form
        if roles.boxes == "objects":
            boxes, form = from_hugging_face(boxes, box_format)
        return "boxes", _with_boxes(image, boxes, roles.boxes, form, survey)
    if label is None:
        return "", image
    kind = "several labels" if isinstance(label, list) else "a label"
    return kind, _with_labels(image, _as_list(label), roles.label)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _with_labels(image: ListedImage, names: list[Any], key: str) -> ListedImage:
    try:
        labels = [as_label(each, key) for each in names]
    except Rejected as problem:
        return replace(image, problem=image.problem or problem)
    return replace(image, labels=tuple(dict.fromkeys(labels)))


def _with_boxes(image: ListedImage, found: Any, key: str, form: Form, survey: _Survey) -> ListedImage:
    boxes, problem = boxes_of(found, key, form, survey.keys)
    return replace(image, boxes=boxes, problem=image.problem or problem)
