"""The features of many records together; how their values look, and how often they occur."""

from __future__ import annotations

import codecs
import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from tfrecordcli.tfrecords.feature import FeatureValues
from tfrecordcli.tfrecords.tensors import tensor_in
from tfrecordcli.tfrecords.tfds_metadata import Declared

_SHOWN_VALUES: Final = 3
_SHOWN_CHARACTERS: Final = 40
_SHOWN_BINARY: Final = 8  # bytes of what is no text

_IMAGES: Final = ((b"\xff\xd8\xff", "JPEG"), (b"\x89PNG\r\n\x1a\n", "PNG"), (b"GIF8", "GIF"))

_NEW_UTF8_DECODER = codecs.getincrementaldecoder("utf-8")

# Keys that are distinguished; sane datasets have far fewer.
_MAX_KEYS: Final = 1_000

N = TypeVar("N", int, float)

MAX_DISTINCT: Final = 10_000

T = TypeVar("T", bound=Hashable)


def escaped(text: str) -> str:
    """Text whose unprintable characters are written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shown_feature(feature: FeatureValues) -> str:
    """The first values of a feature: ``3``, ``[0.5, 1, 2, …]``, ``'cat'``, ``JPEG (1,234 bytes)``."""
    values = [shown_value(value) for value in feature.values[:_SHOWN_VALUES]]
    if len(feature.values) == 1:
        return values[0]
    more = ", …" if len(feature.values) > len(values) else ""
    return f"[{', '.join(values)}{more}]"


def shown_value(value: bytes | float | int) -> str:
    if isinstance(value, bytes):
        return _shown_bytes(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shown_bytes(value: bytes) -> str:
    if (tensor := tensor_in(value)) is not None:
        return f"serialized tensor, {tensor} ({len(value):,} bytes)"
    head = value[: 4 * _SHOWN_CHARACTERS]
    try:
        text = _NEW_UTF8_DECODER().decode(head)  # a character may be cut at the end of the head
    except UnicodeDecodeError:
        text = ""
    odd = sum(not (c.isprintable() or c.isspace()) for c in text)
    size = f"({len(value):,} bytes)"
    for magic, name in _IMAGES:
        if value.startswith(magic):
            return f"{name} {size}"
    if (not text and value) or odd > len(text) / 4:
        dots = " …" if len(value) > _SHOWN_BINARY else ""
        return f"{value[:_SHOWN_BINARY].hex(' ')}{dots} {size}"
    if len(text) > _SHOWN_CHARACTERS:
        return f"{escaped(text[: _SHOWN_CHARACTERS - 10])}… {size}"
    return f"'{escaped(text)}'"


@dataclass(frozen=True, slots=True)
class FeatureSummary:
    """One key over all records.

    Attributes:
      key: its name.
      kinds: bytes, int64 or float -> records in which it is that; several kinds are a fault of the data.
      records: in which it is there.
      absent: records in which it is not, or without any list of values.
      min_values, max_values: how many values it has where it is there.
      min_bytes, max_bytes: of a value; None when there is no bytes value.
      lowest, highest: of its numbers; None when there is none that is finite.
      example: the values of its first record, short and printable.
      declared: what features.json of TensorFlow Datasets calls it, as `ClassLabel(10)`; else empty.
    """

    key: str
    kinds: Mapping[str, int]
    records: int
    absent: int
    min_values: int
    max_values: int
    min_bytes: int | None
    max_bytes: int | None
    lowest: float | int | None
    highest: float | int | None
    example: str
    declared: str = ""

    @property
    def kind(self) -> str:
        """Its kind; all of them when there are several, and `empty` when no record says."""
        return ", ".join(self.kinds) or "empty"

    @property
    def is_fixed(self) -> bool:
        """Whether every record has the same number of values, and at least one."""
        return not self.absent and self.min_values == self.max_values > 0


@dataclass(slots=True)
class _Column:
    kinds: Counter[str] = field(default_factory=Counter)
    records: int = 0
    counts: tuple[int, int] | None = None
    sizes: tuple[int, int] | None = None
    numbers: tuple[float, float] | None = None
    example: str = ""

    def add(self, feature: FeatureValues) -> None:
        values = feature.values
        self.records += 1
        self.kinds[feature.kind] += 1
        self.counts = _widened(self.counts, len(values), len(values))
        if not values:
            return
        if feature.kind == "bytes":
            self.sizes = _widened(self.sizes, min(map(len, values)), max(map(len, values)))  # type: ignore[arg-type]
        else:
            self._add_numbers(values)  # type: ignore[arg-type]
        if not self.example:
            self.example = shown_feature(feature)

    def _add_numbers(self, values: Sequence[float] | Sequence[int]) -> None:
        low, high = min(values), max(values)
        if not (low - low == 0 == high - high):  # a NaN or an infinity; a NaN also spoils min and max
            low = min((value for value in values if value - value == 0), default=math.nan)
            high = max((value for value in values if value - value == 0), default=math.nan)
        if low == low:
            self.numbers = _widened(self.numbers, low, high)

    def summary(self, key: str, total: int, declared: str) -> FeatureSummary:
        fewest, most = self.counts or (0, 0)
        smallest, largest = self.sizes or (None, None)
        lowest, highest = self.numbers or (None, None)
        return FeatureSummary(
            key=key,
            kinds=dict(sorted(self.kinds.items())),
            records=self.records,
            absent=total - self.records,
            min_values=fewest,
            max_values=most,
            min_bytes=smallest,
            max_bytes=largest,
            lowest=lowest,
            highest=highest,
            example=self.example,
            declared=declared,
        )


class FeatureTable:
    """All keys that came by.

    Attributes:
      is_full: further keys came that are not in the table.
    """

    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}
        self.is_full = False

    def add(self, features: Mapping[str, FeatureValues]) -> None:
        for key, feature in features.items():
            column = self._columns.get(key)
            if column is None:
                if len(self._columns) == _MAX_KEYS:
                    self.is_full = True
                    continue
                column = self._columns[key] = _Column()
            if feature.kind:  # TensorFlow too takes a feature without a list for an absent one
                column.add(feature)

    def summaries(self, total: int, declared: Mapping[str, Declared]) -> tuple[FeatureSummary, ...]:
        """Every key, sorted.

        Args:
          total: number of records.
          declared: what TensorFlow Datasets tells of them.
        """
        names = {key: found.shown for key, found in declared.items()}
        columns = sorted(self._columns.items())
        return tuple(column.summary(key, total, names.get(key, "")) for key, column in columns)


def _widened(known: tuple[N, N] | None, low: N, high: N) -> tuple[N, N]:
    return (low, high) if known is None else (min(known[0], low), max(known[1], high))


class Histogram(Generic[T]):
    """Counts of the first `MAX_DISTINCT` distinct values.

    Attributes:
      left_out: how many further values came that were not counted one by one.
    """

    def __init__(self, max_distinct: int = MAX_DISTINCT) -> None:
        self._max = max_distinct
        self._counts: Counter[T] = Counter()
        self.left_out = 0

    def add(self, value: T) -> None:
        if value in self._counts or len(self._counts) < self._max:
            self._counts[value] += 1
        else:
            self.left_out += 1

    def total(self) -> int:
        return self._counts.total() + self.left_out

    def most_frequent(self) -> list[tuple[T, int]]:
        """(value, count), most frequent first, then as they came."""
        return self._counts.most_common()
