"""The keys of a record, their kinds and meanings: what `image/encoded` and its neighbours are.

The names are those of TensorFlow's own models (tensorflow/models, slim and the Object Detection
API), so that existing parse functions find them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from tfrecordcli.number_patterns import NUMBER

Kind = Literal["bytes", "int64", "float"]
Task = Literal["classification", "detection", "regression", "tabular"]

_TOO_LARGE: Final = 2.0**128 - 2.0**103  # for a float of 32 bits, rounded
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}")

# Raised whenever the layout of a record or of the manifest changes in a way that readers can see.
SCHEMA_VERSION: Final = 1

IMAGE_ENCODED: Final = "image/encoded"
IMAGE_FORMAT: Final = "image/format"
IMAGE_HEIGHT: Final = "image/height"
IMAGE_WIDTH: Final = "image/width"
IMAGE_CHANNELS: Final = "image/channels"
IMAGE_FILENAME: Final = "image/filename"
CLASS_LABEL: Final = "image/class/label"
CLASS_TEXT: Final = "image/class/text"
IMAGE_SOURCE_ID: Final = "image/source_id"
IMAGE_SHA256: Final = "image/key/sha256"
OBJECT_LABEL: Final = "image/object/class/label"
OBJECT_TEXT: Final = "image/object/class/text"
# The corners of boxes, in the order in which a box is told everywhere: (xmin, ymin, xmax, ymax).
OBJECT_CORNERS: Final = tuple(f"image/object/bbox/{name}" for name in ("xmin", "ymin", "xmax", "ymax"))
IMAGE_TARGET: Final = "image/target"
# Of rows without an image; no column that is stored may have one of these names.
ROW_LABEL: Final = "label"
ROW_LABEL_TEXT: Final = "label_text"


@dataclass(frozen=True, slots=True)
class Feature:
    """One key of the records.

    Attributes:
      key: its name.
      kind: of its values.
      shape: of its values: ``()`` one, ``(4,)`` four, ``(None,)`` any number.
      required: whether every record has it; one without values is absent.
      doc: what it holds, for people.
      column: of the list, whose field is its value; None: it comes from the image or the labels.
      separator: between the values of a field; empty: it is one value.
    """

    key: str
    kind: Kind
    shape: tuple[int | None, ...] = ()
    required: bool = True
    doc: str = ""
    column: str | None = None
    separator: str = ""

    @property
    def count(self) -> int | None:
        """How many values it has where it is there; None: any number."""
        return None if None in self.shape else math.prod(filter(None, self.shape))

    @property
    def values(self) -> str:
        """How many values a record has, for people: ``1``, ``0..1``, ``0..n``."""
        most = "n" if self.count is None else str(self.count)
        return most if self.required and most != "n" else f"{int(self.required)}..{most}"

    def values_of(self, text: str) -> list[bytes | int | float]:
        """The values that a field of a list stands for; none for a blank one.

        Raises:
          ValueError: as `parse`.
        """
        texts = text.split(self.separator) if self.separator else [text]
        return [self.parse(each.strip()) for each in texts if each.strip()]

    def parse(self, text: str) -> bytes | int | float:
        """The value that a field of a list stands for.

        Raises:
          ValueError: it stands for none of this kind.
        """
        if self.kind == "bytes":
            return text.encode()
        if self.kind == "int64":
            if _INTEGER.fullmatch(text) is None or not -(2**63) <= int(text) < 2**63:
                raise ValueError(text)
            return int(text)
        if NUMBER.fullmatch(text) is None or abs(float(text)) >= _TOO_LARGE:
            raise ValueError(text)
        return float(text)


_LABEL_KEYS: Final[Mapping[Task, tuple[str, str]]] = {
    "detection": (OBJECT_LABEL, OBJECT_TEXT),
    "tabular": (ROW_LABEL, ROW_LABEL_TEXT),
}


@dataclass(frozen=True, slots=True)
class Schema:
    """The features of the records of one dataset; it stands in its plan and in its manifest as it is."""

    task: Task
    features: tuple[Feature, ...]

    @property
    def label_key(self) -> str:
        """The feature that holds label ids."""
        return _LABEL_KEYS.get(self.task, (CLASS_LABEL, CLASS_TEXT))[0]

    @property
    def text_key(self) -> str:
        """The feature that holds the names of these labels, in their order."""
        return _LABEL_KEYS.get(self.task, (CLASS_LABEL, CLASS_TEXT))[1]

    @property
    def first_id(self) -> int:
        """The id of the first label; detectors keep 0 for the background."""
        return int(self.task == "detection")

    @property
    def attributes(self) -> tuple[str, ...]:
        """What is stored of each box beside label and corners, by its name in `ATTRIBUTES`."""
        keys = {feature.key for feature in self.features}
        return tuple(name for name in ATTRIBUTES if attribute_key(name) in keys)

    @property
    def columns(self) -> tuple[Feature, ...]:
        """The features that come from further columns of the list, in the order of a row's ``extras``."""
        return tuple(feature for feature in self.features if feature.column is not None)

    def further_values(self, extras: Sequence[str]) -> dict[str, list[Any]]:
        """Values of the features that come from further columns; those of empty fields are left out.

        Raises:
          ValueError: a field has no such value, or there are more or fewer of them.
        """
        pairs = zip(self.columns, extras, strict=True)
        return {feature.key: feature.values_of(text) for feature, text in pairs if text}

    def table(self) -> dict[str, dict[str, str]]:
        """The features for people, as the manifest shows them."""
        return {f.key: {"kind": f.kind, "values": f.values, "doc": f.doc} for f in self.features}


