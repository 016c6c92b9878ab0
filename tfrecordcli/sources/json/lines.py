"""JSON Lines: an object for each image, as Vertex AI, Hugging Face (metadata.jsonl) and people write them.

Vertex AI: https://cloud.google.com/vertex-ai/docs/image-data/classification/prepare-data; Hugging Face:
https://huggingface.co/docs/datasets/image_dataset. An array of such objects is read as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.sources.boxes.columns import BoxFormat
from tfrecordcli.sources.boxes.object_keys import called_label
from tfrecordcli.sources.column_words import columns_option, names_a_file
from tfrecordcli.sources.json.boxes import are_beside_labels, vertex_form
from tfrecordcli.sources.json.cloud_lines import (
    AZURE_IMAGE,
    SAGEMAKER_IMAGE,
    LineReader,
    azure_boxes,
    holds_azure_boxes,
    sagemaker_line,
)
from tfrecordcli.sources.json.fields import as_path, as_shown, as_size, further_of
from tfrecordcli.sources.json.inner_keys import with_inner
from tfrecordcli.sources.json.label_objects import need_plain_label
from tfrecordcli.sources.json.line_annotations import (
    Annotations,
    annotations_of,
    as_list,
    boxes_in,
    labels_in,
    unclear_boxes,
)
from tfrecordcli.sources.json.line_file import MOST_UNCLEAR, LineFile
from tfrecordcli.sources.json.line_roles import PLAIN_BOXES, SAY_IMAGE, Columns, Roles, refusal_of, roles_of
from tfrecordcli.sources.json.line_stream import lines_of
from tfrecordcli.sources.json.nested_boxes import PASS_OVER
from tfrecordcli.sources.json.number_arrays import need_one_number
from tfrecordcli.sources.json.split_keys import word_of
from tfrecordcli.sources.json.stream import NotJson
from tfrecordcli.sources.json.unread_in_lines import (
    boxes_passed_over,
    need_no_deleted,
    need_no_unread_boxes,
    no_label,
    proposed_in,
)
from tfrecordcli.sources.label_fields import NOTE_OF_PLACES, odd_among_vectors, places_of
from tfrecordcli.sources.listed import Findings, ListedImage
from tfrecordcli.sources.proposals.keys_of_lines import of_whole_images
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


def read_json_lines(
    path: str,
    findings: Findings,
    name: str = "",
    encoding: str = "utf-8",
    columns: Columns = (),
    box_format: BoxFormat | None = None,
    needs_labels: bool = False,
    needs_no_boxes: bool = False,
    needs_one_number: bool = False,
    separator: str = "",
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
      needs_one_number: whether a label is a number to predict.
      separator: between labels in one text; empty: a text is one label.

    Raises:
      InputError: lines are of different kinds; of none of the first 1,000 it is certain which image it names
        and what it says of it.
    """
    file, begin = (
        LineFile(name or path, columns, box_format, needs_no_boxes, needs_one_number, separator)
        for _ in range(2)
    )
    findings.tells_splits = findings.tells_numbers = True
    need_no_deleted(path, encoding, file)
    findings.has_boxes = file.has_boxes = _has_boxes(path, encoding, begin)
    if not file.has_boxes:
        need_plain_label(path, encoding, begin)
    if needs_one_number and not file.has_boxes:
        need_one_number(path, encoding, begin)
    file.places = _places(begin)
    file.label_key.skips_blanks = file.has_boxes and _are_blank(path, encoding, begin)
    if file.places:
        findings.notes.append(NOTE_OF_PLACES.format(example=f"[{', '.join(begin.vectors[0])}]"))
    is_empty = True
    for place, value in lines_of(path, file.name, encoding):
        is_empty = False
        yield _image(place, value, file)
    if is_empty:
        raise InputError(f"{file.name}: there is nothing in it", "is it the right file?")
    if file.columns and not file.has_boxes:
        findings.notes.extend(boxes_passed_over(path, encoding, file))
    if needs_labels and not file.kinds and file.roles:
        need_no_unread_boxes(path, encoding, file, of_whole_images(proposed_in(path, encoding, file)))
        raise no_label(path, encoding, file)
    if not (file.kinds or file.columns or needs_no_boxes):
        need_no_unread_boxes(path, encoding, file, PASS_OVER)
    findings.calls_xy = file.calls_xy
    findings.form = "xywh" if file.has_extents else "xyxy" if file.has_corners else None
    findings.keys_of_boxes.update(file.unused)
    findings.columns.update(*file.roles)
    if file.key_of_label and not file.has_labels_of_boxes:
        is_blank = file.label_key.is_blank
        findings.notes.append(called_label(file.key_of_label, file.name, is_blank=is_blank))
    if file.unused:
        findings.notes.append(f"keys of boxes that are not stored: {some_of(list(file.unused))}")


