"""The keys of a record, their kinds and meanings: what `image/encoded` and its neighbours are.

The names are those of TensorFlow's own models (tensorflow/models, slim and the Object Detection
API), so that existing parse functions find them.
"""

from __future__ import annotations

from typing import Final, Literal

Kind = Literal["bytes", "int64", "float"]

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

# key -> (kind, values a record, what it holds). Sorted, as they stand in the records.
FEATURES: Final[dict[str, tuple[Kind, str, str]]] = {
    IMAGE_CHANNELS: ("int64", "1", "channels that tf.io.decode_image returns"),
    CLASS_LABEL: ("int64", "0..n", "label id(s); the key is absent when the image has no label"),
    CLASS_TEXT: ("bytes", "0..n", "label name(s), UTF-8, in the order of the ids"),
    IMAGE_ENCODED: ("bytes", "1", "the JPEG or PNG file"),
    IMAGE_FILENAME: ("bytes", "1", "image_uri as the source has it, UTF-8"),
    IMAGE_FORMAT: ("bytes", "1", "jpeg or png"),
    IMAGE_HEIGHT: ("int64", "1", "pixels"),
    IMAGE_WIDTH: ("int64", "1", "pixels"),
}

SPLITS: Final = ("train", "validation", "test")
# Rows of no split: those that name none that is known, and those marked DISCARD.
NO_SPLIT: Final = "none"

# Ids are stored as int64.
MAX_LABEL_ID: Final = 2**63 - 1