_ANY: Final = (None,)

# Sorted, as they stand in the records. Another feature is another line here.
CLASSIFICATION: Final = Schema(
    "classification",
    (
        Feature(IMAGE_CHANNELS, "int64", doc="channels that tf.io.decode_image returns"),
        Feature(
            CLASS_LABEL, "int64", _ANY, False, "label id(s); the key is absent when the image has no label"
        ),
        Feature(CLASS_TEXT, "bytes", _ANY, False, "label name(s), UTF-8, in the order of the ids"),
        Feature(IMAGE_ENCODED, "bytes", doc="the JPEG or PNG file"),
        Feature(IMAGE_FILENAME, "bytes", doc="image_uri as the source has it, UTF-8"),
        Feature(IMAGE_FORMAT, "bytes", doc="jpeg or png"),
        Feature(IMAGE_HEIGHT, "int64", doc="pixels"),
        Feature(IMAGE_WIDTH, "int64", doc="pixels"),
    ),
)

# What a list may say of a box beside its label and corners, and the kind of the value.
ATTRIBUTES: Final[Mapping[str, Kind]] = {
    "area": "float",
    "is_crowd": "int64",
    "difficult": "int64",
    "group_of": "int64",
    "truncated": "int64",
    "occluded": "int64",
    "depiction": "int64",
    "view": "bytes",
}
_ALWAYS_STORED: Final = ("area", "is_crowd")  # the Object Detection API computes metrics by them


_OF_BOXES: Final = "image/object/"


def attribute_key(name: str) -> str:
    """The key of the records that holds an attribute of boxes."""
    return f"{_OF_BOXES}{name}"


def is_of_boxes(key: str) -> bool:
    """Whether a feature holds a value for each box."""
    return key.startswith(_OF_BOXES)


def detection(attributes: Iterable[str] = ()) -> Schema:
    """The schema of images with boxes: the keys of TensorFlow's Object Detection API.

    See tensorflow/models, research/object_detection/data_decoders/tf_example_decoder.py. Per-object lists
    of one record have one length, and are there, empty, when an image shows nothing.

    Args:
      attributes: names of `ATTRIBUTES` that the list tells, beside those that are always stored.
    """
    image = [feature for feature in CLASSIFICATION.features if feature.key not in (CLASS_LABEL, CLASS_TEXT)]
    box = [
        Feature(key, "float", _ANY, doc=f"{key[-4:]} of each box, as a fraction of the image's size")
        for key in OBJECT_CORNERS
    ]
    names = {*_ALWAYS_STORED, *attributes}
    told = [Feature(attribute_key(name), kind, _ANY, doc=_DOCS[name]) for name, kind in ATTRIBUTES.items()]
    features = [
        *image,
        Feature(IMAGE_SOURCE_ID, "bytes", doc="number of the image as text, another for each"),
        Feature(IMAGE_SHA256, "bytes", doc="SHA-256 of image/encoded, hexadecimal"),
        Feature(OBJECT_LABEL, "int64", _ANY, doc="label id of each box, from 1"),
        Feature(OBJECT_TEXT, "bytes", _ANY, doc="label name of each box, UTF-8"),
        *box,
        *(feature for feature in told if feature.key.rpartition("/")[2] in names),
    ]
    return Schema("detection", tuple(sorted(features, key=lambda feature: feature.key)))


_DOCS: Final = {
    "area": "pixels that each object covers; of its box where the list does not say",
    "is_crowd": "1: the box holds a crowd of objects",
    "difficult": "1: hard to recognise",
    "group_of": "1: several objects in one box",
    "truncated": "1: the object goes on beyond its box or the image",
    "occluded": "1: something stands in front of it",
    "depiction": "1: a drawing or the like, not the thing itself",
    "view": "from where the object is seen",
}

_OF_LABELS: Final = (CLASS_LABEL, CLASS_TEXT)


def regression(of: Schema, target: Feature) -> Schema:
    """A schema with a number to predict in the place of labels."""
    return Schema("regression", (*(each for each in of.features if each.key not in _OF_LABELS), target))


def named_by_column(of: Schema, column: str) -> Schema:
    """A schema whose file names come from a column of the list, and not from the images' URIs."""
    return replace(
        of,
        features=tuple(
            replace(each, column=column, doc="as the source's own record has it, else its file and number")
            if each.key == IMAGE_FILENAME
            else each
            for each in of.features
        ),
    )


def tabular(*, has_labels: bool) -> Schema:
    """The schema of rows without images, before the features of their columns are added to it.

    These are the rows of TFRecorder's flexible schema (google/tensorflow-recorder, input_schema.py), whose
    keys are names of columns too.

    Args:
      has_labels: whether one of the columns holds labels.
    """
    label = Feature(ROW_LABEL, "int64", _ANY, False, "label id(s); the key is absent when there is no label")
    text = Feature(ROW_LABEL_TEXT, "bytes", _ANY, False, "label name(s), UTF-8, in the order of the ids")
    return Schema("tabular", (label, text) if has_labels else ())


# The features that every schema for a task has.
LEAST_FEATURES: Final[Mapping[Task, tuple[Feature, ...]]] = {
    "classification": CLASSIFICATION.features,
    "detection": detection().features,
    "regression": tuple(each for each in CLASSIFICATION.features if each.key not in _OF_LABELS),
    "tabular": (),
}


SPLITS: Final = ("train", "validation", "test")
# Rows of no split: those that name none that is known, and those marked DISCARD.
NO_SPLIT: Final = "none"

# Ids are stored as int64.
MAX_LABEL_ID: Final = 2**63 - 1
