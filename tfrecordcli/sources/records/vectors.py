"""Rows of 0 and 1 in TFRecords, a place for each label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tfrecordcli.sources.label_fields import places_of
from tfrecordcli.sources.records.image import Features
from tfrecordcli.tfrecords.label_keys import label_rank, labels_of

# Keys of labels of whole images: `label`, `image/class/label`, not `image/object/class/label`.
OF_IMAGES: Final = re.compile(r"(?!.*(?:obj|box))(?:image/)?(?:class(?:es)?/)?[^/]+", re.IGNORECASE)
_FEWEST: Final = 3  # two numbers may be two ids, or two numbers to predict
# Keys of floats that are no labels, whatever they are.
_OF_NUMBERS: Final = re.compile(r"target|score|prob|weight|logit|confidence", re.IGNORECASE)
# Those under which a row of floats may have several ones, or none.
_OF_LABELS: Final = re.compile(r"(?:.*/)?(?:labels?|class(?:es)?)", re.IGNORECASE)


def vector_of(features: Features, key: str) -> list[str]:
    """The values of a record that may be such a row, as text; none where it has none."""
    feature = features.get(key)
    if feature is not None and feature.kind == "float":
        return [repr(float(value)) for value in feature.values]
    return [str(label.id) for label in labels_of(features, key)]


def places_in(sample: Sequence[Features], key: str, box_label: str) -> int:
    """How many places the rows of 0 and 1 under a key have, one a label; 0: it holds ids.

    Those with texts beside are ids, as are those of objects and rows of one or two numbers.

    Args:
      box_label: key of the labels of boxes, if there are any.
    """
    if not OF_IMAGES.fullmatch(key) or key == box_label:
        return 0
    found = [features for features in sample if key in features]
    if any(label.text is not None for features in found for label in labels_of(features, key)):
        return 0
    places = places_of(vector_of(features, key) for features in found)
    return places if places >= _FEWEST else 0


def key_of_floats(sample: Sequence[Features], box_label: str) -> str:
    """The likeliest key of labels that holds such rows of floats, as Keras's `to_categorical` makes them.

    Args:
      box_label: as of `places_in`.
    """
    keys = {key for features in sample for key in features if label_rank(key) and _may_be_labels(sample, key)}
    return min(
        (key for key in keys if places_in(sample, key, box_label)),
        key=lambda key: (label_rank(key), key),
        default="",
    )


def _may_be_labels(sample: Sequence[Features], key: str) -> bool:
    """Whether floats under a key are labels if they are 0 and 1: by its name, or with one 1 in each row."""
    found = [features[key] for features in sample if key in features]
    if _OF_NUMBERS.search(key) or any(feature.kind != "float" for feature in found):
        return False
    return bool(_OF_LABELS.fullmatch(key)) or all(list(feature.values).count(1.0) == 1 for feature in found)