def _has_boxes(path: str, encoding: str, file: LineFile) -> bool:
    """Whether the first line with annotations has boxes.

    Raises:
      InputError: as `read_json_lines`.
    """
    for number, (place, value) in enumerate(lines_of(path, file.name, encoding), start=1):
        _image(place, value, file)
        if (file.kinds and file.is_clear and not file.vectors) or number - file.empty == MOST_UNCLEAR:
            break
    if file.unclear and not file.is_clear:
        need_no_unread_boxes(path, encoding, file)
        proposed = proposed_in(path, encoding, file) if file.unclear.hint == SAY_IMAGE else ""
        naming = "name them, as in " if proposed.startswith("--") else ""
        raise InputError(file.unclear.message, f"{naming}{proposed}") if proposed else file.unclear
    has_boxes = any(kind.startswith("boxes") for kind in file.kinds)
    is_said = file.needs_no_boxes or "label" in dict(file.columns)
    if file.kinds and file.roles and not is_said:
        need_no_unread_boxes(path, encoding, file)
    return has_boxes


def _are_blank(path: str, encoding: str, begin: LineFile) -> bool:
    """Whether known keys of labels have no value in the boxes of the first lines."""
    label_key = begin.label_key
    for place, value in islice(lines_of(path, begin.name, encoding), MOST_UNCLEAR):
        if label_key.key is not None and not label_key.is_blank:
            break
        _image(place, value, begin)
    return label_key.is_blank


def _places(file: LineFile) -> int:
    """How many places of 0 and 1 the labels of each line have.

    Raises:
      InputError: most lines have such places, and too many others have not.
    """
    places = places_of(file.vectors)
    odd = "" if places else odd_among_vectors(file.vectors)
    if odd:
        raise InputError(f"{file.name}: {odd}", "write the same number of places in each line")
    return places


def _image(place: str, value: Any, file: LineFile) -> ListedImage:
    if isinstance(value, dict):
        value = with_inner(value, file.inner) if file.inner else value
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
    return ListedImage(place, "", unit=None, problem=Rejected("bad_annotation", detail=detail))


def _reader_of_cloud(fields: dict[str, Any], file: LineFile) -> LineReader | None:
    """What reads a line of SageMaker, or one of Azure with boxes; None: it is neither."""
    if SAGEMAKER_IMAGE in fields:
        return sagemaker_line
    if any(key in fields for key in PLAIN_BOXES):
        return None
    shows_nothing = file.has_boxes and AZURE_IMAGE in fields and fields.get("label") == []
    return azure_boxes if shows_nothing or holds_azure_boxes(fields) else None


def _need_one_kind(kind: str, place: str, file: LineFile) -> None:
    file.kinds.setdefault(kind, place)
    if len(file.kinds) > 1:
        (one, first), (other, second) = file.kinds.items()
        what = f"{first} has {one}, {second} has {other}"
        raise InputError(f"{file.name}: {what}", "give each kind in a file of its own")


