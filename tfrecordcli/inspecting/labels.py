"""The labels of records, by whatever key they go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tfrecordcli.inspecting.features import Histogram
from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.label_keys import Label, is_fractional, label_rank, labels_of, text_key_of
from tfrecordcli.tfrecords.tensors import opened
from tfrecordcli.tfrecords.tfds_metadata import Declared

_LAST: Final = 1_000  # rank of a label that only its declaration tells
_MAX_KEYS: Final = 16  # that are looked at


@dataclass(frozen=True, slots=True)
class LabelSummary:
    """How often each label occurs.

    Attributes:
      key: that holds the labels.
      text_key: that holds their names beside it; empty when there is none.
      names_file: of TensorFlow Datasets, that holds their names; empty when there is none.
      records: that have at least one.
      counts: (label, records or objects that have it), most frequent first.
      left_out: labels of records that were not counted one by one, because there are too many kinds.
    """

    key: str
    text_key: str
    records: int
    counts: tuple[tuple[Label, int], ...]
    left_out: int
    names_file: str = ""


class LabelTable:
    """Counts what may be labels, and chooses among them in the end."""

    def __init__(self, declared: Mapping[str, Declared] | None = None) -> None:
        self._declared = declared or {}
        self._histograms: dict[str, Histogram[Label]] = {}
        self._records: dict[str, int] = {}
        self._with_text: dict[str, str] = {}  # and the key of their texts
        self._fractional: set[str] = set()

    def add(self, features: Mapping[str, FeatureValues]) -> None:
        features = opened(features)
        for key, feature in features.items():
            if not label_rank(key) and not self._is_declared(key):
                continue
            names = self._declared[key].names if key in self._declared else ()
            self._add(key, labels_of(features, key, names), text_key_of(key, features))
            is_known = key in self._fractional or len(self._fractional) == _MAX_KEYS
            if feature.kind == "float" and feature.values and not is_known and is_fractional(feature):
                self._fractional.add(key)

    def _add(self, key: str, labels: tuple[Label, ...], text_key: str) -> None:
        if not labels or (key not in self._histograms and len(self._histograms) == _MAX_KEYS):
            return
        histogram = self._histograms.setdefault(key, Histogram())
        self._records[key] = self._records.get(key, 0) + 1
        for label in labels:
            histogram.add(label)
            if label.text is not None and label.id is not None:
                self._with_text[key] = text_key

    def best(self) -> LabelSummary | None:
        """The likeliest label; numbers go before names, and what more records have goes first."""
        keys = self._histograms.keys() - self._fractional
        if not keys:
            return None
        key = min(keys, key=self._order)
        histogram = self._histograms[key]
        names_file = self._declared[key].names_file if key in self._declared else ""
        return LabelSummary(
            key=key,
            text_key=self._with_text.get(key, "") if not names_file else "",
            names_file=names_file,
            records=self._records[key],
            counts=tuple(histogram.most_frequent()),
            left_out=histogram.left_out,
        )

    def _order(self, key: str) -> tuple[object, ...]:
        rank = label_rank(key) or _LAST
        is_name = self._histograms[key].most_frequent()[0][0].id is None
        return not self._is_declared(key), rank, is_name, -self._records[key], key

    def _is_declared(self, key: str) -> bool:
        return key in self._declared and self._declared[key].num_classes > 0

    def float_key(self) -> str:
        """The key that would hold the labels, were its floats whole numbers; empty when `best` has one."""
        if self.best() is not None:
            return ""
        return min(self._fractional, key=lambda k: (label_rank(k), k), default="")
