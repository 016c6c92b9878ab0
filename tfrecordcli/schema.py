"""The keys of a record, their kinds and meanings: what `image/encoded` and its neighbours are.

The names are those of TensorFlow's own models (tensorflow/models, slim and the Object Detection
API), so that existing parse functions find them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Kind = Literal["bytes", "int64", "float"]

_TOO_LARGE: Final = 2.0**128 - 2.0**103  # for a float of 32 bits, rounded
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}")
_DECIMAL: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

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


@dataclass(frozen=True, slots=True)
class Feature:
    """One key of the records.

    Attributes:
      key: its name.
      kind: of its values.
      shape: of its values: ``()`` one, ``(4,)`` four, ``(None,)`` any number.
      required: whether every record has it; one without values is absent.
      doc: what it holds, for people.
      column: of the list, whose field is its one value; None: it comes from the image or the labels.
    """

    key: str
    kind: Kind
    shape: tuple[int | None, ...] = ()
    required: bool = True
    doc: str = ""
    column: str | None = None

    @property
    def count(self) -> int | None:
        """How many values it has where it is there; None: any number."""
        return None if None in self.shape else math.prod(filter(None, self.shape))

    @property
    def values(self) -> str:
        """How many values a record has, for people: ``1``, ``0..1``, ``0..n``."""
        most = "n" if self.count is None else str(self.count)
        return most if self.required and most != "n" else f"{int(self.required)}..{most}"

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
        if _DECIMAL.fullmatch(text) is None or abs(float(text)) >= _TOO_LARGE:
            raise ValueError(text)
        return float(text)


@dataclass(frozen=True, slots=True)
class Schema:
    """The features of the records of one dataset; it stands in its plan and in its manifest as it is."""

    task: Literal["classification"]
    features: tuple[Feature, ...]

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
        return {feature.key: [feature.parse(text)] for feature, text in pairs if text}

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

SPLITS: Final = ("train", "validation", "test")
# Rows of no split: those that name none that is known, and those marked DISCARD.
NO_SPLIT: Final = "none"

# Ids are stored as int64.
MAX_LABEL_ID: Final = 2**63 - 1