def _vertex(place: str, fields: dict[str, Any], file: LineFile) -> tuple[str, ListedImage]:
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
    found = Annotations()
    if len(keys) > 1:
        problem = Rejected("bad_annotation", detail=f"it has both {keys[0]} and {keys[1]}")
    elif key == "boundingBoxAnnotations":
        found = boxes_in(fields[key], key, vertex_form, file, place)
    elif key:
        given = fields[key] if key == "classificationAnnotations" else [fields[key]]
        names = [each.get("displayName") if isinstance(each, dict) else each for each in as_list(given)]
        found = labels_in(names, key, file)
    kind = _VERTEX_KINDS[key] if len(keys) == 1 else ""
    return kind, ListedImage(
        place,
        uri,
        word_of(split) if isinstance(split, str) else "",
        labels=found.labels,
        boxes=found.boxes,
        unit="fractions",
        extras=further_of(further, (_ML_USE,))
        | further_of(fields, (VERTEX_IMAGE, _VERTEX_FURTHER, *_VERTEX_KINDS)),
        problem=problem or found.problem,
    )


def _unclear(place: str, image: tuple[str, Rejected | None], why: InputError, file: LineFile) -> ListedImage:
    """A line that cannot be used; a list that has no other ones is refused for the first of these.

    Args:
      image: its URI, and why that cannot be used.
    """
    uri, problem = image
    file.unclear = file.unclear or InputError(f"{file.name}: {place}: {why.message}", why.hint)
    return ListedImage(
        place, uri, unit=None, problem=problem or Rejected("bad_annotation", detail=why.message)
    )


def _object_for_path(value: Any, key: str) -> InputError | None:
    """Why a line names no image where an object stands in its place: `{"image": {"path": "a.jpg"}}`."""
    if not isinstance(value, dict):
        return None
    what = f"{key} is an object with the keys {some_of(list(value), 8) or 'none'}, where a path is needed"
    inner = [each for each, path in value.items() if isinstance(path, str) and names_a_file(path)]
    named = columns_option([("image_uri", f"{key}.{inner[0]}")]) if len(inner) == 1 else ""
    return InputError(what, named or f'write the path itself: {{"{key}": "…"}}')


def _plain(place: str, fields: dict[str, Any], file: LineFile) -> tuple[str, ListedImage]:
    """(kind of its annotations, image)."""
    roles = _roles(fields, file)
    held = {key: value for key, value in fields.items() if key} if "" in fields else fields
    uri, problem = as_path(held.get(roles.image), roles.image)
    unclear = roles.unclear or _object_for_path(held.get(roles.image), roles.image)
    beside = bool(roles.beside) and are_beside_labels(held[roles.beside], held.get(roles.label))
    unclear = unclear or (None if beside else unclear_boxes(held, roles, file.name))
    if unclear is not None:
        return "", _unclear(place, (uri, problem), unclear, file)
    file.is_clear = True
    split = held.get(roles.split)
    kind, found, keys = annotations_of(place, held, roles, file, beside=beside)
    known = {roles.image, roles.split, roles.label, roles.boxes, *keys}
    has_boxes = kind == "boxes"
    return kind, ListedImage(
        place,
        uri,
        word_of(split),
        labels=found.labels,
        boxes=found.boxes,
        unit=None,
        width=as_size(fields.get("width")) if has_boxes else None,
        height=as_size(fields.get("height")) if has_boxes else None,
        extras=further_of(fields, {*known, "width", "height"} if has_boxes else known),
        problem=problem or found.problem,
    )


def _roles(fields: dict[str, Any], file: LineFile) -> Roles:
    """Those of the keys of a line, found once for each set of keys."""
    keys = tuple(fields)
    roles = file.roles.get(keys)
    if roles is None:
        if len(file.roles) >= _MOST_ROLES:
            file.roles.clear()
        roles = file.roles[keys] = roles_of(keys, file.columns, file.name)
    return roles
