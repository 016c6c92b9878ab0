"""The first records, by which the keys of all are chosen, without the images in them: these may be large."""

from __future__ import annotations

from array import array
from typing import Any, Final

from tfrecordcli.sources.records.image import Features
from tfrecordcli.tfrecords.feature import FeatureValues

# Bytes at either end of a value that are looked at: of the only one of its feature, and of others.
_END, _END_OF_MANY = 1 << 12, 1 << 6
_LONG: Final = 1 << 11  # bytes of a value above which the rest may be left out: no text is so long
_CODES: Final = {"float": "f", "int64": "q"}  # of arrays


class _Ends(bytes):
    """Both ends of a long value, which is as long as that."""

    _length: int

    def __len__(self) -> int:
        return self._length


def light(features: Features) -> dict[str, FeatureValues]:
    """The features of a record, of whose long values both ends are kept, and nothing of its other bytes."""
    return {
        key: FeatureValues(feature.kind, _light(feature.kind, feature.values))
        for key, feature in features.items()
    }


def _light(kind: str, values: Any) -> Any:
    if kind == "bytes":
        end = _END if len(values) == 1 else _END_OF_MANY
        return [_ends(value, end) for value in values]
    return array(_CODES[kind], values) if kind and not isinstance(values, list) else list(values)


def _ends(value: bytes, end: int) -> bytes:
    if len(value) <= max(_LONG, 2 * end):
        return value
    ends = _Ends(value[:end] + value[-end:])
    ends._length = len(value)
    return ends
