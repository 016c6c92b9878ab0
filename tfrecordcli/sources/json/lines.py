"""JSON Lines: an object for each image, as Vertex AI, Hugging Face (metadata.jsonl) and people write them.

Vertex AI: https://cloud.google.com/vertex-ai/docs/image-data/classification/prepare-data; Hugging Face:
https://huggingface.co/docs/datasets/image_dataset. An array of such objects is read as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.predictions import is_score, need_no_scored_box
from tfrecordcli.sources.column_words import KNOWN_COLUMNS, likely_columns
from tfrecordcli.sources.json.boxes import (
    Form,
    are_beside_labels,
    boxes_of,
    form_of_first,
    from_hugging_face,
    has_extent,
    paired,
    plain_form,
    vertex_form,
)
from tfrecordcli.sources.json.chats import chat_hint
from tfrecordcli.sources.json.cloud_lines import (
    AZURE_IMAGE,
    SAGEMAKER_IMAGE,
    LineReader,
    azure_boxes,
    holds_azure_boxes,
    sagemaker_line,
)
from tfrecordcli.sources.json.fields import as_label, as_path, as_shown, as_size, further_of
from tfrecordcli.sources.json.line_roles import PLAIN_BOXES, Columns, Roles, refusal_of, roles_of
from tfrecordcli.sources.json.line_stream import lines_of
from tfrecordcli.sources.json.stream import NotJson
from tfrecordcli.sources.label_fields import NOTE_OF_PLACES, odd_among_vectors, places_of, positions_of_ones
from tfrecordcli.sources.listed import Findings, ListedBox, ListedImage
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
# Sets of keys whose roles are kept: most files have one.
_MOST_ROLES: Final = 1000
# Objects that are looked at for one that is clear, before a list is refused.
_MOST_UNCLEAR: Final = 1000


def read_json_lines(
    path: str,
    findings: Findings,
    name: str = "",
    encoding: str = "utf-8",
    columns: Columns = (),
    box_format: BoxFormat | None = None,
    needs_labels: bool = False,
    needs_no_boxes: bool = False,
) -> Iterator[ListedImage]:
    """The images of a file of JSON Lines, or of an array of such objects, in its order.

    A line without a key for annotations is not labelled (``boxes`` is None); one with an empty list of boxes
    shows nothing. Keys that are not known become ``extras``. A line that cannot be used has a problem. Boxes
    of Vertex AI are fractions; the unit of others is that of the whole list, which their numbers tell.

    Args:
      findings: complete after the last image; whether it is a list of boxes is known before the first.
      name: of the file, as messages call it; its path when left out.
      columns: (what it holds, key): ``image_uri``, ``split`` and ``label`` under other names.
      box_format: of boxes; None: ``objects`` are xywh, and plain ones what their keys say.
      needs_labels: whether a list without any is refused.
      needs_no_boxes: whether of labels beside an array of boxes these alone are read.

    Raises:
      InputError: lines are of different kinds; of none of the first 1,000 it is certain which image it names
        and what it says of it.
    """
    file, begin = (_File(name or path, columns, box_format, needs_no_boxes) for _ in range(2))
    findings.tells_splits = True
    findings.has_boxes = file.has_boxes = _has_boxes(path, encoding, begin)
    file.places = _places(begin)
    if file.places:
        findings.notes.append(NOTE_OF_PLACES.format(example=f"[{', '.join(begin.vectors[0])}]"))
    is_empty = True
    for place, value in lines_of(path, file.name, encoding):
        is_empty = False
        yield _image(place, value, file)
    if is_empty:
        raise InputError(f"{file.name}: there is nothing in it", "is it the right file?")
    if needs_labels and not file.kinds and file.roles:
        raise _no_label(file)
    findings.calls_xy = file.calls_xy
    findings.form = "xywh" if file.has_extents else "xyxy" if file.has_corners else None
    findings.keys_of_boxes.update(file.unused)
    findings.columns.update(*file.roles)
    if file.unused:
        findings.notes.append(f"keys of boxes that are not stored: {some_of(list(file.unused))}")


def _no_label(file: _File) -> InputError:
    """The refusal of a list in which no line has a label or boxes."""
    keys, roles = next(iter(file.roles.items()))
    known = {roles.image, roles.split, *KNOWN_COLUMNS["label"]}
    free = [key for key in keys if key not in known]
    likely = next((free[i] for i in likely_columns(free, "label")), "KEY")
    chats = chat_hint(keys, file.name)
    which = f"{chats}; " if chats else f"--columns label={likely} says which one holds it; " if free else ""
    return InputError(
        f"{file.name}: no line has a label; the keys are {some_of(list(keys), 20)}",
        f"{which}--unlabelled keep takes images without labels",
    )


@dataclass(slots=True)
class _File:
    """How lines of a file are read, and what was met in them.

    Attributes:
      kinds: of annotations -> the place of the first line that has it.
      roles: of the keys of a line, by these keys.
      unused: keys of boxes that are not stored.
      has_boxes: whether it is known to be a list of boxes.
      has_extents: whether boxes of any line so far are four numbers under one key, or begin at ``left``.
      has_corners: whether those of any line so far have a key for each corner.
      calls_xy: whether the place of any box so far is called x and y alone.
      is_clear: whether of any line so far it is certain which image it names, and how.
      unclear: what is wrong with the first line of which it is not.
      vectors: labels of the first lines that have several.
      empty: lines whose list of labels is empty, which tell nothing of the others.
      places: how many places the labels of a line have, which are 0 or 1; 0: they are labels themselves.
    """

    name: str
    columns: Columns
    box_format: BoxFormat | None
    needs_no_boxes: bool = False
    kinds: dict[str, str] = field(default_factory=dict)
    roles: dict[tuple[str, ...], Roles] = field(default_factory=dict)
    unused: dict[str, None] = field(default_factory=dict)
    has_boxes: bool = False
    has_extents: bool = False
    has_corners: bool = False
    calls_xy: bool = False
    is_clear: bool = False
    unclear: InputError | None = None
    vectors: list[tuple[str, ...]] = field(default_factory=list)
    empty: int = 0
    places: int = 0


def _has_boxes(path: str, encoding: str, file: _File) -> bool:
    """Whether the first line with annotations has boxes.

    Raises:
      InputError: as `read_json_lines`.
    """
    for number, (place, value) in enumerate(lines_of(path, file.name, encoding), start=1):
        _image(place, value, file)
        if (file.kinds and file.is_clear and not file.vectors) or number - file.empty == _MOST_UNCLEAR:
            break
    if file.unclear and not file.is_clear:
        raise file.unclear
    return any(kind.startswith("boxes") for kind in file.kinds)


def _places(file: _File) -> int:
    """How many places of 0 and 1 the labels of each line have.

    Raises:
      InputError: most lines have such places, and too many others have not.
    """
    places = places_of(file.vectors)
    odd = "" if places else odd_among_vectors(file.vectors)
    if odd:
        raise InputError(f"{file.name}: {odd}", "write the same number of places in each line")
    return places


def _image(place: str, value: Any, file: _File) -> ListedImage:
    if isinstance(value, dict):
        is_vertex = VERTEX_IMAGE in value
        of_cloud = _reader_of_cloud(value, file)
        if of_cloud is not None:
            file.is_clear = True
            kind, image = of_cloud(place, value, file.name, file.unused)
        else:
            kind, image = (_vertex if is_vertex else _plain)(place, value, file)
        if kind:
            _need_one_kind(f"{kind} of Vertex AI" if is_vertex else kind, place, file)
        return image
    is_broken = isinstance(value, NotJson)
    detail = f"this is no JSON: {value.what}" if is_broken else f"{as_shown(value)} is no object"
    return ListedImage(place, "", problem=Rejected("bad_annotation", detail=detail))


def _reader_of_cloud(fields: dict[str, Any], file: _File) -> LineReader | None:
    """What reads a line of SageMaker, or one of Azure with boxes; None: it is neither."""
    if SAGEMAKER_IMAGE in fields:
        return sagemaker_line
    if any(key in fields for key in PLAIN_BOXES):
        return None
    shows_nothing = file.has_boxes and AZURE_IMAGE in fields and fields.get("label") == []
    return azure_boxes if shows_nothing or holds_azure_boxes(fields) else None


def _need_one_kind(kind: str, place: str, file: _File) -> None:
    file.kinds.setdefault(kind, place)
    if len(file.kinds) > 1:
        (one, first), (other, second) = file.kinds.items()
        what = f"{first} has {one}, {second} has {other}"
        raise InputError(f"{file.name}: {what}", "give each kind in a file of its own")


def _vertex(place: str, fields: dict[str, Any], file: _File) -> tuple[str, ListedImage]:
    """(kind of its annotations, image)."""
    if (refusal := refusal_of(fields, file.name)) is not None:
        return "", _unclear(place, as_path(fields[VERTEX_IMAGE], VERTEX_IMAGE), refusal, file)
    file.is_clear = True
    further = fields.get(_VERTEX_FURTHER)
    further = further if isinstance(further, dict) else {}
    split = further.get(_ML_USE)
    uri, problem = as_path(fields[VERTEX_IMAGE], VERTEX_IMAGE)
    keys = [key for key in _VERTEX_KINDS if fields.get(key) is not None]
    key = keys[0] if keys else ""
    found = _Annotations()
    if len(keys) > 1:
        problem = Rejected("bad_annotation", detail=f"it has both {keys[0]} and {keys[1]}")
    elif key == "boundingBoxAnnotations":
        found = _boxes(fields[key], key, vertex_form, file, place)
    elif key:
        given = fields[key] if key == "classificationAnnotations" else [fields[key]]
        names = [each.get("displayName") if isinstance(each, dict) else each for each in _as_list(given)]
        found = _labels(names, key, file)
    kind = _VERTEX_KINDS[key] if len(keys) == 1 else ""
    return kind, ListedImage(
        place,
        uri,
        split if isinstance(split, str) else "",
        labels=found.labels,
        boxes=found.boxes,
        unit="fractions",
        extras=further_of(further, (_ML_USE,))
        | further_of(fields, (VERTEX_IMAGE, _VERTEX_FURTHER, *_VERTEX_KINDS)),
        problem=problem or found.problem,
    )


def _unclear(place: str, image: tuple[str, Rejected | None], why: InputError, file: _File) -> ListedImage:
    """A line that cannot be used; a list that has no other ones is refused for the first of these.

    Args:
      image: its URI, and why that cannot be used.
    """
    uri, problem = image
    file.unclear = file.unclear or InputError(f"{file.name}: {place}: {why.message}", why.hint)
    return ListedImage(place, uri, problem=problem or Rejected("bad_annotation", detail=why.message))


def _object_for_path(value: Any, key: str) -> InputError | None:
    """Why a line names no image where an object stands in its place: `{"image": {"path": "a.jpg"}}`."""
    if not isinstance(value, dict):
        return None
    what = f"{key} is an object with the keys {some_of(list(value), 8) or 'none'}, where a path is needed"
    return InputError(what, f'write the path itself: {{"{key}": "…"}}')


def _plain(place: str, fields: dict[str, Any], file: _File) -> tuple[str, ListedImage]:
    """(kind of its annotations, image)."""
    roles = _roles(fields, file)
    held = {key: value for key, value in fields.items() if key} if "" in fields else fields
    uri, problem = as_path(held.get(roles.image), roles.image)
    unclear = roles.unclear or _object_for_path(held.get(roles.image), roles.image)
    beside = bool(roles.beside) and are_beside_labels(held[roles.beside], held.get(roles.label))
    unclear = unclear or (None if beside else roles.unclear_boxes)
    if unclear is not None:
        return "", _unclear(place, (uri, problem), unclear, file)
    file.is_clear = True
    split = held.get(roles.split)
    kind, found, keys = _annotations(place, held, roles, file, beside=beside)
    known = {roles.image, roles.split, roles.label, roles.boxes, *keys}
    has_boxes = kind == "boxes"
    return kind, ListedImage(
        place,
        uri,
        "" if split is None else str(split),
        labels=found.labels,
        boxes=found.boxes,
        unit=None,
        width=as_size(fields.get("width")) if has_boxes else None,
        height=as_size(fields.get("height")) if has_boxes else None,
        extras=further_of(fields, {*known, "width", "height"} if has_boxes else known),
        problem=problem or found.problem,
    )


def _roles(fields: dict[str, Any], file: _File) -> Roles:
    """Those of the keys of a line, found once for each set of keys."""
    keys = tuple(fields)
    roles = file.roles.get(keys)
    if roles is None:
        if len(file.roles) >= _MOST_ROLES:
            file.roles.clear()
        roles = file.roles[keys] = roles_of(keys, file.columns, file.name)
    return roles


def _annotations(
    place: str, fields: dict[str, Any], roles: Roles, file: _File, *, beside: bool
) -> tuple[str, _Annotations, Collection[str]]:
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
        return "", _Annotations(), ()
    kind = "" if label == [] else "several labels" if isinstance(label, list) else "a label"
    file.empty += label == []
    # Those of boxes are a label each, also where they are 0 and 1.
    if isinstance(label, list) and label and not beside and len(file.vectors) < _MOST_UNCLEAR:
        file.vectors.append(tuple(map(str, label)))
    return kind, _labels(_as_list(label), roles.label, file), ()


def _plain_boxes(place: str, boxes: Any, key: str, file: _File) -> _Annotations:
    """The boxes under a key of a line, ``objects`` as Hugging Face has them."""
    form: Form = partial(plain_form, file.box_format)
    if key == "objects":
        boxes, form = from_hugging_face(boxes, file.box_format)
        named, calls_xy = form_of_first(boxes)
        file.has_extents |= file.box_format in (None, "xywh") and named == "xywh"
        file.has_corners |= named == "xyxy"
        file.calls_xy |= calls_xy
    else:
        is_extent = isinstance(boxes, list) and any(map(has_extent, boxes))
        file.has_extents |= is_extent and file.box_format in (None, "xywh")
        file.has_corners |= not is_extent
    return _boxes(boxes, key, form, file, place)


def _beside_labels(
    place: str, fields: dict[str, Any], roles: Roles, file: _File
) -> tuple[_Annotations, Collection[str]]:
    """(boxes, keys that tell of them) of a line with an array of boxes and one of their labels.

    Raises:
      InputError: nothing says what the four numbers of a box are.
    """
    if fields[roles.beside] and file.box_format is None:
        what = f"{file.name}: {place}: nothing says what the four numbers in {roles.beside} are"
        hint = "--box-format xyxy: xmin, ymin, xmax, ymax, as torchvision has them; "
        raise InputError(what, f"{hint}--box-format xywh: xmin, ymin, width, height, as COCO has them")
    try:
        pairs, known = paired(fields, roles.beside, roles.label)
    except Rejected as problem:
        return _Annotations(problem=problem), (roles.beside, roles.label)
    form = from_hugging_face(pairs, file.box_format)[1]
    return _boxes(pairs, roles.beside, form, file, place), known


@dataclass(frozen=True, slots=True)
class _Annotations:
    """What a line says of its image, or why that cannot be used."""

    labels: tuple[str, ...] = ()
    boxes: tuple[ListedBox, ...] | None = None
    problem: Rejected | None = None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _labels(names: list[Any], key: str, file: _File) -> _Annotations:
    try:
        labels = tuple(as_label(each, key) for each in names)
        found = positions_of_ones(labels, file.places) if file.places else labels
        return _Annotations(tuple(dict.fromkeys(found)))
    except Rejected as problem:
        return _Annotations(problem=problem)


def _boxes(found: Any, key: str, form: Form, file: _File, place: str) -> _Annotations:
    boxes, problem = boxes_of(found, key, form, file.unused)
    if any(map(is_score, file.unused)):
        for number, box in enumerate(_as_list(found)):
            need_no_scored_box(box, f"{file.name}: {place}: {key}[{number}]", file.name)
    return _Annotations(boxes=boxes, problem=problem)
