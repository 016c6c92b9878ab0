"""Which features of the records the list of an export has, and which are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tfrecordcli.inspecting.boxes import COLUMNS
from tfrecordcli.inspecting.coco import ATTRIBUTES as COCO_ATTRIBUTES
from tfrecordcli.inspecting.image_files import FILENAME_KEYS
from tfrecordcli.inspecting.inspection import Inspection
from tfrecordcli.schema import (
    ATTRIBUTES,
    IMAGE_SHA256,
    IMAGE_SOURCE_ID,
    IMAGE_TARGET,
    OBJECT_CORNERS,
    OBJECT_LABEL,
    OBJECT_TEXT,
    attribute_key,
)
from tfrecordcli.tfrecords.label_keys import text_keys_of

# Names that a further column may not have beside the others, and what types are called.
_TAKEN: Final = frozenset(("split", "image_uri", "label", *COLUMNS))
_TYPES: Final = {"int64": "int", "float": "float", "bytes": "text"}
# Keys of what an image file tells by itself.
_TOLD_BY_FILE: Final = re.compile(r"(^|[/_])(format|height|width|channels|depth|colorspace)$")


@dataclass(frozen=True, slots=True)
class ExportedFields:
    """What the list tells of an image.

    Attributes:
      label_key: of the feature that holds labels; empty when there is none.
      attributes: of boxes, each of which is told then; None: an image is.
      columns: further columns by their types: ``int``, ``float``, ``text``.
      left_out: keys of features that neither the images nor the list have.
      float_label: the key of floats that were left out, since they are no labels; empty when there is none.
    """

    label_key: str
    attributes: tuple[str, ...] | None
    columns: Mapping[str, str]
    left_out: tuple[str, ...]
    float_label: str

    @property
    def has_boxes(self) -> bool:
        """Whether boxes are told."""
        return self.attributes is not None

    @property
    def is_target(self) -> bool:
        """Whether labels are numbers to predict."""
        return self.label_key == IMAGE_TARGET


def exported_fields(inspection: Inspection, *, is_coco: bool) -> ExportedFields:
    """The fields of a list of these records.

    Args:
      is_coco: which has boxes and some of their attributes, and no further columns.
    """
    attributes: tuple[str, ...] | None = None
    label_key = inspection.labels.key if inspection.labels else ""
    if has_boxes(inspection):
        label_key = OBJECT_LABEL
        attributes = tuple(name for name in _attributes(inspection) if not is_coco or name in COCO_ATTRIBUTES)
    elif inspection.float_label == IMAGE_TARGET and not label_key:
        label_key = IMAGE_TARGET
    left_out = [*_left_out(inspection, label_key, attributes or ())]
    columns = {} if is_coco else _columns(inspection, left_out)
    return ExportedFields(
        label_key=label_key,
        attributes=attributes,
        columns=columns,
        left_out=tuple(key for key in left_out if key not in columns),
        float_label=_float_label(inspection),
    )


def _float_label(inspection: Inspection) -> str:
    """The key of floats that are no labels; a number to predict is the list's label, or left out."""
    return "" if inspection.float_label == IMAGE_TARGET else inspection.float_label


def has_boxes(inspection: Inspection) -> bool:
    """Whether a row is to be a box: there are boxes whose labels are told."""
    keys = {feature.key for feature in inspection.features if feature.max_values}
    return bool(inspection.boxes and inspection.boxes.records and keys & {OBJECT_LABEL, OBJECT_TEXT})


def _attributes(inspection: Inspection) -> tuple[str, ...]:
    """Names of what is told of boxes beside their labels, of the kinds that `tfrec convert` reads."""
    kinds = {each.key: each.kind for each in inspection.features if each.max_values}
    return tuple(name for name, kind in ATTRIBUTES.items() if kinds.get(attribute_key(name)) == kind)


def _columns(inspection: Inspection, keys: Iterable[str]) -> dict[str, str]:
    """Key -> type of what a CSV can hold as further columns: numbers, and texts of a dataset of ours."""
    summaries = {each.key: each for each in inspection.features}
    taken = {*_TAKEN, *ATTRIBUTES} if has_boxes(inspection) else _TAKEN
    columns = {}
    for key in keys:
        kind, is_one = summaries[key].kind, summaries[key].max_values == 1
        of_list = key in inspection.schema and inspection.schema[key].column is not None
        is_name = key.isprintable() and key == key.strip() and not key.startswith("image/")
        if is_one and is_name and key not in taken and kind in _TYPES and (kind != "bytes" or of_list):
            columns[key] = _TYPES[kind]
    return columns


def _left_out(inspection: Inspection, label_key: str, attributes: Iterable[str]) -> Iterator[str]:
    """The keys of which nothing is written.

    Args:
      attributes: of boxes, that are.
    """
    keys = [feature.key for feature in inspection.features]
    if label_key == OBJECT_LABEL:
        keys = [key for key in keys if key not in (*OBJECT_CORNERS, IMAGE_SOURCE_ID, IMAGE_SHA256)]
        keys = [key for key in keys if key not in map(attribute_key, attributes)]
    name = next((key for key in FILENAME_KEYS if key in keys), "")
    written = {label_key, *text_keys_of(label_key), _float_label(inspection), name, "split"}
    if inspection.images is not None:
        written |= {inspection.images.key, *inspection.images.size_keys}
    yield from (key for key in keys if key not in written and not _TOLD_BY_FILE.search(key))
