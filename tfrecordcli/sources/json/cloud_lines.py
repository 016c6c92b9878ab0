"""Lines of JSON as Azure and SageMaker write them: an image with its label, its labels or its boxes.

Azure: https://learn.microsoft.com/azure/machine-learning/reference-automl-images-schema; SageMaker Ground
Truth: https://docs.aws.amazon.com/sagemaker/latest/dg/sms-data-output.html.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from tfrecordcli.errors import InputError
from tfrecordcli.reasons import Rejected
from tfrecordcli.shell import as_path as as_file
from tfrecordcli.shell import command_line
from tfrecordcli.sources.json.boxes import boxes_of, by_sides, tried
from tfrecordcli.sources.json.fields import (
    Corners,
    as_label,
    as_path,
    as_shown,
    as_size,
    corners_in,
    further_of,
)
from tfrecordcli.sources.listed import ListedImage

SAGEMAKER_IMAGE: Final = "source-ref"
AZURE_IMAGE: Final = "image_url"
_METADATA: Final = "-metadata"
_AZURE_SIDES: Final = ("topX", "topY", "bottomX", "bottomY")
_EXTENT: Final = ("left", "top", "width", "height")
_KINDS: Final = ("image-classification", "image-classification-multilabel", "object-detection")

_Fields = Mapping[str, Any]
_Line = tuple[str, ListedImage]  # kind of its annotations, the image
# Place and fields of a line, name of the list, keys of boxes that are not stored, to which some are added.
LineReader = Callable[[str, dict[str, Any], str, dict[str, None]], _Line]


def holds_azure_boxes(fields: _Fields) -> bool:
    """Whether the labels of a line are boxes of Azure, or its outlines."""
    found = fields.get("label")
    return AZURE_IMAGE in fields and isinstance(found, list) and any(isinstance(each, dict) for each in found)


def azure_boxes(place: str, fields: _Fields, name: str, unused: dict[str, None]) -> _Line:
    """A line whose labels are boxes, in fractions; without one its image shows nothing.

    Args:
      name: of the list, for messages.
      unused: gets the keys of boxes that are not stored.

    Raises:
      InputError: there are outlines.
    """
    found = fields["label"]
    if any(isinstance(each, dict) and "polygon" in each for each in found):
        hint = 'write the box around each as "topX", "topY", "bottomX", "bottomY", fractions of the image'
        raise InputError(f"{name}: {place}: this is a list of outlines of Azure: it has polygon", hint)
    boxes, box_problem = boxes_of(found, "label", _azure_form, unused)
    uri, problem = as_path(fields[AZURE_IMAGE], AZURE_IMAGE)
    width, height = (_pixels(fields.get("image_details"), side) for side in ("width", "height"))
    extras = further_of(fields, (AZURE_IMAGE, "image_details", "label"))
    image = ListedImage(
        place, uri, "", (), boxes, "fractions", width, height, None, extras, problem or box_problem
    )
    return "boxes", image


def _azure_form(element: dict[str, Any], what: str) -> tuple[Any, Corners | Rejected, tuple[str, ...]]:
    """``{"label", "topX", "topY", "bottomX", "bottomY"}``."""
    corners = tried(by_sides, element, _AZURE_SIDES, what)
    return element.get("label"), corners, ("label", *_AZURE_SIDES)


def _pixels(details: Any, side: str) -> int | None:
    """A side, which is written as `640px`."""
    found = details.get(side) if isinstance(details, dict) else None
    return as_size(found.removesuffix("px") if isinstance(found, str) else found)


def sagemaker_line(place: str, fields: _Fields, name: str, unused: dict[str, None]) -> _Line:
    """A line of an augmented manifest: a job's label of the image, its labels, or boxes in pixels.

    Args:
      name: of the list, for messages.
      unused: gets the keys of boxes that are not stored.

    Raises:
      InputError: there are labels of several jobs, or of another kind.
    """
    uri, problem = as_path(fields[SAGEMAKER_IMAGE], SAGEMAKER_IMAGE)
    job = _only_job(fields, place, name)
    value, metadata = fields.get(job), fields.get(job + _METADATA)
    metadata = metadata if isinstance(metadata, dict) else {}
    extras = further_of(fields, (SAGEMAKER_IMAGE, job, job + _METADATA))
    if value is None:
        return "", ListedImage(place, uri, extras=extras, problem=problem)
    if isinstance(value, dict):
        boxes, box_problem = boxes_of(
            value.get("annotations"), job, partial(_box, _classes(metadata)), unused
        )
        width, height = _size(value.get("image_size"))
        problem = problem or box_problem
        return "boxes", ListedImage(place, uri, "", (), boxes, "pixels", width, height, None, extras, problem)
    labels: tuple[str, ...] = ()
    try:
        labels = tuple(dict.fromkeys(_labels(value, metadata, job)))
    except Rejected as found:
        problem = problem or found
    kind = "several labels" if isinstance(value, list) else "a label"
    return kind, ListedImage(place, uri, labels=labels, extras=extras, problem=problem)


def _only_job(fields: _Fields, place: str, name: str) -> str:
    """The key of the labels: that with metadata, without any the only one; empty when the line has none."""
    others = [key for key in fields if key != SAGEMAKER_IMAGE and not key.endswith(_METADATA)]
    jobs = [key.removesuffix(_METADATA) for key in fields if key.endswith(_METADATA)] or others
    if len(jobs) > 1:
        rest = [key for job in jobs[1:] for key in (job, job + _METADATA)]
        program = f"del({', '.join(f'.[{json.dumps(key)}]' for key in rest)})"
        target = f"{os.path.splitext(name)[0]}-one-job.jsonl"
        command = f"{command_line(['jq', '-c', program, as_file(name)])} > {command_line([as_file(target)])}"
        hint = f"leave all but one out: {command}" if os.path.isfile(name) else "leave all but one out"
        raise InputError(f"{name}: {place}: it has labels of several jobs: {', '.join(jobs)}", hint)
    if not jobs:
        return ""
    metadata = fields.get(jobs[0] + _METADATA)
    kind = metadata.get("type") if isinstance(metadata, dict) else None
    if isinstance(kind, str) and kind.rpartition("/")[2] not in _KINDS:
        what = f"its labels are of the kind {kind}, which is not read"
        raise InputError(f"{name}: {place}: {what}", f"labels of the kinds {', '.join(_KINDS)} are")
    return jobs[0]


def _classes(metadata: _Fields) -> _Fields:
    found = metadata.get("class-map")
    return found if isinstance(found, dict) else {}


def _named(number: Any, classes: _Fields) -> Any:
    """The name of a class, by its number; the number where the manifest tells none."""
    return classes.get(str(number), number)


def _box(
    classes: _Fields, element: dict[str, Any], what: str
) -> tuple[Any, Corners | Rejected, tuple[str, ...]]:
    """``{"class_id", "left", "top", "width", "height"}``."""
    return _named(element.get("class_id"), classes), tried(_corners, element, what), ("class_id", *_EXTENT)


def _corners(element: _Fields, what: str) -> Corners:
    missing = next((side for side in _EXTENT if side not in element), None)
    if missing:
        raise Rejected("bad_box", what=f"of {what} has no {missing}, but {as_shown(', '.join(element))}")
    return corners_in([element[side] for side in _EXTENT], f"of {what}", "xywh")


def _size(found: Any) -> Sequence[int | None]:
    sizes = found if isinstance(found, list) and found and isinstance(found[0], dict) else [{}]
    return [as_size(sizes[0].get(side)) for side in ("width", "height")]


def _labels(value: Any, metadata: _Fields, job: str) -> list[str]:
    """The names of one label or several.

    Raises:
      Rejected: one is no name.
    """
    if isinstance(value, list):
        classes = _classes(metadata)
        return [as_label(_named(each, classes), job) for each in value]
    return [as_label(metadata.get("class-name", value), job)]
