"""The labels of records, by whatever key they go."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tfrecordcli.inspecting.features import Histogram, as_text
from tfrecordcli.integrity.declared_check import NO_LABEL
from tfrecordcli.integrity.feature import Feature
from tfrecordcli.integrity.tfds import Declared
from tfrecordcli.schema import CLASS_LABEL

_WORDS: Final = ("label", "labels", "class", "classes", "category", "categories", "target")
_LOOKS_LIKE_LABEL: Final = re.compile(rf"(?<![a-z])(?:{'|'.join(_WORDS)})(?![a-z])")
_LAST: Final = 1_000  # rank of a label that only its declaration tells
_MAX_LABELS: Final = 100  # of a record; more are a mask or a sequence
_MAX_BYTES: Final = 200  # of a name
_MAX_KEYS: Final = 16  # that are looked at


class Label(NamedTuple):
    """A label of a record: its number, its name, or both."""

    id: int | None
    text: str | None

    @property
    def name(self) -> str:
        """How a person calls it: by its text, else by its number."""
        return str(self.id) if self.text is None else self.text


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


def labels_of(features: Mapping[str, Feature], key: str, names: Sequence[str] = ()) -> tuple[Label, ...]:
    """The labels of a record under a key; none when it is absent, or no label after all.

    Args:
      names: of the ids, where TensorFlow Datasets tells them; with these, -1 is no label.
    """
    feature = features.get(key)
    if feature is None or not 1 <= len(feature.values) <= _MAX_LABELS:
        return ()
    if feature.kind == "bytes":
        names = _names(feature)
        return tuple(Label(None, name) for name in names)
    if feature.kind == "float" and not is_fractional(feature):
        return (Label(int(feature.values[0]), None),)
    if feature.kind != "int64":
        return ()
    beside = features.get(text_key_of(key))
    texts: tuple[str | None, ...] = _names(beside) if beside is not None and beside.kind == "bytes" else ()
    if len(texts) != len(feature.values):
        texts = (None,) * len(feature.values)
    ids = [int(value) for value in feature.values]
    if not names:
        return tuple(map(Label, ids, texts))
    known = [(id_, names[id_] if 0 <= id_ < len(names) else None) for id_ in ids]
    pairs = zip(known, texts, strict=True)
    return tuple(Label(id_, text or name) for (id_, name), text in pairs if id_ != NO_LABEL)


def is_fractional(feature: Feature) -> bool:
    """Whether a feature of floats is no label: several of them, or one that is no whole number."""
    return len(feature.values) != 1 or not float(feature.values[0]).is_integer()


def text_key_of(key: str) -> str:
    """The key that holds the names of the numbers under a key: `image/class/text` for `image/class/label`."""
    return f"{key.removesuffix('label')}text" if key.endswith("label") else f"{key}_text"


def _names(feature: Feature) -> tuple[str, ...]:
    values = [value for value in feature.values if isinstance(value, bytes)]
    return () if any(len(value) > _MAX_BYTES for value in values) else tuple(map(as_text, values))


@functools.lru_cache(4096)
def _rank(key: str) -> int:
    """The less, the more a key looks like the label; 0 when it does not."""
    if key == CLASS_LABEL:
        return 1
    lower = key.lower()
    if lower in _WORDS:
        return 2 + _WORDS.index(lower)
    return 100 if _LOOKS_LIKE_LABEL.search(lower) else 0


class LabelTable:
    """Counts what may be labels, and chooses among them in the end."""

    def __init__(self, declared: Mapping[str, Declared] | None = None) -> None:
        self._declared = declared or {}
        self._histograms: dict[str, Histogram[Label]] = {}
        self._records: dict[str, int] = {}
        self._with_text: set[str] = set()
        self._fractional: set[str] = set()

    def add(self, features: Mapping[str, Feature]) -> None:
        for key, feature in features.items():
            if not _rank(key) and not self._is_declared(key):
                continue
            names = self._declared[key].names if key in self._declared else ()
            self._add(key, labels_of(features, key, names))
            is_known = key in self._fractional or len(self._fractional) == _MAX_KEYS
            if feature.kind == "float" and feature.values and not is_known and is_fractional(feature):
                self._fractional.add(key)

    def _add(self, key: str, labels: tuple[Label, ...]) -> None:
        if not labels or (key not in self._histograms and len(self._histograms) == _MAX_KEYS):
            return
        histogram = self._histograms.setdefault(key, Histogram())
        self._records[key] = self._records.get(key, 0) + 1
        for label in labels:
            histogram.add(label)
            if label.text is not None and label.id is not None:
                self._with_text.add(key)

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
            text_key=text_key_of(key) if key in self._with_text and not names_file else "",
            names_file=names_file,
            records=self._records[key],
            counts=tuple(histogram.most_frequent()),
            left_out=histogram.left_out,
        )

    def _order(self, key: str) -> tuple[object, ...]:
        rank = _rank(key) or _LAST
        return not self._is_declared(key), rank, self._is_name(key), -self._records[key], key

    def _is_declared(self, key: str) -> bool:
        return key in self._declared and self._declared[key].num_classes > 0

    def float_key(self) -> str:
        """The key that would hold the labels, were its floats whole numbers; empty when `best` has one."""
        if self.best() is not None:
            return ""
        return min(self._fractional, key=lambda k: (_rank(k), k), default="")

    def _is_name(self, key: str) -> bool:
        label, _ = self._histograms[key].most_frequent()[0]
        return label.id is None
