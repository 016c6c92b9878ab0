"""A few records to look at: from different files if there are several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tfrecordcli.inspecting.reading import Entry
from tfrecordcli.inspecting.text import shown_feature

_SAMPLES: Final = 3
_MAX_KEYS: Final = 50


@dataclass(frozen=True, slots=True)
class Sample:
    """One record: where it stands, and key -> values, short and printable."""

    file: str
    record: int
    offset: int
    values: Mapping[str, str]


class Samples:
    """Keeps the first record of the first files, and the first ones of the very first file."""

    def __init__(self) -> None:
        self._firsts: list[Sample] = []
        self._others: list[Sample] = []
        self._file: str | None = None

    def add(self, entry: Entry) -> None:
        is_first = entry.file != self._file
        self._file = entry.file
        samples = self._firsts if is_first else self._others
        if len(samples) < _SAMPLES:
            values = {key: shown_feature(f) for key, f in sorted(entry.features.items())[:_MAX_KEYS]}
            samples.append(Sample(entry.file, entry.record, entry.offset, values))

    def chosen(self) -> tuple[Sample, ...]:
        return tuple((self._firsts + self._others)[:_SAMPLES])
