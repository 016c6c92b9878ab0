"""The data.csv of an export: a row an image with its labels, or a row a box."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping
from typing import TextIO

from tfrecordcli.inspecting.boxes import COLUMNS, box_rows, boxes_of, text_of
from tfrecordcli.inspecting.features import escaped
from tfrecordcli.inspecting.images import StoredImage
from tfrecordcli.schema import IMAGE_TARGET
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.label_keys import labels_of


class CsvRows:
    """Writes rows.

    Args:
      file: of the CSV.
      label_key: of the feature that holds labels.
      names: of these, in the order of their ids where they are known.
      attributes: of boxes, each of which has a row then; None: a row is an image.
      columns: keys of features that are further columns.

    Attributes:
      boxes: that were written.
      unlabelled: images without a label.
    """

    def __init__(
        self,
        file: TextIO,
        label_key: str,
        names: Iterable[str],
        attributes: tuple[str, ...] | None,
        columns: tuple[str, ...] = (),
    ) -> None:
        self.boxes = self.unlabelled = 0
        self._csv = csv.writer(file, lineterminator="\n")
        self._label_key = label_key
        self._ordered_names = tuple(names)
        self._names = frozenset(self._ordered_names)
        self._attributes = attributes
        self._columns = columns
        more = () if attributes is None else (*COLUMNS, *attributes)
        # Labels come last where there may be several.
        self._csv.writerow(("split", "image_uri", *columns, "label", *more))

    def add(
        self, split: str, stored: StoredImage, features: Mapping[str, FeatureValues], write: Callable[[], str]
    ) -> bool:
        """Takes in a record, unless its boxes cannot be told.

        Args:
          write: writes its image; returns the name of the file.
        """
        if self._attributes is not None:
            boxes = boxes_of(features, none_is_empty=True)
            if boxes is None:
                return False
            start = (split, write(), *self._further(features))
            for label, fields in box_rows(features, boxes, stored, self._attributes):
                self._csv.writerow((*start, "" if label is None else self._shown(label.name), *fields))
            self.boxes += len(boxes)
            return True
        if self._label_key == IMAGE_TARGET:
            labels = list(filter(None, [_field(features.get(IMAGE_TARGET))]))
        else:
            found = labels_of(features, self._label_key, self._ordered_names)
            labels = [self._shown(label.name) for label in found]
        self.unlabelled += not labels
        self._csv.writerow((split, write(), *self._further(features), *(labels or [""])))
        return True

    def _further(self, features: Mapping[str, FeatureValues]) -> list[str]:
        return [_field(features.get(key)) for key in self._columns]

    def _shown(self, name: str) -> str:
        return name if name in self._names else escaped(name)


def _field(feature: FeatureValues | None) -> str:
    """A single value as a field; nan and what is not there are empty."""
    if feature is None or len(feature.values) != 1:
        return ""
    value = feature.values[0]
    return "" if isinstance(value, float) and not math.isfinite(value) else text_of(value)
